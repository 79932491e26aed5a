"""The functions that a formula may use: a closed list, with their arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pycvstat.data.formula.syntax import Call, Node, deparse
from pycvstat.data.frame.frames import nearest
from pycvstat.errors import FormulaError
from pycvstat.rmath.arithmetic import by_c
from pycvstat.types import FloatArray

Numeric = Callable[[FloatArray], FloatArray]

ELEMENTWISE: dict[str, Numeric] = {
    "abs": np.abs,
    "acos": by_c(math.acos, np.arccos),
    "asin": by_c(math.asin, np.arcsin),
    "atan": by_c(math.atan, np.arctan),
    "ceiling": np.ceil,
    "cos": by_c(math.cos, np.cos),
    "cosh": by_c(math.cosh, np.cosh),
    "exp": by_c(math.exp, np.exp),
    "expm1": by_c(math.expm1, np.expm1),
    "floor": np.floor,
    "log": by_c(math.log, np.log),
    "log10": by_c(math.log10, np.log10),
    "log1p": by_c(math.log1p, np.log1p),
    "log2": by_c(math.log2, np.log2),
    "sign": np.sign,
    "sin": by_c(math.sin, np.sin),
    "sinh": by_c(math.sinh, np.sinh),
    "sqrt": np.sqrt,
    "tan": by_c(math.tan, np.tan),
    "tanh": by_c(math.tanh, np.tanh),
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

STANDALONE = frozenset(
    {"factor", "as.factor", "C", "ordered", "cut", "poly", "scale", "bs", "ns", "offset"}
)
"""Functions whose value is not a plain vector of numbers: they are terms, never parts of one."""

COMPUTED = frozenset({"poly", "scale", "bs", "ns"})
"""Functions computed from the data: fitted on training rows only."""

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
        raise FormulaError(
            f"{call.function}() does not take these arguments.",
            given=deparse(call),
            fix=f"its arguments are ({', '.join(known)})",
        )
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
    }
    advice = special.get(call.function) or nearest(call.function, ALLOWED)
    allowed = f"the allowed functions are {', '.join(ALLOWED)}"
    return FormulaError(
        f"The function {call.function}() is not allowed in a formula.",
        given=deparse(call),
        fix=f"{advice}; {allowed}" if advice else f"{allowed}; or make the column beforehand",
    )


def constant_flag(value: Any, call: Call, name: str) -> bool:
    """TRUE or FALSE, or FormulaError."""
    if not isinstance(value, (bool, np.bool_)):
        raise FormulaError(f"{name} must be TRUE or FALSE.", given=deparse(call))
    return bool(value)
