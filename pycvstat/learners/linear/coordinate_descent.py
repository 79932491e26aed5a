"""Cyclic coordinate descent for the elastic net: the compiled loop.

Compiled because each step needs the residuals that the step before it left; imported only when a
lasso or elastic net is fitted.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pycvstat.types import FloatArray


@njit(cache=True)
def descend(
    columns: FloatArray,
    z: FloatArray,
    b: FloatArray,
    l1: float,
    l2: float,
    tolerance: float,
    sweeps: int,
) -> bool:
    """Minimise |z - X b|^2 / 2 + l1 |b|_1 + l2 |b|^2 / 2 from `b` on, changing it in place.

    Sweeps over the coordinates that are not zero until none violates its optimality condition by
    more than `tolerance` times the length of its column, then over all of them, until that holds
    for all with residuals computed anew.

    Parameters
    ----------
    columns : (p, q) float64
        X', one predictor per row.
    z : (q,) float64
    b : (p,) float64
    l1, l2 : float
    tolerance : float
        Largest violation allowed, in units of `z`.
    sweeps : int
        How many sweeps at most.

    Returns
    -------
    bool
        Whether it has converged.
    """
    p, q = columns.shape
    squares = np.empty(p)
    for j in range(p):
        squares[j] = np.dot(columns[j], columns[j])
    r = np.empty(q)
    everything = True
    for _ in range(sweeps):
        if everything:
            r[:] = z
            for j in range(p):
                if b[j] != 0.0:
                    for i in range(q):
                        r[i] -= columns[j, i] * b[j]
        worst = 0.0
        for j in range(p):
            old = b[j]
            if squares[j] == 0.0 or (old == 0.0 and not everything):
                continue
            pull = np.dot(columns[j], r) + squares[j] * old
            new = 0.0
            if pull > l1:
                new = (pull - l1) / (squares[j] + l2)
            elif pull < -l1:
                new = (pull + l1) / (squares[j] + l2)
            step = new - old
            if step != 0.0:
                b[j] = new
                for i in range(q):
                    r[i] -= columns[j, i] * step
                violation = abs(step) * (squares[j] + l2) / np.sqrt(squares[j])
                if violation > worst:
                    worst = violation
        if worst <= tolerance:
            if everything:
                return True
            everything = True
        else:
            everything = False
    return False
