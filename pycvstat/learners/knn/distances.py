"""Distances and weights of neighbours: the metric of kknn, and its ten kernels.

The metric says by what terms are scaled, how they are weighted, and in which order columns are
summed; where there are many columns, inner products find the rows that may be nearest in it. The
weights have the bits of R's: close to the farthest neighbour 1 - V keeps few digits of V, and with
one neighbour the kernels' errors differ by the rounding of weight * y / weight alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np

from pycvstat import rmath
from pycvstat.errors import Advice, FitError, InputError
from pycvstat.types import BoolArray, FloatArray, IntArray

PORTION = 16384  # rows that are put on the scale at a time
SMALLEST = 1e-280  # variance; rows some 1e-10 of the spread apart still have distances in range


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """How far rows are from each other: ``(sum_l weights[l] |a_l - b_l|^p)^(1/p)``.

    Parameters
    ----------
    columns : (q,) int64
        The design columns that count, in the order in which their terms are added.
    scales : (q,) float64
        What each of them is divided by.
    weights : (q,) float64
    p : float
        The power of the Minkowski distance.
    """

    columns: IntArray
    scales: FloatArray
    weights: FloatArray
    p: float

    def points(self, X: FloatArray, rows: IntArray | None = None) -> FloatArray:
        """Rows of `X`, all or those named, on the scale of the metric, (n, q)."""
        points = np.empty((len(X) if rows is None else len(rows), len(self.columns)))
        for start in range(0, len(points), PORTION):
            part = slice(start, start + PORTION)
            some = X[part] if rows is None else X[rows[part]]
            points[part] = some[:, self.columns] / self.scales
        return points


def metric(X: FloatArray, assign: IntArray, *, p: float = 2.0, scale: bool = True) -> Metric:
    """The metric that kknn learns from training rows.

    A term's scale is the root of the mean variance of its columns, its weight one over their
    number; constant terms do not count. Columns are added in decreasing order of weight times
    standard deviation. After scaling these differ by rounding only, which is why the variances
    have to be R's to the last bit: the order decides which of two rows is nearer by an ulp.

    Parameters
    ----------
    X : (n, c) float64
        Design columns of the training rows.
    assign : (c,) int
        The term that each column belongs to; 0 is the intercept, which does not count.
    p : float
    scale : bool
        False leaves the columns as they are and keeps the weights.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0, 5.0], [1.0, 2.0, 7.0], [1.0, 4.0, 6.0]])
    >>> m = metric(X, np.array([0, 1, 2]))
    >>> m.columns.tolist(), m.scales.tolist(), m.weights.tolist()
    ([1, 2], [2.0, 1.0], [1.0, 1.0])
    """
    if scale and len(X) < 2:
        raise FitError(
            "one training row has no standard deviation to scale by.",
            given=f"{len(X)} training rows",
            fix=Advice("use more training rows, or {scale}", scale=False),
        )
    assign, variances, spread = np.asarray(assign), *np.zeros((2, X.shape[1]))
    counts = np.flatnonzero(assign)
    counted = X[:, counts]
    with np.errstate(over="ignore", under="ignore"):
        variances[counts] = rmath.var(counted, axis=0)
    _refuse_extremes(counted, variances[counts])
    scales, weights = _terms(variances, assign)
    counts = np.flatnonzero(weights)
    spread[counts] = rmath.sd((X / scales if scale else X)[:, counts], axis=0)
    rank = np.argsort(-(weights * spread), kind="stable")
    kept = rank[weights[rank] > 0]
    kept = kept if kept.size else rank[:1]  # all constant: every distance is 0
    divisors = scales[kept] if scale else np.ones(len(kept))
    return Metric(kept, divisors, weights[kept], p)


def _refuse_extremes(X: FloatArray, variances: FloatArray) -> None:
    """Columns whose squared distances would be 0 or infinite: all rows would seem equally near."""
    odd = ~((variances > SMALLEST) & (variances < 1 / SMALLEST))
    odd[odd] = (X[:, odd] != X[:1, odd]).any(axis=0)  # constant columns do not count
    if odd.any():
        values = X[:, np.flatnonzero(odd)[0]]
        raise FitError(
            "the squares of distances leave the range of numbers.",
            given=f"a column with values from {values.min():g} to {values.max():g}",
            fix="change the unit of the column",
        )


def _terms(variances: FloatArray, assign: IntArray) -> tuple[FloatArray, FloatArray]:
    """Scale and weight of every column."""
    columns = np.bincount(assign)[assign]
    scales, weights = np.sqrt(variances), 1.0 / columns
    for term in set(assign[columns > 1].tolist()):
        block = assign == term
        scales[block] = np.sqrt(rmath.mean(variances[block]))
    constant = scales == 0
    weights[constant], scales[constant] = 0.0, 1.0
    return scales, weights


SPARE = 8  # candidates more than needed, so that rounding seldom leaves a row without proof
TILE = 2**20  # inner products held at a time


def by_products(
    points: FloatArray, metric: Metric, new: FloatArray, size: int
) -> tuple[FloatArray, IntArray, BoolArray]:
    """Sums and rows of the `size` nearest of every new row; whether they are proved to be nearest.

    ``|a|^2 + |b|^2 - 2ab`` finds candidates; their distances are then computed as everywhere
    else, and compared with what the rounding of the products can have hidden.

    Parameters
    ----------
    points : (n, q) float64
    metric : Metric
        Euclidean.
    new : (m, q) float64
    size : int
        Well below n.
    """
    from pycvstat.learners.knn.compiled.ranking import rank_candidates, smallest

    centre, root = points.mean(axis=0), np.sqrt(metric.weights)
    train, place = (points - centre) * root, np.arange(len(new))
    norms = (train**2).sum(axis=1)
    used = np.ones(len(points), dtype=np.bool_)
    tile = max(1, TILE // len(points))
    parts = []
    for start in range(0, len(new), tile):
        part = new[start : start + tile]
        moved = (part - centre) * root
        lists, last = smallest(moved @ train.T, norms, size + SPARE)
        limits = _limits(last + (moved**2).sum(axis=1), moved, norms.max(), points, part, metric)
        parts.append(
            rank_candidates(points, used, lists, place, part, metric.weights, 2.0, limits, size)
        )
    sums, rows, complete = (np.concatenate(part) for part in zip(*parts, strict=True))
    return sums, rows.astype(np.int64), complete


def _limits(
    least: FloatArray,
    moved: FloatArray,
    largest_norm: float,
    points: FloatArray,
    new: FloatArray,
    metric: Metric,
) -> FloatArray:
    """Sums that rows outside the lists certainly exceed.

    The error of an inner product of q terms is at most q eps |a| |b|; the coordinates themselves
    are rounded on the scale of the largest.
    """
    eps, q = np.finfo(np.float64).eps, points.shape[1]
    least = least - 8 * (q + 8) * eps * ((moved**2).sum(axis=1) + largest_norm)
    largest = np.maximum(np.abs(points).max(axis=0), np.abs(new).max(axis=0))
    rounding = 4 * eps * np.sqrt((metric.weights * largest**2).sum())
    nearest: FloatArray = np.sqrt(np.maximum(least, 0.0)) * (1 - 1e-12) - rounding
    limits: FloatArray = np.maximum(nearest, 0.0) ** 2
    return limits


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
