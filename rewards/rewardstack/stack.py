"""A stack: rewards composed with weights, routing, gates and schedules, loaded from TOML or built in Python."""

import asyncio
import hashlib
import json
import logging
import math
import threading
import tomllib
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from rewardstack.calls.base import Cancelled
from rewardstack.environment import read_number
from rewardstack.errors import IsolationError, StackError, TooManyErrors, nearest
from rewardstack.files import Source
from rewardstack.registry import registry
from rewardstack.runner import Cancellation, Scored, run_terms
from rewardstack.sample import Batch, Sample
from rewardstack.score import StackScore
from rewardstack.term import Term, make_term
from rewardstack.totals import total_rows
from rewardstack.wording import counted

__all__ = ["Run", "Settings", "Stack"]

errors_logger = logging.getLogger(
    "rewardstack.errors"
)  # apart, so that reports can keep it from repeating them

ERROR_WINDOW = 200
KEPT_ERRORS = 100


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A stack file's top level: everything beside the rewards.

    `prefill` is what the chat template writes at the start of the assistant's turn (often `<think>`); it is put
    before completions that lack it. A run stops when, of the last 200 rows, more than `max_error_share` erred.
    """

    name: str = "stack"
    prefill: str = ""
    max_error_share: float = 0.2


class Run(msgspec.Struct, frozen=True):
    """One scored batch: a `StackScore` a sample, and what each term did (calls, shared rows, seconds)."""

    scores: list[StackScore]
    terms: Scored


class Stack:
    """Rewards composed into one: scores samples offline and is itself a reward function in TRL's convention.

    Args:
        rewards: Terms by name: tables with `use`, the stack's words and the reward's options, as in the TOML file;
            or just a reward's name, or a function.
        name: What logs call it.
        prefill: See `Settings`.
        max_error_share: See `Settings`.
        base: The folder that file rewards are relative to; the current one by default.

    Raises:
        StackError: Or one of its kin, when a term is not what the stack says: unknown rewards, options, words, wrong
            types, a cycle in `requires`.
    """

    def __init__(
        self, rewards: Mapping[str, Any], *, base: Path | str | None = None, **settings: Any
    ) -> None:
        self._prepare(rewards, settings, Path(base) if base is not None else None, {})

    def _prepare(
        self,
        rewards: Mapping[str, Any],
        settings: Mapping[str, Any],
        base: Path | None,
        sources: Mapping[str, Source],
    ) -> None:
        self.settings = read_settings(settings)
        if not rewards:
            raise StackError("a stack needs at least one reward: [rewards.NAME] with a `use`")
        self._rewards = {
            name: data if isinstance(data, Mapping) else {"use": data} for name, data in rewards.items()
        }
        made = {
            name: make_term(name, data, registry(), base, sources.get(name)) for name, data in rewards.items()
        }
        self.terms = sort_terms(made)
        check_gates(made)
        self._recent: deque[bool] = deque(maxlen=ERROR_WINDOW)
        self._told: set[tuple[str, str]] = set()
        self._causes: dict[tuple[str, str], None] = {}  # those told that count, in the order they came
        self._lock = threading.Lock()

    @classmethod
    def load(cls, path: Path | str) -> "Stack":
        """Read a stack from a TOML file; raises `StackError` naming the file and the fault."""
        path = Path(path)
        try:
            data = tomllib.loads(path.read_text("utf-8-sig"))
        except OSError as error:
            raise StackError(f"cannot read the stack {path}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise StackError(f"{path} is not UTF-8 text") from error
        except (
            ValueError,
            RecursionError,
        ) as error:  # TOML's own, numbers too long to read, brackets too deep
            raise StackError(f"{path} is not valid TOML: {error}") from error
        rewards = data.pop("rewards", {})
        if not isinstance(rewards, dict) or not all(isinstance(term, dict) for term in rewards.values()):
            raise StackError(f"{path}: rewards are tables: [rewards.NAME] with a `use`")
        data.setdefault("name", path.stem)
        try:
            read_settings(data)
            return cls(rewards, base=path.parent, **data)
        except StackError as error:
            raise type(error)(f"{path}: {error}") from error

    @property
    def name(self) -> str:
        """What logs call it."""
        return self.settings.name

    @property
    def __name__(self) -> str:
        return self.settings.name

    def __repr__(self) -> str:
        return f"<Stack {self.name!r}: {', '.join(term.name for term in self.terms)}>"

    def columns(self) -> dict[str, bool]:
        """Return the columns its terms read, and whether any of them requires it."""
        read: dict[str, bool] = {}
        for term in self.terms:
            for column, required in term.columns().items():
                read[column] = read.get(column, False) or required
        return read

    def score(self, samples: Iterable[Sample | Mapping[str, Any]], step: int = 0) -> list[StackScore]:
        """Score samples (or plain rows) and return one `StackScore` each, in order.

        `step` is the training step, for scheduled weights. Raises `ColumnError` when a column is missing and
        `RewardError` for terms whose `on_error` is `raise`; all else that goes wrong is in the scores.
        """
        return self.run(samples, step).scores

    def score_one(self, completion: Any, prompt: Any = None, *, step: int = 0, **columns: Any) -> StackScore:
        """Score one completion; `columns` are the data set's (`answer`, ...)."""
        return self.score([Sample(completion, prompt, columns)], step)[0]

    async def ascore(self, samples: Iterable[Sample | Mapping[str, Any]], step: int = 0) -> list[StackScore]:
        """Score samples without blocking the running event loop; see `score`.

        When it is cancelled, calls under way are cancelled or killed; a plain one runs on in its daemon thread.
        """
        batch, cancellation, done = self.batch(samples), Cancellation(), Future[list[StackScore]]()

        def work() -> None:
            try:
                done.set_result(self._run(batch, step, {}, cancellation).scores)
            except Cancelled:  # who awaited it is gone, and asyncio would print an error that nobody looks at
                done.cancel()
            except BaseException as error:  # handed to who awaits it
                done.set_exception(error)

        threading.Thread(target=work, name="rewardstack-ascore", daemon=True).start()
        try:
            return await asyncio.shield(asyncio.wrap_future(done))
        except asyncio.CancelledError:
            cancellation.cancel()
            raise

    def run(
        self,
        samples: Iterable[Sample | Mapping[str, Any]] | Batch,
        step: int = 0,
        trainer: Mapping[str, Any] = {},
    ) -> Run:
        """Score samples and return the scores together with what each term did; see `score`.

        A `Batch` is scored as it is, with its own `prefill`: use `Batch.take` to score a part of the samples.
        `trainer` holds TRL's own arguments, for rewards that ask for them: an adapter's way in.
        """
        batch = samples if isinstance(samples, Batch) else self.batch(samples)
        return self._run(batch, step, trainer)

    def batch(self, samples: Iterable[Sample | Mapping[str, Any]]) -> Batch:
        """Return samples as the columns that `run` takes."""
        return Batch.from_samples(samples, self.settings.prefill)

    def _run(
        self, batch: Batch, step: int, trainer: Mapping[str, Any], cancellation: Cancellation | None = None
    ) -> Run:
        runs = run_terms(self.terms, batch, {"step": step, **trainer}, cancellation)
        weights = [term.weight(step) for term in self.terms]
        scores = total_rows(self.terms, [runs[term.name].scores for term in self.terms], weights, batch.ids)
        self._tell_errors(scores)
        registry().call_each("rewards_batch_scored", stack=self, samples=batch, scores=scores)
        return Run(scores, runs)

    def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        *,
        trainer_state: Any = None,
        log_extra: Any = None,
        log_metric: Any = None,
        environments: Any = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return totals in TRL's convention: one float a completion, `None` where the row is masked.

        Every term's values are logged through `log_metric` and `log_extra` where the trainer hands them in. Raises
        `TooManyErrors` when the share of rows that erred passes `max_error_share` (single process; with several
        ranks the trainer's adapter decides, since all must stop together).
        """
        step = int(getattr(trainer_state, "global_step", 0) or 0)
        given = {"trainer_state": trainer_state, "log_extra": log_extra, "log_metric": log_metric}
        trainer = {
            name: value
            for name, value in {**given, "environments": environments}.items()
            if value is not None
        }
        present = {name: values for name, values in columns.items() if values is not None}
        run = self._run(Batch(prompts, completions, present, prefill=self.settings.prefill), step, trainer)
        self._log(run, log_extra, log_metric)
        with self._lock:
            self._recent.extend(counts_as_error(score) for score in run.scores)
        if read_number("WORLD_SIZE", 1, least=1) == 1:
            self.check_error_share(*self.recent_errors())
        return [score.total for score in run.scores]

    def recent_errors(self) -> tuple[int, int]:
        """Return how many of the last rows scored in training erred, and of how many (200 at most)."""
        with self._lock:
            return sum(self._recent), len(self._recent)

    def check_error_share(self, errors: int, rows: int) -> None:
        """Raise `TooManyErrors` when the errors in some rows are more than `max_error_share` allows.

        Fewer than 200 rows are judged as if the rest of the 200 were sound, so that a few early errors stop nothing.
        """
        if errors > self.settings.max_error_share * max(rows, ERROR_WINDOW):
            causes = "; ".join(f"{name}: {error}" for name, error in list(self._causes)[:3])
            raise TooManyErrors(
                f"stack {self.name!r}: {errors} of the last {counted(rows, 'row')} erred, more than max_error_share = "
                f"{self.settings.max_error_share:g} of {max(rows, ERROR_WINDOW)} rows allows. First causes: {causes}"
            )

    def _log(self, run: Run, log_extra: Any, log_metric: Any) -> None:
        for term in self.terms:
            ran = run.terms[term.name]
            values = [None if score is None else score.value for score in ran.scores]
            if log_extra is not None:
                log_extra(f"{self.name}/{term.name}", values)
            if log_metric is not None:
                for name, value in term_metrics(ran.scores, ran.shared).items():
                    log_metric(f"{self.name}/{term.name}/{name}", value)

    def _tell_errors(self, scores: Sequence[StackScore]) -> None:
        """Log every error once, as far as memory for that goes."""
        for row, score in enumerate(scores):
            for name, each in score.rewards.items():
                if each.error is None or (name, each.error) in self._told or len(self._told) >= KEPT_ERRORS:
                    continue
                self._told.add((name, each.error))
                if not each.timed_out:
                    self._causes[name, each.explained_error] = None
                errors_logger.warning(
                    "stack %r, term %r, row %d (id %r): %s",
                    self.name,
                    name,
                    row,
                    score.id,
                    each.explained_error,
                )

    def fingerprint(self) -> str:
        """Return a hash of what decides its scores: terms, the source of file rewards, versions of distributions.

        Of a module that no distribution owns its file is hashed. What such files import, files named in options and
        edits of an editable install are not seen.
        """
        versions = {term.name: registry().version_of(term.source) for term in self.terms if term.source}
        terms = self.data()
        for term in self.terms:  # where a file lies does not matter, its source does
            if term.source is not None and term.source.text is not None:
                terms[term.name]["use"] = term.source.use.replace("\\", "/").rpartition("/")[2]
        versions["rewardstack"] = f"rewardstack {version('rewardstack')}"
        data = {"settings": msgspec.to_builtins(self.settings), "rewards": terms, "versions": versions}
        text = json.dumps(
            data, sort_keys=True, default=repr
        )  # unlike msgspec's, it tells inf, -inf and nan apart
        return hashlib.sha256(text.encode()).hexdigest()

    def data(self) -> dict[str, Any]:
        """Return its terms as plain data, as they would stand in a TOML file."""
        tables = {term.name: dict(self._rewards[term.name]) for term in self.terms}
        for term in self.terms:
            tables[term.name]["use"] = term.source.use if term.source else term.reward.name
        return tables

    def __getstate__(self) -> dict[str, Any]:
        for term in self.terms:
            if term.source is None:
                raise IsolationError(f"the stack cannot be pickled; {isolation_reason(term)}")
        sources = {term.name: term.source for term in self.terms}
        return {"rewards": self.data(), "settings": msgspec.to_builtins(self.settings), "sources": sources}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._prepare(state["rewards"], state["settings"], None, state["sources"])


def isolation_reason(term: Term) -> str:
    """Return why a term cannot leave this process."""
    try:
        term.recipe()
    except IsolationError as error:
        return str(error)
    return ""


def read_settings(settings: Mapping[str, Any]) -> Settings:
    """Return a stack's settings, checked."""
    for name in settings:
        if name not in Settings.__struct_fields__:
            known = [*Settings.__struct_fields__, "rewards"]
            raise StackError(f"a stack has no {name!r}{nearest(name, known)}. It has: {', '.join(known)}")
    try:
        read = msgspec.convert(dict(settings), Settings, strict=True)
    except msgspec.ValidationError as error:
        raise StackError(f"the stack's settings: {error}") from error
    if not (0 <= read.max_error_share <= 1):
        raise StackError(f"max_error_share must be from 0 to 1, not {read.max_error_share}")
    return read


def sort_terms(terms: Mapping[str, Term]) -> list[Term]:
    """Return terms with gates before the terms that require them, else in their own order where that allows it.

    Raises `StackError` for a gate that is no term and for a cycle.
    """
    for name, term in terms.items():
        for gate in term.words.requires:
            if gate not in terms:
                known = ", ".join(other for other in terms if other != name) or "none"
                raise StackError(
                    f"term {name!r} requires {gate!r}, which is no term of the stack{nearest(gate, terms)}. "
                    f"Others are: {known}"
                )
    try:
        order = TopologicalSorter(
            {name: list(term.words.requires) for name, term in terms.items()}
        ).static_order()
        return [terms[name] for name in order]
    except CycleError as error:
        raise StackError(f"`requires` goes round in a circle: {' -> '.join(error.args[1])}") from error


def check_gates(terms: Mapping[str, Term]) -> None:
    """Raise `StackError` for a gate that can never open, because its reward never gives what is required."""
    for name, term in terms.items():
        for gate, least in term.words.requires.items():
            bounds = terms[gate].words.clip or terms[gate].reward.contract.range
            if bounds is not None and least > bounds[1]:
                raise StackError(
                    f"term {name!r} requires {gate} to reach {least:g}, but {gate} gives {bounds[1]:g} at most"
                )


def counts_as_error(score: StackScore) -> bool:
    """Whether a row counts toward the error share: a term erred, and not by a time-out."""
    return any(each.error is not None and not each.timed_out for each in score.rewards.values())


def term_metrics(scores: Sequence[Any], shared: int) -> dict[str, float]:
    """Return a term's metrics of one batch; the same keys in every batch, `mean` NaN where nothing was scored."""
    values = [score.value for score in scores if score is not None and score.value is not None]
    errors = sum(score is not None and score.error is not None for score in scores)
    abstained = sum(score is not None and score.abstained for score in scores)
    return {
        "mean": math.fsum(values) / len(values) if values else math.nan,
        "errors": float(errors),
        "abstained": float(abstained),
        "shared": float(shared),
    }
