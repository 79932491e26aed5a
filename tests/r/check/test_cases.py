"""Cases that anyone can write: what is compared, what cannot be, what is recorded."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError, RError
from pycvstat.r.bridge import run
from pycvstat.r.check.call import compare_values
from pycvstat.r.check.checking import read_answers
from pycvstat.r.check.values import of_json, side_by_side, to_json
from pycvstat.rmath.tolerances import EXACT, SUMS

FRAME = pd.DataFrame({"x": [1.0, 2.0, 4.0], "g": pd.Categorical(["b", "a", "b"])})
VALUES = {
    "a number": (2.5, "2.5"),
    "numbers": ([1, 2.5, np.nan, np.inf, -np.inf], "c(1, 2.5, NaN, Inf, -Inf)"),
    "NA among numbers is NaN here": ([1.0, np.nan], "c(1, NA)"),
    "nothing": (None, "NULL"),
    "no numbers": (np.array([]), "numeric(0)"),
    "words": (["a", None, "é\"'"], "c('a', NA, \"é\\\"'\")"),
    "logicals": ([True, False], "c(TRUE, FALSE)"),
    "a matrix": (np.arange(6.0).reshape(2, 3), "matrix(c(0, 3, 1, 4, 2, 5), 2)"),
    "a matrix with names": (np.eye(2), "cbind(a = c(1, 0), b = c(0, 1))"),
    "an array": (np.arange(24.0).reshape(2, 3, 4), "aperm(array(0:23, c(4, 3, 2)))"),
    "complex numbers": ([1 + 2j, 3j], "c(1+2i, 3i)"),
    "a factor": (pd.Categorical(["b", "a"], ["b", "a"]), "factor(c('b', 'a'), c('b', 'a'))"),
    "words beside a factor": (["b", "a"], "factor(c('b', 'a'))"),
    "days": (pd.to_datetime(["2020-01-02"]), "as.Date('2020-01-02')"),
    "a frame, columns by name": (
        FRAME[["g", "x"]], "data.frame(x = c(1, 2, 4), g = factor(c('b', 'a', 'b')))",
    ),
    "names in another order": (pd.Series([1.0, 2.0], ["a", "b"]), "c(b = 2, a = 1)"),
    "a dict beside names": ({"a": 1.0, "b": 2.0}, "c(a = 1, b = 2)"),
    "lists of lists": (
        {"a": [1, 2], "b": {"c": "x", "d": [1.0]}}, "list(a = 1:2, b = list(c = 'x', d = 1))",
    ),
    "a list without names": ([[1.0, 2.0], "x"], "list(c(1, 2), 'x')"),
}  # fmt: skip
OTHER = {
    "another number": (2.5, "2.6", "element 1"),
    "another shape": (np.arange(6.0), "matrix(0:5, 2)", "shapes (6,) and (2, 3)"),
    "another length": ([1.0, 2.0], "1", "shapes (2,) and (1,)"),
    "words for numbers": ([1.0], "'1'", "numbers here, words in R"),
    "nothing there": ([1.0], "NULL", "numbers here, nothing (NULL) in R"),
    "NA is no word": (["NA"], "NA_character_", "element 1"),
    "None is no word": (["None"], "NA_character_", "element 1"),
    "a NaN on one side": ([np.nan], "1", "element 1"),
    "levels in another order": (
        pd.Categorical(["b", "a"], ["b", "a"]), "factor(c('b', 'a'))", "element 1",
    ),
    "a column that is missing here": (
        FRAME[["x"]], "data.frame(x = c(1, 2, 4), z = 1)", "no value from Python",
    ),
    "a column that is missing in R": ({"x": 1, "z": 2}, "list(x = 1)", "no value from R"),
    "one cell of a matrix": (np.eye(2), "matrix(c(1, 0, 1e-9, 1), 2)", "row 1, column 2"),
    "a name says where": ([1.0, 2.0], "c(a = 1, b = 3)", "b"),
}  # fmt: skip
BAD = {
    "it stops": ("stop('no such thing')", "R stopped: no such thing"),
    "it does not parse": ("1 +", "unexpected end of input"),
    "it returns a closure": ("function(x) x", "a value of class function"),
    "it returns a formula": ("y ~ x", "a value of class formula"),
    "it hangs": ("repeat {}", "did not finish within 0.5 seconds"),
    "it lacks a package": ("1", "R lacks packages"),
}


@pytest.mark.live_r
def test_values_of_every_kind_agree_live_and_as_recorded(tmp_path):
    kept = tmp_path / "values.json"
    cases = [pcv.Case(name, value, code) for name, (value, code) in VALUES.items()]
    live = pcv.check(cases, kept)
    assert live, live.words
    again = pcv.check(cases, kept, "recorded")
    assert again, again.words
    assert [row.quantity for row in live.rows] == [row.quantity for row in again.rows]
    assert again.r_version.startswith("recorded: R version")


@pytest.mark.live_r
def test_what_differs_is_located(tmp_path):
    kept = tmp_path / "values.json"
    cases = [pcv.Case(name, value, code) for name, (value, code, _) in OTHER.items()]
    for against in ("live", "recorded"):
        found = pcv.check(cases, kept, against)
        for name, (_, _, place) in OTHER.items():
            rows = [row for row in found.rows if row.quantity.startswith(name)]
            assert [row.place for row in rows if row.place] == [place], name


@pytest.mark.live_r
def test_bad_code_is_not_compared_and_the_rest_is(tmp_path):
    kept = tmp_path / "values.json"
    cases = [
        pcv.Case(name, 1, code, packages=("nosuchpackage",) * ("package" in name))
        for name, (code, _) in BAD.items()
    ]
    found = pcv.check([*cases, pcv.Case("good", 1, "1")], kept, seconds=0.5)
    assert found.verdict == "not fully compared"
    said = {row.quantity: row.why_not for row in found.rows}
    assert said.pop("good") == ""
    for name, (_, words) in BAD.items():
        assert words in said[name]
    assert [*read_answers(kept)] == ["good"]
    assert not pcv.check(cases, kept, "recorded")


@pytest.mark.live_r
def test_code_that_prints_and_changes_the_session_leaves_no_trace(capfd):
    code = """{ options(digits = 3, warn = 2, mine = 1); set.seed(1, kind = "Wichmann-Hill")
      library(MASS); setwd(tempdir()); x <<- 1; for (i in 1:20000) print("much")
      cat("more"); 1 }"""
    state = (
        "list(getOption('digits'), getOption('mine'), RNGkind(), search(), getwd(), exists('x'))"
    )
    before = run(state)
    assert pcv.check(pcv.Case("noisy", 1, code))
    after = run(state)
    assert [np.array_equal(a, b) for a, b in zip(before, after, strict=True)] == [True] * 6
    assert capfd.readouterr().out == ""


@pytest.mark.live_r
def test_a_crash_of_one_case_is_named_and_the_others_are_compared(forks):
    good = [pcv.Case(f"case {i}", i, str(i)) for i in range(2)]
    found = pcv.check([*good, pcv.Case("bad", 1, "tools::pskill(Sys.getpid(), 11)")], separate=True,
                      seconds=60)  # fmt: skip
    assert [row.verdict for row in found.rows] == ["agrees", "agrees", "not compared"]
    assert "R crashed (SIGSEGV)" in found.left_out


@pytest.mark.parametrize(
    "value", [object(), {1: object()}, [2**60]], ids=["object", "dict", "large"]
)
def test_data_that_r_cannot_hold_are_said_without_r(value, without_r, tmp_path):
    found = pcv.check(pcv.Case("c", 1, "x", {"x": value}), tmp_path / "v.json")
    assert found.left_out.startswith("c ('x' in the data of 'c': ")


def test_a_value_that_nothing_in_r_can_be_is_said(without_r, tmp_path):
    found = pcv.check(pcv.Case("c", lambda: object(), "1"), tmp_path / "v.json")
    assert "cannot be compared with one of R" in str(found.first_difference)


def test_an_error_of_python_is_a_difference(without_r, tmp_path):
    found = pcv.check(pcv.Case("c", lambda: 1 / 0, "1"), tmp_path / "v.json")
    assert found.first_difference == (
        "c: no value from Python: Python stopped. ZeroDivisionError: division by zero"
    )


@pytest.mark.live_r
def test_live_r_writes_what_the_file_lacks_and_nothing_else(tmp_path, monkeypatch):
    kept = tmp_path / "values.json"
    a, b = pcv.Case("a", 3.0, "x + 1", {"x": 2.0}), pcv.Case("b", 1, "1")
    assert pcv.check(a, kept)
    first = kept.read_text()
    assert pcv.check([a, b], kept)
    assert [*read_answers(kept)] == ["a", "b"]
    assert read_answers(kept)["a"].by.r.startswith("R version")
    assert pcv.check(a, kept)
    changed = pcv.Case("a", 4.0, "x + 1", {"x": 3.0})
    monkeypatch.setenv("PYCVSTAT_R", "none")  # read at each call
    assert pcv.check([a, b], kept)
    missing = pcv.check([changed, pcv.Case("new", 1, "1")], kept)
    assert missing.left_out == (
        "a (the recorded value is of other code or data); new (there is no recorded value)"
    )
    monkeypatch.delenv("PYCVSTAT_R")
    assert pcv.check(changed, kept)
    assert [*read_answers(kept)] == ["a", "b"]
    assert kept.read_text() != first


@pytest.mark.live_r
def test_recording_anew_replaces_what_was_wrong(tmp_path):
    kept = tmp_path / "values.json"
    case = pcv.Case("a", 1.0, "1")
    pcv.check(case, kept)
    content = json.loads(kept.read_text())
    content["values"]["a"]["value"] = [2.0]
    kept.write_text(json.dumps(content))
    with pytest.raises(InputError, match="not the one that was recorded"):
        pcv.check(case, kept)
    kept.unlink()
    assert pcv.check(case, kept, "record")


@pytest.mark.live_r
def test_names_with_quotes_code_in_a_file_and_functions_called_by_place(tmp_path):
    (tmp_path / "code.R").write_text('# of a file\nsum(`a"b`)\n')
    given = {'a"b': [1.0, 2.0]}
    by_file = pcv.Case('it\'s "quoted"\n', lambda **d: 3.0, tmp_path / "code.R", given)
    by_place = pcv.Case("place", lambda values: sum(values), 'sum(`a"b`)', given)
    none = pcv.Case("none", lambda: 3.0, 'sum(`a"b`)', given)
    found = pcv.check([by_file, by_place, none], tmp_path / "v.json")
    assert found, found.words
    assert pcv.check([by_file, by_place, none], tmp_path / "v.json", "recorded")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pcv.Case("", 1, "1"), "a case has a name"),
        (lambda: pcv.Case("c", 1, "1", rtol=1e-9), "a tolerance needs a reason"),
        (lambda: pcv.Case("c", 1, "1", rtol=-1, because="x"), "rtol of the case 'c' must be"),
        (lambda: pcv.Case("c", 1, "1", rtol=np.nan, because="x"), "rtol of the case 'c' must be"),
        (lambda: pcv.Case("c", 1, "1", data=[1]), "must have names"),
        (lambda: pcv.Case("c", 1, Path("no.R")).pose(), "the R code cannot be read"),
        (lambda: pcv.check([]), "give one or more cases"),
        (lambda: pcv.check([1]), "give one or more cases"),
        (lambda: pcv.check([pcv.Case("c", 1, "1")] * 2), "two cases have the same name"),
        (lambda: pcv.check(pcv.Case("c", 1, "1"), against="recorded"), "needs a file"),
        (lambda: pcv.check(pcv.Case("c", 1, "1"), against="lives"), "against"),
    ],
)
def test_what_is_no_case_is_answered(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_live_without_r_is_an_error(without_r):
    with pytest.raises(RError, match="PYCVSTAT_R=none"):
        pcv.check(pcv.Case("c", 1, "1"), against="live")


@pytest.mark.parametrize(
    ("a", "b", "agrees"),
    [
        ([1.0, np.nan], [1.0, np.nan], True),
        ([1.0, np.nan], [1.0, 2.0], False),
        ([1.0], [1.0, 1.0], False),
        (["a", "b"], ["a", "b"], True),
        (["a", "b"], ["a", "c"], False),
        ([0.0], [5e-324], False),
        ([np.inf], [np.inf], True),
        ([np.inf], [-np.inf], False),
        ([np.inf], [1.0], False),
        ([], [], True),
    ],
)
def test_comparing_values(a, b, agrees):
    assert compare_values("x", a, b, EXACT).agrees is agrees
    (row,) = side_by_side("x", a, of_json(json.loads(json.dumps(to_json(b)))), EXACT)
    assert row.agrees is agrees


def test_relative_tolerance_is_a_limit_on_both_sides():
    assert compare_values("x", [1.0], [1.0 + 0.9e-12], SUMS).agrees
    assert not compare_values("x", [1.0], [1.0 + 1.2e-12], SUMS).agrees
    big = [1e6, 1.0]
    near = [1e6, 1.0 + 1e-8]
    assert not compare_values("x", big, near, SUMS).agrees
    assert compare_values("x", big, near, SUMS.of_the_largest()).agrees
    for largest in (np.inf, np.nan):  # hides no other number
        assert not compare_values("x", [largest, 1], [largest, 2], SUMS.of_the_largest()).agrees
