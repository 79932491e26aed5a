"""Ridge regression over a grid, its folds, its closed forms."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.linear_model import Ridge

from pycvstat.errors import FitError, InputError
from pycvstat.learners.linear.centred import centre, training_rows
from pycvstat.learners.linear.ridge import (
    ridge_gcv,
    ridge_left_out_predictions,
    ridge_loo_predictions,
    ridge_slopes,
)
from pycvstat.r.bridge import run
from tests.learners.linear.designs import problems

DIRECT = 1e-10
"""Two direct ways to the same numbers; out-of-fold rows may lie far out."""

GLMNET = 1e-9
"""glmnet iterates; with thresh = 1e-20 it is this close, relative to the largest slope."""

PEER = 1e-7
"""scikit-learn's singular vectors are exact in the units of the largest predictor only."""

LAM = np.array([1e3, 1.0, 1e-2, 1e-4])


def by_augmented_rows(X, y, lam, weights, standardize, new):
    """The textbook's p extra rows, by singular values, one penalty at a time."""
    w = np.ones(len(y)) if weights is None else weights
    mean, level = w @ X / w.sum(), w @ y / w.sum()
    sd = np.sqrt(w @ (X - mean) ** 2 / w.sum()) if standardize else np.ones(X.shape[1])
    sd[np.ptp(X[w > 0], axis=0) == 0] = np.inf
    Z, root = (X - mean) / sd, np.sqrt(w)[:, None]
    out = []
    for value in lam:
        tall = np.concatenate([Z * root, np.sqrt(value * w.sum()) * np.eye(X.shape[1])])
        length = np.linalg.norm(tall, axis=0)
        target = np.concatenate([(y - level) * root[:, 0], np.zeros(X.shape[1])])
        out.append(level + (new - mean) / sd @ (np.linalg.lstsq(tall / length, target)[0] / length))
    return np.array(out)


@settings(max_examples=200)
@given(problems(), st.booleans())
def test_folds_against_augmented_rows(problem, standardize):
    X, y, weights = problem.X, problem.y, problem.weights
    parts = []
    for train, test in problem.fits:
        part = None if weights is None else weights[train]
        parts.append(by_augmented_rows(X[train], y[train], LAM, part, standardize, X[test]))
    ours = ridge_left_out_predictions(
        X, y, LAM, problem.rows, problem.offsets, weights, standardize=standardize
    )
    expected = np.concatenate(parts, axis=1)
    # both ways may be wrong by the rounding of the data times the condition of the problem
    condition = max(np.linalg.cond(X[train] - X[train].mean(axis=0)) for train, _ in problem.fits)
    allowed = 10 * DIRECT + np.finfo(float).eps * (0.0 if standardize else min(condition, 1e7))
    assert np.abs(ours - expected).max() <= allowed * max(1.0, np.abs(expected).max())


@settings(max_examples=100)
@given(problems())
def test_triangles_of_the_training_rows(problem):
    X, y, weights = problem.X, problem.y, problem.weights
    fits = list(problem.fits)
    found = dict(training_rows(X, y, problem.rows, problem.offsets, weights))
    assert sorted(found) == list(range(len(fits)))
    size = np.abs(X).max(axis=0)
    size[size == 0] = 1.0
    for i, (train, _) in enumerate(fits):
        a = found[i]
        b = centre(X[train], y[train], None if weights is None else weights[train])
        assert a.total == pytest.approx(b.total, rel=1e-12)
        assert np.abs((a.origin + a.x_mean - b.origin - b.x_mean) / size).max() < 1e-11
        assert np.abs((a.R.T @ a.R - b.R.T @ b.R) / np.outer(size, size)).max() < 1e-10
        assert np.abs((a.R.T @ a.z - b.R.T @ b.z) / size).max() < 1e-10
        assert [a.y_mean, a.y_sd] == pytest.approx([b.y_mean, b.y_sd], abs=1e-11)


