"""nnet's ``multinom``: a penalised multinomial logit, left where its iterations end.

`pycvstat.MNLogit` goes on to the maximum. R's fit ends after 100 steps, or where the loss is small
or hardly falls, and where classes separate its digits are those of that end. So the steps are R's:
the variable metric method of Nash (1990, Compact Numerical Methods for Computers, algorithm 21).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pycvstat.learners.statsmodels.multinomial import probabilities
from pycvstat.rmath.random import RRandom
from pycvstat.types import FloatArray, IntArray

ENOUGH, ACCEPTED, SHORTER = 10.0, 1e-4, 0.2
ABSTOL, RELTOL, MAXIT = 1e-4, 1e-8, 100  # of nnet
LARGEST = 15.0  # a linear predictor beyond which a probability of two classes is 0 or 1
UNLIKELY = 1000.0  # the loss of a class that was given no probability
TINY = 1e-80
NEARLY = 1e-5  # of the largest value of a row

Function = Callable[[FloatArray], Any]


def multinom(
    X: FloatArray, codes: IntArray, classes: int, decay: float = 0.0, weights: Any = 1.0
) -> FloatArray:
    """Log odds against the first class, (L - 1, p), as ``nnet::multinom`` leaves them.

    Parameters
    ----------
    X : (n, p) float64
        With the constant.
    codes : (n,) int64
        Classes from 0.
    classes : int
        Their number L, each occurring.
    decay : float
        Penalty of the squared coefficients.
    weights : (n,) float64, optional

    Examples
    --------
    >>> X = np.column_stack([np.ones(6), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]])
    >>> multinom(X, np.array([0, 1, 0, 1, 0, 1]), 2, decay=0.1).round(6)
    array([[-0.594118,  0.271033]])
    """
    rows, wanted = np.arange(len(codes)), np.eye(classes)[codes][:, 1:]
    w = weights * np.ones(len(codes))

    def shares(b: FloatArray) -> FloatArray:
        return shares_of(X, b.reshape(classes - 1, -1))

    def loss(b: FloatArray) -> float:
        of_class = shares(b)[rows, codes] + (TINY if classes == 2 else 0.0)
        logs = np.full(len(codes), -UNLIKELY)
        np.log(of_class, where=of_class > 0, out=logs)
        return float(decay * (b @ b) - w @ logs)

    def gradient(b: FloatArray) -> FloatArray:
        return np.ravel(((shares(b)[:, 1:] - wanted) * w[:, None]).T @ X) + 2 * decay * b

    start = np.zeros(X.shape[1] * (classes - 1))
    return variable_metric(start, loss, gradient).reshape(classes - 1, -1)


def shares_of(X: FloatArray, b: FloatArray) -> FloatArray:
    """Class probabilities (m, L) of rows X (m, p) with log odds b (L - 1, p).

    Examples
    --------
    >>> shares_of(np.array([[0.0], [16.0]]), np.array([[1.0]]))
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    eta = X @ b.T
    if len(b) > 1:
        return probabilities(eta)
    inside = 1 / (1 + np.exp(-np.clip(eta, -LARGEST, LARGEST)))
    p = np.where(eta < -LARGEST, 0.0, np.where(eta > LARGEST, 1.0, inside))
    return np.column_stack([1 - p, p])


def max_col(values: FloatArray, draws: RRandom) -> IntArray:
    """The place of the largest value of each row, of nearly equal ones one at random.

    As in R: ``max.col(values)``, which also draws among small values that come before a large one.

    Examples
    --------
    >>> max_col(np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4]]), RRandom(2))
    array([1, 2])
    """
    places = []
    for row in values.tolist():
        near = NEARLY * max(map(abs, row))
        place, tied = 0, 1
        largest = row[0]
        for i, value in enumerate(row[1:], start=1):
            if value > largest + near:
                largest, place, tied = value, i, 1
            elif value >= largest - near:
                tied += 1
                if tied * draws.runif(1)[0] < 1.0:
                    place = i
        places.append(place)
    return np.array(places)


def variable_metric(b: FloatArray, loss: Function, gradient: Function) -> FloatArray:
    """The point at which nnet's minimisation ends.

    Examples
    --------
    >>> variable_metric(np.zeros(1), lambda b: (b[0] - 2) ** 2, lambda b: 2 * (b - 2)).round(6)
    array([2.])
    """
    n, least, slope = len(b), loss(b), gradient(b)
    if least <= ABSTOL:
        return b
    steps = gradients = fresh = 1
    B = np.eye(n)
    while True:
        if fresh == gradients:
            B = np.eye(n)
        from_here, before = b, slope
        t = -B @ slope
        falling = float(t @ slope)
        if falling < 0:
            length, accepted, value = 1.0, False, least
            while True:
                b = from_here + length * t
                still = int((ENOUGH + from_here == ENOUGH + b).sum())
                if still < n:
                    value = loss(b)
                    accepted = np.isfinite(value) and value <= least + falling * length * ACCEPTED
                    if not accepted:
                        length *= SHORTER
                if still == n or accepted:
                    break
            if not (value > ABSTOL and abs(value - least) > RELTOL * (abs(least) + RELTOL)):
                still, least = n, value
            if still < n:
                least, slope = value, gradient(b)
                gradients += 1
                steps += 1
                t, change = length * t, slope - before
                curved = float(t @ change)
                if curved > 0:
                    moved = B @ change
                    share = 1.0 + float(moved @ change) / curved
                    B = (
                        B
                        + (share * np.outer(t, t) - np.outer(t, moved) - np.outer(moved, t))
                        / curved
                    )
                else:
                    fresh = gradients
            elif fresh < gradients:
                still, fresh = 0, gradients
        elif fresh == gradients:
            still = n
        else:
            still, fresh = 0, gradients
        if steps >= MAXIT:
            return b
        if gradients - fresh > 2 * n:
            fresh = gradients
        if still == n and fresh == gradients:
            return b
