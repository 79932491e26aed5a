"""Columns and predictions that leave the range of numbers are refused."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pycvstat.errors import FitError
from pycvstat.types import FloatArray

SMALLEST = 1e-140  # the square still has all its digits, and so has its inverse


def refuse_extreme(name: str, X: FloatArray, columns: Sequence[str]) -> None:
    """Refuse columns whose squares leave the range of numbers.

    Examples
    --------
    >>> refuse_extreme("Lasso", np.array([[1e-100], [0.0]]), ["x"])
    """
    size = np.abs(X).max(axis=0, initial=0.0)
    bad = (size > 0) & ((size < SMALLEST) | (size > 1 / SMALLEST))
    if bad.any():
        place = int(bad.argmax())
        raise FitError(
            f"{name} cannot use a column whose squares leave the range of numbers.",
            given=f"{columns[place]}, with values up to {size[place]:.3g} in size",
            fix="change the unit of the column",
        )


def refuse_non_finite(name: str, values: FloatArray) -> None:
    """Predictions that left the range of numbers: R gives them as NaN or Inf."""
    bad = ~np.isfinite(values)
    if bad.any():
        raise FitError(
            f"{name} gives predictions that are not finite.",
            given=f"{int(bad.sum())} of {len(bad)} rows, the first is row {bad.argmax()}",
            fix="change the unit of columns of extreme size",
        )
