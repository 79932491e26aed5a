"""One search for all folds gives what a search in every fold gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pycvstat.learners.knn import shared
from pycvstat.learners.knn.distances import metric
from pycvstat.learners.knn.search import FoundPath, Index, Ties
from pycvstat.learners.knn.shared import Candidates, FoldSearch, list_length, make_candidates
from tests.learners.knn import reference
from tests.learners.knn.test_search import table


def same(one: FoundPath, other: FoundPath) -> None:
    np.testing.assert_array_equal(one.found.sums, other.found.sums)
    for place in range(len(one.ks)):
        np.testing.assert_array_equal(one.rows(place), other.rows(place))


def in_the_fold(search: FoldSearch, train: Any, new: Any, ks: Any) -> FoundPath:
    m = metric(search.X[train], search.assign, p=search.p, scale=search.scale)
    path = Index(search.X[train], m, search.ties).find_path(search.X[new], ks)
    rows = FoundPath(path.ks, path.found, path.tied, train[path.tied_rows], path.tied_from)
    rows.found.rows[:] = train[path.found.rows]
    return rows


@settings(max_examples=50)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["smooth", "integers", "tenths", "copies"]),
    st.sampled_from([0.5, 1.0, 2.0, 2.0, 3.0]),
    st.booleans(),
    st.sampled_from(["kknn", "row"]),
)
def test_folds_of_a_part(seed: int, kind: str, p: float, scale: bool, ties: Ties) -> None:
    rng = np.random.default_rng(seed)
    n, q = int(rng.integers(40, 150)), int(rng.integers(1, 5))
    X = table(seed, n, q, kind) * rng.choice([1e-3, 1.0, 1e4], q)
    search = FoldSearch(X, np.arange(1, q + 1), p=p, scale=scale, ties=ties)
    used = np.sort(rng.permutation(n)[: int(0.9 * n)])
    ks = np.unique(rng.integers(1, 12, 4))
    for new in np.array_split(used, 3):
        train = np.setdiff1d(used, new)
        fold = search.fold(train, len(new))
        assert fold.shared or not search._sharing
        (path,) = fold.paths(new, ks)
        same(path, in_the_fold(search, train, new, ks))


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("q", [1, 3])
def test_limits_hold(p: float, q: int) -> None:
    rng = np.random.default_rng(3)
    X = (rng.normal(size=(80, 3)) * [1.0, 10.0, 0.1] + [0.0, 1e6, 0.0])[:, :q]
    assign, largest, rows = np.arange(1, q + 1), np.abs(X).max(axis=0), np.arange(80)
    candidates = make_candidates(X, metric(X, assign, p=p), 20)
    for _ in range(20):
        train = np.sort(rng.choice(80, 30, replace=False))
        fold = metric(X[train] * rng.choice([1.0, 3.0], q), assign, p=p)
        limits, points = candidates.limits(fold, largest, rows), fold.points(X)
        for row in range(80):
            outside = np.setdiff1d(rows, candidates.lists[row])
            distances = reference.sums(points[outside], points[row], fold)
            assert min(distances) > limits[row]
        assert (limits > 0).all()


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("times", [0.5, 1.0, 4.0])
def test_limits_lose_little_but_rounding(p: float, times: float) -> None:
    """Where one factor holds for every column, the limit is the last sum times that factor."""
    X = np.random.default_rng(4).normal(size=(80, 2))
    assign, rows = np.array([1, 2]), np.arange(80)
    candidates = make_candidates(X, metric(X, assign, p=p), 20)
    limits = candidates.limits(metric(X * times, assign, p=p), np.abs(X).max(axis=0), rows)
    np.testing.assert_allclose(limits, candidates.last / times**p, rtol=1e-6)


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0, 3.0])
def test_limits_allow_for_rounded_coordinates_in_both_metrics(p: float) -> None:
    """A coordinate may be off by 4 units of rounding of the largest, in either metric.

    Far from zero that is nearly all a limit loses: the rest is some 1e-12 of the sums.
    """
    X = np.random.default_rng(6).normal(size=(80, 2)) + np.array([1e10, 1e8])
    largest = np.abs(X).max(axis=0)
    one = metric(X, np.array([1, 2]), p=p)
    candidates = make_candidates(X, one, 20)
    limits = candidates.limits(one, largest, np.arange(80))
    off = [
        weight * (4 * np.finfo(float).eps * largest[column] / scale) ** p
        for column, scale, weight in zip(one.columns, one.scales, one.weights, strict=True)
    ]
    power = 1 / p if p >= 1 else 1.0  # distances up from p = 1, their powers below
    lost = candidates.last**power - limits**power
    np.testing.assert_allclose(lost, 2 * sum(off) ** power, rtol=1e-6)


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0, 3.0])
def test_limits_stay_below_by_some_units_of_1e_12(p: float) -> None:
    """One for the factor and, of a norm, one before and one after its root; else one for sums."""
    X = np.random.default_rng(4).normal(size=(80, 2))
    one = metric(X, np.array([1, 2]), p=p)
    candidates = make_candidates(X, one, 20)
    limits = candidates.limits(one, np.zeros(2), np.arange(80))
    units = 1 + 2 * p if p >= 1 else 2
    np.testing.assert_allclose(1 - limits / candidates.last, units * 1e-12, rtol=1e-2)


def test_no_proof_when_a_column_no_longer_counts() -> None:
    X = table(1, 60, 2, "smooth")
    candidates = make_candidates(X, metric(X, np.array([1, 2])), 20)
    constant = X.copy()
    constant[:, 1] = 1.0
    limits = candidates.limits(metric(constant, np.array([1, 2])), X.max(axis=0), np.arange(60))
    assert (limits == 0).all()


def test_short_lists_are_replaced_by_longer_ones_or_given_up() -> None:
    X = table(2, 400, 2, "smooth")
    search = FoldSearch(X, np.array([1, 2]))
    reference_metric = metric(X, search.assign)
    search._candidates = make_candidates(X, reference_metric, 6)
    train, new, ks = np.arange(200), np.arange(200, 300), np.array([4, 8])
    for _ in range(2):
        same(search.fold(train, 100).paths(new, ks)[0], in_the_fold(search, train, new, ks))
    made: Candidates | None = search._candidates
    assert made is not None
    assert made.lists.shape[1] == list_length(9, 0.5, 400, 2)
    search.review(0.5, 9, 0.5)
    assert not search.fold(train, 100).shared


def test_when_lists_pay() -> None:
    X = table(3, 100, 2, "smooth")
    rows = np.arange(100)

    def fold(search: FoldSearch, n_train: int, asked: int) -> bool:
        return search.fold(rows[:n_train], asked).shared

    once = FoldSearch(X, np.array([1, 2]))
    assert [fold(once, 80, 20) for _ in range(6)] == [False] * 5 + [True]
    assert fold(FoldSearch(X, np.array([1, 2])), 60, 20)
    assert not fold(FoldSearch(X, np.array([1, 2])), 20, 20)  # would need very long lists
    alone = FoldSearch(X, np.array([1, 2]))
    assert [fold(alone, 99, 1) for _ in range(30)].count(False) == shared.MANY


def test_all_rows_as_neighbours() -> None:
    X = table(4, 30, 2, "smooth")
    fold = FoldSearch(X, np.array([1, 2])).fold(np.arange(20), 5)
    below, all_rows = fold.paths(np.arange(20, 25), np.array([3, 19, 20]))
    assert below.ks.tolist() == [3, 19]
    assert all_rows.ks.tolist() == [20]
    assert sorted(all_rows.rows(0)[0].tolist()) == list(range(20))
    assert (all_rows.found.sums[:, 20] == 1e300).all()
    assert (all_rows.found.rows[:, 20] == 0).all()
