"""The corrected t of the logarithm of the risk: for losses without an upper end."""

from __future__ import annotations

from typing import Any

import numpy as np

from pycvstat import rmath
from pycvstat.errors import Advice, IntervalError
from pycvstat.folds import KFold
from pycvstat.intervals.method import InR, Limits, Method, register
from pycvstat.intervals.nadeau_bengio import small_share
from pycvstat.intervals.quantiles import spread, symmetric
from pycvstat.losses import LossTable
from pycvstat.types import FloatArray


def log_t_limits(
    scores: FloatArray, ratio: float, level: float, notes: tuple[str, ...] = ()
) -> Limits:
    """exp(log mean ± t_{J-1} s sqrt(1 / J + ratio) / mean) for J fold means.

    Parameters
    ----------
    scores : (J,) float64
        One mean loss per fit, positive.
    ratio : float
        What overlapping training sets add, see `overlap`.
    level : float

    Examples
    --------
    >>> limits = log_t_limits(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 1 / 3, 0.95)
    >>> round(limits.low, 3), round(limits.high, 3)
    (1.03, 8.734)
    """
    if scores.size < 2:
        raise IntervalError(
            "a t interval of fold means needs at least two fits: one fold has no variance.",
            given=f"{scores.size} fit",
            fix=Advice("{method} for one split, or {folds}", method="holdout_t", folds=KFold(10)),
        )
    std_error = spread(scores, "the scores of the fits") * np.sqrt(1 / scores.size + ratio)
    mean, df = rmath.mean(scores), float(scores.size - 1)
    details = {"ratio": float(ratio), "fits": scores.size}
    return symmetric(mean, std_error, level, df, notes, log=True, **details)


def instability(table: LossTable) -> float:
    """How much the loss of a row varies between repetitions, as a share of that between rows.

    Training sets of two repetitions differ by a few rows: a learner whose losses hardly change is
    stable.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> plan = FoldPlan.from_fold_ids(np.array([[1, 1], [1, 2], [2, 1], [2, 2]]))
    >>> losses = np.array([1.0, 2.0, 3.0, 4.0, 1.0, 3.0, 2.0, 4.0])
    >>> instability(LossTable(plan, losses[:, None]))
    0.0
    """
    order = np.argsort(table.plan.rows, kind="stable")
    by_row = table.losses[order, 0].reshape(-1, table.plan.times)  # a partition tests rows equally
    between = by_row.var(axis=0, ddof=1).mean()
    return float(by_row.var(axis=1, ddof=1).mean() / between) if between > 0 else 0.0


def overlap(table: Any) -> float:
    """What overlapping training sets add to 1 / J.

    Of a repeated partition n2 / n1, as Nadeau and Bengio have it, times 1 + 4 `instability`; else
    the test rows over the training rows that two fits share, n2 / (n1 - n2), at most 1.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> plan = FoldPlan.from_fold_ids([1, 2, 3, 4, 5])
    >>> round(overlap(LossTable(plan, np.arange(5.0)[:, None])), 4)
    0.3333
    """
    tested, trained = float(table.plan.n_test.sum()), float(table.plan.n_train.sum())
    if table.plan.times > 1 and table.plan.is_partition:
        unstable = instability(table) if isinstance(table, LossTable) else 0.0
        return tested / trained * (1 + 4 * unstable)
    return tested / max(trained - tested, tested)


def _formula(table: Any, level: float) -> Limits:
    notes = small_share(float(table.plan.n_test.sum() / table.plan.n_train.sum()))
    if table.plan.times > 1 and table.plan.is_partition and not isinstance(table, LossTable):
        notes += ("how far repetitions differ row by row was not kept and counts as nothing",)
    return log_t_limits(table.fold_means()[:, 0], overlap(table), level, notes)


METHOD = register(
    Method(
        name="log_t",
        title="log-scale corrected t",
        target="ER",
        formula=_formula,
        layouts=("K-fold", "leave-one-out", "repeated K-fold", "subsampling"),
        citation=("nadeau2003",),
        folds=KFold(10),
        rank=0,
        because="the loss has no upper end: its logarithm is less skewed",
        illegal={"one split": "one fit has no variance between fits"},
        needs="fold means",
        unbounded=True,
        metrics="none",
        grouped=True,
        aliases=("corrected_log_t",),
        r=InR(
            "pcv_ci_log_t(pcv_means(x, fit), pcv_overlap(x, row, times, n_train, n_test), level)",
            "length(unique(fit)) - 1",
        ),
    )
)
