"""The compiled loops, each against what it does written out with NumPy or plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pycvstat.learners.knn.compiled import WIDTH
from pycvstat.learners.knn.compiled.as_kknn import (
    beta_densities,
    cosines,
    normal_densities,
    roots,
    scan_as_kknn,
)
from pycvstat.learners.knn.compiled.ranking import (
    put_smallest_first,
    rank_candidates,
    smallest,
    sort_pairs,
    thin_out,
)
from pycvstat.learners.knn.compiled.tree import (
    as_blocks,
    collect,
    make_blocks,
    nearest,
    nearest_by_row,
)
from pycvstat.learners.knn.distances import Metric
from tests.learners.knn import reference

KINDS = ("smooth", "ties", "rising", "falling", "one value")
WEIGHTS = np.array([1.0, 0.5, 2.0, 0.25, 3.0])


def numbers(kind: str, count: int) -> Any:
    rng = np.random.default_rng(count)
    return {
        "smooth": rng.normal(size=count),
        "ties": rng.integers(0, 6, count).astype(float),
        "rising": np.arange(count) / 7,
        "falling": -np.arange(count) / 7,
        "one value": np.full(count, 0.1),
    }[kind]


def shuffled(count: int) -> Any:
    return np.random.default_rng(count + 1).permutation(count).astype(np.int32)


def points(rows: int, columns: int) -> Any:
    """Rows with ties, the columns of unequal spread."""
    rng = np.random.default_rng(rows + columns)
    return rng.integers(-9, 10, (rows, columns)) * 0.1 * (1.0 + np.arange(columns))


def metric(columns: int, p: float) -> Metric:
    return Metric(np.arange(columns), np.ones(columns), WEIGHTS[:columns], p)


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_are_sorted_equal_values_by_row(kind: str) -> None:
    for count in (1, 2, 3, 40, 80, 81, 82, 83, 165, 400):
        values, rows = numbers(kind, count + 2), shuffled(count + 2)
        expected = sorted(zip(values[:count], rows[:count], strict=True))
        beyond = values[count:].tolist(), rows[count:].tolist()
        sort_pairs(values, rows, count)
        assert list(zip(values[:count], rows[:count], strict=True)) == expected
        assert (values[count:].tolist(), rows[count:].tolist()) == beyond


@pytest.mark.parametrize("kind", KINDS)
def test_the_smallest_come_first_with_their_rows(kind: str) -> None:
    for count in (1, 2, 5, 33, 64):
        for size in {1, 2, count // 2, count - 1, count} & set(range(1, count + 1)):
            values, rows = numbers(kind, count), shuffled(count)
            of_row = dict(zip(rows.tolist(), values.tolist(), strict=True))
            least = np.sort(values)
            put_smallest_first(values, rows, count, size)
            assert np.sort(values[:size]).tolist() == least[:size].tolist()
            assert sorted(rows.tolist()) == list(range(count))
            assert [of_row[row] for row in rows.tolist()] == values.tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 7, 8, 9, 30, 99, 100])
def test_few_more_than_wanted_are_left(kind: str, size: int) -> None:
    """All up to a bound; an eighth more than wanted, or where ties do not allow that, as many."""
    values, rows = numbers(kind, 100), shuffled(100)
    of_row, whole = dict(zip(rows.tolist(), values.tolist(), strict=True)), np.sort(values)
    left, bound = thin_out(values, rows, 100, size)
    assert size <= left <= size + size // 8
    assert np.sort(values[:left]).tolist() == whole[:left].tolist()
    assert [of_row[row] for row in rows[:left].tolist()] == values[:left].tolist()
    assert whole[left - 1] <= bound
    assert left == size or left == (whole <= bound).sum()
    if kind == "smooth":
        assert left == (whole <= bound).sum()
        assert size == 100 or bound not in whole  # halving has found it, nothing was sorted


@pytest.mark.parametrize("kind", KINDS)
def test_smallest_products(kind: str) -> None:
    for count, size in ((3, 2), (WIDTH, 9), (WIDTH + 1, 9), (700, 9), (700, 300), (700, 700)):
        norms = numbers(kind, count) ** 2
        products = np.vstack([numbers(kind, count), np.zeros(count), norms[::-1]])
        lists, last = smallest(products, norms, size)
        values = norms - 2.0 * products
        for found, row, most in zip(lists, values, last, strict=True):
            assert len(set(found.tolist())) == size
            assert np.sort(row[found]).tolist() == np.sort(row)[:size].tolist()
            assert most == np.sort(row)[size - 1]


@pytest.mark.parametrize("n", [1, WIDTH, WIDTH + 1, 2 * WIDTH, 3 * WIDTH + 5, 700])
def test_blocks_hold_the_rows_and_boxes_hold_the_blocks(n: int) -> None:
    X = points(n, 3)
    order, low, high, blocks = make_blocks(X.copy())
    count = -(-n // WIDTH)
    assert sorted(order.tolist()) == list(range(n))
    assert blocks.shape == (count, 3, WIDTH)
    inside = blocks.transpose(0, 2, 1).reshape(-1, 3)
    assert inside[:n].tolist() == X[order].tolist()
    assert np.isinf(inside[n:]).all()

    def check(node: int, first: int, last: int) -> None:
        rows = X[order[first * WIDTH : last * WIDTH]]
        assert low[node].tolist() == rows.min(axis=0).tolist()
        assert high[node].tolist() == rows.max(axis=0).tolist()
        if last - first > 1:
            middle = first + (last - first + 1) // 2
            widest = int(np.argmax(np.ptp(rows, axis=0)))
            left = rows[: (middle - first) * WIDTH, widest]
            assert left.max() <= rows[(middle - first) * WIDTH :, widest].min()
            check(node + 1, first, middle)
            check(node + 2 * (middle - first), middle, last)

    check(0, 0, count)
    assert len(low) == len(high) == 2 * count - 1


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("columns", [1, 3, 4, 5])
def test_the_tree_finds_the_nearest(p: float, columns: int) -> None:
    X, new, one = points(300, columns), points(20, columns) + 0.05, metric(columns, p)
    tree, sums = make_blocks(X.copy()), [reference.sums(X, row, one) for row in new]
    for size, team in ((1, 16), (9, 1), (9, 3), (64, 16), (150, 7), (300, 16)):
        found, rows = nearest(*tree, new, one.weights, p, size, team)
        for j in range(len(new)):
            expected = reference.by_row(sums[j], size)
            assert found[j].tolist() == [value for value, _ in expected]
            nearer = [row for value, row in expected if value < found[j, -1]]
            assert rows[j, : len(nearer)].tolist() == nearer
            assert [sums[j][row] for row in rows[j]] == found[j].tolist()
    found, rows = nearest(*tree, new, one.weights, p, 302, 16)
    assert np.isinf(found[:, 300:]).all()
    assert (rows[:, 300:] == -1).all()
    bounds = np.array([sorted(values)[11] for values in sums])
    found, rows = nearest_by_row(*tree, new, one.weights, p, 12, bounds)
    for j in range(len(new)):
        assert list(zip(found[j], rows[j], strict=True)) == reference.by_row(sums[j], 12)


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("columns", [1, 3, 4, 5])
def test_all_within_a_bound_are_collected(p: float, columns: int) -> None:
    """Those at the bound, too; blocks are compared whose box is no farther."""
    X, new, one = points(300, columns), points(9, columns) + 0.05, metric(columns, p)
    order, low, high, blocks = make_blocks(X.copy())
    values, rows = np.empty(300), np.empty(300, np.int32)
    for j in range(len(new)):
        sums = np.array(reference.sums(X, new[j], one))
        for bound, start in ((np.sort(sums)[20], 0), (np.sort(sums)[150], 40), (-1.0, 0)):
            count, compared = collect(
                order, low, high, blocks, new, j, one.weights, p, bound, start, np.empty(WIDTH),
                values, rows,
            )  # fmt: skip
            within = np.flatnonzero((sums <= bound) & (np.arange(300) >= start))
            assert sorted(rows[:count].tolist()) == within.tolist()
            assert values[:count].tolist() == sums[rows[:count]].tolist()
            near = np.clip(new[j], low, high)
            gaps = [reference.sums(box[None], new[j], one)[0] for box in near]
            gaps = np.array(gaps) * ((1 - 1e-12) if p in (0.5, 3.0) else 1.0)
            assert compared == (gaps[leaves(len(blocks))] <= bound).sum()


def leaves(count: int) -> list[int]:
    """The nodes of single blocks, in preorder."""
    if count == 1:
        return [0]
    left = (count + 1) // 2
    return [1 + node for node in leaves(left)] + [2 * left + node for node in leaves(count - left)]


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
@pytest.mark.parametrize(
    ("n", "first_rows"), [(300, WIDTH), (300, 150), (300, 299), (300, 300), (35, 35), (8, 8)]
)
def test_scans_compare_the_head_and_blocks_of_the_tree_within_reach(
    p: float, n: int, first_rows: int
) -> None:
    X, new, one = points(n, 1), points(7, 1), metric(1, p)
    tree = make_blocks(X.copy())
    head, sizes = as_blocks(X[:first_rows].copy()), np.array([3, 7, 20])[: 2 if n < 20 else 3]
    for place in (0, len(sizes) - 1):
        firsts = np.full(7, place)
        sums, rows, work = scan_as_kknn(head, first_rows, *tree, new, one.weights, p, sizes, firsts)
        for j in range(7):
            distances = reference.sums(X, new[j], one)
            for s, size in list(enumerate(sizes))[place:]:
                expected = reference.scan(distances, int(size), p == 2.0)
                assert rows[j, s, :size].tolist() == [row for _, row in expected]
            assert sums[j].tolist() == [value for value, _ in expected]
        compared = work - 7 * len(head)
        assert compared == 0 if first_rows == n else 0 < compared < 7 * 5


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("columns", [1, 3])
def test_candidates_are_ranked_and_proved(p: float, columns: int) -> None:
    X, new, one = points(40, columns), points(6, columns), metric(columns, p)
    rng = np.random.default_rng(3)
    lists = np.array([rng.permutation(40)[:15] for _ in range(4)], dtype=np.int32)
    used, place = np.arange(40) % 4 != 0, np.array([3, 0, 1, 1, 2, 0])
    sums = np.array([reference.sums(X, row, one) for row in new])
    expected = [
        sorted((total[row], row) for row in lists[at].tolist() if used[row])
        for total, at in zip(sums, place, strict=True)
    ]
    least = min(len(pairs) for pairs in expected)
    for size in (1, 5, least, 15):
        last = np.array([pairs[min(size, len(pairs)) - 1][0] for pairs in expected])
        for limits in (last, np.nextafter(last, np.inf)):
            found, rows, complete = rank_candidates(
                X, used, lists, place, new, one.weights, p, limits, size
            )
            for j, pairs in enumerate(expected):
                kept = min(size, len(pairs))
                assert list(zip(found[j], rows[j], strict=True))[:kept] == pairs[:kept]
                assert np.isinf(found[j, kept:]).all()
                assert (rows[j, kept:] == -1).all()
                assert complete[j] == (len(pairs) >= size and limits[j] > last[j])


def test_kernels() -> None:
    """In closed form; the compiled ones go by way of the deviance of a binomial, as R does."""
    values = np.concatenate([np.linspace(1e-6, 1 - 1e-6, 301), 0.5 + np.geomspace(1e-16, 0.4, 80)])
    p, few = values[None], 4e-14  # the digits that a logarithm of 1e-12 leaves
    np.testing.assert_allclose(beta_densities(p, 3), 30 * (p * (1 - p)) ** 2, rtol=few)
    np.testing.assert_allclose(beta_densities(p, 4), 140 * (p * (1 - p)) ** 3, rtol=few)
    normal = np.exp(-(p**2) / 2) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(normal_densities(p), normal, rtol=1e-15)
    np.testing.assert_allclose(cosines(p), np.cos(p), rtol=1e-15)
    np.testing.assert_allclose(roots(p, 3.0), np.cbrt(p), rtol=1e-15)
