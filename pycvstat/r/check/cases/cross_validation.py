"""Cross-validation beside boot, lm on given folds, caret and cv.glmnet."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from pycvstat import data
from pycvstat.folds import LeaveOneOut, RFolds
from pycvstat.learners.base import Learner
from pycvstat.learners.glm import GLM
from pycvstat.learners.ols import OLS
from pycvstat.learners.penalised import Ridge
from pycvstat.procedures.cross_validate import CVResult, cross_validate
from pycvstat.procedures.tune import tune
from pycvstat.r.check.cases.case import Cases, case
from pycvstat.rmath.tolerances import ITERATIVE, LINEAR, Tolerance

LOO: dict[str, tuple[str, str, Learner, Tolerance]] = {
    "mammals": ("log(brain) ~ log(body)", "mammals", OLS(), LINEAR),
    "mtcars mpg ~ wt": ("mpg ~ wt", "mtcars", OLS(), LINEAR),
    "mtcars mpg ~ wt + hp": ("mpg ~ wt + hp", "mtcars", OLS(), LINEAR),
    "mtcars am ~ wt, binomial": ("am ~ wt", "mtcars", GLM("binomial"), ITERATIVE),
}


@cache
def _loo(name: str) -> CVResult:
    formula, frame, learner, _ = LOO[name]
    return cross_validate(
        learner, formula, getattr(data, frame)(), folds=LeaveOneOut(), bias_adjusted=True
    )


@cache
def _lm(formula: str, k: int, seed: int) -> CVResult:
    folds = RFolds("glmnet", k, seed=seed)
    return cross_validate(OLS(), formula, data.mtcars(), folds=folds)


def _by_row(result: CVResult) -> Any:
    return result.table.per_row()[:, 0]


def _loo_part(_: Mapping[str, Any], name: str, attribute: str) -> Any:
    return getattr(_loo(name), attribute)


def _lm_part(_: Mapping[str, Any], read: Any, formula: str, k: int, seed: int) -> Any:
    return read(_lm(formula, k, seed))


def _rmse(_: Mapping[str, Any], k: int, seed: int) -> Any:
    return _lm("mpg ~ wt + hp", k, seed).metric("rmse").estimate


def _r_squared(_: Mapping[str, Any], k: int, seed: int) -> Any:
    return _lm("mpg ~ wt + hp", k, seed).metric("r2_correlation").estimate


def _absolute(_: Mapping[str, Any], k: int, seed: int) -> float:
    folds = RFolds("glmnet", k, seed=seed)
    result = cross_validate(OLS(), "mpg ~ wt + hp", data.mtcars(), folds=folds, loss="absolute")
    return result.estimate


def _ridge(_: Mapping[str, Any], k: int, seed: int) -> Any:
    result = tune(
        Ridge(), "mpg ~ wt + hp + qsec", data.mtcars(), grid={"lam": [3, 1, 0.3, 0.1]},
        folds=RFolds("glmnet", k, seed=seed),
    )  # fmt: skip
    return np.asarray(result.means.pooled())


def cases() -> Cases:
    """Leave-one-out by boot; lm, caret and cv.glmnet on the same folds."""
    found: Cases = {}
    for name, (*_, tolerance) in LOO.items():
        start = f"boot cv.glm leave-one-out, {name}: "
        for part, attribute in (("pooled", "pooled"), ("bias-adjusted", "adjusted")):
            found[start + part] = case(_loo_part, name, attribute, tolerance=tolerance)
    for seed in (1, 2):
        for k in (4, 10):
            found |= _given_folds(k, seed)
    return found


def _given_folds(k: int, seed: int) -> Cases:
    where = f", {k} folds, seed {seed}"
    found: Cases = {}
    for formula in ("mpg ~ wt", "mpg ~ wt + hp + factor(cyl)"):
        parts: Mapping[str, Any] = {
            "losses": _by_row,
            "fold means": lambda r: r.fold_errors,
            "mean of fold means": lambda r: r.estimate,
            "pooled": lambda r: r.pooled,
        }
        for part, read in parts.items():
            found[f"lm {formula}{where}: {part}"] = case(
                _lm_part, read, formula, k, seed, tolerance=LINEAR.of_the_largest()
            )
    others: dict[str, tuple[Any, Tolerance]] = {
        "caret RMSE, mean over folds": (_rmse, LINEAR),
        "caret Rsquared, squared correlation": (_r_squared, LINEAR),
        "caret MAE": (_absolute, LINEAR),
        "cv.glmnet ridge, pooled by lambda": (_ridge, ITERATIVE),
    }
    for name, (value, tolerance) in others.items():
        found[f"{name}{where}"] = case(value, k, seed, tolerance=tolerance)
    return found
