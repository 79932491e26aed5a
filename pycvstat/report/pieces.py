"""Pieces of a report for a paper: its table, a figure at a journal's width, numbers for macros."""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal, cast, get_args

import pandas as pd

from pycvstat.errors import InputError, pip_install
from pycvstat.errors.checks import check_path, check_word, written
from pycvstat.report.content import Document, Section, Table, visible
from pycvstat.report.numbers import capital, number
from pycvstat.report.plots.style import Format, picture
from pycvstat.report.render.formats import FORMATS, check_writable, write_rows
from pycvstat.report.views.base import view_of

Form = Literal["tex", "html", "md", "docx", "gt"]
Width = Literal["single", "double"]
INCHES: dict[Width, float] = {"single": 85 / 25.4, "double": 175 / 25.4}
"""Of the usual columns of journals: 85 mm and 175 mm."""
NUMERALS = ["Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"]
"""Digits in names of TeX macros, which are letters only."""


def sentence(result: Any, **asked: Any) -> str:
    """What was found, in one sentence; see `Shown.sentence`."""
    return visible(view_of(result, **asked).sentence())


def to_table(
    result: Any, form: Form = "html", path: str | PathLike[str] | None = None, **asked: Any
) -> Any:
    """The table of a result; see `Shown.to_table`."""
    check_word("form", form, get_args(Form))
    target = None if path is None else check_path(path)
    if target is not None and form != "gt":
        check_writable(target, "table")
    if form == "docx":
        FORMATS[".docx"].need()
    made = TABLES[form](view_of(result, **asked).main_table())
    if target is None or form == "gt":
        return made
    with written(target, "table"):
        target.write_bytes(made if isinstance(made, bytes) else made.encode("utf-8"))
    return target


def alone(table: Table) -> Document:
    """A document of nothing but a table."""
    return Document("", "", (Section("", (table,)),))


def _tex(table: Table) -> str:
    from pycvstat.report.render.latex import floating

    return floating(table)


def _html(table: Table) -> str:
    from pycvstat.report.render.html import render_fragment

    return render_fragment(alone(table))


def _md(table: Table) -> str:
    from pycvstat.report.render.markdown import MarkdownRenderer

    return MarkdownRenderer(alone(table)).table(table) + "\n"


def _docx(table: Table) -> bytes:
    with tempfile.TemporaryDirectory() as place:
        FORMATS[".docx"].write(alone(table), target := Path(place, "table.docx"))
        return target.read_bytes()


def _gt(table: Table) -> Any:
    try:
        import great_tables as gt
    except ImportError:
        fix = f"{pip_install('great_tables')}; or take 'html', 'tex' or 'md'"
        raise InputError("great_tables is not installed.", given="'gt'", fix=fix) from None
    columns = [f"c{number}" for number in range(len(table.columns))]
    made = gt.GT(pd.DataFrame(list(table.rows), columns=columns))
    made = made.cols_label(**dict(zip(columns, table.columns, strict=True)))
    for align, where in (("left", "l"), ("right", "r")):
        named = [name for name, a in zip(columns, table.align, strict=True) if a == where]
        made = made.cols_align(align, columns=named) if named else made
    if table.strong:
        bold, rows = gt.style.text(weight="bold"), list(table.strong)
        made = made.tab_style(bold, gt.loc.body(rows=rows))
    made = made.tab_header(title=table.caption) if table.caption else made
    return made.tab_source_note(table.notes) if table.notes else made


TABLES: dict[Form, Callable[[Table], Any]] = {
    "tex": _tex, "html": _html, "md": _md, "docx": _docx, "gt": _gt,
}  # fmt: skip


def figure(
    result: Any, path: str | PathLike[str], kind: str | None, width: Width, **options: Any
) -> Path:
    """A picture of a result as a file; see `Shown.figure`."""
    target = check_path(path)
    form = target.suffix.lower().removeprefix(".")
    if form not in (*get_args(Format), "csv"):
        fix = f"{target.stem or 'figure'}.pdf"
        problem = "a figure ends in .pdf, .svg or .png, its numbers in .csv."
        raise InputError(problem, given=target.name, fix=fix)
    check_word("width", width, get_args(Width))
    check_writable(target, "figure")
    of_view = {n: options.pop(n) for n in ("level", "method", "units") if n in options}
    view = view_of(result, **of_view)
    drawn = view.picture(kind, options)
    wide, high = drawn.inches
    size = INCHES[width], high * max(1.0, math.sqrt(INCHES[width] / wide))
    if form == "csv":
        frame = view.rows if drawn.data is None else drawn.data()
        return write_rows(frame, target, "figure")
    draw = partial(drawn.draw, **options)
    with written(target, "figure"):
        target.write_bytes(picture(draw, size, cast(Format, form), embedded=True))
    return target


def numbers(result: Any, path: str | PathLike[str], prefix: str, **asked: Any) -> Path:
    """Values of a result as macros of TeX or as JSON; see `Shown.numbers`."""
    target = check_path(path)
    if target.suffix.lower() not in (".tex", ".json"):
        fix = f"{target.stem or 'numbers'}.tex"
        raise InputError("numbers go into .tex or .json.", given=target.name, fix=fix)
    if re.fullmatch("[A-Za-z]+", prefix) is None:
        raise InputError("a prefix of macros is letters.", given=repr(prefix), fix="prefix='pcv'")
    check_writable(target, "file of numbers")
    values = {
        name: plain_value(value) for name, value in view_of(result, **asked).numbers().items()
    }
    values["sentence"] = sentence(result, **asked)
    known = {name: value for name, value in values.items() if value is not None}
    text = (
        macros(known, prefix)
        if target.suffix.lower() == ".tex"
        else json.dumps(known, indent=2, ensure_ascii=False) + "\n"
    )
    with written(target, "file of numbers"):
        target.write_text(text, encoding="utf-8")
    return target


def plain_value(value: Any) -> Any:
    """A value as JSON has it; None where it is missing.

    Examples
    --------
    >>> import numpy as np
    >>> plain_value(np.float64(0.5)), plain_value(float("nan")), plain_value("a")
    (0.5, None, 'a')
    """
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        return visible(value)
    return value if isinstance(value, int | float) else None


def macros(values: Mapping[str, Any], prefix: str) -> str:
    r"""Definitions of TeX macros.

    Examples
    --------
    >>> print(macros({"conf_low": -1.5, "knn 1": 3}, "pcv"), end="")
    % Written by pycvstat: \input this file.
    \newcommand{\pcvConfLow}{\ensuremath{-}1.5000}
    \newcommand{\pcvKnnOne}{3}
    """
    from pycvstat.report.render.latex import tex

    lines, taken = ["% Written by pycvstat: \\input this file."], set[str]()
    for name, value in values.items():
        macro = base = prefix + macro_name(name)
        while macro in taken:
            macro = f"{base}Again" if macro == base else f"{macro}Again"
        taken.add(macro)
        number_like = isinstance(value, int | float) and not isinstance(value, bool)
        shown = number(value) if number_like else str(value)
        lines.append(rf"\newcommand{{\{macro}}}{{{tex(shown)}}}")
    return "\n".join(lines) + "\n"


def macro_name(name: str) -> str:
    """A name in letters only.

    Examples
    --------
    >>> macro_name("conf_low"), macro_name("knn 15"), macro_name("β")
    ('ConfLow', 'KnnOneFive', 'U')
    """
    words = re.findall(r"[A-Za-z]+|[0-9]", name)
    return "".join(NUMERALS[int(w)] if w.isdigit() else capital(w) for w in words) or "U"
