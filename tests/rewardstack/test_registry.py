"""Plugins: found lazily, isolated from each other, chosen and blocked by name; hooks with real callers."""

import importlib
import subprocess
import sys

import pytest

from rewardstack import Sample, Stack, hookimpl
from rewardstack.errors import PluginError, RewardNotFound
from rewardstack.files import Source
from rewardstack.registry import configure, registry


@pytest.fixture(autouse=True)
def _fresh_registry(monkeypatch):
    monkeypatch.setenv("REWARDSTACK_NO_PLUGINS", "")  # recorded, so that what `configure` sets is undone
    registry.cache_clear()
    yield
    registry.cache_clear()


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that puts a distribution with one module on the path."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(distribution: str, module: str, source: str, entries: dict[str, str]) -> None:
        (tmp_path / f"{module}.py").write_text(source, "utf-8")
        info = tmp_path / f"{distribution.replace('-', '_')}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n", "utf-8"
        )
        lines = [f"[{group}]\n{entry}\n" for group, entry in entries.items()]
        (info / "entry_points.txt").write_text("".join(lines), "utf-8")
        monkeypatch.delitem(sys.modules, module, raising=False)
        importlib.invalidate_caches()

    return install


GOOD = """
from rewardstack import hookimpl, reward
configured = []

@reward
def short(completion: str) -> float:
    return float(len(completion) < 3)

def helper(completion):
    return 1.0

@hookimpl
def rewards_register(register):
    for size in (1, 2):
        register(f"at_most_{size}", lambda completion, size=size: float(len(completion) <= size))

@hookimpl
def rewards_configure(config):
    configured.append(config)
"""


def test_a_plugins_rewards_are_its_marked_functions_and_those_it_registers(install):
    install("good-plugin", "good_plugin", GOOD, {"rewardstack": "good = good_plugin"})
    plugin = registry().plugin("good")
    assert list(plugin.rewards) == ["at_most_1", "at_most_2", "short"]
    assert (plugin.distribution, plugin.version) == ("good-plugin", "1.2")
    stack = Stack({"a": "good.short", "b": "good.at_most_1"})
    assert stack.score_one("ab").total == 1.0


def test_a_plugin_is_configured_once_with_the_command(install):
    install("good-plugin", "good_plugin", GOOD, {"rewardstack": "good = good_plugin"})
    fresh = configure("test", ["math"])
    assert fresh is registry()
    fresh.plugin("good")
    fresh.plugin("good")
    (config,) = sys.modules["good_plugin"].configured
    assert (config.command, config.blocked) == ("test", frozenset({"math"}))


def test_an_entry_point_may_name_the_reward_itself(install):
    install("brief-plugin", "brief_plugin", GOOD, {"rewardstack": "brief = brief_plugin:short"})
    assert Stack({"a": "brief"}).score_one("ab").total == 1.0
    assert Stack({"a": "brief.brief"}).score_one("abc").total == 0.0


def test_a_plugin_with_a_reward_of_its_own_name_needs_it_once(install):
    source = "from rewardstack import reward\n@reward\ndef terse(completion: str) -> float:\n    return 1.0\n"
    install("terse-plugin", "terse_plugin", source, {"rewardstack": "terse = terse_plugin"})
    assert Stack({"a": "terse"}).score_one("ab").total == 1.0


@pytest.mark.parametrize(
    "source", ["raise RuntimeError('no licence')", "raise SystemExit('no licence')", "def broken(:"]
)
def test_a_broken_plugin_is_reported_and_harms_nobody(install, source):
    install("good-plugin", "good_plugin", GOOD, {"rewardstack": "good = good_plugin"})
    install("bad-plugin", "bad_plugin", source, {"rewardstack": "bad = bad_plugin"})
    assert "good" in [plugin.name for plugin in registry().plugins()]
    assert list(registry().broken) == ["bad"]
    with pytest.raises(PluginError, match=r"plugin 'bad' \(from bad-plugin\) cannot be loaded: "):
        Stack({"a": "bad.thing"})


