"""5x2 cross-validation: Dietterich's t (1998) and Alpaydin's F (1999)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pycvstat import rmath
from pycvstat.folds import FiveByTwo
from pycvstat.intervals.limits import Limits, spread, symmetric
from pycvstat.intervals.method import InR, Method, register
from pycvstat.rmath.tolerances import QUANTILES
from pycvstat.types import FloatArray


def five_by_two_t(p: FloatArray, level: float) -> Limits:
    """p_11 ± t_5 sqrt(mean s_i^2); p is (5, 2), s_i^2 the variance of repetition i (ddof 1).

    The centre is the first of the ten values, as Dietterich defines the test.

    Examples
    --------
    >>> p = np.array([[0.2, 0.1], [0.1, 0.3], [0.0, 0.2], [0.1, 0.1], [0.2, 0.0]])
    >>> limits = five_by_two_t(p, 0.95)
    >>> limits.estimate, round(limits.std_error, 6), limits.df
    (0.2, 0.114018, 5.0)
    """
    variances = _variances(p)
    note = "centred at the first of the ten values, as Dietterich's t is defined"
    return symmetric(
        p[0, 0], math.sqrt(variances.mean()), level, 5.0, (note,), mean=rmath.mean(p.ravel())
    )


def five_by_two_f(p: FloatArray, level: float) -> Limits:
    """The values d for which F = sum (p - d)^2 / (2 sum s_i^2) is below the F(10, 5) quantile.

    Its p value is that of d = 0, Alpaydin's test. Where the ten values differ much more between
    repetitions than within them it rejects every d: then there are no limits.

    Examples
    --------
    >>> p = np.array([[0.2, 0.1], [0.1, 0.3], [0.0, 0.2], [0.1, 0.1], [0.2, 0.0]])
    >>> limits = five_by_two_f(p, 0.95)
    >>> round(limits.details["F"], 6), round(limits.p_value, 6)
    (1.923077, 0.243723)
    """
    from scipy.special import fdtrc, fdtri

    variances, mean = _variances(p), rmath.mean(p.ravel())
    statistic = float((p**2).sum() / (2 * variances.sum()))
    room = fdtri(10, 5, level) * 2 * variances.sum() - ((p - mean) ** 2).sum()
    half, note = math.nan, "all values that Alpaydin's F test does not reject"
    if room >= 0:
        half = math.sqrt(room / 10)
    else:
        note = (
            "no limits: Alpaydin's F test rejects every value, as the repetitions differ much more "
            "than their halves"
        )
    return Limits(
        mean,
        math.nan,
        mean - half,
        mean + half,
        math.nan,
        (note,),
        {"F": statistic},
        float(fdtrc(10, 5, statistic)),
    )


def _variances(p: FloatArray) -> FloatArray:
    gaps = np.append(p[:, 0] - p[:, 1], 0.0)
    spread(gaps, "the two halves of every repetition", scale=float(np.abs(p).max()))
    return np.asarray(p.var(axis=1, ddof=1))


def _on_table(formula: Callable[[FloatArray, float], Limits]) -> Callable[[Any, float], Limits]:
    def on_table(table: Any, level: float) -> Limits:
        return formula(table.fold_means().reshape(5, 2), level)

    return on_table


T = register(
    Method(
        name="five_by_two_t",
        title="5x2 t",
        target="ER",
        centre="own",
        formula=_on_table(five_by_two_t),
        layouts=("5x2",),
        citation=("dietterich1998",),
        folds=FiveByTwo(),
        needs="fold means",
        aliases=("5x2_t", "5x2cv_t", "5x2t"),
        r=InR("pcv_ci_five_by_two_t(matrix(pcv_means(x, fit), 5, byrow = TRUE), level)", "5"),
    )
)

F = register(
    Method(
        name="five_by_two_f",
        title="5x2 F",
        target="ER",
        centre="own",
        formula=_on_table(five_by_two_f),
        layouts=("5x2",),
        citation=("alpaydin1999",),
        folds=FiveByTwo(),
        rank=1,
        needs="fold means",
        aliases=("5x2_f", "5x2cv_f", "5x2f"),
        r=InR(
            "pcv_ci_five_by_two_f(matrix(pcv_means(x, fit), 5, byrow = TRUE), level)",
            test="pcv_five_by_two_f_test(matrix(pcv_means(x, fit), 5, byrow = TRUE))",
            tolerance=QUANTILES,
        ),
    )
)
