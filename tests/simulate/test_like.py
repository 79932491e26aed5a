"""Coverage for data like the user's: the truth is that of the law that draws them."""

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError
from pycvstat.simulate import coverage
from pycvstat.simulate.like import like

ERRORS = 4  # Monte Carlo errors; the seeds are fixed


def line(n=80):
    draw = np.random.default_rng(3)
    data = pd.DataFrame({"x": draw.normal(size=n)})
    return data.assign(y=2 * data["x"] + draw.normal(size=n))


@pytest.mark.parametrize("formula", ["y ~ x", "factor(x > 0) ~ y"])
def test_cross_validation_estimates_the_risk_that_is_known(formula):
    """Two ways: the mean of the estimates, and the risk at the size of the training sets."""
    learner = pcv.OLS() if formula == "y ~ x" else pcv.Logit()
    found = coverage(learner, "auto", like=line(), formula=formula, sets=150)
    truth, estimate = found["ER(72)"].truth, found.estimate
    error = np.hypot(truth.std_error, estimate.std_error)
    assert abs(truth.mean - estimate.mean) < ERRORS * error
    assert found["ER(72)"].coverage.mean > 0.85


def test_the_risk_is_that_of_the_errors_and_of_the_fit():
    """A mean of n rows: the spread of the responses about it, and its own variance."""
    data = line()
    found = coverage(pcv.Mean(), "auto", like=data, formula="y ~ x", sets=200, n=20)
    out_of_fold = pcv.cross_validate(
        pcv.Mean(), "y ~ x", data, folds=pcv.KFold(10, random=1), loss="squared"
    )
    spread = np.var(
        data["y"].to_numpy()[out_of_fold.plan.rows] - out_of_fold.table.predictions.values[0]
    )
    truth = found["ER(20)"].truth
    assert abs(truth.mean - spread * (1 + 1 / 20)) < ERRORS * truth.std_error


@pytest.mark.parametrize("n", ["a", 2.5, 0, -3, True])
def test_a_number_of_rows_is_asked_for(n):
    with pytest.raises(InputError, match="n must be a whole number"):
        coverage(pcv.OLS(), "auto", like=line(), formula="y ~ x", sets=5, n=n)


def test_one_row_is_a_number_of_rows():
    drawn = like(pcv.OLS(), line(), "y ~ x", n=1).draw(pcv.RRandom(1), 3)
    assert [values.shape for values in drawn] == [(3, 1, 1), (3, 1)]


def test_a_learner_that_draws_leaves_the_generators_of_the_session_alone():
    learner = pcv.FromFunctions(
        lambda X, y: y.mean() + np.random.normal(), lambda model, X: np.full(len(X), model)
    )
    state = np.random.get_state()[1].tolist()
    one, two = (like(learner, line(), "y ~ x").law.fitted for _ in range(2))
    assert np.random.get_state()[1].tolist() == state
    assert one.tolist() == two.tolist()