def test_nothing_is_imported_until_it_is_asked_for(install):
    install("good-plugin", "good_plugin", GOOD, {"rewardstack": "good = good_plugin"})
    install("bad-plugin", "bad_plugin", "raise RuntimeError", {"rewardstack": "bad = bad_plugin"})
    Stack({"a": "good.short"})
    assert not registry().broken
    assert "bad_plugin" not in sys.modules


def test_a_name_with_two_owners_is_an_error_that_names_both(install):
    install("one", "plugin_one", GOOD, {"rewardstack": "twice = plugin_one"})
    install("two", "plugin_two", GOOD, {"rewardstack": "twice = plugin_two"})
    with pytest.raises(RewardNotFound, match="the plugin name 'twice' has two owners: one and two"):
        Stack({"a": "twice.short"})


def test_the_environment_names_the_plugins_to_load(install, monkeypatch):
    install("good-plugin", "good_plugin", GOOD, {"rewardstack": "good = good_plugin"})
    monkeypatch.setenv("REWARDSTACK_PLUGINS", "good, other")
    assert list(registry().entries) == ["good"]
    with pytest.raises(
        RewardNotFound, match="plugin 'format' is not loaded: REWARDSTACK_PLUGINS does not name it"
    ):
        Stack({"a": "format.tags"})


def test_a_blocked_plugin_is_not_loaded_here_or_in_workers(install):
    install("good-plugin", "good_plugin", GOOD, {"rewardstack": "good = good_plugin"})
    configure(blocked=["good"])
    with pytest.raises(RewardNotFound, match="plugin 'good' is not loaded: it is blocked"):
        Stack({"a": "good.short"})
    code = "from rewardstack.registry import registry; print('good' in registry().entries)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


class Observer:
    def __init__(self):
        self.seen = []

    @hookimpl
    def rewards_batch_scored(self, stack, samples, scores):
        self.seen.append((stack.name, samples.size, [score.total for score in scores]))

    @hookimpl
    def rewards_sandboxes(self, register):
        register("jail", dict, "a dictionary")

    @hookimpl
    def rewards_audit_probes(self, register):
        register("empty", lambda stack: "", "the empty completion")


def test_observers_see_every_scored_batch():
    observer = Observer()
    registry().add(observer, "observer")
    stack = Stack({"a": lambda completion: 1.0}, name="main")
    stack.score([Sample("x"), Sample("y")])
    stack(prompts=["p"], completions=["z"])
    assert observer.seen == [("main", 2, [1.0, 1.0]), ("main", 1, [1.0])]


def test_hook_plugins_are_loaded_from_their_own_group_when_something_is_scored(install):
    source = "from rewardstack import hookimpl\nseen = []\n@hookimpl\ndef rewards_batch_scored(scores): seen.append(len(scores))\n"
    install("watcher", "watcher_plugin", source, {"rewardstack.hooks": "watcher = watcher_plugin"})
    Stack({"a": lambda completion: 1.0}).score_one("x")
    assert sys.modules["watcher_plugin"].seen == [1]


def test_a_plugin_offers_its_own_rewards_not_those_it_imports(install):
    other = "from good_plugin import short\nfrom rewardstack import reward\n@reward\ndef long(completion: str) -> float:\n    return 1.0\n"
    install("good-plugin", "good_plugin", GOOD, {"rewardstack": "good = good_plugin"})
    install("other-plugin", "other_plugin", other, {"rewardstack": "other = other_plugin"})
    install(
        "open-plugin",
        "open_plugin",
        other + "__all__ = ['short', 'long']\n",
        {"rewardstack": "open = open_plugin"},
    )
    assert list(registry().plugin("other").rewards) == ["long"]
    assert list(registry().plugin("open").rewards) == ["long", "short"]


HOOKS = """
from rewardstack import hookimpl
seen = []
@hookimpl
def rewards_batch_scored(scores): seen.append(len(scores))
"""


