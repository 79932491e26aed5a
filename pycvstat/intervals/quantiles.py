"""What formulas are made of: a standard deviation that is not 0, normal and t quantiles."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from pycvstat.errors import InputError, IntervalError
from pycvstat.intervals.method import Limits, Side
from pycvstat.types import FloatArray

ROUNDING = 1e-13
"""Spread below this share of the largest value is rounding error of the means, not variance."""
WITHOUT = (
    "report the estimate without an interval; for errors of 0 and 1 on one partition "
    "method='wilson' has one"
)


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


def quantile(level: float, df: float = math.inf) -> float:
    """The two-sided quantile: of the t distribution, or the normal one when `df` is infinite.

    As in R: ``qt(1 - (1 - level) / 2, df)``, ``qnorm`` when `df` is infinite.

    Examples
    --------
    >>> round(quantile(0.95), 4), round(quantile(0.95, 9), 4)
    (1.96, 2.2622)
    """
    from scipy.special import ndtri, stdtrit

    upper = 1 - (1 - level) / 2
    return float(ndtri(upper) if math.isinf(df) else stdtrit(df, upper))


def two_sided_p(statistic: float, df: float = math.inf) -> float:
    """The two-sided p value of a t (or normal) statistic.

    Examples
    --------
    >>> round(two_sided_p(1.96), 3)
    0.05
    """
    from scipy.special import ndtr, stdtr

    lower = -abs(statistic)
    return float(2 * (ndtr(lower) if math.isinf(df) else stdtr(df, lower)))


def symmetric(
    estimate: float,
    std_error: float,
    level: float,
    df: float = math.inf,
    notes: tuple[str, ...] = (),
    *,
    log: bool = False,
    **details: object,
) -> Limits:
    """The interval estimate ± quantile × standard error; with `log` that of the logarithm.

    The logarithm has the standard error std_error / estimate (delta method); means of losses
    without an upper end are skewed to the right, their logarithms less.

    Examples
    --------
    >>> limits = symmetric(2.0, 0.5, 0.95, log=True)
    >>> round(limits.low, 4), round(limits.high, 4)
    (1.2253, 3.2646)
    """
    half = quantile(level, df) * std_error
    if log:
        factor = math.exp(min(half / estimate, 700.0))  # further, the end is infinite for anyone
        low, high = estimate / factor, estimate * factor
    else:
        low, high = estimate - half, estimate + half
    ends = float(low), float(high)
    return Limits(float(estimate), float(std_error), *ends, df, notes, details, log=log)


def two_sided(level: float, side: Side) -> float:
    """The level of the two-sided interval one of whose ends is a bound of this level.

    Examples
    --------
    >>> round(two_sided(0.95, "upper"), 4)
    0.9
    """
    if side == "both":
        return level
    if level <= 0.5:
        raise InputError("a bound needs a level above 0.5.", given=f"level={level:g}")
    return 2 * level - 1


def one_sided(limits: Limits, side: Side) -> Limits:
    """The limits with one end only; the other is that of the metric's range, or infinite."""
    if side == "both":
        return limits
    if limits.p_value is not None:
        raise IntervalError(
            "this method has no one-sided bound.",
            given="limits of an F test",
            fix="method='five_by_two_t' or 'corrected_t'",
        )
    low, high = (-math.inf, limits.high) if side == "upper" else (limits.low, math.inf)
    return replace(limits, low=low, high=high)
