"""Tails: whether a mean of losses rests on errors so large that a sample need not hold them."""

from __future__ import annotations

import math

import numpy as np

from pycvstat.errors import Advice, warn
from pycvstat.intervals.legal import is_zero_one
from pycvstat.losses import LossTable, lighter_than
from pycvstat.types import FloatArray

HEAVY = (3.75, 5.0)
"""The kurtosis of the errors of 100 rows, and of 267 or more, in between on a line. Of 100 normal
errors 5 % of samples have a larger one; the more rows, the more of heavy tails is seen where an
interval fails (four fifths of t errors with 3 degrees of freedom), and the less is a sign of it."""
HEAVY_DIFFERENCES = 30.0
"""Differences of squared normal errors have kurtosis 9 to 15, in samples rarely above 30."""
FEW = 8  # losses below which their kurtosis says nothing


def kurtosis(values: FloatArray, centre: float | None = None) -> float:
    """Fourth moment over squared second, about the mean or a centre (3 for the normal law).

    Examples
    --------
    >>> kurtosis(np.array([-1.0, 1.0, -1.0, 1.0]))
    1.0
    """
    deviations = values - (values.mean() if centre is None else centre)
    largest = np.abs(deviations).max()
    if not 0 < largest < np.inf:
        return float("nan")
    squares = (deviations / largest) ** 2
    return float((squares**2).mean() / squares.mean() ** 2)


def above_normal(value: float, n: int) -> float:
    """A kurtosis of n values as a standard normal score (Anscombe and Glynn 1983).

    Examples
    --------
    >>> round(above_normal(3.75, 100), 2)  # 5 % of normal samples have a larger one
    1.6
    """
    mean, spread = 3 * (n - 1) / (n + 1), 24 * n * (n - 2) * (n - 3) / ((n + 3) * (n + 5))
    skewness = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9))
    skewness *= math.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    freedom = 6 + 8 / skewness * (2 / skewness + math.sqrt(1 + 4 / skewness**2))
    score = (value - mean) * (n + 1) / math.sqrt(spread)
    below = 1 + score * math.sqrt(2 / (freedom - 4))
    root = math.copysign(np.cbrt((1 - 2 / freedom) / abs(below)), below)
    return (1 - 2 / (9 * freedom) - root) / math.sqrt(2 / (9 * freedom))


def errors_of(table: LossTable) -> FloatArray:
    """The loss of every row of the best candidate, averaged over repetitions."""
    best = int(table.estimate().argmin()) if table.losses.shape[1] > 1 else 0
    once = len(table.plan) == 1 or (table.plan.times == 1 and table.plan.is_partition)
    return (table.losses if once else table.tested_rows()[1])[:, best]


def warn_heavy_tails(losses: FloatArray, loss: str, unbounded: bool) -> None:
    """Warn when the errors behind the losses are heavier in their tails than normal ones.

    Losses from 0 without an upper end are taken as squares of errors. Of others (differences) the
    kurtosis itself is read.
    """
    if losses.size < FEW or is_zero_one(losses):
        return
    if unbounded:
        value = kurtosis(np.sqrt(losses), 0.0)
        limit = min(HEAVY[0] + max(losses.size - 100, 0) * 0.0075, HEAVY[1])
        heavy = value > limit and above_normal(value, losses.size) > 1.645
        beside = f"kurtosis {value:.2g} of {losses.size} errors, normal ones have 3"
    else:
        value = kurtosis(losses)  # of n values it cannot exceed n
        heavy = value > min(HEAVY_DIFFERENCES, 0.6 * losses.size)
        beside = f"kurtosis {value:.0f}; those of squared normal errors have 9 to 15"
    if heavy:
        lighter = lighter_than(loss)
        warn(
            f"The losses have heavy tails ({beside}): a sample need not hold the largest, so "
            "intervals for their mean lie too low more often than they say.",
            fix=Advice("{side} gives a bound, {loss} is another quantity with lighter tails",
                       side="upper", loss=lighter)
            if lighter
            else Advice("{side} gives a bound; look at the rows with the largest losses",
                        side="upper"),
        )  # fmt: skip
