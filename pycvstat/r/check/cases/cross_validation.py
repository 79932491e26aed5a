"""Cross-validation beside boot, lm on given folds, caret and cv.glmnet."""

from __future__ import annotations

from functools import partial
from typing import Any

from pycvstat import data
from pycvstat.folds import LeaveOneOut, RFolds
from pycvstat.learners.base import Learner
from pycvstat.learners.glm import GLM
from pycvstat.learners.ols import OLS
from pycvstat.learners.penalised import Ridge
from pycvstat.procedures.cross_validate import cross_validate
from pycvstat.procedures.tune import tune
from pycvstat.r.check.call import Call, call_of
from pycvstat.r.check.cases import Cases, beside
from pycvstat.rmath.tolerances import ITERATIVE, LINEAR

LOO: dict[str, tuple[str, str, Learner, str]] = {
    "mammals": ("log(brain) ~ log(body)", "mammals", OLS(), "gaussian"),
    "mtcars mpg ~ wt": ("mpg ~ wt", "mtcars", OLS(), "gaussian"),
    "mtcars mpg ~ wt + hp": ("mpg ~ wt + hp", "mtcars", OLS(), "gaussian"),
    "mtcars am ~ wt, binomial": ("am ~ wt", "mtcars", GLM("binomial"), "binomial"),
}
BOOT = """{
  delta <- boot::cv.glm(data, glm(as.formula(formula), get(family), data))$delta
  list(pooled = delta[1], adjusted = delta[2])
}"""
CARET = """{
  index <- lapply(unique(sort(ids)), function(k) which(ids != k))
  control <- caret::trainControl(method = "cv", index = index)
  found <- caret::train(as.formula(formula), data, method = "lm", trControl = control)$results
  list(RMSE = found$RMSE, Rsquared = found$Rsquared, MAE = found$MAE)
}"""
GLMNET = """glmnet::cv.glmnet(as.matrix(data[, c("wt", "hp", "qsec")]), data$mpg, alpha = 0,
  lambda = lambda, foldid = ids, thresh = 1e-20, maxit = 1e7, grouped = FALSE)$cvm"""
LAMBDAS = [3, 1, 0.3, 0.1]


def _boot(name: str) -> Call:
    formula, frame, learner, family = LOO[name]
    rows = getattr(data, frame)()
    result = cross_validate(learner, formula, rows, folds=LeaveOneOut(), bias_adjusted=True)
    ours = {"pooled": result.pooled, "adjusted": result.adjusted}
    close = LINEAR if family == "gaussian" else ITERATIVE
    given: dict[str, Any] = {"data": rows, "formula": formula, "family": family}
    return beside(ours, BOOT, close, packages=("boot",), **given)


def _lm(formula: str, folds: RFolds) -> Call:
    return call_of(cross_validate(OLS(), formula, data.mtcars(), folds=folds))


def _caret(formula: str, folds: RFolds) -> Call:
    cars = data.mtcars()
    given: dict[str, Any] = {"folds": folds}
    squared = cross_validate(OLS(), formula, cars, **given)
    ours = {
        "RMSE": squared.metric("rmse").estimate,
        "Rsquared": squared.metric("r2_correlation").estimate,
        "MAE": cross_validate(OLS(), formula, cars, loss="absolute", **given).estimate,
    }
    asked: dict[str, Any] = {"data": cars, "formula": formula, "ids": squared.plan.fold_ids}
    return beside(ours, CARET, LINEAR, packages=("caret",), **asked)


def _ridge(folds: RFolds) -> Call:
    cars = data.mtcars()
    found = tune(Ridge(), "mpg ~ wt + hp + qsec", cars, grid={"lam": LAMBDAS}, folds=folds)
    asked: dict[str, Any] = {"data": cars, "lambda": LAMBDAS, "ids": found.plan.fold_ids}
    return beside(found.means.pooled(), GLMNET, ITERATIVE, packages=("glmnet",), **asked)


def cases() -> Cases:
    """Leave-one-out by boot; lm, caret and cv.glmnet on the same folds."""
    found: Cases = {f"boot cv.glm leave-one-out, {name}": partial(_boot, name) for name in LOO}
    for seed in (1, 2):
        for k in (4, 10):
            folds, where = RFolds("glmnet", k, seed=seed), f", {k} folds, seed {seed}"
            for formula in ("mpg ~ wt", "mpg ~ wt + hp + factor(cyl)"):
                found[f"lm {formula}{where}"] = partial(_lm, formula, folds)
            found[f"caret{where}"] = partial(_caret, "mpg ~ wt + hp", folds)
            found[f"cv.glmnet ridge, pooled by lambda{where}"] = partial(_ridge, folds)
    return found
