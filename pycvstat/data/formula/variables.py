"""The variables of a formula, frozen on the full data: what they become as columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pycvstat import rmath
from pycvstat.data.formula import factors, polynomials, splines
from pycvstat.data.formula.evaluate import column, constant
from pycvstat.data.formula.factors import Coding
from pycvstat.data.formula.functions import arguments, constant_flag
from pycvstat.data.formula.syntax import Call, Node, columns_in, deparse
from pycvstat.data.frame import Column, Frame
from pycvstat.errors import DataError, FormulaError
from pycvstat.rmath.arithmetic import power
from pycvstat.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A numeric variable: one column."""

    node: Node
    label: str

    def names(self, every_level: bool) -> tuple[str, ...]:
        """The names of its columns."""
        return (self.label,)

    def matrix(self, frame: Frame, every_level: bool) -> FloatArray:
        """Its columns on the rows of a frame: (n, 1)."""
        return column(self.node, frame).values[:, None]


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """A factor with its levels frozen.

    Parameters
    ----------
    node, label : the variable
    levels : tuple of str
    codes : (levels, columns) float64, optional
        Codes of an ordered factor; None for columns that indicate a level.
    code_names : tuple of str
        The names of the columns when not every level gets one.
    """

    node: Node
    label: str
    levels: tuple[str, ...]
    codes: FloatArray | None
    code_names: tuple[str, ...]

    def names(self, every_level: bool) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(self.label + n for n in (self.levels if every_level else self.code_names))

    def matrix(self, frame: Frame, every_level: bool) -> FloatArray:
        """Its columns on the rows of a frame; DataError for a level that was not frozen."""
        places = _places(factors.value(self.node, frame), self.levels, self.node)
        if self.codes is not None and not every_level:
            made: FloatArray = self.codes[places]
        else:
            made = _indicators(places, len(self.levels))
            made = made if every_level else made[:, len(self.levels) - len(self.code_names) :]
        made[places < 0] = np.nan
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Poly:
    """Polynomials of a variable, orthogonal over the rows that they were fitted on, or raw."""

    node: Call
    label: str
    degree: int
    raw: bool
    fitted: polynomials.Polynomials | None = None
    rows: Frame | None = None  # that it was fitted on

    def fit(self, frame: Frame) -> Self:
        """The same polynomials, orthogonal over the rows of this frame."""
        if self.raw:
            return self
        x = column(arguments(self.node)["x"], frame).values
        x = x[np.isfinite(x)]
        if len(np.unique(x)) <= self.degree:
            raise DataError(
                f"The degree of {self.label} must be less than the number of distinct values.",
                given=f"{len(np.unique(x))} distinct values in {len(x)} rows",
                fix="lower the degree, or use larger training parts",
            )
        with np.errstate(all="ignore"):
            fitted = polynomials.orthogonal(x, self.degree)
        norms = fitted.norm2
        if not (np.isfinite(fitted.alpha).all() and (norms > 0).all() and (norms < np.inf).all()):
            raise DataError(
                f"{self.label} cannot be computed: powers of the column explain each other, or "
                "leave the range of numbers.",
                given=f"values from {x.min():g} to {x.max():g}",
                fix="lower the degree, or change the unit of the column",
            )
        return replace(self, fitted=fitted, rows=frame)

    def names(self, every_level: bool) -> tuple[str, ...]:
        """The names of its columns."""
        if self.degree == 1:
            return (self.label,)
        return tuple(f"{self.label}{power}" for power in range(1, self.degree + 1))

    def matrix(self, frame: Frame, every_level: bool) -> FloatArray:
        """Its columns on the rows of a frame: (n, degree)."""
        x = column(arguments(self.node)["x"], frame).values
        if self.fitted is None:
            return power(x[:, None], np.arange(1.0, self.degree + 1))
        made = self.fitted.at(x)
        if frame is self.rows:
            made[np.isfinite(x)] = self.fitted.values
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """A variable less its mean, divided by its standard deviation, both of the fitted rows."""

    node: Call
    label: str
    center: bool | float
    divide: bool | float
    fitted: tuple[float, float] | None = None

    def fit(self, frame: Frame) -> Self:
        """The same, with mean and standard deviation of the rows of this frame."""
        x = column(arguments(self.node)["x"], frame).values
        x = x[np.isfinite(x)]
        with np.errstate(all="ignore"):
            mean = float(rmath.column_sums(x[:, None])[0] / max(1, len(x)))
            centre = _chosen(self.center, mean, 0.0)
            # without centring R divides by the root mean square
            spread = math.sqrt(rmath.sum_((x - centre) ** 2) / max(1, len(x) - 1))
        divisor = _chosen(self.divide, spread, 1.0)
        if len(np.unique(x)) < 2 and not divisor > 0:
            raise DataError(
                f"{self.label} cannot be computed: the column does not vary.",
                given=f"{len(x)} rows, all equal to {x[0]:g}" if len(x) else "no rows",
                fix="drop the column",
            )
        if not (np.isfinite(centre) and 0 < divisor < np.inf):
            raise DataError(
                f"{self.label} cannot be computed: its squares leave the range of numbers.",
                given=f"values from {x.min():g} to {x.max():g}",
                fix="change the unit of the column",
            )
        return replace(self, fitted=(centre, divisor))

    def names(self, every_level: bool) -> tuple[str, ...]:
        """The names of its columns."""
        return (self.label,)

    def matrix(self, frame: Frame, every_level: bool) -> FloatArray:
        """Its column on the rows of a frame: (n, 1)."""
        centre, divisor = self.fitted or (0.0, 1.0)
        x = column(arguments(self.node)["x"], frame).values
        made: FloatArray = ((x - centre) / divisor)[:, None]
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Splines:
    """Splines of a variable, with knots and boundary from the rows that they were fitted on."""

    node: Call
    label: str
    options: Mapping[str, Any]
    size: int
    fitted: splines.SplineBasis | None = None

    def fit(self, frame: Frame) -> Self:
        """The same splines, with the knots of the rows of this frame."""
        x = column(arguments(self.node)["x"], frame).values
        x = x[np.isfinite(x)]
        if len(np.unique(x)) < 2:
            raise DataError(
                f"{self.label} cannot be computed: the column does not vary.",
                given=f"{len(x)} rows",
                fix="drop the column",
            )
        return replace(self, fitted=splines.fitted(x, **self.options))

    def names(self, every_level: bool) -> tuple[str, ...]:
        """The names of its columns."""
        if self.size == 1:
            return (self.label,)
        return tuple(f"{self.label}{place}" for place in range(1, self.size + 1))

    def matrix(self, frame: Frame, every_level: bool) -> FloatArray:
        """Its columns on the rows of a frame: (n, size)."""
        assert self.fitted is not None
        return self.fitted.at(column(arguments(self.node)["x"], frame).values)


