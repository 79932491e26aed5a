"""Limits, which formulas give, and what formulas are made of: a spread that is not 0, quantiles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from pycvstat.errors import InputError, IntervalError
from pycvstat.errors.checks import check_word
from pycvstat.types import FloatArray

Side = Literal["both", "upper", "lower"]
ROUNDING = 1e-13
"""Spread below this share of the largest value is rounding error of the means, not variance."""
WITHOUT = (
    "report the estimate without an interval; for errors of 0 and 1 on one partition "
    "method='wilson' has one"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a formula gives.

    Parameters
    ----------
    estimate : float
        The centre that the method uses.
    std_error : float
        NaN where the method has none (Hoeffding, percentiles).
    low, high : float
    df : float
        Degrees of freedom of the t distribution; infinite for the normal one.
    notes : tuple of str
        What the reader should know about this computation.
    details : mapping
        Numbers behind the interval, by name.
    p_value : float, optional
        Of the hypothesis that the mean is 0, where it is not the t or normal one. Limits that are
        NaN beside it are those of an empty set: the test rejects every value.
    log : bool
        Whether the limits are those of the logarithm of the mean.
    heavy : bool
        Whether the losses have heavy tails, which was warned of.

    Examples
    --------
    >>> Limits(0.5, 0.1, 0.3, 0.7).df
    inf
    """

    estimate: float
    std_error: float
    low: float
    high: float
    df: float = np.inf
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    p_value: float | None = None
    log: bool = False
    heavy: bool = False

    @property
    def empty(self) -> bool:
        """Whether the test behind the limits rejects every value."""
        return self.p_value is not None and bool(np.isnan(self.low))


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
    check_word("side", side, get_args(Side))
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


def kept_inside(limits: Limits, lowest: float, highest: float) -> tuple[Limits, bool]:
    """Ends outside the range moved to its ends, with a note; whether one was.

    Infinite ends are those of one side: there the end of the range is meant.

    Examples
    --------
    >>> limits, _ = kept_inside(Limits(0.1, 0.1, -0.1, 0.3), 0.0, 1.0)
    >>> limits.low, limits.notes
    (0.0, ('lower end cut at 0, the smallest possible value (the formula gives -0.1)',))
    """
    low = f"lower end cut at {lowest:g}, the smallest possible value (the formula gives "
    high = f"upper end cut at {highest:g}, the largest possible value (the formula gives "
    cut = [f"{low}{limits.low:.3g})"] if -math.inf < limits.low < lowest else []
    cut += [f"{high}{limits.high:.3g})"] if highest < limits.high < math.inf else []
    low_end, high_end = max(limits.low, lowest), min(limits.high, highest)
    notes = (*limits.notes, "; ".join(cut)) if cut else limits.notes
    return replace(limits, low=low_end, high=high_end, notes=notes), bool(cut)
