"""Holds every term to what rewards promise: the same score for the same row, in whatever company and form.

Checks run on the reward without its gates, on rows the term was really called on; what it returned is checked on all
rows. Rewards declared as not deterministic are spared the checks that compare scores.
"""

import random
from collections.abc import Callable, Mapping, Sequence

import msgspec

from rewardstack.audit.equalities import rewrite
from rewardstack.audit.forms import form_of, other_form
from rewardstack.audit.trial import Trial, called_rows, choose_rows
from rewardstack.finding import ALL_ERRED, Check, Finding
from rewardstack.results import short
from rewardstack.runner import TermRun
from rewardstack.sample import ABSENT, Sample
from rewardstack.score import Score
from rewardstack.stack import Run, Stack
from rewardstack.term import Term

__all__ = ["DEFAULT_ROWS", "check_contract"]

DEFAULT_ROWS = 32
CALLS_A_ROW = 8  # how often the checks together call a term on one row
BUDGET_SECONDS = 30.0  # what a term's checks may take, unless a number of rows is asked for
FEWEST_ROWS = 2
UNUSED = "rewardstack_unused_column"
RAW_COLUMNS = frozenset({"prompts", "completions"})

Outcome = tuple[int, tuple[Finding, ...], str]
"""The rows tried, what was found, and a note."""


def check_contract(
    stack: Stack,
    run: Run,
    samples: Sequence[Sample],
    places: Sequence[str],
    *,
    rows: int | None = None,
    step: int = 0,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Check]:
    """Return the checks of every term, in the stack's order.

    Args:
        stack: The stack that was run.
        run: What it made of the samples.
        samples: The samples.
        places: What to call each row.
        rows: How many rows each term is tried on; by default 32, fewer for terms so slow that it would take more
            than about half a minute.
        step: The training step that was scored at.
        tell: Is called with every term's name before its checks.
    """
    checks: list[Check] = []
    columns = dict.fromkeys((name for sample in samples for name in sample.columns), ABSENT)
    # a column of other rows alone is absent, also where a row stands by itself; it is not unheard-of
    known = [msgspec.structs.replace(sample, columns={**columns, **sample.columns}) for sample in samples]
    for term in stack.terms:
        tell(term.name)
        checks += check_term(stack, term, run, known, places, rows, step)
    return checks


def check_term(
    stack: Stack, term: Term, run: Run, samples: Sequence[Sample], places: Sequence[str],
    most: int | None, step: int,
) -> list[Check]:  # fmt: skip
    """Return the checks of one term."""
    called = called_rows(term, run.terms)
    returned = check_returned(term, run.terms[term.name], called, places)
    wanted = affordable(run.terms[term.name]) if most is None else most
    chosen = choose_rows(term, samples, called, wanted)
    if not chosen:
        skipped = [Check(term.name, name, 0, note="it was called on no row") for name in CHECKS]
        return [*skipped, *returned]
    trial = Trial(
        term, [samples[row] for row in chosen], [places[row] for row in chosen],
        prefill=stack.settings.prefill, step=step,
    )  # fmt: skip
    if all(score is not None and score.error is not None for score in trial.base):
        return [*check_refusal(trial), *returned]
    return [*try_all(trial), *returned]


def affordable(run: TermRun) -> int:
    """Return how many rows can be tried within the budget, going by what a call took."""
    seconds = sum(score.seconds for score in run.scores if score is not None) / max(1, run.calls)
    return max(FEWEST_ROWS, min(DEFAULT_ROWS, int(BUDGET_SECONDS / CALLS_A_ROW / max(seconds, 1e-9))))


def try_all(trial: Trial) -> list[Check]:
    """Return every check of a term; one that does not score the same twice is not compared any further."""
    checks: list[Check] = []
    excuse = "" if trial.term.reward.contract.deterministic else "declared as not deterministic"
    for name, (compares, check) in CHECKS.items():
        outcome = (0, (), excuse) if compares and excuse else check(trial)
        checks.append(Check(trial.term.name, name, *outcome))
        if name == SAME_TWICE and checks[-1].findings:
            excuse = "it does not score the same twice"
    return checks


