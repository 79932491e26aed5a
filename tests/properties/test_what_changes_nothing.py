"""What must not change a result: names, row labels, order of columns, units, workers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

import pycvstat as pcv
from tests.properties.cases import cases, outcome
from tests.properties.strategies import NAMES, Problem, sound_problems


def result_of(problem: Problem, what: str | None = None, **how: Any) -> Any:
    return outcome(
        lambda: pcv.cross_validate(
            problem.learner, problem.formula, problem.frame, folds=problem.folds,
            **problem.given | {"na": "omit"} | how,
        ),
        what,
    )  # fmt: skip


SEPARATED = "no finite maximum likelihood estimate"  # a note of a fit


def losses_of(problem: Problem, what: str | None = None, **how: Any) -> Any:
    result = result_of(problem, what, **how)
    return None if result is None else result.table.losses


def separated(result: Any) -> bool:
    """Whether a fit said that its classes are separated: then it has no one solution."""
    reports = [report for fit in result.details if isinstance(fit, tuple) for report in fit]
    return any(SEPARATED in note for report in reports for note in getattr(report, "notes", ()))


@cases("renaming")
@given(sound_problems(), st.data())
def test_names_of_columns_and_rows(problem, data):
    names = list(problem.frame.columns)
    new = data.draw(st.lists(NAMES, min_size=len(names), max_size=len(names), unique=True))
    labels = data.draw(st.permutations(range(len(problem.frame))))
    frame = problem.frame.set_axis(new, axis=1).set_axis([f"r{i // 2}" for i in labels], axis=0)
    renamed = replace(problem, frame=frame, response=new[names.index(problem.response)])
    first, second = losses_of(problem, "names"), losses_of(renamed)
    assert (first is None) == (second is None)
    if first is not None:
        np.testing.assert_array_equal(first, second)


@cases("permuting")
@given(sound_problems(kinds=["smooth"], responding=["number", "two", "three"]), st.data())
def test_order_of_columns(problem, data):
    """Smooth columns have no ties: the same neighbours, and one solution of every other learner."""
    names = data.draw(st.permutations(list(problem.frame.columns)))
    # the best quantile need not be unique, nor the best split of a tree
    assume(not isinstance(problem.learner, pcv.QuantReg | DecisionTreeRegressor))
    permuted = replace(problem, frame=problem.frame[names])
    first, second = result_of(problem, "order"), result_of(permuted)
    assert (first is None) == (second is None)
    if first is not None:
        assert separated(first) == separated(second)
        assume(not separated(first))
        y = problem.frame[problem.response]
        numbers = y.dtype.kind == "f"  # of which a perfect fit leaves rounding errors
        size = float(np.square(y).max()) if numbers else 1.0
        losses = first.table.losses, second.table.losses
        np.testing.assert_allclose(*losses, rtol=1e-6, atol=1e-12 * size)


# not Ridge, whose penalty depends on the standard deviation of y as glmnet's does, nor GLM, whose
# last step depends on the size of the deviance as in R
EXACT = [pcv.OLS(), pcv.Mean(), LinearRegression()]


@cases("scaling")
@given(sound_problems(responding=["number", "weighted", "tied"]), st.integers(-30, 30), st.data())
def test_powers_of_two_in_the_response(problem, power, data):
    if not isinstance(problem.learner, pcv.KNN | pcv.WLS):
        problem = replace(problem, learner=data.draw(st.sampled_from(EXACT)))
    y = problem.frame[problem.response]
    assume(2.0**-400 < np.abs(y).max() < 2.0**400)
    scaled = replace(problem, frame=problem.frame.assign(**{problem.response: y * 2.0**power}))
    first, second = losses_of(problem, "units"), losses_of(scaled)
    assert (first is None) == (second is None)
    if first is not None:
        np.testing.assert_array_equal(first * 4.0**power, second)


@pytest.mark.usefixtures("two_threads")
@cases("workers")
@given(sound_problems())
def test_workers(problem):
    first, second = losses_of(problem, "workers"), losses_of(problem, n_jobs=2)
    assert (first is None) == (second is None)
    if first is not None:
        assert first.tobytes() == second.tobytes()


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as connected,
    ):
        yield connected


# threads of the cluster's client draw random numbers while a case is generated
@pytest.mark.filterwarnings("ignore:Do not use the `random` module")
@pytest.mark.usefixtures("two_threads")
@cases("cluster")
@given(problem=sound_problems())
def test_back_ends(client, problem):
    first, second = losses_of(problem, "cluster"), losses_of(problem, client=client)
    assert (first is None) == (second is None)
    if first is not None:
        assert first.tobytes() == second.tobytes()
