"""Orthogonal polynomials over points: R's poly() and contr.poly()."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Polynomials:
    """The three-term recurrence that defines orthogonal polynomials over some points.

    Attributes
    ----------
    alpha : ndarray of shape (degree,)
        The centring constants.
    norm2 : ndarray of shape (degree + 2,)
        The squared norms, the first of them 1.
    """

    alpha: FloatArray
    norm2: FloatArray

    def at(self, x: FloatArray) -> FloatArray:
        """The polynomials of degree 1, 2, ... at `x`: an array of shape (n, degree).

        As in R: ``predict(poly(x0, degree), x)``.
        """
        values = np.ones((len(x), len(self.alpha) + 1))
        for j, centre in enumerate(self.alpha):
            values[:, j + 1] = (x - centre) * values[:, j]
            if j:
                values[:, j + 1] -= self.norm2[j + 1] / self.norm2[j] * values[:, j - 1]
        return values[:, 1:] / np.sqrt(self.norm2[2:])


def orthogonal(x: FloatArray, degree: int) -> Polynomials:
    """Polynomials orthogonal to each other and to the constant over the points `x`.

    As in R: the coefficients ``attr(poly(x, degree), "coefs")``.

    Examples
    --------
    >>> fitted = orthogonal(np.array([1.0, 2.0, 3.0]), 1)
    >>> fitted.at(np.array([1.0, 2.0, 3.0])).ravel().round(4).tolist()
    [-0.7071, 0.0, 0.7071]
    """
    centre = float(np.mean(x))
    q, r = np.linalg.qr((x - centre)[:, None] ** np.arange(degree + 1))
    raw = q * np.diag(r)
    norm2 = (raw**2).sum(axis=0)
    alpha = ((x - centre)[:, None] * raw**2).sum(axis=0) / norm2 + centre
    return Polynomials(alpha[:degree], np.concatenate([[1.0], norm2]))


def contrasts(levels: int) -> FloatArray:
    """Polynomial contrasts of equally spaced levels: an array of shape (levels, levels - 1).

    From the recurrence of Gram's polynomials in whole numbers, so that they are exact to the last
    digit for any number of levels.

    As in R: ``contr.poly(levels)``, which loses digits beyond about 15 levels.

    Examples
    --------
    >>> contrasts(4)[:, 0].round(4).tolist()
    [-0.6708, -0.2236, 0.2236, 0.6708]
    """
    spread = [2 * i - levels + 1 for i in range(levels)]
    before, now = [0] * levels, [1] * levels
    columns = []
    for k in range(levels - 1):
        following = [
            ((2 * k + 1) * x * t - k * (levels**2 - k**2) * s) // (k + 1)
            for x, t, s in zip(spread, now, before, strict=True)
        ]
        before, now = now, following
        length2 = sum(value * value for value in now)
        columns.append([math.copysign(math.sqrt(v * v / length2), v) for v in now])
    return np.array(columns).reshape(levels - 1, levels).T
