"""An Introduction to Statistical Learning (James, Witten, Hastie and Tibshirani): its labs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import pycvstat as pcv
from pycvstat import r
from pycvstat.r.gallery.published import published
from pycvstat.types import FloatArray

FIRST = "James, Witten, Hastie, Tibshirani: An Introduction to Statistical Learning (2013)"
SECOND = FIRST.replace("(2013)", "2nd ed. (2021)")
LAB = "https://www.karlin.mff.cuni.cz/~pesta/NMFM334/StatLearning/Book2nd/Rmarkdown_Notebooks/"
GHENT = "https://sandbox.dodona.be/en/activities/"
OLD = "https://rstudio-pubs-static.s3.amazonaws.com/160599_907e4dbc33874a53a8fcba2ea99460ab.html"

HALVES = """
    half <- function(seed) {
      set.seed(seed)
      train <- sample(392, 196)
      sapply(1:3, function(d) {
        fit <- lm(mpg ~ poly(horsepower, d), data = Auto, subset = train)
        mean((Auto$mpg - predict(fit, Auto))[-train]^2)
      })
    }
    c(half(1), half(2))"""


def halves() -> Iterator[float]:
    """Test errors of polynomials fitted to one half, for two seeds."""
    auto = pcv.data.auto()
    for seed in (1, 2):
        r.set_seed(seed)
        train = r.sample(392, 196) - 1
        test = auto.drop(index=train.tolist())
        for degree in (1, 2, 3):
            fit = pcv.OLS().fit(f"mpg ~ poly(horsepower, {degree})", auto.iloc[train])
            yield float(((test["mpg"] - fit.predict(test)) ** 2).mean())


@published(
    "islr1-5.3.1", (f"{FIRST}, 5.3.1", OLD), "the validation set approach, R before 3.6.0",
    "26.14142 19.82259 19.78252 23.29559 18.90124 19.2574",
    f'suppressWarnings(RNGversion("3.5.0")){HALVES}',
)  # fmt: skip
def _() -> Iterator[Any]:
    r.RNGversion("3.5.0")
    yield from halves()


@published(
    "islr-5.3.1", (f"{SECOND}, 5.3.1", f"{LAB}Ch5-resample-lab.html"),
    "the validation set approach",
    "23.26601 18.71646 18.79401 25.72651 20.43036 20.38533", HALVES,
)  # fmt: skip
def _() -> Iterator[Any]:
    yield from halves()


@published(
    "islr-5.3.2", (f"{SECOND}, 5.3.2", f"{LAB}Ch5-resample-lab.html"), "leave-one-out",
    "24.23151 24.23114 24.23151 19.24821 19.33498 19.42443 19.03321",
    """
    errors <- lapply(1:5, function(d) {
      fit <- glm(mpg ~ poly(horsepower, d), data = Auto)
      boot::cv.glm(Auto, fit)$delta
    })
    c(errors[[1]], sapply(errors, `[`, 1))""",
)  # fmt: skip
def _() -> Iterator[Any]:
    auto = pcv.data.auto()
    fits = [pcv.OLS().fit(f"mpg ~ poly(horsepower, {d})", auto) for d in range(1, 6)]
    deltas = [r.boot.cv_glm(auto, fit).delta for fit in fits]
    yield deltas[0]
    yield from (delta[0] for delta in deltas)


@published(
    "islr-5.3.3", (f"{SECOND}, 5.3.3", f"{GHENT}476365527/description/NwjJ2enJKbRrxBjm/"),
    "10-fold cross-validation of ten polynomials on one stream",
    "24.27207 19.26909 19.34805 19.29496 19.03198 18.89781 19.12061 19.14666 18.87013 20.95520",
    """
    set.seed(17)
    sapply(1:10, function(d) {
      fit <- glm(mpg ~ poly(horsepower, d), data = Auto)
      boot::cv.glm(Auto, fit, K = 10)$delta[1]
    })""",
)  # fmt: skip
def _() -> Iterator[Any]:
    auto = pcv.data.auto()
    r.set_seed(17)
    for degree in range(1, 11):
        fit = pcv.OLS().fit(f"mpg ~ poly(horsepower, {degree})", auto)
        yield r.boot.cv_glm(auto, fit, K=10).delta[0]


def alpha(data: pd.DataFrame, rows: Any) -> FloatArray:
    """The share of the first asset that minimises the variance."""
    (x, both), (_, y) = np.cov(data.to_numpy()[rows].T)
    return np.array([(y - both) / (x + y - 2 * both)])


ALPHA = """
    alpha <- function(data, rows) {
      v <- var(data[rows, ])
      (v[2, 2] - v[1, 2]) / (v[1, 1] + v[2, 2] - 2 * v[1, 2])
    }"""


@published(
    "islr-5.3.4-alpha", (f"{SECOND}, 5.3.4", "https://github.com/jbennett7/StatisticalLearning"),
    "the bootstrap: the estimate, its bias and its standard error",
    "0.5758321 0.0007959475 0.08969074",
    f"""{ALPHA}
    set.seed(7)
    once <- alpha(Portfolio, sample(100, 100, replace = TRUE))
    found <- boot::boot(Portfolio, alpha, R = 1000)
    c(found$t0, mean(found$t) - found$t0, sd(found$t))""",
)  # fmt: skip
def _() -> Iterator[Any]:
    portfolio = pcv.data.portfolio()
    r.set_seed(7)
    alpha(portfolio, r.sample(100, 100, replace=True) - 1)  # the lab draws once before
    found = r.boot.boot(portfolio, alpha, 1000)
    yield from (found.t0, found.t.mean() - found.t0, found.t.std(ddof=1))


def line(data: pd.DataFrame, rows: Any) -> FloatArray:
    """Intercept and slope of mpg on horsepower in a resample."""
    x, y = data[["horsepower", "mpg"]].to_numpy(dtype=float)[rows].T
    slope = np.cov(x, y)[0, 1] / x.var(ddof=1)
    return np.array([y.mean() - slope * x.mean(), slope])


LINE = "line <- function(data, rows) coef(lm(mpg ~ horsepower, data = data, subset = rows))"
MOMENTS = "c(rbind(colMeans(found$t) - found$t0, apply(found$t, 2, sd)))"


@published(
    "islr-5.3.4-line", (f"{SECOND}, 5.3.4", f"{GHENT}671059764/description/k8BZaWjHW7NcYbmR/"),
    "the bootstrap of a regression line: bias and standard error of both coefficients",
    "0.0544513229 0.841289790 -0.0006170901 0.007343073",
    f"""
    {LINE}
    set.seed(1)
    for (i in 1:2) line(Auto, sample(392, 392, replace = TRUE))
    found <- boot::boot(Auto, line, 1000)
    {MOMENTS}""",
)  # fmt: skip
def _() -> Iterator[Any]:
    auto = pcv.data.auto()
    r.set_seed(1)
    for _ in range(2):  # the lab resamples twice by hand before
        line(auto, r.sample(392, 392, replace=True) - 1)
    found = r.boot.boot(auto, line, 1000)
    for j in (0, 1):
        yield from (found.t[:, j].mean() - found.t0[j], found.t[:, j].std(ddof=1))


@published(
    "islr-4.7.6", (f"{SECOND}, 4.7.6", f"{GHENT}1449084860/description/CYXTaUykFHa-w_m5/"),
    "neighbours whose ties are broken at random: tables for k = 1 and 3, and the accuracy",
    "43 68 58 83 48 63 54 87 0.5357143",
    """
    set.seed(1)
    train <- Smarket$Year < 2005
    x <- cbind(Smarket$Lag1, Smarket$Lag2)
    tables <- lapply(c(1, 3), function(k) {
      found <- class::knn(x[train, ], x[!train, ], Smarket$Direction[train], k = k)
      table(found, Smarket$Direction[!train])
    })
    c(unlist(tables), sum(diag(tables[[2]])) / sum(tables[[2]]))""",
)  # fmt: skip
def _() -> Iterator[Any]:
    smarket = pcv.data.smarket()
    train = smarket["Year"] < 2005
    x, y = smarket[["Lag1", "Lag2"]], smarket["Direction"]
    r.set_seed(1)
    for k in (1, 3):
        found = r.class_.knn(x[train].to_numpy(), x[~train].to_numpy(), y[train].to_numpy(), k=k)
        told = pd.Series(np.asarray(found), index=y[~train].index)
        yield pd.crosstab(told, y[~train]).to_numpy().T
    yield (told == y[~train]).mean()


HITTERS = """
    Hitters <- na.omit(Hitters)
    x <- model.matrix(Salary ~ ., Hitters)[, -1]
    y <- Hitters$Salary
    set.seed(1)
    train <- sample(1:nrow(x), nrow(x) / 2)
    grid <- 10^seq(10, -2, length = 100)
    test_error <- function(fit, s) {
      mean((predict(fit, s = s, newx = x[-train, ]) - y[-train])^2)
    }
    set.seed(1)"""


def hitters() -> tuple[pd.DataFrame, FloatArray]:
    """Predictors as R's model matrix has them, and the salary."""
    data = pcv.data.hitters().dropna()
    codes = {"League": "N", "Division": "W", "NewLeague": "N"}
    numbers = {name: (data[name] == one).astype(float) for name, one in codes.items()}
    return data.assign(**numbers).drop(columns="Salary"), data["Salary"].to_numpy()


