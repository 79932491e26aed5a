"""One least squares fit, as R's lm."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pycvstat.errors import FitError, InputError
from pycvstat.learners.irls import AS_R
from pycvstat.learners.linear import least_squares
from pycvstat.learners.linear.least_squares import (
    aliased_columns,
    constant_column,
    fit_least_squares,
    independent_columns,
    orthonormal_basis,
)
from pycvstat.r.bridge import run
from tests.learners.linear.designs import problems

DIRECT = 1e-10
"""Two QR factorisations of the same well-scaled problem."""


def exact(X, y, weights=None, digits=80):
    """Coefficients by the normal equations in 80 digits."""
    with mpmath.workdps(digits):
        w = [1] * len(y) if weights is None else [mpmath.mpf(float(v)) for v in weights]
        A, b = mpmath.matrix(X.tolist()), mpmath.matrix(y.tolist())
        W = mpmath.diag(w)
        return np.array([float(v) for v in mpmath.lu_solve(A.T * W * A, A.T * W * b)])


@settings(max_examples=60)
@given(problems(max_rows=20, deficient=False))
def test_against_80_digits(problem):
    fit = fit_least_squares(problem.X, problem.y, problem.weights)
    if fit.aliased.any():
        return
    truth = exact(problem.X, problem.y, problem.weights)
    predicted = problem.X @ truth
    assert np.abs(fit.predict(problem.X) - predicted).max() < DIRECT * max(
        1, np.abs(predicted).max()
    )


def test_response_far_from_zero_keeps_its_digits():
    rng = np.random.default_rng(3)
    X = np.column_stack([np.ones(30), rng.normal(size=(30, 2))])
    y = np.round(X @ [0.0, 3.0, -2.0] + rng.normal(size=30), 3)
    slopes = fit_least_squares(X, y).coefficients[1:]
    far = fit_least_squares(X, y + 2.0**40)
    rounding = 2.0**-13  # spacing of doubles at 2^40, half of it in each response
    assert np.abs(far.coefficients[1:] - slopes).max() < rounding
    exactly = exact(X, y + 2.0**40)
    assert np.abs(far.coefficients - exactly)[1:].max() < 1e-13
    assert far.coefficients[0] == pytest.approx(exactly[0], rel=1e-15)


def test_weights_of_constant_designs():
    fit = fit_least_squares(np.full((3, 1), 2.0), np.array([1.0, 2.0, 6.0]), np.array([1.0, 1, 2]))
    assert fit.coefficients == pytest.approx([3.75 / 2], rel=1e-15)


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e160, 1e300])
def test_huge_and_tiny_columns(size):
    x = np.array([1.0, 2.0, 4.0, 8.0])
    X = np.column_stack([np.ones(4), x * size])
    y = np.array([1.0, 3.0, 2.0, 5.0])
    plain = fit_least_squares(np.column_stack([np.ones(4), x]), y).coefficients
    assert fit_least_squares(X, y).coefficients == pytest.approx(plain / [1.0, size], rel=1e-13)


def test_no_columns_at_all():
    fit = fit_least_squares(np.empty((3, 0)), np.arange(3.0))
    assert fit.predict(np.empty((2, 0))).tolist() == [0.0, 0.0]
    assert fit_least_squares(np.zeros((3, 1)), np.arange(3.0)).predict(np.ones((1, 1))) == [0.0]


def test_refusals():
    with pytest.raises(FitError, match="no training row has a positive weight"):
        fit_least_squares(np.ones((2, 1)), np.ones(2), np.zeros(2))
    with pytest.raises(InputError, match="infinite or missing"):
        fit_least_squares(np.array([[1.0], [np.inf]]), np.ones(2))
    with pytest.raises(InputError, match="the design must be"):
        fit_least_squares(np.ones((2, 1)), np.ones(3))


HUGE = np.finfo(np.float64).max


@pytest.mark.parametrize(
    ("x", "y", "weight"),
    [(1.0, HUGE, 1.0), (1.0, 1e200, 1e300), (1e200, 1.0, 1e300), (0.0, 1e200, 1e300)],
    ids=["sum of responses", "weighted response", "weighted rows", "no constant"],
)
def test_numbers_that_weights_or_sums_take_out_of_range_are_refused(x, y, weight):
    X = np.array([[1.0, x], [1.0, 2 * x], [1.0, 4 * x]])
    if not x:
        X = np.array([[1.0], [2.0], [3.0]])
    with pytest.raises(FitError, match="leave the range of double precision"):
        fit_least_squares(X, np.full(3, y) * [1.0, 0.5, 1.0], np.full(3, weight))


def test_constant_column():
    assert constant_column(np.array([[0.0, 1.0, 5.0], [0.0, 2.0, 5.0]])) == 2
    assert constant_column(np.array([[1.0], [2.0], [1.0]])) is None


@settings(max_examples=100)
@given(problems())
def test_basis_is_orthonormal(problem):
    basis = orthonormal_basis(problem.X, problem.weights)
    assert np.abs(basis.Q.T @ basis.Q - np.eye(basis.Q.shape[1])).max() < 1e-14
    if basis.clear and problem.weights is not None:
        again = basis.U * np.sqrt(problem.weights)[:, None]
        assert np.abs(again - basis.Q).max() < DIRECT


@pytest.mark.live_r
def test_as_in_r():
    code = """function(X, y, w) {
      fit <- if (is.null(w)) lm(y ~ X - 1) else lm(y ~ X - 1, weights = w)
      unname(fitted(fit))
    }"""

    @settings(max_examples=80)
    @given(problems())
    def compare(problem):
        fit = fit_least_squares(problem.X, problem.y, problem.weights)
        theirs = np.asarray(run(code, X=problem.X, y=problem.y, w=problem.weights))
        used = slice(None) if problem.weights is None else problem.weights > 0
        assert np.abs(fit.predict(problem.X) - theirs)[used].max() < DIRECT

    compare()


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
def test_columns_left_out_as_in_r():
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


def collinear_designs():
    """60 designs: more columns than rows, copies, combinations of others, factors of few rows."""
    rng = np.random.default_rng(5)
    for number in range(60):
        n, p = int(rng.integers(5, 60)), int(rng.integers(10, 120))
        X = rng.normal(size=(n + 3, p + n * (number % 4 == 0)))
        if number % 4 == 1:
            X[:, 1::2] = X[:, 0 : p - 1 : 2] if p % 2 == 0 else X[:, 0 : p - 2 : 2]
        elif number % 4 == 2:
            r = int(rng.integers(2, 9))
            X = rng.integers(-2, 3, (n + 3, r)) @ rng.integers(-2, 3, (r, p)).astype(float)
        elif number % 4 == 3:
            X = np.column_stack([np.ones(n + 3), np.arange(n + 3)[:, None] % p == np.arange(p)])
        yield X[:n], rng.normal(size=n), X[n:]


@pytest.mark.live_r
def test_wide_and_collinear_designs_as_in_r():
    code = """function(X, y, new) {
      fit <- lm.fit(X, y)
      kept <- !is.na(fit$coefficients)
      list(is.na(fit$coefficients), drop(new[, kept, drop = FALSE] %*% fit$coefficients[kept]))
    }"""
    for X, y, new in collinear_designs():
        fit = fit_least_squares(X, y)
        aliased, predicted = (np.asarray(part) for part in run(code, X=X, y=y, new=new))
        assert fit.aliased.any()
        assert fit.aliased.tolist() == aliased.astype(bool).tolist()
        scale = 1.0 + np.abs(new[:, ~fit.aliased]) @ np.abs(fit.coefficients[~fit.aliased])
        assert (np.abs(fit.predict(new) - predicted) < DIRECT * scale).all()


def test_columns_are_left_out_whatever_stands_behind_them():
    """One factorisation of all decides as one for each column with those kept before it."""
    for X, _, _ in collinear_designs():
        kept: list[int] = []
        for j in range(X.shape[1]):
            R = np.linalg.qr(X[:, [*kept, j]], mode="r")
            if len(kept) < len(X) and abs(R[-1, -1]) >= 1e-7 * np.linalg.norm(X[:, j]) > 0:
                kept.append(j)
        assert np.flatnonzero(~aliased_columns(X)).tolist() == kept


def test_a_clear_rank_takes_one_factorisation(monkeypatch):
    """Columns are looked at one after the other only where the rank is in doubt."""
    X = np.column_stack([np.ones(9), np.arange(9.0), np.arange(9.0) % 3])
    y = X @ np.array([1.0, 2.0, 3.0])
    asked = []
    monkeypatch.setattr(least_squares, "aliased_columns", asked.append)
    assert independent_columns(X).all()
    assert orthonormal_basis(X).clear
    assert fit_least_squares(X, y).coefficients == pytest.approx([1.0, 2.0, 3.0], rel=1e-12)
    assert not asked


def test_many_columns_of_few_rows_are_left_out():
    X = np.random.default_rng(3).normal(size=(4, 600))
    X[:, 1], X[:, 3] = X[:, 0], X[:, 0] + X[:, 2]
    assert np.flatnonzero(~aliased_columns(X)).tolist() == [0, 2, 4, 5]
