"""Cost against the number of rows, ours beside scikit-learn's way to the same numbers.

    python tests/benchmarks/bench_sizes.py             # prints the table
    python tests/benchmarks/bench_sizes.py --record    # and keeps it for the vignette

One core. Ours and the peer alternate after a run that is not counted; what is kept is each one's
median, least and largest wall clock time. A peer that has taken longer than half a minute is not
asked for more rows.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import pycvstat as pcv
from pycvstat.errors import PycvstatWarning
from pycvstat.run.store import versions

TARGET = Path(__file__).parents[2] / "vignettes" / "recorded" / "sizes.json"
SIZES = (300, 1000, 3000, 10_000, 30_000, 100_000)
ENOUGH = 30.0  # seconds
LOSS = "neg_mean_squared_error"
TEN = KFold(10, shuffle=True, random_state=1)
PENALTIES = np.geomspace(1e-3, 1, 100)
KS = range(1, 31)


@dataclass(frozen=True)
class Work:
    """The same work in two ways, on p predictors."""

    p: int
    ours: Callable[[Any, Any], Any]
    peer: Callable[[Any, Any], Any]


def scaled_search(learner: Any, grid: dict[str, Any], folds: Any) -> Any:
    return GridSearchCV(make_pipeline(StandardScaler(), learner), grid, cv=folds, scoring=LOSS)


def nested(X: Any, y: Any) -> Any:
    learner, folds = pcv.KNN(kernel="rectangular"), {"outer": pcv.Blocks(8), "inner": pcv.Blocks(5)}
    return pcv.nested_cv(learner, X=X, y=y, grid={"k": KS}, **folds)


def nested_in_sklearn(X: Any, y: Any) -> Any:
    grid = {"kneighborsregressor__n_neighbors": list(KS)}
    return cross_val_score(scaled_search(KNeighborsRegressor(), grid, 5), X, y, cv=8, scoring=LOSS)


WORKS = {
    "OLS, 10 folds": Work(
        20,
        lambda X, y: pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=TEN),
        lambda X, y: cross_val_score(LinearRegression(), X, y, cv=TEN, scoring=LOSS),
    ),
    "OLS, leave-one-out": Work(
        20,
        lambda X, y: pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=pcv.LeaveOneOut()),
        lambda X, y: cross_val_score(LinearRegression(), X, y, cv=LeaveOneOut(), scoring=LOSS),
    ),
    "ridge, penalties": Work(
        20,
        lambda X, y: pcv.tune(pcv.Ridge(), X=X, y=y, grid={"lam": PENALTIES}, folds=TEN),
        lambda X, y: scaled_search(Ridge(), {"ridge__alpha": PENALTIES * len(y)}, TEN).fit(X, y),
    ),
    "kNN, nested": Work(3, nested, nested_in_sklearn),
}


def problem(n: int, p: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] + np.sin(2 * X[:, 1]) + rng.normal(size=n)


def seconds(work: Callable[[Any, Any], Any], X: Any, y: Any) -> float:
    began = time.perf_counter()
    work(X, y)
    return time.perf_counter() - began


def measured(work: Work, n: int, peer_too: bool, repetitions: int = 3) -> dict[str, list[float]]:
    """Median, least and largest time of each."""
    X, y = problem(n, work.p)
    work.ours(X, y)
    times: dict[str, list[float]] = {"ours": [], "peer": []}
    for turn in range(repetitions):
        if peer_too and (turn == 0 or times["peer"][0] < ENOUGH / 6):
            times["peer"].append(seconds(work.peer, X, y))
        times["ours"].append(seconds(work.ours, X, y))
    return {who: [statistics.median(t), min(t), max(t)] for who, t in times.items() if t}


def main() -> dict[str, Any]:
    warnings.simplefilter("ignore", PycvstatWarning)
    threadpool_limits(1)
    table: dict[str, Any] = {}
    for name, work in WORKS.items():
        print(name)
        rows = table.setdefault(name, [])
        for n in SIZES:
            last = rows[-1].get("peer", [np.inf])[0] if rows else 0.0
            rows.append({"n": n, **measured(work, n, last < ENOUGH / 3)})
            ours, peer = rows[-1]["ours"][0], rows[-1].get("peer", [np.nan])[0]
            print(f"    n = {n:6}: {ours:9.4f} s, scikit-learn {peer:9.4f} s: {peer / ours:8.1f}")
    return table


def keep(table: dict[str, Any]) -> None:
    provenance = {
        "script": "tests/benchmarks/bench_sizes.py --record",
        "date": date.today().isoformat(),
        "machine": f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores",
        "load_average": round(os.getloadavg()[0], 1),
        "versions": versions(),
    }
    TARGET.write_text(json.dumps({"provenance": provenance, "works": table}, indent=1) + "\n")


if __name__ == "__main__":
    found = main()
    if "--record" in sys.argv[1:]:
        keep(found)
