"""Lists of candidates: ranked with a proof, and made from inner products."""

from __future__ import annotations

import math

import numpy as np

from pycvstat.neighbours.compiled import loop
from pycvstat.neighbours.compiled.sorting import put_smallest_first


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
    m, q = new.shape
    all_sums = np.full((m, size), np.inf)
    all_rows = np.full((m, size), -1, np.int32)
    complete = np.zeros(m, np.bool_)
    values, rows = np.empty(size + 1), np.empty(size + 1, np.int32)
    for j in range(m):
        count = 0
        for k in range(lists.shape[1]):
            row = lists[place[j], k]
            if not used[row]:
                continue
            total = 0.0
            for c in range(q):
                d = points[row, c] - new[j, c]
                if p == 2.0:
                    total += d * d * weights[c]
                elif p == 1.0:
                    total += abs(d) * weights[c]
                else:
                    total += math.pow(abs(d), p) * weights[c]
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
        all_sums[j, :count], all_rows[j, :count] = values[:count], rows[:count]
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
    lists = np.empty((m, size), np.int32)
    last = np.empty(m)
    width = 64
    room = size + 4 * width
    values, rows = np.empty(room), np.empty(room, np.int32)
    part = np.empty(width)
    for j in range(m):
        bound, count = np.inf, 0
        for start in range(0, n, width):
            stop = min(width, n - start)
            within = 0
            for i in range(stop):
                part[i] = norms[start + i] - 2.0 * products[j, start + i]
                within += part[i] <= bound
            if within == 0:
                continue
            for i in range(stop):
                values[count], rows[count] = part[i], start + i
                count += part[i] <= bound
            if count > room - width:
                put_smallest_first(values, rows, count, size)
                bound, count = values[:size].max(), size
        put_smallest_first(values, rows, count, size)
        last[j] = values[:size].max()
        lists[j] = rows[:size]
    return lists, last