@settings(max_examples=150)
@given(problems(max_rows=30), st.booleans())
def test_leave_one_out_in_closed_form(problem, as_glmnet):
    X, y, weights = problem.X, problem.y, problem.weights
    n = len(y)
    expected = np.empty((len(LAM), n))
    for i in range(n):
        train = np.arange(n) != i
        rows = centre(X[train], y[train], None if weights is None else weights[train])
        slopes = ridge_slopes(rows, LAM, standardize=False, as_glmnet=as_glmnet)
        expected[:, [i]] = rows.with_slopes(slopes).predict(X[[i]])
    ours = ridge_loo_predictions(X, y, LAM, weights, as_glmnet)
    assert np.abs(ours - expected).max() <= 10 * DIRECT * max(1.0, np.abs(expected).max())


def test_leave_one_out_of_the_only_response_that_differs():
    """Without row 2 the responses are constant: glmnet's scale of the penalty is 0 there."""
    X, y = np.array([[1.0], [2.0], [4.0], [3.0]]), np.array([1.0, 1.0, 5.0, 1.0])
    assert ridge_loo_predictions(X, y, LAM, as_glmnet=True)[:, 2] == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize("k", [5, 30])
def test_predictors_of_unlike_size(k):
    """A predictor 1e5 times as large as another loses no digits of the other."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(30, 3)) * [1e5, 1.0, 1e-2]
    y = X @ [1e-5, 1.0, 30.0] + rng.normal(size=30)
    ids = np.arange(30) % k
    rows, offsets = np.argsort(ids, kind="stable"), np.arange(0, 31, 30 // k)
    ours = ridge_left_out_predictions(X, y, LAM, rows, offsets, standardize=False)
    for f in range(k):
        train, test = ids != f, ids == f
        expected = by_augmented_rows(X[train], y[train], LAM, None, False, X[test])
        assert np.abs(ours[:, offsets[f] : offsets[f + 1]] - expected).max() < DIRECT


def test_leave_one_out_of_a_row_far_out():
    """Its leverage is 1 but for 1e-10, so its residual is one of a refit."""
    rng = np.random.default_rng(12)
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    X[0] = [1e5, -1e5]
    lam = np.array([1e-3])
    ours = ridge_loo_predictions(X, y, lam)[0, 0]
    expected = by_augmented_rows(X[1:], y[1:], lam, None, False, X[:1])[0, 0]
    assert ours == pytest.approx(expected, rel=1e-11)


def test_leave_one_out_of_a_response_far_out():
    """The spread of the others does not survive a subtraction from the spread of all."""
    rng = np.random.default_rng(13)
    X = rng.normal(size=(12, 1))
    y = 1e-5 * X[:, 0] + 1e-6 * rng.normal(size=12)
    y[4] = 1e3
    rows = centre(np.delete(X, 4, axis=0), np.delete(y, 4))
    slopes = ridge_slopes(rows, LAM * 1e-6, standardize=False, as_glmnet=True)
    ours = ridge_loo_predictions(X, y, LAM * 1e-6, as_glmnet=True)[:, 4]
    assert ours == pytest.approx(rows.with_slopes(slopes).predict(X[[4]])[:, 0], rel=1e-10)


def test_closed_form_serves_the_folds():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(12, 3)), rng.normal(size=12)
    rows, offsets = np.array([3, 0, 3]), np.arange(4)
    ours = ridge_left_out_predictions(X, y, LAM, rows, offsets, standardize=False)
    assert np.array_equal(ours, ridge_loo_predictions(X, y, LAM)[:, rows])


@settings(max_examples=50)
@given(problems(weighted=False))
def test_scikit_learn(problem):
    X, y = problem.X, problem.y
    rows = centre(X, y)
    for value in LAM:
        theirs = Ridge(alpha=len(y) * value, solver="svd").fit(X, y).predict(X)
        ours = rows.with_slopes(ridge_slopes(rows, np.array([value]), standardize=False)).predict(
            X
        )[0]
        assert np.abs(ours - theirs).max() <= PEER


def test_no_penalty_is_least_squares():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20) + 5
    rows = centre(X, y)
    slopes = ridge_slopes(rows, np.array([0.0]))
    expected = np.linalg.lstsq(np.column_stack([np.ones(20), X]), y)[0]
    assert slopes[0] == pytest.approx(expected[1:], rel=1e-12)
    assert rows.with_slopes(slopes).intercepts == pytest.approx(expected[:1], rel=1e-12)


@pytest.mark.parametrize("standardize", [True, False])
def test_no_penalty_and_more_columns_than_rows(standardize):
    """The limit of small penalties: the shortest of the exact solutions."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(5, 9)), rng.normal(size=5)
    rows = centre(X, y)
    slopes = ridge_slopes(rows, np.array([0.0, 1e-13]), standardize)
    assert rows.with_slopes(slopes[:1]).predict(X)[0] == pytest.approx(y, abs=1e-12)
    assert slopes[0] == pytest.approx(slopes[1], abs=1e-10)


