"""Tails: whether a mean of losses rests on errors so large that a sample need not hold them."""

from __future__ import annotations

import math

import numpy as np

from pycvstat.errors import Advice, warn
from pycvstat.intervals.legal import is_unbounded, is_zero_one
from pycvstat.losses import LossTable, lighter_than
from pycvstat.types import FloatArray

NORMAL = 2 * math.sqrt(2 / math.pi)
"""The mean third power of normal errors over the cube of their root mean square: 1.6."""
LEAST, MOST = 1.76, 2.0
"""The `thickness` of 100 errors, and of 700 or more, that is heavy, in between on a line: the more
rows, the more of heavy tails is seen where an interval fails, and the less is a sign of it."""
MIXED = 2.4
"""The same where errors have several scales, which alone makes tails: of 5 and of 15 nearest
neighbours on a bent surface with normal noise 5 % of samples of 50 to 400 rows have more."""
HEAVY_DIFFERENCES = 30.0
"""Differences of squared normal errors have kurtosis 9 to 15, in samples rarely above 30."""
SEEN = 30
"""Losses of a test set below which heavy tails are rarely seen: of 100 intervals of 25 errors that
lay too low, in 14 (lognormal) and in 8 (t with 3 degrees of freedom)."""
FEW = 8  # losses below which their tails say nothing


def kurtosis(values: FloatArray) -> float:
    """Fourth moment over squared second, about the mean (3 for the normal law).

    Examples
    --------
    >>> kurtosis(np.array([-1.0, 1.0, -1.0, 1.0]))
    1.0
    """
    deviations = values - values.mean()
    largest = np.abs(deviations).max()
    if not 0 < largest < np.inf:
        return float("nan")
    squares = (deviations / largest) ** 2
    return float((squares**2).mean() / squares.mean() ** 2)


def thickness(losses: FloatArray) -> float:
    """The mean third power of errors over the cube of their root mean square, of their squares.

    Of t errors with 3 degrees of freedom whose interval lay too low it was seen in more samples
    than the kurtosis, a tail index (Hill) or the share of the largest loss.

    Examples
    --------
    >>> thickness(np.array([1.0, 1.0, 4.0, 4.0])), round(NORMAL, 3)
    (1.1384199576606167, 1.596)
    """
    largest = losses.max()
    if not 0 < largest < np.inf:
        return float("nan")
    shares = losses / largest
    return float((shares**1.5).mean() / shares.mean() ** 1.5)


def heavy_from(n: int, one_scale: bool = True) -> float:
    """The `thickness` of n errors from which on they count as heavy.

    Up to 100 rows 5 % of samples of normal errors have more; its standard error is 1 / sqrt(n).

    Examples
    --------
    >>> [round(heavy_from(n), 2) for n in (25, 100, 400)]
    [1.87, 1.76, 1.88]
    """
    if not one_scale:
        return MIXED
    rising = min(LEAST + max(n - 100, 0) * (MOST - LEAST) / 600, MOST)
    return max(NORMAL + (1.68 - 7.5 / n) / math.sqrt(n), rising)


def errors_of(table: LossTable) -> FloatArray:
    """The loss of every row of the best candidate, averaged over repetitions."""
    best = int(table.estimate().argmin()) if table.losses.shape[1] > 1 else 0
    once = len(table.plan) == 1 or (table.plan.times == 1 and table.plan.is_partition)
    return (table.losses if once else table.tested_rows()[1])[:, best]


def heavy_tails(table: LossTable) -> str:
    """What is heavy in the errors behind the losses, beside what normal ones have; else empty.

    Losses from 0 without an upper end are taken as squares of errors. Of others (differences) the
    kurtosis itself is read.
    """
    losses = errors_of(table)
    if losses.size < FEW or is_zero_one(losses):
        return ""
    if is_unbounded(table):
        value, one_scale = thickness(losses), table.maker is None or table.maker.one_scale
        heavy = value > heavy_from(losses.size, one_scale)
        beside = f"mean cube of {losses.size} errors {value:.2g}, normal ones have 1.6"
    else:
        value = kurtosis(losses)  # of n values it cannot exceed n
        heavy = value > min(HEAVY_DIFFERENCES, 0.6 * losses.size)
        beside = f"kurtosis {value:.0f}; those of squared normal errors have 9 to 15"
    return beside if heavy else ""


def few_losses(table: LossTable) -> str:
    """What a small test set cannot show."""
    count = table.losses.size
    if count >= SEEN or not is_unbounded(table) or len(table.plan) > 1:
        return ""
    return f"{count} losses rarely show heavy tails of errors, so no warning of them means little"


def warn_heavy_tails(table: LossTable) -> bool:
    """Warn when the errors behind the losses have heavy tails; whether they have."""
    beside, lighter = heavy_tails(table), lighter_than(table.loss)
    if not beside:
        return False
    others = {"loss": lighter} if lighter else {}
    if table.loss == "squared" and table.predictions is not None:
        others["metric"] = "trimmed_mse"
    are = "are other quantities" if len(others) > 1 else "is another quantity"
    rest = "look at the rows with the largest losses"
    if others:
        rest = f"{' and '.join(f'{{{name}}}' for name in others)} {are} with lighter tails"
    warn(
        f"The losses have heavy tails ({beside}): a sample need not hold the largest, so "
        "intervals for their mean lie too low more often than they say.",
        fix=Advice(f"{{side}} gives a bound; {rest}", side="upper", **others),
    )
    return True
