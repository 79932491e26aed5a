"""What is said about formulas that cannot be used."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pycvstat.data.formula import Encoder, encoder, parse, response
from pycvstat.data.frame import Frame, read
from pycvstat.errors import DataError, FormulaError, PycvstatWarning

NAMES = ["y", "x", "z", "age", "body mass"]

# formula -> a part of the problem, a part of the fix
REFUSED = {
    "y": ("no ~", "response ~ terms"),
    "": ("no ~", "response ~ terms"),
    "y ~": ("right side of the formula is empty", "y ~ ."),
    "~ x": ("no response", "left of the ~"),
    "y ~ ~ x": ("more than one ~", ""),
    "y ~ x +": ("ends too early", ""),
    "y ~ (x": ("ends too early", ""),
    "y ~ x)": ("')' is not expected", ""),
    "y ~ agee": ("no column 'agee'", "did you mean 'age'?"),
    "y ~ AGE": ("no column 'AGE'", "did you mean 'age'?"),
    "y ~ . - agee": ("no column 'agee'", "did you mean 'age'?"),
    "y ~ . - log(agee)": ("no column 'agee'", "did you mean 'age'?"),
    "y ~ x:1": ("'1' is no term", "R drops x"),
    "y ~ age + lambda:1": ("'1' is no term", "R drops x"),
    "y ~ 1*x": ("'1' is no term", "write the columns alone"),
    "y ~ x + 1/age": ("'1' is no term", ""),
    "y ~ -1*x": ("'-1' is no term", "I(2 * x)"),
    "y ~ x*(age - age)": ("'(age - age)' is no term", ""),
    "y ~ (0)^2": ("'(0)' is no term", ""),
    "y ~ x %in% 1": ("'1' is no term", ""),
    "y ~ x - offset(age)": ("R keeps it", "leave it out"),
    "y ~ foo": ("no column 'foo'", "use one of 'y', 'x'"),
    "yy ~ x": ("no column 'yy'", "did you mean 'y'?"),
    "y ~ body mass": ("'mass' is not expected", "backticks"),
    "y ~ `body mass": ("not closed", "close it"),
    "y ~ ``": ("empty or not closed", ""),
    "y ~ 'open": ("not closed", ""),
    "y ~ y": ("'y' is also on the right", "remove it"),
    "log(y) ~ x + y": ("'y' is also on the right", ""),
    "y ~ sine(x)": ("sine() is not allowed", "did you mean 'sin'?; the allowed functions are abs"),
    "y ~ __import__('os')": ("__import__() is not allowed", "make the column beforehand"),
    "cbind(y, x) ~ z": ("cbind() is not allowed", "weights="),
    "y ~ s(x)": ("s() is not allowed", "ns(x, df = 4)"),
    "y ~ {x}": ("'{' has no meaning", "backticks"),
    "y ~ x$z": ("'$' has no meaning", ""),
    "y ~ x[1]": ("'[' has no meaning", ""),
    "y ~ x; z": ("';' has no meaning", ""),
    "y ~ x # z": ("'#' has no meaning", ""),
    "y ~ x %o% z": ("'%' has no meaning", ""),
    "y ~ base::log(x)": ("':' is not expected", ""),
    "y ~ 2": ("number 2 is not a term", "I(...)"),
    "y ~ x^0": ("power 0", "I(x^2)"),
    "y ~ x^1.5 + x^z": ("power z", ""),
    "y ~ 'x'": ("string is not a term", "without quotes"),
    "y ~ x == 1": ("'x == 1' is not a term", "I(x == 1)"),
    "y ~ !x": ("'!x' is not a term", "I(!x)"),
    "y ~ I(x < z < 2)": ("cannot be chained", "&"),
    "y ~ log(.)": ("dot stands for all columns", ""),
    ". ~ x": ("dot stands for all columns", ""),
    "y ~ poly(x, z)": ("degree of poly() must be a constant", ""),
    "y ~ poly(x, 2, 3, 4)": ("does not take these arguments", "(x, degree, raw)"),
    "y ~ log(x, b = 2)": ("does not take these arguments", "(x, base)"),
    "y ~ log()": ("log() needs a column", ""),
    "y ~ C(x, Treatment(reference='b'))": ("does not take these arguments", "first level is the"),
    "y ~ Q('body mass')": ("Q() is not allowed", "backticks"),
    "y ~ center(x)": ("center() is not allowed", "scale(x, scale = FALSE)"),
    "y ~ standardize(x)": ("standardize() is not allowed", "scale(x)"),
    "y ~ cr(x, df=3)": ("cr() is not allowed", "ns(x, df = 4)"),
    "y ~ log(poly(x, 2))": ("poly() must stand by itself", ""),
    "y ~ I(factor(x) == 'a')": ("factor() must stand by itself", ""),
    "y ~ x:offset(z)": ("offset cannot be part of an interaction", ""),
    "y ~ 0": ("neither terms nor an intercept", "y ~ 1"),
    "y ~ x - x - 1": ("neither terms nor an intercept", ""),
    "y ~ I(1)": ("reads no column", ""),
    "1 ~ x": ("reads no column", ""),
    "y ~ c(x)": ("c() holds constants only", ""),
    "y ~ I(x:z)": (": has no meaning in arithmetic", ""),
    "poly(y, 2) ~ x": ("must not be computed from other rows", "log(y)"),
    "scale(y) ~ x": ("must not be computed from other rows", ""),
    "y ~ " + "(" * 200 + "x" + ")" * 200: ("nested too deeply", ""),
    "y ~ x" + "^x" * 300: ("nested too deeply", ""),
    "y ~ " + "-" * 300 + "x": ("nested too deeply", ""),
    "y ~ I(" + "+".join(["x"] * 2000) + ")": ("nested too deeply", ""),
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:40])
def test_refused_formulas_say_why(text: str) -> None:
    problem, fix = REFUSED[text]
    with pytest.raises(FormulaError) as caught:
        parse(text, NAMES)
    assert problem in caught.value.problem
    assert fix in (caught.value.fix or "")
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("text", [None, 3, ["y ~ x"]])
def test_formulas_are_text(text: object) -> None:
    with pytest.raises(FormulaError, match="must be text"):
        parse(text, NAMES)  # type: ignore[arg-type]


def test_too_many_terms_are_refused_at_once() -> None:
    names = [f"x{i}" for i in range(40)]
    for text in ("y ~ .^9", "y ~ " + "*".join(names)):
        with pytest.raises(FormulaError, match="too many terms"):
            parse(text, ["y", *names])


DATA = {
    "y": [1.0, 2.0, 3.0, 4.0],
    "x": [-1.0, 0.0, 1.0, 2.0],
    "g": ["a", "b", "b", "a"],
    "one": ["k", "k", "k", "k"],
    "same": [5.0, 5.0, 5.0, 5.0],
    "inf": [1.0, 2.0, float("inf"), 3.0],
}
UNUSABLE = {
    "y ~ log(x)": "log(x) is not a finite number in 2 of 4 rows",
    "y ~ poly(log(x), 1)": "log(x) is not a finite number in 2 of 4 rows",
    "y ~ inf": "inf is not a finite number in 1 of 4 rows",
    "y ~ offset(sqrt(x))": "sqrt(x) is not a finite number in 1 of 4 rows",
    "y ~ log(g)": "g is text, and arithmetic needs numbers",
    "y ~ I(g > 'a')": "compared by == and != only",
    "y ~ I(g == 3)": "compared with words in quotes only",
    "y ~ poly(g, 2)": "poly(g, 2) needs numbers",
    "y ~ one": "Column 'one' has fewer than two levels",
    "y ~ poly(x, 4)": "degree of poly(x, 4) must be less than the number of distinct values",
    "y ~ scale(same)": "scale(same) cannot be computed: the column does not vary",
    "y ~ offset(g)": "An offset must be numeric",
    "y ~ poly(x, 2.5)": "degree of poly() must be a whole number",
    "y ~ scale(x, 'a')": "center and scale must be TRUE, FALSE or a number",
    "y ~ cut(x, 3)": "cut() needs its breaks as numbers",
    "y ~ cut(x, c(1, 1))": "cut() needs its breaks as numbers",
    "y ~ cut(x)": "cut() needs its breaks as numbers",
    "y ~ cut(x, c(-1, 0, 1))": "cut(x, c(-1, 0, 1)) is not a known level in 2 of 4 rows",
    "cut(x, c(-1, 0, 1)) ~ y": "cut(x, c(-1, 0, 1)) is not a known level in 2 of 4 rows",
    "factor(g, levels = 'a') ~ x": "is not a known level in 2 of 4 rows",
    "y ~ factor(g, levels = c('a', 'q'))": "is not a known level in 2 of 4 rows",
    "y ~ cut(g, c(0, 1))": "cut() needs numbers, and g is text",
    "y ~ factor(g, labels = c('p', 'q', 'r'))": "one label per level",
    "y ~ factor(g, levels = c('a', 'a'))": "Levels are repeated",
    "y ~ factor(g, exclude = 'a')": "factor(exclude = ) is not offered",
    "log(x) ~ g": "log(x) is not a finite number in 2 of 4 rows",
}


def design(text: str, frame: Frame) -> None:
    formula = parse(text, frame.names)
    response(formula, frame)
    Encoder(formula, frame).fit(frame).matrix(frame)


@pytest.mark.parametrize("text", UNUSABLE)
def test_data_that_a_formula_cannot_use(text: str) -> None:
    with pytest.raises((DataError, FormulaError)) as caught:
        design(text, read(DATA))
    assert UNUSABLE[text] in caught.value.problem


def test_unseen_levels_name_level_column_and_row() -> None:
    frame = read(DATA)
    encoder = Encoder(parse("y ~ g + x", frame.names), frame).fit(frame)
    with pytest.raises(DataError) as caught:
        encoder.matrix(read({"g": ["a", "q", "q"], "x": [1, 2, 3]}))
    assert "Column 'g' has a level not seen before: 'q'." in caught.value.problem
    assert caught.value.given == "2 rows, the first is row 2 (counted from 1); known: ['a', 'b']"


def test_new_data_of_another_kind_or_without_a_column() -> None:
    frame = read(DATA)
    encoder = Encoder(parse("y ~ g + x", frame.names), frame).fit(frame)
    with pytest.raises(DataError, match="Column 'x' is text here, but numeric"):
        encoder.matrix(read({"g": ["a"], "x": ["1"]}))
    with pytest.raises(DataError, match="no column 'x'"):
        encoder.matrix(read({"g": ["a"]}))


def test_the_size_of_a_design_is_known_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "memory", lambda: 16e9)
    n = 30_000
    frame = read({"y": [0.0] * n, "a b": [f"row {i}" for i in range(n)], "x": [1.0] * n})
    with pytest.raises(DataError) as caught:
        Encoder(parse("y ~ .", frame.names), frame)
    assert "30,001 columns for 30,000 rows: 7.2 GB, and about 3 times" in caught.value.problem
    assert caught.value.given == "29,999 of the columns belong to `a b`; 16.0 GB of memory"
    assert "y ~ . - `a b`" in caught.value.fix
    few = read({"y": [0.0] * n, "g": [f"{i % 150}" for i in range(n)], "x": [1.0] * n})
    with pytest.raises(DataError, match="22,501 columns for 30,000 rows"):
        Encoder(parse("y ~ g:factor(g) + x - 1", few.names), few)


def test_memory_is_what_the_process_may_take(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(encoder, "CONTAINER", ())
    machine = encoder.memory()
    assert machine > 1e8
    resource = pytest.importorskip("resource")
    with monkeypatch.context() as limited:
        limited.setattr(resource, "getrlimit", lambda _: (10**8, 10**8))
        assert encoder.memory() == 1e8
    with monkeypatch.context() as unknown:
        unknown.setattr(encoder.os, "sysconf", lambda name: int("none"))
        unknown.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY,) * 2)
        assert encoder.memory() == 16e9
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(encoder, "CONTAINER", (str(limit), str(tmp_path / "none")))
    for text, memory in (("5000000\n", 5e6), ("max\n", machine)):
        limit.write_text(text)
        assert encoder.memory() == memory


@pytest.mark.parametrize("memory", [6 * 8e9, 6 * 8e9 - 1])
def test_a_design_and_its_copies_take_half_of_the_memory(
    memory: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "memory", lambda: memory)
    if memory == 6 * 8e9:
        encoder.check_size({"x": 100}, 10**7, say=False)
    else:
        with pytest.raises(DataError, match=r"100 columns for 10,000,000 rows: 8\.0 GB"):
            encoder.check_size({"x": 100}, 10**7, say=False)


def test_a_large_design_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "LARGE", 1e5)
    frame = read({"y": [0.0] * 400, "g": [f"{i % 40}" for i in range(400)]})
    with pytest.warns(PycvstatWarning, match="40 columns for 400 rows: 0.0 GB"):
        design("y ~ g", frame)


@pytest.mark.parametrize("length", [199, 200, 201, 400])
def test_formulas_are_shown_to_200_characters(length: int) -> None:
    text = f"y ~ x:offset({'z' * (length - 14)})"
    with pytest.raises(FormulaError) as caught:
        parse(text, ["y", "x", "z" * (length - 14)])
    assert len(text) == length
    assert caught.value.given == (text if length <= 200 else f"{text[:197]}...")


def test_values_are_shown_to_40_characters() -> None:
    for size in (38, 39, 60):
        value = b"a" * (size - 3)
        with pytest.raises(DataError) as caught:
            read({"x": [1.0, value]})["x"]
        assert f"; bytes {str(value)[:40]} in row 2 (" in caught.value.given


def test_what_a_formula_learnt_cannot_be_changed() -> None:
    frame = read({"y": [1.0, 2.0, 3.0], "x": [1.0, 2.0, 4.0]})
    fitted = Encoder(parse("y ~ x", frame.names), frame).fit(frame)
    with pytest.raises(ValueError, match="read-only"):
        fitted.matrix(frame).assign[0] = 5


@pytest.mark.parametrize("levels", [95, 96])
def test_polynomials_of_95_levels_at_most(levels: int) -> None:
    grades = pd.Categorical(range(levels), range(levels), ordered=True)
    frame = read({"y": np.arange(levels), "g": grades})
    if levels > 95:
        with pytest.raises(DataError, match="more than 95 levels") as caught:
            design("y ~ g", frame)
        assert caught.value.given == "96 levels"
    else:
        design("y ~ g", frame)
