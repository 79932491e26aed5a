"""The columns that R's lm leaves out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pycvstat.learners.irls import AS_R
from pycvstat.learners.linear.least_squares import aliased_columns
from pycvstat.r.bridge import run
from tests.learners.linear.designs import problems


def test_first_of_equal_columns_stays():
    x = np.arange(6.0)
    assert aliased_columns(np.column_stack([x, x, np.ones(6), x + 1])).tolist() == [
        False,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (np.zeros((4, 2)), [True, True]),
        (np.ones((1, 3)), [False, True, True]),
        (np.eye(2, 4), [False, False, True, True]),
        (np.empty((3, 0)), []),
        (np.array([[1.0, 1e200], [1.0, 2e200], [1.0, 4e200]]), [False, False]),
    ],
)
def test_corner_cases(X, expected):
    with np.errstate(over="raise"):
        assert aliased_columns(X).tolist() == expected


@settings(max_examples=200)
@given(problems())
def test_kept_columns_span_the_rest(problem):
    X = problem.X
    aliased = aliased_columns(X)
    kept = X[:, ~aliased]
    assert np.linalg.matrix_rank(kept, tol=1e-9 * np.linalg.norm(kept)) <= kept.shape[1]
    rest = X[:, aliased] - kept @ np.linalg.lstsq(kept, X[:, aliased])[0]
    assert (np.linalg.norm(rest, axis=0) <= 1e-6 * np.linalg.norm(X[:, aliased], axis=0)).all()


LM_NA = "function(X, tol) is.na(lm.fit(X, seq_len(nrow(X)), tol = tol)$coefficients)"


@pytest.mark.live_r
def test_as_in_r():
    checked = set()

    @settings(max_examples=150)
    @given(problems(), st.sampled_from([1e-7, AS_R.aliased]))
    def compare(problem, tol):
        ours = aliased_columns(problem.X, tol)
        theirs = np.atleast_1d(np.asarray(run(LM_NA, X=problem.X, tol=tol), dtype=bool))
        assert ours.tolist() == theirs.tolist()
        checked.add(bool(ours.any()))

    compare()
    assert checked == {True, False}


@pytest.mark.live_r
@pytest.mark.parametrize("power", np.arange(-12.0, -3.0, 0.25))
def test_nearly_aliased_as_in_r(power):
    """The border of 1e-7 runs where R's does; exactly on it rounding decides, and is not asked."""
    rng = np.random.default_rng(int(-power * 100))
    n = 40
    base = rng.normal(size=(n, 3))
    near = base.sum(axis=1) + 10.0**power * 1.37 * rng.normal(size=n)
    for X in (
        np.column_stack([np.ones(n), base, near]),
        np.column_stack([near, np.ones(n), base, rng.normal(size=n)]),
        np.column_stack([np.ones(n), 1 + 10.0**power * base]),
    ):
        theirs = np.asarray(run(LM_NA, X=X, tol=1e-7), dtype=bool)
        assert aliased_columns(X).tolist() == theirs.tolist()
