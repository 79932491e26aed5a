"""The variables of a formula: what each is over the data, and its columns in a design matrix.

Every variable is made once from the full data, which freezes kinds and levels; poly(), scale() and
splines are then fitted on training rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np

from pycvstat import rmath
from pycvstat.data.formula import bases, factors
from pycvstat.data.formula.evaluate import arguments, column, constant, flag, refuse_undefined
from pycvstat.data.formula.syntax import Call, Node, deparse
from pycvstat.data.frame import Frame
from pycvstat.errors import DataError, FormulaError
from pycvstat.rmath.arithmetic import power
from pycvstat.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A numeric variable: one column, unless a subclass makes several of it."""

    node: Node
    label: str

    @property
    def size(self) -> int:
        """How many columns it has."""
        return 1

    @property
    def computed(self) -> bool:
        """Whether it is computed from the rows, and so must be fitted on training rows only."""
        return False

    def fit(self, frame: Frame) -> Self:
        """The same, with what is computed from the rows of this frame."""
        return self

    def names(self, every_level: bool) -> tuple[str, ...]:
        """The names of its columns."""
        if self.size == 1:
            return (self.label,)
        return tuple(f"{self.label}{place}" for place in range(1, self.size + 1))

    def matrix(self, frame: Frame, every_level: bool) -> FloatArray:
        """Its columns on the rows of a frame: (n, size)."""
        return column(self.node, frame).values[:, None]

    def _source(self, frame: Frame) -> FloatArray:
        """The values of what stands as x in the call."""
        assert isinstance(self.node, Call)
        return column(arguments(self.node)["x"], frame).values

    def _finite(self, frame: Frame) -> FloatArray:
        x = self._source(frame)
        return x[np.isfinite(x)]


@dataclass(frozen=True, slots=True, eq=False)
class Poly(Numbers):
    """Polynomials of a variable, orthogonal over the rows that they were fitted on, or raw."""

    degree: int
    raw: bool
    fitted: bases.Polynomials | None = None
    rows: Frame | None = None  # that it was fitted on

    @property
    def size(self) -> int:
        """How many columns it has."""
        return self.degree

    @property
    def computed(self) -> bool:
        """Orthogonal polynomials are."""
        return not self.raw

    def fit(self, frame: Frame) -> Self:
        """The same polynomials, orthogonal over the rows of this frame."""
        if self.raw:
            return self
        x = self._finite(frame)
        distinct = len(np.unique(x))
        if distinct <= self.degree:
            problem = f"The degree of {self.label} must be less than the number of distinct values."
            fix = "lower the degree, or use larger training parts"
            raise DataError(problem, given=f"{distinct} distinct values in {len(x)} rows", fix=fix)
        with np.errstate(all="ignore"):
            fitted = bases.orthogonal(x, self.degree)
        norms = fitted.norm2
        if not (np.isfinite(fitted.alpha).all() and (norms > 0).all() and (norms < np.inf).all()):
            raise DataError(
                f"{self.label} cannot be computed: powers of the column explain each other, or "
                "leave the range of numbers.",
                given=f"values from {x.min():g} to {x.max():g}",
                fix="lower the degree, or change the unit of the column",
            )
        return replace(self, fitted=fitted, rows=frame)

    def matrix(self, frame: Frame, every_level: bool) -> FloatArray:
        """Its columns on the rows of a frame: (n, degree)."""
        x = self._source(frame)
        if self.fitted is None:
            return power(x[:, None], np.arange(1.0, self.degree + 1))
        made = self.fitted.at(x)
        if frame is self.rows:
            made[np.isfinite(x)] = self.fitted.values
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Scale(Numbers):
    """A variable less its mean, divided by its standard deviation, both of the fitted rows."""

    center: bool | float
    divide: bool | float
    fitted: tuple[float, float] = (0.0, 1.0)

    @property
    def computed(self) -> bool:
        """Unless both numbers are given, or left out."""
        return self.center is True or self.divide is True

    def fit(self, frame: Frame) -> Self:
        """The same, with mean and standard deviation of the rows of this frame."""
        x = self._finite(frame)
        with np.errstate(all="ignore"):
            mean = float(rmath.column_sums(x[:, None])[0] / max(1, len(x)))
            centre = _chosen(self.center, mean, 0.0)
            # without centring R divides by the root mean square
            spread = math.sqrt(rmath.sum_((x - centre) ** 2) / max(1, len(x) - 1))
        divisor = _chosen(self.divide, spread, 1.0)
        if len(np.unique(x)) < 2 and not divisor > 0:
            raise _constant(
                self.label, f"{len(x)} rows, all equal to {x[0]:g}" if len(x) else "no rows"
            )
        if not (np.isfinite(centre) and 0 < divisor < np.inf):
            problem = f"{self.label} cannot be computed: its squares leave the range of numbers."
            fix = "change the unit of the column"
            raise DataError(problem, given=f"values from {x.min():g} to {x.max():g}", fix=fix)
        return replace(self, fitted=(centre, divisor))

    def matrix(self, frame: Frame, every_level: bool) -> FloatArray:
        """Its column on the rows of a frame: (n, 1)."""
        centre, divisor = self.fitted
        made: FloatArray = ((self._source(frame) - centre) / divisor)[:, None]
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Splines(Numbers):
    """Splines of a variable, with knots and boundary from the rows that they were fitted on."""

    natural: bool
    degree: int
    intercept: bool
    inner: int  # knots inside, unless they are given
    knots: FloatArray | None
    boundary: tuple[float, float] | None
    fitted: bases.SplineBasis | None = None

    @property
    def size(self) -> int:
        """How many columns it has."""
        inside = self.inner if self.knots is None else len(self.knots)
        return inside + (1 if self.natural else self.degree) + self.intercept

    @property
    def computed(self) -> bool:
        """Unless all knots are given."""
        return self.boundary is None or self.knots is None

    def fit(self, frame: Frame) -> Self:
        """The same splines, with the knots of the rows of this frame."""
        x = self._finite(frame)
        if len(np.unique(x)) < 2:
            raise _constant(self.label, f"{len(x)} rows")
        low, high = self.boundary or (float(x.min()), float(x.max()))
        knots = self.knots
        if knots is None:
            inside = x[(x >= low) & (x <= high)]
            knots = np.quantile(inside, np.linspace(0, 1, self.inner + 2)[1:-1])
        elif (np.clip(knots, low, high) != knots).any():
            given = f"knots {knots.tolist()}, values from {low:g} to {high:g}"
            problem = f"{self.label} has knots beyond the rows that it is fitted on."
            raise DataError(problem, given=given, fix="give Boundary.knots around them")
        basis = bases.SplineBasis(knots, (low, high), self.degree, self.natural, self.intercept)
        return replace(self, fitted=basis)

    def matrix(self, frame: Frame, every_level: bool) -> FloatArray:
        """Its columns on the rows of a frame: (n, size)."""
        assert self.fitted is not None
        return self.fitted.at(self._source(frame))


