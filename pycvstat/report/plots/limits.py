"""Intervals for pictures and tables of a report; nothing where none is legal."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.errors import IntervalError, PycvstatWarning
from pycvstat.intervals import Interval
from pycvstat.losses import LossTable

if TYPE_CHECKING:
    pass


def usual_interval(table: Any, method: str = "auto", level: float = 0.95) -> Interval | None:
    """The interval of a table, or None where ``method="auto"`` finds none legal."""
    from pycvstat.intervals import interval

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        try:
            return interval(table, method, level)
        except IntervalError:
            if method != "auto":
                raise
            return None


def interval_rows(
    tables: Mapping[str, LossTable], method: str = "auto", level: float = 0.95
) -> Any:
    """Estimate and interval by method; NaN limits where no interval is legal."""
    import pandas as pd

    rows = []
    for table in tables.values():
        found = usual_interval(table, method, level)
        rows.append(
            {
                "estimate": float(table.estimate()[0]),
                "std_error": np.nan if found is None else found.std_error,
                "conf_low": np.nan if found is None else found.low,
                "conf_high": np.nan if found is None else found.high,
                "method": "none" if found is None else found.method,
            }
        )
    return pd.DataFrame(rows)
