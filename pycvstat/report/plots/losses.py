"""Errors of the folds, and the distribution of single losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.losses import loss_label
from pycvstat.report.plots.style import BLUE, FAINT, INK, PALE, legend_above, whole_numbers

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pycvstat.intervals import Interval


def fold_errors(
    ax: Axes, table: pd.DataFrame, estimate: float, interval: Interval | None, loss: str
) -> Axes:
    """Mean loss of every fold, their mean, and the interval around the estimate."""
    repeated = table["repeat"].nunique() > 1
    x = table["repeat" if repeated else "fold"].to_numpy(dtype=np.float64)
    if interval is not None:
        ax.axhspan(
            interval.low,
            interval.high,
            color=PALE,
            alpha=0.6,
            linewidth=0,
            zorder=0,
            label=f"{100 * interval.level:g} % interval ({interval.target})",
        )
    ax.axhline(estimate, color=INK, linewidth=0.9, zorder=1, label="mean of fold means")
    ax.plot(
        x,
        table["estimate"],
        "o",
        color=FAINT if repeated else BLUE,
        zorder=2,
        markersize=3 if repeated else 4,
        label="fold",
    )
    if repeated:
        means = table.groupby("repeat")["estimate"].mean()
        ax.plot(means.index, means, "s", color=BLUE, zorder=3, label="mean of a repetition")
    ax.set_xlabel("repetition" if repeated else "fold")
    ax.set_ylabel(f"{loss_label(loss)}, mean over the fold")
    whole_numbers(ax.xaxis)
    legend_above(ax)
    return ax


def loss_distribution(ax: Axes, losses: Any, estimate: float, loss: str) -> Axes:
    """Histogram of the mean loss of each row."""
    ax.hist(
        losses,
        bins="auto" if len(losses) < 5000 else 60,
        color=PALE,
        edgecolor=FAINT,
        linewidth=0.6,
    )
    ax.axvline(estimate, color=INK, linewidth=0.9, label="mean of fold means")
    ax.set_xlabel(f"{loss_label(loss)} of a row")
    ax.set_ylabel("rows")
    legend_above(ax)
    return ax


def running_inflation(ax: Axes, values: Any, final: float) -> Axes:
    """The inflation of an NCV interval after each repetition: has it settled?"""
    ax.plot(
        np.arange(1, len(values) + 1),
        values,
        color=BLUE,
        label="after each repetition",
        marker="o" if len(values) <= 16 else None,
    )
    ax.axhline(final, color=INK, linewidth=0.9, label=f"used: {final:.3g}")
    ax.axhline(1, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)), label="1: no inflation")
    ax.set_xlabel("repetitions")
    ax.set_ylabel("inflation of the standard error")
    whole_numbers(ax.xaxis)
    legend_above(ax)
    return ax


def skill_of_permutations(ax: Axes, skill: Any) -> Axes:
    """Skill of a learner on permuted responses, which should scatter around or below 0."""
    values = np.sort(np.asarray(skill, dtype=np.float64))
    ax.plot(values, np.arange(1, values.size + 1), "o", color=BLUE, label="a permutation")
    ax.axvline(0, color=INK, linewidth=0.8, linestyle=(0, (2, 2)), label="no skill")
    ax.axvline(values.mean(), color=FAINT, linewidth=0.9, label="mean")
    ax.set_xlabel("skill on permuted responses")
    ax.set_ylabel("permutation, in order")
    legend_above(ax)
    return ax
