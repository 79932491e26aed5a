"""Where the candidates of a grid stand on a horizontal axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.report.numbers import listed, setting, settings
from pycvstat.report.plots.style import label
from pycvstat.types import FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MANY = 6  # lines in one picture


@dataclass(frozen=True)
class Line:
    """Rows of a tidy table that are joined by a line, in order of `x`."""

    name: str
    rows: IntArray
    x: FloatArray


@dataclass(frozen=True)
class CandidateAxis:
    """An axis for one tuned parameter; other parameters make lines.

    Parameters
    ----------
    title : str
    lines : list of Line
    x : (rows,) float64
        Position of every row of the table.
    ticks : list of str
        Labels at 0, 1, ... when the axis is not a number.
    log : bool
    joined : bool
        Whether lines are drawn; single points otherwise.
    """

    title: str
    lines: list[Line]
    x: FloatArray
    ticks: list[str]
    log: bool
    joined: bool

    def apply(self, ax: Axes) -> None:
        """Scale and label the axis."""
        from matplotlib.ticker import LogLocator, NullLocator

        ax.set_xlabel(self.title)
        if self.ticks:
            ax.set_xticks(range(len(self.ticks)), self.ticks)
            if max(map(len, self.ticks)) * len(self.ticks) > 60:
                ax.tick_params(axis="x", labelrotation=90)
        if self.log:
            ax.set_xscale("log")
            decades = np.ptp(np.log10(self.x))
            ax.xaxis.set_major_locator(LogLocator(subs=(1.0,) if decades > 3 else (1.0, 2.0, 5.0)))
            ax.xaxis.set_minor_locator(NullLocator())
            ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")


def candidate_axis(table: pd.DataFrame, params: Sequence[str]) -> CandidateAxis:
    """The axis of the numeric parameter with most values; the others tell the lines apart.

    Where that makes more than six lines, single points are drawn; without a numeric parameter the
    candidates stand side by side.
    """
    numeric = [p for p in params if _is_numeric(table[p]) and table[p].nunique() > 1]
    if not numeric:
        ticks = [label(_together(table, params, row)) for row in range(len(table))]
        x = np.arange(len(table), dtype=np.float64)
        lines = [Line("", np.arange(len(table)), x)]
        return CandidateAxis(", ".join(map(label, params)), lines, x, ticks, False, False)
    main = max(numeric, key=lambda p: table[p].nunique())
    x = np.asarray(table[main], dtype=np.float64)
    others = [p for p in params if p != main and table[p].nunique() > 1]
    names = [_together(table, others, row) for row in range(len(table))]
    if len(set(names)) > MANY:
        title = f"{label(main)}, with {listed([label(p) for p in others])} varying"
        line = Line("", np.arange(len(table)), x)
        return CandidateAxis(title, [line], x, [], _is_logarithmic(x), False)
    return CandidateAxis(label(main), _lines(x, names), x, [], _is_logarithmic(x), True)


def _lines(x: FloatArray, names: list[str]) -> list[Line]:
    lines = []
    for name in dict.fromkeys(names):
        rows = np.flatnonzero([n == name for n in names])
        rows = rows[np.argsort(x[rows], kind="stable")]
        lines.append(Line(label(name), rows, x[rows]))
    return lines


def _is_numeric(values: pd.Series[Any]) -> bool:
    return all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in values)


def _is_logarithmic(x: FloatArray) -> bool:
    """Whether the values are nearer to equal steps of their logarithms than of themselves."""
    distinct = np.unique(x)
    if distinct.size < 3 or distinct[0] <= 0 or distinct[-1] < 20 * distinct[0]:
        return False
    plain, logs = np.diff(distinct), np.diff(np.log(distinct))
    return bool(logs.std() / logs.mean() < plain.std() / plain.mean())


def _together(table: pd.DataFrame, params: Sequence[str], row: int) -> str:
    values = {p: table[p].iloc[row] for p in params}
    if len(values) == 1:
        return setting(next(iter(values.values())))
    return settings(values)
