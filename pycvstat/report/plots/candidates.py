"""Curves and maps over candidates or training sizes, and which candidates were chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pycvstat.report.numbers import listed, setting, settings
from pycvstat.report.plots.style import (
    AMBER,
    BAND,
    BLUE,
    FAINT,
    INK,
    LIMIT,
    ORANGE,
    PALE,
    POINTS,
    label,
    labelled,
    logarithmic,
    series,
    whole_numbers,
)
from pycvstat.types import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 6  # lines in one picture
ERRORS = {"test": "test error", "train": "train error", "gap": "gap: test minus train"}
FILLED: dict[str, Any] = POINTS | {"marker": "o", "markersize": 5, "color": INK}
NAIVE = "± 1 naive s.e."
CURVE = (
    "Estimate by candidate (mean of fold means), one naive standard error around it, the chosen "
    "candidate, and the {best} estimate with its standard error."
)
"""What `tuning_curve` draws."""


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

    def apply(self, ax: Axes, y_label: str) -> Axes:
        """Scale the axis; label both, with a legend of what is named."""
        if self.ticks:
            ax.set_xticks(range(len(self.ticks)), self.ticks)
            if max(map(len, self.ticks)) * len(self.ticks) > 60:
                ax.tick_params(axis="x", labelrotation=90)
        if self.log:
            logarithmic(ax, self.x)
        return labelled(ax, self.title, y_label)


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
    names = [_together(table, others, row, named=True) for row in range(len(table))]
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


def _together(table: pd.DataFrame, params: Sequence[str], row: int, *, named: bool = False) -> str:
    """The parameters of a row; a single one by its value alone, unless it is to be named."""
    values = {p: table[p].iloc[row] for p in params}
    if len(values) == 1 and not named:
        return setting(next(iter(values.values())))
    return settings(values)


def error_curve(ax: Axes, table: pd.DataFrame, params: Sequence[str], quantity: str) -> Axes:
    """Train error, test error and their gap, with the regions of over- and underfitting.

    Over two parameters with many values each, the test error as a map.
    """
    if is_map(table, params):
        best = int(np.nanargmin(table["test"]))
        return heat_map(ax, table, params, "test", best, f"test error: {quantity}")
    axis = candidate_axis(table, params)
    _regions(ax, table, axis)
    for number, line in enumerate(axis.lines):
        for kind, (column, words) in enumerate(ERRORS.items()):
            y, style = table[column].to_numpy()[line.rows], series(kind, len(line.x))
            first: dict[str, Any] = {"label": words} if number == 0 else {"alpha": 0.45}
            ax.plot(line.x, y, **style, **first)
    errors = table[list(ERRORS)].to_numpy()
    low, high = min(0.0, np.nanmin(errors)), np.nanmax(errors)
    if high > low:  # all errors can be 0
        ax.set_ylim(low, high + 0.12 * (high - low))
    best = int(np.nanargmin(table["test"]))
    where = axis.ticks[best] if axis.ticks else f"{axis.title} = {axis.x[best]:g}"
    ax.axvline(
        axis.x[best],
        ymax=0.9,  # below the names of the regions
        color=INK,
        linewidth=0.7,
        linestyle=(0, (2, 2)),
        zorder=1,
        label=f"smallest test error: {where}",
    )
    return axis.apply(ax, f"{quantity}, mean of fold means")


def _regions(ax: Axes, table: pd.DataFrame, axis: CandidateAxis) -> None:
    """Shade where the test error exceeds the smallest by more than its standard error."""
    best = int(np.nanargmin(table["test"]))
    if not axis.joined or len(axis.lines) > 1 or np.isnan(table["std_error"].iloc[best]):
        return
    limit = table["test"].iloc[best] + table["std_error"].iloc[best]
    rows = axis.lines[0].rows
    x, test, train = axis.x[rows], table["test"].to_numpy()[rows], table["train"].to_numpy()[rows]
    middle = int(np.flatnonzero(rows == best)[0])
    for side in (slice(0, middle), slice(middle + 1, None)):
        worse = np.flatnonzero(test[side] > limit)
        if worse.size == 0:
            continue
        reach, left = x[side][worse], side.start == 0
        over = train[side][worse].mean() < train[middle]
        low, high = reach.min(), reach.max()
        ax.axvspan(low, high, **BAND, alpha=0.45)
        ax.annotate(
            "overfitting" if over else "underfitting",
            (low if left else high, 1),
            xycoords=ax.get_xaxis_transform(),
            xytext=(3 if left else -3, -3),
            textcoords="offset points",
            ha="left" if left else "right",
            va="top",
            style="italic",
            fontsize=8,
        )


def tuning_curve(
    ax: Axes,
    table: pd.DataFrame,
    params: Sequence[str],
    quantity: str,
    best_is: str = "smallest",
    chosen: str = "chosen",
    average: str = "mean of fold means",
) -> Axes:
    """Cross-validation estimate by candidate, one naive standard error around it, the choice.

    Candidates that are ``inside`` a confidence set, where the table says so, are filled. Over two
    parameters with many values each, a map is drawn.
    """
    if is_map(table, params):
        ringed = int(np.flatnonzero(table["chosen"])[0])
        return heat_map(ax, table, params, "estimate", ringed, quantity)
    axis = candidate_axis(table, params)
    estimate, error = table["estimate"].to_numpy(), table["std_error"].to_numpy()
    banded = len(axis.lines) == 1 and not np.isnan(error).all()
    for number, line in enumerate(axis.lines):
        y, se = estimate[line.rows], error[line.rows]
        if banded and axis.joined:
            ax.fill_between(line.x, y - se, y + se, **BAND, label=NAIVE)
        elif banded:
            look: dict[str, Any] = {"fmt": "none", "ecolor": FAINT, "elinewidth": 1, "zorder": 1}
            ax.errorbar(line.x, y, se, **look, label=NAIVE)
        style = series(number, len(line.x)) if axis.joined else series(number) | POINTS
        ax.plot(line.x, y, **style, label=line.name or "estimate")
    sign = 1 if best_is == "smallest" else -1
    best = int(np.nanargmin(sign * estimate))
    if not np.isnan(error[best]):
        limit = estimate[best] + sign * error[best]
        words = f"{best_is} {'+' if sign > 0 else '-'} 1 naive s.e."
        ax.axhline(limit, **LIMIT, zorder=1, label=words)
    if "inside" in table:
        some = np.flatnonzero(table["inside"])
        ax.plot(axis.x[some], estimate[some], **FILLED, label="not shown to be worse")
    at = int(np.flatnonzero(table["chosen"])[0])
    ax.plot(
        axis.x[at],
        estimate[at],
        marker="o",
        markersize=8,
        markerfacecolor="none",
        markeredgecolor=INK,
        markeredgewidth=1.2,
        label=f"{chosen}: {label(_together(table, params, at, named=True), 40)}",
        **POINTS,
    )
    return axis.apply(ax, f"{quantity}, {average}")


def inner_curves(ax: Axes, table: pd.DataFrame, params: Sequence[str], quantity: str) -> Axes:
    """The inner curve of every outer fit and what each chose."""
    keys = table[["repeat", "fold"]].drop_duplicates()
    first = table[(table["repeat"] == keys.iloc[0, 0]) & (table["fold"] == keys.iloc[0, 1])]
    axis = candidate_axis(first.reset_index(drop=True), params)
    curves = table["estimate"].to_numpy().reshape(len(keys), -1)
    chosen = table["chosen"].to_numpy().reshape(curves.shape)
    dots: dict[str, Any] = {} if axis.joined else POINTS | {"marker": "."}
    for line in axis.lines:
        y = curves[:, line.rows].T
        drawn = ax.plot(line.x, y, color=FAINT, linewidth=0.8, zorder=1, **dots)
        drawn[0].set_label("outer fits" if line is axis.lines[0] else "")
    where, which = np.nonzero(chosen)
    look: dict[str, Any] = {"color": ORANGE, "markersize": 5, "zorder": 3}
    look |= {"markeredgecolor": "white", "markeredgewidth": 0.6, "label": "chosen in an outer fit"}
    ax.plot(axis.x[which], curves[where, which], "o", **look)
    if len(axis.lines) == 1:
        (line,) = axis.lines
        dots = {} if axis.joined else POINTS | {"marker": "s"}
        mean = curves.mean(axis=0)[line.rows]
        ax.plot(line.x, mean, color=BLUE, zorder=2, linewidth=1.8, label="their mean", **dots)
    return axis.apply(ax, f"inner {quantity}, mean of fold means")


def selection(ax: Axes, table: pd.DataFrame, params: Sequence[str]) -> Axes:
    """How often each candidate was chosen over the outer fits."""
    axis = candidate_axis(table, params)
    if len(axis.lines) > 1:
        shown = table[table["times"] > 0].reset_index(drop=True)
        shown = shown.assign(**{p: shown[p].map(str) for p in params})
        axis, table = candidate_axis(shown, params), shown
    times = table["times"].to_numpy()
    if axis.log:
        ax.vlines(axis.x, 0, times, color=BLUE, linewidth=4)
    else:
        steps = np.diff(np.unique(axis.x))
        ax.bar(axis.x, times, width=0.8 * (steps.min() if steps.size else 1.0), color=BLUE)
    whole_numbers(ax.yaxis)
    ax.set_ylim(bottom=0)
    ax.spines["bottom"].set_color(FAINT)
    return axis.apply(ax, f"times chosen in {int(times.sum())} outer fits")


def risk_parts(ax: Axes, table: pd.DataFrame) -> Axes:
    """Noise, variance and squared bias on top of each other, over the first parameter."""
    name = str(table.columns[0])
    x = table[name].to_numpy()
    base = np.zeros(len(table))
    for column, words, colour in (
        ("noise", "noise", PALE),
        ("variance", "variance", AMBER),
        ("bias2", "squared bias", BLUE),
    ):
        top = base + np.maximum(table[column].to_numpy(), 0)
        ax.fill_between(x, base, top, color=colour, alpha=0.55, linewidth=0, label=words)
        base = top
    ax.plot(x, table["risk"], color=INK, label="risk")
    ax.set_xlim(x.min(), x.max())
    ax.set_ylim(0, None)
    if np.issubdtype(x.dtype, np.integer):
        whole_numbers(ax.xaxis)
    return labelled(ax, label(name), "expected squared error")


def learning_curve(ax: Axes, table: pd.DataFrame, quantity: str) -> Axes:
    """Train and test error by training size, with one naive standard error of the test error."""
    x, test, train, se = (table[c].to_numpy() for c in ("n_train", "test", "train", "std_error"))
    if not np.isnan(se).all():
        ax.fill_between(x, test - se, test + se, **BAND, label=NAIVE)
    ax.plot(x, test, **series(0), label=ERRORS["test"])
    ax.plot(x, train, **series(1), label=ERRORS["train"])
    ax.set_ylim(bottom=0 if min(test.min(), train.min()) >= 0 else None)
    return labelled(ax, "training rows", f"{quantity}, mean over folds")


def is_map(table: pd.DataFrame, params: Sequence[str]) -> bool:
    """Whether two parameters make a full grid that is too wide for lines of one of them."""
    varying = [name for name in params if table[name].nunique() > 1]
    sizes = [table[name].nunique() for name in varying]
    return len(varying) == 2 and min(sizes) > 3 and len(table) == sizes[0] * sizes[1]


def heat_map(
    ax: Axes, table: pd.DataFrame, params: Sequence[str], column: str, chosen: int, quantity: str
) -> Axes:
    """Estimates over two parameters, in shades that need no colour; the choice ringed."""
    across, down = (name for name in params if table[name].nunique() > 1)
    wide = table.pivot(index=down, columns=across, values=column)
    shades: dict[str, Any] = {"cmap": "cividis", "rasterized": wide.size > 2500}
    top = np.nanquantile(wide.to_numpy(), 0.9)  # the worst candidates would take all shades
    mesh = ax.pcolormesh(wide.to_numpy(), vmax=top, **shades)
    for axis, values in ((ax.xaxis, wide.columns), (ax.yaxis, wide.index)):
        step = max(1, len(values) // 10)
        axis.set_ticks(np.arange(len(values))[::step] + 0.5, [setting(v) for v in values[::step]])
    if max(len(setting(v)) for v in wide.columns) > 5:
        ax.tick_params(axis="x", labelrotation=45)
    row = table.iloc[chosen]
    at = [list(wide.columns).index(row[across]) + 0.5, list(wide.index).index(row[down]) + 0.5]
    ring: dict[str, Any] = {"color": "white", "markersize": 9, "fillstyle": "none", **POINTS}
    words = settings({name: row[name] for name in (across, down)})
    ax.plot(*at, "o", **ring, markeredgewidth=3)
    ax.plot(*at, "o", **ring | {"color": INK}, markeredgewidth=1.2, label=f"chosen: {words}")
    ax.figure.colorbar(mesh, ax=ax, label=quantity, extend="max")
    return labelled(ax, label(across), label(down))
