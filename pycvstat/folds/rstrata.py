"""How caret and rsample cut a variable into strata."""

from __future__ import annotations

import numpy as np

from pycvstat.data.frame import Column
from pycvstat.data.frame.collation import Collation, word_order
from pycvstat.errors import FoldError, warn
from pycvstat.folds.quantiles import interval_codes, interval_labels, quantiles
from pycvstat.folds.vectors import codes_of
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
        codes = interval_codes(column.values, breaks)
        return _by_text(codes, interval_labels(breaks), collation)
    if breaks[0] < 2:  # cut() takes a single break for a number of intervals
        raise FoldError(
            "y is constant, and caret's createFolds fails on it.",
            given=f"all {len(column)} values are {breaks[0]:g}",
            fix='use RFolds("rsample", ...) or KFold(...)',
        )
    return [np.arange(len(column))]


def rsample_strata(
    column: Column, integers: bool, collation: Collation, stream: Stream
) -> list[IntArray]:
    """Rows of each stratum, in the order of rsample's ``make_strata(x)``.

    Words, categories and numbers with at most 5 different values are classes; rows of classes
    with less than 10 % of the rows are spread over the others at random. Other numbers are cut
    at up to 4 quantiles of at least 20 rows each.

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
    """
    numeric = column.kind in ("numeric", "date")
    if numeric and len(np.unique(column.values)) > _CLASSES:
        return _quantile_strata(column.values)
    codes, levels = codes_of(column)
    if column.kind == "numeric" and not integers:
        levels = [as_character(value) for value in np.unique(column.values)]
    share = np.bincount(codes) / len(codes)
    if (share < _POOL).all():
        return _unstratified(len(codes))
    kept = [code for code in word_order(levels, collation) if share[code] >= _POOL]
    place = np.full(len(levels), -1)
    place[kept] = np.arange(len(kept))
    strata = place[codes]
    small = np.flatnonzero(strata < 0)
    if len(small):
        strata[small] = stream.sample(len(kept), len(small), replace=True) - 1
    return [np.flatnonzero(strata == stratum) for stratum in range(len(kept))]


def _quantile_strata(values: FloatArray) -> list[IntArray]:
    breaks = min(_BREAKS, len(values) // _DEPTH)
    if breaks < 2:
        return _unstratified(len(values))
    if breaks < _BREAKS:
        _warn(f"rsample stratifies by {breaks} quantile groups here, so that each has 20 rows.")
    edges = np.unique(quantiles(values, np.arange(breaks + 1) / breaks))
    codes = interval_codes(values, edges)
    return [np.flatnonzero(codes == stratum) for stratum in range(len(edges) - 1)]


def _unstratified(n: int) -> list[IntArray]:
    _warn(f"rsample does not stratify {n} rows: every stratum would be too small.")
    return [np.arange(n)]


def _warn(message: str) -> None:
    warn(message)


def _by_text(codes: IntArray, labels: list[str], collation: Collation) -> list[IntArray]:
    rows = [np.flatnonzero(codes == code) for code in word_order(labels, collation)]
    return [part for part in rows if len(part)]


def as_character(value: float) -> str:
    """A double as R writes it: 15 digits, whichever of fixed and scientific is shorter.

    Examples
    --------
    >>> as_character(100000.0), as_character(123456.0), as_character(0.1), as_character(-0.0)
    ('1e+05', '123456', '0.1', '0')
    """
    value += 0.0  # -0.0 is written as 0
    mantissa, exponent = f"{value:.14e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    digits = len(mantissa.lstrip("-").replace(".", ""))
    power = int(exponent)
    fixed = f"{value:.{max(0, digits - 1 - power)}f}"
    scientific = f"{mantissa}e{power:+03d}"
    return fixed if len(fixed) <= len(scientific) else scientific
