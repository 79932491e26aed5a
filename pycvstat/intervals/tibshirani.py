"""The bias of the minimum CV error (Tibshirani and Tibshirani 2009)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pycvstat import rmath
from pycvstat.folds import KFold
from pycvstat.intervals.limits import Limits
from pycvstat.intervals.method import InR, Method, register
from pycvstat.intervals.nadeau_bengio import corrected_t_limits
from pycvstat.types import FloatArray


def bias_of_the_minimum(errors: FloatArray) -> float:
    """mean_k [e_k(best) - e_k(best_k)] for errors of shape (K, C); first minimum on ties.

    Examples
    --------
    >>> import numpy as np
    >>> bias_of_the_minimum(np.array([[1.0, 2.0], [3.0, 1.0], [1.0, 1.0]]))
    0.3333333333333333
    """
    best = rmath.which_min_mean(errors)
    return float((errors[:, best] - errors.min(axis=1)).mean())


def tibshirani(errors: FloatArray, ratio: float, level: float) -> Limits:
    """The minimum plus its bias, with the corrected t of the terms 2 e_k(best) - e_k(best_k).

    The mean of these terms is the corrected minimum. The paper gives no interval; this one treats
    the terms as the corrected t treats fold errors.

    Examples
    --------
    >>> import numpy as np
    >>> errors = np.array([[1.0, 2.0], [3.0, 1.0], [1.0, 1.0]])
    >>> limits = tibshirani(errors, 0.5, 0.95)
    >>> round(limits.estimate, 6), round(limits.details["bias"], 6)
    (1.666667, 0.333333)
    """
    best = rmath.which_min_mean(errors)
    minimum = rmath.mean(errors[:, best])
    terms = 2 * errors[:, best] - errors.min(axis=1)
    limits = corrected_t_limits(terms, ratio, level)
    bias = bias_of_the_minimum(errors)
    note = f"candidate {best + 1}: minimum {minimum:.6g}, estimated bias {bias:.4g}"
    details = {"chosen": best, "minimum": minimum, "bias": bias}
    return replace(limits, notes=(note,), details=details)


def _formula(table: Any, level: float) -> Limits:
    plan = table.plan
    return tibshirani(table.fold_means(), float(plan.n_test.sum() / plan.n_train.sum()), level)


METHOD = register(
    Method(
        name="tibshirani",
        title="minimum CV error plus its estimated bias",
        target="ER",
        formula=_formula,
        layouts=("K-fold", "repeated K-fold"),
        citation=("tibshirani2009", "nadeau2003"),
        folds=KFold(10),
        rank=5,
        because="the least of several estimates is optimistic, and only fold means were kept",
        illegal={"leave-one-out": "the best candidate of a single row says nothing"},
        known=lambda plan: "the bias is only roughly estimated: nested_cv() is the better answer",
        needs="fold means",
        several=True,
        metrics="none",
        grouped=True,
        aliases=("tibshirani_tibshirani", "tt"),
        r=InR("pcv_ci_tibshirani(pcv_means(x, fit), n_train, n_test, level)"),
    )
)
