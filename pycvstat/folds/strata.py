"""Classes and strata as caret and rsample make them of a variable, in the order of their draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.data.frame import Column
from pycvstat.data.frame.columns import Collation, word_order
from pycvstat.errors import FoldError, warn
from pycvstat.folds.forms import codes_of
from pycvstat.rmath.arithmetic import as_character, cut, cut_labels, quantiles
from pycvstat.rmath.random import Stream
from pycvstat.types import FloatArray, IntArray

_BREAKS, _POOL, _DEPTH, _CLASSES = 4, 0.1, 20, 5  # rsample's defaults


def caret_classes(column: Column, k: int, collation: Collation) -> list[IntArray]:
    """Rows of each class, in the order of caret's ``createFolds(y, k)``.

    A numeric y is cut at 2 to 5 quantiles. Classes come in the order of their labels as text,
    so "(10,20]" before "(5,10]".
    """
    if column.kind != "numeric":
        return _by_text(*codes_of(column), collation)
    cuts = min(max(len(column) // k, 2), 5)
    breaks = np.unique(quantiles(column.values, np.linspace(0, 1, cuts)))
    if len(breaks) > 1:
        codes = cut(column.values, breaks, lowest=True)
        return _by_text(codes, cut_labels(breaks, lowest=True), collation)
    if breaks[0] < 2:  # cut() takes a single break for a number of intervals
        fix = 'use RFolds("rsample", ...) or KFold(...)'
        given = f"all {len(column)} values are {breaks[0]:g}"
        raise FoldError("y is constant, and caret's createFolds fails on it.", given=given, fix=fix)
    return [np.arange(len(column))]


def rsample_strata(
    column: Column,
    integers: bool,
    collation: Collation,
    stream: Stream,
    breaks: int = _BREAKS,
    pool: float = _POOL,
) -> list[IntArray]:
    """Rows of each stratum, in the order of rsample's ``make_strata(x)``.

    Words, categories and numbers with at most 5 different values are classes; rows of classes
    with a smaller share of the rows than `pool` are spread over the others at random. Other
    numbers are cut at `breaks` quantiles, or at fewer, so that each has at least 20 rows.

    Parameters
    ----------
    column : Column
        The variable.
    integers : bool
        Whether its numbers are integers by type: R writes 100000 as "1e+05" otherwise.
    collation : {"ICU", "C"}
        How words are sorted.
    stream : Stream
        What the rows of small classes are spread with.
    breaks : int
    pool : float
    """
    numeric = column.kind in ("numeric", "date")
    if numeric and len(np.unique(column.values)) > _CLASSES:
        return _quantile_strata(column.values, breaks)
    codes, levels = codes_of(column)
    if column.kind == "numeric" and not integers:
        levels = [as_character(value) for value in np.unique(column.values)]
    share = np.bincount(codes) / len(codes)
    if (share < pool).all():
        return _unstratified(len(codes))
    if pool < _POOL and (share < _POOL).any():
        warn(f"Strata of {100 * pool:.0f}% of the data may be statistically risky.")
    kept = [code for code in word_order(levels, collation) if share[code] >= pool]
    place = np.full(len(levels), -1)
    place[kept] = np.arange(len(kept))
    strata = place[codes]
    small = np.flatnonzero(strata < 0)
    if len(small):
        strata[small] = stream.sample(len(kept), len(small), replace=True) - 1
    return [np.flatnonzero(strata == stratum) for stratum in range(len(kept))]


def _quantile_strata(values: FloatArray, wanted: int) -> list[IntArray]:
    breaks = min(wanted, len(values) // _DEPTH)
    if breaks < 2:
        return _unstratified(len(values))
    if breaks < wanted:
        warn(f"rsample stratifies by {breaks} quantile groups here, so that each has 20 rows.")
    edges = np.unique(quantiles(values, np.arange(breaks + 1) / breaks))
    codes = cut(values, edges, lowest=True)
    return [np.flatnonzero(codes == stratum) for stratum in np.unique(codes)]


def _unstratified(n: int) -> list[IntArray]:
    warn(f"rsample does not stratify {n} rows: every stratum would be too small.")
    return [np.arange(n)]


def _by_text(codes: NDArray[Any], labels: Sequence[str], collation: Collation) -> list[IntArray]:
    rows = [np.flatnonzero(codes == code) for code in word_order(labels, collation)]
    return [part for part in rows if len(part)]
