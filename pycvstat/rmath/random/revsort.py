"""R's decreasing sort of probabilities, which is not stable: ties land where R puts them."""

from __future__ import annotations

import numpy as np

from pycvstat.types import FloatArray, IntArray


def revsort(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Values in decreasing order and where they came from, in the order of R's heap sort.

    Parameters
    ----------
    values : array of float, shape (n,)

    Returns
    -------
    sorted values, shape (n,), and their original places, shape (n,)

    Examples
    --------
    >>> revsort(np.array([0.25, 0.25, 0.5]))
    (array([0.5 , 0.25, 0.25]), array([2, 1, 0]))
    """
    order = np.argsort(-values)
    decreasing = values[order]
    if (decreasing[1:] == decreasing[:-1]).any():
        order = np.array(_heap_order(values.tolist()), dtype=np.int64)
    return decreasing, order


def _heap_order(keys: list[float]) -> list[int]:
    """Places in decreasing order of their keys, by a heap with the least on top."""
    order = list(range(len(keys)))
    for root in range(len(keys) // 2 - 1, -1, -1):
        _sink(keys, order, root, len(keys))
    for end in range(len(keys) - 1, 0, -1):
        keys[0], keys[end] = keys[end], keys[0]
        order[0], order[end] = order[end], order[0]
        _sink(keys, order, 0, end)
    return order


def _sink(keys: list[float], order: list[int], root: int, end: int) -> None:
    """Let the entry at `root` fall to its place among the first `end`."""
    key, place = keys[root], order[root]
    child = 2 * root + 1
    while child < end:
        if child + 1 < end and keys[child] > keys[child + 1]:
            child += 1
        if key <= keys[child]:
            break
        keys[root], order[root] = keys[child], order[child]
        root, child = child, 2 * child + 1
    keys[root], order[root] = key, place
