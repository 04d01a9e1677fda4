"""The files of a new plugin, as `string.Template` texts; `$name` is the reward's, `$package` the package's name."""

__all__ = ["FILES"]

PYPROJECT = """\
[build-system]
requires = ["hatchling>=1.26"]
build-backend = "hatchling.build"

[project]
name = "$distribution"
version = "0.1.0"
description = "The reward $name.$name for rewardstack."
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["rewardstack>=$version"]

[project.optional-dependencies]
test = ["pytest>=8"]

# This makes the reward known: `use = "$name.$name"` in a stack, `rewards list $name`.
[project.entry-points.rewardstack]
$name = "$package.$name"

[tool.hatch.build.targets.wheel]
packages = ["src/$package"]

[tool.pytest.ini_options]
testpaths = ["tests"]
addopts = ["--import-mode=importlib"]
"""

README = """\
# $distribution

The reward `$name.$name` for rewardstack: 1 for a completion of at most
`limit` words, falling to 0 at twice that.

```
pip install -e '.[test]'
python -m pytest
rewards try $name.$name --completion "Four words, no more." -o limit=3
```

In a stack:

```toml
[rewards.$name]
use = "$name.$name"
weight = 0.5
limit = 150
```

Make it yours in `src/$package/$name.py`: parameters before the `*` are columns of the data set (`completion`,
`prompt`, `answer`, ...), those after it are options that a stack can set. Further functions marked with `@reward` in
that file become `$name.their_name`.
"""

PACKAGE = '''\
"""Rewards for rewardstack: `$name.$name`."""
'''

REWARD = '''\
"""The reward `$name.$name`."""

from rewardstack import Score, reward


@reward
def $name(completion: str, *, limit: int = 200) -> Score:
    """1 at or under `limit` words, falling to 0 at twice that.

    Words are what stands between white space. `limit` is at least 1.
    """
    words = len(completion.split())
    value = max(0.0, min(1.0, 2 - words / max(1, limit)))
    return Score(value, f"{words} words, {limit} are free", {"words": words})
'''

TESTS = '''\
"""Tests of the reward `$name.$name`: called directly, in a stack, and for what must hold of any text."""

import random

from rewardstack import Stack

from $package.$name import $name


def test_a_completion_within_the_limit_is_worth_one():
    assert $name("one two three", limit=3).value == 1.0


def test_a_completion_of_twice_the_limit_is_worth_nothing():
    assert $name("one two three four", limit=2).value == 0.0


def test_the_reason_says_what_was_counted():
    assert $name("one two", limit=3).reason == "2 words, 3 are free"


def test_a_stack_finds_it_by_name_and_sets_its_option():
    stack = Stack({"short": {"use": "$name.$name", "limit": 2, "weight": 0.5}})
    scores = stack.score([{"completion": "one two"}, {"completion": "one two three"}])
    assert [score.total for score in scores] == [0.5, 0.25]


def test_another_word_never_pays():
    chance = random.Random(0)
    for _ in range(500):
        text, limit = "word " * chance.randrange(80), chance.randrange(1, 40)
        shorter, longer = $name(text, limit=limit), $name(text + "more", limit=limit)
        assert 0.0 <= longer.value <= shorter.value <= 1.0
'''

IGNORED = """\
__pycache__/
.pytest_cache/
*.egg-info/
.venv/
build/
dist/
"""

FILES = {
    "pyproject.toml": PYPROJECT,
    "README.md": README,
    ".gitignore": IGNORED,
    "src/$package/__init__.py": PACKAGE,
    "src/$package/$name.py": REWARD,
    "src/$package/py.typed": "",
    "tests/test_$name.py": TESTS,
}
