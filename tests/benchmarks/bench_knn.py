"""Nearest neighbours: nested cross-validation and single searches against what others do.

    python tests/benchmarks/bench_knn.py [repetitions]

One core. Each pair is run in alternating order, after one run that is not counted. Medians of the
wall clock are compared, with the range of the ratio over the turns, which is the noise of the
machine, and beside them the ratio of the least processor seconds, which other work spoils less.
Ours includes everything from the data frame to the result. kknn is run where R and the package are
installed. Goals are those that the project set itself.
"""

from __future__ import annotations

import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsRegressor, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import pycvstat as pcv
from pycvstat.errors import PycvstatWarning
from pycvstat.learners.knn.distances import metric
from pycvstat.learners.knn.search import Index
from pycvstat.r import bridge, lecture
from pycvstat.r.bridge import reference
from pycvstat.r.bridge.installed import r_packages

Work = Callable[[], Any]
KS = range(1, 31)


@dataclass(frozen=True)
class Pair:
    """Ours, a peer's way to the same end, and how many times as fast ours should be."""

    name: str
    ours: Work
    peer: Work
    goal: float
    peer_runs: int = 0  # 0: as many as ours


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
    )


def nested_in_sklearn(data: pd.DataFrame) -> Any:
    search = GridSearchCV(
        make_pipeline(StandardScaler(), KNeighborsRegressor()),
        {"kneighborsregressor__n_neighbors": list(KS)},
        cv=5,
        scoring="neg_mean_squared_error",
    )
    X, y = data.drop(columns="y").to_numpy(), data["y"].to_numpy()
    return cross_val_score(search, X, y, cv=8, scoring="neg_mean_squared_error")


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


def against_sklearn_and_searches() -> Iterator[Pair]:
    for n, goal in ((1000, 100), (5000, 60)):
        data = smooth(n, 3)
        yield Pair(f"nested 8 x 5 against scikit-learn, n = {n}, d = 3",
                   lambda d=data: nested(d), lambda d=data: nested_in_sklearn(d),
                   goal, 1)  # fmt: skip
    for n, d in ((5000, 3), (5000, 8), (20000, 3), (20000, 8)):
        data = smooth(n, d)
        folds = list(fold_by_fold(data))
        yield Pair(f"nested 8 x 5 against bare cKDTree searches, n = {n}, d = {d}",
                   lambda d=data: nested(d), lambda f=folds: bare_searches(f), 1 / 0.6)  # fmt: skip
    wide = smooth(5000, 50)
    yield Pair("one search against scikit-learn's brute force, n = 5000, d = 50",
               lambda: search(wide, 31), lambda: in_sklearn(wide, 31), 1)  # fmt: skip


def against_kknn() -> Iterator[Pair]:
    if not bridge.available() or r_packages(["kknn"])["kknn"] is None:
        print("kknn is not installed: no comparison on data where every row has ties")
        return
    bridge.run("suppressPackageStartupMessages(library(kknn))")
    data = tied(5000)
    searched = "train.kknn(y ~ ., data, ks = 30, kernel = 'rectangular')$best.parameters"
    yield Pair("one search against kknn, every row tied, n = 5000",
               lambda: search(data, 32), lambda: bridge.run(searched, data=data), 1)  # fmt: skip
    bridge.source(reference.path("lecture.R"))
    small = tied(500)
    course = "knn_test_error(data, 8, 5, 'y', 1:30)"
    yield Pair("the course's nested procedure against its R code, every row tied, n = 500",
               lambda: lecture.knn_test_error(small, 8, 5, "y", KS),
               lambda: bridge.run(course, data=small), 20, 1)  # fmt: skip


def timed(work: Work) -> tuple[float, float]:
    """Wall clock and processor seconds."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def measured(pair: Pair, repetitions: int) -> float:
    """Print one line; the ratio of the medians of wall clock times."""
    pair.ours()
    times: dict[str, list[tuple[float, float]]] = {"ours": [], "peer": []}
    for turn in range(repetitions):
        if turn < (pair.peer_runs or repetitions):
            times["peer"].append(timed(pair.peer))
        times["ours"].append(timed(pair.ours))
    wall = {who: statistics.median(w for w, _ in times[who]) for who in times}
    used = {who: min(p for _, p in times[who]) for who in times}
    ratio = wall["peer"] / wall["ours"]
    each = [p / o for (p, _), (o, _) in zip(times["peer"], times["ours"], strict=False)]
    print(
        f"{pair.name}:\n    {1e3 * wall['ours']:9.1f} ms, peer {1e3 * wall['peer']:9.1f} ms: "
        f"{ratio:6.2f} times as fast ({min(each):.2f} to {max(each):.2f}, goal {pair.goal:.2f}); "
        f"processor {used['peer'] / used['ours']:.2f}",
        flush=True,
    )
    return ratio


def main(repetitions: int = 5) -> dict[str, float]:
    warnings.simplefilter("ignore", PycvstatWarning)
    threadpool_limits(1)
    pairs = (pair for part in (against_sklearn_and_searches, against_kknn) for pair in part())
    return {pair.name: measured(pair, repetitions) for pair in pairs}


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
