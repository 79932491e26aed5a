"""Recorded calls of kknn as frames and arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.r.bridge import reference

FILES = tuple(f"kknn-1.4.1-{name}.json" for name in ("seed1", "seed42", "seed2021", "hard"))
FEW_TEST_ROWS = 8  # of the hard cases


def record(file: str) -> tuple[dict[str, pd.DataFrame], list[dict[str, Any]]]:
    """The frames of a recording and its calls."""
    content = reference.recorded(file)
    frames = {name: _frame(columns) for name, columns in content["data"].items()}
    return frames, content["cases"]


def test_rows(file: str, frame: pd.DataFrame, n_train: int) -> pd.DataFrame:
    rows = frame.iloc[n_train:]
    return rows.iloc[:FEW_TEST_ROWS] if "hard" in file else rows


test_rows.__test__ = False  # type: ignore[attr-defined]


def numbers(given: Any, columns: int | None = None) -> np.ndarray[Any, Any]:
    """A vector, or a matrix with this many columns; jsonlite unboxes vectors of length one."""
    if isinstance(given, Mapping):
        given = [v if isinstance(v, list | Mapping) else [v] for v in given.values()]
        given = [list(v.values()) if isinstance(v, Mapping) else v for v in given]
    values = np.array([np.nan if v == "NA" else float(v) for v in _flat(given)])
    return values if columns is None else values.reshape(-1, columns)


def _flat(given: Any) -> list[Any]:
    if isinstance(given, list):
        return [v for part in given for v in _flat(part)]
    return [given]


def _frame(columns: Mapping[str, Any]) -> pd.DataFrame:
    return pd.DataFrame({name: _column(column) for name, column in columns.items()})


def _column(column: Mapping[str, Any]) -> Any:
    if column["type"] == "numeric":
        return numbers(column["values"])
    if column["type"] == "character":
        return column["values"]
    return pd.Categorical(
        column["values"], categories=column["levels"], ordered=column["type"] == "ordered"
    )
