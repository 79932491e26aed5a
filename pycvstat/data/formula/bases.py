"""Columns computed from one: R's poly() and contr.poly(), and its splines bs() and ns()."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pycvstat import rmath
from pycvstat.rmath.arithmetic import power
from pycvstat.types import FloatArray

NEGLIGIBLE = 1e-7  # what must be left of a column, as a share of it: R's ``qr(tol = )``


@dataclass(frozen=True, slots=True, eq=False)
class Polynomials:
    """Orthogonal polynomials over some points, and the recurrence that continues them elsewhere.

    Attributes
    ----------
    alpha : ndarray of shape (degree,)
        The centring constants.
    norm2 : ndarray of shape (degree + 2,)
        The squared norms, the first of them 1.
    values : ndarray of shape (n, degree)
        The polynomials at the points themselves, from their factorisation as in R; the
        recurrence gives the same but for rounding.
    """

    alpha: FloatArray
    norm2: FloatArray
    values: FloatArray

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

    As in R: ``poly(x, degree)`` with its coefficients, to the last bit where R's BLAS adds one
    product after the other, as the reference BLAS does. Norms are 0 from the first power on that
    those before it explain.

    Examples
    --------
    >>> fitted = orthogonal(np.array([1.0, 2.0, 3.0]), 1)
    >>> fitted.values.ravel().round(4)[[0, 2]].tolist()
    [-0.7071, 0.7071]
    """
    mean = rmath.mean(x)
    raw = _orthogonal_columns(power(x - mean, np.arange(degree + 1.0)[:, None]))
    squares = raw * raw
    norm2 = rmath.row_sums(squares)
    alpha = rmath.row_sums((x - mean) * squares) / norm2 + mean
    values = raw[1:] / np.sqrt(norm2[1:, None])
    return Polynomials(alpha[:degree], np.concatenate([[1.0], norm2]), values.T)


def _orthogonal_columns(columns: FloatArray) -> FloatArray:
    """Q times the diagonal of the triangle, of a matrix given by its columns, (p, n).

    Businger & Golub (1965), Numerische Mathematik 7, in the order of LINPACK's steps.
    """
    left, made, heads = columns.copy(), np.zeros_like(columns), []
    for j, column in enumerate(left):
        head = column[j:]
        size = math.copysign(_length(head), head[0] or 1.0)
        explained = not abs(size) > NEGLIGIBLE * _length(columns[j])
        if explained and (j < len(left) - 1 or not size):
            break
        made[j, j] = -size if len(head) > 1 else head[0]
        head *= 1.0 / size
        head[0] += 1.0
        for other in left[j + 1 :, j:]:
            _reflect(head, other)
        if not explained and len(head) > 1:
            heads.append(head)
    for j in reversed(range(len(heads))):
        for other in made[:, j:]:
            _reflect(heads[j], other)
    return made


def _reflect(head: FloatArray, column: FloatArray) -> None:
    column += -_dot(head, column) / head[0] * head


def _dot(a: FloatArray, b: FloatArray) -> float:
    """A sum of products, one after the other; NumPy's own takes several at a time."""
    return float(np.add.accumulate(a * b)[-1])


def _length(column: FloatArray) -> float:
    return math.sqrt(_dot(column, column))


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
    spread = np.arange(1 - levels, levels, 2).astype(object)
    before = now = np.ones_like(spread)
    columns = []
    for k in range(levels - 1):
        following = (2 * k + 1) * spread * now - k * (levels**2 - k**2) * before
        before, now = now, following // (k + 1)
        length2 = sum(now * now)
        columns.append([math.copysign(math.sqrt(v * v / length2), v) for v in now])
    return np.array(columns).reshape(levels - 1, levels).T


@dataclass(frozen=True, eq=False)
class SplineBasis:
    """A basis of piecewise polynomials, continued beyond the boundary knots.

    Parameters
    ----------
    inner : (k,) float64
        The knots inside.
    boundary : (low, high)
    degree : int
    natural : bool
        Whether the pieces at both ends are straight lines (ns), and not polynomials (bs).
    intercept : bool
        Whether the constant is in the span.

    Examples
    --------
    >>> SplineBasis(np.array([1.0]), (0.0, 2.0), 3, False, False).at(np.array([0.0, 1.0, 2.0]))
    array([[0.  , 0.  , 0.  , 0.  ],
           [0.25, 0.5 , 0.25, 0.  ],
           [0.  , 0.  , 0.  , 1.  ]])

    As in R: ``splines::bs(x, knots = inner, Boundary.knots = boundary)``; columns beyond the
    boundary are those of ``predict(bs(x), new)``.
    """

    inner: FloatArray
    boundary: tuple[float, float]
    degree: int
    natural: bool
    intercept: bool

    @cached_property
    def _splines(self) -> Any:
        from scipy.interpolate import BSpline

        low, high = (np.repeat(end, self.degree + 1) for end in self.boundary)
        knots = np.concatenate([low, np.sort(self.inner), high])
        return BSpline(knots, np.eye(len(knots) - self.degree - 1), self.degree)

    @cached_property
    def _rotation(self) -> FloatArray:
        """Columns whose splines have no second derivative at the ends."""
        ends = self._splines(np.array(self.boundary), 2)[:, 0 if self.intercept else 1 :]
        return np.linalg.qr(ends.T, mode="complete")[0][:, 2:]

    def at(self, x: FloatArray) -> FloatArray:
        """The columns at `x`, (n, size); NaN where x is."""
        known = np.where(np.isnan(x), self.boundary[0], x)
        made: FloatArray = self._splines(self._inside(known), extrapolate=True)
        if self.natural:
            for end in self.boundary:
                beyond = (known < end) if end == self.boundary[0] else (known > end)
                slope = self._splines(end, 1)
                made[beyond] += (known[beyond] - end)[:, None] * slope
        made = made[:, 0 if self.intercept else 1 :]
        made = made @ self._rotation if self.natural else made
        made[np.isnan(x)] = np.nan
        return made

    def _inside(self, x: FloatArray) -> FloatArray:
        return np.clip(x, *self.boundary) if self.natural else x
