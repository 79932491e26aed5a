"""Folds of every splitter, of the course and of R packages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from pycvstat.folds import (
    Blocks,
    FiveByTwo,
    Grouped,
    Holdout,
    KFold,
    NestedPairs,
    PairedHalves,
    Repeated,
    RFolds,
    Stratified,
    Subsampling,
)
from pycvstat.r.check.call import Call, call_of
from pycvstat.r.check.cases import Cases

BLOCKS = ((20, 4), (10, 3), (7, 7), (103, 10), (100, 8), (10, 6), (9, 6), (50, 49))
SIZES = ((32, 10), (150, 7), (11, 3))
SPLITTERS: dict[str, Callable[[int, int], Any]] = {
    "shuffled chunks": lambda k, seed: KFold(k, random=seed),
    "rsample vfold_cv": lambda k, seed: RFolds("rsample", k, seed=seed),
    "glmnet foldid": lambda k, seed: RFolds("glmnet", k, seed=seed),
    "caret createFolds, numeric y": lambda k, seed: RFolds("caret", k, seed=seed),
    "caret createFolds, factor y": lambda k, seed: RFolds("caret", k, seed=seed),
    "holdout": lambda k, seed: Holdout(0.25, random=seed),
}
MORE: dict[str, Callable[[int], Any]] = {
    "stratified by classes, factor y": lambda seed: Stratified(4, random=seed),
    "stratified by quantiles, numeric y": lambda seed: Stratified(4, random=seed),
    "grouped": lambda seed: Grouped(4, random=seed),
    "subsampling": lambda seed: Subsampling(4, train=0.8, random=seed),
    "repeated": lambda seed: Repeated(KFold(4), 3, random=seed),
    "nested pairs": lambda seed: NestedPairs(4, repeats=2, random=seed),
    "paired halves": lambda seed: PairedHalves(2, 2, 0.8, random=seed),
    "5x2": lambda seed: FiveByTwo(random=seed),
    "boot cv.glm": lambda seed: RFolds("boot", 4, seed=seed),
    "cv cv": lambda seed: RFolds("cv", 4, seed=seed),
    "kknn cv.kknn": lambda seed: RFolds("kknn", 4, seed=seed),
}


def _planned(splitter: Any, n: int, name: str = "") -> Call:
    import pandas as pd

    y: Any = None
    if "numeric" in name:
        y = np.sin(np.arange(1, n + 1))
    if "factor" in name:
        y = pd.Categorical(np.array(["a", "b", "c", "b"])[np.arange(n) % 4])
    groups = np.arange(n) % 11 if name == "grouped" else None
    return call_of(splitter.plan(n, y=y, groups=groups), y=y)


def cases() -> Cases:
    """Blocks, shuffled chunks, every other splitter, and the folds of packages."""
    found: Cases = {
        f"blocks, {n} rows, {k} folds": partial(_planned, Blocks(k, as_in_r=True), n)
        for n, k in BLOCKS
    }
    for seed in (1, 7, 123):
        for name, make in SPLITTERS.items():
            for n, k in SIZES:
                case = partial(_planned, make(k, seed), n, name)
                found[f"{name}, {n} rows, {k} folds, seed {seed}"] = case
        for name, of in MORE.items():
            found[f"{name}, 32 rows, 4 folds, seed {seed}"] = partial(_planned, of(seed), 32, name)
    return found
