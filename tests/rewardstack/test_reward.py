"""A signature says it all: columns, options, forms, contracts."""

import functools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

from rewardstack import Score, reward
from rewardstack.contract import contract_of
from rewardstack.errors import ContractError, OptionError
from rewardstack.results import to_score
from rewardstack.signature import describe


def read(function):
    described = describe(function, "it")
    return described.scope, list(described.columns), list(described.options)


def test_reward_returns_the_function_itself():
    def brief(completion: str) -> float:
        return 1.0

    assert reward(brief) is brief
    assert reward(range=(0, 2))(brief) is brief
    assert brief("a") == 1.0


def test_positional_parameters_are_columns_and_keyword_only_ones_options():
    def function(completion, answer, hint="", *, limit: int = 3, tags: list[str]): ...

    assert read(function) == ("sample", ["completion", "answer", "hint"], ["limit", "tags"])
    described = describe(function, "it")
    assert described.options["tags"].required
    assert not described.options["limit"].required
    assert described.options["limit"].default == 3


def test_a_parameter_named_completions_asks_for_the_batch_form():
    def function(completions, answer, *, solution, limit=3, log_extra=None, **kwargs): ...

    scope, columns, options = read(function)
    assert scope == "batch"
    assert columns == ["completions", "answer", "solution", "limit", "log_extra"]
    assert options == ["limit"]
    assert describe(function, "it").takes_all


def test_the_default_of_a_batch_parameter_makes_it_an_option_too():
    def function(completions, solution, delimiters=None): ...

    described = describe(function, "it")
    assert described.flexible == {"delimiters"}
    assert "delimiters" in described.columns
    assert "delimiters" in described.options


def test_unmarked_callables_that_read_completion_ids_are_in_trls_convention():
    def function(completion_ids, **kwargs): ...

    assert read(function)[0] == "batch"

    @reward
    def marked(completion_ids: list[int]) -> float:
        return 0.0

    assert read(marked)[0] == "sample"


def test_the_fields_of_a_dataclass_are_options_and_calls_parameters_columns():
    @reward(range=(-1, 1))
    @dataclass
    class Close:
        scale: float
        shape: Literal["linear", "log"] = "linear"
        cache: dict[str, int] = field(default_factory=dict, init=False)

        def __call__(self, completion: str, answer: str) -> float:
            return self.scale

    assert read(Close) == ("sample", ["completion", "answer"], ["scale", "shape"])
    assert contract_of(Close).range == (-1.0, 1.0)


def test_what_base_classes_say_of_their_options_is_part_of_a_rewards_docstring():
    @dataclass
    class Base:
        """Shared.

        Options:
            size: How much
                there is.
        """

        size: int = 1

    @dataclass
    class own(Base):
        """First line.

        Options:
            floor: Of what is left.

        Range: 0 to 1.
        """

        floor: float = 0.0

        def __call__(self, completion: str) -> float:
            return 1.0

    @dataclass
    class bare(own):
        """First line.

        Range: 0 to 1.
        """

    options = "    floor: Of what is left.\n    size: How much\n        there is."
    whole = f"First line.\n\nOptions:\n{options}\n\nRange: 0 to 1."
    assert describe(own, "own").doc == whole
    assert describe(bare, "bare").doc == whole


def test_async_is_found_on_functions_dataclasses_and_callable_objects():
    async def function(completion): ...

    @dataclass
    class Judge:
        async def __call__(self, completion): ...

    assert describe(function, "it").is_async
    assert describe(Judge, "it").is_async
    assert describe(Judge(), "it").is_async
    assert describe(functools.partial(function), "it").is_async


def test_partials_and_bound_methods_are_rewards():
    class House:
        def score(self, completion, *, limit=1):
            return limit

    def graded(completion, *, limit):
        return limit

    assert read(House().score) == ("sample", ["completion"], ["limit"])
    assert read(functools.partial(graded, limit=4)) == ("sample", ["completion"], ["limit"])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: reward(lambda *texts: 1.0), "names? each one|says nothing about columns"),
        (
            lambda: reward(range=(1, 1))(lambda completion: 1.0),
            "range must be two finite numbers, low < high",
        ),
        (lambda: reward(range=(0, float("inf")))(lambda completion: 1.0), "range must be two finite numbers"),
        (lambda: reward(timeout=0)(lambda completion: 1.0), "timeout must be a number of seconds above 0"),
        (lambda: reward(type("Bare", (), {"__call__": lambda self, completion: 1.0})), "must be a dataclass"),
        (lambda: describe(3, "it"), "int is not a function or a dataclass"),
    ],
)
def test_what_cannot_be_a_reward_is_refused_with_the_reason(make, message):
    with pytest.raises(ContractError, match=message):
        make()


def test_an_async_reward_cannot_be_isolated():
    with pytest.raises(ContractError, match="cancelled at its timeout instead"):

        @reward(isolated=True)
        async def judged(completion: str) -> float:
            return 1.0


def test_an_option_named_like_a_word_of_the_stack_warns():
    with pytest.warns(UserWarning, match="the option 'weight' is also a word of the stack file"):

        @reward
        def heavy(completion: str, *, weight: int = 1) -> float:
            return 1.0


