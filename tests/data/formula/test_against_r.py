"""Terms and model matrices against R: recorded, and the recording against a live R."""

from __future__ import annotations

import contextlib
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pycvstat import rmath
from pycvstat.data.formula import Encoder, bases, parse, response
from pycvstat.data.frame import read
from pycvstat.data.task import Task
from pycvstat.errors import FormulaError
from pycvstat.r import bridge
from pycvstat.r.bridge import reference
from tests.data.formula.recorded import as_frame, numbers

# contr.poly factorises, ours is exact; poly() of an R with another BLAS
POLYNOMIALS = 1e-12
ARITHMETIC = 1e-15

RECORDED = reference.recorded("formulas.json")
FRAME = as_frame(RECORDED["data"])


def name_of(case: dict[str, Any]) -> str:
    return f"{case['formula']} [{case['coding']}]"


@pytest.mark.parametrize("case", RECORDED["cases"], ids=name_of)
def test_model_matrix(case: dict[str, Any]) -> None:
    formula = parse(case["formula"], FRAME.names)
    design = Encoder(formula, FRAME, case["coding"]).fit(FRAME).matrix(FRAME)
    assert list(design.columns) == case["columns"]
    assert design.assign.tolist() == case["assign"]
    assert list(design.term_labels) == case["labels"]
    assert list(design.term_orders) == case["orders"]
    assert design.intercept == case["intercept"]
    X = np.array([numbers(row) for row in case["X"]])
    grades = any(c.endswith(".L") for c in design.columns)
    if rmath.EXTENDED and not grades:
        np.testing.assert_array_equal(design.X, X)
    tolerance = POLYNOMIALS if grades or "poly" in case["formula"] else ARITHMETIC
    np.testing.assert_allclose(design.X, X, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("case", RECORDED["cases"], ids=name_of)
def test_response_and_offset(case: dict[str, Any]) -> None:
    formula = parse(case["formula"], FRAME.names)
    y = response(formula, FRAME)
    if case["levels"]:
        assert list(y.levels) == case["levels"]
        assert y.labels().tolist() == case["y"]
    elif y.kind == "logical":
        assert y.labels().tolist() == case["y"]
    else:
        np.testing.assert_allclose(y.values, numbers(case["y"]), rtol=ARITHMETIC)
    offset = Encoder(formula, FRAME).fit(FRAME).matrix(FRAME).offset
    if case["offset"] is None:
        assert offset is None
    else:
        np.testing.assert_allclose(offset, numbers(case["offset"]), rtol=ARITHMETIC)


def test_many_formulas_are_recorded_for_both_codings() -> None:
    codings = [case["coding"] for case in RECORDED["cases"]]
    assert codings.count("contrasts") > 100
    assert codings.count("kknn") > 50


@pytest.mark.live_kknn
def test_the_recording_is_what_r_says_now(tmp_path: Path) -> None:
    written = tmp_path / "formulas.json"
    bridge.rscript(reference.path("formulas.R"), str(written))
    live = json.loads(written.read_text(encoding="utf-8"))
    assert live["data"] == RECORDED["data"]
    assert live["cases"] == RECORDED["cases"]


@pytest.mark.live_r
@pytest.mark.parametrize("levels", [2, 3, 4, 5, 7, 12])  # beyond 15 R's own lose digits
def test_polynomial_contrasts(levels: int) -> None:
    theirs = np.asarray(bridge.run("contr.poly(n)", n=levels), dtype=float).reshape(levels, -1)
    np.testing.assert_allclose(bases.contrasts(levels), theirs, atol=POLYNOMIALS)


@pytest.mark.parametrize("levels", [3, 20, 95])
def test_polynomial_contrasts_are_orthonormal(levels: int) -> None:
    codes = bases.contrasts(levels)
    np.testing.assert_allclose(codes.T @ codes, np.eye(levels - 1), atol=1e-14)
    np.testing.assert_allclose(codes.sum(axis=0), 0.0, atol=1e-14)
    assert (codes[-1] > 0).all()


GENERATED = """
function(formulas, d) lapply(formulas, function(f) {
  rows <- suppressWarnings(model.frame(as.formula(f), d))
  X <- model.matrix(terms(rows), rows)
  offset <- model.offset(rows)
  list(colnames(X), as.integer(rownames(rows)), unname(X), if (is.null(offset)) 0 else offset)
})"""
ATOMS = ["x", "z", "g", "h", "l", "b", ".", "I(x^2)", "log(z)", "offset(z)", "1", "0", "-1"]


def generated(draw: random.Random, depth: int) -> str:
    if not depth:
        return draw.choice(ATOMS)
    if draw.random() < 0.8:
        operator = draw.choice(["+", "+", "-", "-", ":", "*", "/", "%in%"])
        return f"{generated(draw, depth - 1)} {operator} {generated(draw, draw.randrange(depth))}"
    return draw.choice(["({})", "({})^2", "-{}"]).format(generated(draw, depth - 1))


@pytest.mark.live_r
def test_generated_formulas_are_refused_or_r_agrees() -> None:
    draw, rng = random.Random(3), np.random.default_rng(3)
    data = pd.DataFrame({"y": rng.normal(size=14), "x": rng.normal(size=14)})
    data["z"], data["g"] = rng.uniform(1, 2, 14), pd.Categorical(list("abcabcabcabcab"))
    data["b"], data["h"] = data["x"].shift(1), pd.Categorical(list("uvvuvuvuvuuvvu"))
    data["l"] = data["x"] > 0
    read_by_us = {}
    for text in dict.fromkeys(f"y ~ {generated(draw, draw.randint(1, 4))}" for _ in range(1500)):
        with contextlib.suppress(FormulaError):
            read_by_us[text] = Task.build(text, data, na="omit")
    assert len(read_by_us) > 400
    theirs = bridge.run(GENERATED, formulas=list(read_by_us), d=data)
    for (text, task), (columns, rows, X, offset) in zip(read_by_us.items(), theirs, strict=True):
        ours = task.design()
        assert list(ours.columns) == list(np.ravel(columns)), text
        assert (task.rows + 1).tolist() == list(np.ravel(rows)), text
        np.testing.assert_array_equal(ours.X, np.reshape(X, ours.X.shape), text)
        np.testing.assert_array_equal(0 if ours.offset is None else ours.offset, offset, text)


OF_COLUMNS = """
    acos(x/50) asin(x/50) atan(x) cos(x) cosh(x/9) exp(x/9) expm1(x/9) log(p) log10(p) log1p(p)
    log2(p) log(p,3) log(p,10) sin(x) sinh(x/9) sqrt(p) tan(x) tanh(x/5) I(x^2) I(x^3) I(x^4L)
    I(p^0.5) I(p^-1) I(p^1.7) I(2^x) I(x%%0.3) I(x%%4) I(x%/%0.3) I(x*z/p) I(exp(x/10)/p) scale(x)
    scale(x^3) scale(log(p)) scale(x,scale=FALSE) scale(x,center=FALSE) scale(x,center=3.1)
    scale(z,center=2,scale=3) poly(x,1) poly(x,2) poly(p,4) poly(z,5) poly(log(p),3)
    poly(x,3,raw=TRUE) x:z:p poly(x,2):z:p scale(x)*log(p)*z
"""
FUNCTIONS = OF_COLUMNS.split()
COLUMNS = {
    "smooth": lambda rng, n: rng.normal(size=n) * 5,
    "quarters": lambda rng, n: rng.integers(-20, 20, n) / 4,
    "tenths": lambda rng, n: rng.uniform(-30, 30, n).round(1),
}
DESIGNS = """
function(d, new, f) {
  of_fit <- terms(rows <- model.frame(as.formula(f), d))
  of_new <- delete.response(of_fit)
  list(unname(model.matrix(of_fit, rows)), unname(model.matrix(of_new, model.frame(of_new, new))))
}"""


@pytest.mark.live_r
@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_have_the_bits_of_r(function: str, kind: str) -> None:
    rng = np.random.default_rng(FUNCTIONS.index(function))
    added = "libblas" not in str(bridge.run("extSoftVersion()[['BLAS']]"))
    tolerance = POLYNOMIALS if added and function.startswith("poly") else 0
    for n in (9, 40, 163):
        data, new = (
            {"x": COLUMNS[kind](rng, m), "p": np.exp(rng.normal(size=m)), "z": rng.uniform(1, 2, m)}
            for m in (n, 15)
        )
        data["y"] = rng.normal(size=n)
        frame = read(data)
        fitted = Encoder(parse(f"y ~ {function}", frame.names), frame).fit(frame)
        theirs = bridge.run(
            DESIGNS, d=pd.DataFrame(data), new=pd.DataFrame(new), f=f"y ~ {function}"
        )
        for rows, design in zip((frame, read(new)), theirs, strict=True):
            np.testing.assert_allclose(fitted.matrix(rows).X, design, tolerance, tolerance)
