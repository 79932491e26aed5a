"""Cross-check of an interval: the formula in R on the losses the interval was read from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pycvstat.errors import RError
from pycvstat.intervals.base import Interval
from pycvstat.losses import LossTable
from pycvstat.parity.table import SUMS, Crosscheck, Tolerance, compare_values

QUANTILES = Tolerance(1e-10, "quantiles found by iteration")
PARTS = ("estimate", "std_error", "low", "high")
Arguments = dict[str, Any]


def _losses(table: LossTable) -> Arguments:
    return {"losses": table.losses[:, 0]}


def _errors(table: LossTable) -> Arguments:
    return {"errors": float(table.losses[:, 0].sum()), "n": len(table.plan.rows)}


def _by_fold(table: LossTable) -> Arguments:
    fold = np.repeat(np.arange(1, len(table.plan) + 1), table.plan.n_test)
    return _losses(table) | {"fold": fold}


def _sizes(table: Any) -> Arguments:
    return {"n_train": table.plan.n_train, "n_test": table.plan.n_test}


def _scores(table: Any) -> Arguments:
    return {"scores": table.fold_means()[:, 0]} | _sizes(table)


def _clusters(table: LossTable) -> Arguments:
    return {"losses": table.per_row()[:, 0], "group": np.asarray(table.plan.groups)}


def _five_by_two(table: LossTable) -> Arguments:
    return {"p": table.fold_means()[:, 0].reshape(5, 2)}


def _grid(table: Any) -> Arguments:
    return {"errors": table.fold_means()} | _sizes(table)


FORMULAS: dict[str, Callable[[Any], Arguments]] = {
    "holdout_z": _losses,
    "wilson": _errors,
    "clopper_pearson": _errors,
    "all_pairs": _losses,
    "within_fold": _by_fold,
    "corrected_t": _scores,
    "cluster": _clusters,
    "five_by_two_t": _five_by_two,
    "tibshirani": _grid,
}


def check_interval(interval: Interval) -> Crosscheck:
    """Compute estimate, standard error and both ends in R."""
    from pycvstat.rbridge import run, source
    from pycvstat.rbridge.reference import path

    table = interval.source
    if table is None or interval.method not in FORMULAS:
        raise RError(
            "this interval has no formula in the R reference that runs on a user's losses.",
            given=f"{interval.method} for {interval.metric}",
            fix=f"methods with one: {', '.join(FORMULAS)}, for a mean loss",
        )
    source(path("intervals.R"))
    arguments = FORMULAS[interval.method](table)
    names = ", ".join(f"{name} = {name}" for name in arguments)
    r = run(f"pcv_ci_{interval.method}({names}, level = level)", level=interval.level, **arguments)
    values = np.asarray(r, dtype=np.float64)
    lowest, highest = table.range
    values[2:] = np.clip(values[2:], lowest, highest)
    tolerance = QUANTILES if interval.method == "clopper_pearson" else SUMS
    rows = tuple(
        compare_values(part, getattr(interval, part), values[i], tolerance)
        for i, part in enumerate(PARTS)
    )
    return Crosscheck(rows, f"{run('R.version.string')}; pcv_ci_{interval.method}")
