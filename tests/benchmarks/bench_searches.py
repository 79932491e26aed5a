"""Searches for conventions and splits"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_score

import pycvstat as pcv
from pycvstat.folds import NestedPairs, Repeated
from pycvstat.folds.splitter import Splitter
from pycvstat.simulate import coverage
from tests.benchmarks.line import Line

FOLDS = [pcv.KFold(5), pcv.KFold(10), pcv.Repeated(pcv.KFold(10), 5)]
SIMULATED: dict[str, Splitter] = {
    "corrected_t": Repeated(pcv.KFold(10), 10),
    "ncv": NestedPairs(10, repeats=50),
}


def sklearn_loop(data: pd.DataFrame, fits_of: list[int]) -> Any:
    """Cross-validation by each number of folds in turn."""
    X, y = data.drop(columns="y").to_numpy(), data["y"].to_numpy()
    return lambda: [
        cross_val_score(LinearRegression(), X, y, cv=KFold(k, shuffle=True, random_state=i))
        for i, k in enumerate(fits_of)
    ]


def convention(seeds: int = 2000) -> Line:
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"x": rng.normal(size=400), "z": rng.normal(size=400)})
    data["y"] = data["x"] + rng.normal(size=400)
    folds = pcv.RFolds("caret", 10, seed=1321)
    number = pcv.cross_validate(pcv.OLS(), "y ~ x + z", data, folds=folds).pooled
    asked = f"{number:.8f}"

    def ours() -> None:
        found = pcv.find_convention(asked, pcv.OLS(), "y ~ x + z", data, k=10, seeds=range(seeds))
        assert ((found["dialect"] == "caret") & (found["seed"] == 1321)).any()

    return Line(f"find_convention, {seeds:,} seeds and all dialects, n = 400", ours,
                "scikit-learn, one dialect and 100 seeds", sklearn_loop(data, [10] * 100),
                seconds=30 * seeds / 10_000, agree=None, runs=1, their_runs=1)  # fmt: skip


def multiverse() -> Line:
    rng = np.random.default_rng(1)
    data = pd.DataFrame(rng.normal(size=(1000, 10)), columns=[f"x{i}" for i in range(10)])
    data["y"] = data["x0"] + rng.normal(size=1000)

    def ours() -> None:
        found = pcv.multiverse(pcv.OLS(), "y ~ .", data, folds=FOLDS, seeds=range(50))
        assert len(found.universes) == 150

    return Line("multiverse, 50 seeds of 5, 10 and 5 times 10 folds, n = 1,000", ours,
                "scikit-learn", sklearn_loop(data, 50 * ([5, 10] + 5 * [10])), seconds=2,
                agree=None, runs=3, their_runs=1)  # fmt: skip


def lines() -> Iterator[Line]:
    yield convention()
    yield multiverse()
    rng = np.random.default_rng(1)
    data = pd.DataFrame(rng.normal(size=(100, 20))).assign(y=rng.normal(size=100))
    for method, folds in SIMULATED.items():
        yield Line(f"coverage of {method}, 200 data sets, n = 100, p = 20",
                   lambda m=method, f=folds: coverage("ols", m, folds=f, sets=200, random=1),
                   "scikit-learn, the same fits of one data set",
                   sklearn_loop(data, [10] * (len(folds.plan(100)) // 10)),
                   agree=None, runs=1, their_runs=1)  # fmt: skip