def lasso() -> Iterator[Any]:
    """The lab's split, its path, its cross-validation and the test error."""
    x, y = hitters()
    r.set_seed(1)
    train = r.sample(263, 131) - 1
    test = np.setdiff1d(np.arange(263), train)
    grid = np.geomspace(1e10, 1e-2, 100)
    fit = r.glmnet.glmnet(x.iloc[train], y[train], lambda_=grid)
    r.set_seed(1)
    best = r.glmnet.cv_glmnet(x.iloc[train], y[train]).lambda_min
    yield ((fit.predict(x.iloc[test], s=best) - y[test]) ** 2).mean()
    yield r.glmnet.glmnet(x, y, lambda_=grid).coef(s=best)


@published(
    "islr-6.5.2-lasso", (f"{SECOND}, 6.5.2", f"{GHENT}2085236046/description/B-eyPF5_9gAPJhXE/"),
    "the lasso: its test error, and coefficients at the penalty that cross-validation chose",
    "143673.6 1.27479059 -0.05497143 2.18034583 2.29192406 -0.33806109 0.02825013 0.21628385",
    f"""{HITTERS}
    best <- glmnet::cv.glmnet(x[train, ], y[train], alpha = 1)$lambda.min
    fit <- glmnet::glmnet(x[train, ], y[train], alpha = 1, lambda = grid)
    whole <- glmnet::glmnet(x, y, alpha = 1, lambda = grid)
    found <- predict(whole, type = "coefficients", s = best)[c(1:3, 7, 8, 11, 12), ]
    c(test_error(fit, best), found)""",
)  # fmt: skip
def _() -> Iterator[Any]:
    error, coefficients = lasso()
    yield error
    yield coefficients.iloc[[0, 1, 2, 6, 7, 10, 11]]


