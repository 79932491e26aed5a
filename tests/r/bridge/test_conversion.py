"""Values survive the way to R and back: what R says it received, and what comes back."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st

import pycvstat as pcv
from pycvstat.data.frame import read
from pycvstat.errors import DataError, PycvstatError, PycvstatWarning, RError
from pycvstat.r.bridge import RList, RValue, run
from pycvstat.r.bridge.to_r import literal

pytestmark = pytest.mark.live_r

CONTROL = "c('keepNA', 'keepInteger', 'niceNames', 'showAttributes')"
STRUCTURE = f"paste(deparse(x, control = {CONTROL}), collapse = '')"


@pytest.mark.parametrize(
    ("value", "in_r"),
    [
        (None, "NULL"),
        (True, "TRUE"),
        (1, "1L"),
        (2**31 - 1, "2147483647L"),
        (-(2**31) + 1, "-2147483647L"),
        (1.5, "1.5"),
        ("é", '"é"'),
        (pd.NA, "NA"),
        ([1, 2, None], "c(1L, 2L, NA)"),
        ([True, None], "c(TRUE, NA)"),
        (["a", None], 'c("a", NA)'),
        ([1.5, None], "c(1.5, NA)"),
        ([1.5, float("nan")], "c(1.5, NaN)"),
        (float("nan"), "NaN"),
        ([float("nan")] * 2, "c(NaN, NaN)"),
        ([1, 2.5], "c(1, 2.5)"),
        (range(3), "0:2"),
        ([1, "a"], 'list(1L, "a")'),
        ([[1, 2], [3]], "list(1:2, 3L)"),
        ([], "list()"),
        (np.array([], dtype=float), "numeric(0)"),
        (np.array([], dtype=int), "integer(0)"),
        (np.array(2.5), "2.5"),
        ({"a": 1, "b": [1, 2]}, "list(a = 1L, b = 1:2)"),
        (np.arange(4).reshape(2, 2), "structure(c(0L, 2L, 1L, 3L), dim = c(2L, 2L))"),
        (b"ab", "as.raw(c(0x61, 0x62))"),
        (1 + 2j, "1+2i"),
        (pd.Series([1, None], dtype="Int64"), "c(1L, NA)"),
        (pd.Series([True, None], dtype="boolean"), "c(TRUE, NA)"),
        (pd.Series([1.5, None], dtype="Float64"), "c(1.5, NA)"),
        (pd.Series(["x", None]), 'c("x", NA)'),
        (pd.Series([1, 2], index=["a", "b"]), 'structure(1:2, names = c("a", "b"))'),
        (datetime.date(2020, 1, 2), 'structure(18263, class = "Date")'),
    ],
    ids=str,
)
def test_r_receives(value: object, in_r: str) -> None:
    assert run(STRUCTURE, x=value) == in_r


def test_factors_keep_levels_order_and_missing() -> None:
    sent = pd.Categorical(["b", None, "a"], categories=["b", "a"], ordered=True)
    assert run("levels(x)", x=sent).tolist() == ["b", "a"]
    assert run("is.ordered(x)", x=sent) is True
    back = run("x", x=sent)
    assert back.ordered
    assert back.codes.tolist() == [0, -1, 1]
    assert back.categories.tolist() == ["b", "a"]
    plain = run("factor(c('u', 'v', NA), levels = c('v', 'u'))")
    assert not plain.ordered
    assert plain.categories.tolist() == ["v", "u"]


def test_integers_beyond_r_become_doubles_only_when_exact() -> None:
    assert run("typeof(x)", x=2**31) == "double"
    assert run("x == 2^53", x=2**53) is True
    assert run("typeof(x)", x=np.array([2**40, -1])) == "double"
    for too_large in (2**53 + 1, -(2**60), np.array([2**60]), [1.5, 2**60]):
        with pytest.raises(RError, match="exactly only up to 2\\^53"):
            run("x", x=too_large)


def test_missing_integers_and_logicals_are_not_numbers_in_python() -> None:
    integers = run("c(1L, NA)")
    assert str(integers.dtype) == "Int64"
    assert integers[1] is pd.NA
    logicals = run("c(TRUE, NA)")
    assert str(logicals.dtype) == "boolean"
    assert run("NA") is pd.NA
    assert run("NA_character_") is pd.NA
    assert np.isnan(run("NA_real_"))


def test_a_double_na_is_still_na_when_it_returns_to_r() -> None:
    assert run("is.na(x) & !is.nan(x)", x=run("c(NA, NaN, 1)")).tolist() == [True, False, False]


def test_dates_and_times() -> None:
    dates = run("as.Date(c('2020-02-29', NA, '1900-01-01'))")
    assert dates.astype(str).tolist() == ["2020-02-29", "NaT", "1900-01-01"]
    assert run("format(x)", x=dates).tolist() == ["2020-02-29", None, "1900-01-01"]
    time = run("as.POSIXct('2020-07-02 03:04:05.25', tz = 'Europe/London')")
    assert time == pd.Timestamp("2020-07-02 03:04:05.25", tz="Europe/London")
    assert run("format(x, '%H:%M %Z')", x=time) == "03:04 BST"
    assert run("as.POSIXlt('2020-01-02', tz = 'UTC')") == pd.Timestamp("2020-01-02", tz="UTC")
    span = run("as.difftime(c(1, NA), units = 'mins')")
    assert (span == np.timedelta64(60, "s")).tolist() == [True, False]
    assert np.isnat(span[1])
    assert run("format(x)", x=span[:1]) == "60 secs"
    with pytest.raises(RError, match="infinite"):
        run("as.Date(Inf)")


def test_lists_keep_their_class_and_return_unchanged() -> None:
    fit = run("lm(mpg ~ wt, mtcars)")
    assert isinstance(fit, RList)
    assert fit.r_class == ("lm",)
    assert fit["rank"] == 2
    assert isinstance(fit["terms"], RValue)
    assert run("predict(fit, d)", fit=fit, d=pd.DataFrame({"wt": [3.0]})).tolist() == pytest.approx(
        [37.285126 - 3 * 5.344472], abs=1e-5
    )
    assert run("list(1, 'a')") == [1.0, "a"]
    assert run("list(a = 1, b = list(c = NULL))") == {"a": 1.0, "b": {"c": None}}
    twice = run("list(a = 1, a = 2)")
    assert isinstance(twice, RList)
    assert list(twice) == [1.0, 2.0]
    with pytest.raises(KeyError, match="the names are: a, a"):
        twice["b"]


def test_frames_both_ways() -> None:
    sent = pd.DataFrame(
        {
            "i": pd.array([1, None], dtype="Int64"),
            "d": [1.5, np.nan],
            "s": ["x", None],
            "f": pd.Categorical(["u", None], categories=["v", "u"]),
            "t": pd.to_datetime(["2020-01-01", None]),
        }
    )
    assert run("vapply(x, function(v) class(v)[1], '')", x=sent).tolist() == [
        "integer",
        "numeric",
        "character",
        "factor",
        "POSIXct",
    ]
    assert run("sum(is.na(x))", x=sent) == 5
    back = run("x", x=sent)
    assert back["i"][0] == 1
    assert back["i"].isna().tolist() == [False, True]
    assert back["f"].cat.categories.tolist() == ["v", "u"]
    named = pd.DataFrame({"a": [1, 2]}, index=["r1", "r2"])
    assert run("rownames(x)", x=named).tolist() == ["r1", "r2"]
    assert run("x", x=named).index.tolist() == ["r1", "r2"]
    with pytest.raises(RError, match="same name"):
        run("x", x=pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_polars_integers_with_nulls_stay_integers() -> None:
    sent = pl.DataFrame(
        {"i": [1, None], "s": ["x", None], "e": pl.Series(["u", "v"], dtype=pl.Enum(["v", "u"]))}
    )
    assert run("class(x$i)", x=sent) == "integer"
    assert run("levels(x$e)", x=sent).tolist() == ["v", "u"]


def test_frame_of_the_package() -> None:
    assert run("x$a + 1", x=read({"a": [1.0, 2.0], "b": ["u", "v"]})).tolist() == [2.0, 3.0]


def test_matrices_arrays_and_matrix_columns() -> None:
    assert run("matrix(1:6, 2)").tolist() == [[1, 3, 5], [2, 4, 6]]
    labelled = run("matrix(1:4, 2, dimnames = list(NULL, c('a', 'b')))")
    assert labelled.columns.tolist() == ["a", "b"]
    assert run("array(1:8, c(2, 2, 2))")[1, 0, 1] == 6
    assert run("data.frame(y = 1:2, X = I(matrix(1:4, 2)))").columns.tolist() == ["y", "X.1", "X.2"]


def test_what_only_r_can_hold() -> None:
    formula = run("y ~ x")
    assert isinstance(formula, RValue)
    assert formula.r_class == ("formula",)
    assert str(formula).startswith("y ~ x")
    assert run("all.vars(f)", f=formula).tolist() == ["y", "x"]
    assert isinstance(run("quote(a + b)"), RValue)
    assert run("f(2)", f=run("function(x) x + 1")) == 3.0


def test_what_has_no_r_form() -> None:
    with pytest.raises(RError, match="no R form"):
        run("x", x=object())
    with pytest.raises(RError, match="same text"):
        run("x", x=pd.Categorical([1, "1"]))
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(RError, match="it holds itself"):
        run("x", x=endless)


NUL, HALF = "a\0b", "\ud800"


@pytest.mark.parametrize("text", [NUL, HALF])
def test_texts_that_r_would_change_are_refused(text: str) -> None:
    plain = pd.Index([text], dtype=object)
    for value in (
        text,
        ["x", text],
        np.array(["x", text], dtype=object),
        pd.Series(["x"], index=plain),
        pd.Categorical.from_codes([0], categories=plain),
        pd.DataFrame({"x": plain}),
        pd.DataFrame([[1]], columns=plain),
        pd.DataFrame({"x": [1]}, index=plain),
        {"x": {text: 1}},
        pl.DataFrame({"x": ["a\0b"]}),
    ):
        with pytest.raises(RError, match=r"R cannot hold a text with (a NUL|half of a)"):
            run("x", x=value)
    with pytest.raises(RError, match="R cannot hold a text"):
        run(f"1 # {text}\n2")
    with pytest.raises(RError, match="R cannot hold a text"):
        run("1", **{text: 2})
    with pytest.raises(PycvstatError, match=r"not the path|R cannot hold a text"):
        pcv.as_r(1, f"{text}.rds")


def test_code_is_text() -> None:
    for code in (3, b"1", None):
        with pytest.raises(RError, match="R code is text"):
            run(code)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "in_r"),
    [
        ([1, 2], "c(1L, NA)"),
        ([1.5, np.nan], "c(1.5, NA)"),
        ([True, False], "c(TRUE, NA)"),
        (["a", "b"], 'c("a", NA)'),
        ([1j, 2], "c(0+1i, NA)"),
        (np.array(["2020-01-02", "2020-01-02"], dtype="M8[D]"),
         'structure(c(18263, NA), class = "Date")'),
        ([[1, 2], [3, 4]], "structure(c(1L, 3L, NA, NA), dim = c(2L, 2L))"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_masked_is_missing(values: object, in_r: str) -> None:
    array = np.array(values)
    mask = np.zeros(array.shape, dtype=bool)
    mask[..., 1] = True
    assert run(STRUCTURE, x=np.ma.array(array, mask=mask)) == in_r
    whole = np.ma.array(array, mask=np.zeros_like(mask))
    assert run("anyNA(x) && !any(is.nan(unlist(x)))", x=whole) is False
    assert run("x", x=np.ma.masked) is pd.NA


def test_missing_complex_numbers() -> None:
    assert run(STRUCTURE, x=[1j, None]) == "c(0+1i, NA)"


def test_times_beyond_nanoseconds_keep_their_value() -> None:
    for far in (datetime.datetime(3000, 1, 1), np.array(["3000-01-01"], dtype="M8[s]")):
        assert run("format(x, '%Y-%m-%d')", x=far) == "3000-01-01"
    assert run("as.numeric(x, units = 'days')", x=np.array([200_000], dtype="m8[D]")) == 200_000
    assert run("as.difftime(2e5, units = 'days')") == np.timedelta64(200_000, "D")


@pytest.mark.parametrize(
    ("zone", "in_r"),
    [("+02:00", "14:00"), ("-05:00", "07:00"), ("+05:30", "12:00"), ("Asia/Tokyo", "21:00")],
)
def test_time_zones_are_what_they_were(zone: str, in_r: str) -> None:
    time = pd.Timestamp("2020-01-02 12:00", tz="UTC").tz_convert(zone)
    assert run("format(x, '%H:%M')", x=time) == in_r
    assert run("x", x=time) == time


# what a file of R holds and what R itself holds are the same in Python
BOTH_WAYS = """list(
  whole = structure(c(4.94065645841247e-324, -4.94065645841247e-324), class = 'integer64'),
  spans = lapply(c('secs', 'mins', 'hours', 'days', 'weeks'),
                 function(unit) as.difftime(c(1.5, NA), units = unit)),
  short = structure(2L, class = 'difftime', units = 'mins'),
  empty = data.frame(), narrow = mtcars[0], none = data.frame(a = 1:3)[0], no_rows = mtcars[0, ],
  level = addNA(factor(c('b', NA, 'a'))), text = c('b', NA), number = c(NA, NaN, 1),
  labelled = matrix(1:4, 2, dimnames = list(c('a', 'b'), NULL)), cube = array(1:8, c(2, 2, 2)),
  named = matrix(c('x', NA), 1, dimnames = list(NULL, c('a', 'b'))),
  complex = c(1i, NA), day = structure(NA, class = 'Date'), logical = c(TRUE, NA),
  frame = data.frame(s = as.difftime(1:2, units = 'mins'), d = as.Date('2020-01-01') + 0:1)
)"""


def test_files_and_a_running_r_give_the_same(tmp_path: Path) -> None:
    live = run(f"{{ x <- {BOTH_WAYS}; saveRDS(x, file); x }}", file=str(tmp_path / "x.rds"))
    read_back = pcv.from_r(tmp_path / "x.rds")
    assert list(live) == list(read_back)
    for name in live:
        same(live[name], read_back[name])
    with pytest.warns(PycvstatWarning, match="time zone has no meaning here"):
        west = run("{ x <- as.POSIXct(0, origin = '1970-01-01', tz = 'PST'); saveRDS(x, file); x }",
                   file=str(tmp_path / "x.rds"))  # fmt: skip
    with pytest.warns(PycvstatWarning, match="time zone has no meaning here"):
        assert pcv.from_r(tmp_path / "x.rds") == west == pd.Timestamp(0, tz="UTC")


def same(live: object, read_back: object) -> None:
    assert type(live) is type(read_back)
    if isinstance(live, list):
        for one, other in zip(live, read_back, strict=True):
            same(one, other)
    elif isinstance(live, pd.DataFrame):
        pd.testing.assert_frame_equal(live, read_back)
    elif np.ndim(live) > 1:
        np.testing.assert_array_equal(live, read_back)
    else:
        pd.testing.assert_series_equal(pd.Series(live), pd.Series(read_back))


def test_64_bit_integers_of_a_running_r_keep_every_digit() -> None:
    bits = [5, -1, -(2**52) + 5, 2**63 - 1, 0x7FF0000000000001]
    raw = np.array(bits, dtype=">i8").tobytes()
    code = "structure(readBin(x, 'double', 5, endian = 'big'), class = 'integer64')"
    assert run(code, x=raw).tolist() == bits
    assert run("structure(7L, class = 'integer64')") == 7


def test_columns_that_are_frames_or_times_in_parts() -> None:
    nested = run("{ x <- data.frame(a = 1:2); x$b <- data.frame(u = 3:4, v = 5:6, w = 7:8); x }")
    assert nested.columns.tolist() == ["a", "b.u", "b.v", "b.w"]
    code = "{ x <- data.frame(a = 1:2); x$b <- as.POSIXlt(rep('2020-01-02', 2), tz = 'UTC'); x }"
    assert run(code)["b"].tolist() == [pd.Timestamp("2020-01-02", tz="UTC")] * 2


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("structure(1, class = 'difftime', units = 'years')", "unit of an R difftime is not known"),
        ("as.difftime(Inf, units = 'secs')", "infinite R difftime"),
        ("as.POSIXct(1e300, origin = '1970-01-01')", "outside the years 1 to 9999"),
        ("structure(1:2, class = 'factor')", "factor is damaged"),
        ("structure(1:2, class = 'factor', levels = c('a', 'a'))", "factor is damaged"),
    ],
)
def test_what_has_no_python_form(code: str, words: str) -> None:
    with pytest.raises(RError, match=words):
        run(code)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_the_first_and_last_days_of_all_come_back(zone: str, tmp_path: Path) -> None:
    code = """{ x <- as.POSIXct(c('9999-12-31', '2020-01-01', NA, '0001-01-01'), tz = zone)
              x <- data.frame(t = x); saveRDS(x, file); x }"""
    live = run(code, zone=zone, file=str(tmp_path / "x.rds"))
    assert live["t"].astype(str).str[:19].tolist()[::3] == [
        "9999-12-31 00:00:00",
        "0001-01-01 00:00:00",
    ]
    same(live, pcv.from_r(tmp_path / "x.rds"))
    again = run(
        "{ stopifnot(format(x$t[-3], '%m-%d') == c('12-31', '01-01', '01-01')); x }", x=live
    )
    same(live, again)


def test_vectors_of_s4_with_further_slots(tmp_path: Path) -> None:
    code = """{
      setClass('Period', contains = 'numeric', slots = c(hour = 'numeric'))
      setClass('Length', contains = 'numeric')
      setClass('Kind', contains = 'factor')
      n <- 100
      zero <- sort(numeric(n)) # of which R keeps that it is sorted
      x <- list(period = new('Period', zero, hour = 1:n), kind = new('Kind', gl(2, n / 2)),
                length = new('Length', as.numeric(1:n)))[part]
      x <- structure(x, class = 'data.frame', row.names = 1:n)
      saveRDS(x, file); x }"""
    file = tmp_path / "x.rds"
    for part, words in {"period": "S4 class Period", "kind": "S4 class Kind"}.items():
        with pytest.raises(RError, match=words):
            run(code, part=part, file=str(file))
        with pytest.raises(DataError, match=words):
            pcv.from_r(file)
    live = run(code, part="length", file=str(file))
    assert live["length"].tolist() == list(range(1, 101))
    same(live, pcv.from_r(file))


@given(st.lists(st.floats(width=64), max_size=20))
def test_doubles_return_bit_for_bit(values: list[float]) -> None:
    sent = np.array(values, dtype=float)
    back = np.atleast_1d(run("x", x=sent))
    np.testing.assert_array_equal(back, sent)


@given(
    st.lists(
        st.one_of(st.none(), st.text(st.characters(exclude_characters="\0", codec="utf-8"))),
        min_size=2,
        max_size=20,
    )
)
def test_texts_return(values: list[str | None]) -> None:
    if all(value is None for value in values):
        return
    assert run("x", x=values).tolist() == values


WRITTEN = {
    "numbers": [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, np.inf, -np.inf, np.nan],
    "whole numbers": np.array([1, -2, 2**31 - 1]),
    "large whole numbers": [2**53, -(2**40)],
    "missing numbers": pd.array([1.5, None], dtype="Float64"),
    "missing whole numbers": pd.array([1, None], dtype="Int64"),
    "logicals": pd.array([True, False, None], dtype="boolean"),
    "texts": ['a"b\\', "\u2028\U0001f600", None, ""],
    "complex": [1 + 2j, complex(0.1, -0.0)],
    "bytes": [b"\x00\xff"],
    "matrix": np.arange(6.0).reshape(2, 3),
    "named": pd.Series([1.5, 2.5], index=["a b", "if"]),
    "factor": pd.Categorical(["b", None, "a"], categories=["b", "a", "c"], ordered=True),
    "times": pd.to_datetime(["2020-01-01 12:00:00.5", None]).tz_localize("Europe/Berlin"),
    "days": [datetime.date(1960, 2, 29), None],
    "spans": pd.to_timedelta([1.5, None], unit="h"),
    "frame": pd.DataFrame({"x y": [1, 2], "g": pd.Categorical(["u", "v"])}, index=["r", "s"]),
    "not a number": float("nan"),
    "no numbers": [float("nan"), float("nan")],
    "nothing": None,
    "nothing of it": {"none": np.array([]), "text": pd.Series([], dtype="string"), "list": []},
    "lists": {"a": 1, "b c": [1, "x"], "d": {"e": None, "f": [True]}},
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_value_as_r_code_is_the_value_that_r_is_given(kind: str) -> None:
    value = WRITTEN[kind]
    same = "identical(given, eval(parse(text = code, keep.source = FALSE)))"
    assert run(same, given=value, code=literal(value))
