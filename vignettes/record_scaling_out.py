"""Record the times that the vignette on many machines computes with.

    python vignettes/record_scaling_out.py

Task times are processor seconds of one thread, so other work on the machine disturbs them little.
Each size runs in a process of its own, for its peak memory.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

import pycvstat as pcv
from pycvstat.procedures import engine
from pycvstat.run import execution_from, run_tasks
from pycvstat.run.checkpoint import Checkpoint
from pycvstat.run.store import versions

TARGET = Path(__file__).parent / "recorded" / "scaling_out.json"
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
LEARNERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "boosting": (
        HistGradientBoostingRegressor(max_iter=30, early_stopping=False, random_state=0),
        {"max_leaf_nodes": [7, 15, 31]},
    ),
    "knn": (pcv.KNN(kernel="rectangular"), {"k": range(1, 31)}),
}


def problem(n: int, p: int = 5) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, p))
    return X, np.sin(X).sum(axis=1) + rng.normal(size=n)


def task_times(name: str, n: int) -> dict[str, Any]:
    """Processor seconds of three outer folds of nested cross-validation, and peak memory."""
    learner, grid = LEARNERS[name]
    seconds: list[float] = []
    depth = 0
    fit = engine.fit_one

    def timed(work: Any, i: int) -> Any:
        nonlocal depth
        depth += 1
        began = time.process_time()
        result = fit(work, i)
        depth -= 1
        if depth == 0:  # the tuning inside calls the engine again
            seconds.append(time.process_time() - began)
        return result

    pcv.nested_cv(learner, X=(xy := problem(600))[0], y=xy[1], grid=grid, outer=2, inner=2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    engine.fit_one = timed
    X, y = problem(n)
    outer = pcv.Subsampling(3, train=0.9, random=1)
    pcv.nested_cv(learner, X=X, y=y, grid=grid, outer=outer, inner=pcv.KFold(5, random=2))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"n": n, "seconds": seconds, "megabytes": (peak - before) / 1024}


def nothing(shared: Any, task: int) -> int:
    return task


def sleep(shared: Any, seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def cluster_times(workers: int, naps: list[float]) -> dict[str, Any]:
    """Of a real cluster on this machine: sending data, a task that does nothing, naps."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
        Client(cluster) as client,
    ):
        execution = execution_from(client=client)

        def seconds(function: Any, shared: Any, tasks: Any) -> float:
            began = time.perf_counter()
            run_tasks(function, shared, tasks, execution=execution, identity={}, label="timing")
            return time.perf_counter() - began

        seconds(nothing, None, range(workers))
        data = np.ones(25_000_000)  # 200 MB
        empty = seconds(nothing, None, range(10))
        return {
            "workers": workers,
            "send_200_MB": seconds(nothing, data, range(10)) - empty,
            "per_task": (seconds(nothing, None, range(1010)) - empty) / 1000,
            "naps": seconds(sleep, None, naps),
        }


def keep_time(place: Path, rows: int = 1_000_000) -> float:
    """Seconds to keep the result of a fold with so many test rows; the median of ten."""
    checkpoint = Checkpoint(place, "timing", {})
    result = {"losses": np.ones((1, rows)), "values": np.ones((1, rows))}
    seconds = []
    for number in range(10):
        began = time.perf_counter()
        checkpoint.keep(number, result)
        seconds.append(time.perf_counter() - began)
    return float(np.median(seconds))


def in_a_process_of_its_own(name: str, n: int) -> dict[str, Any]:
    told = subprocess.run(
        [sys.executable, __file__, name, str(n)], capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(told.stdout)
    print(name, found, flush=True)
    return found


def tasks() -> dict[str, Any]:
    return {"tasks": {name: [in_a_process_of_its_own(name, n) for n in SIZES] for name in LEARNERS}}


def costs() -> dict[str, Any]:
    naps = list(np.random.default_rng(3).lognormal(-1.2, 0.5, size=120))
    with tempfile.TemporaryDirectory() as place:
        keep = keep_time(Path(place))
    return {
        "naps": naps,
        "cluster": [cluster_times(workers, naps) for workers in (2, 4, 8)],
        "keep_a_result": keep,
    }


def record(part: Callable[[], dict[str, Any]]) -> None:
    """Measure one part and put it, with its provenance, into the file beside the other."""
    content = json.loads(TARGET.read_text()) if TARGET.exists() else {"provenance": {}}
    content.update(part())
    content["provenance"][part.__name__] = {
        "script": "vignettes/record_scaling_out.py",
        "date": date.today().isoformat(),
        "machine": f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores",
        "load_average": round(os.getloadavg()[0], 1),
        "versions": versions(),
    }
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(task_times(sys.argv[1], int(sys.argv[2]))))
    else:
        record(tasks)
        record(costs)
