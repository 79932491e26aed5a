"""The scan of kknn: the order in which it finds rows at equal distances."""

from __future__ import annotations

import math

import numpy as np

from pycvstat.neighbours.compiled import UNREACHED, inlined, loop
from pycvstat.neighbours.compiled.blocks import WIDTH, block_sums
from pycvstat.neighbours.compiled.sorting import shell_sort, sort_pairs
from pycvstat.neighbours.compiled.walks import collect


@inlined
def enter(values, rows, value, row, filled, bound, size, room):  # type: ignore[no-untyped-def]
    """Let one row into kknn's buffer if it is strictly nearer than the bound."""
    if value < bound:
        values[filled], rows[filled] = value, row
        filled += 1
        if filled == room - 1:
            shell_sort(values, rows, room)
            # the next row that enters takes the place of the last one kept
            filled, bound = size - 1, values[size - 1]
    return filled, bound


@loop
def scan_as_kknn(head, first_rows, order, low, high, blocks, new, weights, p, size):  # type: ignore[no-untyped-def]
    """The neighbours in the order in which kknn finds them, ties included.

    kknn goes through the training rows once and keeps a buffer of the nearest. Only rows nearer
    than the bound of the moment touch the buffer, so after the `first_rows` rows in `head`
    (blocks in row order) the others within the bound are looked up in the tree and entered in
    row order. `size` is at most n + 1. Places that no row reached hold `UNREACHED` and row 0.

    Returns
    -------
    sums (m, size), rows (m, size) int32, the number of blocks compared
    """
    n, m = order.size, new.shape[0]
    room = min(2 * min(max(10, size), n), n)
    flat = head.ravel()
    all_sums = np.empty((m, size))
    all_rows = np.empty((m, size), np.int32)
    values, rows = np.empty(room + 1), np.empty(room + 1, np.int32)
    others = n - first_rows
    work = np.zeros(1, np.int64)
    near_values, near_rows = np.empty(others), np.empty(others, np.int32)
    sums = np.empty(WIDTH)
    for j in range(m):
        values[:], rows[:] = UNREACHED, 0
        filled, bound = 0, UNREACHED
        for block in range(head.shape[0]):
            if block_sums(flat, block, new, j, weights, p, bound, sums) == 0:
                continue
            start = block * WIDTH
            for i in range(min(WIDTH, first_rows - start)):
                filled, bound = enter(values, rows, sums[i], start + i, filled, bound, size, room)
        if others > 0:
            below = np.nextafter(bound, -1.0)
            count = collect(
                order, low, high, blocks, new, j, weights, p, below, first_rows, sums,
                near_values, near_rows, work,
            )  # fmt: skip
            sort_pairs(near_rows, near_values, count)
            for i in range(count):
                filled, bound = enter(
                    values, rows, near_values[i], near_rows[i], filled, bound, size, room
                )
        # kknn sorts one place more when the distance is Euclidean
        shell_sort(values, rows, room + 1 if p == 2.0 else room)
        all_sums[j], all_rows[j] = values[:size], rows[:size]
    return all_sums, all_rows, work[0] + m * head.shape[0]


@loop
def roots(sums, p):  # type: ignore[no-untyped-def]
    """The power 1/p of every sum, by the C library."""
    result = np.empty(sums.shape)
    for i in range(sums.shape[0]):
        for j in range(sums.shape[1]):
            result[i, j] = math.pow(sums[i, j], 1.0 / p)
    return result
