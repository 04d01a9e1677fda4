"""Read by the type checkers alone (`make types`): `@reward` keeps the type of what it marks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import assert_type

from rewardstack import Sample, Score, Stack, StackScore, reward


@reward
def bare(completion: str, *, limit: int = 200) -> float:
    return 1.0


@reward(range=(-1, 1), timeout=2.0)
def full(completion: str, answer: str) -> Score | None:
    return Score(0.5, reason="half")


@reward
async def awaited(completion: str) -> float:
    return 1.0


@reward(scope="batch")
def batch(completions: Sequence[str], *, solution: Sequence[str]) -> list[float | None]:
    return [1.0 for _ in completions]


@reward
@dataclass
class Close:
    scale: float = 1.0

    def __call__(self, completion: str, answer: str) -> float:
        return self.scale


@reward(isolated=True)
@dataclass
class Far:
    def __call__(self, completion: str) -> Score:
        return Score()


assert_type(bare("a", limit=3), float)
assert_type(full("a", "b"), Score | None)
assert_type(batch(["a"], solution=["b"]), list[float | None])
assert_type(Close(scale=2.0)("a", "b"), float)
assert_type(Far()("a"), Score)
assert_type(Stack({"bare": bare, "close": Close}).score([Sample("a")]), list[StackScore])

kept: Callable[[str, str], Score | None] = full
wrong: Callable[[int], float] = bare  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]


@reward  # type: ignore[type-var]  # pyright: ignore[reportArgumentType, reportCallIssue]
def returns_text(completion: str) -> str:
    return completion
