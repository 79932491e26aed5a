"""Draws that consume a number of outputs which depends on their values."""

from __future__ import annotations

import numpy as np

from pycvstat.types import IntArray


def consecutive(length: IntArray, count: int) -> tuple[IntArray, int]:
    """Where consecutive draws start when one that starts at t consumes ``length[t]``.

    Parameters
    ----------
    length : array of int, shape (outputs,)
        Outputs consumed by a draw that starts at each of them.
    count : int
        How many draws at most; fewer where a whole draw no longer fits.

    Returns
    -------
    the starts, and how many outputs they consume together

    Examples
    --------
    >>> consecutive(np.array([2, 9, 1, 3, 9]), 5)
    (array([0, 2]), 3)
    """
    steps = length.tolist()
    starts: list[int] = []
    start = starts.append
    at = 0
    try:
        for _ in range(count):
            step = steps[at]
            start(at)
            at += step
    except IndexError:
        pass
    if at > len(steps):
        at = starts.pop()
    return np.array(starts, dtype=np.int64), at
