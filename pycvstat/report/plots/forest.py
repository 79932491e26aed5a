"""Intervals side by side, differences, groups of methods that cannot be told apart, coverage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.report.numbers import aligned, p_value
from pycvstat.report.plots.style import BLUE, FAINT, INK, ORANGE, PALE, label, legend_above

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def forest(ax: Axes, table: pd.DataFrame, names: Sequence[str], x_label: str) -> Axes:
    """One line per row of a tidy table: estimate, interval, and both as numbers."""
    y = np.arange(len(table))
    _bars(ax, table, y, BLUE)
    ax.set_yticks(y, [label(name, 32) for name in names])
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.set_xlabel(x_label)
    _numbers(ax, table, y)
    return ax


def _bars(ax: Axes, table: pd.DataFrame, y: Any, colour: str) -> None:
    low, high = table["conf_low"].to_numpy(), table["conf_high"].to_numpy()
    ax.hlines(y, low, high, color=colour, linewidth=1.4)
    ax.plot(table["estimate"], y, "s", color=colour, markersize=5, zorder=3)


def _numbers(ax: Axes, table: pd.DataFrame, y: Any) -> None:
    """The numbers at the right, as in a paper."""
    values = aligned([*table["estimate"], *table["conf_low"], *table["conf_high"]], 4)
    middle, low, high = (values[i * len(table) : (i + 1) * len(table)] for i in range(3))
    for at, m, a, b in zip(y, middle, low, high, strict=True):
        words = f"{m} ({a} to {b})" if a and b else m
        ax.annotate(
            words,
            (1, at),
            xycoords=ax.get_yaxis_transform(),
            xytext=(6, 0),
            va="center",
            textcoords="offset points",
            fontsize=8,
            annotation_clip=False,
        )


def differences(ax: Axes, by_fold: Any, row: pd.Series[Any], x_label: str) -> Axes:
    """Differences of two methods fold by fold, their interval, and the line of no difference."""
    values = np.asarray(by_fold, dtype=np.float64)
    spread = 0.12 * np.sin(2.4 * np.arange(values.size)) if values.size > 1 else 0.0
    ax.plot(values, 1 + spread, "o", color=FAINT, markersize=3.5, label="difference in a fold")
    ax.hlines(
        [0],
        row["conf_low"],
        row["conf_high"],
        color=BLUE,
        linewidth=2,
        label=f"{100 * row['level']:g} % interval",
    )
    ax.plot([row["estimate"]], [0], "s", color=BLUE, markersize=6, label="estimate")
    ax.axvline(0, color=INK, linewidth=0.8, linestyle=(0, (2, 2)))
    p = p_value(row["p_value"])
    ax.set_yticks([0, 1], ["p " + (p if p.startswith("<") else f"= {p}") if p else "", "folds"])
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(-0.6, 1.6)
    ax.set_xlabel(x_label)
    legend_above(ax)
    return ax


def critical_difference(
    ax: Axes, table: pd.DataFrame, pairs: pd.DataFrame, alpha: float, x_label: str
) -> Axes:
    """Methods in order of their risk; bars join those that no test tells apart.

    A bar joins neighbouring methods of which no pair has an adjusted p value below `alpha`.
    """
    ordered = table.sort_values("estimate", kind="stable")
    names, x = ordered["method"].tolist(), ordered["estimate"].to_numpy()
    y = np.arange(len(names))
    ax.hlines(y, x.min(), x, color=PALE, linewidth=0.8, zorder=0)
    ax.plot(x, y, "o", color=BLUE, markersize=5, zorder=3)
    for at, value, words in zip(y, x, aligned(list(x), 4), strict=True):
        ax.annotate(words, (value, at), xytext=(5, 3), textcoords="offset points", fontsize=8)
    for number, (first, last) in enumerate(indistinguishable(names, pairs, alpha)):
        place = 1.03 + 0.04 * number
        ax.plot(
            [place, place],
            [first - 0.25, last + 0.25],
            color=ORANGE,
            linewidth=3,
            transform=ax.get_yaxis_transform(),
            clip_on=False,
            solid_capstyle="butt",
        )
    ax.set_yticks(y, [label(name) for name in names])
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.margins(x=0.2)
    ax.set_xlabel(x_label)
    return ax


def indistinguishable(
    names: Sequence[str], pairs: pd.DataFrame, alpha: float
) -> list[tuple[int, int]]:
    """The longest runs of ordered methods in which no pair differs, as (first, last)."""
    differ = {
        frozenset((row["a"], row["b"])) for _, row in pairs.iterrows() if row["p_adjusted"] < alpha
    }
    found: list[tuple[int, int]] = []
    for first in range(len(names)):
        last = first
        while last + 1 < len(names) and not any(
            frozenset((names[i], names[last + 1])) in differ for i in range(first, last + 1)
        ):
            last += 1
        if last > first and not any(last <= end for _, end in found):
            found.append((first, last))
    return found


def coverage(ax: Axes, table: pd.DataFrame, names: Sequence[str] | None = None) -> Axes:
    """Coverage of intervals with two Monte Carlo standard errors, and the nominal level.

    Parameters
    ----------
    ax : Axes
    table : DataFrame
        What `tidy` of coverage simulations gives, one under the other: the columns coverage,
        coverage_error, level, and for the usual names scenario, method and target.
    names : sequence of str, optional
    """
    y = np.arange(len(table))
    share, error = table["coverage"].to_numpy(), table["coverage_error"].to_numpy()
    bars = np.maximum(share - 2 * error, 0), np.minimum(share + 2 * error, 1)
    ax.axvspan(0, table["level"].min(), color=PALE, alpha=0.35, linewidth=0, label="liberal")
    ax.hlines(y, *bars, color=BLUE, linewidth=1.4, label="± 2 Monte Carlo s.e.")
    ax.plot(share, y, "o", color=BLUE, label="coverage", clip_on=False, zorder=3)
    for level in sorted(set(table["level"])):
        ax.axvline(
            level, color=INK, linewidth=0.8, linestyle=(0, (2, 2)), label=f"nominal {level:g}"
        )
    ax.set_xlim(min(0.8, float((share - 3 * np.nan_to_num(error)).min())), 1.002)
    ax.set_yticks(y, [label(name, 44) for name in names or _coverage_names(table)])
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.set_xlabel("share of data sets whose interval holds the target")
    legend_above(ax)
    return ax


def _coverage_names(table: pd.DataFrame) -> list[str]:
    """What tells the rows apart: scenario, method and folds where they differ, and the target."""
    parts = [c for c in ("scenario", "method", "folds") if table[c].nunique() > 1]
    return [", ".join(map(str, row)) for row in table[[*parts, "target"]].to_numpy()]
