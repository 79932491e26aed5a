"""Linear learners on whole plans give what they give fit by fit."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from pycvstat.data.task import Task
from pycvstat.errors import FitError, PycvstatWarning
from pycvstat.folds import (
    FoldPlan,
    KFold,
    LeaveOneOut,
    NestedPairs,
    Repeated,
    Subsampling,
    TimeSeries,
)
from pycvstat.learners.glm import GLM, Logit, PreparedGLM
from pycvstat.learners.ols import OLS, WLS
from pycvstat.learners.penalised import ElasticNet, Lasso, Ridge
from pycvstat.procedures.cross_validate import cross_validate

DIRECT = 1e-10
"""Two direct ways to the same numbers."""

PLANS = [
    KFold(7, random=1),
    LeaveOneOut(),
    Repeated(KFold(5), times=2, random=1),
    Subsampling(6, train=0.8, random=1),
    NestedPairs(5, repeats=2, random=1),
]


def frame(n=60, seed=1):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=n), rng.normal(size=n)
    group = pd.Categorical(rng.choice(["a", "b", "c"], size=n))
    eta = 0.5 * x + (group == "b") - 0.3
    return pd.DataFrame(
        {
            "x": x,
            "z": z,
            "g": group,
            "y": eta + 0.5 * rng.normal(size=n),
            "count": rng.poisson(np.exp(eta)).astype(float),
            "cls": pd.Categorical(np.where(eta + rng.logistic(size=n) > 0, "yes", "no")),
            "w": rng.choice([0.0, 1.0, 2.0], size=n, p=[0.1, 0.5, 0.4]),
            "o": 0.1 * rng.random(n),
        }
    )


def both(learner, formula, data, plan, weights=None, candidates=({},)):
    """Predictions of the whole plan at once, and fit by fit."""
    task = Task.build(formula, data, weights=weights)
    prepared = learner.prepare(task, candidates)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        at_once = prepared.predict_plan(plan)
        one_by_one = [prepared.predict(train, test) for train, test in plan]
    assert at_once is not None
    return at_once, one_by_one


def assert_same(at_once, one_by_one):
    values = np.concatenate([p.values for p in one_by_one], axis=1)
    assert at_once.values.shape == values.shape
    assert np.abs(at_once.values - values).max() <= DIRECT * max(1.0, np.abs(values).max())
    if at_once.prob is not None:
        prob = np.concatenate([p.prob for p in one_by_one], axis=1)
        assert np.abs(at_once.prob - prob).max() <= DIRECT


@pytest.mark.parametrize("splitter", PLANS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize(
    ("learner", "formula", "weights"),
    [
        (OLS(), "y ~ x + z + g", None),
        (WLS(), "y ~ x * g + offset(o)", "w"),
        (WLS(), "y ~ x + z + g", "w"),
        (OLS(), "y ~ x + z + I(x + z) + g", None),
        (GLM("poisson"), "count ~ x + g + offset(o)", "w"),
        (GLM("binomial", link="probit"), "cls ~ x + g", None),
        (Logit(), "cls ~ x + z", None),
        (Ridge(lam=0.1), "y ~ x + z + g", "w"),
        (Lasso(lam=0.05), "y ~ x + z + g", None),
        (ElasticNet(lam=0.05, standardize=False), "y ~ x + z + g", "w"),
    ],
)
def test_whole_plans(learner, formula, weights, splitter):
    data = frame()
    assert_same(*both(learner, formula, data, splitter.plan(len(data)), weights))


@pytest.mark.parametrize("splitter", PLANS, ids=lambda s: type(s).__name__)
def test_level_that_folds_lose(splitter):
    """One row alone has its level: the fit without it cannot know it, as in R."""
    data = frame()
    data["g"] = data["g"].cat.add_categories("d")
    data.loc[3, "g"] = "d"
    plan = splitter.plan(len(data))
    for learner, formula in ((OLS(), "y ~ x + g"), (GLM("poisson"), "count ~ x + g")):
        assert_same(*both(learner, formula, data, plan))


def test_several_candidates():
    data, plan = frame(), KFold(5, random=1).plan(60)
    grid = tuple({"lam": lam} for lam in (1.0, 0.1, 0.01))
    assert_same(*both(Ridge(), "y ~ x + z + g", data, plan, candidates=grid))
    links = ({"link": "logit"}, {"link": "probit"})
    assert_same(*both(GLM("binomial"), "cls ~ x + z", data, plan, candidates=links))


@pytest.mark.parametrize("learner", [OLS(), GLM(), Ridge()])
def test_plans_and_formulas_that_need_every_fit(learner):
    data = frame()
    prepared = learner.prepare(Task.build("y ~ x + z", data))
    assert prepared.predict_plan(TimeSeries(4).plan(60)) is None
    train, test = np.arange(40), np.arange(20)  # as many as there are rows, but not all of them
    assert prepared.predict_plan(FoldPlan.from_splits([(train, test)], 60)) is None
    poly = learner.prepare(Task.build("y ~ poly(x, 2)", data))
    assert poly.predict_plan(KFold(5, random=1).plan(60)) is None


def test_trouble_of_one_fold_is_warned_about():
    data = pd.DataFrame({"x": np.arange(12.0), "y": (np.arange(12.0) > 5).astype(float)})
    data.loc[3, "y"] = 1.0  # without row 3 the classes are separated
    prepared = Logit().prepare(Task.build("y ~ x", data))
    made = prepared.predict_plan(LeaveOneOut().plan(12))
    assert made is not None
    told = [report.notes for (report,) in made.detail]
    assert [len(notes) for notes in told] == [0, 0, 0, 1] + [0] * 8
    assert "numerically 0 or 1" in told[3][0]


def test_trouble_is_told_once_with_its_folds() -> None:
    data = pd.DataFrame({"x": np.arange(40.0), "y": (np.arange(40) > 19) * 1.0})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = cross_validate(Logit(), "y ~ x", data, folds=5)
    told = [str(warning.message) for warning in caught]
    assert len(told) == 2
    assert told[0].startswith("fitted probabilities are numerically 0 or 1")
    assert told[1].startswith("5 of 5 fits did not converge.")
    assert all("fold 1 of 5, fold 2 of 5, fold 3 of 5 and 2 more" in line for line in told)
    assert not any(report.converged for (report,) in result.details)


def test_impossible_response_is_an_error():
    prepared = GLM("poisson").prepare(Task.build("y ~ x", frame()))
    with pytest.raises(FitError, match="does not fit the poisson family"):
        prepared.predict_plan(KFold(5, random=1).plan(60))


def test_a_probability_of_one_half_is_no_success(monkeypatch) -> None:
    monkeypatch.setattr(PreparedGLM, "_means", lambda self, plan, *_: np.full(len(plan.rows), 0.5))
    found = cross_validate(Logit(), "y ~ 1", {"y": ["no", "yes"] * 4}, folds=KFold(4, random=1))
    assert not found.table.predictions.values.any()
