"""What a scored batch adds up to: sums that several ranks can add, and the metrics made of them.

Every rank contributes sums of its own rows; metrics are made of the totals over all ranks. So they are the same on
every rank, have the same names in every step, and do not depend on how many ranks share the rows.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from rewardstack.runner import TermRun

__all__ = ["METRICS", "TERM_SUMS", "Moments", "batch_sums", "metrics_of", "term_sums"]

METRICS = ("mean", "std", "errors", "abstained", "timeouts", "shared", "seconds")
"""A term's metrics: mean and standard deviation of its values, then counts of rows, and the slowest rank's time."""

TERM_SUMS = len(METRICS) + 1


class Moments:
    """Count, sum and sum of squares of some numbers; `mean` and `std` are NaN where there are too few."""

    def __init__(self, count: float, total: float, squares: float) -> None:
        self.count, self.total, self.squares = count, total, squares

    @property
    def mean(self) -> float:
        """The mean."""
        return self.total / self.count if self.count else math.nan

    @property
    def std(self) -> float:
        """The sample standard deviation, as TRL logs it."""
        if self.count < 2:
            return math.nan
        return math.sqrt(max(0.0, (self.squares - self.count * self.mean**2) / (self.count - 1)))


def term_sums(run: TermRun) -> list[float]:
    """Return what one rank adds to a term's metrics."""
    scores = [score for score in run.scores if score is not None]
    values = [score.value for score in scores if score.value is not None]
    return [
        float(len(values)),
        math.fsum(values),
        math.fsum(value * value for value in values),
        float(sum(score.error is not None for score in scores)),
        float(sum(score.abstained for score in scores)),
        float(sum(score.timed_out for score in scores)),
        float(run.shared),
        run.seconds,
    ]


def term_metrics(sums: Sequence[float], ranks: int) -> dict[str, float]:
    """Return a term's metrics from the sums over all ranks; `seconds` is the mean of the ranks' times."""
    moments = Moments(*sums[:3])
    return dict(zip(METRICS, (moments.mean, moments.std, *sums[3:7], sums[7] / ranks), strict=True))


def batch_sums(
    totals: Sequence[float | None],
    lengths: Sequence[int] | None,
    cut: Sequence[bool] | None,
    spreads: Iterable[float],
    near: float,
) -> list[float]:
    """Return what one rank adds to the batch's own metrics.

    `lengths` and `cut` say how long completions are and which were cut off, `spreads` how far apart the totals of
    each group lie.
    """
    known = [
        (total, float(lengths[row]) if lengths else 0.0)
        for row, total in enumerate(totals)
        if total is not None
    ]
    spreads = list(spreads)
    return [
        float(len(totals)),
        float(len(totals) - len(known)),
        float(sum(cut)) if cut is not None else math.nan,
        float(len(spreads)),
        float(sum(each == 0.0 for each in spreads)),
        float(sum(0.0 < each < near for each in spreads)),
        *covariance_sums(known if lengths else []),
    ]


def covariance_sums(pairs: Sequence[tuple[float, float]]) -> list[float]:
    """Return the co-moments of (total, length)."""
    return [
        math.fsum(total for total, _ in pairs),
        math.fsum(length for _, length in pairs),
        math.fsum(total * length for total, length in pairs),
        math.fsum(total * total for total, _ in pairs),
        math.fsum(length * length for _, length in pairs),
        float(len(pairs)),
    ]


def correlation(total: float, length: float, both: float, totals2: float, lengths2: float, n: float) -> float:
    """Return the correlation of total and length; NaN where either does not vary."""
    if n < 2:
        return math.nan
    of_totals, of_lengths = totals2 - total**2 / n, lengths2 - length**2 / n
    if of_totals <= 1e-12 * totals2 or of_lengths <= 1e-12 * lengths2:
        return math.nan
    return (both - total * length / n) / math.sqrt(of_totals * of_lengths)


def batch_metrics(sums: Sequence[float]) -> dict[str, float]:
    """Return the batch's metrics: shares of masked and cut-off rows, of tied and nearly tied groups, length."""
    rows, masked, cut, groups, tied, near = sums[:6]
    return {
        "masked": masked / rows if rows else math.nan,
        "truncated": cut / rows if rows else math.nan,
        "tied_groups": tied / groups if groups else math.nan,
        "near_ties": near / groups if groups else math.nan,
        "length_correlation": correlation(*sums[6:12]),
    }


def metrics_of(
    name: str, terms: Mapping[str, Sequence[float]], batch: Sequence[float], ranks: int
) -> dict[str, float]:
    """Return all metrics of a scored batch by their logged names: `stack/term/metric` and `stack/metric`."""
    found = {
        f"{name}/{term}/{metric}": value
        for term, sums in terms.items()
        for metric, value in term_metrics(sums, ranks).items()
    }
    return found | {f"{name}/{metric}": value for metric, value in batch_metrics(batch).items()}