Variable: TypeAlias = Numbers | Levels | Poly | Scale | Splines


def _chosen(option: bool | float, computed: float, without: float) -> float:
    if isinstance(option, bool):
        return computed if option else without
    return option


def freeze(node: Node, frame: Frame, coding: Coding) -> Variable:
    """A variable of a formula as the full data define it: its kind and its levels."""
    if isinstance(node, Call) and node.function == "poly":
        return _poly(node, frame)
    if isinstance(node, Call) and node.function == "scale":
        return _scale(node, frame)
    if isinstance(node, Call) and node.function in ("bs", "ns"):
        return _splines(node, frame)
    made = factors.value(node, frame)
    refuse_undefined(node, made, frame)
    if made.kind in ("numeric", "date"):
        return Numbers(node, deparse(node))
    return _levels(node, made, frame, coding)


def _levels(node: Node, made: Column, frame: Frame, coding: Coding) -> Levels:
    codes, levels = made.as_factor()
    if coding == "contrasts" and made.kind != "logical":  # as lm does, and kknn does not
        present = np.bincount(codes[codes >= 0], minlength=len(levels)) > 0
        levels = tuple(level for level, seen in zip(levels, present, strict=True) if seen)
    if len(levels) < 2:
        raise DataError(
            f"{_subject(node)} has fewer than two levels, so it cannot explain anything.",
            given=f"levels {list(levels)}",
            fix="drop it from the formula",
        )
    if len(levels) > 95 and made.kind == "ordered" and coding == "contrasts":
        raise DataError(
            f"{_subject(node)} is ordered with more than 95 levels, too many for polynomials.",
            given=f"{len(levels)} levels",
            fix="use it as a number, or as an unordered factor",
        )
    table = factors.coding_matrix(made, coding, len(levels))
    if table is not None:
        names = factors.code_names(coding, len(levels))
    else:  # treatment contrasts leave the first level out; kknn does so for logicals only
        names = levels if coding == "kknn" and made.kind != "logical" else levels[1:]
    return Levels(node, deparse(node), levels, table, names)


def _indicators(places: NDArray[Any], levels: int) -> FloatArray:
    made = np.zeros((len(places), levels))
    known = np.flatnonzero(places >= 0)
    made[known, places[known]] = 1.0
    return made


