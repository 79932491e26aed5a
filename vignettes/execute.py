"""Run a vignette: a percent-format source becomes Markdown with its output and pictures.

A cell shows what it prints and the value of its last expression. It may begin with `#| caption:`
and `#| alt:`, the words under and instead of a picture, each going on in further `#|` lines.
"""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import re
import warnings
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import jupytext
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pycvstat.report.numbers import aligned, p_value
from pycvstat.report.plots.style import house_style
from pycvstat.report.render.html import svg_element


class VignetteError(Exception):
    """A vignette that does not run, or shows a picture without describing it."""


def execute(source: Path) -> str:
    """The Markdown of a vignette after running it."""
    notebook = jupytext.read(source, fmt="py:percent")
    with _at_work(source):
        return "\n\n".join(_blocks(source, notebook.cells))


@contextlib.contextmanager
def _at_work(source: Path) -> Iterator[None]:
    """In the directory of the vignettes, whose modules it may import; figures closed after it."""
    import sys

    import matplotlib.pyplot as plt

    place = str(source.parent.resolve())
    sys.path.insert(0, place)
    try:
        with contextlib.chdir(place), plt.rc_context({"backend": "agg"}), house_style():
            yield
    finally:
        sys.path.remove(place)
        plt.close("all")


def _blocks(source: Path, cells: list[Any]) -> Iterator[str]:
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(cells, 1):
        if cell.cell_type != "code":
            yield cell.source
            continue
        code, options = split_options(cell.source)
        yield f"```python\n{code.replace('  # fmt: skip', '')}\n```"
        shown = _run(code, names, f"<{source.name}, cell {number}>")
        yield from _displayed(shown, f"{source.stem}-{number}", options)


def split_options(cell: str) -> tuple[str, dict[str, str]]:
    """The code of a cell, and its options."""
    lines = cell.splitlines()
    first = next((i for i, line in enumerate(lines) if not line.startswith("#|")), len(lines))
    options: dict[str, str] = {}
    name = ""
    for line in lines[:first]:
        text = line.removeprefix("#|").strip()
        if found := re.match(r"(caption|alt): *", text):
            name, text = found.group(1), text[found.end() :]
        options[name] = f"{options.get(name, '')} {text}".strip()
    return "\n".join(lines[first:]), options


def _run(code: str, names: dict[str, Any], place: str) -> tuple[str, Any]:
    """What a cell prints, and the value of its last expression."""
    linecache.cache[place] = (len(code), None, code.splitlines(keepends=True), place)
    tree, value = ast.parse(code, place), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(tree, place, "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), place, "eval"), names)  # type: ignore[attr-defined]
    return printed.getvalue(), value


def _displayed(shown: tuple[str, Any], name: str, options: dict[str, str]) -> Iterator[str]:
    printed, value = shown
    if printed:
        yield output(printed)
    if isinstance(value, Axes):
        value = value.figure
    if isinstance(value, Figure):
        yield picture(value, name, options)
    elif "alt" in options:
        raise VignetteError(f"{name}: the cell describes a picture but ends without one")
    elif isinstance(value, pd.DataFrame | pd.Series):
        yield table(pd.DataFrame(value), options.get("caption", ""))
    elif value is not None:
        yield output(str(value) if hasattr(value, "summary") else repr(value))


def html(text: str) -> str:
    """A piece of HTML inside Markdown."""
    return f"```{{=html}}\n{text}\n```"


def output(text: str) -> str:
    """What was printed."""
    return html(f'<pre class="output" tabindex="0">{escape(text.rstrip())}</pre>')


def picture(figure: Figure, name: str, options: dict[str, str]) -> str:
    """A matplotlib figure; a caption and a description are required."""
    if not {"caption", "alt"} <= set(options):
        raise VignetteError(f"{name}: a picture needs #| caption: and #| alt:")
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    element = svg_element(file.getvalue(), name, options["caption"], options["alt"])
    wide = ' class="wide"' if figure.get_figwidth() > 5.7 else ""
    caption = f"<figcaption>{escape(options['caption'])}</figcaption>"
    return html(f"<figure{wide}>{element}{caption}</figure>")


def table(frame: pd.DataFrame, caption: str) -> str:
    """A data frame as a table of aligned numbers."""
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    if frame.columns.nlevels > 1:
        frame.columns = [", ".join(part for part in name if part) for name in frame.columns]
    frame.columns = [
        "" if re.fullmatch(r"index|level_\d", str(name)) else str(name) for name in frame.columns
    ]
    columns = [_cells(str(name), column) for name, column in frame.items()]
    kinds = [' class="r"' if column.dtype.kind in "fiu" else "" for _, column in frame.items()]
    head = _row("th", list(frame.columns), kinds)
    rows = [_row("td", list(cells), kinds) for cells in zip(*columns, strict=True)]
    above = f'<p class="caption">{escape(caption)}</p>' if caption else ""
    return html(
        f'{above}<div class="scroll" tabindex="0"><table><thead>{head}</thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _row(tag: str, cells: list[str], kinds: list[str]) -> str:
    inside = (f"<{tag}{k}>{escape(c)}</{tag}>" for c, k in zip(cells, kinds, strict=True))
    return f"<tr>{''.join(inside)}</tr>"


def _cells(name: str, column: pd.Series[Any]) -> list[str]:
    if name.startswith("p_"):
        return [p_value(v) for v in column]
    return aligned(list(column), 4) if column.dtype.kind == "f" else [str(v) for v in column]
