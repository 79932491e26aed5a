"""Columns of dummies

A formula over text with many values: what a date that was read as text becomes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import pycvstat as pcv
from tests.benchmarks.line import Line


def dates(n: int, days: int) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    day = pd.date_range("2015-01-01", periods=days).astype(str).to_numpy()
    data = pd.DataFrame({"day": day[np.arange(n) % days], "x": rng.normal(size=n)})
    return data.assign(y=data["x"] + rng.normal(size=n))


def lines() -> Iterator[Line]:
    n, days = 5000, 1200
    data = dates(n, days)
    plan = pcv.KFold(10, random=1).plan(n)

    def loop() -> float:
        X = pd.get_dummies(data[["day", "x"]], drop_first=True, dtype=float).to_numpy()
        X, y = np.column_stack([np.ones(n), X]), data["y"].to_numpy()
        fits = ((b, np.linalg.lstsq(X[a], y[a], rcond=None)[0]) for a, b in plan)
        return float(np.mean([np.mean((y[b] - X[b] @ found) ** 2) for b, found in fits]))

    def ours() -> float:
        folds = pcv.KFold(10, random=1)
        return pcv.cross_validate(pcv.OLS(), "y ~ day + x", data, folds=folds).estimate

    yield Line(f"OLS, 10 folds, n = {n:,}, {days:,} dates as text", ours,
               "a loop of numpy's lstsq", loop, seconds=30, agree=None, runs=1,
               their_runs=1)  # fmt: skip
