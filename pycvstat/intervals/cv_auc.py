"""The influence-curve interval of the cross-validated AUC (LeDell, Petersen, van der Laan 2015)."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from pycvstat import rmath
from pycvstat.errors import Advice, IntervalError
from pycvstat.errors.checks import check_word
from pycvstat.folds import KFold, Stratified
from pycvstat.intervals.limits import Limits, symmetric
from pycvstat.intervals.method import InR, Method, register
from pycvstat.losses import LossTable
from pycvstat.losses.metrics import METRICS as READERS
from pycvstat.losses.of_probabilities import auc
from pycvstat.types import BoolArray, FloatArray, IntArray

Ties = Literal["below", "half"]


def cv_auc(
    positive: BoolArray,
    score: FloatArray,
    offsets: IntArray,
    level: float,
    ties: Ties = "below",
    rows: IntArray | None = None,
) -> Limits:
    """mean fold AUC ± z sqrt(mean over folds of mean(IC^2) / n).

    IC = (n / n_pos) (share of negatives below - AUC) for positives and
    (n / n_neg) (share of positives above - AUC) for negatives; n, n_pos, n_neg count all folds. The
    curves of a row in several partitions are averaged before they are squared.

    Parameters
    ----------
    positive, score : (n,) arrays
        Fold k holds the positions ``offsets[k]`` to ``offsets[k + 1]``.
    offsets : (K + 1,) int64
    level : float
    rows : (n,) int64, optional
        Which row each position is, where there are several partitions.
    ties : {"below", "half"}
        Equal scores of the two classes count nothing in the shares (as in R: cvAUC) or half, as
        they do in the AUC.

    Examples
    --------
    >>> positive = np.array([True, False, True, False, True, False, True, False])
    >>> score = np.array([0.9, 0.2, 0.4, 0.5, 0.8, 0.1, 0.7, 0.3])
    >>> limits = cv_auc(positive, score, np.array([0, 4, 8]), 0.95)
    >>> limits.estimate, round(limits.std_error, 6)
    (0.875, 0.125)
    """
    check_word("ties", ties, get_args(Ties))
    n = positive.size
    weights = n / positive.sum(), n / (n - positive.sum())
    folds = [slice(*ends) for ends in pairwise(offsets)]
    found = [_fold(positive[of], score[of], weights, ties) for of in folds]
    areas = np.array([area for area, _ in found])
    if rows is None:
        std_error = float(np.sqrt(np.mean([(curve**2).mean() for _, curve in found]) / n))
    else:
        shares = [curve / (curve.size * len(found)) for _, curve in found]
        std_error = float(np.sqrt((np.bincount(rows, np.concatenate(shares)) ** 2).sum()))
    if std_error == 0:
        raise IntervalError(
            "every fold separates the classes perfectly: the variance of the AUC is 0.",
            given=f"AUC {areas.mean():g} in every fold",
            fix="larger folds, or method='bootstrap' with another metric",
        )
    return symmetric(rmath.mean(areas), std_error, level)


def _fold(
    positive: BoolArray, score: FloatArray, weights: tuple[float, float], ties: Ties
) -> tuple[float, FloatArray]:
    """The AUC of a fold, and the influence of each of its rows."""
    if positive.all() or not positive.any():
        raise IntervalError(
            "the AUC of a fold needs both classes among its test rows.",
            given=f"a fold of {positive.size} rows of one class",
            fix=Advice("{folds}, or fewer folds", folds=Stratified(10)),
        )
    area = auc(positive, score)
    low, high = np.sort(score[~positive]), np.sort(score[positive])
    below = 1.0 * np.searchsorted(low, score[positive], side="left")
    above = high.size - 1.0 * np.searchsorted(high, score[~positive], side="right")
    if ties == "half":
        below = (below + np.searchsorted(low, score[positive], side="right")) / 2
        above = (above + high.size - np.searchsorted(high, score[~positive], side="left")) / 2
    curve = np.empty(positive.size)
    curve[positive] = weights[0] * (below / low.size - area)
    curve[~positive] = weights[1] * (above / high.size - area)
    return area, curve


def _formula(table: LossTable, level: float, ties: Ties = "below") -> Limits:
    y, score = READERS["auc"].rows(table)
    rows = table.plan.rows if table.plan.times > 1 else None
    return cv_auc(y == 1, score, table.plan.offsets, level, ties, rows)


METHOD = register(
    Method(
        name="cv_auc",
        title="influence curve of the cross-validated AUC",
        target="PQ",
        formula=_formula,
        layouts=("one split", "K-fold", "repeated K-fold"),
        citation=("ledell2015",),
        folds=KFold(10),
        known=lambda plan: "for large folds; as liberal for the expected AUC as the CLT interval",
        needs="predictions",
        metrics="none",
        options=("ties",),
        aliases=("cvauc",),
        r=InR("pcv_ci_cv_auc(y, score, fit, level, half, row)"),
    )
)