def check_refusal(trial: Trial) -> list[Check]:
    """Return the checks of a term that erred on every row: none, but perhaps a word on the form it wants."""
    checks = [Check(trial.term.name, name, 0, note=ALL_ERRED) for name in CHECKS]
    rows, _, note = check_forms(trial)
    if note and rows:
        place = list(CHECKS).index(SAME_FORMS)
        checks[place] = Check(trial.term.name, SAME_FORMS, rows, note=note)
    return checks


def check_twice(trial: Trial) -> Outcome:
    """Score the same batch again."""
    again = dict(enumerate(trial.run(trial.samples)))
    found = trial.differences(again, "gave {first}, then {second} for the same row")
    note = "a reward that is meant to vary says so: @reward(deterministic=False)" if found else ""
    return len(again), found, note


def check_alone(trial: Trial) -> Outcome:
    """Score every row (every group) by itself."""
    if trial.looks_around:
        return 0, (), "declared to score a batch as a whole"
    count = len(trial.samples)
    return (
        count,
        trial.differences(trial.apart, f"gave {{first}} in a batch of {count}, {{second}} alone"),
        "",
    )


def check_permuted(trial: Trial) -> Outcome:
    """Score the rows in another order."""
    order = list(range(len(trial.samples)))
    random.Random(0).shuffle(order)  # noqa: S311 - the same order every time is what is wanted
    if order == sorted(order):
        order.reverse()
    scores = trial.run([trial.samples[row] for row in order])
    moved = dict(sorted(zip(order, scores, strict=True)))
    return len(order), trial.differences(moved, "gave {first}, and {second} in a permuted batch"), ""


def check_duplicates(trial: Trial) -> Outcome:
    """Score every row twice in one batch: each still needs its own value."""
    if trial.term.reward.scope == "sample":
        return 0, (), "it is called row by row"
    scores = trial.run([*trial.samples, *trial.samples])
    wrong = [score.error for score in scores if score is not None and score.fault == "length"]
    findings = tuple(Finding(trial.places[0], f"{error}, each of which stood twice") for error in wrong[:1])
    return len(trial.samples), findings, ""


def check_forms(trial: Trial) -> Outcome:
    """Score text as chat messages, and chat messages as text."""
    turned = {row: new for row, sample in enumerate(trial.samples) if (new := other_form(sample))}
    if not turned:
        return 0, (), "no row can be written in the other form"
    scores = dict(zip(turned, trial.run(list(turned.values())), strict=True))
    row, sample = next(iter(turned.items()))
    given, other = form_of(trial.samples[row]), form_of(sample)
    refuses = [all_erred([trial.base[row] for row in scores]), all_erred(list(scores.values()))]
    raw = RAW_COLUMNS & trial.term.reward.columns.keys() or trial.term.reward.takes_all
    if refuses == [True, False]:
        hint = "; `--chat` hands text over as chat messages" if given == "text" else ""
        return len(turned), (), f"it refuses {given}, and takes {other}{hint}"
    if refuses == [False, True] and raw:
        first = next(score for score in scores.values() if score is not None)
        return len(turned), (), f"reads raw completions, and refuses {other}: {first.error}"
    phrase = f"gave {{first}} for {given}, {{second}} for the same as {other}"
    if len(turned) < len(trial.samples) and trial.term.reward.scope != "sample":
        rerun = trial.run(
            [trial.samples[row] for row in turned]
        )  # what scores rows together must see the same rows
        trial = with_base(trial, dict(zip(turned, rerun, strict=True)))
    return len(turned), trial.differences(scores, phrase), ""


def with_base(trial: Trial, scores: Mapping[int, Score | None]) -> Trial:
    """Return a trial whose first scores are others."""
    twin = object.__new__(Trial)
    vars(twin).update(vars(trial), base=[scores.get(row) for row in range(len(trial.samples))])
    return twin


