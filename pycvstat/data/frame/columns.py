"""A column: one variable of a known kind, read once, never changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pycvstat.data.frame.collation import Collation, word_order
from pycvstat.types import BoolArray, FloatArray

Kind = Literal["numeric", "logical", "factor", "ordered", "text", "date"]
MICROSECONDS_PER_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One variable.

    Attributes
    ----------
    name : str
        Its name in the data.
    kind : {"numeric", "logical", "factor", "ordered", "text", "date"}
        What it holds.
    values : ndarray of shape (n,)
        float64 with NaN for missing values (numeric; logical as 0 and 1; dates as days since
        1970-01-01, as in R), int32 codes with -1 for missing values (factor, ordered), or
        objects with None for missing values (text).
    levels : tuple of str
        The levels of a factor, in their order; empty for the other kinds.
    dtype : str
        The type in which numbers were given, such as "int64"; empty for doubles.

    Examples
    --------
    >>> from pycvstat.data.frame import read
    >>> column = read({"size": ["s", "l", None]})["size"]
    >>> column.kind, column.missing()
    ('text', array([False, False,  True]))
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    levels: tuple[str, ...] = ()
    dtype: str = ""

    def __post_init__(self) -> None:
        self.values.flags.writeable = False

    def __len__(self) -> int:
        return len(self.values)

    def missing(self) -> BoolArray:
        """Which values are missing: a boolean array of shape (n,).

        Examples
        --------
        >>> from pycvstat.data.frame import read
        >>> read({"x": [1.0, float("nan"), float("inf")]})["x"].missing()
        array([False,  True, False])
        """
        if self.kind == "text":
            return np.asarray(pd.isna(self.values), dtype=bool)
        if self.kind in ("factor", "ordered"):
            return np.asarray(self.values < 0)
        return np.asarray(np.isnan(self.values))

    def infinite(self) -> BoolArray:
        """Which values are infinite; infinite values are not missing, as in R.

        Examples
        --------
        >>> from pycvstat.data.frame import read
        >>> read({"x": [1.0, float("nan"), float("inf")]})["x"].infinite()
        array([False, False,  True])
        """
        if self.kind == "numeric":
            return np.asarray(np.isinf(self.values))
        return np.zeros(len(self), dtype=bool)

    def take(self, rows: ArrayLike) -> Column:
        """The same column at some rows (0-based positions or a mask); levels are kept.

        Examples
        --------
        >>> from pycvstat.data.frame import read
        >>> read({"x": [1, 2, 3]})["x"].take([2, 0]).values
        array([3., 1.])
        """
        return replace(self, values=self.values[positions(rows)])

    def rename(self, name: str) -> Column:
        """The same values under another name.

        Examples
        --------
        >>> from pycvstat.data.frame import read
        >>> read({"x": [1]})["x"].rename("z").name
        'z'
        """
        return replace(self, name=name)

    def labels(self) -> NDArray[np.object_]:
        """The values as words, None where missing; numbers are written with 15 digits.

        Examples
        --------
        >>> from pycvstat.data.frame import read
        >>> read({"x": [1, 2.5]})["x"].labels().tolist()
        ['1', '2.5']
        """
        if self.kind == "text":
            return self.values
        codes, levels = self.as_factor()
        return np.array([*levels, None], dtype=object)[codes]

    def as_factor(self, words: Collation = "ICU") -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """Codes (-1 for missing) and levels; levels of other kinds are sorted.

        Words are sorted as `word_order` says, numbers by size, and a logical always has the
        levels FALSE and TRUE. As in R: ``factor(x)``.

        Examples
        --------
        >>> from pycvstat.data.frame import read
        >>> read({"x": ["b", "a", "b"]})["x"].as_factor()
        (array([1, 0, 1], dtype=int32), ('a', 'b'))
        """
        if self.kind in ("factor", "ordered"):
            return self.values, self.levels
        if self.kind == "logical":
            codes = np.where(self.missing(), -1, self.values).astype(np.int32)
            return codes, ("FALSE", "TRUE")
        if self.kind == "text":
            places, levels = pd.factorize(self.values, sort=False, use_na_sentinel=True)
            return _sorted_levels(places, [str(level) for level in levels], words)
        distinct, inverse = np.unique(self.values, return_inverse=True)
        codes = np.where(self.missing(), -1, inverse).astype(np.int32)
        if self.kind == "date":
            return codes, tuple(_date_words(distinct[~np.isnan(distinct)]))
        names = [level_name(value) for value in distinct[~np.isnan(distinct)]]
        return _merged_levels(codes, names)

    def to_pandas(self, *, as_given: bool = False) -> pd.Series[Any]:
        """The column as a pandas Series, numbers as doubles or in the type they were given in.

        Examples
        --------
        >>> from pycvstat.data.frame import read
        >>> read({"x": [True, None]})["x"].to_pandas().dtype
        BooleanDtype
        >>> read({"x": [1, 2]})["x"].to_pandas(as_given=True).dtype
        dtype('int64')
        """
        if self.kind in ("factor", "ordered"):
            categories = pd.Index(list(self.levels), dtype=object)
            ordered = self.kind == "ordered"
            made: Any = pd.Categorical.from_codes(self.values, categories, ordered=ordered)
        elif self.kind == "logical":
            truth, missing = self.values == 1, self.missing()
            made = pd.arrays.BooleanArray(truth, missing) if missing.any() else truth
        elif self.kind == "date":
            made = _dates(self.values)
        else:
            made = self.values
        series: pd.Series[Any] = pd.Series(made, name=self.name)
        return series.astype(cast(Any, self.dtype)) if as_given and self.dtype else series


def level_name(value: object) -> str:
    """How a value is written as a level: R's words for logicals, 15 digits for numbers."""
    if isinstance(value, (bool, np.bool_)):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (float, np.floating)):
        number = float(value)
        whole = number.is_integer() and abs(number) < 1e15
        return str(int(number)) if whole else f"{number:.15g}"
    return str(value)


def _sorted_levels(
    codes: NDArray[Any], words: Sequence[str], collation: Collation
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    order = word_order(words, collation)
    place = np.empty(len(words) + 1, dtype=np.int32)
    place[order] = np.arange(len(words))
    place[-1] = -1
    return place[codes], tuple(words[i] for i in order)


def _merged_levels(
    codes: NDArray[np.int32], names: Sequence[str]
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Numbers that agree to 15 digits are one level, as in R."""
    levels = tuple(dict.fromkeys(names))
    if len(levels) == len(names):
        return codes, levels
    place = np.array([*(levels.index(name) for name in names), -1], dtype=np.int32)
    return place[codes], levels


def _dates(days: FloatArray) -> NDArray[Any]:
    made = np.full(len(days), np.datetime64("NaT", "us"))
    known = ~np.isnan(days)
    made[known] = np.rint(days[known] * MICROSECONDS_PER_DAY).astype("int64").astype("M8[us]")
    return made


def _date_words(days: FloatArray) -> list[str]:
    whole = bool((days == np.floor(days)).all())
    return [str(word) for word in np.datetime_as_string(_dates(days), unit="D" if whole else "s")]


def positions(rows: ArrayLike) -> NDArray[Any]:
    """Rows as an index: positions or a mask; an empty list means no rows."""
    taken = np.asarray(rows)
    return taken.astype(np.intp) if taken.size == 0 and taken.dtype != bool else taken
