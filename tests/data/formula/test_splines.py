"""bs() and ns() against R's package splines, and the words of neighbours in formulas."""

from __future__ import annotations

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.data.task import Task
from pycvstat.errors import DataError, FormulaError
from pycvstat.r.bridge import run

ROUNDING = 1e-13
"""The same polynomials; beyond the boundary R expands them around another point."""

rng = np.random.default_rng(2)
INSIDE, BEYOND = rng.normal(size=40), np.linspace(-5, 5, 21)
DATA = {"x": np.concatenate([INSIDE, BEYOND]), "y": np.arange(61.0)}
TERMS = [
    "bs(x)",
    "bs(x, df = 6)",
    "bs(x, 5, degree = 2)",
    "bs(x, degree = 1, df = 4)",
    "bs(x, knots = c(-1, 0.5), Boundary.knots = c(-4, 4), intercept = TRUE)",
    "ns(x)",
    "ns(x, 4)",
    "ns(x, df = 3, intercept = TRUE)",
    "ns(x, knots = c(0, 1))",
]


def columns(term: str) -> np.ndarray:
    """With knots and boundary from the first 40 rows, at all 61."""
    train, new = Task.build(f"y ~ {term}", DATA).matrices(
        "contrasts", np.arange(40), np.arange(40, 61)
    )
    return np.vstack([train, new])[:, 1:]


@pytest.mark.live_r
@pytest.mark.parametrize("term", TERMS)
def test_columns_are_those_of_r(term: str) -> None:
    code = f"""function(x, new) suppressWarnings({{
      library(splines); b <- {term}; unclass(rbind(b, predict(b, new))) }})"""
    theirs = np.asarray(run(code, x=INSIDE, new=BEYOND), dtype=float).reshape(61, -1)
    np.testing.assert_allclose(columns(term), theirs, rtol=ROUNDING, atol=ROUNDING)
    names = run(f"function(x) {{ library(splines); colnames(model.matrix(~ {term})) }}", x=INSIDE)
    assert Task.build(f"y ~ {term}", DATA).design().columns == tuple(names)


def test_columns_recorded_from_r() -> None:
    """R 4.2.2: predict(ns(1:6, 3), c(0, 2.5, 9)) and predict(bs(1:6, 4), c(2.5, 9))."""
    data = {"x": [1.0, 2, 3, 4, 5, 6, 0, 2.5, 9], "y": np.arange(9.0)}
    rows = np.arange(6), np.arange(6, 9)
    natural = Task.build("y ~ ns(x, 3)", data).matrices("contrasts", *rows)[1][:, 1:]
    np.testing.assert_allclose(natural, NATURAL, rtol=1e-12)
    cubic = Task.build("y ~ bs(x, 4)", data).matrices("contrasts", *rows)[1][1:, 1:]
    np.testing.assert_allclose(cubic, CUBIC, rtol=1e-12)


NATURAL = [
    [0.152127765851133, -0.456383297553399, 0.304255531702266],
    [-0.05375847503556208, 0.52577542510668629, -0.35051695007112427],
    [-2.0714285714285716, 0.8142857142857149, 2.2571428571428553],
]
CUBIC = [
    [0.55800000000000016, 0.32400000000000007, 0.05400000000000002, 0.00000000000000000],
    [-0.4319999999999999, 3.8879999999999995, -13.1039999999999992, 10.6479999999999997],
]


@pytest.mark.parametrize("term", TERMS)
def test_splines_of_training_rows_only(term: str) -> None:
    """Other new rows change nothing; natural splines are straight beyond the boundary."""
    made = columns(term)
    some = Task.build(f"y ~ {term}", DATA).matrices("contrasts", np.arange(40), np.array([40, 60]))
    np.testing.assert_array_equal(some[1][:, 1:], made[[40, 60]])
    if term.startswith("ns"):
        low = made[40:44]  # at -5, -4.5, -4, -3.5
        np.testing.assert_allclose(np.diff(low, 2, axis=0), 0, atol=1e-12)


def test_a_spline_in_a_cross_validation() -> None:
    cars = pcv.data.mtcars()
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ ns(hp, 3) + wt", cars, folds=pcv.Blocks(4))
    fitted = pcv.OLS().fit("mpg ~ ns(hp, 3) + wt", cars)
    assert list(fitted.coefficients)[1:4] == ["ns(hp, 3)1", "ns(hp, 3)2", "ns(hp, 3)3"]
    train, test = next(iter(result.plan))
    alone = pcv.OLS().fit("mpg ~ ns(hp, 3) + wt", cars.iloc[train]).predict(cars.iloc[test])
    np.testing.assert_allclose(result.predictions[test], alone, rtol=1e-10)


@pytest.mark.parametrize(
    ("term", "message"),
    [
        ("bs(x, df = 2)", "df of bs\\(\\) must be a whole number from 3"),
        ("ns(x, df = 2.5)", "df of ns\\(\\) must be a whole number from 1"),
        ("bs(x, degree = 0)", "degree of bs\\(\\) must be a whole number from 1"),
        ("ns(x, degree = 2)", "ns\\(\\) does not take these arguments"),
        ('bs(x, knots = "a")', "Knots are numbers"),
        ("bs(x, Boundary.knots = c(1, 0))", "Boundary.knots are two numbers"),
        ("I(bs(x))", "bs\\(\\) must stand by itself"),
    ],
)
def test_options_that_cannot_be(term: str, message: str) -> None:
    with pytest.raises(FormulaError, match=message):
        Task.build(f"y ~ {term}", DATA).design()


def test_a_column_that_does_not_vary() -> None:
    with pytest.raises(DataError, match="the column does not vary"):
        Task.build("y ~ bs(x)", {"x": [1.0, 1.0, 1.0], "y": [1.0, 2.0, 3.0]}).design()


@pytest.mark.parametrize("term", ["ns(x, knots = c(0, 3))", "bs(x, knots = -3)"])
def test_knots_beyond_the_rows(term: str) -> None:
    """Of which R makes NA, or columns without support."""
    with pytest.raises(DataError, match="knots beyond the rows") as told:
        columns(term)
    assert f"values from {INSIDE.min():g} to {INSIDE.max():g}" in str(told.value)
    inside = term.removesuffix(")") + ", Boundary.knots = c(-6, 6))"
    around = columns(inside)
    assert np.isfinite(around).all()


def test_c_means_factor() -> None:
    cars = pcv.data.mtcars()
    ours = pcv.OLS().fit("mpg ~ C(cyl) + wt", cars)
    factor = pcv.OLS().fit("mpg ~ factor(cyl) + wt", cars)
    assert list(ours.coefficients.values()) == list(factor.coefficients.values())
    assert list(ours.coefficients)[1] == "C(cyl)6"


def test_random_effects_are_answered() -> None:
    cars = pcv.data.mtcars()
    with pytest.raises(FormulaError) as told:
        pcv.OLS().fit("mpg ~ wt + (1 | cyl)", cars)
    assert "pcv.Statsmodels(smf.mixedlm, groups='cyl')" in str(told.value)
    with pytest.raises(FormulaError, match="is a random effect") as told:
        pcv.OLS().fit("mpg ~ wt + (wt | cyl)", cars)
    assert 'exog_re="~ wt"' in str(told.value)