def check_unused(trial: Trial) -> Outcome:
    """Score with a column that the reward does not name."""
    samples = [
        msgspec.structs.replace(sample, columns={**sample.columns, UNUSED: f"nothing {row}"})
        for row, sample in enumerate(trial.samples)
    ]
    phrase = "gave {first}, and {second} once the samples had a column that it does not name"
    return len(samples), trial.differences(dict(enumerate(trial.run(samples))), phrase), ""


def check_equal_forms(trial: Trial) -> Outcome:
    """Score with the gold answer written in every other form that the reward promises to count as equal."""
    forms, column = trial.term.reward.contract.equal_forms, trial.term.inputs.get("answer")
    if not forms or column is None:
        return 0, (), "it promises none"
    rows, findings = set[int](), list[Finding]()
    for form in forms:
        turned = {
            row: msgspec.structs.replace(sample, columns={**sample.columns, column: written})
            for row, sample in enumerate(trial.samples)
            if (written := rewrite(sample.columns.get(column), form)) is not None
        }
        scores = dict(zip(turned, trial.run(list(turned.values())), strict=True))
        phrase = f"gave {{first}}, and {{second}} for the answer in another form ({form})"
        findings += trial.differences(scores, phrase)
        rows |= turned.keys()
    return len(rows), tuple(findings), "" if rows else "no answer can be written in another form"


def check_inputs(trial: Trial) -> Outcome:
    """Look whether calls changed what they were handed."""
    if trial.term.isolated:
        return 0, (), "it runs in a worker process, on copies"
    if not trial.looks_around:
        trial.apart  # noqa: B018 - scores every row under watch, if that was not done yet
    findings = []
    for row, change in sorted(trial.changes.items()):
        before, after = short(change.before), short(change.after)
        message = f"changed its argument {change.argument!r}: {before} became {after}"
        findings.append(Finding(trial.places[row], message, before, after))
    return len(trial.samples), tuple(findings), ""


SAME_TWICE = "same twice"
SAME_FORMS = "text equals chat messages"
CHECKS: dict[str, tuple[bool, Callable[[Trial], Outcome]]] = {
    SAME_TWICE: (True, check_twice),
    "alone equals in batch": (True, check_alone),
    "permuted batch, permuted scores": (True, check_permuted),
    "duplicates keep the length": (False, check_duplicates),
    SAME_FORMS: (True, check_forms),
    "unused columns change nothing": (True, check_unused),
    "equal forms of the answer": (True, check_equal_forms),
    "inputs not changed": (False, check_inputs),
}
"""Every check that calls the reward, and whether it compares scores."""

RETURNED = {
    "returns numbers": "type",
    "one value a row": "length",
    "finite": "finite",
    "in the declared range": "range",
}
"""Every check of what came back, and the fault it looks for (`Score.fault`)."""


def check_returned(term: Term, run: TermRun, rows: Sequence[int], places: Sequence[str]) -> list[Check]:
    """Return the checks of what a term returned, over all rows where a call came back."""
    called, rows = rows, [row for row in rows if came_back(run.scores[row])]
    if called and not rows:
        return [Check(term.name, name, 0, note=ALL_ERRED) for name in RETURNED]
    checks = []
    for name, fault in RETURNED.items():
        found: dict[str, list[int]] = {}
        for row in rows:
            score = run.scores[row]
            if score is not None and score.fault == fault:
                found.setdefault(score.error or "", []).append(row)
        findings = tuple(Finding(places[where[0]], error, rows=len(where)) for error, where in found.items())
        checks.append(Check(term.name, name, len(rows), findings))
    if term.reward.contract.range is None:
        checks[-1] = Check(term.name, checks[-1].name, 0, note="it declares no range")
    return checks


def came_back(score: Score | None) -> bool:
    """Whether a call returned something, be it of the wrong kind."""
    return score is not None and (score.error is None or score.fault in RETURNED.values())


def all_erred(scores: Sequence[Score | None]) -> bool:
    """Whether every score is an error."""
    return all(score is not None and score.error is not None for score in scores)
