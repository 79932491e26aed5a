"""Lists of candidates: ranked with a proof, and made from inner products."""

from __future__ import annotations

import math

import numpy as np

from pycvstat.learners.knn.compiled import inlined, loop
from pycvstat.learners.knn.compiled.blocks import WIDTH, u
from pycvstat.learners.knn.compiled.sorting import put_smallest_first, thin_out


@inlined
def sums_to(points, near, count, new, j, weights, p, sums):  # type: ignore[no-untyped-def]
    """Sums from new row `j` to the first `count` of the rows `near` of `points`."""
    for k in range(count):
        row, total = near[k], 0.0
        if p == 2.0:
            for c in range(weights.size):
                d = points[row, c] - new[j, c]
                total += d * d * weights[c]
        elif p == 1.0:
            for c in range(weights.size):
                total += abs(points[row, c] - new[j, c]) * weights[c]
        else:
            for c in range(weights.size):
                total += math.pow(abs(points[row, c] - new[j, c]), p) * weights[c]
        sums[k] = total


@loop
def rank_candidates(points, used, lists, place, new, weights, p, limits, size):  # type: ignore[no-untyped-def]
    """The `size` nearest candidates of every new row, and whether they are complete.

    Parameters
    ----------
    points : (N, q) rows to choose from, on the scale of the metric
    used : (N,) bool, whether a row may be chosen
    lists : (M, c) int32, candidate rows
    place : (m,) which list belongs to each new row
    new : (m, q)
    limits : (m,) every row outside the list has a larger sum than this
    size : int

    Returns
    -------
    sums (m, size), rows (m, size) int32, complete (m,) bool
        Complete: they are the nearest of all. Equal sums are in row order, at the last place too.
    """
    m, longest = new.shape[0], lists.shape[1]
    all_sums = np.full((m, size), np.inf)
    all_rows = np.full((m, size), -1, np.int32)
    complete = np.zeros(m, np.bool_)
    near, sums = np.empty(longest, np.int32), np.empty(longest)
    values, rows = np.empty(size + 1), np.empty(size + 1, np.int32)
    for j in range(m):
        allowed = 0
        for k in range(longest):
            near[allowed] = lists[place[j], k]
            allowed += used[near[allowed]]
        sums_to(points, near, allowed, new, j, weights, p, sums)
        count = 0
        for k in range(allowed):
            total, row = sums[k], near[k]
            if count == size and total > values[size - 1]:
                continue
            at = count
            while at > 0 and (
                values[at - 1] > total or (values[at - 1] == total and rows[at - 1] > row)
            ):
                values[at], rows[at] = values[at - 1], rows[at - 1]
                at -= 1
            values[at], rows[at] = total, row
            count = min(count + 1, size)
        complete[j] = count == size and values[size - 1] < limits[j]
        for k in range(count):
            all_sums[j, k], all_rows[j, k] = values[k], rows[k]
    return all_sums, all_rows, complete


@loop
def smallest(products, norms, size):  # type: ignore[no-untyped-def]
    """The `size` smallest ``norms - 2 * products`` of every row, and the largest of them.

    Parameters
    ----------
    products : (m, n)
    norms : (n,)

    Returns
    -------
    lists (m, size) int32, last (m,)
    """
    m, n = products.shape
    flat = products.ravel()
    lists = np.empty((m, size), np.int32)
    last = np.empty(m)
    room = size + size // 8 + 2 * WIDTH
    values, rows = np.empty(room), np.empty(room, np.int32)
    part = np.empty(WIDTH)
    for j in range(m):
        bound, count = np.inf, 0
        for start in range(0, n, WIDTH):
            first, width = u(start), u(min(WIDTH, n - start))
            base = u(j) * u(n) + first
            within = 0
            for i in range(width):
                part[i] = norms[first + i] - 2.0 * flat[base + i]
                within += part[i] <= bound
            if within == 0:
                continue
            for i in range(width):
                values[count], rows[count] = part[i], start + i
                count += part[i] <= bound
            if count > room - WIDTH or (bound == np.inf and count >= size):
                count, bound = thin_out(values, rows, count, size)
        put_smallest_first(values, rows, count, size)
        lists[j], last[j] = rows[:size], values[:size].max()
    return lists, last