@published(
    "islr1-6.6.2-lasso", (f"{FIRST}, 6.6.2", "https://www.yumpu.com/en/document/view/24647847"),
    "the test error of the lasso, R before 3.6.0", "100743",
    f"""suppressWarnings(RNGversion("3.5.0")){HITTERS}
    best <- glmnet::cv.glmnet(x[train, ], y[train], alpha = 1)$lambda.min
    test_error(glmnet::glmnet(x[train, ], y[train], alpha = 1, lambda = grid), best)""",
)  # fmt: skip
def _() -> Iterator[Any]:
    r.RNGversion("3.5.0")
    yield next(lasso())


@published(
    "islr-6.5.2-ridge", (f"{SECOND}, 6.5.2", f"{GHENT}316060312/description/MW5pkH_px7nMyR56/"),
    "ridge regression: test errors with penalties of 4, 1e10 and (exactly) 0",
    "142199 224669.8 168588.6",
    f"""{HITTERS}
    fit <- glmnet::glmnet(x[train, ], y[train], alpha = 0, lambda = grid, thresh = 1e-12)
    exact <- predict(fit, s = 0, newx = x[-train, ], exact = TRUE, x = x[train, ], y = y[train])
    c(test_error(fit, 4), test_error(fit, 1e10), mean((exact - y[-train])^2))""",
)  # fmt: skip
def _() -> Iterator[Any]:
    x, y = hitters()
    r.set_seed(1)
    train = r.sample(263, 131) - 1
    test = np.setdiff1d(np.arange(263), train)
    grid = np.geomspace(1e10, 1e-2, 100)
    fit = r.glmnet.glmnet(x.iloc[train], y[train], alpha=0.0, lambda_=grid, thresh=1e-12)
    for s in (4.0, 1e10, 0.0):
        yield ((fit.predict(x.iloc[test], s=s, exact=s == 0.0) - y[test]) ** 2).mean()
