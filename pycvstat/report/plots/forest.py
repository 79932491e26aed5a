"""One line per row of a table: intervals, differences, coverage, means, and Python beside R."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pycvstat.report.numbers import aligned, p_value
from pycvstat.report.plots.style import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    ORANGE,
    PALE,
    REFERENCE,
    beside_rows,
    label,
    labelled,
    named_rows,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOTHING = 1e-17  # where a difference of exactly 0 is drawn


def forest(ax: Axes, table: pd.DataFrame, names: Sequence[str], x_label: str) -> Axes:
    """One line per row of a tidy table: estimate, interval, and both as numbers."""
    y, size = np.arange(len(table)), len(table)
    ax.hlines(y, table["conf_low"], table["conf_high"], color=BLUE, linewidth=1.4)
    ax.plot(table["estimate"], y, "s", color=BLUE, markersize=5, zorder=3)
    values = aligned([*table["estimate"], *table["conf_low"], *table["conf_high"]], 4)
    limits = zip(values[:size], values[size : 2 * size], values[2 * size :], strict=True)
    beside_rows(ax, [f"{m} ({a} to {b})" if a and b else m for m, a, b in limits])
    ax.set_xlabel(x_label)
    return named_rows(ax, [label(name, 32) for name in names], line=False)


def differences(ax: Axes, by_fold: Any, row: pd.Series[Any], x_label: str) -> Axes:
    """Differences of two methods fold by fold, their interval, and the line of no difference."""
    values = np.asarray(by_fold, dtype=np.float64)
    spread = 0.12 * np.sin(2.4 * np.arange(values.size)) if values.size > 1 else 0.0
    ax.plot(values, 1 + spread, "o", color=FAINT, markersize=3.5, label="difference in a fold")
    words = f"{100 * row['level']:g} % interval"
    ax.hlines([0], row["conf_low"], row["conf_high"], color=BLUE, linewidth=2, label=words)
    ax.plot([row["estimate"]], [0], "s", color=BLUE, markersize=6, label="estimate")
    ax.axvline(0, **REFERENCE)
    p = p_value(row["p_value"])
    found = "p " + (p if p.startswith("<") else f"= {p}") if p else ""
    named_rows(ax, [found, "folds"], line=False).set_ylim(-0.6, 1.6)
    return labelled(ax, x_label)


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
    ax.margins(x=0.2)
    ax.set_xlabel(x_label)
    return named_rows(ax, [label(name) for name in names], line=False)


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
        By default what tells the rows apart, and the target.
    """
    y = np.arange(len(table))
    share, error = table["coverage"].to_numpy(), table["coverage_error"].to_numpy()
    bars = np.maximum(share - 2 * error, 0), np.minimum(share + 2 * error, 1)
    ax.axvspan(0, table["level"].min(), color=PALE, alpha=0.35, linewidth=0, label="liberal")
    ax.hlines(y, *bars, color=BLUE, linewidth=1.4, label="± 2 Monte Carlo s.e.")
    ax.plot(share, y, "o", color=BLUE, label="coverage", clip_on=False, zorder=3)
    for level in sorted(set(table["level"])):
        ax.axvline(level, **REFERENCE, label=f"nominal {level:g}")
    ax.set_xlim(min(0.8, float((share - 3 * np.nan_to_num(error)).min())), 1.002)
    if names is None:
        apart = [c for c in ("scenario", "method", "folds") if table[c].nunique() > 1]
        names = [", ".join(map(str, row)) for row in table[[*apart, "target"]].to_numpy()]
    named_rows(ax, [label(name, 44) for name in names])
    return labelled(ax, "share of data sets whose interval holds the target")


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
    ax.axvline(reference, **REFERENCE | {"color": FAINT})
    for at, mean, error, colour in zip(y, means, errors, colours, strict=True):
        ax.hlines(at, reference, mean, color=PALE, linewidth=5)
        ax.hlines(at, mean - 2 * error, mean + 2 * error, color=colour, linewidth=1.4)
        ax.plot(mean, at, "o", color=colour, markersize=5, zorder=3)
    beside_rows(
        ax,
        [
            mean if apart == 0 else f"{mean} ({apart:+.3f})"
            for mean, apart in zip(aligned(list(means), 4), gap, strict=True)
        ],
    )
    ax.margins(x=0.08)
    ax.set_xlabel("mean over data sets, ± 2 Monte Carlo standard errors")
    names = [textwrap.fill(label(name, 60), 24) for name in table["quantity"]]
    return named_rows(ax, names, line=False)


def agreement(ax: Axes, table: pd.DataFrame) -> Axes:
    """Relative difference of every quantity with its tolerance, on a logarithmic axis."""
    allowed = np.maximum(table["tolerance"].to_numpy(dtype=np.float64), NOTHING)
    y = np.arange(len(table))
    ax.plot(allowed, y, "|", color=FAINT, markersize=9, markeredgewidth=1.5, label="tolerance")
    return _apart(ax, table, y, list(table["quantity"]), marker="o")


def by_group(ax: Axes, table: pd.DataFrame) -> Axes:
    """Relative difference of every comparison, one line per group, on a logarithmic axis."""
    groups = list(dict.fromkeys(table["group"]))
    y = np.array([groups.index(group) for group in table["group"]], dtype=np.float64)
    return _apart(ax, table, y, groups, marker="|", markersize=9)


def _apart(ax: Axes, table: pd.DataFrame, y: Any, names: list[str], **agreeing: Any) -> Axes:
    relative = table["relative"].to_numpy(dtype=np.float64)
    x = np.where(np.isnan(relative), 1.0, np.maximum(relative, NOTHING))
    agrees, differs = ((table["verdict"] == word).to_numpy() for word in ("agrees", "differs"))
    ax.plot(x[agrees], y[agrees], color=BLUE, linestyle="none", label="agrees", **agreeing)
    if differs.any():
        ax.plot(x[differs], y[differs], "X", color=ORANGE, markersize=7, label="differs")
    ax.set_xscale("log")
    ax.set_xlim(NOTHING / 3, 3)
    ax.set_xticks([NOTHING, 1e-12, 1e-8, 1e-4, 1], ["0", "1e-12", "1e-8", "1e-4", "1"])
    ax.minorticks_off()
    named_rows(ax, [label(name, 40) for name in names])
    return labelled(ax, "largest relative difference of Python and R")
