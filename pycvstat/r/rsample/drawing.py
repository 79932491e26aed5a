"""What rsample's splits draw: rows of strata, from the session's stream."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pycvstat.data.frame import Column
from pycvstat.errors import FoldError
from pycvstat.errors.checks import is_number
from pycvstat.folds.forms import are_integers, named, values_of
from pycvstat.folds.problems import rows_of
from pycvstat.folds.strata import rsample_strata
from pycvstat.r.session import stream
from pycvstat.r.values import whole
from pycvstat.types import IntArray


def row_count(data: Any) -> int:
    """How many rows there are to split, at least 2."""
    n = rows_of(data)
    if n < 2:
        raise FoldError("Splits need at least 2 rows of data.", given=f"{n} rows")
    return n


def share_of(prop: Any) -> float:
    """A share of training rows."""
    if not (is_number(prop) and 0 < prop < 1):
        raise FoldError("prop must be a number between 0 and 1.", given=f"prop={prop!r}")
    return float(prop)


def require_training(size: int, n: int) -> None:
    """Refuse a split without training rows."""
    if size < 1:
        problem = "At least one row should be selected for training."
        raise FoldError(problem, given=f"{size} of {n} rows", fix="use a larger prop")


def column_of(data: Any, name: Any, what: str) -> Column:
    """A column of the data by its name, none of it missing."""
    if not isinstance(name, str):
        raise FoldError(f"{what} is the name of a column of the data.", given=repr(name))
    return values_of(name, data, what)


def strata_of(data: Any, n: int, strata: str | None, breaks: Any, pool: Any) -> Sequence[IntArray]:
    """The rows of each stratum; one where there are none."""
    if strata is None:
        return [np.arange(n)]
    column = column_of(data, strata, "strata")
    if not (is_number(pool) and 0 <= pool <= 1):
        raise FoldError("pool is a share between 0 and 1.", given=f"pool={pool!r}")
    cuts = whole(breaks, "breaks")
    return rsample_strata(
        column, are_integers(named(strata, data, "strata")), "ICU", stream(), cuts, float(pool)
    )


def training_rows(
    data: Any, n: int, share: float | None, times: int, strata: str | None, breaks: Any, pool: Any
) -> list[IntArray]:
    """Training rows of each split, from every stratum a share, or as many with replacement."""
    parts = []
    for rows in strata_of(data, n, strata, breaks, pool):
        size = len(rows) if share is None else math.floor(len(rows) * share)
        drawn = [stream().sample(len(rows), size, share is None) - 1 for _ in range(times)]
        parts.append([rows[np.sort(one) if strata else one] for one in drawn])
    require_training(sum(len(part[0]) for part in parts), n)
    return [np.concatenate(together) for together in zip(*parts, strict=True)]
