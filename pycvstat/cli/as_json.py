"""Results as JSON values."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np


def as_json(**tables: Any) -> str:
    """Tables by name as JSON: rows as objects, NaN and infinity as null; ``glance`` is one row.

    Examples
    --------
    >>> import pandas as pd
    >>> print(as_json(glance=pd.DataFrame({"n": [2], "p": [float("nan")]})))
    {
      "glance": {
        "n": 2,
        "p": null
      }
    }
    """
    values = {name: _records(table) for name, table in tables.items()}
    if "glance" in values:
        values["glance"] = values["glance"][0]
    return json.dumps(values, indent=2, default=str)


def _records(frame: Any) -> Any:
    return [{str(k): _plain(v) for k, v in row.items()} for row in frame.to_dict("records")]


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