def limited(
    completion: str, *, limit: int = 3, mode: Literal["strict", "soft"] = "soft", tags: list[str] = ()
):
    return 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limt": 4}, r"it has no option 'limt' \(did you mean 'limit'\?\). Its options: limit, mode, tags"),
        ({"completion": "x"}, "It is a column of that reward"),
        ({"limit": "4"}, r"term 't', limit: expected int, got str \(given: '4'\)"),
        ({"limit": True}, "expected int, got bool"),
        ({"mode": "hard"}, "mode: there is no 'hard'; there are: strict, soft"),
        ({"tags": ["a", 1]}, r"expected str, got int"),
    ],
)
def test_options_are_checked_against_their_annotations(options, message):
    with pytest.raises(OptionError, match=message):
        describe(limited, "it").check_options(options, "term 't'")


def test_a_path_may_be_given_as_text():
    def reads(completion, *, file: Path, files: list[Path] = ()): ...

    described = describe(reads, "it")
    given = {"file": "a/b.json", "files": ["c"]}
    assert described.check_options(given, "t") == {"file": Path("a/b.json"), "files": [Path("c")]}
    assert described.check_options({"file": Path("x")}, "t") == {"file": Path("x")}
    with pytest.raises(OptionError, match="t, file: expected Path, got int"):
        described.check_options({"file": 3}, "t")


def test_options_of_other_classes_are_given_in_python():
    class Engine:
        pass

    def drives(completion, *, engine: Engine): ...

    engine = Engine()
    assert describe(drives, "it").check_options({"engine": engine}, "t") == {"engine": engine}
    with pytest.raises(OptionError, match="t, engine: expected Engine, got str"):
        describe(drives, "it").check_options({"engine": "v8"}, "t")


def test_a_missing_option_is_named_with_its_type():
    def tagged(completion, *, tags: list[str]): ...

    with pytest.raises(OptionError, match=r"it needs the option 'tags' \(list\[str\]\)"):
        describe(tagged, "it").check_options({}, "term 't'")


class Tensor:
    def __float__(self) -> float:
        return 0.5


@pytest.mark.parametrize(
    ("returned", "value"),
    [(1, 1.0), (True, 1.0), (0.25, 0.25), (Score(0.5), 0.5), (Tensor(), 0.5), (1 + 1e-12, 1.0)],
)
def test_numbers_of_all_kinds_become_values(returned, value):
    score = to_score(returned, (0.0, 1.0))
    assert (score.value, score.error) == (value, None)
    assert type(score.value) is float


def test_none_abstains():
    assert to_score(None, (0.0, 1.0)).abstained
    assert to_score(Score(reason="no gold"), (0.0, 1.0)).abstained


@pytest.mark.parametrize(
    ("returned", "error"),
    [
        ("1.0", "returned str '1.0', expected a number, None or a Score"),
        ([1.0], r"returned list \[1.0\], expected a number"),
        (Score("high"), "returned str 'high'"),
        (float("nan"), "returned nan, which is no finite number"),
        (float("inf"), "returned inf, which is no finite number"),
        (2.0, r"returned 2.0, outside its declared range 0 to 1; @reward\(range=\(low, high\)\) declares"),
        (Score(-0.5), "returned -0.5, outside its declared range 0 to 1; @reward"),
        (Score(0.5, error="judge down"), "judge down"),
    ],
)
def test_what_is_no_score_is_an_error_that_says_why(returned, error):
    import re

    score = to_score(returned, (0.0, 1.0))
    assert score.value is None
    assert re.match(error, score.error)


def test_a_function_that_declared_nothing_may_return_any_finite_number():
    assert to_score(-17.5, None).value == -17.5
    assert to_score(float("inf"), None).error == "returned inf, which is no finite number"


def test_a_promise_may_depend_on_the_options():
    @reward(
        range=lambda options: (-1.0, 1.0) if options["risky"] else (0.0, 1.0),
        isolated=lambda options: options["risky"],
        timeout=3.0,
        equal_forms=lambda options: ("case",) if options["loose"] else (),
    )
    def promised(completion: str, *, risky: bool = False, loose: bool = True) -> float:
        return 1.0

    by_default = describe(promised, "it")
    assert (by_default.contract.isolated, by_default.contract.timeout) == (False, None)
    assert by_default.contract.equal_forms == ("case",)
    settled = by_default.settle({"risky": True, "loose": False})
    assert (settled.contract.isolated, settled.contract.timeout) == (True, 3.0)
    assert settled.contract.equal_forms == ()
    assert (by_default.contract.range, settled.contract.range) == ((0.0, 1.0), (-1.0, 1.0))


def test_an_equal_form_that_nobody_knows_is_refused():
    with pytest.raises(ContractError, match=r"no equal form 'cases' \(did you mean 'case'\?\)"):
        reward(equal_forms=["cases"])(lambda completion: 1.0)


def test_options_are_checked_together_when_a_stack_is_loaded():
    def check(options):
        if options["least"] > options["most"]:
            raise ValueError(f"least {options['least']} is more than most {options['most']}")

    @reward(check=check)
    def between(completion: str, *, least: int = 0, most: int = 9) -> float:
        return 1.0

    assert describe(between, "it").check_options({"least": 3}, "term 't'") == {"least": 3}
    with pytest.raises(OptionError, match="term 't': least 10 is more than most 9"):
        describe(between, "it").check_options({"least": 10}, "term 't'")
