"""Lasso and elastic net: optimal to the last digits, as glmnet and as scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from sklearn.linear_model import ElasticNet

from pycvstat.data.task import Task
from pycvstat.errors import FitError
from pycvstat.learners.linear import elastic_net
from pycvstat.learners.linear.elastic_net import elastic_net_slopes, finish
from pycvstat.learners.linear.glmnet_path import EVERYTHING
from pycvstat.learners.ols import OLS
from pycvstat.learners.penalised import ElasticNet as OurNet, Ridge
from pycvstat.r.bridge import run
from tests.learners.linear.designs import problems

OPTIMAL = 1e-11
"""Violation of an optimality condition, as a correlation."""

GLMNET = 1e-9
"""glmnet with thresh = 1e-20, relative to the largest coefficient."""


def slopes_of(X, y, lam, alpha=1.0, weights=None, standardize=True):
    return elastic_net_slopes(X, y, lam, alpha, [EVERYTHING], weights, standardize)[0]


def path_of(X, y, alpha=1.0, count=8, ratio=1e-3, weights=None, standardize=True):
    """From the smallest penalty that makes all slopes zero, by its definition."""
    w = np.ones(len(y)) if weights is None else weights
    w = w / w.sum()
    Z, centred = X - w @ X, y - w @ y
    sd = np.sqrt(w @ Z**2) if standardize else np.ones(X.shape[1])
    varies = np.ptp(X[w > 0], axis=0) > 0
    pull = np.abs((w * centred) @ Z)[varies] / sd[varies]
    return pull.max(initial=0.0) / alpha * ratio ** np.linspace(0.0, 1.0, count)


def violation(X, y, w, standardize, slopes, lam, alpha):
    """The largest violation of the optimality conditions, straight from their definition."""
    w = np.ones(len(y)) if w is None else w
    mean = w @ X / w.sum()
    sd = np.sqrt(w @ (X - mean) ** 2 / w.sum()) if standardize else np.ones(X.shape[1])
    varies = np.ptp(X[w > 0], axis=0) > 0
    Z = ((X - mean) / np.where(varies, sd, 1.0))[:, varies]
    b = (slopes * sd)[varies]
    centred = y - w @ y / w.sum()
    second = lam * (1 - alpha) / np.sqrt(w @ centred**2 / w.sum())
    gradient = Z.T @ (w * (centred - Z @ b)) / w.sum() - second * b
    most = np.sqrt(w @ Z**2 / w.sum() * (w @ centred**2) / w.sum())
    wrong = np.where(b != 0, gradient - lam * alpha * np.sign(b), 0.0)
    wrong = np.maximum(np.abs(wrong), np.abs(gradient) - lam * alpha)
    return (wrong / most).max(initial=0.0)


@settings(max_examples=150)
@given(problems(), st.booleans(), st.sampled_from([1.0, 0.7, 0.05]))
def test_optimality(problem, standardize, alpha):
    X, y, w = problem.X, problem.y, problem.weights
    path = path_of(X, y, alpha, weights=w, standardize=standardize)
    assume(path[0] > 0)
    slopes = slopes_of(X, y, path, alpha, w, standardize).slopes
    for c, lam in enumerate(path):
        assert violation(X, y, w, standardize, slopes[c], lam, alpha) < OPTIMAL


def test_first_penalty_of_the_path_is_the_border():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 4)), rng.normal(size=30)
    first = path_of(X, y)[0]
    slopes = slopes_of(X, y, first * np.array([1.0 + 1e-9, 1.0 - 1e-9])).slopes
    assert not slopes[0].any()
    assert np.count_nonzero(slopes[1]) == 1


def test_order_of_penalties_does_not_matter():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(30, 4)), rng.normal(size=30)
    path = path_of(X, y, count=20)
    mixed = rng.permutation(20)
    assert np.array_equal(slopes_of(X, y, path).slopes[mixed], slopes_of(X, y, path[mixed]).slopes)


def test_alpha_by_candidate():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 4)), rng.normal(size=30)
    task = Task.build(X=X, y=y)
    nets = [OurNet(0.1, alpha) for alpha in (1.0, 0.5, 0.0)] + [OurNet(0.0, 0.5)]
    rows = np.arange(30)
    together = nets[0].prepare(task, [net.params() for net in nets]).predict(rows, rows).values
    for net, values in zip(nets, together, strict=True):
        assert values == pytest.approx(net.fit_task(task).predict(X), rel=1e-11, abs=1e-14)
    ridge = Ridge(0.1).fit_task(task).predict(X)
    assert np.array_equal(nets[2].fit_task(task).predict(X), ridge)
    assert together[3] == pytest.approx(OLS().fit_task(task).predict(X), rel=1e-11)


def test_one_predictor_by_hand():
    X, y = np.array([[-1.0], [1.0]]), np.array([1.0, 5.0])
    slopes = slopes_of(X, y, np.array([1.0]), 0.5).slopes  # glmnet's second penalty is halved: sd 2
    assert slopes == pytest.approx(np.array([[(2 - 0.5) / 1.25]]), rel=1e-14)


@pytest.mark.parametrize(("n", "p"), [(20, 60), (25, 600)])
def test_more_predictors_than_rows(n, p):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(n, p)), rng.normal(size=n)
    path = path_of(X, y, count=30, ratio=1e-2)
    slopes = slopes_of(X, y, path).slopes
    assert max(violation(X, y, None, True, s, lam, 1.0)
               for s, lam in zip(slopes, path, strict=True)) < OPTIMAL  # fmt: skip


@pytest.mark.parametrize("others", [2, 500])
def test_predictors_that_nearly_repeat_others(others):
    """Correlation 1 - 1e-10: descent alone would need millions of sweeps."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(50, 1))
    X = np.column_stack(
        [
            x,
            x + 1e-5 * rng.normal(size=(50, 1)),
            rng.normal(size=(50, 2)),
            0 * rng.normal(size=(50, others - 2)),
        ]
    )
    y = (X[:, 1] - X[:, 0]) * 1e5 + X[:, 0] + 0.1 * rng.normal(size=50)
    path = np.array([1e-7, 1e-9])
    slopes = slopes_of(X, y, path).slopes
    exact = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean())[0]
    assert slopes[1] == pytest.approx(exact, rel=1e-2)
    rounding = 1e-16 * np.abs(slopes).max()  # terms of size 1e5 cancel
    for c in range(2):
        gap = violation(X, y, None, True, slopes[c], path[c], 1.0)
        assert gap < OPTIMAL + 10 * rounding


