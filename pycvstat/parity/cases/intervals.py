"""Intervals on shared losses: estimate, standard error, low, high."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals import interval
from pycvstat.losses import LossTable
from pycvstat.parity.cases.case import Cases, case
from pycvstat.parity.table import SUMS, Tolerance

FOLDS = np.repeat(np.arange(6), 10)
QUANTILES = Tolerance(1e-10, "quantiles of the beta distribution are found by iteration")


def _holdout(values: Any, range_: tuple[float, float] = (0.0, np.inf)) -> LossTable:
    n = len(values)
    plan = FoldPlan.from_splits([(np.arange(n, 2 * n), np.arange(n))], 2 * n)
    return LossTable(plan, np.asarray(values, dtype=np.float64)[:, None], range=range_)


def _errors(r: Mapping[str, Any]) -> LossTable:
    return _holdout(r["errors"], (0.0, 1.0))


def _kfold(r: Mapping[str, Any]) -> LossTable:
    return LossTable(FoldPlan.from_fold_ids(FOLDS), np.asarray(r["losses"])[:, None])


METHODS: dict[str, tuple[Callable[[Mapping[str, Any]], LossTable], str, dict[str, Any]]] = {
    "holdout z": (lambda r: _holdout(r["losses"]), "holdout_z", {}),
    "Hoeffding": (_errors, "hoeffding", {"bounds": (0, 1)}),
    "Wilson": (_errors, "wilson", {}),
    "Clopper-Pearson": (_errors, "clopper_pearson", {}),
    "CLT, all pairs": (_kfold, "all_pairs", {}),
    "CLT, within folds": (_kfold, "within_fold", {}),
    "corrected t": (_kfold, "corrected_t", {}),
}


def _limits(r: Mapping[str, Any], name: str, level: float) -> list[float]:
    table, method, options = METHODS[name]
    found = interval(table(r), method=method, level=level, **options)
    return [found.estimate, found.std_error, found.low, found.high]


def cases() -> Cases:
    """Every formula at four levels."""
    return {
        f"{name}, level {level:g}": case(
            _limits, name, level, tolerance=QUANTILES if name == "Clopper-Pearson" else SUMS
        )
        for name in METHODS
        for level in (0.8, 0.9, 0.95, 0.99)
    }
