"""caret's ``preProcess``: learned from the predictors of training rows, and done to others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pycvstat.errors import FitError, InputError, note
from pycvstat.rmath.sums import mean, sd
from pycvstat.types import BoolArray, FloatArray

Change = Callable[[FloatArray], FloatArray]

WORDS = {
    "center": "centered",
    "scale": "scaled",
    "range": "re-scaling to [0, 1]",
    "pca": "principal component signal extraction",
    "zv": "remove",
    "nzv": "remove",
}
FREQUENT, DISTINCT = 95 / 5, 10.0  # of nearZeroVar
SHARE = 0.95  # of the variance that the components must have


def methods_of(given: Any) -> tuple[str, ...]:
    """The methods asked for; components need centred and scaled columns."""
    named = (given,) if isinstance(given, str) else tuple(given or ())
    unknown = [one for one in named if one not in WORDS]
    if unknown:
        raise InputError(
            "train does not know this pre-processing.",
            given=f"preProcess with {unknown[0]!r}",
            fix=f"use some of {', '.join(WORDS)}",
        )
    if {"range"} < {*named} & {"range", "center", "scale", "pca"}:
        raise InputError("columns are centred and scaled, or put into a range.", given=named)
    more = ("center", "scale") if "pca" in named else ()
    return tuple(dict.fromkeys((*named, *more)))


def learned(
    methods: Sequence[str], X: FloatArray, columns: Sequence[str]
) -> tuple[BoolArray, Change]:
    """Which columns are kept, and what is done to new rows, learned from the rows X (n, p)."""
    kept = np.ones(X.shape[1], dtype=bool)
    if "zv" in methods:
        kept = np.array([len(np.unique(column)) > 1 for column in X.T])
    if "nzv" in methods:
        kept = kept & ~np.array([_nearly_constant(column) for column in X.T])
    low, by = np.zeros(int(kept.sum())), np.ones(int(kept.sum()))
    used = X[:, kept]
    if "range" in methods:
        low, by = used.min(axis=0), np.ptp(used, axis=0)
        low = np.where(by > 0, low, 0.0)
    if "center" in methods:
        low = mean(used, axis=0)
    if "scale" in methods:
        by = sd(used - low, axis=0)  # of centred columns, if they are: the last bit can differ
    flat = by < np.finfo(np.float64).eps
    if flat.any():
        names = ", ".join(np.array(columns, dtype=object)[kept][flat])
        if "pca" in methods:
            raise FitError("cannot rescale a constant column to unit variance.", given=names)
        note(f"these variables have zero variances: {names}")
        by = np.where(flat, 1.0, by)

    def scaled(new: FloatArray) -> FloatArray:
        return (new[:, kept] - low) / by

    if "pca" not in methods:
        return kept, scaled
    _, size, axes = np.linalg.svd(scaled(X), full_matrices=False)
    share = np.cumsum(size**2) / (size**2).sum()
    axes = axes[: max(2, int(np.argmax(share > SHARE)) + 1)].T

    def components(new: FloatArray) -> FloatArray:
        # column by column: equal rows have equal components wherever they stand, and no distance
        total = np.zeros((len(new), axes.shape[1]))
        for column, axis in zip(scaled(new).T, axes, strict=True):
            total += column[:, None] * axis
        return total

    return kept, components


def _nearly_constant(column: FloatArray) -> bool:
    values, counts = np.unique(column, return_counts=True)
    if len(values) < 2:
        return True
    second, first = np.sort(counts)[-2:]
    return bool(first / second > FREQUENT and 100 * len(values) / len(column) <= DISTINCT)


def words_of(methods: Sequence[str], kept: BoolArray) -> str:
    """What was done to how many columns, as train prints it."""
    words = [f"{WORDS[one]} ({kept.sum()})" for one in methods if WORDS[one] != "remove"]
    removed = [f"remove ({(~kept).sum()})"] if not kept.all() else []
    done = ", ".join([*words, *removed]) or " (None)" * bool(methods)
    return f"Pre-processing: {done}" if done else "No pre-processing"
