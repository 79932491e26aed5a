"""Every fold of a least squares fit from one factorisation."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pycvstat import data
from pycvstat.learners.linear.fold_sums import left_out_by_labels
from pycvstat.learners.linear.least_squares import (
    aliased_columns,
    fit_least_squares,
    orthonormal_basis,
)
from pycvstat.learners.linear.left_out import (
    KEPT_SHARE,
    LeftOut,
    equal_sizes,
    full_residuals,
    ols_left_out_predictions,
    smallest_eigenvalue_bound,
    well_conditioned,
)
from pycvstat.r.bridge import run
from pycvstat.rmath.random import RRandom
from tests.learners.linear.designs import Problem, grown, naive, problems

DIRECT = 1e-10
"""Two direct ways to the same numbers, relative to the size of the response."""


def shortcut(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    args = (problem.X, problem.y, problem.rows, problem.offsets, problem.weights)
    out = ols_left_out_predictions(*args)
    assert np.isnan(out.predictions).sum() == np.diff(problem.offsets)[out.refit].sum()
    predictions = out.predictions.copy()
    for i in np.flatnonzero(out.refit):
        train, test = list(problem.fits)[i]
        part = slice(problem.offsets[i], problem.offsets[i + 1])
        weights = None if problem.weights is None else problem.weights[train]
        fitted = fit_least_squares(problem.X[train], problem.y[train], weights)
        predictions[part] = fitted.predict(problem.X[test])
    return predictions, out.refit


def ols_fold_residuals(
    X: np.ndarray, y: np.ndarray, fold_ids: np.ndarray, weights: np.ndarray | None = None
) -> LeftOut:
    """One partition: residuals in the order of the data, refits by sorted label."""
    rows = np.argsort(fold_ids, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.unique(fold_ids, return_counts=True)[1])])
    out = ols_left_out_predictions(X, y, rows, offsets, weights)
    predictions, residuals = np.empty(len(rows)), np.empty(len(rows))
    predictions[rows], residuals[rows] = out.predictions, out.residuals
    return LeftOut(predictions, residuals, out.refit)


@settings(max_examples=400)
@given(problems())
def test_against_refits(problem):
    ours, _ = shortcut(problem)
    assert np.abs(ours - naive(problem)).max() <= DIRECT * grown(problem)


@settings(max_examples=100)
@given(problems(deficient=False, max_rows=300, weighted=False))
def test_against_another_algorithm(problem):
    """The singular value decomposition of numpy, where nothing is aliased."""
    out = ols_left_out_predictions(problem.X, problem.y, problem.rows, problem.offsets)
    allowed = DIRECT * grown(problem)
    for i, (train, test) in enumerate(problem.fits):
        if not out.refit[i]:
            part = slice(problem.offsets[i], problem.offsets[i + 1])
            size = np.linalg.norm(problem.X[train], axis=0)
            scaled = np.linalg.lstsq(problem.X[train] / size, problem.y[train], rcond=0)[0]
            gap = np.abs(out.predictions[part] - problem.X[test] @ (scaled / size)).max()
            assert gap <= allowed


def test_shortcut_is_taken():
    rng = np.random.default_rng(1)
    X = np.column_stack([np.ones(60), rng.normal(size=(60, 4))])
    X = np.column_stack([X, X[:, 1] - X[:, 2]])  # aliased, and so in every fold
    for ids in (np.arange(60), np.arange(60) % 10, np.arange(60) % 2):
        assert not ols_fold_residuals(X, rng.normal(size=60), ids).refit.any()


def test_folds_that_lose_rank_are_named():
    X = np.column_stack([np.ones(6), [0.0, 0, 0, 0, 1, 1]])
    out = ols_fold_residuals(X, np.arange(6.0), np.array([1, 1, 1, 2, 3, 3]))
    assert out.refit.tolist() == [False, False, True]
    assert np.isnan(out.residuals).tolist() == [False] * 4 + [True] * 2


def test_aliased_in_all_rows_but_not_in_a_fold():
    """R drops the second of two columns that differ by 3e-8, but not where they differ by 1e-6."""
    rng = np.random.default_rng(2)
    x = np.where(np.arange(40) < 4, 100.0, 1.0) * rng.uniform(1, 2, size=40)
    X = np.column_stack([x, x + 3e-6 * rng.normal(size=40)])
    y = rng.normal(size=40)
    ids = np.arange(40) // 4
    assert aliased_columns(X).tolist() == [False, True]
    assert aliased_columns(X[ids != 0]).tolist() == [False, False]
    assert ols_fold_residuals(X, y, ids).refit[0]


def test_more_columns_than_rows_is_for_refits():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(5, 8)), rng.normal(size=5)
    problem = Problem(X, y, None, np.arange(5), np.arange(6))
    ours, refit = shortcut(problem)
    assert refit.all()
    assert np.array_equal(ours, naive(problem))


def test_row_of_weight_zero_is_predicted_by_the_full_fit():
    X = np.column_stack([np.ones(5), np.arange(5.0)])
    y, w = np.array([1.0, 2.0, 2.0, 5.0, 100.0]), np.array([1.0, 1, 1, 1, 0])
    out = ols_fold_residuals(X, y, np.arange(5), w)
    assert out.predictions[4] == pytest.approx(5.5, abs=1e-13)


def test_exact_rationals():
    """Leave-two-out of small whole numbers, in exact arithmetic."""
    x, y = [0, 1, 3, 4, 8], [2, 1, 5, 3, 7]
    pairs = [(i, j) for i in range(5) for j in range(i)]
    expected: list[Fraction] = []
    for pair in pairs:
        rest = [r for r in range(5) if r not in pair]
        mx, my = (Fraction(sum(v[r] for r in rest), 3) for v in (x, y))
        slope = sum((x[r] - mx) * (y[r] - my) for r in rest) / sum((x[r] - mx) ** 2 for r in rest)
        expected += [my + slope * (x[r] - mx) for r in pair]
    X = np.column_stack([np.ones(5), x])
    out = ols_left_out_predictions(
        X, np.array(y, float), np.ravel(pairs), 2 * np.arange(len(pairs) + 1)
    )
    assert np.abs(out.predictions - [float(v) for v in expected]).max() < 1e-13


@pytest.mark.parametrize("k", [2, 10, 50])
def test_response_far_from_zero(k):
    """A response around 2^40 has the residuals of the one around 0, but for its own rounding."""
    rng = np.random.default_rng(4)
    X = np.column_stack([np.ones(50), rng.normal(size=(50, 3))])
    y = rng.integers(-(2**20), 2**20, size=50) / 2.0**10
    near = ols_fold_residuals(X, y, np.arange(50) % k).residuals
    far = ols_fold_residuals(X, y + 2.0**40, np.arange(50) % k).residuals
    assert np.abs(far - near).max() < 1e-9  # y has 10 binary digits: shifted without rounding


@settings(max_examples=50)
@given(problems(), st.integers(-30, 30))
def test_power_of_two_scales_exactly(problem, power):
    first, _ = shortcut(problem)
    scaled = Problem(
        problem.X, problem.y * 2.0**power, problem.weights, problem.rows, problem.offsets
    )
    assert np.array_equal(shortcut(scaled)[0], first * 2.0**power)


@settings(max_examples=50)
@given(problems(weighted=True))
def test_weight_zero_means_absent(problem):
    used = problem.weights > 0
    kept = np.cumsum(used) - 1
    inside = used[problem.rows]
    counts = np.add.reduceat(np.append(inside, False).astype(int), problem.offsets[:-1])
    smaller = Problem(
        problem.X[used],
        problem.y[used],
        problem.weights[used],
        kept[problem.rows[inside]],
        np.cumsum([0, *counts]),
    )
    if (counts == used.sum()).any():
        return
    assert np.abs(shortcut(problem)[0][inside] - shortcut(smaller)[0]).max(initial=0.0) <= (
        DIRECT * grown(problem)
    )


@settings(max_examples=200)
@given(st.integers(2, 12), st.integers(0, 2**32 - 1), st.floats(0.01, 3))
def test_eigenvalue_bound_is_a_bound(q, seed, spread):
    rng = np.random.default_rng(seed)
    values = np.exp(-spread * rng.exponential(size=q))
    bound = smallest_eigenvalue_bound(np.log(values).sum(), values.sum(), q)
    assert bound <= values.min() * (1 + 1e-12)


@pytest.mark.parametrize("trace", [0.0, -1e-16, 1e-17])
def test_eigenvalue_bound_of_rounding(trace):
    """A matrix of zeros, to rounding: its determinant is noise."""
    assert smallest_eigenvalue_bound(np.log(1e-48), np.array(trace), 3) < KEPT_SHARE


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_matrices_that_are_not_finite_are_marked(value):
    kept, weak = well_conditioned(np.stack([np.eye(2), [[value, 0.0], [0.0, 1.0]]]))
    assert weak.tolist() == [False, True]
    assert kept[1].tolist() == np.eye(2).tolist()


def test_one_training_row_is_left_to_refits():
    X = np.random.default_rng(7).normal(size=(4, 4))
    out = ols_left_out_predictions(X, np.ones(4), np.array([0, 1, 2]), np.array([0, 3]))
    assert out.refit.all()


def test_high_leverage_up_to_the_border():
    """Where the shortcut is still taken it is accurate: leverage just below 1 - KEPT_SHARE."""
    rng = np.random.default_rng(5)
    x = np.append(rng.normal(size=30), 0.0)
    for outlier in np.geomspace(10, 1e4, 30):
        x[-1] = outlier
        X = np.column_stack([np.ones(31), x])
        y = rng.normal(size=31)
        problem = Problem(X, y, None, np.arange(31), np.arange(32))
        ours, refit = shortcut(problem)
        leverage = (np.linalg.qr(X)[0] ** 2).sum(axis=1)
        assert np.array_equal(refit, 1 - leverage < KEPT_SHARE)
        assert np.abs(ours - naive(problem)).max() <= 1e-12 * grown(problem)


def test_published_mammals():
    """boot's example: cv.glm of log(brain) ~ log(body) by leave-one-out."""
    frame = np.log(data.mammals()[["body", "brain"]].to_numpy())
    X, y = np.column_stack([np.ones(62), frame[:, 0]]), frame[:, 1]
    loo = np.mean(ols_fold_residuals(X, y, np.arange(62)).residuals ** 2)
    assert f"{loo:.7f}" == "0.4918650"


