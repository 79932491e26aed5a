"""Tree, products and scan against the search written out, with ties and without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pycvstat.errors import PycvstatWarning
from pycvstat.learners.knn import distances, search
from pycvstat.learners.knn.compiled import as_kknn
from pycvstat.learners.knn.compiled.ranking import shell_sort
from pycvstat.learners.knn.compiled.tree import gap
from pycvstat.learners.knn.distances import Metric, metric
from pycvstat.learners.knn.search import Found, Index, Ties
from tests.learners.knn import reference

POWERS = (0.5, 1.0, 1.5, 2.0, 2.0, 3.0)


def table(seed: int, n: int, q: int, kind: str) -> Any:
    rng = np.random.default_rng(seed)
    X = {
        "smooth": rng.normal(size=(n, q)) + 100,
        "integers": rng.integers(0, 4, (n, q)).astype(float),
        "tenths": rng.integers(-3, 4, (n, q)) * 0.1,
        "copies": rng.normal(size=(n, q))[np.arange(n) // 3],
        "one value": np.full((n, q), 0.1),
    }[kind]
    return X


def index(X: Any, p: float, ties: Ties = "kknn") -> Index:
    m = metric(X, np.arange(1, X.shape[1] + 1), p=p)
    return Index(X, m, ties)


def expected(one: Index, new: Any, size: int) -> tuple[Any, Any]:
    pairs = []
    points = one.points()
    for row in one.metric.points(new):
        distances = reference.sums(points, row, one.metric)
        if one.ties == "row":
            pairs.append(reference.by_row(distances, size))
        else:
            pairs.append(reference.scan(distances, size, one.metric.p == 2))
    return np.array([[d for d, _ in p] for p in pairs]), np.array(
        [[r for _, r in p] for p in pairs]
    )


def check(found: Found, sums: Any, rows: Any, last: bool) -> None:
    np.testing.assert_array_equal(found.sums, sums)
    used = slice(None) if last else slice(-1)  # which row is the last one is left open
    np.testing.assert_array_equal(found.rows[:, used], rows[:, used])


kinds = st.sampled_from(["smooth", "integers", "tenths", "copies", "one value"])


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 90), st.integers(1, 5), kinds,
       st.sampled_from(POWERS), st.data())  # fmt: skip
def test_find(seed: int, n: int, q: int, kind: str, p: float, data: st.DataObject) -> None:
    X = table(seed, n, q, kind)
    size = data.draw(st.sampled_from(sorted({2, 3, min(8, n), max(2, n // 2), n, n + 1})))
    one, new = index(X, p), table(seed + 1, 40, q, kind)
    check(one.find(new, size), *expected(one, new, size), last=size > n)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(4, 90), st.integers(1, 4), kinds, st.sampled_from(POWERS))
def test_every_k_of_a_path(seed: int, n: int, q: int, kind: str, p: float) -> None:
    one = index(table(seed, n, q, kind), p)
    new = table(seed + 1, 35, q, kind)
    ks = np.unique(np.random.default_rng(seed).integers(1, n, 4))
    path = one.find_path(new, ks)
    for place, k in enumerate(ks):
        sums, rows = expected(one, new, int(k) + 1)
        np.testing.assert_array_equal(path.found.sums[:, : k + 1], sums)
        np.testing.assert_array_equal(path.rows(place), rows[:, :k])


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 90), st.integers(1, 4), kinds, st.sampled_from(POWERS))
def test_lowest_row_first(seed: int, n: int, q: int, kind: str, p: float) -> None:
    one = index(table(seed, n, q, kind), p, ties="row")
    new = table(seed + 1, 35, q, kind)
    size = min(n, 7)
    check(one.find(new, size), *expected(one, new, size), last=False)


@pytest.mark.parametrize("kind", ["smooth", "integers", "tenths", "copies"])
@pytest.mark.parametrize("p", [0.5, 1.0, 2.0])
def test_rows_after_the_head_come_from_the_tree(
    kind: str, p: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "HEAD", 64)
    one = index(table(1, 700, 3, kind), p)
    new = table(2, 50, 3, kind)
    assert one._head(50, 6)[1] < 350
    sums, rows = expected(one, new, 6)
    scanned_sums, scanned_rows = one.scan(new, np.array([3, 6]))
    np.testing.assert_array_equal(scanned_sums, sums)
    np.testing.assert_array_equal(scanned_rows[:, 1], rows)
    np.testing.assert_array_equal(scanned_rows[:, 0, :3], expected(one, new, 3)[1])


@pytest.mark.parametrize("kind", ["smooth", "integers", "copies"])
def test_many_columns_go_by_inner_products(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one = index(table(3, 300, 20, kind), 2.0)
    new = table(4, 60, 20, kind)
    fast, _, complete = distances.by_products(one.points(), one.metric, one.metric.points(new), 5)
    assert complete.mean() > 0.9 or kind == "copies"
    sums, rows = expected(one, new, 5)
    np.testing.assert_array_equal(fast[complete], sums[complete])
    check(one.find(new, 5), sums, rows, last=False)
    monkeypatch.setattr(distances, "TILE", 1)  # one new row at a time
    check(one.find(new, 5), sums, rows, last=False)
    monkeypatch.setattr(search, "WIDE", 99)
    check(one.find(new, 5), sums, rows, last=False)


def test_inner_products_serve_euclidean_distances_alone() -> None:
    one, new = index(table(3, 200, 17, "smooth"), 3.0), table(4, 40, 17, "smooth")
    check(one.find(new, 5), *expected(one, new, 5), last=False)


def test_products_far_from_zero_prove_nothing_wrong() -> None:
    X = 1e7 + np.random.default_rng(5).normal(size=(200, 18)) * 1e-3
    m = Metric(np.arange(18), np.ones(18), np.ones(18), 2.0)
    one, new = Index(X, m), X[:50] + 1e-4
    check(one.find(new, 4), *expected(one, new, 4), last=False)


def test_products_that_rounding_has_spoilt_prove_nothing() -> None:
    rng = np.random.default_rng(12)
    X = rng.normal(size=(300, 18)) * 1e-7  # an inner product cannot tell these rows apart ...
    X[:3] += 1e4  # ... once the centre is far from them
    m = Metric(np.arange(18), np.ones(18), np.ones(18), 2.0)
    one = Index(X, m)
    fast, _, complete = distances.by_products(X, m, X[3:80], 5)
    sums, _ = expected(one, X[3:80], 5)
    wrong = (fast != sums).any(axis=1)
    assert wrong.mean() > 0.5
    assert not (wrong & complete).any()
    check(one.find(X[3:80], 5), *expected(one, X[3:80], 5), last=False)


def test_the_unstable_sort_at_every_length() -> None:
    rng = np.random.default_rng(11)
    for count in range(1, 140):  # new gaps come in at 9, 36 and 117
        values = rng.integers(0, 6, count).astype(float)
        pairs = [(float(value), row) for row, value in enumerate(values)]
        reference.shell_sort(pairs, count)
        rows = np.arange(count, dtype=np.int32)
        shell_sort(values, rows, count)
        assert rows.tolist() == [row for _, row in pairs], count


def test_order_of_new_rows_does_not_matter() -> None:
    one = index(table(6, 400, 3, "tenths"), 2.0)
    new = table(7, 300, 3, "tenths")
    turned = np.random.default_rng(8).permutation(300)
    np.testing.assert_array_equal(one.find(new, 9).rows[turned], one.find(new[turned], 9).rows)


def test_overflowing_distances_are_kknns() -> None:
    X = np.array([[0.0], [1e200], [1.0], [2.0]])
    one = Index(X, Metric(np.array([0]), np.ones(1), np.ones(1), 2.0))
    check(one.find(X, 4), *expected(one, X, 4), last=True)


def test_no_columns_that_count() -> None:
    X = np.full((30, 2), 3.0)
    one = index(X, 2.0)
    assert one.metric.weights.tolist() == [0.0]
    check(one.find(one.X[:2], 4), *expected(one, one.X[:2], 4), last=False)


def test_cost_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "COSTLY", 1e4)
    one = index(table(9, 500, 3, "integers"), 2.0)
    new = table(10, 60, 3, "integers")
    with pytest.warns(PycvstatWarning, match=r"ties='row'"):
        one.find(new, 5)
    Index(one.X, one.metric, ties="row").find(new, 5)  # has no such cost


@pytest.mark.parametrize(
    ("new", "columns", "p", "n", "size", "way"),
    [
        (32, 16, 2.0, 200, 5, "scan"), (33, 16, 2.0, 200, 5, "by_products"),
        (33, 15, 2.0, 200, 5, "_walk"), (33, 16, 3.0, 200, 5, "_walk"),
        (33, 16, 2.0, 21, 5, "by_products"), (33, 16, 2.0, 20, 5, "_walk"),
    ],
)  # fmt: skip
def test_the_way_that_is_quickest_is_taken(
    new: int, columns: int, p: float, n: int, size: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []
    for place, name in ((Index, "scan"), (Index, "_walk"), (search, "by_products")):
        known = getattr(place, name)

        def noted(*given: Any, name: str = name, known: Any = known) -> Any:
            taken.append(name)
            return known(*given)

        monkeypatch.setattr(place, name, noted)
    index(table(1, n, columns, "smooth"), p).quickly(table(2, new, columns, "smooth"), size)
    assert taken == [way]


@pytest.mark.parametrize(
    ("m", "size", "n", "rows"),
    [
        (33, 5, 9000, 2048), (32, 5, 9000, 9000), (33, 300, 9000, 2400), (33, 256, 9000, 2048),
        (33, 257, 9000, 2056), (33, 5, 4096, 2048), (33, 5, 4095, 4095), (33, 100, 10**5, 3162),
    ],
)  # fmt: skip
def test_how_many_rows_a_scan_goes_through_before_the_tree_is_asked(
    m: int, size: int, n: int, rows: int
) -> None:
    one = Index(np.arange(float(n))[:, None], Metric(np.arange(1), np.ones(1), np.ones(1), 2.0))
    head, found = one._head(m, size)
    assert found == rows
    assert head.shape == (-(-rows // 64), 1, 64)


def test_256_rows_are_scanned_before_the_cost_of_the_others_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scanned, said = [], []
    known = as_kknn.scan_as_kknn

    def noted(*given: Any) -> Any:
        scanned.append(len(given[6]))
        return known(*given)

    monkeypatch.setattr(as_kknn, "scan_as_kknn", noted)
    monkeypatch.setattr(search, "_name_the_cost", lambda blocks, columns: said.append(blocks))
    new = np.arange(300.0)[:, None] / 7
    index(np.arange(130.0)[:, None], 2.0).scan(new, np.array([3]))
    assert scanned == [256, 44]
    assert said == [3 * 300, 3 * 300]  # blocks of 64 rows, of all new rows


@pytest.mark.parametrize("ties", ["kknn", "row"])
def test_one_training_row_is_the_neighbour_of_all(ties: Ties) -> None:
    X = np.array([[2.0]])
    one = Index(X, Metric(np.arange(1), np.ones(1), np.ones(1), 2.0), ties)
    found = one.find(np.array([[5.0], [2.0]]), 2)
    assert found.rows[:, 0].tolist() == [0, 0]
    assert found.sums[:, 0].tolist() == [9.0, 0.0]


@pytest.mark.parametrize("p", sorted(set(POWERS)))
def test_boxes_are_no_farther_than_rows(p: float) -> None:
    """A box of one row is as far as the row; where `pow` may round either way, a little nearer."""
    rng = np.random.default_rng(11)
    rows, new, weights = (
        rng.normal(size=(50, 3)),
        rng.normal(size=(1, 3)),
        np.array([1.0, 2.0, 0.5]),
    )
    one = Metric(np.arange(3), np.ones(3), weights, p)
    sums = reference.sums(rows, new[0], one)
    gaps = np.array([gap(rows, rows, node, new, 0, weights, p) for node in range(len(rows))])
    assert gaps.tolist() == (np.array(sums) * (1.0 if p in (1.0, 2.0) else 1.0 - 1e-12)).tolist()


def test_ties_are_scanned_from_the_first_size_that_they_concern() -> None:
    sums = np.array([[0, 1, 2, 3], [0, 0, 2, 3], [0, 1, 2, 2], [0, 1, 1, 3], [0, 1, 2, 3.0]])
    asked: list[list[int]] = []

    def scan(left: Any, firsts: Any) -> Any:
        asked.extend([left.tolist(), firsts.tolist()])
        return sums[left], np.zeros((len(left), 2, 4), dtype=np.int64)

    found = Found(sums, np.zeros((5, 4), dtype=np.int64))
    search.settle_ties(found, np.arange(5) < 4, np.array([1, 3]), scan)
    assert asked == [[1, 2, 3, 4], [0, 1, 1, 0]]
