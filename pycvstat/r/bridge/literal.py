"""Python values written as R code, for scripts that run elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pycvstat.data.formula.syntax import is_syntactic
from pycvstat.data.frame import Column, Frame
from pycvstat.r.bridge.values import r_text

WIDTH = 96


def literal(value: Any) -> str:
    """A value as R code that gives it back exactly; nothing in it can become another code.

    Parameters
    ----------
    value : None, bool, number, str, array, Frame, or lists and dicts of these

    Examples
    --------
    >>> literal({"k": 5, "kernel": 'a"b', "rows": np.array([1, 2]), "scale": True, "w": None})
    'list(k = 5, kernel = "a\\\\"b", rows = c(1L, 2L), scale = TRUE, w = NULL)'
    """
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return text(value)
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float | np.number):
        return number(float(value))
    if isinstance(value, Frame):
        return _frame(value)
    if isinstance(value, Mapping):
        return _list([f"{_name(name)} = {literal(part)}" for name, part in value.items()])
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
        value = np.atleast_1d(value)
        return vector([f"{int(part)}L" for part in value])
    if isinstance(value, np.ndarray) or all(isinstance(part, str | int | float) for part in value):
        return vector([literal(part) for part in value])
    return _list([literal(part) for part in value])


def number(value: float) -> str:
    """A number that R reads back exactly.

    Examples
    --------
    >>> number(0.1), number(3.0), number(float("inf"))
    ('0.10000000000000001', '3', 'Inf')
    """
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    return format(value, ".17g")


def text(value: str) -> str:
    r"""A string literal of R in which nothing can end the string.

    Examples
    --------
    >>> text('a"; system("x")')
    '"a\\"; system(\\"x\\")"'
    """
    escaped = []
    for character in r_text(value):
        code = ord(character)
        if character in '"\\':
            escaped.append("\\" + character)
        elif 32 <= code < 127:
            escaped.append(character)
        else:
            escaped.append(f"\\U{{{code:x}}}" if code > 0xFFFF else f"\\u{{{code:x}}}")
    return '"' + "".join(escaped) + '"'


def vector(items: Sequence[str]) -> str:
    """``c(...)`` over several lines.

    Examples
    --------
    >>> vector(["1", "2"])
    'c(1, 2)'
    """
    lines, line = [], "c("
    for i, item in enumerate(items):
        piece = item + ("" if i == len(items) - 1 else ", ")
        if len(line) + len(piece) > WIDTH:
            lines.append(line.rstrip())
            line = "    "
        line += piece
    return "\n".join([*lines, line + ")"])


def _list(parts: Sequence[str]) -> str:
    """``list(...)``, in one line when it is short."""
    short = f"list({', '.join(parts)})"
    if len(short) <= WIDTH and "\n" not in short:
        return short
    return "list(\n  " + ",\n  ".join(parts) + ")"


def _name(name: str) -> str:
    """The name of a part of a list."""
    return name if is_syntactic(name) and name.isascii() else text(name)


def _frame(frame: Frame) -> str:
    columns = _list([f"{_name(name)} = {_column(frame[name])}" for name in frame.names])
    return f'structure({columns},\n  class = "data.frame", row.names = seq_len({frame.n}))'


def _column(column: Column) -> str:
    values = column.values
    if column.kind in ("numeric", "date"):
        numbers = vector([number(float(v)) for v in values])
        return numbers if column.kind == "numeric" else f'structure({numbers}, class = "Date")'
    if column.kind == "logical":
        return vector(["NA" if v != v else "TRUE" if v else "FALSE" for v in values])
    codes, levels = column.as_factor()
    known = vector(["NA" if code < 0 else f"{int(code) + 1}L" for code in codes])
    kind = 'c("ordered", "factor")' if column.kind == "ordered" else '"factor"'
    return f"structure({known}, levels = {literal(list(levels))}, class = {kind})"