Variable: TypeAlias = Numbers | factors.Levels


def _constant(label: str, given: str) -> DataError:
    problem = f"{label} cannot be computed: the column does not vary."
    return DataError(problem, given=given, fix="drop the column")


def _chosen(option: bool | float, computed: float, without: float) -> float:
    if isinstance(option, bool):
        return computed if option else without
    return option


def freeze(node: Node, frame: Frame, coding: factors.Coding) -> Variable:
    """A variable of a formula as the full data define it: its kind and its levels."""
    if isinstance(node, Call) and node.function in COMPUTED:
        variable = COMPUTED[node.function](node)
        inner = arguments(node)["x"]
        made = column(inner, frame)
        if made.kind not in ("numeric", "date", "logical"):
            raise DataError(f"{deparse(node)} needs numbers.", given=f"{made.name} is {made.kind}")
        refuse_undefined(inner, made, frame)
        return variable
    made = factors.value(node, frame)
    refuse_undefined(node, made, frame)
    if made.kind in ("numeric", "date"):
        return Numbers(node, deparse(node))
    return factors.freeze(node, made, coding)


def _poly(node: Call) -> Poly:
    given = _constants(node)
    degree = given.get("degree", 1.0)
    if not isinstance(degree, float) or degree != int(degree) or not 1 <= degree <= 50:
        raise FormulaError(
            "The degree of poly() must be a whole number from 1.", given=deparse(node)
        )
    return Poly(node, deparse(node), int(degree), bool(given.get("raw", False)))


def _scale(node: Call) -> Scale:
    given = _constants(node)
    chosen = [given.get(name, True) for name in ("center", "scale")]
    if not all(isinstance(one, (bool, float)) for one in chosen):
        raise FormulaError("center and scale must be TRUE, FALSE or a number.", given=deparse(node))
    return Scale(node, deparse(node), *chosen)


def _splines(node: Call) -> Splines:
    given = _constants(node)
    natural, degree = node.function == "ns", given.get("degree", 3.0)
    intercept = flag(arguments(node), node, "intercept")
    knots, boundary = (_several(given.get(name), node) for name in ("knots", "Boundary.knots"))
    least = (1.0 if natural else degree) + intercept
    df = given.get("df", least)
    for name, number, low in (("degree", degree, 1.0), ("df", df, least)):
        if not isinstance(number, float) or number != int(number) or not low <= number <= 500:
            problem = f"{name} of {node.function}() must be a whole number from {low:g}."
            raise FormulaError(problem, given=deparse(node))
    if boundary is not None and not (len(boundary) == 2 and boundary[0] < boundary[1]):
        raise FormulaError("Boundary.knots are two numbers.", given=deparse(node))
    ends = None if boundary is None else (float(boundary[0]), float(boundary[1]))
    inner = int(df - least)
    return Splines(node, deparse(node), natural, int(degree), intercept, inner, knots, ends)


COMPUTED = {"poly": _poly, "scale": _scale, "bs": _splines, "ns": _splines}


def _constants(node: Call) -> dict[str, Any]:
    return {name: constant(value) for name, value in arguments(node).items() if name != "x"}


def _several(given: Any, node: Call) -> FloatArray | None:
    """One number or several, as an array."""
    if given is None:
        return None
    values = given if isinstance(given, list) else [given]
    if not all(isinstance(v, float) and np.isfinite(v) for v in values):
        raise FormulaError("Knots are numbers.", given=deparse(node))
    return np.array(values)
