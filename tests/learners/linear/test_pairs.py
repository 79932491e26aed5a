"""Least squares without one fold or two."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pycvstat.errors import InputError
from pycvstat.learners.linear import pairs
from pycvstat.learners.linear.least_squares import fit_least_squares
from pycvstat.learners.linear.pairs import ols_pair_residuals
from tests.learners.linear.designs import problems

DIRECT = 1e-10


def by_refits(X, y, ids, k, weights):
    out = np.empty((len(y), k))
    for i in range(1, k + 1):
        for j in range(1, k + 1):
            train, test = (ids != i) & (ids != j), ids == i
            part = None if weights is None else weights[train]
            fit = fit_least_squares(X[train], y[train], part)
            out[test, j - 1] = y[test] - fit.predict(X[test])
    return out


@settings(max_examples=150)
@given(problems(max_rows=50), st.integers(3, 7), st.integers(0, 2**32 - 1))
def test_against_refits(problem, k, seed):
    X, y, weights = problem.X, problem.y, problem.weights
    n, times = len(y), 3
    rng = np.random.default_rng(seed)
    ids = np.stack([rng.permutation(np.arange(n) % k) + 1 for _ in range(times)], axis=1)
    if weights is not None:
        weights = np.maximum(weights, 0.25 * (rng.random(n) < 0.8))
    if n < 3 * k:
        return
    out = ols_pair_residuals(X, y, ids, k, weights)
    assert np.array_equal(out.refit, out.refit.swapaxes(1, 2))
    for t in range(times):
        left = out.refit[t][ids[:, t] - 1]
        assert np.array_equal(np.isnan(out.residuals[t]), left)
        if not left.all():
            expected = by_refits(X, y, ids[:, t], k, weights)
            size = max(1.0, np.abs(expected[~left]).max())
            assert np.abs(out.residuals[t] - expected)[~left].max() <= 10 * DIRECT * size


@pytest.mark.parametrize("p", [2, 15])
@pytest.mark.parametrize("weighted", [False, True])
def test_few_and_many_columns_and_uneven_folds(p, weighted):
    rng = np.random.default_rng(p)
    X = np.column_stack([np.ones(103), rng.normal(size=(103, p))])
    y = rng.normal(size=103) + 1e8
    w = rng.choice([0.0, 1.0, 3.0], size=103, p=[0.1, 0.5, 0.4]) if weighted else None
    ids = np.stack([rng.permutation(np.arange(103) % 10) + 1 for _ in range(30)], axis=1)
    out = ols_pair_residuals(X, y, ids, 10, w)
    assert not out.refit.any()
    for t in (0, 29):
        expected = by_refits(X, y, ids[:, t], 10, w)
        assert np.abs(out.residuals[t] - expected).max() < 1e-6  # eight digits are in the mean


def test_one_weak_fold_spoils_only_its_pairs():
    rng = np.random.default_rng(7)
    ids = np.arange(24) % 4 + 1
    level = np.where(ids == 2, 1.0, 0.0)
    for columns in (1, 12):
        X = np.column_stack([np.ones(24), level, rng.normal(size=(24, columns))])
        out = ols_pair_residuals(X, rng.normal(size=24), ids, 4)
        expected = np.zeros((4, 4), dtype=bool)
        expected[1], expected[:, 1] = True, True
        if columns == 12:  # 12 rows are left of 14 columns
            expected |= ~np.eye(4, dtype=bool)
        assert np.array_equal(out.refit[0], expected)


def test_two_folds_that_alone_hold_a_column_spoil_their_pair():
    rng = np.random.default_rng(7)
    ids = np.arange(60) % 4 + 1
    held = np.where(np.isin(ids, (2, 3)), rng.normal(size=60), 0.0)
    for columns in (1, 17):  # fewer than the rows of a fold, and more
        X = np.column_stack([np.ones(60), held, rng.normal(size=(60, columns))])
        out = ols_pair_residuals(X, rng.normal(size=60), ids, 4)
        expected = np.zeros((4, 4), dtype=bool)
        expected[1, 2] = expected[2, 1] = True
        assert np.array_equal(out.refit[0], expected)


def test_aliased_designs_are_left_to_refits():
    X = np.ones((8, 2))
    assert ols_pair_residuals(X, np.arange(8.0), np.arange(8) % 4 + 1, 4).refit.all()


def test_labels_are_checked():
    with pytest.raises(InputError, match="fold labels"):
        ols_pair_residuals(np.ones((4, 1)), np.ones(4), np.array([0, 1, 1, 2]), 3)


@pytest.mark.parametrize(("p", "times", "how"), [(2, 1311, "_by_columns"), (6, 328, "_by_blocks")])
def test_repetitions_go_together_as_long_as_they_stay_in_the_cache(p, times, how, monkeypatch):
    """By the smaller of two problems, of columns or of rows of a fold."""
    method, sizes = getattr(pairs, how), []

    def counted(work, places):
        sizes.append(len(places))
        return method(work, places)

    for name in ("_by_columns", "_by_blocks"):
        monkeypatch.setattr(pairs, name, counted if name == how else None)
    rng = np.random.default_rng(8)
    X = np.column_stack([np.ones(20), rng.normal(size=(20, p - 1))])
    ids = np.tile(1 + np.arange(20)[:, None] % 5, times)
    ols_pair_residuals(X, rng.normal(size=20), ids, 5)
    assert sizes == [times - 1, 1]


def test_eigenvalues_are_computed_of_pairs_whose_determinant_leaves_a_doubt(monkeypatch):
    """Of three folds the first and the last nearly hold a direction together."""
    asked, eigenvalues = [], np.linalg.eigvalsh

    def noted(whole):
        asked.append(len(whole))
        return eigenvalues(whole)

    monkeypatch.setattr(np.linalg, "eigvalsh", noted)
    first, second = np.triu_indices(3, 1)
    own = np.tile(0.3 * np.eye(4), (1, 3, 1, 1))
    for left, weak, doubts in ((0.25, False, []), (2e-3, False, [1]), (2e-4, True, [1])):
        cross = np.full((1, 3, 4, 4), 0.01)
        cross[0, 1] = (0.3 - left) * np.eye(4)
        schur = own[:, second] - cross.swapaxes(2, 3) @ np.linalg.inv(own[:, first]) @ cross
        asked.clear()
        found = pairs._weak_pairs(own, cross, schur, first, second)
        assert found.tolist() == [[False, weak, False]]
        assert asked == doubts
