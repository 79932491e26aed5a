"""Least squares, penalties and logistic regression

Every peer does the same work; it is checked that both computed the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import statsmodels.api as sm
from scipy import linalg
from sklearn.linear_model import LassoCV, LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pycvstat as pcv
from pycvstat.intervals.ncv import ncv, pieces_of
from pycvstat.learners.linear.elastic_net import elastic_net_slopes
from pycvstat.learners.linear.left_out import ols_left_out_predictions
from pycvstat.losses import LossTable
from tests.benchmarks.line import Line

SCORE = "neg_mean_squared_error"
TEN = KFold(10, shuffle=True, random_state=1)
OURS_TEN = pcv.KFold(10, random=1)
PENALTIES = np.geomspace(1e-3, 1, 100)


def regression(n: int = 5000, p: int = 20) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] - X[:, 1] / 2 + rng.normal(size=n)


def least_squares(n: int, folds: Any, work: str, times: float | None, **more: Any) -> Line:
    X, y = regression(n)
    theirs = LeaveOneOut() if isinstance(folds, pcv.LeaveOneOut) else KFold(10)  # the same blocks
    return Line(
        work,
        lambda: pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=folds).estimate,
        "scikit-learn",
        lambda: -cross_val_score(LinearRegression(), X, y, cv=theirs, scoring=SCORE).mean(),
        times=times,
        **more,
    )


def wide(n: int = 1000, p: int = 2000) -> Line:
    X, y = regression(n, p)
    plan = OURS_TEN.plan(n)

    def loop() -> float:
        design = np.column_stack([np.ones(n), X])
        fits = ((a, b, np.linalg.lstsq(design[a], y[a], rcond=None)[0]) for a, b in plan)
        return float(np.mean([np.mean((y[b] - design[b] @ found) ** 2) for _, b, found in fits]))

    def ours() -> float:
        return pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=OURS_TEN).estimate

    # R leaves columns out where lstsq takes the shortest coefficients: other numbers
    return Line(f"OLS, 10 folds, n = {n:,}, p = {p:,}", ours, "a loop of numpy's lstsq", loop,
                times=1, agree=None, runs=1, their_runs=1)  # fmt: skip


def kernel() -> Line:
    X, y = regression()
    design, rows = np.column_stack([np.ones(len(y)), X]), np.arange(len(y))
    offsets = np.arange(len(y) + 1)
    return Line(
        "OLS, all 5,000 fits of leave-one-out, the kernel alone",
        lambda: ols_left_out_predictions(design, y, rows, offsets),
        "one fit of scipy's lstsq",
        lambda: linalg.lstsq(design, y),
        share=2,
        agree=None,
    )


def ridge(n: int, scaled: bool = True, times: float | None = 20, **more: Any) -> Line:
    X, y = regression(n)

    def peer() -> Any:
        # the same penalties up to the scale of y, which glmnet and we take from each fold
        name = "ridge__alpha" if scaled else "alpha"
        steps = make_pipeline(StandardScaler(), Ridge()) if scaled else Ridge()
        grid = {name: PENALTIES * n * 0.9 / y.std()}
        return (
            -GridSearchCV(steps, grid, cv=TEN, scoring=SCORE)
            .fit(X, y)
            .cv_results_["mean_test_score"]
        )

    def ours() -> Any:
        learner = pcv.Ridge(standardize=scaled)
        found = pcv.tune(learner, X=X, y=y, grid={"lam": PENALTIES}, folds=TEN)
        return found.tidy()["estimate"].to_numpy()

    name = "ridge, 100 penalties, 10 folds" + ("" if scaled else ", not standardised")
    return Line(name, ours, "scikit-learn", peer, times=times, agree=5 / n, **more)


def lasso() -> Line:
    X, y = regression()
    lam = np.abs((X - X.mean(axis=0)).T @ y).max() / len(y) * np.geomspace(1.0, 1e-4, 100)
    ids = np.random.default_rng(2).permutation(np.arange(len(y)) % 10)
    tests = [np.flatnonzero(ids == f) for f in range(10)]
    splits = [(np.flatnonzero(ids != f), test) for f, test in enumerate(tests)]

    def ours() -> Any:
        fits = elastic_net_slopes(X, y, lam, 1.0, tests, standardize=False)
        pairs = zip(fits, tests, strict=True)
        return np.mean([((f.predict(X[t]) - y[t]) ** 2).mean(axis=1) for f, t in pairs], axis=0)

    def peer() -> Any:
        return LassoCV(alphas=lam, cv=splits, tol=1e-10).fit(X, y).mse_path_.mean(axis=1)

    return Line("lasso, 100 penalties, 10 folds, the kernel alone", ours, "scikit-learn", peer,
                agree=1e-6)  # fmt: skip


def pairs_of_folds(repeats: int = 200) -> Line:
    X, y = regression(100, 20)
    design = np.column_stack([np.ones(len(y)), X])
    folds = pcv.NestedPairs(10, repeats=repeats, random=1)

    def ours() -> Any:
        found = pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=folds).interval("ncv")
        return found.low, found.high

    def peer() -> Any:
        plan, losses = folds.plan(len(y)), []
        for train, test in plan:
            fit = sm.OLS(y[train], design[train]).fit()
            losses.append((y[test] - fit.predict(design[test])) ** 2)
        limits = ncv(pieces_of(LossTable(plan, np.concatenate(losses)[:, None])), 0.95)
        return limits.low, limits.high

    return Line(f"OLS, interval of pairs of folds, {repeats} repetitions", ours,
                "a statsmodels loop", peer, times=30, their_runs=1)  # fmt: skip


def logistic(n: int, folds: Any, work: str, times: float | None, **more: Any) -> Line:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 10))
    y = (rng.random(n) < 1 / (1 + np.exp(-X[:, 0]))).astype(float)
    design = np.column_stack([np.ones(n), X])

    def ours() -> Any:
        found = pcv.cross_validate(pcv.GLM("binomial"), X=X, y=y, folds=folds)
        return found.table.predictions.values[0]

    def peer() -> Any:
        family, out = sm.families.Binomial(), []
        for train, test in folds.plan(n):
            fit = sm.GLM(y[train], design[train], family=family).fit()
            out.append(fit.predict(design[test]))
        return np.concatenate(out)

    return Line(work, ours, "a statsmodels loop", peer, times=times, agree=1e-6, **more)


def lines() -> Iterator[Line]:
    loo = pcv.LeaveOneOut()
    yield wide()
    yield least_squares(
        1000, pcv.Blocks(10), "OLS, 10 folds, n = 1,000, p = 20", 6, runs=31, their_runs=31
    )
    yield least_squares(5000, pcv.Blocks(10), "OLS, 10 folds, n = 5,000, p = 20", 5)
    yield least_squares(5000, loo, "OLS, leave-one-out, n = 5,000, p = 20", 300, their_runs=1)
    yield kernel()
    ten = "logistic, 10 folds, n = 1,000, p = 10"
    yield logistic(1000, OURS_TEN, ten, 5, runs=31, their_runs=31)
    yield logistic(1000, loo, "logistic, leave-one-out, n = 1,000, p = 10", 50, their_runs=1)
    yield ridge(5000, their_runs=1)
    yield ridge(5000, scaled=False, their_runs=1)
    yield lasso()
    yield pairs_of_folds()


def curves() -> Iterator[Line]:
    ways: list[tuple[Callable[..., Line], tuple[int, ...], tuple[Any, ...]]] = [
        (
            least_squares,
            (300, 1000, 3000, 10_000, 30_000, 100_000),
            (pcv.Blocks(10), "OLS, 10 folds", None),
        ),
        (least_squares, (300, 1000, 3000), (pcv.LeaveOneOut(), "OLS, leave-one-out", None)),
        (ridge, (300, 1000, 3000, 10_000), (True, None)),
        (logistic, (300, 1000, 3000, 10_000, 30_000), (OURS_TEN, "logistic, 10 folds", None)),
    ]
    for way, sizes, given in ways:
        for n in sizes:
            yield replace(way(n, *given), n=n, runs=3, their_runs=1)
