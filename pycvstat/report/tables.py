"""Tidy tables as tables of a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.report.content import Table
from pycvstat.report.numbers import aligned, p_value, setting

if TYPE_CHECKING:
    import pandas as pd

MEASURES = ("estimate", "pooled", "std_error", "conf_low", "conf_high", "train", "test", "gap")
"""Columns in the units of the loss: they are printed with the same decimals."""


def table_of(
    frame: pd.DataFrame, headers: Mapping[str, str], caption: str, strong: Sequence[int] = ()
) -> Table:
    """The columns of a tidy table that have a header, formatted; empty ones are left out.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"fold": [1, 2], "estimate": [2.5, 10.0], "x": [0, 0]})
    >>> table_of(frame, {"fold": "fold", "estimate": "mean loss"}, "Folds").rows
    (('1', '2.500'), ('2', '10.000'))
    """
    there = [name for name in headers if name in frame.columns]
    cells = _formatted(frame, there)
    names = [name for name in there if any(cells[name]) or len(frame) == 0]
    rows = tuple(tuple(cells[name][i] for name in names) for i in range(len(frame)))
    align = "".join("r" if _is_number(frame[name]) else "l" for name in names)
    return Table(tuple(headers[n] for n in names), rows, align, caption, tuple(strong))


def _formatted(frame: pd.DataFrame, names: Sequence[str]) -> dict[str, list[str]]:
    together = [name for name in names if name in MEASURES]
    flat = aligned([value for name in together for value in frame[name]])
    size = len(frame)
    cells = {name: flat[i * size : (i + 1) * size] for i, name in enumerate(together)}
    return cells | {name: _column(name, frame[name]) for name in names if name not in cells}


def _column(name: str, values: pd.Series[Any]) -> list[str]:
    if name.startswith("p_"):
        return [p_value(float(v)) for v in values]
    if values.dtype == bool:
        return ["yes" if v else "" for v in values]
    if _is_number(values):
        return aligned(list(values))
    return ["" if v is None or v != v else setting(v) for v in values]


def _is_number(values: pd.Series[Any]) -> bool:
    return bool(np.issubdtype(values.to_numpy().dtype, np.number))


def interval_headers(level: float) -> dict[str, str]:
    """Headers of an estimate with its interval."""
    return {
        "estimate": "estimate",
        "std_error": "std. error",
        "conf_low": f"{100 * level:g} % from",
        "conf_high": "to",
    }
