"""The house style: quiet axes, colours that survive grey printing, nothing set globally."""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
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
LONG = 24  # letters of a label that may be too long for its axis
CROWDED = 16  # points on a line above which markers are left out
REFERENCE: dict[str, Any] = {"color": INK, "linewidth": 0.8, "linestyle": (0, (2, 2))}
LIMIT: dict[str, Any] = {"color": FAINT, "linewidth": 0.8, "linestyle": (0, (4, 3))}
POINTS: dict[str, Any] = {"linestyle": "none"}
BAND: dict[str, Any] = {"color": PALE, "linewidth": 0, "zorder": 0}

_STYLE: dict[str, Any] = {
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.labelsize": 8.5,
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize"), 8),
    **dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK
    ),
    **dict.fromkeys(("axes.linewidth", "xtick.major.width", "ytick.major.width"), 0.7),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right"), False),
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
def house_style(more: Mapping[str, Any] | None = None) -> Iterator[None]:
    """The style, and more settings, inside the block; what was set before holds again after it."""
    from matplotlib import style

    with style.context(
        ["default", _STYLE | {"font.sans-serif": list(_fonts())} | dict(more or {})]
    ):
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


def fitted(ax: Axes) -> Axes:
    """Labels of axes that would leave the picture, in several lines."""
    figure = ax.get_figure(root=True)
    if figure is not None and _long(ax):
        figure.draw_without_rendering()
        _wrap(ax, figure)
    return ax


def _long(ax: Axes) -> list[Any]:
    return [one for one in (ax.xaxis.label, ax.yaxis.label) if len(one.get_text()) > LONG]


def _wrap(ax: Axes, figure: Any) -> bool:
    """Wrap what leaves the picture as it is laid out; whether anything did."""
    left = False
    for one in _long(ax):
        box, words = one.get_window_extent(), one.get_text()
        over = max(-box.x0, box.x1 - figure.bbox.width, -box.y0, box.y1 - figure.bbox.height)
        if over > 0:
            share = max(0.4, 1 - 2.2 * over / max(box.width, box.height))
            one.set_text(textwrap.fill(words, max(12, int(share * len(words)))))
            left = True
    return left


def literal(ax: Axes) -> Axes:
    """Show every text as it is: a dollar sign in a name starts no formula."""
    from matplotlib.text import Text

    labels = [*ax.get_xticklabels(), *ax.get_yticklabels()]
    for text in [*labels, *ax.findobj(Text)]:
        if "$" in text.get_text():
            text.set_parse_math(False)
    return ax


def series(number: int, points: int = 0) -> dict[str, Any]:
    """Colour, dashes and markers of one of several lines with so many points."""
    marker = MARKERS[number] if points <= CROWDED else None
    return {"color": SERIES[number], "linestyle": DASHES[number], "marker": marker}


def whole_numbers(axis: Any) -> None:
    """Ticks at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))


def logarithmic(ax: Axes, x: Any) -> None:
    """A logarithmic axis of values x, with numbers at its ticks."""
    import numpy as np
    from matplotlib.ticker import LogLocator, NullLocator

    ax.set_xscale("log")
    values = np.asarray(x, dtype=np.float64)
    decades = np.ptp(np.log10(values[np.isfinite(values) & (values > 0)]))
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0,) if decades > 3 else (1.0, 2.0, 5.0)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")


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


def labelled(ax: Axes, x: str, y: str | None = None) -> Axes:
    """Axes with their labels and a legend."""
    ax.set_xlabel(x)
    if y is not None:
        ax.set_ylabel(y)
    legend_above(ax)
    return ax


def named_rows(ax: Axes, names: Sequence[str], *, line: bool = True) -> Axes:
    """One name per row from the top to the bottom; with or without the line of the axis."""
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.spines["left"].set_visible(line)
    return ax


def beside_rows(ax: Axes, words: Sequence[str]) -> None:
    """Words at the right of each row, as in a paper."""
    for at, text in enumerate(words):
        ax.annotate(
            text,
            (1, at),
            xycoords=ax.get_yaxis_transform(),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            annotation_clip=False,
        )


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


def picture(
    draw: Callable[[Axes], Any], size: tuple[float, float], form: Format, *, embedded: bool = False
) -> bytes:
    """A figure as the bytes of a file; pyplot is not involved.

    `embedded` draws the letters of an SVG as paths, for pages that lack its fonts.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    dates: dict[str, str] = {"svg": "Date", "pdf": "CreationDate"}
    more: dict[str, Any] = {"svg.fonttype": "path"} if embedded else {}
    more["text.parse_math"] = False  # every text is shown as it is
    more["figure.constrained_layout.use"] = False  # or it could not be taken off below
    with house_style(more), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        ax = draw(figure.subplots())
        layout: Any = figure.get_layout_engine()
        layout.execute(figure)
        if _wrap(ax, figure):
            layout.execute(figure)
        figure.set_layout_engine(None)  # to save it would lay it out once more
        file = io.BytesIO()
        metadata = {dates[form]: None} if form in dates else None
        figure.savefig(file, format=form, metadata=metadata, dpi=600 if embedded else 220)
    return file.getvalue()
