"""The functions of formulas, a closed list, and the value of an expression over a frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pycvstat.data.formula.syntax import (
    Binary,
    Call,
    Constant,
    Name,
    Node,
    Number,
    Paren,
    Text,
    Unary,
    columns_in,
    deparse,
)
from pycvstat.data.frame import Column, Frame
from pycvstat.data.frame.frames import nearest
from pycvstat.errors import DataError, FormulaError
from pycvstat.rmath.arithmetic import by_c, power, remainder
from pycvstat.types import BoolArray, FloatArray

Numeric = Callable[[FloatArray], FloatArray]

TRIGONOMETRIC = ("acos", "asin", "atan", "cos", "cosh", "sin", "sinh", "tan", "tanh")
EXPONENTIAL = ("exp", "expm1", "log", "log10", "log1p", "log2")

ELEMENTWISE: dict[str, Numeric] = {
    **{
        name: by_c(getattr(math, name), getattr(np, name))
        for name in (*TRIGONOMETRIC, *EXPONENTIAL)
    },
    **{name: getattr(np, name) for name in ("abs", "floor", "sign", "sqrt")},
    "ceiling": np.ceil,
}

ARGUMENTS: dict[str, tuple[str, ...]] = dict.fromkeys(ELEMENTWISE, ("x",)) | {
    "log": ("x", "base"),
    "I": ("x",),
    "offset": ("x",),
    "factor": ("x", "levels", "labels", "exclude", "ordered"),
    "as.factor": ("x",),
    "C": ("x",),
    "ordered": ("x", "levels", "labels"),
    "cut": ("x", "breaks", "labels", "include.lowest", "right", "dig.lab", "ordered_result"),
    "poly": ("x", "degree", "raw"),
    "scale": ("x", "center", "scale"),
    "bs": ("x", "df", "knots", "degree", "intercept", "Boundary.knots"),
    "ns": ("x", "df", "knots", "intercept", "Boundary.knots"),
}
"""Function -> its arguments in R's order; only `x` may hold columns."""

ALLOWED = (*sorted(ARGUMENTS, key=str.casefold), "c")


def arguments(call: Call) -> dict[str, Node]:
    """The arguments of a call by name; FormulaError when they do not fit the function."""
    known = ARGUMENTS.get(call.function)
    if known is None:
        raise _not_allowed(call)
    bound = {name: value for name, value in call.arguments if name is not None}
    free = [name for name in known if name not in bound]
    unnamed = [value for name, value in call.arguments if name is None]
    wrong = [name for name in bound if name not in known]
    if wrong or len(unnamed) > len(free) or len(bound) + len(unnamed) < len(call.arguments):
        fix = f"its arguments are ({', '.join(known)})"
        if call.function == "C":
            fix = 'the first level is the reference: factor(x, levels = c("b", "a"))'
        problem = f"{call.function}() does not take these arguments."
        raise FormulaError(problem, given=deparse(call), fix=fix)
    bound |= dict(zip(free, unnamed, strict=False))
    if "x" not in bound:
        raise FormulaError(f"{call.function}() needs a column.", given=deparse(call))
    return bound


def _not_allowed(call: Call) -> FormulaError:
    special = {
        "cbind": "give one response column; for binomial counts use the share and weights=",
        "as.numeric": "numbers and TRUE/FALSE are used as they are",
        "s": "smooth terms are not offered; use splines: ns(x, df = 4)",
        "te": "smooth terms are not offered; use splines: ns(x, df = 4)",
        "cr": "natural splines are ns(x, df = 4)",
        "Q": "write the name in backticks: `my name`",
        "center": "write scale(x, scale = FALSE)",
        "standardize": "write scale(x)",
    }
    advice = special.get(call.function) or nearest(call.function, ALLOWED)
    allowed = f"the allowed functions are {', '.join(ALLOWED)}"
    problem = f"The function {call.function}() is not allowed in a formula."
    fix = f"{advice}; {allowed}" if advice else f"{allowed}; or make the column beforehand"
    return FormulaError(problem, given=deparse(call), fix=fix)


