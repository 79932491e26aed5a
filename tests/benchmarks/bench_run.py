"""Nested cross-validation of a scikit-learn learner with one and with two worker processes.

    python tests/benchmarks/bench_run.py [repetitions]

The ways alternate, and medians are compared: in this process, with two new workers, and with two
workers that waited since an earlier run. Processor seconds say what the machinery costs where
other work on the machine spoils the wall clock.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor

import pycvstat as pcv
from pycvstat.run.processes import end_waiting


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


def timed(n_jobs: int, X: Any, y: Any) -> tuple[float, float]:
    """The estimate, and wall clock seconds."""
    began = time.perf_counter()
    value = nested(X, y, n_jobs)
    return value, time.perf_counter() - began


def processor_seconds() -> float:
    """Of this process and of those that have ended."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in used)


def main(repetitions: int = 3) -> dict[str, float]:
    X, y = problem()
    nested(X[:300], y[:300], 1)  # imports
    walls: dict[str, list[float]] = {"one": [], "two, new": [], "two, waiting": []}
    used: dict[str, list[float]] = {"one": [], "two, twice": []}
    values = set()
    for _ in range(repetitions):
        end_waiting()
        begin = processor_seconds()
        for name, n_jobs in (("one", 1), ("two, new", 2), ("two, waiting", 2)):
            value, wall = timed(n_jobs, X, y)
            values.add(value)
            walls[name].append(wall)
            if n_jobs == 1:
                used["one"].append(processor_seconds() - begin)
        end_waiting()
        used["two, twice"].append(processor_seconds() - begin - used["one"][-1])
    assert len(values) == 1, values
    for name, times in walls.items():
        ratio = statistics.median(walls["one"]) / statistics.median(times)
        spread = f"{min(times):.2f} to {max(times):.2f}"
        print(f"{name:13} {statistics.median(times):6.2f} s ({spread}): {ratio:.2f} times as fast")
    one, twice = (statistics.median(times) for times in used.values())
    print(f"processor: {one:.2f} s alone, {twice / 2:.2f} s with two workers, mean of both runs")
    return {name: statistics.median(times) for name, times in walls.items()}


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
