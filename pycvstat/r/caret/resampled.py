"""The measures of every resample and candidate, their means, and the choice among them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from pycvstat.errors import FitError, InputError, PycvstatError, telling, warn
from pycvstat.folds import FoldPlan
from pycvstat.losses import LossTable
from pycvstat.losses.functions import as_loss
from pycvstat.procedures.engine import run
from pycvstat.r.caret.control import SMALLER, Resamples, chosen, trainControl
from pycvstat.r.caret.fits import PreparedTrain
from pycvstat.r.caret.methods import candidates
from pycvstat.r.values import Factor
from pycvstat.rmath.sums import mean, sd
from pycvstat.types import BoolArray, FloatArray, IntArray

APPARENT = float(np.exp(-1))  # the share of the apparent error in boot632


class Resampled(NamedTuple):
    """What resampling found; see `Train` for the fields."""

    results: pd.DataFrame
    resample: pd.DataFrame | None
    pred: pd.DataFrame | None
    best: dict[str, Any]
    metric: str = ""
    maximize: bool = False
    measures: tuple[str, ...] = ()

    @classmethod
    def none(cls, prepared: PreparedTrain, grid: pd.DataFrame, control: trainControl) -> Resampled:
        """The only candidate, where nothing is resampled."""
        if len(grid) > 1:
            raise InputError(
                "only one model should be specified in tuneGrid with no resampling.",
                given=f"{len(grid)} candidates",
            )
        response = prepared.task.response
        data = pd.DataFrame({"obs": _values(response.values, response.levels)})
        data["pred"] = data["obs"]
        if control.classProbs:
            data[list(response.levels)] = 1 / len(response.levels)
        empty = pd.DataFrame(columns=[*_numbers(control, data, response.levels), *grid])
        return cls(empty, None, None, candidates(grid)[0])


def resampled(
    prepared: PreparedTrain,
    grid: pd.DataFrame,
    control: trainControl,
    parts: Resamples,
    metric: str | None,
    maximize: bool | None,
) -> Resampled:
    """Run the engine over the resamples and measure what it predicts."""
    task = prepared.task
    train, test = list(parts.train), list(parts.test)
    if control.method == "boot632":
        everything = np.arange(task.n)
        train, test = [everything, *train], [everything, *test]
    plan = FoldPlan.from_splits(
        zip(train, test, strict=True), task.n, kind="bootstrap", recipe=control.words
    )
    loss = as_loss(None, task.response.kind)
    outcome = run(prepared, plan, task.response.values, loss, on_error="warn")
    assert outcome.table is not None
    ends = plan.offsets[[0, -1]] if control.method == "LOOCV" else plan.offsets
    frames = _frames(prepared, control, outcome.table, ends)
    measures, values = _measured(control, frames, task.response.levels)
    if np.isnan(values).any():
        warn("There were missing values in resampled performance measures.")
    if np.isnan(values).all():
        first = outcome.failures[0].reason if outcome.failures else "no measure is defined"
        raise FitError(f"all the {measures[0]} metric values are missing.", given=first)
    if metric is not None and metric not in measures:
        used = measures[0]
        warn(f'The metric "{metric}" was not in the result set. {used} will be used instead.')
        metric = None
    metric = metric or measures[0]
    larger = metric not in SMALLER if maximize is None else bool(maximize)
    results = _results(grid, control, measures, values)
    seen = results  # boot632 merges the apparent errors, and so sorts words by the alphabet
    if control.method == "boot632":
        seen = results.sort_values(_columns(grid), kind="stable")
    tunes = candidates(seen[_columns(grid)])
    simple = sorted(range(len(tunes)), key=lambda i: prepared.method.simplest(tunes[i]))
    rule = control.selectionFunction
    best = tunes[simple[chosen(seen.iloc[simple], metric, rule, larger, len(parts.names))]]
    kept = pred = None
    names = ("",) if control.method == "LOOCV" else parts.names
    if control.method != "LOOCV" and control.returnResamp != "none":
        each = values[-len(names) :, prepared.order].reshape(-1, len(measures))
        kept = _every(prepared, names, [pd.DataFrame(each, columns=[*measures])])
        if control.returnResamp == "final":
            kept = _of_best(kept, best)[[*measures, "Resample"]]
    if control.savePredictions != "none" or control.method == "LOOCV":
        some = frames[-len(names) :]
        pred = _every(prepared, names, [one[c] for one in some for c in prepared.order])
        if control.method == "LOOCV":
            pred = pred.drop(columns="Resample")
            pred = pred.sort_values("rowIndex", kind="stable", ignore_index=True)
        pred = _of_best(pred, best) if control.savePredictions == "final" else pred
    return Resampled(results, kept, pred, best, metric, larger, measures)


def _frames(
    prepared: PreparedTrain, control: trainControl, table: LossTable, ends: IntArray
) -> list[list[pd.DataFrame]]:
    """The predictions of every resample and candidate, as the summary function gets them."""
    levels, weights = prepared.task.response.levels, prepared.task.weights
    found, tested, y = table.predictions, table.plan.rows, table.y
    assert found is not None
    assert y is not None

    def of(c: int, low: int, high: int) -> pd.DataFrame:
        known = np.flatnonzero(np.isfinite(found.values[c, low:high])) + low
        rows = tested[known]
        each = {"pred": found.values[c, known], "obs": y[rows]}
        data = {name: _values(values, levels) for name, values in each.items()}
        if control.classProbs and found.prob is not None:
            data |= dict(zip(levels, found.prob[c, known].T, strict=True))
        if weights is not None:
            data["weights"] = weights[rows]
        return pd.DataFrame(data | {"rowIndex": rows + 1})

    return [
        [of(c, low, high) for c in range(found.n_candidates)]
        for low, high in pairwise(ends.tolist())
    ]


def _measured(
    control: trainControl, frames: list[list[pd.DataFrame]], levels: tuple[str, ...]
) -> tuple[tuple[str, ...], FloatArray]:
    """The names of the measures, and their values (resamples, candidates, measures)."""
    rows = [_numbers(control, one, levels) if len(one) else {} for part in frames for one in part]
    measures = next((tuple(row) for row in rows if row), ("Accuracy",) if levels else ("RMSE",))
    values = np.array([[row.get(name, np.nan) for name in measures] for row in rows])
    return measures, values.reshape(len(frames), -1, len(measures))


def _values(given: Any, levels: tuple[str, ...]) -> Any:
    """Numbers, or classes by their names."""
    return Factor.of(given.astype(np.int64), list(levels)) if levels else given


def _numbers(
    control: trainControl, data: pd.DataFrame, levels: tuple[str, ...]
) -> dict[str, float]:
    """What the summary function gives, which is a number for each name."""
    try:
        found = control.summaryFunction(data, list(levels) or None, None)
        return {str(name): float(value) for name, value in found.items()}
    except PycvstatError:
        raise
    except Exception as error:  # a user's function may raise anything
        raise InputError("summaryFunction failed.", given=telling(error),
                         fix="give a function of (data, lev, model) that returns a dict of numbers"
                         ) from error  # fmt: skip


def _results(
    grid: pd.DataFrame, control: trainControl, measures: tuple[str, ...], values: FloatArray
) -> pd.DataFrame:
    """One row per candidate in the order of the parameters: means, deviations, apparent values."""
    order = grid.sort_values(_columns(grid), kind="stable").index
    words = {name: object for name in grid if not is_numeric_dtype(grid[name].dtype)}
    frame = grid.loc[order].astype(words).reset_index(drop=True)
    mixed = control.method == "boot632"
    apparent, each = values[0, order], values[int(mixed) :, order]
    for m, name in enumerate(measures):
        frame[name] = [_of_known(mean, column) for column in each[:, :, m].T]
        if mixed:
            frame[name] = (1 - APPARENT) * frame[name] + APPARENT * apparent[:, m]
    if control.method != "LOOCV":
        for m, name in enumerate(measures):
            frame[f"{name}SD"] = [_of_known(sd, column) for column in each[:, :, m].T]
    if mixed:
        frame[[f"{name}Apparent" for name in measures]] = apparent
    return frame


def _columns(frame: pd.DataFrame) -> list[str]:
    return [str(name) for name in frame]


def _of_known(statistic: Any, column: FloatArray) -> float:
    known = column[~np.isnan(column)]
    return float(statistic(known)) if len(known) > (statistic is sd) else np.nan


def _every(
    prepared: PreparedTrain, names: Sequence[str], blocks: Sequence[pd.DataFrame]
) -> pd.DataFrame:
    """Blocks of rows of each resample and candidate, in the order in which train fits them."""
    order, frame = prepared.order, pd.concat(blocks, ignore_index=True)
    tunes = pd.DataFrame([prepared.candidates[c] for c in order])
    fits = len(names) * len(order)
    sizes = list(map(len, blocks)) if len(blocks) == fits else len(frame) // fits
    at = np.repeat(np.arange(fits), sizes)
    frame[_columns(tunes)] = tunes.iloc[at % len(order)].reset_index(drop=True)
    return frame.assign(Resample=np.array(names)[at // len(order)])


def _of_best(every: pd.DataFrame, best: dict[str, Any]) -> pd.DataFrame:
    """The rows of the chosen candidate, as R's ``merge`` leaves them: its sort is not stable."""
    wanted = np.logical_and.reduce([every[name] == value for name, value in best.items()])
    order = [row for row in shell_order(wanted) if wanted[row]]
    first = [*best, *(name for name in every if name not in best)]
    return every[first].loc[order].reset_index(drop=True)


def shell_order(keys: BoolArray) -> list[int]:
    """Places in the order of their keys, as R's Shell sort of indices leaves them.

    Examples
    --------
    >>> shell_order(np.array([True, False, False] * 5))[-5:]
    [0, 3, 12, 9, 6]
    """
    found = list(range(len(keys)))
    step = 1
    while step <= len(keys) // 9:
        step = 3 * step + 1
    while step > 0:
        for i in range(step, len(found)):
            one, j = found[i], i
            while j >= step and keys[found[j - step]] > keys[one]:
                found[j] = found[j - step]
                j -= step
            found[j] = one
        step //= 3
    return found
