"""What can be asked of a generator: counts, recycled parameters, values and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pycvstat.errors import InputError
from pycvstat.errors.checks import is_whole
from pycvstat.types import FloatArray

_LARGEST = 4_500_000_000_000_000


def count_of(n: Any) -> int:
    """A number of draws: an integer that is not negative."""
    if not is_whole(n) or n < 0:
        raise InputError("The number of draws must be an integer >= 0.", given=repr(n))
    return int(n)


def recycled(values: Any, n: int, name: str) -> FloatArray:
    """Values repeated to length `n`, as R recycles a parameter."""
    try:
        given = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        raise InputError(f"{name} must be numeric.", given=repr(values)) from None
    if given.ndim != 1 or (len(given) == 0 and n > 0):
        raise InputError(f"{name} must be a number or a vector.", given=repr(values))
    return np.full(n, given[0]) if len(given) == 1 else np.resize(given, n)


def values_of(x: Any) -> tuple[npt.NDArray[Any] | None, int]:
    """The values to draw from (None: 1..n) and how many there are."""
    if is_whole(x):
        if x < 1:
            raise InputError("There is nothing to draw from: n must be at least 1.", given=x)
        if x > _LARGEST:
            raise InputError("R draws from at most 4.5e15 values.", given=x)
        return None, int(x)
    if isinstance(x, (str, bytes, dict, set)) or not hasattr(x, "__len__"):
        raise InputError("x must be an integer n, for 1..n, or a sequence.", given=repr(x))
    values = np.asarray(x)
    if values.ndim != 1:
        raise InputError("x must have one dimension.", given=f"an array of shape {values.shape}")
    return values, len(values)


def probabilities(prob: Any, n: int, need: int) -> FloatArray:
    """Weights that add up to 1, of which `need` are above 0."""
    weights = recycled(prob, len(prob) if hasattr(prob, "__len__") else 1, "prob")
    if len(weights) != n:
        raise InputError(
            "prob needs one weight per value.", given=f"{len(weights)} weights for {n} values"
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError("prob must be finite and not negative.")
    positive = int(np.count_nonzero(weights))
    if positive == 0 or positive < need:
        raise InputError(
            "Too few values can be drawn.", given=f"{positive} with a weight above 0",
            fix="pass replace=True, a smaller size or more positive weights",
        )  # fmt: skip
    total = float(np.cumsum(weights)[-1])  # one after the other, as R adds them
    return weights / total
