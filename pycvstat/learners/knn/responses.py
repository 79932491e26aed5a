"""Predictions from weighted neighbours: means, votes, cumulated votes."""

from __future__ import annotations

import numpy as np

from pycvstat.errors import InputError
from pycvstat.rmath.sums import cumsum, row_sums
from pycvstat.types import FloatArray, IntArray


def weighted_mean(y: FloatArray, weights: FloatArray) -> FloatArray:
    """Weighted mean of the neighbours' responses, (m,) from (m, k).

    Examples
    --------
    >>> weighted_mean(np.array([[1.0, 3.0]]), np.array([[3.0, 1.0]])).tolist()
    [1.5]
    """
    return row_sums(weights * y) / np.maximum(row_sums(weights), 1e-6)


def running_means(y: FloatArray, rows: IntArray, ks: IntArray) -> FloatArray:
    """Unweighted mean response of the first k neighbours, for every k.

    Parameters
    ----------
    y : (n,) float64
    rows : (m, at least max(ks)) int64
        Rows of the neighbours.
    ks : (s,) int64

    Returns
    -------
    (s, m) float64

    Examples
    --------
    >>> y, rows = np.array([1.0, 3.0, 5.0]), np.array([[0, 1, 2]])
    >>> running_means(y, rows, np.array([1, 3])).tolist()
    [[1.0], [3.0]]
    """
    some = rows[:, : int(ks.max())].T
    y = y.astype(np.longdouble) if len(y) < some.size else y  # converted once; sums are the same
    nearest = y[some]
    sums = np.empty((len(nearest), len(rows)))
    total = np.zeros(len(rows), dtype=np.longdouble)
    for k, responses in enumerate(nearest):
        total += responses
        sums[k] = total
    return sums[ks - 1] / ks[:, None]


def class_shares(codes: IntArray, weights: FloatArray, levels: int) -> FloatArray:
    """Weighted shares of the classes among the neighbours, (m, levels) from (m, k).

    Examples
    --------
    >>> class_shares(np.array([[0, 1, 1, 1]]), np.ones((1, 4)), 2).tolist()
    [[0.25, 0.75]]
    """
    votes = [row_sums(weights * (codes == level)) for level in range(levels)]
    shares = np.stack(votes, axis=1)
    result: FloatArray = shares / row_sums(shares)[:, None]
    return result


def largest_share(shares: FloatArray) -> IntArray:
    """The class with the largest share; the first one of several, (m,).

    Examples
    --------
    >>> largest_share(np.array([[0.4, 0.4, 0.2]])).tolist()
    [0]
    """
    first: IntArray = np.argmax(shares, axis=1)
    return first


def nearest_of_tied(shares: FloatArray, codes: IntArray) -> IntArray:
    """The class with the largest share; of several the one whose farthest member is nearest.

    This is how kknn settles votes with the kernel "rectangular".

    Examples
    --------
    >>> nearest_of_tied(np.array([[0.5, 0.5]]), np.array([[0, 1, 1, 0]])).tolist()
    [1]
    """
    k, levels = codes.shape[1], shares.shape[1]
    top = shares == shares.max(axis=1, keepdims=True)
    place = np.arange(1, k + 1)
    farthest = np.stack([((codes == level) * place).max(axis=1) for level in range(levels)], axis=1)
    nearest: IntArray = np.argmin(np.where(top, farthest, k + 1), axis=1)
    return nearest


def smoothed_shares(shares: FloatArray, ykernel: float) -> FloatArray:
    """Shares of ordered classes, smoothed over neighbouring classes, (m, levels).

    Examples
    --------
    >>> smoothed_shares(np.array([[0.25, 0.75, 0.0]]), 1).round(2).tolist()
    [[0.33, 0.47, 0.2]]
    """
    band = y_band(shares.shape[1], ykernel)
    smoothed = np.zeros_like(shares)
    for level in range(len(band)):  # term by term, as a plain matrix product adds them
        smoothed += shares[:, level, None] * band[level]
    result: FloatArray = smoothed / row_sums(smoothed)[:, None]
    return result


def middle_class(shares: FloatArray) -> IntArray:
    """The first class at which the cumulated share is at least one half, (m,).

    Examples
    --------
    >>> middle_class(np.array([[0.2, 0.3, 0.5]])).tolist()
    [1]
    """
    first: IntArray = np.argmax(cumsum(shares) >= 0.5, axis=1)
    return first


def y_band(levels: int, ykernel: float) -> FloatArray:
    """Weights between classes: ykernel + 1 on the diagonal, one less per class away.

    Examples
    --------
    >>> y_band(3, 1).tolist()
    [[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]]
    """
    if not 0 <= ykernel < max(levels, 1):
        raise InputError(
            "ykernel must be at least 0 and less than the number of classes.",
            given=f"ykernel={ykernel} with {levels} classes",
        )
    away = np.abs(np.subtract.outer(np.arange(levels), np.arange(levels)))
    reach = max(1, int(ykernel))  # a fraction of the last step does not count, save the first
    return np.where(away <= reach, ykernel + 1.0 - away, 0.0)
