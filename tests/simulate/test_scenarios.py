"""What a scenario computes of a data set, against the public functions on the same data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.losses import LossTable
from pycvstat.simulate import SCENARIOS, Scenario, ranked_logistic, tuned_knn, two_ols
from pycvstat.simulate.laws import at_points
from pycvstat.simulate.scenarios import expected_auc

SAME = 1e-10  # the design of training rows and points is made at once: sums are grouped otherwise
CASES = [*SCENARIOS.values(), two_ols(), tuned_knn(), ranked_logistic()]
FOLDS = pcv.Repeated(pcv.KFold(5), times=2, random=1).plan(100)
ROWS = (100, 70)


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Scenario:
    """A scenario whose data sets have 100 rows."""
    return request.param


@pytest.fixture
def drawn(case: Scenario) -> tuple[Any, Any, Any]:
    """Predictors, response and points of one data set."""
    stream = pcv.RRandom(5)
    X, y = case.draw(stream, 1)
    return X[0, :100], y[0, :100], case.points(stream, 1)[0]


def frame(X: Any) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"x{j + 1}" for j in range(X.shape[1])])


def cross_validated(case: Scenario, drawn: Any) -> tuple[LossTable, Any]:
    case = case if case.n == 100 else ranked_logistic(100)
    fits = at_points([np.arange(n) for n in ROWS], 100, len(drawn[2]))
    return case.cross_validated(*drawn, FOLDS, fits)


@pytest.mark.filterwarnings("ignore:OLS has 51 columns")
def test_losses_are_those_of_the_procedures(case: Scenario, drawn: Any) -> None:
    data = frame(drawn[0]).assign(y=drawn[1])

    def losses(formula: str) -> Any:
        given = {"folds": FOLDS, "loss": case.law.loss}
        if case.grid is None:
            return pcv.cross_validate(case.learner, formula, data, **given).table.losses
        return pcv.tune(case.learner, formula, data, grid=case.grid, **given).losses().losses

    expected = losses(case.formula) - (losses(case.versus) if case.versus else 0.0)
    np.testing.assert_array_equal(cross_validated(case, drawn)[0].losses, expected)


@pytest.mark.filterwarnings("ignore:OLS has 51 columns")
def test_risks_are_those_of_fits_to_the_rows(case: Scenario, drawn: Any) -> None:
    X, y, points = drawn
    data, mean = frame(X).assign(y=y), case.law.mean(points)
    table, found = cross_validated(case, drawn)
    best = table.candidates[int(table.estimate().argmin())]

    def risk(formula: str, n: int) -> float:
        fitted = case.learner.with_params(**best).fit(formula, data.head(n))
        predicted = fitted.predict(frame(points))
        if case.ranked:
            return expected_auc(predicted, mean)
        if case.law.classes:
            return float(np.where(predicted > 0.5, 1 - mean, mean).mean())
        return float(case.law.bayes_risk + ((predicted - mean) ** 2).mean())

    for n, one in zip(ROWS, found, strict=True):
        expected = risk(case.formula, n) - (risk(case.versus, n) if case.versus else 0.0)
        np.testing.assert_allclose(one, expected, rtol=SAME, atol=SAME)


def test_scenarios_and_laws_show_themselves_by_their_names() -> None:
    assert repr(SCENARIOS["ols"]) == "Scenario('OLS, n = 100, p = 20')"
    assert repr(SCENARIOS["heavy_tails"].law) == "HeavyTailed('t3')"
    assert " at 0x" not in repr([*CASES, *(one.law for one in CASES)])
