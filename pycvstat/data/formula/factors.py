"""Columns that become factors: factor(), ordered(), cut(), words; their codes in a design."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pycvstat.data.formula.bases import contrasts
from pycvstat.data.formula.evaluate import arguments, column, constant, flag
from pycvstat.data.formula.syntax import Call, Node, columns_in, deparse
from pycvstat.data.frame import Column, Frame
from pycvstat.data.frame.columns import level_name, recoded
from pycvstat.errors import DataError, FormulaError
from pycvstat.rmath.arithmetic import cut, cut_labels
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
        wanted = _words(bound["levels"], call)
        codes, levels = recoded(codes, levels, wanted), wanted
    if "labels" in bound:
        levels = _labelled(levels, _words(bound["labels"], call), call)
    kept = source.kind == "ordered" and "ordered" not in bound
    is_ordered = call.function == "ordered" or kept or flag(bound, call, "ordered")
    return Column(deparse(call), "ordered" if is_ordered else "factor", codes, levels)


def _labelled(levels: tuple[str, ...], labels: tuple[str, ...], call: Call) -> tuple[str, ...]:
    if len(labels) != len(levels) or len(set(labels)) < len(labels):
        given = f"{deparse(call)}: {len(labels)} labels for {len(levels)} levels"
        raise FormulaError("There must be one label per level, all different.", given=given)
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
    ends = {
        "right": flag(bound, call, "right", default=True),
        "lowest": flag(bound, call, "include.lowest"),
    }
    ordered = flag(bound, call, "ordered_result")
    source = column(bound["x"], frame)
    if source.kind != "numeric":
        problem = f"cut() needs numbers, and {source.name} is {source.kind}."
        raise FormulaError(problem, given=deparse(call))
    digits = int(constant(bound["dig.lab"])) if "dig.lab" in bound else 3
    levels = cut_labels(breaks, **ends, digits=digits)
    if "labels" in bound:
        levels = _labelled(levels, _words(bound["labels"], call), call)
    codes = cut(source.values, breaks, **ends)
    return Column(deparse(call), "ordered" if ordered else "factor", codes, levels)


def _breaks(node: Node | None, call: Call) -> FloatArray:
    given = None if node is None else constant(node)
    numbers = given if isinstance(given, list) else []
    different = len(set(numbers)) == len(numbers) > 1
    if not (different and all(isinstance(v, float) for v in numbers)):
        problem = "cut() needs its breaks as numbers, all different."
        fix = "write cut(x, c(0, 10, 20)); a number of intervals would depend on the data"
        raise FormulaError(problem, given=deparse(call), fix=fix)
    return np.sort(np.array(numbers, dtype=np.float64))


MAKERS = {"factor": _factor, "as.factor": _factor, "C": _factor, "ordered": _factor, "cut": _cut}


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
    computed = False

    def fit(self, frame: Frame) -> Levels:
        """Levels are frozen from the full data."""
        return self

    def names(self, every_level: bool) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(self.label + n for n in (self.levels if every_level else self.code_names))

    def matrix(self, frame: Frame, every_level: bool) -> FloatArray:
        """Its columns on the rows of a frame; DataError for a level that was not frozen."""
        places = _places(value(self.node, frame), self.levels, self.node)
        if self.codes is not None and not every_level:
            made: FloatArray = self.codes[places]
        else:
            made = np.zeros((len(places), len(self.levels)))
            known = np.flatnonzero(places >= 0)
            made[known, places[known]] = 1.0
            made = made if every_level else made[:, len(self.levels) - len(self.code_names) :]
        made[places < 0] = np.nan
        return made


def freeze(node: Node, made: Column, coding: Coding) -> Levels:
    """A factor of a formula with the levels that the full data have.

    As in R: treatment contrasts, and ``contr.poly`` of an ordered factor; with "kknn" a column for
    every level, and steps of one half up and down.
    """
    codes, levels = made.as_factor()
    if coding == "contrasts" and made.kind != "logical":  # as lm does, and kknn does not
        present = np.bincount(codes[codes >= 0], minlength=len(levels)) > 0
        levels = tuple(compress(levels, present))
    count = len(levels)
    if count < 2:
        problem = f"{_subject(node)} has fewer than two levels, so it cannot explain anything."
        raise DataError(problem, given=f"levels {list(levels)}", fix="drop it from the formula")
    table, names = None, levels[1:]  # treatment contrasts leave the first level out
    if made.kind == "ordered" and coding == "kknn":
        table = np.where(np.arange(count)[:, None] <= np.arange(count - 1), 0.5, -0.5)
        names = tuple(str(j + 1) for j in range(count - 1))
    elif made.kind == "ordered":
        if count > 95:
            raise DataError(
                f"{_subject(node)} is ordered with more than 95 levels, too many for polynomials.",
                given=f"{count} levels",
                fix="use it as a number, or as an unordered factor",
            )
        high = (f"^{power}" for power in range(4, count))
        table, names = contrasts(count), (*POLYNOMIAL_NAMES, *high)[: count - 1]
    elif coding == "kknn" and made.kind != "logical":
        names = levels
    return Levels(node, deparse(node), levels, table, names)


def _places(made: Column, levels: tuple[str, ...], node: Node) -> NDArray[Any]:
    """The frozen code of every row; -1 for missing."""
    codes, own = made.as_factor()
    if own == levels:
        return codes
    places = recoded(codes, own, levels, unknown=-2)
    rows = np.flatnonzero(places == -2)
    if len(rows):
        unseen = sorted({own[code] for code in codes[rows]})
        raise DataError(
            f"{_subject(node)} has {'levels' if len(unseen) > 1 else 'a level'} not seen before: "
            f"{', '.join(repr(level) for level in unseen[:5])}.",
            given=f"{len(rows)} rows, the first is row {rows[0] + 1} (counted from 1); "
            f"known: {list(levels[:12])}",
            fix="leave these rows out, or make the level known to the data that are fitted",
        )
    return places


def _subject(node: Node) -> str:
    names = columns_in(node)
    return f"Column {names[0]!r}" if names == (deparse(node),) else f"{deparse(node)}"
