"""Curves over a grid or over training sizes: error, tuning, learning, inner curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.losses import loss_label
from pycvstat.report.plots.candidates import CandidateAxis, Line, candidate_axis
from pycvstat.report.plots.style import (
    BLUE,
    DASHES,
    FAINT,
    GREEN,
    INK,
    MARKERS,
    ORANGE,
    PALE,
    SERIES,
    legend_above,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

CROWDED = 16  # points on a line above which markers are left out


def error_curve(ax: Axes, table: pd.DataFrame, params: Sequence[str], loss: str) -> Axes:
    """Train error, test error and their gap, with the regions of over- and underfitting."""
    axis = candidate_axis(table, params)
    _regions(ax, table, axis)
    for number, line in enumerate(axis.lines):
        for column, colour, dash, marker in (
            ("test", BLUE, DASHES[0], "o"),
            ("train", ORANGE, DASHES[1], "s"),
            ("gap", GREEN, DASHES[2], "^"),
        ):
            y = table[column].to_numpy()[line.rows]
            name = f"{column} error" if column != "gap" else "gap: test minus train"
            _line(
                ax,
                line,
                y,
                colour,
                dash,
                marker,
                label=name if number == 0 else None,
                alpha=1.0 if number == 0 else 0.45,
            )
    axis.apply(ax)
    ax.set_ylabel(f"{loss_label(loss)}, mean of fold means")
    low, high = (f(table[["test", "train", "gap"]].to_numpy()) for f in (np.nanmin, np.nanmax))
    low = min(0.0, low)
    if high > low:  # all errors can be 0
        ax.set_ylim(low, high + 0.12 * (high - low))
    _mark(ax, axis, int(np.nanargmin(table["test"])), "smallest test error")
    legend_above(ax)
    return ax


def _line(
    ax: Axes, line: Line, y: Any, colour: str, dash: Any, marker: str, **options: Any
) -> None:
    shown = marker if len(line.x) <= CROWDED else None
    ax.plot(line.x, y, color=colour, linestyle=dash, marker=shown, **options)


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
        reach = x[side][worse]
        over = train[side][worse].mean() < train[middle]
        _region(
            ax, reach.min(), reach.max(), "overfitting" if over else "underfitting", side.start == 0
        )


def _region(ax: Axes, low: float, high: float, name: str, left: bool) -> None:
    ax.axvspan(low, high, color=PALE, alpha=0.45, linewidth=0, zorder=0)
    ax.annotate(
        name,
        (low if left else high, 1),
        xycoords=ax.get_xaxis_transform(),
        xytext=(3 if left else -3, -3),
        textcoords="offset points",
        ha="left" if left else "right",
        va="top",
        style="italic",
        fontsize=8,
    )


def _mark(ax: Axes, axis: CandidateAxis, row: int, words: str) -> None:
    """A thin vertical line at a candidate, named in the legend."""
    where = axis.ticks[row] if axis.ticks else f"{axis.title} = {axis.x[row]:g}"
    ax.axvline(
        axis.x[row],
        ymax=0.9,  # below the names of the regions
        color=INK,
        linewidth=0.7,
        linestyle=(0, (2, 2)),
        zorder=1,
        label=f"{words}: {where}",
    )


def tuning_curve(ax: Axes, table: pd.DataFrame, params: Sequence[str], loss: str) -> Axes:
    """Cross-validation estimate by candidate, one naive standard error around it, the choice."""
    axis = candidate_axis(table, params)
    estimate, error = table["estimate"].to_numpy(), table["std_error"].to_numpy()
    banded = len(axis.lines) == 1 and not np.isnan(error).all()
    for number, line in enumerate(axis.lines):
        y, se = estimate[line.rows], error[line.rows]
        if banded and axis.joined:
            ax.fill_between(
                line.x, y - se, y + se, color=PALE, linewidth=0, zorder=0, label="± 1 naive s.e."
            )
        elif banded:
            ax.errorbar(
                line.x,
                y,
                se,
                fmt="none",
                ecolor=FAINT,
                elinewidth=1,
                zorder=1,
                label="± 1 naive s.e.",
            )
        dash = DASHES[number] if axis.joined else "none"
        ax.plot(
            line.x,
            y,
            color=SERIES[number],
            linestyle=dash,
            label=line.name or "estimate",
            marker=MARKERS[number] if len(line.x) <= CROWDED or not axis.joined else None,
        )
    _one_se_line(ax, estimate, error)
    _choice(ax, table, axis, params)
    axis.apply(ax)
    ax.set_ylabel(f"{loss_label(loss)}, mean of fold means")
    legend_above(ax)
    return ax


def _one_se_line(ax: Axes, estimate: Any, error: Any) -> None:
    best = int(np.nanargmin(estimate))
    if np.isnan(error[best]):
        return
    ax.axhline(
        estimate[best] + error[best],
        color=FAINT,
        linewidth=0.8,
        linestyle=(0, (4, 3)),
        zorder=1,
        label="smallest + 1 naive s.e.",
    )


def _choice(ax: Axes, table: pd.DataFrame, axis: CandidateAxis, params: Sequence[str]) -> None:
    from pycvstat.report.numbers import settings
    from pycvstat.report.plots.style import label

    row = int(np.flatnonzero(table["chosen"])[0])
    values = {p: table[p].iloc[row] for p in params}
    ax.plot(
        axis.x[row],
        table["estimate"].iloc[row],
        marker="o",
        markersize=8,
        markerfacecolor="none",
        markeredgecolor=INK,
        markeredgewidth=1.2,
        linestyle="none",
        label=f"chosen: {label(settings(values), 40)}",
    )


def learning_curve(ax: Axes, table: pd.DataFrame, loss: str) -> Axes:
    """Train and test error by training size, with one naive standard error of the test error."""
    x, test = table["n_train"].to_numpy(), table["test"].to_numpy()
    if not np.isnan(table["std_error"]).all():
        ax.fill_between(
            x,
            test - table["std_error"],
            test + table["std_error"],
            color=PALE,
            linewidth=0,
            zorder=0,
            label="± 1 naive s.e.",
        )
    ax.plot(x, test, color=BLUE, marker="o", label="test error")
    ax.plot(x, table["train"], color=ORANGE, marker="s", linestyle=DASHES[1], label="train error")
    ax.set_xlabel("training rows")
    ax.set_ylabel(f"{loss_label(loss)}, mean over folds")
    ax.set_ylim(bottom=0 if min(test.min(), table["train"].min()) >= 0 else None)
    legend_above(ax)
    return ax


def inner_curves(ax: Axes, table: pd.DataFrame, params: Sequence[str], loss: str) -> Axes:
    """The inner curve of every outer fit and what each chose."""
    keys = table[["repeat", "fold"]].drop_duplicates()
    first = table[(table["repeat"] == keys.iloc[0, 0]) & (table["fold"] == keys.iloc[0, 1])]
    axis = candidate_axis(first.reset_index(drop=True), params)
    curves = table["estimate"].to_numpy().reshape(len(keys), -1)
    chosen = table["chosen"].to_numpy().reshape(curves.shape)
    style = "-" if axis.joined else "none"
    for number, curve in enumerate(curves):
        for line in axis.lines:
            ax.plot(
                line.x,
                curve[line.rows],
                color=FAINT,
                linewidth=0.8,
                linestyle=style,
                zorder=1,
                marker=None if axis.joined else ".",
                label="outer fits" if number == 0 and line is axis.lines[0] else None,
            )
    where, which = np.nonzero(chosen)
    ax.plot(
        axis.x[which],
        curves[where, which],
        "o",
        color=ORANGE,
        markersize=5,
        zorder=3,
        markeredgecolor="white",
        markeredgewidth=0.6,
        label="chosen in an outer fit",
    )
    if len(axis.lines) == 1:
        ax.plot(
            axis.lines[0].x,
            curves.mean(axis=0)[axis.lines[0].rows],
            color=BLUE,
            zorder=2,
            linestyle=style,
            linewidth=1.8,
            marker=None if axis.joined else "s",
            label="their mean",
        )
    axis.apply(ax)
    ax.set_ylabel(f"inner {loss_label(loss)}, mean of fold means")
    legend_above(ax)
    return ax
