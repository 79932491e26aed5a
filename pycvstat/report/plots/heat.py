"""Estimates over two parameters as a map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.report.numbers import setting, settings
from pycvstat.report.plots.style import INK, POINTS, label, labelled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


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
