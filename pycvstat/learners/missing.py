"""Rows with missing predictors: their places, and what is said of them."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import DataError, warn
from pycvstat.errors.checks import check_word
from pycvstat.types import BoolArray

NA = Literal["pass", "raise"]


def spread(values: NDArray[Any], known: BoolArray, missing: Any) -> NDArray[Any]:
    """Values of the known rows in their places among all rows."""
    full = np.full((len(known), *values.shape[1:]), missing, dtype=values.dtype)
    full[known] = values
    return full


def tell_missing(known: BoolArray, na: NA) -> None:
    """Warn of rows that cannot be predicted, or refuse them."""
    check_word("na", na, get_args(NA))
    if known.all():
        return
    count = f"{int((~known).sum())} of {len(known)} rows have missing or infinite predictors"
    first = f"the first is row {int(np.flatnonzero(~known)[0]) + 1} (counted from 1)"
    if na == "raise":
        raise DataError(f"{count}.", given=first, fix="leave them out, or use na='pass'")
    warn(f"{count}; their predictions are NaN.", given=first)