def test_published_mtcars():
    """origami's test: mpg ~ . on 10 folds of R's seed 1, 14.1114 over all observations."""
    frame = data.mtcars()
    X = np.column_stack([np.ones(32), frame.drop(columns="mpg").to_numpy(dtype=float)])
    labels = np.resize(np.arange(1, 11), 32)
    ids = np.asarray(RRandom(1).sample(labels))
    errors = ols_fold_residuals(X, frame["mpg"].to_numpy(dtype=float), ids).residuals ** 2
    assert f"{errors.mean():.4f}" == "14.1114"
    assert f"{np.mean([errors[ids == f].mean() for f in range(1, 11)]):.4f}" == "14.0256"


R_NAIVE = """function(X, y, w, rows, offsets) {
  d <- data.frame(y = y, X)
  if (is.null(w)) w <- rep(1, length(y))
  d$w <- w
  unlist(lapply(seq_len(length(offsets) - 1), function(i) {
    test <- rows[(offsets[i] + 1):offsets[i + 1]] + 1
    fit <- lm(y ~ . - w - 1, data = d[-test, ], weights = w)
    suppressWarnings(predict(fit, d[test, ]))
  }))
}"""


@pytest.mark.live_r
def test_predictions_as_in_r():
    """Folds that lose rank and designs with aliased columns included."""
    seen = set()

    @settings(max_examples=120)
    @given(problems(max_rows=30))
    def compare(problem):
        ours, refit = shortcut(problem)
        theirs = run(R_NAIVE, X=problem.X, y=problem.y, w=problem.weights,
                     rows=problem.rows, offsets=problem.offsets)  # fmt: skip
        assert np.abs(ours - np.asarray(theirs)).max() <= DIRECT * grown(problem)
        seen.update(refit.tolist())

    compare()
    assert seen == {True, False}