def test_repeated_predictors_have_one_prediction():
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    twice = np.column_stack([x, x])
    lam = path_of(x, y, count=5)
    a, b = slopes_of(x, y, lam).predict(x), slopes_of(twice, y, lam).predict(twice)
    assert np.abs(a - b).max() < 1e-12


def test_nothing_to_explain():
    X = np.random.default_rng(7).normal(size=(9, 2))
    for y in (np.full(9, 3.0), np.zeros(9)):
        found = slopes_of(X, y, np.array([0.1]))
        assert not found.slopes.any()
        assert (found.predict(X) == y[0]).all()
    assert not slopes_of(np.ones((9, 2)), X[:, 0], np.array([0.1])).slopes.any()


def test_not_converged_is_an_error(monkeypatch):
    monkeypatch.setattr(elastic_net, "_SWEEPS", 0)
    monkeypatch.setattr(elastic_net, "finish", lambda *_: None)
    with pytest.raises(FitError, match="has not converged"):
        slopes_of(np.array([[-1.0], [1.0]]), np.array([1.0, 5.0]), np.array([0.1]))


@settings(max_examples=60)
@given(problems(max_rows=40), st.sampled_from([1.0, 0.5]), st.booleans())
def test_folds_against_refits(problem, alpha, standardize):
    X, y, weights = problem.X, problem.y, problem.weights
    lam = np.array([0.3, 0.03])
    tests = [test for _, test in problem.fits]
    found = elastic_net_slopes(X, y, lam, alpha, tests, weights, standardize)
    for fit, (train, test) in zip(found, problem.fits, strict=True):
        part = None if weights is None else weights[train]
        expected = slopes_of(X[train], y[train], lam, alpha, part, standardize).predict(X[test])
        gap = np.abs(fit.predict(X[test]) - expected)
        assert gap.max(initial=0.0) <= 1e-9 * max(1.0, np.abs(expected).max(initial=0.0))


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 0.5]))
def test_scikit_learn(seed, alpha):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 6)) @ rng.normal(size=(6, 6))
    y = X[:, 0] + rng.normal(size=40)
    lam = path_of(X, y, alpha, 6, 1e-2, standardize=False)[1:]
    slopes = slopes_of(X, y, lam, alpha, standardize=False).slopes
    for c, value in enumerate(lam):
        first, second = value * alpha, value * (1 - alpha) / y.std()
        both = {"alpha": first + second, "l1_ratio": first / (first + second)}
        peer = ElasticNet(**both, tol=1e-14, max_iter=10**6).fit(X, y)
        assert slopes[c] == pytest.approx(peer.coef_, abs=1e-6)


