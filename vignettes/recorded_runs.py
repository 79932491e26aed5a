"""The simulations that record_coverage.py recorded, as tables."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

RECORDED = Path(__file__).parent / "recorded" / "coverage.json"


def runs(part: str, target: str = "") -> pd.DataFrame:
    """A part of the simulations: one row per run and target, or those of one target.

    `heavy` is the share of data sets that are warned of heavy tails, `warned` that of those whose
    interval lies too low.
    """
    table = pd.DataFrame(
        {"label": run["label"], "excludes_zero": run["excludes_zero"], "refused": run["refused"]}
        | {"heavy": run.get("warned")}
        | row
        for run in json.loads(RECORDED.read_text())["runs"]
        if run["part"] == part
        for row in run["rows"]
    )
    return table[table["target"] == target] if target else table
