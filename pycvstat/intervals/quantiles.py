"""Normal and t quantiles and two-sided p values (SciPy's special functions)."""

from __future__ import annotations

import math

from pycvstat.intervals.method import Limits


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
    **details: object,
) -> Limits:
    """The interval estimate ± quantile × standard error."""
    half = quantile(level, df) * std_error
    return Limits(
        float(estimate),
        float(std_error),
        float(estimate - half),
        float(estimate + half),
        df,
        notes,
        details,
    )
