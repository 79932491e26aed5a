"""Fold labels of the course and of R packages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pycvstat.folds import Blocks, Holdout, KFold, RFolds
from pycvstat.parity.cases.case import Cases, case

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


def _letters(n: int) -> Any:
    import pandas as pd

    return pd.Categorical(np.where(np.arange(n) % 2 == 0, "a", "b"))


def _blocks(_: Mapping[str, Any], n: int, k: int) -> Any:
    return Blocks(k, as_in_r=True).plan(n).rows + 1


def _made(_: Mapping[str, Any], make: Callable[..., Any], n: int, k: int, seed: int) -> Any:
    return make(n, k, seed)


def cases() -> Cases:
    """Blocks, shuffled chunks, and the folds of packages."""
    found = {f"blocks, {n} rows, {k} folds": case(_blocks, n, k) for n, k in BLOCKS}
    return found | {
        f"{name}, {n} rows, {k} folds, seed {seed}": case(_made, make, n, k, seed)
        for seed in (1, 7, 123)
        for n, k in SIZES
        for name, make in MAKERS.items()
    }
