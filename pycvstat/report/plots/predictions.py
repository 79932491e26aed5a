"""Losses and predictions: errors of folds, single losses, residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.report.plots.style import (
    BAND,
    BLUE,
    FAINT,
    INK,
    LIMIT,
    PALE,
    REFERENCE,
    label,
    labelled,
    series,
    whole_numbers,
)
from pycvstat.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pycvstat.intervals import Interval


def fold_errors(
    ax: Axes,
    table: pd.DataFrame,
    estimate: float,
    interval: Interval | None,
    quantity: str,
    one: str = "fold",
) -> Axes:
    """Mean loss of every fit, which is `one`, their mean, and the interval around the estimate."""
    several = table["repeat"].nunique() > 1
    repeated = several and bool(table.duplicated("repeat").any())
    x = table["repeat" if several else "fold"].to_numpy(dtype=np.float64)
    if interval is not None:
        words = f"{100 * interval.level:g} % interval"
        ax.axhspan(interval.low, interval.high, **BAND, alpha=0.6, label=words)
    ax.axhline(estimate, color=INK, linewidth=0.9, zorder=1, label="mean of fold means")
    colour, size = (FAINT, 3) if repeated else (BLUE, 4)
    ax.plot(x, table["estimate"], "o", color=colour, markersize=size, zorder=2, label=one)
    if repeated:
        means = table.groupby("repeat")["estimate"].mean()
        ax.plot(means.index, means, "s", color=BLUE, zorder=3, label="mean of a repetition")
    whole_numbers(ax.xaxis)
    across = "repetition" if repeated else one
    return labelled(ax, across, f"{quantity}, mean over the {one}")


def loss_distribution(ax: Axes, losses: Any, estimate: float, quantity: str) -> Axes:
    """Histogram of the mean loss of each row."""
    bins = "auto" if len(losses) < 5000 else 60
    ax.hist(losses, bins, color=PALE, edgecolor=FAINT, linewidth=0.6)
    ax.axvline(estimate, color=INK, linewidth=0.9, label="mean of fold means")
    return labelled(ax, f"{quantity} of a row", "rows")


def running_inflation(ax: Axes, values: Any, final: float) -> Axes:
    """The inflation of an NCV interval after each repetition: has it settled?"""
    x = np.arange(1, len(values) + 1)
    ax.plot(x, values, **series(0, len(values)), label="after each repetition")
    ax.axhline(final, color=INK, linewidth=0.9, label=f"used: {final:.3g}")
    ax.axhline(1, **LIMIT, label="1: no inflation")
    whole_numbers(ax.xaxis)
    return labelled(ax, "repetitions", "inflation of the standard error")


def skill_of_permutations(ax: Axes, skill: Any) -> Axes:
    """Skill of a learner on permuted responses, which should scatter around or below 0."""
    values = np.sort(np.asarray(skill, dtype=np.float64))
    ax.plot(values, np.arange(1, values.size + 1), "o", color=BLUE, label="a permutation")
    ax.axvline(0, **REFERENCE, label="no skill")
    ax.axvline(values.mean(), color=FAINT, linewidth=0.9, label="mean")
    return labelled(ax, "skill on permuted responses", "permutation, in order")


def residuals(ax: Axes, x: FloatArray, y: FloatArray, response: str, unit: str = "") -> Axes:
    """Residuals y against out-of-fold predictions x, with means of equally large groups."""
    many = len(x) > 500
    size, alpha = (2, 0.35) if many else (3.5, 0.7)
    look: dict[str, Any] = {"markersize": size, "alpha": alpha, "markeredgewidth": 0}
    ax.plot(x, y, "o", color=BLUE, rasterized=len(x) > 5000, label="row", **look)
    ax.axhline(0, color=INK, linewidth=0.8)
    middle, mean = group_means(x, y)
    if middle.size > 2:
        ax.plot(middle, mean, **series(1), label="mean of a group")
    return labelled(
        ax, f"out-of-fold prediction of {label(response)}{unit}", f"observed minus predicted{unit}"
    )


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
