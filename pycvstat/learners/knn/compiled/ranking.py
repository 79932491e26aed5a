"""Lists of candidates: ranked with a proof, and made from inner products."""

from __future__ import annotations

import math

import numpy as np

from pycvstat.learners.knn.compiled import WIDTH, inlined, loop, u
from pycvstat.rmath.loops import int64, largest, put


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
        allowed = int64(0)
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
        put(lists[j], rows[:size])
        last[j] = largest(values[:size])
    return lists, last


@loop
def put_smallest_first(values, rows, count, size):  # type: ignore[no-untyped-def]
    """Move the `size` smallest of the first `count` values to the front, with their rows."""
    low, high, place = 0, count - 1, size - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                rows[i], rows[j] = rows[j], rows[i]
                i += 1
                j -= 1
        if place <= j:
            high = j
        elif place >= i:
            low = i
        else:
            return


@loop
def thin_out(values, rows, count, size):  # type: ignore[no-untyped-def]
    """Drop values that are too large to be among the `size` smallest, with their rows.

    Looks for a bound that leaves few more than `size` by halving, which needs no branches, and
    otherwise partially sorts.

    Returns
    -------
    count, bound
        How many are left, at least `size`; none of them is larger than the bound.
    """
    low = high = values[0]
    for i in range(count):
        low, high = min(low, values[i]), max(high, values[i])
    for _ in range(16):
        bound = 0.5 * (low + high)
        within = 0
        for i in range(count):
            within += values[i] <= bound
        if within < size:
            low = bound
        elif within > size + size // 8:
            high = bound
        else:
            kept = 0
            for i in range(count):
                values[kept], rows[kept] = values[i], rows[i]
                kept += values[i] <= bound
            return kept, bound
    put_smallest_first(values, rows, count, size)
    return size, largest(values[:size])


@loop
def sort_pairs(values, rows, count):  # type: ignore[no-untyped-def]
    """Sort the first `count` values, rows along with them; equal values by row."""
    stack = np.empty((64, 2), np.int64)  # no recursion: numba cannot load it from its cache
    stack[0, 0], stack[0, 1] = 0, count - 1
    waiting = 1
    while waiting > 0:
        waiting -= 1
        low, high = stack[waiting, 0], stack[waiting, 1]
        while high - low > 80:
            middle = (low + high) // 2
            pivot, pivot_row = values[middle], rows[middle]
            i, j = low, high
            while i <= j:
                while values[i] < pivot or (values[i] == pivot and rows[i] < pivot_row):
                    i += 1
                while values[j] > pivot or (values[j] == pivot and rows[j] > pivot_row):
                    j -= 1
                if i <= j:
                    values[i], values[j] = values[j], values[i]
                    rows[i], rows[j] = rows[j], rows[i]
                    i += 1
                    j -= 1
            if j - low < high - i:  # the longer part waits: the stack stays short
                stack[waiting, 0], stack[waiting, 1] = i, high
                high = j
            else:
                stack[waiting, 0], stack[waiting, 1] = low, j
                low = i
            waiting += 1
    for i in range(1, count):
        value, row, j = values[i], rows[i], i
        while j > 0 and (values[j - 1] > value or (values[j - 1] == value and rows[j - 1] > row)):
            values[j], rows[j] = values[j - 1], rows[j - 1]
            j -= 1
        values[j], rows[j] = value, row


@loop
def shell_sort(values, rows, count):  # type: ignore[no-untyped-def]
    """Shell's sort with the gaps 1, 4, 13, 40, ...: unstable, and so are the ties of kknn.

    As in R: ``rsort_with_index`` of R's C interface.
    """
    step = 1
    while step <= count // 9:
        step = 3 * step + 1
    while step > 0:
        for i in range(step, count):
            value, row, j = values[i], rows[i], i
            while j >= step and values[j - step] > value:
                values[j], rows[j] = values[j - step], rows[j - step]
                j -= step
            values[j], rows[j] = value, row
        step //= 3
