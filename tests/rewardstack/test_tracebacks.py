import functools
import json
import sys
import textwrap

import pytest

from rewardstack import Sample, Stack
from rewardstack.errors import StackError
from rewardstack.results import raised

SOURCE = """
    import json
    from neighbour import deep

    def own(completion):
        return json.loads(completion)["x"]

    def beside(completion):
        return deep(completion)

    def batch(completions, **kwargs):
        for completion in completions:
            yield 1 / 0

    async def awaited(completion):
        raise ValueError("no")

    def advises(completion):
        from rewardstack.errors import StackError
        raise StackError("do this")

    class Held:
        def __call__(self, completion):
            return completion.x

    held = Held()
"""
LINES = {
    "own": "rewards_of_mine.py:6",  # not the line of `json` that raises
    "beside": "neighbour.py:2",
    "batch": "rewards_of_mine.py:13",
    "awaited": "rewards_of_mine.py:16",
    "held": "rewards_of_mine.py:24",
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mine")
    (folder / "rewards_of_mine.py").write_text(textwrap.dedent(SOURCE))
    (folder / "neighbour.py").write_text("def deep(completion):\n    return 1 + completion\n")
    yield folder / "rewards_of_mine.py"
    sys.modules.pop("neighbour")


def score_of(file, name, **words):
    (scored,) = Stack({"it": {"use": f"{file}:{name}", **words}}).score([Sample("hi")])
    return scored.rewards["it"]


@pytest.mark.parametrize("name", LINES)
def test_an_error_names_the_line_of_the_rewards_own_source(file, name):
    assert score_of(file, name).where == LINES[name]


def test_so_it_does_from_a_worker_process(file):
    assert score_of(file, "own", timeout=20.0).where == LINES["own"]


def test_the_error_itself_stays_what_it_was(file):
    score = score_of(file, "awaited")
    assert (score.error, score.explained_error) == (
        "raised ValueError: no",
        f"raised ValueError: no ({score.where})",
    )


def test_errors_that_say_what_to_do_need_no_line(file):
    assert score_of(file, "advises").where == ""


def test_a_module_is_named_from_its_package_on():
    def call(function):
        try:
            function("{")
        except ValueError as error:
            return raised(error, function=function).where
        return None

    assert call(json.loads).startswith("json/decoder.py:")
    assert call(functools.partial(json.loads)).startswith("json/decoder.py:")


def test_where_nobody_knows_the_reward_there_is_no_line():
    with pytest.raises(ValueError, match="invalid literal") as caught:
        int("x")
    assert raised(caught.value).where == raised(caught.value, function=int).where == ""
    assert raised(StackError("never raised"), function=score_of).where == ""


def test_what_was_typed_at_a_prompt_has_no_file_to_look_into():
    made = {"__name__": "__main__"}
    exec("def typed(completion):\n    raise ValueError('no')", made)
    (scored,) = Stack({"it": made["typed"]}).score([Sample("hi")])
    assert scored.rewards["it"].where == ""
