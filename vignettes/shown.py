"""How the kernel of a vignette shows values: what warns fails, figures are SVG, numbers align."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Sequence
from html import escape
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pycvstat.report.numbers import aligned, p_value
from pycvstat.report.plots.style import house_style

STYLE = house_style()


def set_up(formatters: Any) -> None:
    """Begin a vignette, with the formatters of its kernel."""
    warnings.simplefilter("error")
    for module in ("ipykernel", "IPython", "zmq", "tornado", "asyncio"):  # of the kernel itself
        warnings.filterwarnings("default", module=module)
    STYLE.__enter__()
    for kind in (pd.DataFrame, pd.Series):
        formatters["text/html"].for_type(kind, table)
    for kind in (Axes, Figure):
        formatters["image/svg+xml"].for_type(kind, picture)


def picture(value: Axes | Figure) -> str:
    """A figure as SVG, the same in every run."""
    file = io.StringIO()
    value.get_figure(root=True).savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def table(value: pd.DataFrame | pd.Series[Any]) -> str:
    """A data frame with aligned numbers, p values as papers print them."""
    frame = pd.DataFrame(value)
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    if frame.columns.nlevels > 1:
        frame.columns = [", ".join(part for part in name if part) for name in frame.columns]
    frame.columns = [re.sub(r"^(index|level_\d)$", "", str(name)) for name in frame.columns]
    texts = [_texts(str(name), column) for name, column in frame.items()]
    kinds = ["" if c.dtype.kind in "fiu" else ' class="words"' for _, c in frame.items()]
    head = _row("th", list(frame.columns), kinds)
    rows = [_row("td", cells, kinds) for cells in zip(*texts, strict=True)]
    inside = f"<thead>{head}</thead><tbody>{''.join(rows)}</tbody>"
    return f'<table class="dataframe">{inside}</table>'


def _row(tag: str, cells: Sequence[str], kinds: list[str]) -> str:
    inside = (f"<{tag}{k}>{escape(c)}</{tag}>" for c, k in zip(cells, kinds, strict=True))
    return f"<tr>{''.join(inside)}</tr>"


def _texts(name: str, column: pd.Series[Any]) -> list[str]:
    if name.startswith("p_"):
        return [p_value(v) for v in column]
    return aligned(list(column), 4) if column.dtype.kind == "f" else [str(v) for v in column]
