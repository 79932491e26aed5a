"""Results as JSON values."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np


def as_json(result: Any, *tables: str) -> str:
    """The tables of a result, by name, as JSON: rows as objects, NaN and infinity as null.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> print(as_json(FoldPlan.from_fold_ids([1, 2]), "augment").replace("\\n", "")[:56])
    {  "augment": [    {      ".row": 0,      ".tested": 1,
    """
    values = {name: _records(getattr(result, name)()) for name in tables}
    if "glance" in values:
        values["glance"] = values["glance"][0]
    return json.dumps(values, indent=2, default=str)


def _records(frame: Any) -> Any:
    return [{str(k): _plain(v) for k, v in row.items()} for row in frame.to_dict("records")]


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
