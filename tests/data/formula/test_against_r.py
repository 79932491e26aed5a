"""Terms and model matrices against R: recorded, and the recording against a live R."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pycvstat.data.formula import Encoder, parse, polynomials, response
from pycvstat.data.frame import read
from pycvstat.r import bridge
from pycvstat.r.bridge import reference
from tests.data.formula.recorded import as_frame, numbers

# two QR factorisations of the same points; everything else is the same arithmetic
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
    polynomial = "poly" in case["formula"] or any(c.endswith(".L") for c in design.columns)
    tolerance = POLYNOMIALS if polynomial else ARITHMETIC
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
    np.testing.assert_allclose(polynomials.contrasts(levels), theirs, atol=POLYNOMIALS)


@pytest.mark.parametrize("levels", [3, 20, 95])
def test_polynomial_contrasts_are_orthonormal(levels: int) -> None:
    codes = polynomials.contrasts(levels)
    np.testing.assert_allclose(codes.T @ codes, np.eye(levels - 1), atol=1e-14)
    np.testing.assert_allclose(codes.sum(axis=0), 0.0, atol=1e-14)
    assert (codes[-1] > 0).all()


@pytest.mark.live_r
def test_new_rows_get_the_training_rows_polynomials_and_scales() -> None:
    rng = np.random.default_rng(1)
    data = {"y": rng.normal(size=30), "x": rng.normal(size=30), "z": rng.uniform(1, 2, 30)}
    new = {"x": rng.normal(size=5), "z": rng.uniform(1, 2, 5)}
    text = "y ~ poly(x, 3) + scale(z) + poly(log(z), 2)"
    frame = read(data)
    ours = Encoder(parse(text, frame.names), frame).fit(frame).matrix(read(new)).X
    theirs = bridge.run(
        "function(d, new, f) {"
        " t <- terms(model.frame(as.formula(f), d)); "
        " unname(model.matrix(delete.response(t), model.frame(delete.response(t), new))) }",
        d=pd.DataFrame(data),
        new=pd.DataFrame(new),
        f=text,
    )
    np.testing.assert_allclose(ours, np.asarray(theirs, dtype=float), rtol=1e-11, atol=1e-11)
