"""What every learner keeps, ours and a user's own: `keeps` runs all of it on one learner."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import cloudpickle
import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.learners import as_learner
from pycvstat.learners.base import Learner

SAME = 1e-12  # the same fit, reached in another way
FOLDS_AT_ONCE = 1e-9  # all folds from one factorisation, or each by its own


def frame(n: int = 60) -> pd.DataFrame:
    """Numbers, two classes and weights, some of them 0."""
    rng = pcv.RRandom(1)
    made = pd.DataFrame({"x": rng.rnorm(n), "z": rng.runif(n, 1, 2)})
    made["y"] = 5 + made.x - made.z + rng.rnorm(n, sd=0.3)
    made["two"] = pd.Categorical(np.where(made.x + rng.rnorm(n) > 0, "yes", "no"))
    made["w"] = rng.sample(4, n, replace=True) - 1.0
    return made


@dataclass
class Case:
    """A learner on data that it can work on.

    Parameters
    ----------
    learner : Learner, or anything that stands for one
    formula : str
    data : frame
    other : dict
        Parameters with another value.
    given : dict
        Further arguments of procedures, such as weights.
    """

    learner: Any
    formula: str = "y ~ x + z"
    data: pd.DataFrame = field(default_factory=frame)
    other: dict[str, Any] = field(default_factory=dict)
    given: dict[str, Any] = field(default_factory=dict)

    @property
    def read(self) -> Learner:
        return as_learner(self.learner)

    @property
    def task(self) -> Task:
        return Task.build(self.formula, self.data, beside=self.read.beside, **self.given)

    def some(self, rows: Any) -> Case:
        given = {n: v if isinstance(v, str) else v[rows] for n, v in self.given.items()}
        return Case(self.learner, self.formula, self.data.iloc[rows], self.other, given)


def keeps(case: Case) -> None:
    """Run the whole contract."""
    for rule in (fits_are_fits, candidates_are_learners, folds_are_fits, parameters_come_back,
                 nothing_given_is_changed, it_travels, what_it_cannot_use_is_refused,
                 results_can_be_shown):  # fmt: skip
        rule(case)


def fits_are_fits(case: Case) -> None:
    """A prepared fit predicts what the fit to its training rows predicts."""
    train, new = np.arange(0, 60, 2), np.arange(1, 60, 2)
    prepared = case.read.prepare(case.task)
    made = prepared.predict(train, new, None, _context(prepared, train, new))
    fitted = case.read.fit_task(case.some(train).task)
    expected = fitted.predict(case.data.iloc[new])
    if case.task.response.levels:
        assert case.task.response.labels(made.values[0]).tolist() == expected.tolist()
        if made.prob is not None:
            np.testing.assert_allclose(
                made.prob[0], fitted.predict_proba(case.data.iloc[new]), rtol=SAME, atol=SAME
            )
    else:
        np.testing.assert_allclose(made.values[0], expected, rtol=SAME)


def _context(prepared: Any, train: Any, new: Any) -> Any:
    plan = pcv.FoldPlan.from_splits([(train, new)], 60)
    return prepared.begin(plan, pcv.RRandom(1))[0]


def candidates_are_learners(case: Case) -> None:
    """Several candidates of one fit are the learners with those parameters, asked alone."""
    if not case.other:
        return
    train, new = np.arange(40), np.arange(40, 60)
    candidates = [{}, case.other]
    together = case.read.prepare(case.task, candidates).predict(train, new).values
    some = case.read.prepare(case.task, candidates).predict(train, new, which=[1]).values
    np.testing.assert_allclose(some[0], together[1], rtol=FOLDS_AT_ONCE)
    alone = case.read.with_params(**case.other).prepare(case.task).predict(train, new).values
    np.testing.assert_allclose(together[1], alone[0], rtol=FOLDS_AT_ONCE)


def folds_are_fits(case: Case) -> None:
    """Cross-validation predicts what a fit per fold predicts, whatever is shared between folds."""
    plan = pcv.Repeated(pcv.KFold(5), 2, random=3).plan(60)
    given = {"folds": plan, **case.given}
    found = pcv.cross_validate(case.learner, case.formula, case.data, **given)
    prepared = case.read.inside(pcv.losses.as_loss(None, case.task.response.kind), "raise").prepare(
        case.task
    )
    contexts = prepared.begin(plan, pcv.RRandom(1))
    fits = [
        prepared.predict(train, test, None, context).values[0]
        for (train, test), context in zip(plan, contexts, strict=False)
    ]
    np.testing.assert_allclose(
        found.table.predictions.values[0], np.concatenate(fits), rtol=FOLDS_AT_ONCE
    )


def parameters_come_back(case: Case) -> None:
    """Parameters are known by name; a name that is none is refused."""
    params = case.read.params()
    assert set(case.other) <= set(params)
    changed = case.read.with_params(**case.other)
    assert {name: changed.params()[name] for name in case.other} == case.other
    assert case.read.params() == params
    with pytest.raises(InputError, match=r"no (parameter|argument) 'nonsense'"):
        case.read.with_params(nonsense=1)


def nothing_given_is_changed(case: Case) -> None:
    """Neither the data nor the learner."""
    data, params = case.data.copy(deep=True), copy.deepcopy(case.read.params())
    pcv.cross_validate(case.learner, case.formula, case.data, folds=pcv.Blocks(3), **case.given)
    pd.testing.assert_frame_equal(case.data, data)
    assert repr(case.read.params()) == repr(params)


def it_travels(case: Case) -> None:
    """To worker processes, with the task it was prepared for."""
    train, new = np.arange(30), np.arange(30, 60)
    prepared = case.read.prepare(case.task)
    there = cloudpickle.loads(cloudpickle.dumps(prepared))
    context = _context(prepared, train, new)
    here = prepared.predict(train, new, None, context)
    np.testing.assert_array_equal(there.predict(train, new, None, context).values, here.values)


def what_it_cannot_use_is_refused(case: Case) -> None:
    """Weights, offsets and kinds of response that it does not use are refused, never ignored."""
    weights = np.where(np.arange(60) < 30, 1.0, 25.0)
    if not case.given:
        _used_or_refused(
            case, Case(case.learner, case.formula, case.data, {}, {"weights": weights})
        )
    if None in case.read.formulas:  # else it has a formula of its own
        _used_or_refused(
            case, Case(case.learner, f"{case.formula} + offset(w)", case.data, {}, case.given)
        )
    for kind in {"continuous", "nominal"} - set(case.read.kinds):
        response = {"continuous": "y", "nominal": "two"}[kind]
        formula = f"{response} ~{case.formula.partition('~')[2]}"
        task = Case(case.learner, formula, case.data, {}, case.given).task
        with pytest.raises(InputError, match="response"):
            case.read.prepare(task)


def _used_or_refused(case: Case, changed: Case) -> None:
    try:
        found = answers(case.read, changed.task, case.data)
    except InputError as error:
        assert "weights" in str(error) or "offset" in str(error)  # noqa: PT017
    else:
        assert (found != answers(case.read, case.task, case.data)).any()


def answers(learner: Learner, task: Task, data: pd.DataFrame) -> Any:
    """Predictions of a fit to all rows: probabilities where there are any."""
    fitted = learner.fit_task(task)
    values, prob, _ = fitted.answers(data, "pass")
    return values if prob is None else prob


def results_can_be_shown(case: Case) -> None:
    """A result has its rows, its words and its citations."""
    found = pcv.cross_validate(
        case.learner, case.formula, case.data, folds=pcv.KFold(4, random=1), **case.given
    )
    assert np.isfinite(found.tidy()["estimate"]).all()
    assert case.read.base.name in found.summary()
    assert "@" in found.cite()
