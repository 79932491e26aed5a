"""How much the compiled loops hold, read and write: run as plain Python, and counted."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from typing import Any
from unittest import mock

import numpy as np

from pycvstat.learners.knn.compiled import as_kknn, ranking, tree
from pycvstat.learners.knn.compiled.as_kknn import scan_as_kknn
from pycvstat.learners.knn.compiled.ranking import (
    put_smallest_first,
    rank_candidates,
    shell_sort,
    smallest,
    sort_pairs,
    thin_out,
)
from pycvstat.learners.knn.compiled.tree import (
    as_blocks,
    make_blocks,
    nearest,
    nearest_by_row,
    split_rows,
)
from pycvstat.learners.knn.distances import Metric
from pycvstat.learners.knn.shared import make_candidates


class Noted(np.ndarray[Any, Any]):
    """An array that counts what is read from it and written to it."""

    def __array_finalize__(self, source: Any) -> None:
        self.done: Counter[str] = getattr(source, "done", Counter())

    def __getitem__(self, at: Any) -> Any:
        self.done["read"] += 1
        return super().__getitem__(at)

    def __setitem__(self, at: Any, value: Any) -> None:
        self.done["written"] += 1
        super().__setitem__(at, value)


def work(loop: Any, *given: Any) -> tuple[int, int, int]:
    """How many numbers a loop holds beside what it is given, how often it reads and writes."""
    done, empty = Counter[str](), np.empty

    def noted(array: Any) -> Any:
        found = array.copy().view(Noted)
        found.done = done
        return found

    def made(*shape: Any) -> Any:
        found = noted(empty(*shape))
        done["held"] += found.size
        return found

    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(np, "empty", made))
        for module in (as_kknn, ranking, tree):
            loops = {name: one for name, one in vars(module).items() if hasattr(one, "py_func")}
            plain = {name: one.py_func for name, one in loops.items()}
            stack.enter_context(mock.patch.multiple(module, **plain))
        loop.py_func(*(noted(one) if isinstance(one, np.ndarray) else one for one in given))
    return done["held"], done["read"], done["written"]


WEIGHTS = np.array([1.0, 0.5, 2.0, 0.25, 3.0])


def points(rows: int, columns: int) -> Any:
    """Whole numbers, many of them twice."""
    rng = np.random.default_rng(rows + columns)
    return rng.integers(-9, 10, (rows, columns)) * (1.0 + np.arange(columns))


def pairs(count: int, values: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(count)
    return rng.integers(0, values, count) * 1.0, rng.permutation(count).astype(np.int32)


def test_splitting_rows() -> None:
    found = [work(split_rows, points(*size)) for size in ((1, 2), (64, 1), (65, 2), (300, 2))]
    assert found == [
        (196, 5, 7), (194, 67, 5), (269, 592, 163), (956, 6269, 1715),
    ]  # fmt: skip


def test_the_nearest_by_the_tree() -> None:
    found = [
        work(nearest, *make_blocks(points(n, q)), points(m, q) + beside, WEIGHTS[:q], p, size, team)
        for n, q, m, beside, p, size, team in (
            (300, 2, 5, 0.5, 2.0, 5, 16), (300, 2, 5, 0.5, 2.0, 5, 1),
            (200, 3, 3, 0.5, 1.0, 40, 2), (130, 4, 2, 0.5, 2.0, 131, 16),
            (200, 1, 2, 0.5, 3.0, 3, 2), (500, 5, 3, 0.5, 2.0, 9, 3),
            (300, 2, 2, 0.5, 2.0, 64, 1), (900, 5, 3, 0.5, 2.0, 1, 3),
            (300, 1, 9, 0.0, 1.0, 30, 4), (300, 1, 5, 0.0, 1.0, 20, 1),
            (300, 1, 5, 0.0, 2.0, 30, 1), (300, 1, 5, 0.0, 3.0, 30, 2),
        )
    ]  # fmt: skip
    assert found == [
        (5248, 23636, 7257), (1228, 10667, 3058), (1400, 16593, 7984), (9408, 16478, 8776),
        (1104, 7483, 1417), (1538, 19249, 6194), (978, 14457, 6906), (1484, 18202, 5052),
        (2768, 60815, 16672), (1262, 13879, 3864), (1284, 16534, 5163), (1608, 19564, 4946),
    ]  # fmt: skip


def test_the_nearest_by_row() -> None:
    found = [
        work(nearest_by_row, *make_blocks(points(n, q)), points(3, q), WEIGHTS[:q], p, 5, bounds)
        for n, q, p, bounds in (
            (300, 2, 2.0, np.array([9.0, 4.0, 18.0])), (130, 1, 1.0, np.array([1.0, 0.0, 2.0]))
        )
    ]  # fmt: skip
    assert found == [
        (1654, 5433, 2825), (1314, 3657, 1917),
    ]  # fmt: skip


def test_scans_as_kknn() -> None:
    found = [
        work(
            scan_as_kknn, as_blocks(points(n, q)[:first].copy()), first,
            *make_blocks(points(n, q)), points(3, q), WEIGHTS[:q], p, np.array(sizes),
            np.array([0, len(sizes) - 1, 0]),
        )
        for n, q, first, p, sizes in (
            (300, 2, 128, 2.0, [3, 5]), (300, 2, 70, 1.0, [4]), (90, 1, 90, 2.0, [2, 11]),
            (12, 2, 12, 2.0, [6, 12, 13]), (200, 5, 64, 2.0, [7, 20]),
        )
    ]  # fmt: skip
    assert found == [
        (1473, 10704, 5963), (1541, 12031, 6672), (195, 4787, 2924), (190, 2750, 1682),
        (1526, 33426, 17650),
    ]  # fmt: skip


def test_sorting_and_thinning_out() -> None:
    found = []
    for count, values in ((1, 9), (80, 99), (81, 99), (82, 3), (300, 9), (300, 999)):
        given = *pairs(count, values), count
        found += [work(sort_pairs, *given), work(shell_sort, *given)]
        for size in sorted({1, -(-count // 2), count - count // 9, count}):
            found += [work(thin_out, *given, size), work(put_smallest_first, *given, size)]
    assert found == [
        (128, 2, 2), (0, 0, 0), (0, 7, 2), (0, 0, 0), (128, 4840, 3146), (0, 1914, 1288),
        (0, 1753, 128), (0, 308, 128), (0, 721, 160), (0, 421, 188), (0, 641, 160), (0, 200, 84),
        (0, 1768, 104), (0, 244, 104), (128, 4677, 3038), (0, 1738, 1172), (0, 973, 162),
        (0, 293, 148), (0, 487, 162), (0, 413, 204), (0, 730, 162), (0, 299, 144), (0, 1853, 148),
        (0, 310, 148), (128, 6250, 3374), (0, 1049, 710), (0, 1905, 244), (0, 424, 244),
        (0, 2031, 292), (0, 510, 292), (0, 1894, 204), (0, 341, 204), (0, 1903, 204),
        (0, 341, 204), (128, 17120, 7710), (0, 6290, 4234), (0, 6540, 604), (0, 1135, 604),
        (0, 1801, 600), (0, 1436, 720), (0, 7368, 900), (0, 1697, 900), (0, 7335, 868),
        (0, 1631, 868), (128, 14171, 8384), (0, 9027, 6072), (0, 6411, 456), (0, 1006, 456),
        (0, 1801, 600), (0, 2075, 844), (0, 2701, 600), (0, 1549, 668), (0, 7091, 604),
        (0, 1387, 604),
    ]  # fmt: skip


def test_lists_of_candidates() -> None:
    X = points(150, 3)
    found = [work(smallest, X[:4] @ X.T, (X**2).sum(axis=1), size) for size in (3, 64, 150)]
    used, lists = np.arange(150) % 4 != 0, pairs(150, 9)[1].reshape(3, 50)
    place, limits = np.array([2, 0, 1, 1]), np.array([9.0, 99.0, 0.0, 20.0])
    for p, size in ((1.0, 5), (2.0, 9), (3.0, 50)):
        given = X, used, lists, place, X[:4], WEIGHTS[:3], p, limits, size
        found.append(work(rank_candidates, *given))
    assert found == [
        (342, 6013, 2160), (724, 16196, 4362), (1260, 19199, 3724), (112, 3336, 779),
        (120, 3896, 1157), (202, 7384, 3459),
    ]  # fmt: skip


def test_rows_are_put_on_the_scale_and_searched_in_portions() -> None:
    one = Metric(np.arange(1), np.ones(1), np.ones(1), 2.0)
    reads = []
    for rows in (16384, 16385):
        X = np.zeros((rows, 1)).view(Noted)
        one.points(X)
        reads.append(X.done["read"])
    assert reads == [2, 4]
    with mock.patch.object(tree, "nearest", wraps=nearest) as searched:
        counts = []
        for rows in (4096, 4097):
            make_candidates(np.arange(float(rows))[:, None], one, 1)
            counts.append(searched.call_count)
    assert counts == [1, 3]
