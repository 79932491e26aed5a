"""Cases of the parity suite: R packages' functions under their R names, from one stream each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from pycvstat import data
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.glm import GLM
from pycvstat.r.boot import boot, boot_ci, cv_glm
from pycvstat.r.check.case import Case
from pycvstat.r.class_ import knn, knn1, knn_cv
from pycvstat.r.FNN import knn_reg
from pycvstat.r.rsample import bootstraps, group_vfold_cv, initial_split, mc_cv, vfold_cv
from pycvstat.r.session import apart, rexp, rnorm, runif, sample, sample_int
from pycvstat.rmath.tolerances import EXACT, LINEAR, SUMS, Tolerance

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