def test_one_name_may_stand_for_a_plugin_and_for_hooks(install):
    install("both", "both_rewards", GOOD, {"rewardstack": "both = both_rewards"})
    install("both-hooks", "both_hooks", HOOKS, {"rewardstack.hooks": "both = both_hooks"})
    Stack({"a": "both.short"}).score_one("x")
    assert sys.modules["both_hooks"].seen == [1]


def test_one_module_may_offer_rewards_and_hooks(install):
    install(
        "all-in-one",
        "all_in_one",
        GOOD + HOOKS,
        {"rewardstack": "one = all_in_one", "rewardstack.hooks": "one_hooks = all_in_one"},
    )
    registry().observers()
    Stack({"a": "one.short"}).score_one("x")
    assert sys.modules["all_in_one"].seen == [1]
    assert len(sys.modules["all_in_one"].configured) == 1


@pytest.mark.parametrize("fault", ["RuntimeError('no disk')", "SystemExit('no disk')"])
def test_a_hook_that_fails_harms_no_other(install, caplog, fault):
    broken = f"""
from rewardstack import hookimpl
@hookimpl
def rewards_batch_scored(): raise {fault}
@hookimpl
def rewards_sandboxes(): raise {fault}
"""
    install("broken", "broken_hooks", broken, {"rewardstack.hooks": "a_broken = broken_hooks"})
    install("gone", "gone_hooks", f"raise {fault}", {"rewardstack.hooks": "b_gone = gone_hooks"})
    install("watcher", "watching_hooks", HOOKS, {"rewardstack.hooks": "c_watcher = watching_hooks"})
    registry().add(Observer(), "observer")
    assert Stack({"a": lambda completion: 1.0}).score_one("x").total == 1.0
    assert sys.modules["watching_hooks"].seen == [1]
    assert "jail" in [found.name for found in registry().extensions("rewards_sandboxes")]
    assert list(registry().broken) == ["b_gone"]
    assert "the rewards_batch_scored hook of plugin 'a_broken' failed" in caplog.text
    assert "the hook plugin 'b_gone' cannot be loaded" in caplog.text


def test_an_observer_that_fails_is_logged_and_changes_no_score(caplog):
    class Broken:
        @hookimpl
        def rewards_batch_scored(self):
            raise RuntimeError("no disk")

    registry().add(Broken(), "broken")
    assert Stack({"a": lambda completion: 1.0}).score_one("x").total == 1.0
    assert "no disk" in caplog.text


def test_sandboxes_and_probes_are_found_by_hook():
    registry().add(Observer(), "observer")
    found = {each.name: each.summary for each in registry().extensions("rewards_sandboxes")}
    assert found["jail"] == "a dictionary"
    assert "empty" in [found.name for found in registry().extensions("rewards_audit_probes")]


def test_version_of_names_what_the_code_is(write):
    path = write("mine.py", "def it(completion): return 1.0")
    source = registry().find(f"{path}:it")[1]
    assert registry().version_of(source).startswith("sha256:")
    assert registry().version_of(Source("pytest:raises")).startswith("pytest ")


def test_the_code_of_a_module_that_no_distribution_owns_counts_too(write, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(tmp_path))
    write("unowned_module.py", "def it(completion): return 1.0")
    before = Stack({"a": "unowned_module:it"}).fingerprint()
    write("unowned_module.py", "def it(completion): return 0.5")
    assert Stack({"a": "unowned_module:it"}).fingerprint() != before


def test_importing_rewardstack_loads_nothing_heavy():
    heavy = [
        "torch",
        "sympy",
        "trl",
        "transformers",
        "datasets",
        "pint",
        "rich",
        "asyncio",
        "pyarrow",
        "numpy",
        "click",
    ]
    code = f"import sys, rewardstack; from rewardstack import reward, Score; print([n for n in {heavy} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_public_face_is_complete():
    import rewardstack

    assert all(getattr(rewardstack, name) is not None for name in rewardstack.__all__)
    with pytest.raises(AttributeError, match="no attribute 'rewrad'"):
        rewardstack.rewrad  # noqa: B018
