"""Pictures of fold plans, cross-validation, tuning and error curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals import METHODS, legal_methods
from pycvstat.losses import LossTable, loss_label
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.error_curve import ErrorCurve
from pycvstat.procedures.learning_curve import LearningCurve
from pycvstat.procedures.nested import NestedResult
from pycvstat.procedures.tune import TuneResult
from pycvstat.report.plots import curves, folds, forest, losses, predictions
from pycvstat.report.plots.kinds import Kind, kinds_of
from pycvstat.report.plots.limits import usual_interval
from pycvstat.report.words import parameters

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@kinds_of.register
def _(result: FoldPlan) -> dict[str, Kind]:
    return {"map": map_kind(result)}


def map_kind(plan: FoldPlan) -> Kind:
    height = 1.1 + 0.16 * min(len(plan), folds.FITS)
    return Kind(lambda ax: folds.fold_map(ax, plan), (4.6, height))


@kinds_of.register
def _(result: CVResult) -> dict[str, Kind]:
    kinds = loss_kinds(result.table)
    kinds |= _prediction_kinds(result)
    return kinds | {"map": map_kind(result.plan)}


def loss_kinds(table: LossTable) -> dict[str, Kind]:
    def fold_errors(ax: Axes, method: str = "auto", level: float = 0.95) -> Axes:
        found = usual_interval(table, method, level)
        return losses.fold_errors(
            ax, _fold_rows(table), float(table.estimate()[0]), found, table.loss
        )

    def distribution(ax: Axes) -> Axes:
        by_row = table.tested_rows()[1][:, 0]
        return losses.loss_distribution(
            ax, by_row[~np.isnan(by_row)], float(table.estimate()[0]), table.loss
        )

    several = len(table.plan) > 1 and table.plan.n_test.max() > 1
    kinds = {"folds": Kind(fold_errors)} if several else {}
    kinds["losses"] = Kind(distribution)
    if len(table.plan) > 1 or legal_methods(table):
        kinds["intervals"] = _intervals(table)
    if table.plan.kind == "nested_pairs":
        kinds["inflation"] = Kind(lambda ax: _inflation(ax, table))
    return kinds


def _fold_rows(table: LossTable) -> Any:
    from pycvstat.procedures.quantities import fold_rows

    return fold_rows(table)


def _intervals(table: LossTable) -> Kind:
    names = [
        name
        for name in legal_methods(table)
        if METHODS[name].needs != "predictions" and "bounds" not in METHODS[name].options
    ]

    def draw(ax: Axes, methods: Sequence[str] | None = None, level: float = 0.95) -> Axes:
        import pandas as pd

        found = [usual_interval(table, name, level) for name in methods or names]
        rows = pd.concat([f.tidy() for f in found if f is not None], ignore_index=True)
        labels = [f"{m}, {t}" for m, t in zip(rows["method"], rows["target"], strict=True)]
        words = f"{loss_label(table.loss)}, {100 * level:g} % intervals"
        return forest.forest(ax, rows, labels, words)

    return Kind(draw, (5.6, 0.9 + 0.3 * max(1, len(names))))


def _inflation(ax: Axes, table: LossTable) -> Axes:
    found = usual_interval(table, "ncv")
    assert found is not None
    return losses.running_inflation(
        ax, found.details["running_inflation"], found.details["inflation"]
    )


def _prediction_kinds(result: CVResult) -> dict[str, Kind]:
    p, response = result.table.predictions, result.task.response
    if p is None:
        return {}
    if not response.levels:
        return {
            "residuals": Kind(lambda ax: predictions.residuals(ax, result.augment(), response.name))
        }
    if p.prob is None:
        return {}
    return {"calibration": Kind(lambda ax: _calibration(ax, result), (3.6, 3.6))}


def _calibration(ax: Axes, result: CVResult) -> Axes:
    response = result.task.response
    tested, probability = mean_probabilities(result.table)
    return predictions.calibration(ax, probability, response.values[tested], response.levels)


def mean_probabilities(table: LossTable) -> tuple[Any, Any]:
    """Tested rows, and their out-of-fold class probabilities averaged over repetitions."""
    assert table.predictions is not None
    assert table.predictions.prob is not None
    prob, plan = table.predictions.prob[0], table.plan
    total = np.zeros((plan.n, prob.shape[1]))
    np.add.at(total, plan.rows, prob)
    times = np.bincount(plan.rows, minlength=plan.n)
    tested = np.flatnonzero(times)
    return tested, total[tested] / times[tested, None]


@kinds_of.register
def _(result: NestedResult) -> dict[str, Kind]:
    params = parameters(result.candidates)
    inner = result.inner_plans[0] if result.inner_plans else None
    strips = min(len(result.plan), 12) + (0 if inner is None else min(len(inner), 12) + 1.5)
    own = {
        "curves": Kind(
            lambda ax: curves.inner_curves(ax, result.tidy("inner"), params, result.table.loss)
        ),
        "selection": Kind(lambda ax: predictions.selection(ax, result.selection(), params)),
        "diagram": Kind(
            lambda ax: folds.nested_diagram(ax, result.plan, inner, "tune"),
            (4.6, 1.1 + 0.17 * strips),
        ),
        "tuning": Kind(lambda ax: _tuning(ax, result.retuned)),
    }
    return own | kinds_of.dispatch(CVResult)(result)


@kinds_of.register
def _(result: TuneResult) -> dict[str, Kind]:
    return {"curve": Kind(lambda ax: _tuning(ax, result)), "map": map_kind(result.plan)}


def _tuning(ax: Axes, result: TuneResult) -> Axes:
    return curves.tuning_curve(ax, result.tidy(), parameters(result.candidates), result.means.loss)


@kinds_of.register
def _(result: ErrorCurve) -> dict[str, Kind]:
    params = parameters(result.candidates)
    return {
        "curve": Kind(lambda ax: curves.error_curve(ax, result.tidy(), params, result.loss)),
        "map": map_kind(result.plan),
    }


@kinds_of.register
def _(result: LearningCurve) -> dict[str, Kind]:
    return {
        "curve": Kind(lambda ax: curves.learning_curve(ax, result.tidy(), result.loss)),
        "map": map_kind(result.plan),
    }
