"""Nearest neighbours

Ours includes everything from the data frame to the result. kknn is run where R has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsRegressor, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pycvstat as pcv
from pycvstat.learners.knn.distances import metric
from pycvstat.learners.knn.search import Index
from pycvstat.r import bridge, lecture
from pycvstat.r.bridge import reference
from pycvstat.r.bridge.installed import r_packages
from tests.benchmarks.line import Line

KS = range(1, 31)


def smooth(n: int, d: int) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d))
    data = pd.DataFrame(X, columns=[f"x{i}" for i in range(d)])
    return data.assign(y=np.sin(X[:, 0]) + X[:, 1] ** 2 / 5 + rng.normal(size=n))


def tied(n: int, d: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 12, (n, d)).astype(float)
    return pd.DataFrame(X, columns=[f"x{i}" for i in range(d)]).assign(
        y=np.round(X[:, 0] + rng.normal(size=n), 1)
    )


def nested(data: pd.DataFrame) -> Any:
    return pcv.nested_cv(
        pcv.KNN(kernel="rectangular"),
        "y ~ .",
        data,
        grid={"k": KS},
        outer=pcv.Blocks(8),
        inner=pcv.Blocks(5),
    ).estimate


def nested_in_sklearn(data: pd.DataFrame) -> Any:
    search = GridSearchCV(
        make_pipeline(StandardScaler(), KNeighborsRegressor()),
        {"kneighborsregressor__n_neighbors": list(KS)},
        cv=5,
        scoring="neg_mean_squared_error",
    )
    X, y = data.drop(columns="y").to_numpy(), data["y"].to_numpy()
    return -cross_val_score(search, X, y, cv=8, scoring="neg_mean_squared_error").mean()


def against_sklearn(n: int, work: str, times: float | None, **more: Any) -> Line:
    data = smooth(n, 3)
    # the standard deviation there divides by n, which moves no neighbour
    return Line(work, lambda: nested(data), "scikit-learn", lambda: nested_in_sklearn(data),
                times=times, their_runs=1, **more)  # fmt: skip


def fold_by_fold(data: pd.DataFrame) -> Iterator[tuple[Any, Any]]:
    """Scaled training and test rows of all 48 folds."""
    X = data.drop(columns="y").to_numpy()
    X = X / X.std(axis=0)
    for train, test in pcv.Blocks(8).plan(len(X)):
        yield X[train], X[test]
        for inner_train, inner_test in pcv.Blocks(5).plan(len(train)):
            yield X[train[inner_train]], X[train[inner_test]]


def bare_searches(folds: list[tuple[Any, Any]]) -> None:
    for train, test in folds:
        cKDTree(train).query(test, max(KS))


def search(data: pd.DataFrame, k: int) -> Any:
    X = data.drop(columns="y").to_numpy()
    m = metric(X, np.arange(1, X.shape[1] + 1))
    return Index(X, m).find(X, k)


def in_sklearn(data: pd.DataFrame, k: int) -> Any:
    X = StandardScaler().fit_transform(data.drop(columns="y").to_numpy())
    return NearestNeighbors(n_neighbors=k, algorithm="brute").fit(X).kneighbors(X)


def against_kknn() -> Iterator[Line]:
    if not bridge.available() or r_packages(["kknn"])["kknn"] is None:
        return
    bridge.run("suppressPackageStartupMessages(library(kknn))")
    data = tied(5000)
    searched = "train.kknn(y ~ ., data, ks = 30, kernel = 'rectangular')$best.parameters"
    yield Line("one search, every row tied, n = 5,000", lambda: search(data, 32), "kknn",
               lambda: bridge.run(searched, data=data), times=1, agree=None)  # fmt: skip
    bridge.source(reference.path("lecture.R"))
    small = tied(200)
    course = "knn_test_error(data, 8, 5, 'y', 1:30)"
    yield Line("the course's nested procedure, every row tied, n = 200",
               lambda: lecture.knn_test_error(small, 8, 5, "y", KS), "its R code with kknn",
               lambda: bridge.run(course, data=small), times=20, agree=None,
               their_runs=1)  # fmt: skip


def lines() -> Iterator[Line]:
    for n, times in ((1000, 150), (5000, 90)):
        yield against_sklearn(n, f"nested 8 x 5, k = 1..30, n = {n:,}, d = 3", times)
    for n, d in ((5000, 3), (5000, 8), (20000, 3)):
        data = smooth(n, d)
        folds = list(fold_by_fold(data))
        yield Line(f"the same, n = {n:,}, d = {d}", lambda d=data: nested(d),
                   "bare searches of cKDTree", lambda f=folds: bare_searches(f), share=0.6,
                   agree=None, runs=3, their_runs=3)  # fmt: skip
    wide = smooth(5000, 50)
    yield Line("one search, n = 5,000, d = 50", lambda: search(wide, 31),
               "scikit-learn's brute force", lambda: in_sklearn(wide, 31), times=1,
               agree=None)  # fmt: skip
    yield from against_kknn()


def curves() -> Iterator[Line]:
    for n in (320, 1000, 3000):  # divisible, so that both cut the same blocks
        line = against_sklearn(n, "kNN, nested 8 x 5, k = 1..30", None)
        yield replace(line, n=n, runs=3)
