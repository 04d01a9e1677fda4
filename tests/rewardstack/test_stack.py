"""A stack is data: read from TOML or built in Python, checked when it is loaded."""

import math
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rewardstack import Sample, Stack, StackError, reward
from rewardstack.errors import (
    ColumnError,
    ContractError,
    IsolationError,
    OptionError,
    PluginError,
    RecordError,
    RewardError,
    RewardNotFound,
    TooManyErrors,
)
from rewardstack.signature import STACK_WORDS
from rewardstack.term import Words


@reward
def brief(completion: str, *, limit: int = 200) -> float:
    """1 at or under `limit` words, falling to 0 at twice that."""
    return max(0.0, min(1.0, 2 - len(completion.split()) / limit))


@reward
def right(completion: str, answer: str) -> float:
    return float(completion == answer)


RISKY = Path(__file__).parents[1] / "data/rewards/risky.py"
BRIEF = '''
from rewardstack import reward

@reward
def brief(completion: str, *, limit: int = 200) -> float:
    """1 at or under `limit` words, falling to 0 at twice that."""
    return max(0.0, min(1.0, 2 - len(completion.split()) / limit))
'''


def test_a_stack_file_is_the_same_object_as_a_stack_in_python(write):
    write("my.py", BRIEF)
    path = write(
        "short.toml",
        """
        [rewards.brief]
        use = "my.py:brief"
        weight = 2.0
        limit = 2
        """,
    )
    loaded = Stack.load(path)
    built = Stack(
        {"brief": {"use": "my.py:brief", "weight": 2.0, "limit": 2}}, name="short", base=path.parent
    )
    rows = [{"completion": "a b"}, {"completion": "a b c"}]
    assert loaded.name == "short"
    assert [s.total for s in loaded.score(rows)] == [s.total for s in built.score(rows)] == [2.0, 1.0]
    assert loaded.fingerprint() == built.fingerprint()


def test_a_term_may_be_just_a_function_or_a_name():
    assert Stack({"brief": brief}).score_one("a").total == 1.0


def test_routing_leaves_rows_of_other_tasks_out():
    stack = Stack({"right": {"use": right, "when": {"task": "math"}}, "brief": brief})
    rows = [
        {"completion": "4", "answer": "5", "task": "math"},
        {"completion": "4", "answer": "5", "task": "code"},
    ]
    math_row, code_row = stack.score(rows)
    assert (math_row.total, set(math_row.rewards)) == (1.0, {"right", "brief"})
    assert (code_row.total, set(code_row.rewards)) == (1.0, {"brief"})


def test_routing_takes_lists_of_values():
    stack = Stack({"right": {"use": right, "when": {"task": ["math", "science"]}}})
    rows = [{"completion": "4", "answer": "4", "task": task} for task in ("math", "science", "code")]
    assert [score.total for score in stack.score(rows)] == [1.0, 1.0, None]


def test_a_closed_gate_gives_the_low_end_and_does_not_run_the_reward():
    called = []

    @reward(range=(-1, 1))
    def costly(completion: str) -> float:
        called.append(completion)
        return 1.0

    stack = Stack({"costly": {"use": costly, "requires": {"right": 1.0}}, "right": right})
    assert [term.name for term in stack.terms] == ["right", "costly"], "gates come first"
    scores = stack.score([{"completion": "4", "answer": "4"}, {"completion": "5", "answer": "4"}])
    assert [score.rewards["costly"].value for score in scores] == [1.0, -1.0]
    assert scores[1].rewards["costly"].reason == "closed: right gave 0, 1 is required"
    assert called == ["4"]


