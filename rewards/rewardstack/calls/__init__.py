"""The three ways to call a reward: in the job's thread, on the event loop, in worker processes."""

from rewardstack.calls.base import Caller
from rewardstack.term import Term

__all__ = ["Caller", "caller_for"]


def caller_for(term: Term) -> Caller:
    """Return the way a term is called; asyncio and the worker pool are imported only where they are used."""
    if term.reward.is_async:
        from rewardstack.calls.coroutines import AsyncCaller

        return AsyncCaller(term)
    if term.isolated:
        from rewardstack.calls.isolated import IsolatedCaller

        return IsolatedCaller(term)
    from rewardstack.calls.plain import PlainCaller

    return PlainCaller(term)