def _poly(node: Call, frame: Frame) -> Poly:
    bound = arguments(node)
    degree = constant(bound["degree"]) if "degree" in bound else 1.0
    raw = constant(bound["raw"]) if "raw" in bound else False
    if not isinstance(degree, float) or degree != int(degree) or not 1 <= degree <= 50:
        raise FormulaError(
            "The degree of poly() must be a whole number from 1.", given=deparse(node)
        )
    _numeric(bound["x"], node, frame)
    return Poly(node, deparse(node), int(degree), bool(raw))


def _scale(node: Call, frame: Frame) -> Scale:
    bound = arguments(node)
    center, divide = (
        constant(bound[name]) if name in bound else True for name in ("center", "scale")
    )
    if not isinstance(center, (bool, float)) or not isinstance(divide, (bool, float)):
        raise FormulaError("center and scale must be TRUE, FALSE or a number.", given=deparse(node))
    _numeric(bound["x"], node, frame)
    return Scale(node, deparse(node), center, divide)


def _splines(node: Call, frame: Frame) -> Splines:
    bound = arguments(node)
    given = {name: constant(value) for name, value in bound.items() if name != "x"}
    natural, degree = node.function == "ns", given.get("degree", 3.0)
    intercept = constant_flag(given.get("intercept", False), node, "intercept")
    knots, boundary = (_several(given.get(name), node) for name in ("knots", "Boundary.knots"))
    least = (1.0 if natural else degree) + intercept
    df = least if given.get("df") is None and knots is None else given.get("df", least)
    for name, number, low in (("degree", degree, 1.0), ("df", df, least)):
        if not isinstance(number, float) or number != int(number) or not low <= number <= 500:
            raise FormulaError(
                f"{name} of {node.function}() must be a whole number from {low:g}.",
                given=deparse(node),
            )
    if boundary is not None and not (len(boundary) == 2 and boundary[0] < boundary[1]):
        raise FormulaError("Boundary.knots are two numbers.", given=deparse(node))
    _numeric(bound["x"], node, frame)
    options = {
        "natural": natural,
        "df": int(df),
        "knots": knots,
        "degree": int(degree),
        "intercept": intercept,
        "boundary": None if boundary is None else tuple(boundary.tolist()),
    }
    size = int(df) if knots is None else len(knots) + int(least)
    return Splines(node, deparse(node), options, size)


def _several(given: Any, node: Call) -> FloatArray | None:
    """One number or several, as an array."""
    values = given if isinstance(given, list) else [given]
    if given is None:
        return None
    if not all(isinstance(v, float) and np.isfinite(v) for v in values):
        raise FormulaError("Knots are numbers.", given=deparse(node))
    return np.array(values)


def _numeric(inner: Node, node: Call, frame: Frame) -> None:
    made = column(inner, frame)
    if made.kind not in ("numeric", "date", "logical"):
        raise DataError(f"{deparse(node)} needs numbers.", given=f"{made.name} is {made.kind}")
    refuse_undefined(inner, made, frame)


def refuse_undefined(node: Node, made: Column, frame: Frame) -> None:
    """Infinite values, and values that are missing although their sources are not."""
    numbers = made.kind in ("numeric", "date", "logical")
    bad = ~np.isfinite(made.values) if numbers else made.missing()
    if not bad.any():
        return
    sources = columns_in(node)
    bad &= frame.complete(sources)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        where = ", ".join(f"{name} = {frame[name].values[row]}" for name in sources)
        raise DataError(
            f"{deparse(node)} is not a {'finite number' if numbers else 'known level'} "
            f"in {int(bad.sum())} of {frame.n} rows.",
            given=f"row {row}: {where}",
            fix="leave these rows out, or change the transformation",
        )


def _places(made: Column, levels: tuple[str, ...], node: Node) -> NDArray[Any]:
    """The frozen code of every row; -1 for missing."""
    codes, own = made.as_factor()
    if own == levels:
        return codes
    place = {level: i for i, level in enumerate(levels)}
    moved = np.array([*(place.get(level, -2) for level in own), -1], dtype=np.int32)
    places = moved[codes]
    if (places == -2).any():
        rows = np.flatnonzero(places == -2)
        unseen = sorted({own[code] for code in codes[rows]})
        raise DataError(
            f"{_subject(node)} has {'levels' if len(unseen) > 1 else 'a level'} not seen before: "
            f"{', '.join(repr(level) for level in unseen[:5])}.",
            given=f"{len(rows)} rows, the first is row {rows[0]}; known: {list(levels[:12])}",
            fix="leave these rows out, or make the level known to the data that are fitted",
        )
    return places


def _subject(node: Node) -> str:
    names = columns_in(node)
    return f"Column {names[0]!r}" if names == (deparse(node),) else f"{deparse(node)}"
