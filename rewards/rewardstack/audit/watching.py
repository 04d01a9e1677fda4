"""Sees whether a reward writes to what it was handed."""

import copy
import inspect
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import msgspec

from rewardstack.sample import freeze
from rewardstack.term import Term

__all__ = ["Change", "watched"]


class Change(msgspec.Struct, frozen=True):
    """An argument that a call changed; `place` is the first item that differs where the argument is a list."""

    argument: str
    place: int
    before: Any
    after: Any


def watched(term: Term, changes: list[Change]) -> Term:
    """Return the term with its function replaced by one that adds to `changes` whatever a call changes.

    For terms that run in this process: workers rebuild the reward and would not see the stand-in.
    """
    function, names = term.function, list(term.reward.columns)

    def call(*arguments: Any, **keywords: Any) -> Any:
        given = dict(zip(names, arguments, strict=False)) | keywords
        before = {name: copied(value) for name, value in given.items()}
        try:
            returned = function(*arguments, **keywords)
        except BaseException:
            changes.extend(compare(before, given))
            raise
        if inspect.isawaitable(returned):
            return finish(returned, before, given)
        changes.extend(compare(before, given))
        return returned

    call.__module__ = getattr(function, "__module__", __name__)  # whose line an error is said to come from

    async def finish(returned: Any, before: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
        try:
            return await returned
        finally:
            changes.extend(compare(before, given))

    return replaced(term, call)


def replaced(term: Term, function: Callable[..., Any]) -> Term:
    """Return a copy of a term that calls another function."""
    twin = copy.copy(term)
    vars(twin)["function"] = function  # where the cached property keeps what it made
    return twin


def copied(value: Any) -> Any:
    """Return a copy to compare with later; of what cannot be copied itself, which then shows no change."""
    try:
        return copy.deepcopy(value)
    except Exception:  # locks, clients, trainer states: no columns, so nothing is promised of them
        return value


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Return the arguments that differ."""
    changes = []
    for name, old in before.items():
        if frozen(old) == frozen(after[name]):
            continue
        changes.append(first_change(name, old, after[name]))
    return changes


def frozen(value: Any) -> Hashable:
    """Return a stand-in to compare by; the same for all values whose equality is not defined (tensors, images)."""
    try:
        return freeze(value)
    except (TypeError, RecursionError):
        return None


def first_change(name: str, old: Any, new: Any) -> Change:
    """Return where two values differ: in a list of equal length its first differing item, else as a whole."""
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, (was, now) in enumerate(zip(old, new, strict=True)):
            if frozen(was) != frozen(now):
                return Change(name, place, was, now)
    return Change(name, 0, old, new)
