"""Regression splines: R's bs() and ns() of the package splines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.interpolate import BSpline

from pycvstat.types import FloatArray


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


def fitted(
    x: FloatArray,
    *,
    natural: bool,
    df: int | None,
    knots: FloatArray | None,
    degree: int,
    intercept: bool,
    boundary: tuple[float, float] | None,
) -> SplineBasis:
    """A basis over `x`: by default with knots at its quantiles and its range as boundary."""
    ends = (float(x.min()), float(x.max())) if boundary is None else boundary
    if knots is None:
        taken = 1 if natural else degree
        inner = 0 if df is None else df - taken - int(intercept)
        inside = x[(x >= ends[0]) & (x <= ends[1])]
        knots = np.quantile(inside, np.linspace(0, 1, inner + 2)[1:-1])
    return SplineBasis(knots, ends, degree, natural, intercept)
