"""Walks through the tree: the nearest rows, and all rows within a bound."""

from __future__ import annotations

import numpy as np

from pycvstat.learners.knn.compiled import UNREACHED, loop
from pycvstat.learners.knn.compiled.blocks import WIDTH, block_sums, gap
from pycvstat.learners.knn.compiled.sorting import sort_pairs, thin_out


@loop
def nearest(order, low, high, blocks, new, weights, p, size, team):  # type: ignore[no-untyped-def]
    """The `size` smallest sums of every new row, ascending, and their rows.

    Equal sums are in row order, but which of those at the last place are kept is arbitrary.
    Places without a row hold inf and -1. `team` consecutive new rows walk the tree together,
    so that a block is read from memory once for all of them.
    """
    n, m = order.size, new.shape[0]
    flat = blocks.ravel()
    all_sums = np.full((m, size), np.inf)
    all_rows = np.full((m, size), -1, np.int32)
    room = size + size // 8 + 2 * WIDTH
    values = np.empty((team, room))
    rows = np.empty((team, room), np.int32)
    counts = np.empty(team, np.int64)
    bounds = np.empty(team)
    sums = np.empty(WIDTH)
    stack = np.empty((64, 3), np.int64)
    gaps = np.empty(64)
    for start in range(0, m, team):
        members = min(team, m - start)
        counts[:], bounds[:] = 0, UNREACHED
        stack[0, 0], stack[0, 1], stack[0, 2] = 0, 0, blocks.shape[0]
        gaps[0], waiting = 0.0, 1
        while waiting > 0:
            waiting -= 1
            if gaps[waiting] > bounds[:members].max():
                continue
            node, first, last = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
            if last - first > 1:
                middle = first + (last - first + 1) // 2
                left, right = node + 1, node + 2 * (middle - first)
                to_left = to_right = np.inf
                for t in range(members):
                    one = gap(low, high, left, new, start + t, weights, p)
                    two = gap(low, high, right, new, start + t, weights, p)
                    if one <= bounds[t]:
                        to_left = min(to_left, one)
                    if two <= bounds[t]:
                        to_right = min(to_right, two)
                nearer = waiting + 1 if to_left <= to_right else waiting
                farther = 2 * waiting + 1 - nearer
                stack[nearer, 0], stack[nearer, 1], stack[nearer, 2] = left, first, middle
                stack[farther, 0], stack[farther, 1], stack[farther, 2] = right, middle, last
                gaps[nearer], gaps[farther] = to_left, to_right
                waiting += 2
                continue
            filled = min(WIDTH, n - first * WIDTH)
            for t in range(members):
                j, bound, count = start + t, bounds[t], counts[t]
                if members > 1 and gap(low, high, node, new, j, weights, p) > bound:
                    continue
                if block_sums(flat, first, new, j, weights, p, bound, sums) == 0:
                    continue
                for i in range(filled):
                    values[t, count], rows[t, count] = sums[i], order[first * WIDTH + i]
                    count += sums[i] <= bound  # no branch: it could not be predicted
                if count > room - WIDTH or (bound == UNREACHED and count >= size):
                    count, bounds[t] = thin_out(values[t], rows[t], count, size)
                counts[t] = count
        for t in range(members):
            count = counts[t]
            if count > size + size // 8:
                count, _ = thin_out(values[t], rows[t], count, size)
            sort_pairs(values[t], rows[t], count)
            count = min(count, size)
            all_sums[start + t, :count] = values[t, :count]
            all_rows[start + t, :count] = rows[t, :count]
    return all_sums, all_rows


@loop
def collect(order, low, high, blocks, new, j, weights, p, bound, start, sums, values, rows, work):  # type: ignore[no-untyped-def]
    """Put the sums of at most `bound` among the rows from `start` on into `values`, `rows`.

    Returns their number; `work[0]` counts the blocks compared.
    """
    n, count, waiting = order.size, 0, 1
    flat = blocks.ravel()
    stack = np.empty((64, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, 0, blocks.shape[0]
    while waiting > 0:
        waiting -= 1
        node, first, last = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        if gap(low, high, node, new, j, weights, p) > bound:
            continue
        if last - first > 1:
            middle = first + (last - first + 1) // 2
            left, right = node + 1, node + 2 * (middle - first)
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = left, first, middle
            waiting += 1
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = right, middle, last
            waiting += 1
            continue
        work[0] += 1
        if block_sums(flat, first, new, j, weights, p, bound, sums) > 0:
            for i in range(min(WIDTH, n - first * WIDTH)):
                row = order[first * WIDTH + i]
                if sums[i] <= bound and row >= start:
                    values[count], rows[count] = sums[i], row
                    count += 1
    return count


@loop
def nearest_by_row(order, low, high, blocks, new, weights, p, size, bounds):  # type: ignore[no-untyped-def]
    """As `nearest`, equal sums in row order at the last place too; `bounds` its last sums."""
    n, m = order.size, new.shape[0]
    all_sums = np.full((m, size), np.inf)
    all_rows = np.full((m, size), -1, np.int32)
    values, rows, sums = np.empty(n), np.empty(n, np.int32), np.empty(WIDTH)
    work = np.zeros(1, np.int64)
    for j in range(m):
        count = collect(
            order, low, high, blocks, new, j, weights, p, bounds[j], 0, sums, values, rows, work
        )
        sort_pairs(values, rows, count)
        count = min(count, size)
        all_sums[j, :count], all_rows[j, :count] = values[:count], rows[:count]
    return all_sums, all_rows
