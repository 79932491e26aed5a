"""A column: one variable of a known kind, read once, never changed; words in R's order."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pycvstat.errors.checks import check_numbers
from pycvstat.types import BoolArray, FloatArray

Collation = Literal["ICU", "C"]

# what ICU tells apart first: marks, signs of currency, digits, letters
_MARKS = (
    "\t\n\v\f\r _-‐‒–—―,;:!¡?¿.·'‘’‚‹›\"“”„«»()[]{}§¶@*/\\&#%‰†‡•′`´^¯¨¸°©®←→↑↓∂∆∏∑+±÷×<=>¬|¦~"
    "−⁄√∞∫≈≤≥♀♂¤¢$£¥€"
)
_LETTERS = (
    "abcdeəfƒghiıjklmnŋopqĸrstŧuvwxyzʒþ"
    "αβγδεζηθικλμνξοπρστυφχψω"
    "аәбвгғдђҙеєжҗзѕиійјкқҡлљмнңњоөпрсҫтћуүұфхҳһцчҷџшщъыьэюя"
)
_PLACE = {char: i for i, char in enumerate(f"{_MARKS}0123456789{_LETTERS}")}
# then: the second form of a letter, instead of its first; after a letter its accents
_FORM, _LONG, _DOT = "\ue000", "\ue001", "\ue002"
_ACCENTS = (
    f"{_FORM}{_LONG}\u0313\u0314\u0301\u0300\u0306\u0302\u030c\u030a\u0342\u0308\u030b\u0303"
    "\u0307\u0338\u0327\u0328\u0304\u0335\u0309\u030f\u0311\u031b\u0323\u0324\u0325\u0326\u032d"
    f"\u032e\u0330\u0331\u0345{_DOT}"
)
_ACCENT = {mark: 1 + i for i, mark in enumerate(_ACCENTS)}
_LETTER = {"æ": f"a{_FORM}e", "œ": f"o{_FORM}e", "ß": f"s{_FORM}s", "ð": f"d{_FORM}"}
_LETTER |= {"ſ": f"s{_LONG}", "ŀ": f"l{_DOT}", "đ": "d\u0335", "ħ": "h\u0335", "ł": "l\u0335"}
_LETTER |= {"ø": "o\u0338", "ς": "σ", "й": "й", "ґ": f"г{_FORM}"}
# last: small letters, their variants, capitals, raised letters and the like
_SMALL, _VARIANT, _CAPITAL, _RAISED = range(4)
_CASE = {"": _SMALL, "<compat>": _VARIANT, "<noBreak>": _VARIANT}


def word_order(words: Sequence[str], collation: Collation) -> list[int]:
    """The places of words in R's order: letters first, then accents, then lower before upper case.

    Parameters
    ----------
    words : sequence of str
    collation : {"ICU", "C"}
        "ICU" is its root order: that of R in a UTF-8 session in English, German, French, Italian,
        Portuguese, Dutch or Russian, on Linux and macOS. R in Danish, Swedish, Spanish, Polish
        and other languages with an alphabet of their own differs, and so does R on Windows.
        "C" is the order of code points.

    Notes
    -----
    As in R: ``order(words) - 1``. Equal for ASCII, the Latin alphabets of Europe and Vietnam (but
    for ŉ), Greek, Cyrillic (Slavic and Turkic), and the marks and signs of Western keyboards.
    Other marks follow these, other letters follow Cyrillic, both by code point, which is not
    always ICU's order.

    Examples
    --------
    >>> words = ["b", "C", "B", "é", "10", "_x", "a", "z", "ø", "p"]
    >>> [words[i] for i in word_order(words, "ICU")]
    ['_x', '10', 'a', 'b', 'B', 'C', 'é', 'ø', 'p', 'z']
    >>> [words[i] for i in word_order(words, "C")]
    ['10', 'B', 'C', '_x', 'a', 'b', 'p', 'z', 'é', 'ø']
    """
    keys = [_key(word) for word in words] if collation == "ICU" else words
    return sorted(range(len(words)), key=keys.__getitem__)


def _key(text: str) -> tuple[list[float], list[int], list[int], str]:
    places: list[float] = []
    accents: list[int] = []
    cases: list[int] = []
    for char, case in _characters(text):
        accent = _ACCENT.get(char, ord(char) if unicodedata.combining(char) else 0)
        if char in (_FORM, _LONG):
            accents[-1] = accent
        elif accent or char in _PLACE or unicodedata.category(char) not in ("Cc", "Cf"):
            accents.append(accent)
            cases.append(_SMALL if accent else case)
            places += [] if accent else [_place(char)]
    return places, accents, cases, text


def _characters(text: str) -> Iterator[tuple[str, int]]:
    """Small letters and accents, apart, with the case of the letter they come from."""
    whole = unicodedata.normalize("NFC", text).replace("l·", "ŀ").replace("L·", "Ŀ")
    for char in whole:
        small = char.lower()
        if char not in _PLACE and small not in _LETTER:
            small = unicodedata.normalize("NFKD", char).lower()
        for part in small:
            for one in _LETTER.get(part, part):
                yield one, _case(char)


def _case(char: str) -> int:
    tag = unicodedata.decomposition(char).partition(" ")[0]
    variant = _CASE.get(tag, _RAISED) if tag.startswith("<") else _SMALL
    return max(variant, _CAPITAL * (char != char.lower()), _RAISED * (char == "ς"))


def _place(char: str) -> float:
    if char in _PLACE:
        return _PLACE[char]
    mark = unicodedata.category(char)[0] in "PSZ"
    return _PLACE["0"] - 1 + ord(char) / sys.maxunicode if mark else len(_PLACE) + ord(char)


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
        The type in which the values, or the levels of a factor, were given, such as "int64" or
        "string"; empty for doubles and for levels that are words, "words" where these have no
        order of their own, as in polars' Categorical.

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
        if self.kind != "text":
            check_numbers(f"the column {self.name!r}", self.values)
        self.values.flags.writeable = False

    def __len__(self) -> int:
        return len(self.values)

    @property
    def of_words(self) -> bool:
        """Whether it holds words, which are sorted when they become levels."""
        return self.kind == "text" or self.dtype == "words"

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
            if self.dtype != "words" or words == "ICU":
                return self.values, self.levels
            levels = tuple(self.levels[i] for i in word_order(self.levels, words))
            return recoded(self.values, self.levels, levels), levels
        if self.kind == "logical":
            codes = np.where(self.missing(), -1, self.values).astype(np.int32)
            return codes, ("FALSE", "TRUE")
        if self.kind == "text":
            places, found = pd.factorize(self.values)
            own = [str(level) for level in found]
            levels = tuple(own[i] for i in word_order(own, words))
            return recoded(places, own, levels), levels
        distinct, inverse = np.unique(self.values, return_inverse=True)
        codes = np.where(self.missing(), -1, inverse).astype(np.int32)
        if self.kind == "date":
            return codes, tuple(_date_words(distinct[~np.isnan(distinct)]))
        names = [level_name(value) for value in distinct[~np.isnan(distinct)]]
        levels = tuple(dict.fromkeys(names))  # numbers that agree to 15 digits are one, as in R
        return (codes if len(levels) == len(names) else recoded(codes, names, levels)), levels

    def to_pandas(self, *, as_given: bool = False) -> pd.Series[Any]:
        """The column as a pandas Series, as read or in the type in which it was given.

        Examples
        --------
        >>> from pycvstat.data.frame import read
        >>> read({"x": [True, None]})["x"].to_pandas().dtype
        BooleanDtype
        >>> read({"x": [1, 2]})["x"].to_pandas(as_given=True).dtype
        dtype('int64')
        """
        given = self.dtype if as_given and self.dtype != "words" else ""
        if self.kind in ("factor", "ordered"):
            categories = pd.Index(list(self.levels), dtype=object)
            categories = categories.astype(cast(Any, given)) if given else categories
            ordered = self.kind == "ordered"
            made: Any = pd.Categorical.from_codes(self.values, categories, ordered=ordered)
            return pd.Series(made, name=self.name)
        if self.kind == "logical":
            truth, missing = self.values == 1, self.missing()
            made = pd.arrays.BooleanArray(truth, missing) if missing.any() else truth
        elif self.kind == "date":
            made = _dates(self.values)
        else:
            made = self.values
        series: pd.Series[Any] = pd.Series(made, name=self.name)
        return series.astype(cast(Any, given)) if given else series


def level_name(value: object) -> str:
    """How a value is written as a level: R's words for logicals, 15 digits for numbers."""
    if isinstance(value, (bool, np.bool_)):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (float, np.floating)):
        number = float(value)
        whole = number.is_integer() and abs(number) < 1e15
        return str(int(number)) if whole else f"{number:.15g}"
    return str(value)


def type_of_levels(levels: Sequence[str], categories: pd.Index[Any]) -> str:
    """The type of categories that are numbers and that their levels give back exactly.

    Examples
    --------
    >>> type_of_levels(("1", "2"), pd.Index([1, 2])), type_of_levels(("a",), pd.Index(["a"]))
    ('int64', '')
    """
    dtype: Any = categories.dtype
    numbers = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
    back = pd.Index(list(levels), dtype=cast(Any, object))
    return str(dtype) if numbers and back.astype(dtype).equals(categories) else ""


def recoded(
    codes: NDArray[Any], levels: Sequence[str], wanted: Sequence[str], unknown: int = -1
) -> NDArray[np.int32]:
    """Codes of levels as codes of the wanted levels; -1 stays missing."""
    place = {level: i for i, level in enumerate(wanted)}
    moved = np.array([*(place.get(level, unknown) for level in levels), -1], dtype=np.int32)
    found: NDArray[np.int32] = moved[codes]
    return found


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
