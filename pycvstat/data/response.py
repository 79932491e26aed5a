"""What a user gave, read: formula and frame, complete rows; the response, numbers or classes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pycvstat.data import formula as formulas, frame as frames
from pycvstat.data.formula import Formula, quote
from pycvstat.data.formula.syntax import Name, deparse
from pycvstat.data.frame import Column
from pycvstat.data.frame.columns import Collation
from pycvstat.errors import (
    Advice,
    AsClasses,
    DataError,
    InputError,
    InPython,
    PycvstatWarning,
    Reading,
    warn,
)
from pycvstat.errors.checks import Brief, check_numbers
from pycvstat.types import FloatArray, IntArray

NA = Literal["raise", "omit", "pass"]


def formula_and_frame(
    formula: str | None, data: Any, X: Any, y: Any, own: Collection[str]
) -> tuple[str | None, frames.Frame]:
    by_formula, by_arrays = formula is not None or data is not None, X is not None or y is not None
    if by_formula and by_arrays:
        fix = 'cross_validate(learner, "y ~ .", data, ...) or cross_validate(learner, X=X, y=y)'
        raise InputError("give either a formula and data, or X= and y=, not both.", fix=fix)
    if by_arrays:
        if X is None or y is None:
            raise InputError("X= and y= belong together.", given="only one of them")
        return _frame_of_arrays(X, y)
    if (formula is None and not own) or data is None:
        fix = 'give a formula and data, such as ("y ~ .", data), or X= and y='
        given = "only a formula" if formula is not None or own else "no formula"
        raise InputError("data are missing.", given=given, fix=fix)
    if not (formula is None or isinstance(formula, str)):
        raise InputError(
            "the formula must be text.",
            given=type(formula).__name__,
            fix='write "y ~ .", and give arrays by keyword: X=, y=',
        )
    return formula, frames.read(data)


def of_all(read: Sequence[formulas.Formula]) -> str:
    """A formula of all columns that these use."""
    names = dict.fromkeys(formulas.quote(name) for one in read for name in one.predictors)
    return f"{deparse(read[0].response)} ~ {' + '.join(names) or '1'}"


def refuse_other_responses(read: Sequence[formulas.Formula]) -> None:
    """Losses of different responses, or of one on different scales, cannot be compared."""
    first = read[0]
    for other in read:
        if other.response != first.response:
            raise InputError(
                f"the formulas have different responses, {deparse(first.response)} and "
                f"{deparse(other.response)}, whose losses cannot be compared.",
                given=f"{first.text!r} and {other.text!r}",
                fix="give all formulas the same left side; transform predictors only",
            )


def tell_rows_lost(
    read: Sequence[formulas.Formula], used: frames.Frame, kept: int, others: IntArray
) -> None:
    """Say that rows are left out for all formulas, where one alone would keep more of the others.

    Those are the rows that miss nothing beside the formulas, such as a weight or a group.
    """
    if kept == used.n or len(read) < 2:
        return
    alone = {one.text: int(used.complete(one.variables)[others].sum()) for one in read}
    if (most := max(alone.values())) > kept:
        text = next(text for text, n in alone.items() if n == most)
        warn(
            "rows that miss a value in a column of one formula are left out for all, so that all "
            "are compared on the same rows.",
            given=f"{kept} of {used.n} rows are left; {text!r} alone would have {most}",
        )


def _frame_of_arrays(X: Any, y: Any) -> tuple[str, frames.Frame]:
    predictors, response = frames.read(X), frames.read_y(y)
    if len(response.values) != predictors.n:
        given = f"{predictors.n} rows in X, {len(response.values)} values in y"
        raise DataError("X and y must have the same number of rows.", given=given)
    name = response.name
    while name in predictors.names:
        name += "_"
    return f"{formulas.quote(name)} ~ .", predictors.with_column(response.rename(name))


def extra_column(what: str, given: Any, frame: frames.Frame) -> frames.Column:
    if isinstance(given, str):
        if given not in frame.names:
            fix = f"use one of {', '.join(frame.names[:12])}"
            raise DataError(f"the column for {what} is not in the data.", given=given, fix=fix)
        return frame[given]
    column = frames.read_y(given, what)
    if len(column.values) != frame.n:
        problem = f"{what} must have one value per row."
        raise DataError(problem, given=f"{len(column.values)} values for {frame.n} rows")
    own = frame.columns.get(column.name)
    if isinstance(own, frames.Column) and np.array_equal(own.labels(), column.labels()):
        return own
    return column.rename(what)


def complete_rows(n: int, columns: Sequence[frames.Column], na: NA) -> IntArray:
    missing = [(c.name, m) for c in columns if (m := c.missing()).any()]
    if n == 0:
        raise DataError("the data have no rows.", given="0 rows")
    if not missing:
        return np.arange(n)
    for name, mask in missing:
        if mask.all():
            raise DataError(f"the column {name!r} is NA in every row.", fix="drop the column")
    bad = np.logical_or.reduce([mask for _, mask in missing])
    if na != "omit":
        counts = {name: int(mask.sum()) for name, mask in missing}
        raise refuse_missing(n, int(bad.sum()), counts, na)
    keep = np.flatnonzero(~bad)
    if keep.size == 0:
        raise DataError("no row is complete.", given=f"{n} rows, each with a missing value")
    return keep


def refuse_missing(n: int, bad: int, counts: Mapping[str, int], na: NA) -> DataError:
    """The error for missing values, counted by column."""
    return DataError(
        f"{bad} of {n} rows have missing values.",
        given=", ".join(f"{name}: {count}" for name, count in counts.items()),
        fix=Advice(
            "{na} leaves these rows out (as R's lm does)"
            + (
                "; {} hands missing predictors to learners that take them: estimators such "
                "as HistGradientBoostingRegressor, pipelines that impute, FromFunctions"
                if na == "raise"
                else ""
            ),
            InPython("na='pass'"),
            na="omit",
        ),
    )


def weights_of(column: frames.Column, keep: IntArray) -> FloatArray:
    if column.kind != "numeric":
        raise DataError("weights must be numbers.", given=f"a {column.kind} column")
    values = np.asarray(column.values, dtype=np.float64)[keep]
    if not np.isfinite(values).all() or (values < 0).any() or not (values > 0).any():
        given = f"from {values.min():g} to {values.max():g}"
        raise DataError("weights must be finite, not negative, and not all zero.", given=given)
    return values


def codes_of(column: frames.Column) -> NDArray[Any]:
    if column.kind in ("factor", "ordered"):
        levels: NDArray[Any] = np.asarray(column.levels, dtype=object)
        return np.asarray(levels[column.values])
    return np.asarray(column.values)


Kind = Literal["continuous", "nominal", "ordinal"]


@dataclass(frozen=True, repr=False, slots=True, eq=False)
class Response(Brief):
    """The response: numbers, or class codes with their levels.

    Parameters
    ----------
    name : str
    kind : {"continuous", "nominal", "ordinal"}
    values : (n,) float64 or int64 codes 0..L-1
    levels : tuple of str
        Empty when continuous.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    levels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_numbers(f"the response {self.name!r}", self.values)

    @property
    def zeros_and_ones(self) -> bool:
        """Whether it is numbers that could be two classes."""
        return not self.levels and set(np.unique(self.values)) == {0.0, 1.0}

    def labels(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Class labels of codes, None of NaN; numbers pass through."""
        if not self.levels:
            return codes
        named = np.array([*self.levels, None], dtype=object)
        return np.asarray(named[np.where(np.isnan(codes), -1, codes).astype(np.int64)])

    @property
    def for_folds(self) -> Any:
        """What splitters read: classes by name in the order of their levels, or the numbers."""
        if not self.levels:
            return self.values
        return pd.Categorical.from_codes(self.values, pd.Index(self.levels, dtype=object))


def with_classes(
    used: frames.Frame, formula: formulas.Formula, levels: Collation, classes: bool
) -> tuple[frames.Frame, Literal["", "ICU", "C"]]:
    """A response of words as classes, and one of 0 and 1 where classes are asked for.

    Words that look like spoiled numbers stay as they are, so that this is said.
    """
    if not isinstance(formula.response, Name):
        return used, ""
    column = used[formula.response.name]
    words = column.of_words and misread(column, response=True) is None
    if words or (classes and column.kind == "numeric" and np.isin(column.values, (0, 1)).all()):
        column = frames.Column(column.name, "factor", *column.as_factor(levels))
    return used.with_column(column), levels if words else ""


def response_of(column: frames.Column, formula: str) -> Response:
    if column.kind == "numeric":
        if not np.isfinite(column.values).all():
            given = f"{int((~np.isfinite(column.values)).sum())} of {len(column.values)}"
            raise DataError(f"the response {column.name!r} has infinite values.", given=given)
        return Response(column.name, "continuous", np.asarray(column.values, dtype=np.float64))
    if column.kind == "logical":
        codes = np.asarray(column.values, dtype=np.int64)
        return Response(column.name, "nominal", codes, ("FALSE", "TRUE"))
    if column.kind in ("factor", "ordered"):
        kind: Kind = "nominal" if column.kind == "factor" else "ordinal"
        return Response(column.name, kind, np.asarray(column.values, dtype=np.int64), column.levels)
    classes = AsClasses(column.name)
    if (doubt := misread(column, response=True)) is not None:
        advice = doubt.advice if isinstance(doubt.advice, Advice) else Advice(str(doubt.advice))
        fix = Advice(
            f"{advice.text}; for classes make it categorical: {{}}", *advice.things, classes
        )
        raise DataError(doubt.problem, given=doubt.given, fix=fix)
    raise DataError(
        f"the response {column.name!r} is {column.kind}, neither numbers nor classes.",
        given=formula,
        fix=Advice(
            "for classes write {} in the formula, or make it categorical: {}",
            f"factor({formulas.quote(column.name)})",
            classes,
        ),
    )


NUMBER = re.compile(r"\s*[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?\s*", re.ASCII)
TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AP]M)?(?: ?(?:Z|[-+]\d{2}:?\d{2}))?"
MONTH = r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-zä]*\.?"
DAYS = (
    r"\d{4}([-/.])\d{1,2}(?:\1\d{1,2})?",  # 2020-01-31, 2020/01/31, 2020-01
    r"\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d{2})",  # 31.01.2020, 1/31/20
    rf"\d{{1,2}}\.?[-/ ]?{MONTH}[-/ ,]*(?:\d{{4}}|\d{{2}})",  # 31-Jan-20, 31. Januar 2020
    rf"{MONTH} \d{{1,2}},? \d{{4}}",  # January 31, 2020
)
DATE = re.compile(rf"\s*(?:{'|'.join(DAYS)})(?:[ T]{TIME})?\s*", re.IGNORECASE)
CLOCK = re.compile(rf"\s*{TIME}\s*", re.IGNORECASE)
DIGIT = re.compile(r"\d")  # without one a word is no number, no date and no time
MARKS = frozenset({"", "-", "--", "–", "—", ".", "..", "?", "*", "k.a.", "k. a.", "n/a", "na"})
MARKS |= {"#n/a", "nan", "null", "missing"}  # of missing values, in small letters
MANY = 10  # levels up to which words are taken for classes
MOSTLY = 0.8  # share, of rows or of words, that shows what a column was meant to be
DISTINCT = 0.9  # words per row, from which on they are taken for names of rows
WIDE = 50  # levels of a factor that are worth a word


def misread(column: Column, *, response: bool = False) -> PycvstatWarning | None:
    """What to say of words that were meant as numbers or dates; None where nothing is odd.

    Few words are taken for classes, unless marks of missing values stand among numbers, or
    anything among those of a response.

    Examples
    --------
    >>> from pycvstat.data.frame import read_y
    >>> wages = read_y([str(i) for i in range(50)] + ["k.A."]).rename("wage")
    >>> print(misread(wages))
    'wage' holds words among its numbers, so that it has 51 levels.
      Given: 'k.A.' in row 51 (counted from 1); 50 of 51 values are numbers
      Do this: read them as missing: pd.read_csv(file, na_values=['k.A.'])
    """
    if column.kind != "text" or not any(DIGIT.search(str(word)) for word in {*column.values}):
        return None
    counts = pd.Series(column.values).value_counts(sort=False)
    words = [str(word) for word in counts.index]
    for pattern, say in ((NUMBER, _numbers), (DATE, _dates), (CLOCK, _times)):
        fits = np.array([pattern.fullmatch(word) is not None for word in words], dtype=bool)
        by_rows = counts[fits].sum() >= MOSTLY * counts.sum()
        if len(words) > MANY and (by_rows or fits.mean() >= MOSTLY):
            return say(column, counts, fits)
        some = pattern is NUMBER and 0 < fits.sum() < len(words)
        others = (str(word).strip().casefold() for word in counts.index[~fits])
        if some and (MARKS.issuperset(others) or (response and by_rows)):
            return say(column, counts, fits)
    return None


def _numbers(column: Column, counts: pd.Series[int], fits: Any) -> PycvstatWarning:
    others = [str(word) for word in counts.index[~fits]]
    comma = any("," in word for word in counts.index[fits])
    options: dict[str, Any] = {"na_values": others[:5]} if others else {}
    options |= {"decimal": ","} if comma else {}
    what = "words among its numbers" if others else "numbers as words"
    how = "read them as missing: {}" if others else "read it with a decimal comma: {}"
    return PycvstatWarning(
        f"{column.name!r} holds {what}, so that it has {len(counts)} levels.",
        given=f"{_where(column, others or list(counts.index[:1]))}; "
        f"{counts[fits].sum()} of {counts.sum()} values are numbers",
        fix=Advice(how, Reading(**options))
        if options
        else Advice("make it numeric: {}", f"pd.to_numeric(data[{column.name!r}])"),
    )


def _dates(column: Column, counts: pd.Series[int], fits: Any) -> PycvstatWarning:
    return PycvstatWarning(
        f"{column.name!r} holds dates as words, so that it has {len(counts)} levels.",
        given=_where(column, list(counts.index[fits][:1])),
        fix=Advice(
            "make them dates: {}, or leave the column out", Reading(parse_dates=[column.name])
        ),
    )


def _times(column: Column, counts: pd.Series[int], fits: Any) -> PycvstatWarning:
    problem = f"{column.name!r} holds times as words, so that it has {len(counts)} levels."
    fix = "make it a number, such as hours, or leave the column out"
    return PycvstatWarning(problem, given=_where(column, list(counts.index[fits][:1])), fix=fix)


def _where(column: Column, words: list[str]) -> str:
    rows = {word: int(np.flatnonzero(column.values == word)[0]) + 1 for word in words[:3]}
    shown = ", ".join(f"{word!r} in row {row}" for word, row in rows.items())
    return f"{shown} (counted from 1)"


def many_levels(column: Column, formula: Formula | None) -> PycvstatWarning | None:
    """What to say of a factor with another level in nearly every row, or with very many.

    Without a formula the columns were given as ``X=``.
    """
    if column.kind not in ("text", "factor"):
        return None
    levels = pd.Series(column.values[~column.missing()]).nunique()
    names = levels > MANY and levels >= DISTINCT * len(column)
    if not names and levels <= WIDE:
        return None
    if formula is None:
        fix = f"X.drop(columns={column.name!r}) leaves it out"
    else:
        response = formula.text.partition("~")[0].strip()
        fix = f"'{response} ~ . - {quote(column.name)}' leaves it out"
    known_as = ", as names of rows have" if names else ""
    return PycvstatWarning(
        f"{column.name!r} has {levels} levels in {len(column)} rows{known_as}.", fix=fix
    )