@pytest.mark.live_r
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("alpha", [1.0, 0.5, 0.1])
def test_glmnet(alpha, standardize, weighted):
    code = """function(X, y, w, lam, alpha, st) {
      if (is.null(w)) w <- rep(1, length(y))
      args <- list(X, y, alpha = alpha, standardize = st, weights = w)
      fit <- do.call(glmnet::glmnet, c(args, list(lambda = lam, thresh = 1e-20, maxit = 1e8)))
      as.matrix(coef(fit))
    }"""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(40, 5)) * [0.1, 1, 10, 1, 1] + 3
    X[:, 4] += X[:, 3]
    y = X.sum(axis=1) + 4 * rng.normal(size=40)
    w = rng.uniform(0.1, 2, size=40) if weighted else None
    lam = path_of(X, y, alpha, 30, 1e-4, w, standardize)
    given = {"X": X, "y": y, "w": w, "lam": lam, "alpha": alpha, "st": standardize}
    theirs = np.asarray(run(code, **given))
    found = slopes_of(X, y, lam, alpha, w, standardize)
    ours = np.vstack([found.intercepts, found.slopes.T])
    assert np.abs(ours - theirs).max() <= GLMNET * np.abs(theirs).max()


@pytest.mark.live_r
def test_cv_glmnet():
    code = """function(X, y, lam, ids) {
      cv <- glmnet::cv.glmnet(X, y, alpha = 0.6, lambda = lam, foldid = ids, keep = TRUE,
                              thresh = 1e-20, maxit = 1e8)
      list(cv$fit.preval[, seq_along(lam)], cv$cvm)
    }"""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(50, 4)) * [1, 5, 0.2, 1]
    y = X @ [1.0, 0.2, 3.0, 0.0] + rng.normal(size=50)
    ids = rng.permutation(np.arange(50) % 5) + 1
    lam = path_of(X, y, 0.6, 10, 1e-2)
    preval, cvm = run(code, X=X, y=y, lam=lam, ids=ids)
    tests = [np.flatnonzero(ids == fold) for fold in range(1, 6)]
    rows, fits = np.concatenate(tests), elastic_net_slopes(X, y, lam, 0.6, tests)
    each = [fit.predict(X[test]) for fit, test in zip(fits, tests, strict=True)]
    ours = np.concatenate(each, axis=1)
    assert np.abs(ours - np.asarray(preval)[rows].T).max() <= GLMNET * np.abs(y).max()
    assert ((ours - y[rows]) ** 2).mean(axis=1) == pytest.approx(np.asarray(cvm), rel=GLMNET)


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.sampled_from([0.0, 0.1]))
def test_linear_systems_alone_end_at_the_optimum(seed, p, l2):
    """From nothing, and from a start with wrong signs; repeated predictors included."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(p, 5))
    columns[rng.integers(p)] = columns[0]
    z = rng.normal(size=5)
    z /= np.linalg.norm(z)
    l1 = 0.2 * np.abs(columns @ z).max()
    ends = []
    for start in (np.zeros(p), rng.normal(size=p)):
        b = finish(columns, z, start, l1, l2, 1e-12)
        assert b is not None
        ends.append(b @ columns)
        gradient = columns @ (z - b @ columns) - l2 * b
        assert np.abs(gradient).max() <= l1 + 1e-11
        assert np.abs((gradient - l1 * np.sign(b))[b != 0]).max(initial=0.0) < 1e-11
    assert np.abs(ends[0] - ends[1]).max() < 1e-10
