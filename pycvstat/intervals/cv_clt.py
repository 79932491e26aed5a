"""CLT intervals for the K-fold test error (Bayle, Bayle, Janson and Mackey 2020)."""

from __future__ import annotations

import numpy as np

from pycvstat.errors import IntervalError
from pycvstat.folds import KFold
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.method import InR, Limits, Method, register
from pycvstat.intervals.quantiles import spread, symmetric
from pycvstat.losses import LossTable
from pycvstat.types import FloatArray, IntArray

REPEATED = "the losses of one row in several repetitions are dependent"


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
    return within_fold(table.losses[:, 0], table.plan.offsets, level)


ALL_PAIRS = register(
    Method(
        name="all_pairs",
        title="CLT for the K-fold test error, all-pairs variance",
        target="PQ",
        formula=lambda table, level: all_pairs(table.losses[:, 0], level),
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
