"""Rows in blocks, with the boxes of a balanced tree over the blocks.

Arrays: `blocks` (B, q, WIDTH) holds the rows of block b column by column, padded with inf;
`order` (n,) the row at each place; `low`, `high` (2B - 1, q) the boxes of the nodes in preorder:
the left child of a node is the next node, its right child follows the left one's descendants.

Rounding is monotone: the distance to a box, computed with the same operations, never exceeds the
computed distance to a row inside it, so pruning by boxes loses no row (for p other than 1 and 2
up to the last bit of `pow`, hence `SAFE`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pycvstat.learners.knn.compiled import UNREACHED, WIDTH, inlined, loop, u
from pycvstat.learners.knn.compiled.ranking import put_smallest_first, sort_pairs, thin_out
from pycvstat.rmath.loops import largest, put

SAFE = 1.0 - 1.0e-12


def make_blocks(points: Any) -> tuple[Any, ...]:
    """The tree over the rows of `points`, whose memory the blocks take over."""
    order, low, high = split_rows(points)
    put_in_order(points, order)
    return order, low, high, as_blocks(points)


def as_blocks(points: Any) -> Any:
    """The rows of `points`, in their order, as blocks that take over their memory."""
    n, q = points.shape
    points.resize(((n + WIDTH - 1) // WIDTH * WIDTH, q), refcheck=False)
    points[n:] = np.inf
    turn_blocks(points)
    return points.reshape(-1, q, WIDTH)


@loop
def split_rows(points):  # type: ignore[no-untyped-def]
    """Split the rows at medians of the widest column into blocks; their boxes on the way."""
    n, q = points.shape
    count = (n + WIDTH - 1) // WIDTH
    order = np.arange(n)
    low = np.empty((2 * count - 1, q))
    high = np.empty((2 * count - 1, q))
    stack = np.empty((64, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, 0, count
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node, first, last = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        start, stop = first * WIDTH, min(last * WIDTH, n)
        widest, column = -1.0, 0
        for c in range(q):
            a = b = points[order[start], c]
            for i in range(start + 1, stop):
                value = points[order[i], c]
                a, b = min(a, value), max(b, value)
            low[node, c], high[node, c] = a, b
            if b - a > widest:
                widest, column = b - a, c
        if last - first > 1:
            middle = first + (last - first + 1) // 2
            keys = np.empty(stop - start)
            for i in range(keys.size):
                keys[i] = points[order[start + i], column]
            put_smallest_first(keys, order[start:stop], keys.size, middle * WIDTH - start + 1)
            left, right = node + 1, node + 2 * (middle - first)
            stack[waiting, 0], stack[waiting, 2] = left, middle  # `first` is there
            waiting += 1
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = right, middle, last
            waiting += 1
    return order, low, high


@loop
def put_in_order(points, order):  # type: ignore[no-untyped-def]
    """Move row `order[i]` to place i, for every i, cycle by cycle."""
    moved = np.zeros(order.size, np.bool_)
    for first in range(order.size):
        if moved[first]:
            continue
        kept, place = points[first].copy(), first
        while order[place] != first:
            put(points[place], points[order[place]])
            moved[place] = True
            place = order[place]
        put(points[place], kept)
        moved[place] = True


@loop
def turn_blocks(points):  # type: ignore[no-untyped-def]
    """Store every WIDTH rows column by column."""
    q = points.shape[1]
    blocks = points.reshape(-1, q, WIDTH)
    for b in range(blocks.shape[0]):
        rows = points[b * WIDTH : (b + 1) * WIDTH].copy()
        for c in range(q):
            put(blocks[b, c], rows[:, c])


@inlined
def term(difference, weight, p):  # type: ignore[no-untyped-def]
    """One column's part of the sum."""
    if p == 2.0:
        return difference * difference * weight
    if p == 1.0:
        return abs(difference) * weight
    return math.pow(abs(difference), p) * weight


@inlined
def gap(low, high, node, new, j, weights, p):  # type: ignore[no-untyped-def]
    """A lower bound of the sums from new row `j` to the rows in a box."""
    total = 0.0
    for c in range(weights.size):
        value = new[j, c]
        total += term(max(max(low[node, c] - value, value - high[node, c]), 0.0), weights[c], p)
    return total if p == 2.0 or p == 1.0 else total * SAFE


