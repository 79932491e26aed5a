"""Columns that become factors: factor(), ordered(), cut(), words, and their contrasts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pycvstat.data.formula import polynomials
from pycvstat.data.formula.evaluate import column, constant
from pycvstat.data.formula.functions import arguments, constant_flag
from pycvstat.data.formula.syntax import Call, Node, deparse
from pycvstat.data.frame import Column, Frame
from pycvstat.data.frame.columns import level_name
from pycvstat.errors import FormulaError
from pycvstat.types import FloatArray

Coding = Literal["contrasts", "kknn"]
POLYNOMIAL_NAMES = (".L", ".Q", ".C")


def value(node: Node, frame: Frame) -> Column:
    """The value of a variable of a formula: `evaluate.column`, and factor(), ordered(), cut()."""
    if not isinstance(node, Call) or node.function not in MAKERS:
        return column(node, frame)
    return MAKERS[node.function](node, frame)


def _factor(call: Call, frame: Frame) -> Column:
    bound = arguments(call)
    if "exclude" in bound:
        raise FormulaError("factor(exclude = ) is not offered.", given=deparse(call))
    source = column(bound["x"], frame)
    codes, levels = source.as_factor()
    if "levels" in bound:
        codes, levels = _relevelled(codes, levels, _words(bound["levels"], call))
    if "labels" in bound:
        levels = _labelled(levels, _words(bound["labels"], call), call)
    given = "ordered" in bound and constant_flag(constant(bound["ordered"]), call, "ordered")
    kept = source.kind == "ordered" and "ordered" not in bound
    is_ordered = call.function == "ordered" or given or kept
    return Column(deparse(call), "ordered" if is_ordered else "factor", codes, levels)


def _relevelled(
    codes: NDArray[np.int32], levels: tuple[str, ...], wanted: tuple[str, ...]
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Values outside the wanted levels become missing, as in R."""
    place = {level: i for i, level in enumerate(wanted)}
    moved = np.array([*(place.get(level, -1) for level in levels), -1], dtype=np.int32)
    return moved[codes], wanted


def _labelled(levels: tuple[str, ...], labels: tuple[str, ...], call: Call) -> tuple[str, ...]:
    if len(labels) != len(levels) or len(set(labels)) < len(labels):
        raise FormulaError(
            "There must be one label per level, all different.",
            given=f"{deparse(call)}: {len(labels)} labels for {len(levels)} levels",
        )
    return labels


def _words(node: Node, call: Call) -> tuple[str, ...]:
    given = constant(node)
    words = tuple(level_name(v) for v in (given if isinstance(given, list) else [given]))
    if len(set(words)) < len(words):
        raise FormulaError("Levels are repeated.", given=deparse(call))
    return words


def _cut(call: Call, frame: Frame) -> Column:
    bound = arguments(call)
    breaks = _breaks(bound.get("breaks"), call)
    flags = {
        name: constant_flag(constant(bound[name]), call, name)
        for name in ("include.lowest", "right", "ordered_result")
        if name in bound
    }
    right, lowest = flags.get("right", True), flags.get("include.lowest", False)
    source = column(bound["x"], frame)
    if source.kind != "numeric":
        raise FormulaError(f"cut() needs numbers, and {source.name} is {source.kind}.",
                           given=deparse(call))  # fmt: skip
    x = source.values
    codes = np.searchsorted(breaks, x, side="left" if right else "right").astype(np.int32) - 1
    if lowest:
        codes[x == (breaks[0] if right else breaks[-1])] = 0 if right else len(breaks) - 2
    codes[np.isnan(x) | (codes >= len(breaks) - 1)] = -1
    levels = _intervals(
        breaks, right, lowest, int(constant(bound["dig.lab"])) if ("dig.lab" in bound) else 3
    )
    if "labels" in bound:
        levels = _labelled(levels, _words(bound["labels"], call), call)
    kind: Any = "ordered" if flags.get("ordered_result", False) else "factor"
    return Column(deparse(call), kind, codes, levels)


def _breaks(node: Node | None, call: Call) -> FloatArray:
    given = constant(node) if node is not None else None
    numbers = isinstance(given, list) and all(isinstance(v, float) for v in given)
    if not numbers or len(set(given or [])) < 2 or len(set(given or [])) < len(given or []):
        raise FormulaError(
            "cut() needs its breaks as numbers, all different.",
            given=deparse(call),
            fix="write cut(x, c(0, 10, 20)); a number of intervals would depend on the data",
        )
    return np.sort(np.array(given, dtype=np.float64))


def _intervals(breaks: FloatArray, right: bool, lowest: bool, digits: int) -> tuple[str, ...]:
    """R's names of intervals: as few digits as keep the breaks apart, at least `digits`."""
    for precision in range(max(1, digits), max(12, digits) + 1):
        ends = [f"{b:.{precision}g}" if np.isfinite(b) else _infinite(b) for b in breaks]
        if len(set(ends)) == len(ends):
            break
    opening, closing = ("(", "]") if right else ("[", ")")
    names = [f"{opening}{a},{b}{closing}" for a, b in pairwise(ends)]
    if lowest and right:
        names[0] = f"[{names[0][1:]}"
    elif lowest:
        names[-1] = f"{names[-1][:-1]}]"
    return tuple(names)


def _infinite(value: float) -> str:
    return " Inf" if value > 0 else "-Inf"


MAKERS = {"factor": _factor, "as.factor": _factor, "C": _factor, "ordered": _factor, "cut": _cut}


def coding_matrix(column: Column, coding: Coding, levels: int) -> FloatArray | None:
    """Codes of an ordered factor, one row per level; None for a factor that gets indicators.

    As in R: ``contr.poly``; with "kknn" steps of one half up and down.
    """
    if column.kind != "ordered":
        return None
    if coding == "kknn":
        return np.where(np.arange(levels)[:, None] <= np.arange(levels - 1), 0.5, -0.5)
    return polynomials.contrasts(levels)


def code_names(coding: Coding, levels: int) -> tuple[str, ...]:
    """What R adds to the name of an ordered factor for each of its columns."""
    if coding == "kknn":
        return tuple(str(j + 1) for j in range(levels - 1))
    high = tuple(f"^{power}" for power in range(4, levels))
    return (*POLYNOMIAL_NAMES, *high)[: levels - 1]
