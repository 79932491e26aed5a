"""One million rows, ten folds, k = 1..30 on two cores: time beside bare cKDTree, and memory.

    python tests/benchmarks/bench_million.py [rows]

The peer searches the same training rows for the same test rows with scipy's cKDTree and as many
workers, and does nothing with what it finds. Each runs in a new process, whose memory and that of
its workers is sampled: everything that is their own, and once what they share of the data. What
they hold before the data exist, after the imports and a small run, is subtracted.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

WORKERS = 2
PROGRAMS = {
    "ours": """
import pycvstat as pcv
def work(n):
    X, y = problem(n)
    pcv.tune(pcv.KNN(kernel="rectangular"), X=X, y=y, grid={"k": range(1, 31)},
             folds=pcv.KFold(10, random=1), keep="fold_means", n_jobs=WORKERS)
""",
    "peer": """
from scipy.spatial import cKDTree
def work(n):
    X, y = problem(n)
    fold = np.random.default_rng(2).permutation(n) % 10
    for i in range(10):
        test = X[fold == i]
        tree = cKDTree(X[fold != i])
        for start in range(0, len(test), 16384):
            tree.query(test[start : start + 16384], 30, workers=WORKERS)
""",
}


def problem(n: int) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(1).normal(size=(n, 5))
    return X, np.sin(X[:, 0]) + X[:, 1]


def family(pid: int) -> list[int]:
    """A process and all its descendants."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += family(int(child))
    return found


def held(pid: int) -> float:
    """Memory of a process and its descendants, MB: their own, and the data that they share."""
    return sum(map(own_and_shared, family(pid))) / 1024


def own_and_shared(pid: int) -> int:
    """Own memory, and the share of the file that brings workers their data, kB; not libraries."""
    total, counted = 0, False
    try:
        lines = Path(f"/proc/{pid}/smaps").read_text().splitlines()
    except OSError:  # it has ended
        return 0
    for line in lines:
        word, *rest = line.split()
        if not word.endswith(":"):
            counted = not rest[4:] or "/pycvstat-" in rest[4] or rest[4].startswith("[")
        elif word == ("Pss:" if counted else "Anonymous:"):
            total += int(rest[0])
    return total


def sampled(stop: threading.Event, peak: list[float]) -> None:
    while not stop.wait(0.05):
        peak[0] = max(peak[0], held(os.getpid()))


def child(name: str, n: int) -> None:
    space = {"problem": problem, "np": np, "WORKERS": WORKERS}
    exec(PROGRAMS[name], space)
    work = space["work"]
    work(2000)  # type: ignore[operator]  # imports, compiled code, workers
    base = held(os.getpid())
    stop, peak = threading.Event(), [0.0]
    watch = threading.Thread(target=sampled, args=(stop, peak))
    watch.start()
    began = time.perf_counter()
    work(n)  # type: ignore[operator]
    seconds = time.perf_counter() - began
    stop.set()
    watch.join()
    print(seconds, base, peak[0])


def main(n: int = 1_000_000, repetitions: int = 3) -> None:
    times: dict[str, list[float]] = {"ours": [], "peer": []}
    for _ in range(repetitions):
        for name, found in times.items():
            command = [sys.executable, __file__, name, str(n)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            seconds, base, peak = map(float, done.stdout.split())
            found.append(seconds)
            print(f"{name}: {seconds:.1f} s, {peak - base:.0f} MB above {base:.0f} MB", flush=True)
    ratio = np.median(times["ours"]) / np.median(times["peer"])
    each = np.divide(times["ours"], times["peer"])
    spread = f"{each.min():.2f} to {each.max():.2f}"
    print(f"n = {n}: {ratio:.2f} ({spread}) times the time of bare searches; goals 1.15 and 400 MB")


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in PROGRAMS:
        child(sys.argv[1], int(sys.argv[2]))
    else:
        main(*map(int, sys.argv[1:]))
