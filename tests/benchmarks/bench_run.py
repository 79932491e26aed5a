"""Other people's learners, and worker processes"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import GradientBoostingRegressor

import pycvstat as pcv
from tests.benchmarks.line import Line


class Costly(RegressorMixin, BaseEstimator):
    """An estimator whose fit takes two milliseconds of work, or next to nothing."""

    def __init__(self, passes: int = 0) -> None:
        self.passes = passes

    def fit(self, X: Any, y: Any) -> Costly:
        for _ in range(self.passes):
            np.sort(WORK)
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


WORK = np.random.default_rng(2).normal(size=70_000)


def beyond_the_fits(folds: int, passes: int, **more: Any) -> Line:
    rng = np.random.default_rng(1)
    n = 1000
    X, y = rng.normal(size=(n, 5)), rng.normal(size=n)
    plan, estimator = pcv.Blocks(folds).plan(n), Costly(passes)

    def loop() -> float:
        fits = ((estimator.fit(X[a], y[a]).predict(X[b]), b) for a, b in plan)
        return float(np.mean([np.mean((y[b] - told) ** 2) for told, b in fits]))

    def ours() -> float:
        return pcv.cross_validate(estimator, X=X, y=y, folds=pcv.Blocks(folds)).estimate

    many = "2 ms" if passes else "next to nothing"
    return Line(f"a scikit-learn estimator, {folds:,} fits of {many}", ours, "the bare loop", loop,
                agree=1e-12, runs=15, their_runs=15, **more)  # fmt: skip


def with_workers(n_jobs: int) -> Any:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 10))
    y = X[:, 0] + np.sin(3 * X[:, 1]) + rng.normal(size=3000)
    return lambda: (
        pcv.nested_cv(
            GradientBoostingRegressor(n_estimators=20, random_state=0),
            X=X,
            y=y,
            grid={"max_depth": [1, 2, 3]},
            outer=pcv.KFold(5, random=1),
            inner=pcv.KFold(4, random=2),
            n_jobs=n_jobs,
        ).estimate
    )


def lines() -> Iterator[Line]:
    yield beyond_the_fits(10, 10, times=1 / 1.02)
    yield beyond_the_fits(1000, 0, beyond=0.1)
    yield Line("nested, boosted trees, two workers that wait", with_workers(2),
               "one process", with_workers(1), agree=1e-12, runs=2, their_runs=1,
               clock="wall")  # fmt: skip
