"""Triangles that stand for rows: small matrices with the cross products of many rows.

The triangle R of a QR factorisation of rows has their cross products, R'R = Z'Z, and is computed
without forming these, which would square the condition of the rows and lose half of the digits of
what least squares makes of them. Triangles of parts, one below the other, have a triangle again:
the one of all their rows (Demmel, Grigori, Hoemmen and Langou 2012, TSQR).
"""

from __future__ import annotations

import numpy as np

from pycvstat.types import FloatArray, IntArray

TOGETHER = 2**15
"""Numbers factorised at a time: 256 kB, what stays in the cache."""


def triangle(Z: FloatArray) -> FloatArray:
    """An upper triangular matrix (q, q) with the cross products of rows (n, q).

    Examples
    --------
    >>> Z = np.array([[3.0, 1.0], [4.0, 1.0], [0.0, 1.0]])
    >>> R = triangle(Z)
    >>> np.allclose(R.T @ R, Z.T @ Z), R[1, 0]
    (True, np.float64(0.0))
    """
    while True:
        n, q = Z.shape
        size = max(4 * q, TOGETHER // q)
        count = -(-n // size)
        if count <= 1:
            size, count = max(n, q), 1
        rows = np.zeros((count * size, q))  # rows of zeros change no cross product
        rows[:n] = Z
        Z = np.reshape(np.linalg.qr(rows.reshape(count, size, q), mode="r"), (-1, q))
        if count == 1:
            return Z


def triangles(Z: FloatArray, labels: IntArray, count: int) -> FloatArray:
    """The triangle of the rows of each label from 0 to `count` - 1: (count, q, q).

    Examples
    --------
    >>> triangles(np.array([[3.0], [1.0], [4.0]]), np.array([0, 1, 0]), 2).ravel() ** 2
    array([25.,  1.])
    """
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels, minlength=count))
    return np.stack([triangle(Z[rows]) for rows in np.split(order, ends[:-1])])
