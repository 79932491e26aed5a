"""Pictures of simulations with known risks: gaps between quantities, parts of a risk."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.report.numbers import aligned
from pycvstat.report.plots.style import (
    AMBER,
    BLUE,
    FAINT,
    GREEN,
    INK,
    ORANGE,
    PALE,
    label,
    legend_above,
    whole_numbers,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def gaps(ax: Axes, table: pd.DataFrame) -> Axes:
    """Mean of each quantity with two Monte Carlo standard errors, and its gap to the tuned risk."""
    gap = table["gap_to_tuned"].to_numpy()
    return _means(ax, table, table["estimate"][gap == 0].iloc[0], gap)


def two_means(ax: Axes, table: pd.DataFrame) -> Axes:
    """The mean of an estimator beside the quantity it estimates, and their difference."""
    rows = table.iloc[:2]
    truth = rows["estimate"].iloc[1]
    return _means(ax, rows, truth, (rows["estimate"] - truth).to_numpy())


def _means(ax: Axes, table: pd.DataFrame, reference: float, gap: Any) -> Axes:
    y = np.arange(len(table))
    means, errors = table["estimate"].to_numpy(), table["std_error"].to_numpy()
    colours = [GREEN, INK, BLUE, ORANGE][: len(table)]
    ax.axvline(reference, color=FAINT, linewidth=0.8, linestyle=(0, (2, 2)))
    for at, mean, error, colour in zip(y, means, errors, colours, strict=True):
        ax.hlines(at, reference, mean, color=PALE, linewidth=5)
        ax.hlines(at, mean - 2 * error, mean + 2 * error, color=colour, linewidth=1.4)
        ax.plot(mean, at, "o", color=colour, markersize=5, zorder=3)
    _beside(ax, y, means, gap)
    names = (textwrap.fill(label(name, 60), 24) for name in table["quantity"])
    ax.set_yticks(y, list(names))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.margins(x=0.08)
    ax.set_xlabel("mean over data sets, ± 2 Monte Carlo standard errors")
    return ax


def _beside(ax: Axes, y: Any, means: Any, differences: Any) -> None:
    """Each mean and its gap as numbers at the right."""
    for at, mean, gap in zip(y, aligned(list(means), 4), differences, strict=True):
        ax.annotate(
            mean if gap == 0 else f"{mean} ({gap:+.3f})",
            (1, at),
            xycoords=ax.get_yaxis_transform(),
            xytext=(6, 0),
            va="center",
            textcoords="offset points",
            fontsize=8,
            annotation_clip=False,
        )


def parts(ax: Axes, table: pd.DataFrame) -> Axes:
    """Noise, variance and squared bias on top of each other, over the first parameter."""
    name = str(table.columns[0])
    x = table[name].to_numpy()
    layers: Sequence[tuple[str, str]] = (("noise", PALE), ("variance", AMBER), ("bias2", BLUE))
    base = np.zeros(len(table))
    for column, colour in layers:
        top = base + np.maximum(table[column].to_numpy(), 0)
        words = "squared bias" if column == "bias2" else column
        ax.fill_between(x, base, top, color=colour, alpha=0.55, linewidth=0, label=words)
        base = top
    ax.plot(x, table["risk"], color=INK, label="risk")
    ax.set_xlim(x.min(), x.max())
    ax.set_ylim(0, None)
    ax.set_xlabel(label(name))
    ax.set_ylabel("expected squared error")
    if np.issubdtype(x.dtype, np.integer):
        whole_numbers(ax.xaxis)
    legend_above(ax)
    return ax
