"""Cases of the parity suite that fit models: their tables, cross-validation, nested too."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from pycvstat import data
from pycvstat.folds import Blocks, LeaveOneOut, Predefined, RFolds
from pycvstat.learners.base import Learner
from pycvstat.learners.glm import GLM
from pycvstat.learners.knn import KNN
from pycvstat.learners.multinomial import MNLogit
from pycvstat.learners.ols import OLS, WLS
from pycvstat.learners.penalised import ElasticNet, Ridge
from pycvstat.learners.quantile import QuantReg
from pycvstat.learners.robust import RLM
from pycvstat.procedures.cross_validate import cross_validate
from pycvstat.procedures.nested import nested_cv
from pycvstat.procedures.tune import tune
from pycvstat.r.check.case import Case
from pycvstat.rmath.tolerances import ITERATIVE, LINEAR, SUMS

LM = (
    "mpg ~ wt",
    "mpg ~ wt + hp",
    "mpg ~ .",
    "mpg ~ wt * hp",
    "mpg ~ factor(cyl) + wt",
    "mpg ~ factor(cyl) * wt",
    "mpg ~ poly(wt, 2) + hp",
    "log(mpg) ~ log(wt) + I(hp^2)",
    "mpg ~ 0 + factor(gear)",
    "mpg ~ (wt + hp + qsec)^2",
)
TWO, THREE, FOUR = "mpg ~ wt + hp", "mpg ~ wt + hp + qsec", "mpg ~ wt + hp + qsec + drat"
MODELS: dict[str, tuple[str, Learner]] = {
    **{f"lm {formula}": (formula, OLS()) for formula in LM},
    "glm am ~ wt, binomial": ("am ~ wt", GLM("binomial")),
    "glm carb ~ hp + wt, poisson": ("carb ~ hp + wt", GLM("poisson")),
    "glm mpg ~ wt, Gamma log": ("mpg ~ wt", GLM("gamma", link="log")),
    "glm vs ~ mpg, binomial probit": ("vs ~ mpg", GLM("binomial", link="probit")),
    "glm carb ~ hp + wt, negative binomial": ("carb ~ hp + wt", GLM("negative_binomial")),
    "multinom factor(cyl) ~ qsec": ("factor(cyl) ~ qsec", MNLogit()),
    f"rlm {TWO}": (TWO, RLM()),
    f"rlm {TWO}, bisquare": (TWO, RLM("bisquare")),
    f"lm {TWO}, weights qsec": (TWO, WLS()),
    **{f"rq {TWO}, tau = {tau:g}": (TWO, QuantReg(tau=tau)) for tau in (0.25, 0.5, 0.9)},
    **{
        f"glmnet alpha = {alpha:g}, lambda = {lam:g}": (FOUR, ElasticNet(lam, alpha))
        for alpha in (0.0, 0.5, 1.0)
        for lam in (0.1, 1.0)
    },
}


def models() -> Iterator[Case]:
    """Coefficient tables and fitted values of lm, glm, multinom, rlm, rq and glmnet on mtcars."""
    for name, (formula, learner) in MODELS.items():
        weights = "qsec" if isinstance(learner, WLS) else None
        yield Case(name, partial(learner.fit, formula, data.mtcars(), weights=weights))


LOO: dict[str, tuple[str, str, Learner, str]] = {
    "mammals": ("log(brain) ~ log(body)", "mammals", OLS(), "gaussian"),
    "mtcars mpg ~ wt": ("mpg ~ wt", "mtcars", OLS(), "gaussian"),
    "mtcars mpg ~ wt + hp": (TWO, "mtcars", OLS(), "gaussian"),
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


def _boot(learner: Learner, data: Any, formula: str, family: str) -> dict[str, float]:
    result = cross_validate(learner, formula, data, folds=LeaveOneOut(), bias_adjusted=True)
    return {"pooled": result.pooled, "adjusted": result.adjusted}


def _caret(data: Any, formula: str, ids: Any) -> dict[str, float]:
    given: dict[str, Any] = {"folds": Predefined(ids)}
    squared = cross_validate(OLS(), formula, data, **given)
    return {
        "RMSE": squared.metric("rmse", averaging="folds").estimate,
        "Rsquared": squared.metric("r2_correlation").estimate,
        "MAE": cross_validate(OLS(), formula, data, loss="absolute", **given).estimate,
    }


def _ridge(data: Any, ids: Any, **of_r: Any) -> Any:
    grid = {"lam": of_r["lambda"]}
    return tune(Ridge(), THREE, data, grid=grid, folds=Predefined(ids)).means.pooled()


def cross_validation() -> Iterator[Case]:
    """Leave-one-out by boot; lm, caret and cv.glmnet on the same folds."""
    cars = data.mtcars()
    for name, (formula, frame, learner, family) in LOO.items():
        close = LINEAR if family == "gaussian" else ITERATIVE
        asked = {"data": getattr(data, frame)(), "formula": formula, "family": family}
        name, python = f"boot cv.glm leave-one-out, {name}", partial(_boot, learner)
        yield Case(name, python, BOOT, asked, close, packages=("boot",))
    for seed in (1, 2):
        for k in (4, 10):
            drawn, where = RFolds("glmnet", k, seed=seed), f", {k} folds, seed {seed}"
            for formula in ("mpg ~ wt", "mpg ~ wt + hp + factor(cyl)"):
                fits = partial(cross_validate, OLS(), formula, cars, folds=drawn)
                yield Case(f"lm {formula}{where}", fits)
            asked = {"data": cars, "formula": TWO, "ids": drawn.plan(len(cars)).fold_ids}
            yield Case(f"caret{where}", _caret, CARET, asked, LINEAR, packages=("caret",))
            name = f"cv.glmnet ridge, pooled by lambda{where}"
            asked = {"data": cars, "lambda": [3, 1, 0.3, 0.1], "ids": asked["ids"]}
            yield Case(name, _ridge, GLMNET, asked, ITERATIVE, packages=("glmnet",))


COURSE = """list(
  errors = sapply(seq_len(k), function(i) knn_test_error_by_fold(data, i, k, 5, "mpg", 1:8)),
  mean = knn_test_error(data, k, 5, "mpg", 1:8))"""


def _course(data: Any, k: int) -> dict[str, Any]:
    learner, grid = KNN(kernel="rectangular"), {"k": range(1, 9)}
    result = nested_cv(learner, "mpg ~ .", data, grid=grid, outer=Blocks(k), inner=Blocks(5))
    return {"errors": result.fold_errors, "mean": result.estimate}


def nested() -> Iterator[Case]:
    """Ridge by glmnet in procedures written out in R, and the course's kNN."""
    cars, grid, needs = data.mtcars(), {"lam": [0.1, 1.0, 10.0]}, ("dplyr", "purrr", "tidyr")
    for k in (4, 8):
        folds: dict[str, Any] = {"outer": Blocks(k), "inner": Blocks(4)}
        for formula in (THREE, "mpg ~ ."):
            tuned = partial(nested_cv, Ridge(), formula, cars, grid=grid, **folds)
            yield Case(f"ridge {formula}, {k} x 4", tuned)
        name, asked = f"course kNN, {k} x 5", {"data": cars, "k": k}
        yield Case(name, _course, COURSE, asked, SUMS, packages=needs, files=("lecture.R",))
