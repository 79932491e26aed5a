"""Frames and cases of r_reference/formulas.R."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.frame import Column, Frame, read, read_y


def as_frame(data: dict[str, Any]) -> Frame:
    """The recorded data frame."""
    return read({name: _column(one) for name, one in data.items()})


def numbers(texts: list[str]) -> np.ndarray:
    """Numbers recorded as text of 17 digits."""
    return np.array([np.nan if text == "NA" else float(text) for text in texts])


def _column(one: dict[str, Any]) -> Any:
    if one["type"] in ("factor", "ordered"):
        ordered = one["type"] == "ordered"
        return pd.Categorical(one["values"], one["levels"], ordered=ordered)
    if one["type"] == "logical":
        return [value == "TRUE" for value in one["values"]]
    if one["type"] == "numeric":
        return numbers(one["values"])
    return Column("words", "factor", *read_y(one["values"]).as_factor("C"))  # its locale
