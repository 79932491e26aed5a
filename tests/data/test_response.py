"""Columns of words that were meant as something else."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd
import pytest

from pycvstat.data.frame import read_y
from pycvstat.data.response import misread
from pycvstat.data.task import Task
from pycvstat.errors import DataError, PycvstatWarning

N = 60
NUMBERS = [f"{i / 4}" for i in range(N)]
DATES = list(pd.date_range("2024-01-30", periods=N).strftime("%Y-%m-%d"))
GERMAN = list(pd.date_range("2024-01-30", periods=N).strftime("%d.%m.%Y"))


def spoiled(values: list[str], **stray: str) -> list[str | None]:
    return [stray.get(f"row{i + 1}", value) for i, value in enumerate(values)]


# the words of a column -> parts of the problem, of what is given, of the fix
ODD: dict[str, tuple[list[Any], tuple[str, str, str]]] = {
    "one stray word": (
        spoiled(NUMBERS, row17="k.A."),
        ("'x' holds words among its numbers, so that it has 60 levels", "'k.A.' in row 17 (counted "
         "from 1); 59 of 60 values are numbers", "pd.read_csv(file, na_values=['k.A.'])"),
    ),
    "two, and missing values": (
        spoiled([*NUMBERS[:-1], None], row2="-", row30="?", row31="-"),  # type: ignore[list-item]
        ("58 levels", "'-' in row 2, '?' in row 30 (counted from 1); 56 of 59", "['-', '?']"),
    ),
    "six, of which three are shown and five are read as missing": (
        spoiled(NUMBERS, row2="-", row3="?", row4="k.A.", row5="n/a", row6="*", row7="."),
        ("60 levels", "'-' in row 2, '?' in row 3, 'k.A.' in row 4 (counted from 1); 54 of 60",
         "na_values=['-', '?', 'k.A.', 'n/a', '*'])"),
    ),
    "decimal commas": (
        spoiled([v.replace(".", ",") for v in NUMBERS], row9="-"),
        ("words among its numbers", "'-' in row 9", "na_values=['-'], decimal=','"),
    ),
    "decimal commas only": (
        [v.replace(".", ",") for v in NUMBERS],
        ("numbers as words", "'0,0' in row 1", "with a decimal comma: pd.read_csv(file, decimal"),
    ),
    "digits": (
        [str(i) for i in range(N)],
        ("numbers as words", "60 of 60 values are numbers", "pd.to_numeric(data['x'])"),
    ),
    "dates": (DATES, ("dates as words", "'2024-01-30' in row 1", "parse_dates=['x']")),
    "dates and times": ([f"{d} 12:30" for d in DATES], ("dates as words", "row 1", "parse_dates")),
    "every fourth a mark": (
        ["-" if i % 4 == 0 else value for i, value in enumerate(NUMBERS)],
        ("46 levels", "'-' in row 1 (counted from 1); 45 of 60 values are numbers", "['-']"),
    ),
    "a mark among few counts": (
        ["-" if i % 5 == 0 else str(i % 8) for i in range(N)],
        ("words among its numbers", "'-' in row 1 (counted", "na_values=['-']"),
    ),
    "days with slashes": (
        [d.replace("-", "/") for d in DATES],
        ("dates as words", "'2024/01/30' in row 1", "parse_dates=['x']"),
    ),
    "months": (
        list(pd.date_range("2019-01-31", periods=N, freq="ME").strftime("%Y-%m")),
        ("dates as words", "'2019-01' in row 1", "parse_dates"),
    ),
    "months by name": (
        list(pd.date_range("2024-01-30", periods=N).strftime("%d-%b-%y")),
        ("dates as words", "'30-Jan-24'", "parse_dates"),
    ),
    "long dates": (
        list(pd.date_range("2024-01-30", periods=N).strftime("%B %d, %Y")),
        ("dates as words", "'January 30, 2024'", "parse_dates"),
    ),
    "times of day": (
        [f"{i % 24}:{i:02d}" for i in range(N)],
        ("times as words", "'0:00' in row 1", "such as hours"),
    ),
    "other dates": (spoiled(GERMAN, row3="?"), ("dates as words", "'30.01.2024'", "parse_dates")),
}  # fmt: skip


@pytest.mark.parametrize("case", ODD)
def test_what_was_meant_is_said(case: str) -> None:
    values, (problem, given, fix) = ODD[case]
    with pytest.warns(PycvstatWarning) as caught:
        Task.build("y ~ x", {"y": range(N), "x": values}, na="omit")
    said = caught[0].message
    assert isinstance(said, PycvstatWarning)
    assert problem in said.problem
    assert given in str(said.given)
    assert fix in str(said.fix)
    with pytest.raises(DataError) as refused:
        Task.build("x ~ y", {"y": range(N), "x": values}, na="omit")
    assert refused.value.problem == said.problem


@pytest.mark.parametrize(
    "values",
    [
        ["1", "2", "3", "unknown"] * 15,
        ["control", "1 mg", "2 mg"] * 20,
        [f"plot {i % 30}" for i in range(N)],
        [f"{i % 30}{'ab'[i % 2]}" for i in range(N)],
        ["2023", "2024"] * 30,
    ],
)
def test_classes_are_classes(values: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Task.build("y ~ x", {"y": range(N), "x": values})


@pytest.mark.parametrize(
    "values",
    [
        ["oops" if i == 4 else str(i % 6) for i in range(N)],
        ["1.5", "2", "3", "4", "x", "5.1", "2", "3"],
    ],
)
def test_few_words_of_a_response_are_numbers_too(values: list[str]) -> None:
    """As a predictor such a column may well hold classes."""
    data = {"y": values, "x": range(len(values))}
    with pytest.raises(DataError, match="'y' holds words among its numbers") as refused:
        Task.build("y ~ x", data)
    assert f"{values[4]!r} in row 5 (counted from 1)" in str(refused.value.given)
    assert "make it categorical: data['y'].astype('category')" in str(refused.value.fix)
    assert Task.build("y ~ x", {**data, "y": pd.Categorical(values)}).response.kind == "nominal"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Task.build("x ~ y", data)


@pytest.mark.parametrize("term", ["log(x)", "poly(x, 2)", "I(x + 1)", "log(1 + x):z"])
def test_spoiled_numbers_are_not_computed_with(term: str) -> None:
    data = {"y": range(N), "x": spoiled(NUMBERS, row42="-"), "z": range(N)}
    with pytest.raises(DataError, match="'x' holds words among its numbers") as refused:
        Task.build(f"y ~ {term}", data)
    assert "'-' in row 42" in str(refused.value.given)
    assert "na_values=['-']" in str(refused.value.fix)


@pytest.mark.parametrize("kind", ["object", "category"])
@pytest.mark.parametrize("levels", [51, 60])
def test_many_levels_are_named(levels: int, kind: str) -> None:
    ids = pd.Series([f"k{i % levels}" for i in range(260)]).astype(kind)
    with pytest.warns(PycvstatWarning, match=f"'id' has {levels} levels in 260 rows") as caught:
        Task.build("y ~ id", {"y": range(260), "id": ids})
    assert "'y ~ . - id' leaves it out" in str(caught[0].message)
    with pytest.warns(PycvstatWarning, match=f"'id' has {levels} levels") as caught:
        Task.build(X=pd.DataFrame({"id": ids}), y=range(260))
    assert "X.drop(columns='id') leaves it out" in str(caught[0].message)


@pytest.mark.parametrize("kind", ["object", "category"])
def test_names_of_rows_are_noticed(kind: str) -> None:
    data = pd.DataFrame({"log(y)": range(N), "x": range(N)})
    data["Fall-ID"] = pd.Series([f"F{i}" for i in range(N)]).astype(kind)
    with pytest.warns(PycvstatWarning, match="60 levels in 60 rows") as caught:
        Task.build("`log(y)` ~ .", data)
    assert "'`log(y)` ~ . - `Fall-ID`' leaves it out" in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Task.build("`log(y)` ~ . - `Fall-ID`", data).formula.labels == ("x",)
        Task.build("`log(y)` ~ .", data, groups="Fall-ID")


def test_comparisons_with_words_are_no_factors() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Task.build('y ~ I(x == "0.25")', {"y": range(N), "x": NUMBERS})


def test_numbers_are_never_odd() -> None:
    assert misread(read_y(range(N))) is None


@pytest.mark.parametrize(("others", "meant"), [(3, True), (4, False)])
def test_words_are_meant_as_numbers_from_four_in_five_on(others: int, meant: bool) -> None:
    """Of the words: of the rows fewer are numbers."""
    values = [f"{i}.5" for i in range(12)] + [f"k{i}" for i in range(others)] * 4
    said = misread(read_y(values))
    assert (said is not None) == meant
