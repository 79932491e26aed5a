"""Courses and tutorials on the web, and the tests and vignettes of R packages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import pycvstat as pcv
from pycvstat import r
from pycvstat.data.task import Task
from pycvstat.r.gallery.islr import ALPHA, LINE, MOMENTS, alpha, line
from pycvstat.r.gallery.published import published
from pycvstat.types import FloatArray

UC = (
    "University of Cincinnati: UC Business Analytics R Programming Guide, Resampling Methods",
    "https://uc-r.github.io/resampling_methods",
)
CV = (
    "Fox and Monette: Cross-validating regression models in R, vignette of the package cv",
    "https://gmonette.github.io/cv/articles/cv.html",
)
LABS = (
    "Hvitfeldt: ISLR tidymodels labs, 5",
    "https://emilhvitfeldt.github.io/ISLR-tidymodels-labs/05-resampling-methods.html",
)
STATOLOGY = ("Statology: Leave-One-Out Cross-Validation in R", "https://www.statology.org")
CARET = ("Issue 1193 of the package caret", "https://github.com/topepo/caret/issues/1193")
ORIGAMI = ("Tests of the package origami", "https://github.com/tlverse/origami")


@published(
    "uc-alpha", UC, "the bootstrap, R before 3.6.0: bias, standard error and basic interval",
    "0.002396754 0.08752118 0.3958 0.7376",
    f"""suppressWarnings(RNGversion("3.5.0")){ALPHA}
    set.seed(123)
    found <- boot::boot(Portfolio, alpha, R = 1000)
    limits <- boot::boot.ci(found, type = "basic")$basic[4:5]
    c(mean(found$t) - found$t0, sd(found$t), limits)""",
)  # fmt: skip
def _() -> Iterator[Any]:
    r.RNGversion("3.5.0")
    r.set_seed(123)
    found = r.boot.boot(pcv.data.portfolio(), alpha, 1000)
    yield from (found.t.mean() - found.t0, found.t.std(ddof=1))
    yield r.boot.boot_ci(found, type="basic").basic[0, -2:]


@published(
    "uc-line", UC, "the bootstrap of a regression line, R before 3.6.0: bias and standard error",
    "0.0295956008 0.863541674 -0.0002940364 0.007598619",
    f"""suppressWarnings(RNGversion("3.5.0"))
    {LINE}
    set.seed(123)
    found <- boot::boot(Auto, line, 1000)
    {MOMENTS}""",
)  # fmt: skip
def _() -> Iterator[Any]:
    r.RNGversion("3.5.0")
    r.set_seed(123)
    found = r.boot.boot(pcv.data.auto(), line, 1000)
    for j in (0, 1):
        yield from (found.t[:, j].mean() - found.t0[j], found.t[:, j].std(ddof=1))


@published(
    "uc-parabola", UC,
    "the bootstrap of a parabola, R before 3.6.0: bias and standard error of three coefficients",
    "0.003943212 0.2255528 0.117312678 3.7008952 0.047449584 4.3294215",
    f"""suppressWarnings(RNGversion("3.5.0"))
    parabola <- function(data, rows) {{
      coef(lm(mpg ~ poly(horsepower, 2), data = data, subset = rows))
    }}
    set.seed(1)
    found <- boot::boot(Auto, parabola, 1000)
    {MOMENTS}""",
)  # fmt: skip
def _() -> Iterator[Any]:
    auto = pcv.data.auto()
    X = Task.build("mpg ~ poly(horsepower, 2)", auto).design().X

    def fitted(data: pd.DataFrame, rows: Any) -> FloatArray:
        return np.asarray(np.linalg.lstsq(X[rows], data["mpg"].to_numpy()[rows], rcond=None)[0])

    r.RNGversion("3.5.0")
    r.set_seed(1)
    found = r.boot.boot(auto, fitted, 1000)
    for j in range(3):
        yield from (found.t[:, j].mean() - found.t0[j], found.t[:, j].std(ddof=1))


@published(
    "cv-auto-loo", CV, "leave-one-out of a parabola", "19.248",
    """
    fit <- lm(mpg ~ poly(horsepower, 2), data = Auto)
    mean((residuals(fit) / (1 - hatvalues(fit)))^2)""",
)  # fmt: skip
def _() -> Iterator[Any]:
    auto = pcv.data.auto()
    formula = "mpg ~ poly(horsepower, 2)"
    yield pcv.cross_validate(pcv.OLS(), formula, auto, folds=pcv.LeaveOneOut()).estimate


@published(
    "cv-auto", CV, "10-fold cross-validation of a parabola, and adjusted for bias", "19.433 19.41",
    """
    set.seed(785290)
    order <- sample(392)
    fold <- integer(392)
    fold[order] <- rep(1:10, rep(39, 10) + (1:10 <= 2))
    whole <- lm(mpg ~ poly(horsepower, 2), data = Auto)
    of <- lapply(1:10, function(k) update(whole, data = Auto[fold != k, ]))
    square <- sapply(1:10, function(k) (Auto$mpg - predict(of[[k]], Auto))^2)
    pooled <- mean(square[cbind(1:392, fold)])
    share <- tabulate(fold) / 392
    c(pooled, pooled + mean(residuals(whole)^2) - sum(share * colMeans(square)))""",
)  # fmt: skip
def _() -> Iterator[Any]:
    auto, formula = pcv.data.auto(), "mpg ~ poly(horsepower, 2)"
    folds = pcv.RFolds("cv", 10, seed=785290)
    found = pcv.cross_validate(pcv.OLS(), formula, auto, folds=folds, bias_adjusted=True)
    yield from (found.pooled, found.adjusted)


SPLIT = """
    split <- rsample::initial_split(Auto, strata = mpg, prop = 0.5)
    train <- rsample::training(split)
    test <- rsample::testing(split)
    rmse <- function(formula, new) {
      sqrt(mean((new$mpg - predict(lm(formula, train), new))^2))
    }"""


@published(
    "labs-split", LABS,
    "a stratified split: RMSE of a line on test and training rows, and of a parabola",
    "5.0583165 4.74 4.37",
    f"""
    set.seed(1){SPLIT}
    square <- mpg ~ poly(horsepower, 2)
    c(rmse(mpg ~ horsepower, test), rmse(mpg ~ horsepower, train), rmse(square, test))""",
)  # fmt: skip
def _() -> Iterator[Any]:
    r.set_seed(1)
    split = r.rsample.initial_split(pcv.data.auto(), strata="mpg", prop=0.5)
    train, test = split.training(), split.testing()
    for formula, new in (
        ("mpg ~ horsepower", test),
        ("mpg ~ horsepower", train),
        ("mpg ~ poly(horsepower, 2)", test),
    ):
        predicted = pcv.OLS().fit(formula, train).predict(new)
        yield np.sqrt(((new["mpg"] - predicted) ** 2).mean())


@published(
    "labs-folds", LABS,
    "RMSE of a parabola after another split; 10-fold RMSE of line, parabola and cubic",
    "4.35 4.81 4.37 4.40",
    """
    set.seed(2)
    split <- rsample::initial_split(Auto)
    train <- rsample::training(split)
    test <- rsample::testing(split)
    rmse <- function(degree, train, test) {
      fit <- lm(mpg ~ poly(horsepower, degree), train)
      sqrt(mean((test$mpg - predict(fit, test))^2))
    }
    folds <- rsample::vfold_cv(train, v = 10)$splits
    c(rmse(2, train, test), sapply(1:3, function(degree) {
      mean(sapply(folds, function(s) {
        rmse(degree, rsample::analysis(s), rsample::assessment(s))
      }))
    }))""",
    "the last three are not met in R by the calls that the page shows: what else was drawn before "
    "the folds, the page does not say",
)  # fmt: skip
def _() -> Iterator[Any]:
    r.set_seed(2)
    split = r.rsample.initial_split(pcv.data.auto())
    train, test = split.training(), split.testing()
    predicted = pcv.OLS().fit("mpg ~ poly(horsepower, 2)", train).predict(test)
    yield np.sqrt(((test["mpg"] - predicted) ** 2).mean())
    folds = r.rsample.vfold_cv(train, v=10)
    for degree in (1, 2, 3):
        formula = f"mpg ~ poly(horsepower, {degree})"
        found = pcv.cross_validate(pcv.OLS(), formula, train, folds=folds)
        yield found.metric("rmse", "folds").estimate


@published(
    "statology-loo", STATOLOGY, "leave-one-out in caret: RMSE, R2 and MAE",
    "3.619456 0.6186766 3.146155",
    """
    data <- data.frame(
      y = c(6, 8, 12, 14, 14, 15, 17, 22, 24, 23),
      x1 = c(2, 5, 4, 3, 4, 6, 7, 5, 8, 9),
      x2 = c(14, 12, 12, 13, 7, 8, 7, 4, 6, 5)
    )
    control <- caret::trainControl(method = "LOOCV")
    fit <- caret::train(y ~ x1 + x2, data = data, method = "lm", trControl = control)
    unlist(fit$results[c("RMSE", "Rsquared", "MAE")])""",
)  # fmt: skip
def _() -> Iterator[Any]:
    data = pd.DataFrame({
        "y": [6, 8, 12, 14, 14, 15, 17, 22, 24, 23],
        "x1": [2, 5, 4, 3, 4, 6, 7, 5, 8, 9],
        "x2": [14, 12, 12, 13, 7, 8, 7, 4, 6, 5],
    })  # fmt: skip
    found = pcv.cross_validate(pcv.OLS(), "y ~ x1 + x2", data, folds=pcv.LeaveOneOut())
    for name in ("rmse", "r2_correlation", "mae"):
        yield found.metric(name, "pooled").estimate


@published(
    "caret-1193", CARET, "five folds of createFolds: means of RMSE, R2 and MAE",
    "3.552056 0.7170875 2.999363",
    """
    set.seed(1)
    folds <- caret::createFolds(mtcars$mpg, k = 5)
    rowMeans(sapply(folds, function(test) {
      fit <- lm(mpg ~ ., data = mtcars[-test, ])
      caret::postResample(predict(fit, mtcars[test, ]), mtcars$mpg[test])
    }))""",
)  # fmt: skip
def _() -> Iterator[Any]:
    folds = pcv.RFolds("caret", 5, seed=1)
    found = pcv.cross_validate(pcv.OLS(), "mpg ~ .", pcv.data.mtcars(), folds=folds)
    for name in ("rmse", "r2_correlation", "mae"):
        yield found.metric(name, "folds").estimate


@published(
    "origami-mtcars", ORIGAMI, "10 folds: the mean over rows, and the mean of fold means",
    "14.1114 14.0256",
    """
    set.seed(1)
    fold <- sample(rep(1:10, length.out = 32))
    errors <- lapply(1:10, function(k) {
      fit <- lm(mpg ~ ., data = mtcars[fold != k, ])
      (mtcars$mpg[fold == k] - predict(fit, mtcars[fold == k, ]))^2
    })
    c(mean(unlist(errors)), mean(sapply(errors, mean)))""",
)  # fmt: skip
def _() -> Iterator[Any]:
    folds = pcv.RFolds("origami", 10, seed=1)
    found = pcv.cross_validate(pcv.OLS(), "mpg ~ .", pcv.data.mtcars(), folds=folds)
    yield from (found.pooled, found.estimate)
