"""Fold labels of the course and of R packages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from pycvstat.folds.plan import FoldPlan
from pycvstat.r.check.cases.case import Cases, case

BLOCKS = ((20, 4), (10, 3), (7, 7), (103, 10), (100, 8), (10, 6), (9, 6), (50, 49))
SIZES = ((32, 10), (150, 7), (11, 3))
MAKERS: dict[str, Callable[[int, int, int], Any]] = {
    "shuffled chunks": lambda n, k, seed: KFold(k, random=seed).plan(n).fold_ids,
    "rsample vfold_cv": lambda n, k, seed: RFolds("rsample", k, seed=seed).plan(n).fold_ids,
    "glmnet foldid": lambda n, k, seed: RFolds("glmnet", k, seed=seed).plan(n).fold_ids,
    "caret createFolds, numeric y": lambda n, k, seed: (
        RFolds("caret", k, seed=seed).plan(n, y=np.sin(np.arange(1, n + 1))).fold_ids
    ),
    "caret createFolds, factor y": lambda n, k, seed: (
        RFolds("caret", k, seed=seed).plan(n, y=_letters(n)).fold_ids
    ),
    "holdout, last quarter of shuffled rows": lambda n, k, seed: (
        Holdout(0.25, random=seed).plan(n).test_rows(0) + 1
    ),
}


Y, GROUP = list("abcb" * 8), np.arange(32) % 11
PLANS: dict[str, Callable[[int], FoldPlan]] = {
    "stratified by classes": lambda seed: Stratified(4, random=seed).plan(32, y=Y),
    "stratified by quantiles": lambda seed: Stratified(4, random=seed).plan(
        32, y=np.sin(np.arange(1, 33))
    ),
    "grouped": lambda seed: Grouped(4, random=seed).plan(32, groups=GROUP),
    "subsampling": lambda seed: Subsampling(4, train=0.8, random=seed).plan(32),
    "repeated": lambda seed: Repeated(KFold(4), 3, random=seed).plan(32),
    "nested pairs": lambda seed: NestedPairs(4, repeats=2, random=seed).plan(32),
    "paired halves": lambda seed: PairedHalves(2, 2, 0.8, random=seed).plan(32),
    "5x2": lambda seed: FiveByTwo(random=seed).plan(32),
    "boot cv.glm": lambda seed: RFolds("boot", 4, seed=seed).plan(32),
    "cv cv": lambda seed: RFolds("cv", 4, seed=seed).plan(32),
    "kknn cv.kknn": lambda seed: RFolds("kknn", 4, seed=seed).plan(32),
}


def _letters(n: int) -> Any:
    import pandas as pd

    return pd.Categorical(np.where(np.arange(n) % 2 == 0, "a", "b"))


def _blocks(_: Mapping[str, Any], n: int, k: int) -> Any:
    return Blocks(k, as_in_r=True).plan(n).rows + 1


def _made(_: Mapping[str, Any], make: Callable[..., Any], n: int, k: int, seed: int) -> Any:
    return make(n, k, seed)


def _rows(_: Mapping[str, Any], make: Callable[[int], FoldPlan], seed: int) -> Any:
    return np.concatenate([np.sort(rows) for rows in make(seed).to_rows(first=1)])


def cases() -> Cases:
    """Blocks, shuffled chunks, every other splitter, and the folds of packages."""
    found = {f"blocks, {n} rows, {k} folds": case(_blocks, n, k) for n, k in BLOCKS}
    found |= {
        f"{name}, 32 rows, 4 folds, seed {seed}": case(_rows, make, seed)
        for seed in (1, 7, 123)
        for name, make in PLANS.items()
    }
    return found | {
        f"{name}, {n} rows, {k} folds, seed {seed}": case(_made, make, n, k, seed)
        for seed in (1, 7, 123)
        for n, k in SIZES
        for name, make in MAKERS.items()
    }