@pytest.mark.live_r
def test_boot_cv_glm():
    frame = np.log(data.mammals()[["body", "brain"]].to_numpy())
    X, y = np.column_stack([np.ones(62), frame[:, 0]]), frame[:, 1]
    theirs = run(
        "function(x, y) { d <- data.frame(x, y); boot::cv.glm(d, glm(y ~ x, data = d))$delta[1] }",
        x=frame[:, 0],
        y=y,
    )
    ours = np.mean(ols_fold_residuals(X, y, np.arange(62)).residuals ** 2)
    assert ours == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("r", [1, 2, 4])
def test_labels_of_folds_give_what_their_rows_give(r):
    """For several sets of folds; a fold that holds a level alone has no prediction."""
    rng = np.random.default_rng(r)
    X = np.column_stack([np.ones(20), rng.normal(size=(20, 3))])[:, :r]
    X[:, -1] += 1.0 * (np.arange(20) == 7) * (r == 2) * 1e4
    y, labels = rng.normal(size=20) + X[:, -1] % 7, rng.integers(0, 5, (3, 20))
    basis = orthonormal_basis(X)
    e = full_residuals(basis, X, y, None)
    residuals, steps = left_out_by_labels(basis.Q, e, labels, 5)
    assert np.isnan(steps).any() == (r == 2)
    for c in range(3):
        rows, counts = np.argsort(labels[c], kind="stable"), np.bincount(labels[c], minlength=5)
        offsets = np.append(0, np.cumsum(counts))
        expected = ols_left_out_predictions(X, y, rows, offsets)
        np.testing.assert_allclose(residuals[c, rows], expected.residuals, rtol=1e-9)
        weak = np.isnan(steps[c]).any(axis=1)
        assert weak.tolist() == expected.refit.tolist()
        for fold in np.flatnonzero(~weak):
            test = labels[c] == fold
            kept = np.eye(r) - basis.Q[test].T @ basis.Q[test]
            step = np.linalg.solve(kept, basis.Q[test].T @ e[test])
            np.testing.assert_allclose(steps[c, fold], step, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("size", "r", "together"),
    [(1, 1, 5461), (3, 4, 744), (100, 50, 10), (200, 99, 6), (900, 500, 1)],
)
def test_fits_go_together_as_long_as_their_numbers_stay_in_the_cache(size, r, together):
    """Some 16 thousand numbers; ten fits also where they are up to 16 times as many."""
    fits = 2 * together + 1
    sizes, offsets = np.full(fits, size), size * np.arange(fits + 1)
    blocks = list(equal_sizes(sizes, offsets, r))
    assert [len(block) for block, _ in blocks] == [together, together, 1]
    assert np.concatenate([places.ravel() for _, places in blocks]).tolist() == [
        *range(offsets[-1])
    ]


@pytest.mark.parametrize("q", [1, 2, 5])
def test_no_bound_of_an_eigenvalue_is_above_the_mean_of_all(q: int) -> None:
    """A determinant that asks for more is rounding, and bounds nothing."""
    trace = np.full(3, 2.0 * q)  # eigenvalues of mean 2
    others = (q - 1) * np.log(trace / max(q - 1, 1))
    found = smallest_eigenvalue_bound(np.log([1.5, 2.0, 3.0]) + others, trace, q)
    np.testing.assert_allclose(found, [1.5, 2.0, 0.0], rtol=1e-13)  # logarithms and back