def test_a_gate_that_erred_errs_and_one_that_abstained_or_was_left_out_closes():
    @reward
    def gate(completion: str):
        return {"err": "text", "abstain": None}.get(completion, 1.0)

    stack = Stack({
        "gate": {"use": gate, "when": {"task": "math"}},
        "brief": {"use": brief, "requires": {"gate": 0.5}},
    })  # fmt: skip
    rows = [{"completion": text, "task": task} for text, task in
            [("err", "math"), ("abstain", "math"), ("fine", "code"), ("fine", "math")]]  # fmt: skip
    scores = [score.rewards["brief"] for score in stack.score(rows)]
    assert scores[0].error.startswith("gate, which it requires, erred: returned str")
    assert [score.value for score in scores[1:]] == [0.0, 0.0, 1.0]
    assert [score.reason for score in scores[1:3]] == [
        "closed: gate abstained, 0.5 is required", "closed: gate was left out, 0.5 is required",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "weights"),
    [("linear", [0, 0, 0.5, 1, 1]), ("cosine", [0, 0, 0.5, 1, 1]), ("step", [0, 0, 0, 1, 1])],
)
def test_schedules_move_the_weight(shape, weights):
    schedule = {"from": 0.0, "to": 1.0, "steps": 100, "shape": shape, "start": 10}
    stack = Stack({"brief": {"use": brief, "weight": schedule}})
    steps = [0, 10, 60, 110, 1000]
    assert [stack.terms[0].weight(step) for step in steps] == pytest.approx(weights)
    assert [stack.score([{"completion": "a"}], step)[0].total for step in steps] == pytest.approx(weights)


def test_columns_map_a_rewards_name_to_the_data_sets():
    stack = Stack({"right": {"use": right, "columns": {"answer": "solution"}}})
    assert stack.columns() == {"completion": True, "solution": True}
    assert stack.score_one("4", solution="4").total == 1.0


def test_options_of_a_clashing_name_stand_under_options():
    with pytest.warns(UserWarning, match="also a word of the stack"):

        @reward
        def heavy(completion: str, *, weight: int = 1) -> float:
            return weight / 4

    stack = Stack({"heavy": {"use": heavy, "weight": 2.0, "options": {"weight": 3}}})
    assert stack.score_one("a").total == 1.5


def test_prefill_belongs_to_the_template():
    @reward
    def thinks(completion: str) -> float:
        return float(completion.startswith("<think>"))

    assert Stack({"thinks": thinks}).score_one("so</think>4").total == 0.0
    assert Stack({"thinks": thinks}, prefill="<think>").score_one("so</think>4").total == 1.0