@dataclass(frozen=True, slots=True, eq=False)
class Vector:
    """Numbers, or logicals as 0 and 1; NaN is missing; a single one is recycled."""

    values: FloatArray
    kind: Literal["numeric", "logical"] = "numeric"


Value: TypeAlias = Vector | Column | str | list[Any]

ARITHMETIC: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": power,
    "%%": remainder,
    "%/%": np.floor_divide,
}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
OPERATORS = frozenset({*ARITHMETIC, *COMPARISONS, "%in%", "&", "|"})
NOTHING = Frame({}, 0)


def evaluate(node: Node, frame: Frame) -> Value:
    """The value of an expression on the rows of a frame.

    Raises
    ------
    DataError
        A column of a kind that the expression cannot use.
    """
    match node:
        case Name(name):
            return frame[name]
        case Number(value) | Constant(value):
            kind: Any = "logical" if isinstance(value, bool) else "numeric"
            return Vector(np.array(float(value)), kind)
        case Text(value):
            return value
        case Paren(inner):
            return evaluate(inner, frame)
        case Unary("!", operand):
            truth = _numbers(operand, frame) != 0
            return _logical(~truth, _numbers(operand, frame))
        case Unary(sign, operand):
            numbers = _numbers(operand, frame)
            return Vector(-numbers if sign == "-" else +numbers)
        case Binary():
            with np.errstate(all="ignore"):
                return _binary(node, frame)
        case Call():
            with np.errstate(all="ignore"):
                return _call(node, frame)


def constant(node: Node) -> Any:
    """The value of an expression without columns: a number, TRUE/FALSE, text or a list."""
    value = evaluate(node, NOTHING)
    if isinstance(value, Vector):
        number = float(value.values)
        return bool(number) if value.kind == "logical" else number
    return value


def flag(bound: Mapping[str, Node], call: Call, name: str, default: bool = False) -> bool:
    """An argument that is TRUE or FALSE, or FormulaError."""
    given = constant(bound[name]) if name in bound else default
    if not isinstance(given, bool):
        raise FormulaError(f"{name} must be TRUE or FALSE.", given=deparse(call))
    return given


def column(node: Node, frame: Frame) -> Column:
    """The value of an expression as a column named as R would name it."""
    if isinstance(node, Name):
        return frame[node.name]
    value = evaluate(node, frame)
    if isinstance(value, Column):
        return value.rename(deparse(node))
    if not isinstance(value, Vector):
        raise FormulaError("This is not computed from a column.", given=deparse(node))
    values = np.broadcast_to(value.values, (frame.n,)).astype(np.float64)
    return Column(deparse(node), value.kind, values)


def refuse_undefined(node: Node, made: Column, frame: Frame) -> None:
    """Infinite values, and values that are missing although their sources are not."""
    numbers = made.kind in ("numeric", "date", "logical")
    bad = ~np.isfinite(made.values) if numbers else made.missing()
    if bad.any() and (bad := bad & frame.complete(sources := columns_in(node))).any():
        row = int(np.flatnonzero(bad)[0])
        where = ", ".join(f"{name} = {frame[name].values[row]}" for name in sources)
        raise DataError(
            f"{deparse(node)} is not a {'finite number' if numbers else 'known level'} "
            f"in {int(bad.sum())} of {frame.n} rows.",
            given=f"row {row + 1} (counted from 1): {where}",
            fix="leave these rows out, or change the transformation",
        )


def _numbers(node: Node, frame: Frame) -> FloatArray:
    value = evaluate(node, frame)
    if isinstance(value, Vector):
        return value.values
    if isinstance(value, Column) and value.kind in ("numeric", "logical", "date"):
        return value.values
    what = value.kind if isinstance(value, Column) else "not a number"
    fix = "compare it with == or %in%, or give the column as numbers"
    raise DataError(f"{deparse(node)} is {what}, and arithmetic needs numbers.", fix=fix)


