"""The solver of the elastic net: cyclic coordinate descent, and linear systems where it is slow.

Descent is compiled because each step needs the residuals that the step before it left; imported
only when a lasso or elastic net is fitted.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy import linalg

from pycvstat.errors import FitError
from pycvstat.types import FloatArray

TOLERANCE = 1e-13
"""Largest violation of an optimality condition: the gradient is the covariance of a predictor and
the residuals, and may miss its place by this share of the product of their two lengths."""

_SWEEPS = 300
"""After so many sweeps the descent is slow, and linear systems finish the work."""

_ROUNDS = 200

_NO_RANK = 1e-12
"""Predictors of length 1 with a singular value below this repeat each other to rounding."""


def minimise(
    columns: FloatArray, z: FloatArray, start: FloatArray, l1: float, l2: float
) -> FloatArray:
    """Minimise |z - X b|^2 / 2 + l1 |b|_1 + l2 |b|^2 / 2 for z of length 1, from a start.

    Coordinate descent; where that is slow, linear systems of the slopes that are not zero.

    Raises
    ------
    FitError
        The optimality conditions cannot be met to 1e-13.
    """
    b = start.copy()
    for _ in range(_ROUNDS):
        if descend(columns, z, b, l1, l2, TOLERANCE, _SWEEPS):
            return b
        exact = finish(columns, z, b, l1, l2, 10 * TOLERANCE)
        if exact is not None:
            return exact
    raise FitError(
        "coordinate descent has not converged.",
        given=f"penalties {l1:g} and {l2:g}, {len(b)} predictors",
        fix="leave out the smallest penalties, or predictors that nearly repeat others",
    )


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


def finish(
    columns: FloatArray, z: FloatArray, b: FloatArray, l1: float, l2: float, tolerance: float
) -> FloatArray | None:
    """Minimise |z - X b|^2 / 2 + l1 |b|_1 + l2 |b|^2 / 2 from a good start.

    Feature-sign search (Lee, Battle, Raina and Ng 2007): go to the minimum for the present signs,
    or as far as no slope changes its sign; give up slopes that became zero; take in the predictor
    that violates its optimality condition most; until none does.

    Parameters
    ----------
    columns : (p, q) float64
        X', one predictor per row.
    z : (q,) float64
        Of length about 1.
    b : (p,) float64
    l1, l2 : float
    tolerance : float
        Largest violation allowed, times the length of the predictor. What rounding of the sum of
        all terms makes unavoidable is allowed on top.

    Returns
    -------
    (p,) float64 or None
        None when rounding keeps it from ending.
    """
    lengths = np.linalg.norm(columns, axis=1)
    b, signs = b.copy(), np.sign(b)
    for _ in range(10 * len(b) + 10):
        b, ended = _within_signs(columns, z, b, signs, l1, l2)
        signs[b == 0.0] = 0.0
        if not ended:
            continue
        gradient = columns @ (z - b @ columns) - l2 * b
        excess = np.abs(gradient - l1 * signs)
        excess[signs == 0.0] = np.abs(gradient[signs == 0.0]) - l1
        rounding = 8 * np.finfo(np.float64).eps * (1.0 + np.abs(b) @ lengths)
        relative = np.divide(excess, lengths, out=np.zeros_like(b), where=lengths > 0.0)
        worst = int(np.argmax(relative))
        if relative[worst] <= tolerance + rounding:
            return b
        if signs[worst] != 0.0:
            return None
        signs[worst] = np.sign(gradient[worst])
    return None


def _within_signs(
    columns: FloatArray, z: FloatArray, b: FloatArray, signs: FloatArray, l1: float, l2: float
) -> tuple[FloatArray, bool]:
    """Towards the minimum for these signs; whether it was reached before a slope became zero."""
    support = np.flatnonzero(signs)
    if not len(support):
        return np.zeros_like(b), True
    step, bounded = _step(columns[support], z, b[support], signs[support], l1, l2)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = -b[support] / step
    reach[(signs[support] * step >= 0.0) | (step == 0.0)] = np.inf
    share = min(1.0 if bounded else np.inf, float(reach.min()))
    new = b.copy()
    if np.isfinite(share):
        new[support] += share * step
    new[support[reach <= share]] = 0.0
    return new, bool((reach > share).all())


def _step(
    columns: FloatArray, z: FloatArray, b: FloatArray, signs: FloatArray, l1: float, l2: float
) -> tuple[FloatArray, bool]:
    """The way to the minimum for these signs, or one along which only |b| changes, downhill."""
    lengths = np.sqrt(np.einsum("ij,ij->i", columns, columns) + l2)
    tall = np.concatenate([columns.T, np.sqrt(l2) * np.eye(len(b))]) / lengths
    Q, R = linalg.qr(tall, mode="economic", check_finite=False)
    if len(R) < len(b) or np.abs(np.diagonal(R)).min() < _NO_RANK:
        along = np.linalg.svd(tall, full_matrices=True)[2][-1] / lengths
        return np.asarray(-along if signs @ along > 0.0 else along), False
    residuals = np.concatenate([z - b @ columns, -np.sqrt(l2) * b])
    pull = linalg.solve_triangular(R, signs / lengths, trans=1, check_finite=False)
    target = Q.T @ residuals - l1 * pull
    return np.asarray(linalg.solve_triangular(R, target, check_finite=False) / lengths), True
