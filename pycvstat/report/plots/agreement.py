"""How far Python and R are apart, beside what is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pycvstat.report.plots.style import BLUE, FAINT, ORANGE, label, legend_above

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

NOTHING = 1e-17  # where a difference of exactly 0 is drawn


def agreement(ax: Axes, table: pd.DataFrame) -> Axes:
    """Relative difference of every quantity with its tolerance, on a logarithmic axis."""
    y = np.arange(len(table))
    relative = table["relative"].to_numpy(dtype=np.float64)
    agrees, differs = ((table["verdict"] == word).to_numpy() for word in ("agrees", "differs"))
    x = np.where(np.isnan(relative), 1.0, np.maximum(relative, NOTHING))
    allowed = np.maximum(table["tolerance"].to_numpy(dtype=np.float64), NOTHING)
    ax.plot(allowed, y, "|", color=FAINT, markersize=9, markeredgewidth=1.5, label="tolerance")
    ax.plot(x[agrees], y[agrees], "o", color=BLUE, label="agrees")
    if differs.any():
        ax.plot(x[differs], y[differs], "X", color=ORANGE, markersize=7, label="differs")
    return _logarithmic(ax, list(table["quantity"]))


def by_room(ax: Axes, table: pd.DataFrame) -> Axes:
    """Relative difference of every comparison, one line per room, on a logarithmic axis."""
    rooms = list(dict.fromkeys(table["room"]))
    relative = table["relative"].to_numpy(dtype=np.float64)
    agrees, differs = ((table["verdict"] == word).to_numpy() for word in ("agrees", "differs"))
    x = np.where(np.isnan(relative), 1.0, np.maximum(relative, NOTHING))
    y = np.array([rooms.index(room) for room in table["room"]], dtype=np.float64)
    ax.plot(x[agrees], y[agrees], "|", color=BLUE, markersize=9, label="agrees")
    if differs.any():
        ax.plot(x[differs], y[differs], "X", color=ORANGE, markersize=7, label="differs")
    return _logarithmic(ax, rooms)


def _logarithmic(ax: Axes, names: list[str]) -> Axes:
    ax.set_xscale("log")
    ax.set_xlim(NOTHING / 3, 3)
    ax.set_xticks([NOTHING, 1e-12, 1e-8, 1e-4, 1], ["0", "1e-12", "1e-8", "1e-4", "1"])
    ax.minorticks_off()
    ax.set_yticks(np.arange(len(names)), [label(name, 40) for name in names])
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlabel("largest relative difference of Python and R")
    legend_above(ax)
    return ax
