"""Intervals that take losses as independent: normal and t ones of a mean, Wilson's of a share.

Of one test set they are; of K folds Bayle, Bayle, Janson and Mackey (2020) show that a normal
interval holds for the K-fold test error. Those of shares are computed by statsmodels.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

import numpy as np

from pycvstat.errors import IntervalError
from pycvstat.folds import Holdout, KFold
from pycvstat.folds.fits import Scheme
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.legal import on_log_scale
from pycvstat.intervals.limits import Limits, spread, symmetric
from pycvstat.intervals.method import InR, Method, register
from pycvstat.losses import LossTable
from pycvstat.rmath.tolerances import QUANTILES
from pycvstat.types import FloatArray, IntArray

REPEATED = "the losses of one row in several repetitions are dependent"
LAYOUTS: tuple[Scheme, ...] = ("one split", "K-fold", "leave-one-out")


def holdout_z(losses: FloatArray, level: float) -> Limits:
    """mean ± z sd / sqrt(m).

    Examples
    --------
    >>> correct = np.repeat([1.0, 0.0], [51, 18])
    >>> limits = holdout_z(correct, 0.95)
    >>> round(limits.low, 7), round(limits.high, 7)
    (0.6347628, 0.8434981)
    """
    return symmetric(losses.mean(), _std_error(losses), level)


def holdout_t(losses: FloatArray, level: float, log: bool = False) -> Limits:
    """mean ± t_{m-1} sd / sqrt(m), or that of the logarithm of the mean.

    Examples
    --------
    >>> limits = holdout_t(np.array([0.5, 1.0, 4.0, 2.5]), 0.95, log=True)
    >>> round(limits.low, 3), round(limits.high, 3)
    (0.568, 7.037)
    """
    return symmetric(losses.mean(), _std_error(losses), level, float(losses.size - 1), log=log)


def _std_error(losses: FloatArray) -> float:
    sd = spread(losses, "the losses of the test set", "method='wilson' for losses of 0 and 1")
    return float(sd / np.sqrt(losses.size))


HOLDOUT_Z = register(
    Method(
        name="holdout_z",
        title="holdout z",
        target="R",
        formula=lambda table, level: holdout_z(table.losses.ravel(), level),
        layouts=("one split",),
        citation=("schulz2025",),
        folds=Holdout(0.25),
        known=lambda plan: (
            "says nothing about other training sets: with two thirds of the rows for training it "
            "covered the expected risk in 88.5 % of cases at nominal 95 % in the benchmark of "
            "Schulz-Kümpel et al. (2025), whose data and learners are not yours"
        ),
        aliases=("z",),
        r=InR("pcv_ci_holdout_z(x, level)"),
    )
)
HOLDOUT_T = register(
    Method(
        name="holdout_t",
        title="holdout t",
        target="R",
        formula=lambda table, level: holdout_t(
            table.losses.ravel(), level, log=on_log_scale(table)
        ),
        layouts=("one split",),
        citation=("schulz2025",),
        folds=Holdout(0.25),
        rank=1,
        because="there is one split",
        aliases=("holdout",),
        r=InR(
            "pcv_ci_holdout_t(x, level, log = lowest == 0 && is.infinite(highest) && mean(x) > 0)",
            "length(x) - 1",
        ),
    )
)


def all_pairs(losses: FloatArray, level: float) -> Limits:
    """mean ± z sigma / sqrt(n), sigma^2 the mean squared deviation from the mean of all losses.

    Divided by n, not n - 1: Bayle et al. (2020), equation 5.

    Examples
    --------
    >>> round(all_pairs(np.array([1.0, 2.0, 3.0, 4.0]), 0.95).std_error, 6)
    0.559017
    """
    spread(losses, "the losses", "method='wilson' for losses of 0 and 1")
    return symmetric(losses.mean(), losses.std() / np.sqrt(losses.size), level)


def within_fold(losses: FloatArray, offsets: IntArray, level: float) -> Limits:
    """As `all_pairs`, sigma^2 the mean over folds of the variance inside a fold (ddof 1).

    Fold k holds ``losses[offsets[k]:offsets[k + 1]]``.

    Examples
    --------
    >>> limits = within_fold(np.array([1.0, 3.0, 2.0, 4.0]), np.array([0, 2, 4]), 0.95)
    >>> round(limits.std_error, 6)
    0.707107
    """
    folds = np.split(losses, offsets[1:-1])
    small = [k + 1 for k, fold in enumerate(folds) if fold.size < 2]
    if small:
        raise IntervalError(
            "the within-fold variance needs at least 2 test rows in every fold.",
            given=f"one row in {len(small)} folds, first fold {small[0]}",
            fix="method='all_pairs'",
        )
    variance = float(np.mean([fold.var(ddof=1) for fold in folds]))
    inside = np.concatenate([fold - fold.mean() for fold in folds])
    spread(inside, "the losses inside folds", scale=float(np.abs(losses).max()))
    return symmetric(losses.mean(), np.sqrt(variance / losses.size), level)


def _known(plan: FoldPlan) -> str:
    return (
        "about this partition only, for large n; as an interval for the expected risk it is liberal"
    )


def _within(table: LossTable, level: float) -> Limits:
    return within_fold(table.losses.ravel(), table.plan.offsets, level)


ALL_PAIRS = register(
    Method(
        name="all_pairs",
        title="CLT for the K-fold test error, all-pairs variance",
        target="PQ",
        formula=lambda table, level: all_pairs(table.losses.ravel(), level),
        layouts=("K-fold", "leave-one-out"),
        citation=("bayle2020",),
        folds=KFold(10),
        rank=3,
        illegal={"repeated K-fold": REPEATED},
        known=_known,
        aliases=("cv_clt", "clt", "wald_cv"),
        r=InR("pcv_ci_all_pairs(x, level)"),
    )
)
WITHIN_FOLD = register(
    Method(
        name="within_fold",
        title="CLT for the K-fold test error, within-fold variance",
        target="PQ",
        formula=_within,
        layouts=("K-fold",),
        citation=("bayle2020",),
        folds=KFold(10),
        illegal={"repeated K-fold": REPEATED, "leave-one-out": "a fold of one row has no variance"},
        known=_known,
        r=InR("pcv_ci_within_fold(x, fit, level)"),
    )
)


def proportion(errors: float, n: int, level: float, method: Literal["wilson", "beta"]) -> Limits:
    """The interval of a proportion; "beta" is Clopper and Pearson's.

    As in R: ``prop.test(errors, n, correct = FALSE)`` and ``binom.test(errors, n)``.

    Examples
    --------
    >>> limits = proportion(0, 40, 0.95, "wilson")
    >>> round(limits.low, 4), round(limits.high, 4)
    (0.0, 0.0876)
    """
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(errors, n, alpha=1 - level, method=method)
    share = errors / n
    std_error = math.sqrt(share * (1 - share) / n)
    low = float(low) if errors else 0.0  # exactly, without rounding
    high = float(high) if errors < n else 1.0
    return Limits(share, std_error, low, high, math.nan)


def _known_of_shares(plan: FoldPlan) -> str:
    if plan.scheme == "one split":
        return "close to its level for every error rate, unlike the Wald interval"
    return "errors of different folds are dependent: as liberal as the CLT interval"


def _of_shares(table: LossTable, level: float, *, method: Literal["wilson", "beta"]) -> Limits:
    return proportion(round(float(table.losses.sum())), len(table.losses), level, method)


WILSON = register(
    Method(
        name="wilson",
        title="Wilson score interval",
        target="PQ",
        formula=partial(_of_shares, method="wilson"),
        layouts=LAYOUTS,
        citation=("wilson1927", "seabold2010"),
        folds=Holdout(0.25),
        rank=2,
        known=_known_of_shares,
        needs="0-1",
        metrics="none",
        r=InR("pcv_ci_wilson(sum(x), length(x), level)"),
    )
)
CLOPPER_PEARSON = register(
    Method(
        name="clopper_pearson",
        title="Clopper-Pearson interval",
        target="PQ",
        formula=partial(_of_shares, method="beta"),
        layouts=LAYOUTS,
        citation=("clopper1934", "seabold2010"),
        folds=Holdout(0.25),
        known=lambda plan: (
            "never below its level, so wider than Wilson's"
            if plan.scheme == "one split"
            else _known_of_shares(plan)
        ),
        needs="0-1",
        metrics="none",
        aliases=("exact", "beta"),
        r=InR("pcv_ci_clopper_pearson(sum(x), length(x), level)", tolerance=QUANTILES),
    )
)