@pytest.mark.parametrize(
    ("rewards", "error", "message"),
    [
        ({}, StackError, "a stack needs at least one reward"),
        ({"a": {}}, StackError, "term 'a': it needs a `use`"),
        ({"a": {"use": "fromat.tags"}}, RewardNotFound, r"term 'a': no plugin called 'fromat' \(did you mean 'format'\?\)"),
        ({"a": {"use": "format.tgas"}}, RewardNotFound, r"plugin 'format' has no reward 'tgas' \(did you mean 'format.tags'\?\)"),
        ({"a": {"use": "no_such_module:thing"}}, RewardNotFound, "there is no module 'no_such_module'"),
        ({"a": {"use": "json:lodas"}}, RewardNotFound, r"there is no 'lodas' \(did you mean 'loads'\?\)"),
        ({"a": {"use": "nowhere.py:thing"}}, RewardNotFound, "nowhere.py:thing: cannot read .*: No such file"),
        ({"a": {"use": brief, "limti": 3}}, OptionError, r"'limti' is neither a word of the stack nor an option of brief \(did you mean 'limit'\?\)"),
        ({"a": {"use": brief, "completion": 3}}, OptionError, "it is a column of that reward"),
        ({"a": {"use": brief, "limit": "3"}}, OptionError, "term 'a', limit: expected int, got str"),
        ({"a": {"use": brief, "weight": "2"}}, StackError, "term 'a', weight: expected"),
        ({"a": {"use": brief, "weight": {"from": 0, "to": 1, "step": 9}}}, StackError, r"term 'a', weight: it has no step \(did you mean 'steps'\?\); a schedule has: from"),
        ({"a": {"use": brief, "on_error": "mas"}}, StackError, r"there is no 'mas' \(did you mean 'mask'\?\)"),
        ({"a": {"use": brief, "weight": {"from": -1e308, "to": 1e308, "steps": 9}}}, StackError, "the weight must move between numbers of a sensible size"),
        ({"a": {"use": brief, "weight": {"from": 0, "to": 1, "steps": 9, "start": 10**13}}}, StackError, "a schedule starts at step 0 to 1,000,000,000,000"),
        ({"a": {"use": brief, "when": {"task": []}}}, StackError, r"term 'a', when: task = \[\] leaves the term out of every row"),
        ({"a": {"use": brief, "when": {"task": {"x": 1}}}}, StackError, "term 'a', when: task is compared with text, numbers, booleans or a list"),
        ({"a": {"use": brief, "requires": {"b": math.nan}}, "b": brief}, StackError, "requires: b must reach a finite number, not nan"),
        ({"a": {"use": brief, "requires": {"b": 2.0}}, "b": brief}, StackError, "term 'a' requires b to reach 2, but b gives 1 at most"),
        ({"a": {"use": "a\0.py:x"}}, RewardNotFound, "is no path"),
        ({"a": {"use": "~no_such_user/x.py:y"}}, RewardNotFound, "is no path"),
        ({"a": {"use": brief, "weight": math.nan}}, StackError, "term 'a': the weight must be a finite number, not nan"),
        ({"a": {"use": brief, "weight": {"from": 0, "to": 1, "steps": 0}}}, StackError, "a schedule needs at least one step"),
        ({"a": {"use": brief, "weight": {"from": 0, "to": 1, "steps": 9, "shape": "round"}}}, StackError, "term 'a', weight: there is no 'round'; there are: linear, cosine, step"),
        ({"a": {"use": brief, "clip": [1, 0]}}, StackError, "clip must be two finite numbers, low < high"),
        ({"a": {"use": brief, "timeout": 0}}, StackError, "timeout must be a number of seconds above 0"),
        ({"a": {"use": brief, "on_error": "ignore"}}, StackError, "term 'a', on_error: there is no 'ignore'; there are: mask, low, abstain, raise"),
        ({"a": {"use": brief, "columns": {"answr": "solution"}}}, ColumnError, "columns names 'answr', but brief reads no such column"),
        ({"a": {"use": brief, "requires": {"b": 1}}}, StackError, "term 'a' requires 'b', which is no term of the stack"),
        ({"a": {"use": brief, "requires": {"b": 1}}, "b": {"use": brief, "requires": {"a": 1}}}, StackError, "goes round in a circle: (a -> b -> a|b -> a -> b)"),
        ({"a": {"use": brief, "timeout": 1}}, StackError, "brief lives only in this process|"),
    ],
)  # fmt: skip
def test_a_stack_that_cannot_be_meant_is_refused_when_it_is_loaded(rewards, error, message):
    if message.endswith("|"):
        rewards["a"]["use"] = lambda completion: 1.0
        message = "<lambda> lives only in this process .* Put it into a file of its own"
    with pytest.raises(error, match=message):
        Stack(rewards)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[rewards.a\nuse = 1", r"bad.toml is not valid TOML: .*line 1"),
        ("nmae = 'x'\n[rewards.a]\nuse='format.tags'", r"a stack has no 'nmae' \(did you mean 'name'\?\)"),
        ("base = '/tmp'\n[rewards.a]\nuse='json:loads'", "a stack has no 'base'"),
        ("self = 1\n[rewards.a]\nuse='json:loads'", "a stack has no 'self'"),
        ("x = " + "1" * 5000, "is not valid TOML"),
        ("x = " + "[" * 5000, "is not valid TOML"),
        ("rewards = 3", r"rewards are tables: \[rewards.NAME\]"),
        ("max_error_share = 2\n[rewards.a]\nuse='json:loads'", "max_error_share must be from 0 to 1"),
        (
            "[rewards.a]\nuse='json:loads'\n[rewards.a]\nuse='json:loads'",
            "not valid TOML: .*(twice|overwrite|declare)",
        ),
    ],
)
def test_a_broken_stack_file_names_itself_and_the_fault(write, text, message):
    with pytest.raises(StackError, match=message):
        Stack.load(write("bad.toml", text))


