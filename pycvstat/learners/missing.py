"""Rows that cannot be predicted, because a predictor is missing: said, or refused."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from pycvstat.errors import DataError, warn
from pycvstat.errors.checks import check_word
from pycvstat.types import BoolArray

NA = Literal["pass", "raise"]


def tell_missing(known: BoolArray, na: NA) -> None:
    """Warn of rows that cannot be predicted, or refuse them."""
    check_word("na", na, get_args(NA))
    if known.all():
        return
    count = f"{int((~known).sum())} of {len(known)} rows have missing or infinite predictors"
    first = f"the first is row {int(np.flatnonzero(~known)[0])}"
    if na == "raise":
        raise DataError(f"{count}.", given=first, fix="leave them out, or use na='pass'")
    warn(f"{count}; their predictions are NaN.", given=first)
