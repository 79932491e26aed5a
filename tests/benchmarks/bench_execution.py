"""Nested cross-validation of a scikit-learn learner with one and with two worker processes.

    python tests/benchmarks/bench_execution.py [repetitions]

Runs alternate, and medians are compared. Beside the ratio of wall clock times, which other work on
the machine spoils, it prints the processor seconds that each way takes: their ratio is what the
machinery itself costs.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor

import pycvstat as pcv


def problem(n: int = 3000, p: int = 10) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] + np.sin(3 * X[:, 1]) + rng.normal(size=n)


def nested(X: Any, y: Any, n_jobs: int) -> float:
    found = pcv.nested_cv(
        GradientBoostingRegressor(n_estimators=20, random_state=0),
        X=X,
        y=y,
        grid={"max_depth": [1, 2, 3]},
        outer=pcv.KFold(10, random=1),
        inner=pcv.KFold(5, random=2),
        n_jobs=n_jobs,
    )
    return float(found.estimate)


def timed(work: Callable[[], float]) -> tuple[float, float, float]:
    """Value, wall clock seconds, and processor seconds with those of child processes."""
    wall, before = time.perf_counter(), _processor_seconds()
    value = work()
    return value, time.perf_counter() - wall, _processor_seconds() - before


def _processor_seconds() -> float:
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in used)


def main(repetitions: int = 3) -> float:
    X, y = problem()
    nested(X[:300], y[:300], 1)  # imports
    walls: dict[int, list[float]] = {1: [], 2: []}
    seconds: dict[int, list[float]] = {1: [], 2: []}
    values = set()
    for _ in range(repetitions):
        for n_jobs in (1, 2):
            value, wall, used = timed(lambda n_jobs=n_jobs: nested(X, y, n_jobs))  # type: ignore[misc]
            values.add(value)
            walls[n_jobs].append(wall)
            seconds[n_jobs].append(used)
    assert len(values) == 1, values
    one, two = (statistics.median(walls[n]) for n in (1, 2))
    for n in (1, 2):
        low, high = min(walls[n]), max(walls[n])
        used = statistics.median(seconds[n])
        print(
            f"workers {n}: {statistics.median(walls[n]):6.2f} s ({low:.2f} to {high:.2f}), "
            f"processor {used:6.2f} s"
        )
    cost = statistics.median(seconds[2]) / statistics.median(seconds[1])
    print(f"two workers: {one / two:.2f} times as fast; processor time {cost:.2f} times")
    return one / two


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