def test_constant_and_repeated_predictors():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(10, 1)), rng.normal(size=10)
    X = np.column_stack([x, np.full(10, 0.1), x])
    slopes = ridge_slopes(centre(X, y), np.array([0.3]))[0]
    assert slopes[1] == 0.0
    assert slopes[0] == pytest.approx(slopes[2], rel=1e-12)


def test_infinite_penalty():
    rows = centre(np.array([[1.0], [2.0], [4.0]]), np.array([1.0, 2.0, 6.0]))
    assert (
        rows.with_slopes(ridge_slopes(rows, np.array([np.inf]))).predict(np.array([[9.0]])) == 3.0
    )


def test_predictor_constant_in_a_training_part():
    X = np.column_stack([np.arange(6.0), [0.0, 0, 0, 0, 0, 1]])
    y = np.array([1.0, 2, 2, 4, 5, 9])
    ours = ridge_left_out_predictions(X, y, LAM, np.array([5]), np.array([0, 1]))
    rows = centre(X[:5, :1], y[:5])
    assert ours == pytest.approx(
        rows.with_slopes(ridge_slopes(rows, LAM)).predict(X[5:, :1]), rel=1e-12
    )


def test_response_far_from_zero():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(30, 3)), rng.integers(-100, 100, size=30) / 8.0
    args = (LAM, np.arange(30), np.arange(0, 31, 3))
    near = ridge_left_out_predictions(X, y, *args)
    far = ridge_left_out_predictions(X, y + 2.0**40, *args) - 2.0**40
    assert np.abs(far - near).max() < 2.0**-11  # the spacing of doubles there is 2^-12


def exact_gcv(X, y, lam, standardize):
    """The definition in 60 digits: n |(I - H) y|^2 / (n - tr H)^2."""
    n, p = X.shape
    with mpmath.workdps(60):
        Z = mpmath.matrix((X).tolist())
        for j in range(p):
            mean = sum(Z[:, j]) / n
            size = mpmath.sqrt(sum((v - mean) ** 2 for v in Z[:, j]) / n) if standardize else 1
            for i in range(n):
                Z[i, j] = (Z[i, j] - mean) / size
        centred = mpmath.matrix(y.tolist()) - sum(mpmath.mpf(v) for v in y.tolist()) / n
        hat = Z * mpmath.inverse(Z.T * Z + n * mpmath.mpf(lam) * mpmath.eye(p)) * Z.T
        left = n - 1 - sum(hat[i, i] for i in range(n))
        return float(n * sum(v**2 for v in centred - hat * centred) / left**2)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("shape", [(10, 3), (6, 5), (5, 8), (3, 2), (2, 1)])
