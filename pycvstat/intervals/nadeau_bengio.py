"""The corrected resampled t (Nadeau and Bengio 2003; Bouckaert and Frank 2004)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pycvstat import rmath
from pycvstat.errors import IntervalError
from pycvstat.folds import KFold, Repeated
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.checks import spread
from pycvstat.intervals.layouts import layout
from pycvstat.intervals.method import SIMULATED, InR, Limits, Method, register
from pycvstat.intervals.quantiles import symmetric
from pycvstat.types import FloatArray

LARGE_RATIO = 0.3  # test over training size; 5-fold has 0.25


def corrected_t_limits(scores: FloatArray, ratio: float, level: float) -> Limits:
    """mean ± t_{J-1} s sqrt(1 / J + n2 / n1) for J scores of overlapping training sets.

    Parameters
    ----------
    scores : (J,) float64
        One score per fit.
    ratio : float
        Test size over training size, n2 / n1; 1 / (K - 1) for K folds.
    level : float

    Examples
    --------
    >>> limits = corrected_t_limits(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 0.25, 0.95)
    >>> round(limits.std_error, 6), limits.df
    (1.06066, 4.0)
    """
    count = scores.size
    if count < 2:
        raise IntervalError(
            "the corrected t needs at least two fits: one fold has no variance.",
            given=f"{count} fit",
            fix="folds=Repeated(KFold(10), 10); for one split method='holdout_z'",
        )
    sd = spread(scores, "the scores of the fits")
    std_error = sd * np.sqrt(1 / count + ratio)
    notes: tuple[str, ...] = ()
    if ratio > LARGE_RATIO:
        share = 1 / (1 + ratio)
        notes = (f"the correction is meant for training shares of about 0.9, here {share:.2g}",)
    return symmetric(
        rmath.mean(scores),
        std_error,
        level,
        float(count - 1),
        notes,
        ratio=float(ratio),
        fits=count,
    )


def _known(plan: FoldPlan) -> str:
    if layout(plan) in ("K-fold", "leave-one-out"):
        return (
            f"safe but wide on a single K-fold (96 to 98 % coverage at nominal 95 % {SIMULATED}, "
            "91 % with half as many coefficients as rows, 81 % with heavy-tailed losses); "
            "Repeated(KFold(10), 10) is narrower"
        )
    return (
        f"slightly liberal (89 to 96 % coverage at nominal 95 % {SIMULATED}, 85 % with half as "
        "many coefficients as rows, 69 % with heavy-tailed losses); meant for training shares of "
        "about 0.9"
    )


def _formula(table: Any, level: float) -> Limits:
    plan = table.plan
    ratio = float(plan.n_test.sum() / plan.n_train.sum())
    return corrected_t_limits(table.fold_means()[:, 0], ratio, level)


METHOD = register(
    Method(
        name="corrected_t",
        title="corrected resampled t",
        target="ER",
        formula=_formula,
        layouts=("K-fold", "leave-one-out", "repeated K-fold", "subsampling", "5x2"),
        citation=("nadeau2003", "bouckaert2004"),
        folds=Repeated(KFold(10), 10),
        rank=2,
        because="it is about the expected risk and allows for overlapping training sets",
        illegal={"one split": "one fit has no variance between fits"},
        known=_known,
        needs="fold means",
        grouped=True,
        aliases=("nadeau_bengio", "cor_t", "corrected_resampled_t"),
        r=InR(
            "pcv_ci_corrected_t(pcv_means(x, fit), n_train, n_test, level)",
            "length(unique(fit)) - 1",
        ),
    )
)
