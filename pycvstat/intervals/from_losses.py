"""Intervals and comparisons for losses made by anything else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pycvstat.errors import InputError, LossError
from pycvstat.errors.checks import shown
from pycvstat.errors.names import answering
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.from_table import MetricLike, interval, usual_row
from pycvstat.intervals.hoeffding import check_bounds
from pycvstat.intervals.legal import is_zero_one
from pycvstat.intervals.loss_input import columns_of, finite_numbers, in_order, plan_of, repeats_of
from pycvstat.intervals.result import Interval
from pycvstat.losses import LOSSES, LossTable, Predictions
from pycvstat.types import FloatArray
from pycvstat.verbs import CompareVerbs

UNKNOWN = -np.inf, np.inf


@dataclass(frozen=True, eq=False)
class LossResult(CompareVerbs):
    """Losses of one or several methods over one fold plan; made by `from_losses`.

    Parameters
    ----------
    tables : dict of LossTable
        By the name of the method.

    Examples
    --------
    >>> from_losses({"a": [1.0, 2.0], "b": [2.0, 2.0]}, [1, 2]).estimate
    {'a': 1.5, 'b': 2.0}
    """

    view: ClassVar[str] = "interval"
    counterpart: ClassVar[str] = "intervals_in_r.of_losses"

    tables: dict[str, LossTable]

    @property
    def names(self) -> tuple[str, ...]:
        """The methods."""
        return tuple(self.tables)

    @property
    def plan(self) -> FoldPlan:
        """The fold plan, the same for all."""
        return next(iter(self.tables.values())).plan

    @property
    def table(self) -> LossTable:
        """The losses, when there is one method."""
        return self.tables[self._name(None)]

    @property
    def estimate(self) -> Any:
        """Mean of fold means; a dict when there are several methods."""
        return self._each(lambda table: table.estimate().item())

    @property
    def pooled(self) -> Any:
        """Mean over observations; a dict when there are several methods."""
        return self._each(lambda table: table.pooled().item())

    def _each(self, value: Any) -> Any:
        values = {name: value(table) for name, table in self.tables.items()}
        return values if len(values) > 1 else next(iter(values.values()))

    def _name(self, name: str | None) -> str:
        if name is None and len(self.tables) == 1:
            return self.names[0]
        if name is None:
            raise InputError(
                "say which method is meant.", fix=f"use one of {', '.join(self.names)}"
            )
        self._named(name)
        return name

    def __getitem__(self, name: str) -> LossResult:
        return LossResult({name: self.tables[self._name(name)]})

    def interval(
        self,
        method: str = "auto",
        level: float = 0.95,
        *,
        name: str | None = None,
        metric: MetricLike = None,
        **options: Any,
    ) -> Any:
        """The interval of one method; of all, as a dict, when several and no `name`."""
        if name is not None or len(self.tables) == 1:
            return self._interval(self._name(name), method, level, metric, options)
        return {n: self._interval(n, method, level, metric, options) for n in self.names}

    def _interval(
        self, name: str, method: str, level: float, metric: MetricLike, options: Any
    ) -> Interval:
        return interval(self.tables[name], method, level, metric=metric, **options)

    def tidy(self, level: float = 0.95) -> pd.DataFrame:
        """One row per method: estimate, std_error, conf_low, conf_high, pooled, ...

        The limits are NaN where no interval is legal.
        """
        rows = [
            {"name": name} | usual_row(table, level) | {"pooled": table.pooled().item()}
            for name, table in self.tables.items()
        ]
        return pd.DataFrame(rows)

    def glance(self) -> pd.DataFrame:
        """One row: methods, the one with the smallest estimate, sizes, folds."""
        estimates = {name: table.estimate().item() for name, table in self.tables.items()}
        best = min(estimates, key=lambda name: estimates[name])
        row = {
            "methods": len(self.tables),
            "best": best,
            "estimate": estimates[best],
            "pooled": self.tables[best].pooled().item(),
            "loss": self.tables[best].loss,
            "n": self.plan.n,
            "fits": len(self.plan),
            "folds": self.plan.recipe,
            "fingerprint": self.plan.fingerprint,
        }
        return pd.DataFrame([row])

    def augment(self) -> pd.DataFrame:
        """One row per tested row: repeat, fold, row, and the loss of each method."""
        first = next(iter(self.tables.values()))
        columns = {f".loss_{name}": table.losses.ravel() for name, table in self.tables.items()}
        return pd.concat(
            [first.tidy()[["repeat", "fold", "row"]], pd.DataFrame(columns)], axis="columns"
        )

    def __repr__(self) -> str:
        return f"LossResult({', '.join(map(repr, self.names))}; {self.plan!r})"


@answering
def from_losses(
    losses: Any,
    fold_ids: Any = None,
    *,
    names: Sequence[str] | None = None,
    groups: Any = None,
    loss: str = "loss",
    bounds: tuple[float, float] | None = None,
    n_train: int | None = None,
    y: Any = None,
    predictions: Any = None,
) -> LossResult:
    """Read losses made by scikit-learn, caret or anything else.

    Parameters
    ----------
    losses : sequence, 2-D array, frame, or mapping
        One loss per row of the data. Several columns of an array are several methods, or the
        repetitions when `fold_ids` has as many columns; named columns are methods. A mapping holds
        one array per method, with one column per repetition.
    fold_ids : sequence, (n, times) array or FoldPlan
        Fold of each row, one column per repetition. With a plan that is no partition, losses are
        in the order of ``plan.rows``. None: one test set, of a model trained on `n_train` rows.
    names : sequence of str, optional
        Names of the methods, all different.
    groups : sequence, optional
        The group (subject) of each row; no fold may split a group.
    loss : str
        What to call the loss; "squared" lets RMSE and R^2 be had from it.
    bounds : (float, float), optional
        Smallest and largest possible loss; intervals are kept inside.
    n_train : int, optional
        Training rows of the model, when the losses are those of one test set.
    y, predictions : sequence, optional
        Response and out-of-fold predictions (for two classes: y of 0 and 1 and scores), for R^2,
        AUC and metrics of your own; for one method.

    Notes
    -----
    Where several of these have row labels (pandas), they must be the same labels in the same order;
    or unique and the same set, and then rows are matched by them, with a warning.

    Examples
    --------
    >>> result = from_losses([0.5, 1.0, 2.0, 1.5, 0.5, 1.0], [1, 1, 2, 2, 3, 3])
    >>> round(result.estimate, 6), result.interval().method
    (1.083333, 'corrected_t')
    >>> two = from_losses({"knn": [0.5, 1.0, 2.0, 1.5], "ols": [1.0, 2.0, 2.5, 1.5]}, [1, 1, 2, 2])
    >>> two.paired("knn", "ols").difference
    -0.5
    """
    if not isinstance(loss, str):
        raise InputError("loss is what to call the loss.", given=shown(loss), fix="loss='squared'")
    losses, fold_ids, groups, y, predictions = in_order(losses, fold_ids, groups, y, predictions)
    columns = columns_of(losses, repeats_of(fold_ids), names)
    plan = plan_of(fold_ids, len(next(iter(columns.values()))), groups, n_train)
    if (y is None) != (predictions is None) or (y is not None and len(columns) > 1):
        raise InputError(
            "y and predictions belong together, and to one method.", given=f"{len(columns)} methods"
        )
    tables = {}
    for name, values in columns.items():
        column = _in_plan_order(values, plan, name)
        table = LossTable(plan, column[:, None], loss, _range(column, bounds, loss))
        if not np.isfinite(table.total()).all():
            raise LossError(f"the sum of the losses of {name} leaves the range of numbers.")
        tables[name] = table
    if y is not None:
        tables = {n: _with_predictions(t, y, predictions) for n, t in tables.items()}
    return LossResult(tables)


def _in_plan_order(values: FloatArray, plan: FoldPlan, name: str) -> FloatArray:
    repeat = np.repeat(plan.repeat, plan.n_test)
    if values.shape == (plan.n, plan.times) and plan.is_partition:
        return values[plan.rows, repeat]
    if values.shape == (plan.n,) and plan.times == 1 and plan.is_partition:
        return values[plan.rows]
    if values.shape == plan.rows.shape:
        return values
    expected = f"({plan.n},)" if plan.times == 1 else f"({plan.n}, {plan.times})"
    repeated = plan.is_partition and values.shape == (plan.n,)
    raise InputError(
        f"the losses of {name} do not fit the folds.",
        given=f"shape {values.shape}",
        fix=f"shape {expected if plan.is_partition else plan.rows.shape}"
        + (", one column per repetition; of one method, an array without names" * repeated),
    )


def _range(
    values: FloatArray, bounds: tuple[float, float] | None, loss: str
) -> tuple[float, float]:
    """The bounds that were given, or those of a loss of this name; else of errors 0 and 1."""
    if bounds is None and is_zero_one(values):
        return 0.0, 1.0
    of_name = LOSSES[loss].range if loss in LOSSES else UNKNOWN
    low, high = of_name if bounds is None else _ends(bounds)
    if low <= values.min() and values.max() <= high:
        return low, high
    if bounds is None:
        return UNKNOWN
    raise LossError(
        "losses lie outside their bounds.",
        given=f"losses from {values.min():g} to {values.max():g}, bounds {bounds}",
    )


def _ends(bounds: Any) -> tuple[float, float]:
    """Lower and upper bound; either may be infinite."""
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError):
        low = high = float("nan")
    return (low, high) if low < high and np.isinf([low, high]).any() else check_bounds(bounds)


def _with_predictions(table: LossTable, y: Any, predictions: Any) -> LossTable:
    response, n = finite_numbers(y, "the response"), table.plan.n
    predicted = finite_numbers(predictions, "the predictions")
    values = _in_plan_order(predicted, table.plan, "predictions")
    if response.shape != (n,):
        raise InputError(
            "y must have one value per row.", given=f"shape {response.shape} for {n} rows"
        )
    return replace(table, predictions=Predictions(values[None, :]), y=response, seal="")