def test_gcv_without_degrees_of_freedom_to_spare(shape, standardize):
    """Where the columns fit every row, what is left comes from the penalty: no cancellation."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=shape) * 10.0 ** rng.integers(-2, 3, shape[1]), rng.normal(size=shape[0])
    lam = [1e-12, 1e-6, 0.1, 10.0, 1e6]
    expected = [exact_gcv(X, y, value, standardize) for value in lam]
    ours = ridge_gcv(X, y, np.array(lam), standardize)
    np.testing.assert_allclose(ours, expected, rtol=1e-12)  # rounding of the decomposition
    none, endless = ridge_gcv(X, y, np.array([0.0, 1e308]), standardize)
    assert np.isinf(none) == (shape[0] - 1 <= shape[1])
    n = len(y)
    assert endless == pytest.approx(y.var() * n**2 / (n - 1) ** 2, rel=1e-12)


def test_gcv_is_its_definition():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(25, 4)) * [1, 10, 0.1, 1], rng.normal(size=25) + 3
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for value, ours in zip(LAM, ridge_gcv(X, y, LAM), strict=True):
        hat = Z @ np.linalg.solve(Z.T @ Z + 25 * value * np.eye(4), Z.T) + 1 / 25
        left = np.eye(25) - hat
        assert ours == pytest.approx(25 * np.sum((left @ y) ** 2) / np.trace(left) ** 2, rel=1e-12)


def test_refusals():
    with pytest.raises(FitError, match="no training row has a positive weight"):
        centre(np.ones((2, 1)), np.ones(2), np.zeros(2))
    with pytest.raises(InputError, match="too huge or too tiny"):
        ridge_loo_predictions(np.array([[1e200], [2e200], [4e200]]), np.ones(3), LAM)


@pytest.mark.live_r
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_glmnet(standardize, weighted):
    code = """function(X, y, w, lam, st) {
      if (is.null(w)) w <- rep(1, length(y))
      as.matrix(coef(glmnet::glmnet(X, y, alpha = 0, lambda = lam, standardize = st, weights = w,
                                    thresh = 1e-20, maxit = 1e8)))
    }"""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(40, 5)) * [0.1, 1, 10, 1, 1] + 3
    X[:, 4] += X[:, 3]
    y = X.sum(axis=1) + 4 * rng.normal(size=40)
    w = rng.uniform(0.1, 2, size=40) if weighted else None
    lam = np.array([30.0, 3.0, 0.3, 0.03])
    theirs = np.asarray(run(code, X=X, y=y, w=w, lam=lam, st=standardize))
    rows = centre(X, y, w)
    slopes = ridge_slopes(rows, lam, standardize, as_glmnet=True)
    ours = np.vstack([rows.with_slopes(slopes).intercepts, slopes.T])
    assert np.abs(ours - theirs).max() <= GLMNET * np.abs(theirs).max()


@pytest.mark.live_r
def test_cv_glmnet():
    """The whole curve of cv.glmnet on given folds, standardised within each."""
    code = """function(X, y, lam, ids) {
      cv <- glmnet::cv.glmnet(X, y, alpha = 0, lambda = lam, foldid = ids, keep = TRUE,
                              thresh = 1e-20, maxit = 1e8)
      list(cv$fit.preval[, seq_along(lam)], cv$cvm)
    }"""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(50, 4)) * [1, 5, 0.2, 1]
    y = X @ [1.0, 0.2, 3.0, 0.0] + rng.normal(size=50)
    ids = rng.permutation(np.arange(50) % 5) + 1
    lam = np.array([10.0, 1.0, 0.1])
    preval, cvm = run(code, X=X, y=y, lam=lam, ids=ids)
    rows = np.argsort(ids, kind="stable")
    ours = ridge_left_out_predictions(X, y, lam, rows, np.arange(0, 51, 10), as_glmnet=True)
    assert np.abs(ours - np.asarray(preval)[rows].T).max() <= GLMNET * np.abs(y).max()
    assert ((ours - y[rows]) ** 2).mean(axis=1) == pytest.approx(np.asarray(cvm), rel=GLMNET)


@pytest.mark.live_r
def test_lm_ridge():
    code = """function(X, y, k) { f <- MASS::lm.ridge(y ~ X, lambda = k); list(coef(f), f$GCV) }"""
    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(30, 3)) * [1, 5, 0.2], rng.normal(size=30)
    coefs, gcv = (np.asarray(v) for v in run(code, X=X, y=y, k=30 * LAM))
    rows = centre(X, y)
    slopes = ridge_slopes(rows, LAM)
    assert np.abs(slopes - coefs[:, 1:]).max() < DIRECT
    assert np.abs(rows.with_slopes(slopes).intercepts - coefs[:, 0]).max() < DIRECT
    rss = ((y - rows.with_slopes(slopes).predict(X)) ** 2).sum(axis=1)
    df = 30 - np.sqrt(30 * rss / ridge_gcv(X, y, LAM))
    assert rss / (30 + 1 - df) ** 2 == pytest.approx(gcv, rel=1e-10)