@inlined
def block_sums(flat, block, new, j, weights, p, bound, sums):  # type: ignore[no-untyped-def]
    """Sums from new row `j` to the rows of a block; how many are at most `bound`.

    Stops, with 0, when it sees that every sum exceeds the bound.
    """
    width, q = u(WIDTH), u(weights.size)
    base = u(block) * q * width  # unsigned: numba then leaves out the check for negative indices
    within: Any = 0
    if p != 2.0 and p != 1.0:  # row by row: a vectorised `pow` would round differently
        for i in range(width):
            total = 0.0
            for c in range(q):
                if total > bound:
                    break
                total += term(flat[base + c * width + i] - new[j, c], weights[c], p)
            sums[i] = total
            within += total <= bound
        return within
    for i in range(width):
        sums[i] = 0.0
    c = u(0)
    while p == 2.0 and c + u(3) < q:  # four columns at a time keep the sums in registers
        x0, x1, x2, x3 = new[j, c], new[j, c + u(1)], new[j, c + u(2)], new[j, c + u(3)]
        w0, w1, w2, w3 = weights[c], weights[c + u(1)], weights[c + u(2)], weights[c + u(3)]
        at1, at2, at3 = base + width, base + u(2) * width, base + u(3) * width
        for i in range(width):
            d0, d1 = flat[base + i] - x0, flat[at1 + i] - x1
            d2, d3 = flat[at2 + i] - x2, flat[at3 + i] - x3
            first = (sums[i] + d0 * d0 * w0) + d1 * d1 * w1
            sums[i] = (first + d2 * d2 * w2) + d3 * d3 * w3
        base, c = base + u(4) * width, c + u(4)
        within = 0
        for i in range(width):
            within += sums[i] <= bound
        if within == 0:
            return 0
    while c < q:
        value, weight = new[j, c], weights[c]
        if p == 2.0:
            for i in range(width):
                d = flat[base + i] - value
                sums[i] += d * d * weight
        else:
            for i in range(width):
                sums[i] += abs(flat[base + i] - value) * weight
        base, c = base + width, c + u(1)
    within = 0
    for i in range(width):
        within += sums[i] <= bound
    return within


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
            if gaps[waiting] > largest(bounds[:members]):
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
            put(all_sums[start + t], values[t, :count])
            put(all_rows[start + t], rows[t, :count])
    return all_sums, all_rows


@loop
def collect(order, low, high, blocks, new, j, weights, p, bound, start, sums, values, rows):  # type: ignore[no-untyped-def]
    """Put the sums of at most `bound` among the rows from `start` on into `values`, `rows`.

    Returns their number, and how many blocks were compared.
    """
    n, count, compared, waiting = order.size, 0, 0, 1
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
            stack[waiting, 0], stack[waiting, 2] = left, middle  # `first` is there
            waiting += 1
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = right, middle, last
            waiting += 1
            continue
        compared += 1
        if block_sums(flat, first, new, j, weights, p, bound, sums) > 0:
            for i in range(min(WIDTH, n - first * WIDTH)):
                row = order[first * WIDTH + i]
                if sums[i] <= bound and row >= start:
                    values[count], rows[count] = sums[i], row
                    count += 1
    return count, compared


@loop
def nearest_by_row(order, low, high, blocks, new, weights, p, size, bounds):  # type: ignore[no-untyped-def]
    """As `nearest`, equal sums in row order at the last place too; `bounds` its last sums."""
    n, m = order.size, new.shape[0]
    all_sums, all_rows = np.empty((m, size)), np.empty((m, size), np.int32)
    values, rows, sums = np.empty(n), np.empty(n, np.int32), np.empty(WIDTH)
    for j in range(m):
        count, _ = collect(
            order, low, high, blocks, new, j, weights, p, bounds[j], 0, sums, values, rows
        )
        sort_pairs(values, rows, count)
        put(all_sums[j], values[:size])
        put(all_rows[j], rows[:size])
    return all_sums, all_rows
