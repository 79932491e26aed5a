"""cv.glmnet of R and ours, 10 folds and 100 penalties, on the same data in one run.

    python tests/benchmarks/bench_glmnet.py [repetitions]

Seconds of the processor, one thread each, medians after one run that is not counted; R and Python
take turns. Both must give the same errors.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from pycvstat.r.glmnet import CvGlmnet, cv_glmnet

WORK = (
    (1000, 20, "gaussian"),
    (1000, 200, "gaussian"),
    (500, 2000, "gaussian"),
    (20_000, 100, "gaussian"),
    (1000, 100, "binomial"),
)

R = """
suppressMessages(library(glmnet))
args <- commandArgs(TRUE)
n <- as.integer(args[1]); p <- as.integer(args[2]); at <- function(name) file.path(args[3], name)
x <- matrix(readBin(at("x"), "double", n * p), n); y <- readBin(at("y"), "double", n)
ids <- rep(1:10, length = n)
run <- function() g <<- cv.glmnet(x, y, family = args[4], foldid = ids)
for (i in 1:2) spent <- system.time(run())[["user.self"]]
writeBin(c(spent, g$cvm), at("told"))
"""


def in_r(X: np.ndarray, y: np.ndarray, family: str) -> tuple[float, np.ndarray]:
    """Seconds of the second run, and the errors."""
    with tempfile.TemporaryDirectory() as folder:
        X.T.tofile(Path(folder, "x"))
        y.tofile(Path(folder, "y"))
        one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        sizes = [str(size) for size in X.shape]
        subprocess.run(
            ["Rscript", "-e", R, *sizes, folder, family], check=True, env=os.environ | one
        )
        told = np.fromfile(Path(folder, "told"))
    return float(told[0]), told[1:]


def here(X: np.ndarray, y: np.ndarray, family: str) -> tuple[float, CvGlmnet]:
    start = time.process_time()
    found = cv_glmnet(X, y, family=family, foldid=np.arange(len(y)) % 10 + 1)
    return time.process_time() - start, found


def main(repetitions: int) -> None:
    print(
        f"{'n x p':>14} {'family':>9} {'ours (s)':>9} {'R (s)':>7}"
        f" {'times as fast':>14} {'range':>14}"
    )
    for n, p, family in WORK:
        rng = np.random.default_rng(1)
        X = rng.normal(size=(n, p))
        y = X[:, 0] - X[:, 1] / 2 + X[:, 2] / 3 + rng.normal(size=n)
        y = (y > 0.0).astype(float) if family == "binomial" else y
        here(X, y, family)
        ours, theirs = [], []
        for _ in range(repetitions):
            spent, found = here(X, y, family)
            seconds, cvm = in_r(X, y, family)
            np.testing.assert_allclose(found.cvm, cvm, rtol=1e-8)
            ours.append(spent)
            theirs.append(seconds)
        ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
        us, them = statistics.median(ours), statistics.median(theirs)
        print(
            f"{f'{n:,} x {p:,}':>14} {family:>9} {us:9.4f} {them:7.3f} {them / us:14.1f}"
            f" {min(ratios):6.1f} to {max(ratios):.1f}",
            flush=True,
        )


if __name__ == "__main__":
    with threadpool_limits(1):
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