def test_a_stack_file_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(StackError, match="cannot read the stack .*: No such file"):
        Stack.load(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(StackError, match="is not UTF-8 text"):
        Stack.load(tmp_path / "latin.toml")


def test_a_missing_column_is_an_error_before_anything_runs():
    stack = Stack({"right": right})
    with pytest.raises(
        ColumnError,
        match=r"term 'right': right reads the column 'answer', which the samples do not have \(did you mean 'answers'\?\)",
    ):
        stack.score([{"completion": "4", "answers": "4"}])


def test_columns_that_samples_only_have_by_default_are_not_named_as_theirs():
    stack = Stack({"right": right})
    with pytest.raises(ColumnError, match=r"They have: completion, label\. Another name"):
        stack.score([{"completion": "4", "label": True}])
    with pytest.raises(ColumnError, match=r"They have: completion, label, prompt\. Another name"):
        stack.score([{"completion": "4", "label": True, "prompt": "2 + 2?"}])


def test_a_missing_column_of_when_is_told_as_such():
    stack = Stack({"right": {"use": right, "when": {"tsk": "math"}}})
    with pytest.raises(
        ColumnError, match=r"term 'right': `when` goes by the column 'tsk', .* \(did you mean 'task'\?\)"
    ):
        stack.score([{"completion": "4", "answer": "4", "task": "math"}])


def test_samples_that_are_no_rows_are_refused():
    with pytest.raises(RecordError, match="samples are `Sample` objects or rows .*, not str"):
        Stack({"brief": brief}).score("x")


def test_a_check_that_fails_is_named_as_such():
    @reward(check=lambda limit=2: limit % 2)
    def odd(completion: str, *, limit: int = 1) -> float:
        return 1.0

    with pytest.raises(
        ContractError, match="term 'odd': the check of odd failed: TypeError: .* one mapping of all options"
    ):
        Stack({"odd": odd})


def test_a_low_end_that_earns_the_most_is_warned_of():
    with pytest.warns(
        UserWarning, match="term 'long' has a negative weight, and `requires` gives it the low end"
    ):
        Stack({"brief": brief, "long": {"use": brief, "weight": -1.0, "requires": {"brief": 1.0}}})


def test_an_isolated_sample_reward_cannot_log():
    with pytest.raises(IsolationError, match="log_metric is only there for the batch form"):
        Stack({"logs": {"use": f"{RISKY}:logs", "timeout": 1}})


def test_a_row_that_lacks_a_column_others_have_is_that_rows_error():
    scores = Stack({"right": right}).score([{"completion": "4", "answer": "4"}, {"completion": "4"}])
    assert [score.total for score in scores] == [1.0, None]
    assert scores[1].rewards["right"].error == "the row has no column 'answer'"


def test_a_row_that_lacks_an_optional_column_gets_the_default():
    @reward
    def hinted(completion: str, hint: str = "none") -> float:
        return float(hint == "none")

    rows = [{"completion": "a", "hint": "x"}, {"completion": "b"}, {"completion": "c", "hint": None}]
    assert [score.total for score in Stack({"hinted": hinted}).score(rows)] == [0.0, 1.0, 1.0]


def test_on_error_raise_names_term_and_row():
    @reward
    def broken(completion: str) -> float:
        raise ValueError("no gold")

    stack = Stack({"broken": {"use": broken, "on_error": "raise"}})
    with pytest.raises(RewardError, match=r"term 'broken', row 0 \(id 'x'\): raised ValueError: no gold"):
        stack.score([Sample("a", id="x")])


def test_a_run_with_too_many_errors_stops_with_the_cause():
    @reward
    def broken(completion: str) -> float:
        raise ValueError("no gold")

    stack = Stack({"broken": broken}, name="main", max_error_share=0.05)
    assert stack(prompts=["p"] * 10, completions=[str(place) for place in range(10)]) == [None] * 10
    with pytest.raises(
        TooManyErrors,
        match="11 of the last 11 rows erred.*0.05 of 200 rows.*broken: raised ValueError: no gold",
    ):
        stack(prompts=["p"], completions=["more"])


def test_with_several_ranks_errors_are_counted_for_the_adapter_to_judge(monkeypatch):
    def broken(completion):
        raise ValueError("no gold")

    monkeypatch.setenv("WORLD_SIZE", "2")
    stack = Stack({"broken": broken}, max_error_share=0.0)
    assert stack(prompts=["p"] * 3, completions=["a", "b", "c"]) == [None] * 3
    assert stack.recent_errors() == (3, 3)
    with pytest.raises(TooManyErrors, match="6 of the last 400 rows erred"):
        stack.check_error_share(6, 400)


def test_the_words_of_a_term_are_known_wherever_they_are_asked_for():
    assert set(STACK_WORDS) == {"use", *Words.__struct_fields__}


def test_a_file_that_raises_or_exits_on_import_is_the_plugins_error(write):
    path = write("loud.py", "raise SystemExit('bye')")
    with pytest.raises(PluginError, match="loud.py: SystemExit: bye"):
        Stack({"loud": f"{path}:thing"})
    path = write("bad.py", "def broken(:\n    pass")
    with pytest.raises(PluginError, match="bad.py, line 1: SyntaxError"):
        Stack({"bad": f"{path}:thing"})


def test_a_file_reward_may_import_helpers_beside_it(write):
    write("helpers_of_mine.py", "LIMIT = 2")
    path = write(
        "mine.py",
        "from helpers_of_mine import LIMIT\ndef short(completion): return float(len(completion) <= LIMIT)",
    )
    assert Stack({"short": f"{path}:short"}).score_one("ab").total == 1.0


def test_a_stack_file_may_begin_with_a_byte_order_mark(tmp_path):
    (tmp_path / "my.py").write_text("\ufeff" + BRIEF, "utf-8")
    (tmp_path / "s.toml").write_text('\ufeff[rewards.brief]\nuse = "my.py:brief"\n', "utf-8")
    assert Stack.load(tmp_path / "s.toml").score_one("a").total == 1.0


def test_loading_a_file_leaves_the_users_path_as_it_was(write, monkeypatch, tmp_path):
    path = write("mine.py", BRIEF)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    before = list(sys.path)
    Stack({"brief": f"{path}:brief"})
    assert sys.path == before


def test_threads_may_load_one_file_at_the_same_time(write):
    path = write("slow_to_load.py", "import time\ntime.sleep(0.2)\ndef it(completion): return 1.0")
    with ThreadPoolExecutor(4) as threads:
        stacks = list(threads.map(lambda _: Stack({"it": f"{path}:it"}), range(4)))
    assert [stack.score_one("a").total for stack in stacks] == [1.0] * 4


def test_a_file_whose_loading_was_interrupted_loads_anew(write, monkeypatch):
    path = write(
        "stopped.py",
        "import os\nif os.environ.get('STOP_LOADING'): raise KeyboardInterrupt\ndef it(completion): return 1.0",
    )
    monkeypatch.setenv("STOP_LOADING", "1")
    with pytest.raises(KeyboardInterrupt):
        Stack({"it": f"{path}:it"})
    monkeypatch.delenv("STOP_LOADING")
    assert Stack({"it": f"{path}:it"}).score_one("a").total == 1.0


def test_two_helpers_of_one_name_are_not_taken_for_each_other(write):
    for folder, value in (("one", 0.25), ("two", 0.75)):
        write(f"{folder}/helper_of_both.py", f"V = {value}")
        write(f"{folder}/mine.py", "import helper_of_both\ndef it(completion): return helper_of_both.V")
    one, two = (write(f"{folder}/note.txt", "").parent / "mine.py" for folder in ("one", "two"))
    assert Stack({"it": f"{one}:it"}).score_one("a").total == 0.25
    with pytest.raises(
        PluginError,
        match="imports 'helper_of_both', which is beside it, but .*one.* was loaded under that name",
    ):
        Stack({"it": f"{two}:it"})


def test_the_fingerprint_sees_helpers_and_options_json_cannot_tell_apart(write):
    write("helper_counted.py", "V = 1.0")
    path = write("counted.py", "import helper_counted\ndef it(completion): return helper_counted.V")
    before = Stack({"it": f"{path}:it"}).fingerprint()
    write("helper_counted.py", "V = 0.5")
    assert Stack({"it": f"{path}:it"}).fingerprint() != before

    @reward
    def bounded(completion: str, *, most: float = 0.0) -> float:
        return 1.0

    stacks = [Stack({"it": {"use": bounded, "most": most}}) for most in (math.inf, -math.inf, math.nan, 0.0)]
    assert len({stack.fingerprint() for stack in stacks}) == 4


def test_factories_take_make(write):
    path = write(
        "factory.py",
        """
        def get_limit(limit: int):
            def limited(completions, **kwargs):
                return [float(len(text) <= limit) for text in completions]
            return limited
        """,
    )
    stack = Stack({"limited": {"use": f"{path}:get_limit", "make": {"limit": 2}}})
    assert [score.total for score in stack.score([{"completion": "ab"}, {"completion": "abc"}])] == [1.0, 0.0]
    with pytest.raises(OptionError, match=r"get_limit takes no 'limti' \(did you mean 'limit'\?\)"):
        Stack({"limited": {"use": f"{path}:get_limit", "make": {"limti": 2}}})
