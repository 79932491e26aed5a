"""The path of penalties

Both programs get the same folds and give the same errors. R's seconds are those that it reports of
its second call.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pycvstat.r import bridge
from pycvstat.r.bridge.installed import r_packages
from pycvstat.r.glmnet import cv_glmnet
from tests.benchmarks.line import ONE_THREAD, Cost, Line

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
for (i in 1:2) spent <- system.time(run())
writeBin(c(spent[["elapsed"]], spent[["user.self"]], g$cvm), at("told"))
"""


def in_r(X: np.ndarray, y: np.ndarray, family: str) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        X.T.tofile(Path(folder, "x"))
        y.tofile(Path(folder, "y"))
        command = ["Rscript", "-e", R, *map(str, X.shape), folder, family]
        subprocess.run(command, check=True, env=os.environ | ONE_THREAD)
        wall, processor, *cvm = np.fromfile(Path(folder, "told"))
    return Cost(float(wall), float(processor), None, np.array(cvm))


def against_glmnet(n: int, p: int, family: str) -> Line:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, p))
    y = X[:, 0] - X[:, 1] / 2 + X[:, 2] / 3 + rng.normal(size=n)
    y = (y > 0.0).astype(float) if family == "binomial" else y
    ids = np.arange(n) % 10 + 1
    return Line(f"cv.glmnet, {family}, {n:,} x {p:,}",
                lambda: cv_glmnet(X, y, family=family, foldid=ids).cvm, "glmnet in R",
                lambda: in_r(X, y, family), times=1, agree=1e-8, runs=3, their_runs=3)  # fmt: skip


def lines() -> Iterator[Line]:
    if bridge.available() and r_packages(["glmnet"])["glmnet"] is not None:
        yield from (against_glmnet(*some) for some in WORK)