def _call(node: Call, frame: Frame) -> Value:
    if node.function == "c":
        return [constant(value) for _, value in node.arguments]
    bound = arguments(node)
    if node.function == "I":
        return evaluate(bound["x"], frame)
    made = ELEMENTWISE[node.function](_numbers(bound["x"], frame))
    if "base" in bound:
        return _logarithm(_numbers(bound["x"], frame), _numbers(bound["base"], frame))
    return Vector(made)


def _logarithm(x: FloatArray, base: FloatArray) -> Vector:
    """R has log10 and log2 of their own for these bases."""
    if base.ndim == 0 and float(base) in (2.0, 10.0):
        return Vector(ELEMENTWISE["log2" if float(base) == 2.0 else "log10"](x))
    return Vector(ELEMENTWISE["log"](x) / ELEMENTWISE["log"](base))


def _binary(node: Binary, frame: Frame) -> Vector:
    if node.operator in ARITHMETIC:
        left, right = _numbers(node.left, frame), _numbers(node.right, frame)
        return Vector(ARITHMETIC[node.operator](left, right))
    if node.operator in COMPARISONS:
        return _comparison(node, frame)
    if node.operator == "%in%":
        return _within(node, frame)
    left, right = _numbers(node.left, frame), _numbers(node.right, frame)
    deciding = 0.0 if node.operator == "&" else 1.0  # this value decides even beside an NA
    a, b = np.where(np.isnan(left), left, left != 0), np.where(np.isnan(right), right, right != 0)
    unknown = np.where(np.isnan(a) | np.isnan(b), np.nan, 1.0 - deciding)
    return Vector(np.where((a == deciding) | (b == deciding), deciding, unknown), "logical")


def _comparison(node: Binary, frame: Frame) -> Vector:
    left, right = evaluate(node.left, frame), evaluate(node.right, frame)
    if _is_words(left) or _is_words(right):
        if node.operator not in ("==", "!="):
            raise DataError(
                "Words and levels can be compared by == and != only.", given=deparse(node)
            )
        a, b = _words(left), _words(right)
        known = ~(np.asarray(pd.isna(a)) | np.asarray(pd.isna(b)))
        same = COMPARISONS[node.operator](a, b).astype(bool)
        return Vector(np.where(known, same, np.nan), "logical")
    x, y = _numbers(node.left, frame), _numbers(node.right, frame)
    return _logical(COMPARISONS[node.operator](x, y), x, y)


def _within(node: Binary, frame: Frame) -> Vector:
    values = constant(node.right)
    values = values if isinstance(values, list) else [values]
    left = evaluate(node.left, frame)
    if _is_words(left):
        spelled = [deparse(Number(v)) if isinstance(v, float) else str(v) for v in values]
        return Vector(np.isin(_words(left).astype(str), spelled).astype(float), "logical")
    numbers = [value for value in values if not isinstance(value, str)]
    found = np.isin(_numbers(node.left, frame), np.array(numbers, dtype=np.float64))
    return Vector(found.astype(np.float64), "logical")


def _is_words(value: Value) -> bool:
    return isinstance(value, str) or (
        isinstance(value, Column) and value.kind in ("text", "factor", "ordered")
    )


def _words(value: Value) -> NDArray[Any]:
    if isinstance(value, Column):
        return value.labels()
    if isinstance(value, str):
        return np.array(value, dtype=object)
    raise DataError("Words are compared with words in quotes only.", fix='write g == "a"')


def _logical(truth: BoolArray, *sources: FloatArray) -> Vector:
    """Truth values, missing where any source is."""
    missing = np.logical_or.reduce(np.broadcast_arrays(*[np.isnan(s) for s in sources]))
    return Vector(np.where(missing, np.nan, truth), "logical")
