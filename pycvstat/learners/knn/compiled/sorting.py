"""Partial sorts, sorts, and the unstable sort that decides the ties of kknn."""

from __future__ import annotations

import numpy as np

from pycvstat.learners.knn.compiled import loop


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
    return size, values[:size].max()


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
