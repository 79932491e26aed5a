"""One ulp, one row, one fold: the smallest mistake in each kind of result is caught and located."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.losses import Predictions

pytestmark = [
    pytest.mark.live_r,
    pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning"),
]

WAVES, LABELS, CARS = pcv.data.waves(60, random=3), pcv.data.labels(80), pcv.data.mtcars()
FOLDS = pcv.Repeated(pcv.KFold(4), 2, random=6)
GRID = {"lam": [0.1, 1.0, 5.0]}


def up(values, i, steps=1):
    changed = np.array(values)
    for _ in range(steps):
        changed.flat[i] = np.nextafter(changed.flat[i], np.inf)
    return changed


def located(result, words):
    checked = result.crosscheck()
    assert not checked
    assert checked.first_difference == words


def with_losses(result, losses):
    return replace(result, table=replace(result.table, losses=losses))


@pytest.fixture(scope="module")
def cv():
    found = pcv.cross_validate(pcv.OLS(), "y ~ .", WAVES, folds=FOLDS)
    assert found.crosscheck()
    return found


def test_one_ulp_in_a_loss(cv):
    row = cv.plan.rows[20] + 1
    located(
        with_losses(cv, up(cv.table.losses, 20)),
        f"losses of these predictions: repeat 1, fold 2, row {row}",
    )


def test_one_ulp_in_a_prediction(cv):
    values = up(cv.table.predictions.values, 70)
    wrong = replace(cv, table=replace(cv.table, predictions=Predictions(values)))
    row = cv.plan.rows[70] + 1
    located(wrong, f"losses of these predictions: repeat 2, fold 1, row {row}")


def test_one_probability_and_one_class():
    result = pcv.cross_validate(pcv.Logit(), "y ~ .", LABELS, folds=FOLDS, loss="brier")
    assert result.crosscheck()
    place = f"repeat 1, fold 1, row {result.plan.rows[2] + 1}"
    found = result.table.predictions
    wrong = Predictions(found.values, up(found.prob, 5))  # of the third row, second class
    other = Predictions(found.values, up(found.prob, 4))
    checks = [
        replace(result, table=replace(result.table, predictions=p)).crosscheck()
        for p in (wrong, other)
    ]
    assert not any(checks)
    sealed = "stored losses and predictions: these are not the numbers that were computed"
    places = {f"losses of these predictions: {place}", sealed}
    assert {c.first_difference for c in checks} == places  # a loss looks at the true class only
    values = found.values.copy()
    values[0, 2] = 1 - values[0, 2]
    flipped = replace(result.table, predictions=Predictions(values, found.prob))
    located(replace(result, table=flipped), f"out-of-fold predictions: {place}")


def test_one_row_in_another_fold(cv):
    rows = cv.plan.rows.copy()
    rows[3], rows[18] = rows[18], rows[3]
    wrong = replace(cv, table=replace(cv.table, plan=replace(cv.plan, rows=rows)))
    assert wrong.crosscheck().first_difference.startswith(
        "losses of these predictions: repeat 1, fold 1, row"
    )


def test_one_candidate_chosen_wrongly():
    tuned = pcv.tune(pcv.Ridge(), "mpg ~ .", CARS, grid=GRID, folds=FOLDS)
    assert tuned.crosscheck()
    wrong = replace(tuned, choice=replace(tuned.choice, index=(tuned.choice.index + 1) % 3))
    located(wrong, "chosen candidate: element 1")
    means = tuned.means.means.copy()
    means[1, 2] *= 1 + 1e-5
    wrong = replace(tuned, means=replace(tuned.means, means=means))
    located(wrong, "fold means of every candidate: repeat 1, fold 2, lam=5.0")


def test_one_inner_fold_of_one_outer_fold():
    nested = pcv.nested_cv(
        pcv.Ridge(), "mpg ~ .", CARS, grid=GRID, outer=pcv.KFold(4, random=2), inner=pcv.KFold(3)
    )
    assert nested.crosscheck()
    plan = nested.inner_plans[2]
    rows = plan.rows.copy()
    rows[0], rows[-1] = rows[-1], rows[0]
    plans = (*nested.inner_plans[:2], replace(plan, rows=rows), *nested.inner_plans[3:])
    found = replace(nested, inner_plans=plans).crosscheck()
    assert not found
    assert "fold 3" in found.first_difference


def test_one_method_of_a_comparison():
    both = pcv.compare({"ols": pcv.OLS(), "mean": pcv.Mean()}, "y ~ .", WAVES, folds=FOLDS)
    assert both.crosscheck()
    wrong = with_losses(both["mean"], up(both["mean"].table.losses, 0))
    changed = replace(both, results={**both.results, "mean": wrong})
    assert changed.crosscheck().first_difference.startswith("mean: losses of these predictions")


def test_one_error_of_a_curve():
    curve = pcv.error_curve(pcv.Ridge(), "mpg ~ .", CARS, grid=GRID, folds=pcv.KFold(4, random=1))
    assert curve.crosscheck()
    means = curve.train.means.copy()
    means[2, 1] *= 1 + 1e-5
    located(
        replace(curve, train=replace(curve.train, means=means)),
        "train error by fold and candidate: fold 3, lam=1.0",
    )


@pytest.mark.parametrize("learner", [pcv.OLS(), pcv.KNN(3, kernel="rectangular")], ids=str)
def test_one_error_of_a_learning_curve(learner):
    curve = pcv.learning_curve(
        learner, "y ~ .", WAVES, sizes=[10, 25, 40], folds=pcv.KFold(4, random=2)
    )
    assert curve.crosscheck()
    test = curve.test.copy()
    test[1, 2] *= 1 + 1e-6
    located(replace(curve, test=test), "test error by fold and size: fold 2, 40 rows")
    orders = (curve.orders[0][::-1], *curve.orders[1:])
    assert "fold 1, 10 rows" in replace(curve, orders=orders).crosscheck().first_difference
