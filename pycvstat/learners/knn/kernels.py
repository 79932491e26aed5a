"""The ten kernels: weights of neighbours from their distances.

Every weight has the bits of R's: close to the farthest neighbour 1 - V keeps few digits of V, and
with one neighbour the kernels' errors differ by the rounding of weight * y / weight alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np

from pycvstat.errors import Advice, InputError
from pycvstat.types import FloatArray

Kernel = Literal[
    "rectangular",
    "triangular",
    "epanechnikov",
    "biweight",
    "triweight",
    "cos",
    "inv",
    "gaussian",
    "rank",
    "optimal",
]
KERNELS: tuple[str, ...] = get_args(Kernel)

SMALL = 1e-6


def weights(
    kernel: Kernel, distances: FloatArray, beyond: FloatArray, d: int, *, rank_clipped: bool = False
) -> FloatArray:
    """Weights of the k nearest neighbours.

    Parameters
    ----------
    kernel : str
        One of `KERNELS`.
    distances : (m, k) float64
        Ascending in every row.
    beyond : (m,) float64
        The distance of the (k+1)-th neighbour, to which the others are compared.
    d : int
        The sum of the orders of the formula's terms, which the kernel "optimal" uses.
    rank_clipped : bool
        Whether the kernel "rank" ranks relative distances after they are clipped, so that all
        very small ones tie, as train.kknn does.

    Returns
    -------
    (m, k) float64

    Examples
    --------
    >>> weights("triangular", np.array([[1.0, 2.0]]), np.array([4.0]), 1).tolist()
    [[0.75, 0.5]]
    """
    m, k = distances.shape
    if kernel == "rectangular":
        return np.ones((m, k))
    if kernel == "optimal":
        return np.broadcast_to(optimal(k, d), (m, k))
    v = clip(distances, beyond)
    if kernel == "rank":
        ranks: FloatArray = (k + 1) - ascending_ranks(v if rank_clipped else distances)
        return ranks
    plain: dict[str, Callable[[FloatArray], FloatArray]] = {
        "triangular": lambda v: 1 - v,
        "epanechnikov": lambda v: 0.75 * (1 - v * v),
        "inv": lambda v: 1 / v,
    }
    return plain[kernel](v) if kernel in plain else _compiled(kernel, v)


def _compiled(kernel: Kernel, v: FloatArray) -> FloatArray:
    """Kernels whose last bits are the C library's."""
    from pycvstat.learners.knn.compiled import as_kknn

    if kernel == "cos":
        found: FloatArray = as_kknn.cosines(v * np.pi / 2)
    elif kernel == "gaussian":  # NormalDist is AS 241 to the bit, as R's qnorm
        farthest = abs(NormalDist().inv_cdf(1 / (2 * (v.shape[1] + 1))))
        found = as_kknn.normal_densities(v * farthest)
    else:
        found = as_kknn.beta_densities((v + 1) / 2, {"biweight": 3, "triweight": 4}[kernel])
    return found


def clip(distances: FloatArray, beyond: FloatArray) -> FloatArray:
    """Distances relative to the next neighbour's, strictly between 0 and 1."""
    relative = distances / np.maximum(beyond, SMALL)[:, None]
    return np.maximum(np.minimum(relative, 1 - SMALL), SMALL)


def ascending_ranks(values: FloatArray) -> FloatArray:
    """Average ranks of ascending values, row by row.

    Examples
    --------
    >>> ascending_ranks(np.array([[1.0, 3.0, 3.0, 4.0]])).tolist()
    [[1.0, 2.5, 2.5, 4.0]]
    """
    m, k = values.shape
    place = np.broadcast_to(np.arange(k), (m, k))
    new = np.ones((m, k), dtype=bool)
    new[:, 1:] = values[:, 1:] != values[:, :-1]
    last = np.ones((m, k), dtype=bool)
    last[:, :-1] = new[:, 1:]
    first_of_run = np.maximum.accumulate(np.where(new, place, 0), axis=1)
    reverse = np.where(last, place, k - 1)[:, ::-1]
    last_of_run = np.minimum.accumulate(reverse, axis=1)[:, ::-1]
    return 1 + (first_of_run + last_of_run) / 2


@lru_cache(maxsize=1024)
def optimal(k: int, d: int) -> FloatArray:
    """Samworth's optimal weights in dimension d, (k,).

    Samworth (2012), Annals of Statistics 40, 2733-2763.

    Examples
    --------
    >>> optimal(2, 2).round(3).tolist()
    [0.75, 0.25]
    """
    if d < 1:
        raise InputError(
            "the kernel 'optimal' needs at least one predictor.",
            given="a formula without terms",
            fix=Advice("{kernel}", kernel="rectangular"),
        )
    # math.pow is the C library's, as in R; NumPy's power differs in the last bit
    power = [math.pow(j, 1 + 2 / d) for j in range(k + 1)]
    steps = np.diff(power)
    result: FloatArray = 1 / k * (1 + d / 2 - d / (2 * math.pow(k, 2 / d)) * steps)
    result.setflags(write=False)
    return result
