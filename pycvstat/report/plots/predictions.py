"""Out-of-fold predictions against what was observed, and how often candidates were chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.report.plots.candidates import candidate_axis
from pycvstat.report.plots.style import (
    BLUE,
    DASHES,
    FAINT,
    INK,
    MARKERS,
    ORANGE,
    SERIES,
    label,
    legend_above,
    whole_numbers,
)
from pycvstat.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def residuals(ax: Axes, table: pd.DataFrame, response: str) -> Axes:
    """Residual against out-of-fold prediction, with means of equally large groups."""
    tested = table[".prediction"].notna().to_numpy()
    x = table[".prediction"].to_numpy(dtype=np.float64)[tested]
    y = table[".residual"].to_numpy(dtype=np.float64)[tested]
    many = len(x) > 500
    ax.plot(
        x,
        y,
        "o",
        color=BLUE,
        markersize=2 if many else 3.5,
        alpha=0.35 if many else 0.7,
        markeredgewidth=0,
        rasterized=len(x) > 5000,
        label="row",
    )
    ax.axhline(0, color=INK, linewidth=0.8)
    middle, mean = group_means(x, y)
    if middle.size > 2:
        ax.plot(
            middle, mean, color=ORANGE, linestyle=DASHES[1], marker="s", label="mean of a group"
        )
    ax.set_xlabel(f"out-of-fold prediction of {label(response)}")
    ax.set_ylabel("observed minus predicted")
    legend_above(ax)
    return ax


def group_means(x: FloatArray, y: FloatArray, groups: int = 8) -> tuple[FloatArray, FloatArray]:
    """Means of x and y in groups of equal size by order of x (at least 10 rows in each).

    Examples
    --------
    >>> x = np.arange(40.0)
    >>> group_means(x, -x)[0]
    array([ 4.5, 14.5, 24.5, 34.5])
    """
    count = max(1, min(groups, len(x) // 10))
    parts = np.array_split(np.argsort(x, kind="stable"), count)
    return np.array([x[p].mean() for p in parts]), np.array([y[p].mean() for p in parts])


def calibration(ax: Axes, probability: FloatArray, y: Any, levels: Sequence[str]) -> Axes:
    """Share observed against out-of-fold probability, in groups of equal size.

    Parameters
    ----------
    probability : (n, L) float64
    y : (n,) codes
    levels : sequence of str
        With two levels the second is drawn, otherwise each.
    """
    ax.plot([0, 1], [0, 1], color=INK, linewidth=0.8, linestyle=(0, (2, 2)), label="calibrated")
    classes = [1] if len(levels) == 2 else range(min(len(levels), len(SERIES)))
    for number, c in enumerate(classes):
        x, share = group_means(probability[:, c], (y == c).astype(np.float64), 10)
        ax.plot(
            x,
            share,
            color=SERIES[number],
            marker=MARKERS[number],
            linestyle=DASHES[number],
            label=label(levels[c], 16),
        )
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel("out-of-fold probability, mean of a group")
    ax.set_ylabel("share observed in the group")
    legend_above(ax)
    return ax


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
    axis.apply(ax)
    ax.set_ylabel(f"times chosen in {int(times.sum())} outer fits")
    whole_numbers(ax.yaxis)
    ax.set_ylim(bottom=0)
    ax.spines["bottom"].set_color(FAINT)
    return ax
