"""The house style: quiet axes, colours that survive grey printing, nothing set globally."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from pycvstat.report.content import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#1a1a1a"
FAINT = "#767676"
PALE = "#d5d9de"
BLUE = "#0072b2"
ORANGE = "#d55e00"
GREEN = "#00875f"
PURPLE = "#b0588f"
OCHRE = "#966f00"
AMBER = "#e69f00"
SERIES = (BLUE, ORANGE, GREEN, PURPLE, OCHRE, FAINT)
"""Near Okabe and Ito's colours, each with a contrast of 3 or more on white; AMBER fills areas."""
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (1.4, 1.2)),
    (0, (5, 1.4, 1.2, 1.4)),
    (0, (9, 2)),
    (0, (3, 1)),
)
MARKERS = ("o", "s", "^", "D", "v", "P")

_STYLE: dict[str, Any] = {
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.labelsize": 8.5,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.linewidth": 0.7,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "lines.linewidth": 1.3,
    "lines.markersize": 4.0,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "axes.facecolor": "none",
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "pycvstat",
}
_FALLBACK_FONTS = ("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans", "Arial Unicode MS")


@contextmanager
def house_style() -> Iterator[None]:
    """The style inside the block; what was set before holds again after it."""
    from matplotlib import style

    with style.context(["default", _STYLE | {"font.sans-serif": list(_fonts())}]):
        yield


@cache
def _fonts() -> tuple[str, ...]:
    """DejaVu Sans, which matplotlib brings, and fonts of this machine for other scripts."""
    from matplotlib.font_manager import fontManager

    present = {font.name for font in fontManager.ttflist}
    return ("DejaVu Sans", *(name for name in _FALLBACK_FONTS if name in present))


def new_axes(size: tuple[float, float]) -> Axes:
    """Axes of a new pyplot figure, in the house style.

    The figure is made outside of the style: the first one loads the backend, and one of a
    notebook then makes settings of its own, which leaving the style would take back.
    """
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=size, facecolor="white", layout="constrained")
    with house_style():
        return figure.subplots()


def literal(ax: Axes) -> Axes:
    """Show every text as it is: a dollar sign in a name starts no formula."""
    from matplotlib.text import Text

    labels = [*ax.get_xticklabels(), *ax.get_yticklabels()]
    for text in [*labels, *ax.findobj(Text)]:
        if "$" in text.get_text():
            text.set_parse_math(False)
    return ax


def whole_numbers(axis: Any) -> None:
    """Ticks at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))


def legend_above(ax: Axes, handles: Sequence[Any] | None = None) -> None:
    """A legend above the axes, in as many columns as its labels leave room for."""
    named = ax.get_legend_handles_labels()[0] if handles is None else list(handles)
    if not named:
        return
    lengths = [len(str(handle.get_label())) for handle in named]
    width = ax.get_window_extent().width / ax.figure.dpi
    columns = next(c for c in range(4, 0, -1) if c == 1 or _legend_width(lengths, c) < width)
    ax.legend(
        handles=named,
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=columns,
        borderaxespad=0.3,
        columnspacing=1.4,
    )


def _legend_width(lengths: Sequence[int], columns: int) -> float:
    """The width in inches of a legend whose labels are filled in column by column."""
    import numpy as np

    parts = np.array_split(np.array(lengths), columns)  # matplotlib fills columns like this
    return sum(0.46 + 0.064 * int(part.max(initial=0)) for part in parts)


def label(text: Any, limit: int = 28) -> str:
    """A name as it fits beside an axis.

    Examples
    --------
    >>> label("a" * 40)
    'aaaaaaaaaaaaaaaaaaaaaaaaaaa…'
    """
    shown = visible(str(text))
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


Format = Literal["svg", "pdf", "png"]


def picture(draw: Callable[[Axes], Any], size: tuple[float, float], form: Format) -> bytes:
    """A figure as the bytes of a file; pyplot is not involved."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    dates: dict[str, str] = {"svg": "Date", "pdf": "CreationDate"}
    with house_style(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure = Figure(figsize=size)
        FigureCanvasAgg(figure)
        literal(draw(figure.subplots()))
        file = io.BytesIO()
        metadata = {dates[form]: None} if form in dates else None
        figure.savefig(file, format=form, metadata=metadata, dpi=220)
    return file.getvalue()
