"""Other people's learners, and worker processes"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.tree import DecisionTreeRegressor

import pycvstat as pcv
from tests.benchmarks.line import Line


def beyond_the_fits(folds: int, estimator: Any, name: str, **more: Any) -> Line:
    rng = np.random.default_rng(1)
    n = 1000
    X, y = rng.normal(size=(n, 8)), rng.normal(size=n)
    plan = pcv.Blocks(folds).plan(n)

    def loop() -> float:
        fits = ((clone(estimator).fit(X[a], y[a]).predict(X[b]), b) for a, b in plan)
        return float(np.mean([np.mean((y[b] - told) ** 2) for told, b in fits]))

    def ours() -> float:
        return pcv.cross_validate(estimator, X=X, y=y, folds=pcv.Blocks(folds)).estimate

    return Line(f"{name} of scikit-learn, {folds:,} fits", ours, "the bare loop", loop,
                agree=1e-12, runs=31, their_runs=31, **more)  # fmt: skip


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
    tree = DecisionTreeRegressor(max_depth=5, random_state=0)
    yield beyond_the_fits(10, tree, "a tree of 2 ms", share=1.02)
    yield beyond_the_fits(1000, DummyRegressor(), "the mean", beyond=0.1)
    yield Line("nested, boosted trees, two workers that wait", with_workers(2),
               "one process", with_workers(1), agree=1e-12, runs=2, their_runs=1,
               clock="wall")  # fmt: skip
