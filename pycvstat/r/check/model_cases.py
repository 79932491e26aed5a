"""Cases of the parity suite that fit models or are about packages of R."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from pycvstat import data
from pycvstat.folds import Blocks, LeaveOneOut, Predefined, RFolds
from pycvstat.folds.plan import FoldPlan
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
from pycvstat.r.boot import boot, boot_ci, cv_glm
from pycvstat.r.check.case import Case
from pycvstat.r.class_ import knn, knn1, knn_cv
from pycvstat.r.FNN import knn_reg
from pycvstat.r.rsample import bootstraps, group_vfold_cv, initial_split, mc_cv, vfold_cv
from pycvstat.r.session import apart, rexp, rnorm, runif, sample, sample_int
from pycvstat.rmath.tolerances import EXACT, ITERATIVE, LINEAR, SUMS, Tolerance

LM = (
    "mpg ~ wt", "mpg ~ wt + hp", "mpg ~ .", "mpg ~ wt * hp", "mpg ~ factor(cyl) + wt",
    "mpg ~ factor(cyl) * wt", "mpg ~ poly(wt, 2) + hp", "log(mpg) ~ log(wt) + I(hp^2)",
    "mpg ~ 0 + factor(gear)", "mpg ~ (wt + hp + qsec)^2",
)  # fmt: skip
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


def _loo(learner: Learner, data: Any, formula: str, family: str) -> dict[str, float]:
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
        name, python = f"boot cv.glm leave-one-out, {name}", partial(_loo, learner)
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


COURSE = """{
  errors <- sapply(seq_len(k), function(i) knn_test_error_by_fold(data, i, k, 5, "mpg", 1:8))
  list(errors = errors, mean = mean(errors))
}"""


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


CARS = data.mtcars()
NEAR = CARS[["cyl", "gear", "carb"]].to_numpy()
SIDES = (
    "unlist(lapply({}$splits, function(s) "
    "c(sort(as.integer(s)), sort(as.integer(s, data = 'assessment')))))"
)


def _sides(plan: FoldPlan) -> Any:
    return np.concatenate([np.concatenate(pair) for pair in plan]) + 1


def _cv_glm(degree: int, K: int | None) -> Any:
    fit = GLM().fit(f"mpg ~ poly(hp, {degree})", CARS)
    return cv_glm(CARS, fit, K=K).delta


def _boot(kind: str) -> Any:
    def ratio(d: Any, rows: Any) -> Any:
        return d["mpg"].to_numpy()[rows].mean() / d["wt"].to_numpy()[rows].mean()

    return boot_ci(boot(CARS, ratio, R=499), type=kind).intervals[kind][0, -2:]


def _ten_fold() -> Any:
    return [_cv_glm(degree, 8)[0] for degree in range(1, 6)]


def _validation_set() -> Any:
    rows = sample(32, 16) - 1
    held = np.setdiff1d(np.arange(32), rows)
    fits = (GLM().fit(f"mpg ~ poly(hp, {i})", CARS.iloc[rows]) for i in (1, 2, 3))
    return [np.mean((CARS["mpg"].iloc[held] - fit.predict(CARS.iloc[held])) ** 2) for fit in fits]


def _knn(k: int, use_all: bool) -> Any:
    return knn(NEAR, NEAR[:9], CARS["am"], k=k, use_all=use_all).codes + 1


def _groups(balance: Any) -> Any:
    return _sides(group_vfold_cv(CARS, "carb", v=3, balance=balance))


# name: R code after set.seed, with d for mtcars; the same here; how close
CALLS: dict[str, tuple[str, Callable[[], Any], Tolerance]] = {
    "one stream": (
        "c(runif(2), sample(9), rnorm(3), sample.int(2^31 - 1, 1), rexp(1), sample(5, 3))",
        lambda: np.concatenate(
            [runif(2), sample(9), rnorm(3), sample_int(2**31 - 1, 1), rexp(1), sample(5, 3)]
        ),
        EXACT,
    ),
    "boot cv.glm, leave-one-out": (
        "boot::cv.glm(d, glm(mpg ~ poly(hp, 2), data = d))$delta",
        partial(_cv_glm, 2, None),
        LINEAR,
    ),
    "boot cv.glm, K = 10 changed to 11": (
        "suppressWarnings(boot::cv.glm(d, glm(mpg ~ poly(hp, 1), data = d), K = 10))$delta",
        partial(_cv_glm, 1, 10),
        LINEAR,
    ),
    "boot cv.glm five times on one stream, as ISLR 5.3.3": (
        "sapply(1:5, function(i)"
        " boot::cv.glm(d, glm(mpg ~ poly(hp, i), data = d), K = 8)$delta[1])",
        _ten_fold,
        LINEAR,
    ),
    "a validation set, as ISLR 5.3.1": (
        "{ i <- sample(32, 16); sapply(1:3, function(p) {"
        " fit <- lm(mpg ~ poly(hp, p), data = d, subset = i)"
        "; mean((d$mpg - predict(fit, d))[-i]^2) }) }",
        _validation_set,
        LINEAR,
    ),
    **{
        f"boot boot.ci, {kind}": (
            "unname(tail(boot::boot.ci(boot::boot(d, function(d, i) mean(d$mpg[i]) / mean(d$wt[i]),"
            f" R = 499), type = '{kind}')[[4]][1, ], 2))",
            partial(_boot, kind),
            LINEAR,
        )
        for kind in ("norm", "basic", "perc", "bca")
    },
    **{
        f"class knn, k = {k}, use.all = {words}": (
            f"as.integer(class::knn(x, x[1:9, ], d$am, k = {k}, use.all = {words}))",
            partial(_knn, k, use_all),
            EXACT,
        )
        for k in (1, 4)
        for words, use_all in (("TRUE", True), ("FALSE", False))
    },
    "class knn.cv": (
        "as.integer(class::knn.cv(x, d$am, k = 2))",
        lambda: knn_cv(NEAR, CARS["am"], k=2).codes + 1,
        EXACT,
    ),
    "class knn1": (
        "as.integer(class::knn1(x, x[1:9, ], d$gear))",
        lambda: knn1(NEAR, NEAR[:9], CARS["gear"]).codes + 1,
        EXACT,
    ),
    "FNN knn.reg, leave-one-out": (
        "FNN::knn.reg(d[c('wt', 'qsec')], y = d$mpg, k = 3)$pred",
        lambda: knn_reg(CARS[["wt", "qsec"]], y=CARS["mpg"], k=3).pred,
        SUMS,
    ),
    "rsample vfold_cv, strata": (
        SIDES.format("rsample::vfold_cv(d, v = 4, strata = am, pool = .2)"),
        lambda: _sides(vfold_cv(CARS, v=4, strata="am", pool=0.2)),
        EXACT,
    ),
    "rsample mc_cv": (
        SIDES.format("rsample::mc_cv(d, prop = .7, times = 3)"),
        lambda: _sides(mc_cv(CARS, prop=0.7, times=3)),
        EXACT,
    ),
    "rsample bootstraps": (
        SIDES.format("rsample::bootstraps(d, times = 3)"),
        lambda: _sides(bootstraps(CARS, times=3)),
        EXACT,
    ),
    **{
        f"rsample group_vfold_cv, {balance}": (
            SIDES.format(f"rsample::group_vfold_cv(d, 'carb', 3, balance = '{balance}')"),
            partial(_groups, balance),
            EXACT,
        )
        for balance in ("groups", "observations")
    },
    "rsample initial_split": (
        "rsample::initial_split(d)$in_id",
        lambda: initial_split(CARS).in_id,
        EXACT,
    ),
}
CODE = """{
  x <- as.matrix(d[c("cyl", "gear", "carb")])
  suppressWarnings(set.seed(seed, sample.kind = kind))
  found <- %s
  RNGkind(sample.kind = "Rejection")
  found
}"""


def _after(seed: int, kind: Any, call: Callable[[], Any], **_: Any) -> Any:
    """The call in a session of its own that starts from the seed."""
    with apart(seed, kind):
        return call()


def packages() -> Iterator[Case]:
    """Every function after a seed of courses, by R of today and as it drew before 3.6."""
    for kind, seed in (("Rejection", 17), ("Rejection", 1), ("Rounding", 1)):
        for name, (code, call, close) in CALLS.items():
            yield Case(
                f"{name}, seed {seed}{', before R 3.6' if kind == 'Rounding' else ''}",
                partial(_after, call=call),
                CODE % code,
                {"seed": seed, "kind": kind, "d": CARS},
                close,
                packages=("boot", "class", "FNN", "rsample"),
            )
