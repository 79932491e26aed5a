"""The scan of kknn: the order in which it finds rows at equal distances."""

from __future__ import annotations

import math

import numpy as np

from pycvstat.learners.knn.compiled import UNREACHED, WIDTH, inlined, loop
from pycvstat.learners.knn.compiled.ranking import shell_sort, sort_pairs
from pycvstat.learners.knn.compiled.tree import block_sums, collect
from pycvstat.rmath.loops import int64, put


@inlined
def enter(values, rows, filled, bounds, sizes, room, first, value, row):  # type: ignore[no-untyped-def]
    """Let a row into the buffer of every size to whose bound it is strictly nearer.

    Returns the largest bound afterwards.
    """
    largest = -1.0
    for s in range(first, sizes.size):
        if value < bounds[s]:
            at = filled[s]
            values[s, at], rows[s, at] = value, row
            filled[s] = at + 1
            if at + 1 == room[s] - 1:
                shell_sort(values[s], rows[s], room[s])
                # the next row that enters takes the place of the last one kept
                filled[s], bounds[s] = sizes[s] - 1, values[s, sizes[s] - 1]
        largest = max(largest, bounds[s])
    return largest


@loop
def scan_as_kknn(head, first_rows, order, low, high, blocks, new, weights, p, sizes, firsts):  # type: ignore[no-untyped-def]
    """The neighbours in the order in which kknn finds them, ties included.

    kknn goes through the training rows once and keeps a buffer of the nearest. Only rows nearer
    than the bound of the moment touch the buffer, so after the `first_rows` rows in `head`
    (blocks in row order) the others within the bound are looked up in the tree and entered in
    row order. The buffer's length depends on the number of neighbours wanted, and with it the
    order of ties: each of the `sizes` has a buffer of its own.

    Parameters
    ----------
    head : (B, q, WIDTH)
    first_rows : int
    order, low, high, blocks
        The tree; not looked at when `first_rows` is n.
    new : (m, q)
    weights : (q,)
    p : float
    sizes : (s,) int64, ascending, each at most n + 1
    firsts : (m,) int64
        Sizes before this place are not wanted for the row.

    Returns
    -------
    sums (m, max size), of the last size
    rows (m, s, max size) int32
    blocks : int, how many blocks were compared
        Places that no row reached hold `UNREACHED` and row 0.
    """
    n, m = order.size, new.shape[0]
    flat = head.ravel()
    room = np.empty(sizes.size, np.int64)
    for s in range(sizes.size):
        room[s] = min(2 * min(max(10, sizes[s]), n), n)
    size, width = sizes[sizes.size - 1], room[sizes.size - 1] + 1
    all_sums = np.empty((m, size))
    all_rows = np.zeros((m, sizes.size, size), np.int32)
    values, rows = np.empty((sizes.size, width)), np.empty((sizes.size, width), np.int32)
    filled, bounds = np.empty(sizes.size, np.int64), np.empty(sizes.size)
    others, compared = n - first_rows, m * head.shape[0]
    near_values, near_rows = np.empty(others), np.empty(others, np.int32)
    sums = np.empty(WIDTH)
    for j in range(m):
        first, bound = firsts[j], UNREACHED
        values[:], rows[:], filled[:], bounds[:] = UNREACHED, 0, 0, UNREACHED
        for block in range(head.shape[0]):
            if block_sums(flat, block, new, j, weights, p, bound, sums) == 0:
                continue
            start = block * WIDTH
            for i in range(min(WIDTH, first_rows - start)):
                if sums[i] < bound:
                    bound = enter(
                        values, rows, filled, bounds, sizes, room, first, sums[i], start + i
                    )
        if others > 0:
            below = np.nextafter(bound, -np.inf)
            count, more = collect(
                order, low, high, blocks, new, j, weights, p, below, first_rows, sums,
                near_values, near_rows,
            )  # fmt: skip
            compared += more
            sort_pairs(near_rows, near_values, count)
            for i in range(count):
                if near_values[i] < bound:
                    bound = enter(
                        values, rows, filled, bounds, sizes, room, first,
                        near_values[i], int64(near_rows[i]),
                    )  # fmt: skip
        for s in range(first, sizes.size):
            # kknn sorts one place more when the distance is Euclidean
            shell_sort(values[s], rows[s], room[s] + 1 if p == 2.0 else room[s])
            put(all_rows[j, s], rows[s, : sizes[s]])
        put(all_sums[j], values[sizes.size - 1, :size])
    return all_sums, all_rows, compared


@loop
def roots(sums, p):  # type: ignore[no-untyped-def]
    """The power 1/p of every sum, by the C library."""
    result = np.empty(sums.shape)
    for i in range(sums.shape[0]):
        for j in range(sums.shape[1]):
            result[i, j] = math.pow(sums[i, j], 1.0 / p)
    return result


# log(n!) less Stirling's approximation, for n = 4 and 2, and for n = 6 and 3
STIRLING_ERRORS = np.array(
    [
        [0.02079067210376509311152277, 0.0413406959554092940938221],
        [0.01387612882307074799874573, 0.02767792568499833914878929],
    ]
)
LOG_2PI = 1.837877066409345483560659472811
ONE_BY_ROOT_2PI = 0.398942280401432677939946059934


@inlined
def deviance(x, mean):  # type: ignore[no-untyped-def]
    """The part of the Poisson deviance x log(x / mean) + mean - x, accurate for x near mean.

    Loader (2000), Fast and accurate computation of binomial probabilities. As in R: ``bd0``.
    """
    if abs(x - mean) < 0.1 * (x + mean):
        v = (x - mean) / (x + mean)
        total = (x - mean) * v
        if abs(total) < 2.2250738585072014e-308:
            return total
        part = 2.0 * x * v
        v = v * v
        for j in range(1, 1000):
            part *= v
            before = total
            total += part / (2 * j + 1)
            if total == before:
                return total
    return x * math.log(x / mean) + mean - x


@loop
def beta_densities(values, a):  # type: ignore[no-untyped-def]
    """The density of the symmetric beta distribution with parameters a = 3 or 4.

    As in R: ``dbeta(x, a, a)``, which goes by way of the binomial density.
    """
    result = np.empty_like(values)
    n = 2 * a - 2
    errors = STIRLING_ERRORS[a - 3, 0] - 2.0 * STIRLING_ERRORS[a - 3, 1]
    x = float(a - 1)
    half = 0.5 * (LOG_2PI + math.log(x) + math.log1p(-x / n))
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            p = values[i, j]
            q = 1.0 - p
            log_density = errors - deviance(x, n * p) - deviance(n - x, n * q) - half
            result[i, j] = math.exp(math.log(2.0 * a - 1.0) + log_density)
    return result


@loop
def normal_densities(values):  # type: ignore[no-untyped-def]
    """As in R: ``dnorm(x)`` for |x| < 5."""
    result = np.empty_like(values)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            x = values[i, j]
            result[i, j] = ONE_BY_ROOT_2PI * math.exp(-0.5 * x * x)
    return result


@loop
def cosines(values):  # type: ignore[no-untyped-def]
    """As in R: ``cos(x)``."""
    result = np.empty_like(values)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            result[i, j] = math.cos(values[i, j])
    return result
