"""Every public learner keeps the contract, and so does one from outside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import statsmodels.formula.api as smf
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeRegressor

import pycvstat as pcv
from pycvstat.learners.base import Learner
from pycvstat.learners.design import DesignLearner, Outcome, Sample, Solution
from tests.learners.contract import Case, keeps

CASES = [
    Case(pcv.KNN(), other={"k": 3, "kernel": "inv"}),
    Case(pcv.KNN(3), "two ~ x + z", other={"k": 5}),
    Case(pcv.OLS()),
    Case(pcv.WLS(), given={"weights": 1.0 + np.arange(60) % 3}),
    Case(pcv.GLM(), other={"link": "log"}),
    Case(pcv.GLM("binomial"), "two ~ x + z", other={"link": "probit"}),
    Case(pcv.Logit(), "two ~ x", other={"tol": 1e-6}),
    Case(pcv.MNLogit(), "two ~ x + z"),
    Case(pcv.RLM(), other={"norm": "bisquare"}),
    Case(pcv.QuantReg(), other={"tau": 0.8}),
    Case(pcv.Ridge(), other={"lam": 3.0}),
    Case(pcv.Lasso(), other={"lam": 0.1}),
    Case(pcv.ElasticNet(), other={"lam": 0.1, "alpha": 0.2}),
    Case(pcv.Mean()),
    Case(pcv.Mean(), "two ~ x"),
    Case(pcv.External(DecisionTreeRegressor(random_state=1)), other={"max_depth": 2}),
    Case(LogisticRegression(), "two ~ x + z", other={"C": 0.1}),
    Case(pcv.FromFunctions(lambda X, y: y.mean(), lambda mean, X: np.full(len(X), mean))),
    Case(pcv.Statsmodels(smf.ols)),
    Case(smf.logit, "two ~ x + z"),
    Case(pcv.Stepwise(pcv.OLS()), other={"direction": "forward", "criterion": "bic"}),
    Case(pcv.Stepwise(pcv.Logit(), "backward"), "two ~ x + z"),
    Case(pcv.Model(pcv.OLS(), "y ~ x"), other={"formula": "y ~ poly(z, 2)"}),
    Case(pcv.Model(pcv.KNN(), "two ~ x"), "two ~ x + z", other={"k": 3, "formula": "two ~ z"}),
    Case(
        pcv.Models({"a": pcv.OLS(), "b": pcv.Model(pcv.KNN(), "y ~ z")}, "a"), other={"model": "b"}
    ),
    Case(pcv.Tuned([pcv.Mean(), pcv.Model(pcv.OLS(), "y ~ x")], inner=pcv.Blocks(3))),
    Case(pcv.Tuned(pcv.Ridge(), {"lam": [0.1, 1.0]}, inner=pcv.Blocks(3))),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.read.name}, {case.formula}")
@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
def test_contract(case: Case) -> None:
    keeps(case)


def test_every_public_learner_is_among_them() -> None:
    public = {getattr(pcv, name) for name in pcv.__all__}
    learners = {one for one in public if isinstance(one, type) and issubclass(one, Learner)}
    assert learners == {type(case.read) for case in CASES}


@dataclass(frozen=True, eq=False)
class Level(Solution):
    """One number for all rows."""

    value: float

    def predict(self, X: np.ndarray, offset: np.ndarray | None) -> Outcome:
        return Outcome(np.full(len(X), self.value))


@dataclass(frozen=True)
class TrimmedMean(DesignLearner):
    """A user's own: the mean of the responses without a share at each end."""

    share: float = 0.1

    def solve(self, sample: Sample) -> Level:
        y = np.sort(sample.y)
        cut = int(self.share * len(y))
        return Level(float(y[cut : len(y) - cut].mean()))


def test_a_learner_from_outside_keeps_the_contract() -> None:
    keeps(Case(TrimmedMean(), other={"share": 0.3}))
    with pytest.raises(pcv.errors.InputError, match="did you mean 'share'"):
        TrimmedMean().with_params(shear=0.3)
