"""Candidates by inner products: the fast way when there are many columns."""

from __future__ import annotations

import numpy as np

from pycvstat.learners.knn.found import Found
from pycvstat.learners.knn.scaling import Metric
from pycvstat.types import BoolArray, FloatArray

SPARE = 8  # candidates more than needed, so that rounding seldom leaves a row without proof
TILE = 2**20  # inner products held at a time


def by_products(
    points: FloatArray, metric: Metric, new: FloatArray, size: int
) -> tuple[Found, BoolArray]:
    """The `size` nearest of every new row, and whether they are proved to be the nearest.

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
    return Found(sums, rows.astype(np.int64)), complete


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
