"""What losses must satisfy before an interval is computed from them."""

from __future__ import annotations

import numpy as np

from pycvstat.errors import Advice, IntervalError, warn
from pycvstat.losses import FoldMeans, LossTable, lighter_than
from pycvstat.types import FloatArray

ROUNDING = 1e-13
"""Spread below this share of the largest value is rounding error of the means, not variance."""
HEAVY_KURTOSIS = 30.0
"""Squared normal errors have kurtosis 15; 2 % of their samples of 100 to 500 exceed 30, while
squared t errors with 3 degrees of freedom do so in 55 % (n = 100) to 98 % (n = 500)."""

WITHOUT = (
    "report the estimate without an interval; for errors of 0 and 1 on one partition "
    "method='wilson' has one"
)
SMALLEST = 1e-140
"""Squares of losses that are all smaller lose digits, and at last become 0."""
FEW = 30  # losses below which their kurtosis says nothing


def spread(
    values: FloatArray, what: str, instead: str | None = None, scale: float | None = None
) -> float:
    """The standard deviation (ddof 1); refuses values that do not vary.

    Parameters
    ----------
    values : float64 array
    what : str
        What the values are, for the message.
    instead : str, optional
        What to do about it.
    scale : float, optional
        The size of the numbers that the values are differences of; that of the values otherwise.

    Examples
    --------
    >>> spread(np.array([1.0, 3.0]), "the losses")
    1.4142135623730951
    """
    if values.size < 2:
        raise IntervalError(
            f"{what} must be at least two: one value has no variance.",
            given="one value",
            fix="report the estimate without an interval, or use folds that test more rows",
        )
    size = np.abs(values).max() if scale is None else scale
    if np.ptp(values) <= ROUNDING * size:
        raise IntervalError(
            f"{what} do not vary: an interval of width 0 would be a wrong answer.",
            given=f"{values.size} values, all {values.flat[0]:.6g}",
            fix=instead or WITHOUT,
        )
    return float(values.std(ddof=1))


def check_size(values: FloatArray) -> None:
    """Refuse losses so small that their variance would be computed as 0.

    Examples
    --------
    >>> check_size(np.array([1e-3, 0.0]))
    """
    largest = np.abs(values).max(initial=0.0)
    if 0 < largest < SMALLEST:
        raise IntervalError(
            "the squares of these losses leave the range of numbers.",
            given=f"the largest is {largest:.3g}",
            fix="change the unit of the response",
        )


def kurtosis(values: FloatArray) -> float:
    """Fourth central moment over squared variance (3 for the normal distribution).

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


def is_zero_one(values: FloatArray) -> bool:
    """Whether all losses are 0 or 1.

    Examples
    --------
    >>> is_zero_one(np.array([0.0, 1.0]))
    True
    """
    return bool(np.isin(values, (0.0, 1.0)).all())


def check_finite(table: LossTable | FoldMeans) -> None:
    """Refuse NaN and infinite losses, naming the fits they come from."""
    means = table.fold_means()
    bad = np.flatnonzero(~np.isfinite(means).all(axis=1))
    if bad.size == 0:
        return
    fits = ", ".join(str(i + 1) for i in bad[:10]) + (", ..." if bad.size > 10 else "")
    raise IntervalError(
        f"{bad.size} of {len(means)} fits have losses that are NaN or infinite.",
        given=f"fit {fits}",
        fix="repair these fits; an interval from the others would be about other data",
    )


def warn_heavy_tails(losses: FloatArray, loss: str) -> None:
    """Warn when the kurtosis of the losses says that no interval of means can be trusted.

    Parameters
    ----------
    losses : float64 array
    loss : str
        Their name.
    """
    if losses.size < FEW or is_zero_one(losses):
        return
    value = kurtosis(losses)
    # the kurtosis of n values cannot exceed n
    if value > min(HEAVY_KURTOSIS, 0.6 * losses.size):
        warn(
            f"The losses have heavy tails (kurtosis {value:.0f}; squared normal errors have "
            "15): intervals for their mean cover less often than they say.",
            fix=Advice("{loss} has lighter tails", loss=lighter)
            if (lighter := lighter_than(loss))
            else "look at the rows with the largest losses",
        )
