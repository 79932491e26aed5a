"""train: a method resampled over candidates, one of them chosen and fitted to all rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from pycvstat.data.task import Task
from pycvstat.errors import DataError, InputError, warn
from pycvstat.errors.checks import check_word
from pycvstat.errors.names import answering
from pycvstat.folds.forms import values_of
from pycvstat.r.caret import preprocess
from pycvstat.r.caret.control import resamples, seeds_of, trainControl
from pycvstat.r.caret.fits import PreparedTrain
from pycvstat.r.caret.methods import METHODS, Method, candidates, frame_of, in_order
from pycvstat.r.caret.resampled import Resampled, resampled
from pycvstat.r.caret.results import Train
from pycvstat.r.session import apart, set_seed, stream
from pycvstat.r.values import whole

LARGEST = 2**31 - 1
MOST = 1_000_000  # the seeds of fits
NA = Literal["na.fail", "na.omit"]


@answering
def train(
    form: Any = None,
    data: Any = None,
    method: str = "knn",
    preProcess: str | Sequence[str] | None = None,
    metric: str | None = None,
    maximize: bool | None = None,
    trControl: trainControl | None = None,
    tuneGrid: Any = None,
    tuneLength: int = 3,
    na_action: NA = "na.fail",
    weights: Any = None,
    x: Any = None,
    y: Any = None,
) -> Train:
    """Resample a method over candidates, choose one and fit it to all rows.

    Parameters
    ----------
    form, data : str and frame
        A formula and its data, or the predictors and the response as `x` and `y`.
    method : {"lm", "glm", "knn", "kknn", "glmnet", "multinom", "rlm"}
    preProcess : sequence of str, optional
        Some of "center", "scale", "range", "pca", "zv", "nzv": learned from the training rows of
        each resample.
    metric : str, optional
        The measure by which a candidate is chosen; RMSE or Accuracy.
    maximize : bool, optional
        Whether its largest value is the best; so for all but RMSE, MAE and logLoss.
    trControl : trainControl, optional
        25 bootstrap resamples by default.
    tuneGrid : mapping or frame, optional
        Candidates: all combinations of a mapping's values, or the rows of a frame.
    tuneLength : int
        How many values of each parameter there are without `tuneGrid`.
    na_action : {"na.fail", "na.omit"}
    weights : sequence, or str, optional
        Of the rows in the fits, or a column of the data; the measures have none.
    x, y : frame or (n, p) array, and sequence, optional
        Factors among the predictors are for "lm", "glm" and "multinom".

    Returns
    -------
    Train

    Notes
    -----
    As in R: ``train(form, data, method, ...)`` or ``train(x, y, ...)``, with its draws: a seed,
    from it the resamples, a seed for each resample and candidate, and one for the final fit, from
    where the caller's stream goes on.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> fit = r.caret.train("mpg ~ .", pcv.data.mtcars(), method="lm",
    ...                     trControl=r.caret.trainControl("LOOCV"))
    >>> fit.results.round(6)
       intercept      RMSE  Rsquared       MAE
    0       True  3.490209  0.681858  2.743759
    >>> fit.bestTune
    {'intercept': True}
    """
    check_word("method", method, METHODS, f"train has no method {method!r} here.")
    check_word("na_action", na_action, get_args(NA))
    control = trainControl() if trControl is None else trControl
    if not isinstance(control, trainControl):
        raise InputError("trControl is what trainControl() returns.", given=type(control).__name__)
    known, steps = METHODS[method], preprocess.methods_of(preProcess)
    x, y = (x, y) if x is not None or isinstance(form, str | None) else (form, data)
    given: dict[str, Any] = {"formula": form, "data": data} if x is None else {"X": x, "y": y}
    task = Task.build(**given, weights=weights, na="omit")
    if task.omitted and na_action == "na.fail" and x is None:
        raise DataError(
            "the data have missing values.",
            given=f"{task.omitted} of {task.n + task.omitted} rows",
            fix='na_action="na.omit" leaves these rows out',
        )
    _check_response(task, known, control)
    _check_metric(metric, bool(task.response.levels))
    if x is not None:
        _check_predictors(task, known, steps)
    if weights is not None and not known.weighs:
        warn(f"method {method!r} has no use for weights.", fix="leave weights= out")
    length = whole(tuneLength, "tuneLength", 1)
    grid = None if tuneGrid is None else frame_of(known, tuneGrid)

    draws = stream()
    with apart(int(draws.sample(LARGEST, 1)[0]), draws.sample_kind):
        parts = resamples(control, values_of(task.response, task.n, "y"))
    if grid is None:
        *_, sample = PreparedTrain(known, task, [{}], steps).changed(np.arange(task.n))
        grid = in_order(known.grid(sample, length))
    prepared = PreparedTrain(known, task, candidates(grid), steps)
    if control.method == "none":
        found = Resampled.none(prepared, grid, control)
        _draw_an_example(task, control)
    else:
        fits, loop = len(parts.names) + (control.method == "boot632"), max(prepared.loop) + 1
        seeds = seeds_of(control, lambda size: draws.sample(MOST, size), fits, loop)
        prepared.seeds = seeds[:-1].reshape(fits, loop)
        found = resampled(prepared, grid, control, parts, metric, maximize)
        set_seed(int(seeds[-1]))
    index = tuple(rows + 1 for rows in parts.train)
    final = prepared.fitted(np.arange(task.n), [found.best])
    return Train(method, control, *found, steps, index, x is not None, prepared, final)


def _draw_an_example(task: Task, control: trainControl) -> None:
    """The draws of an example, from which caret learns the names of the measures.

    They show in the caller's stream only where no seed is set after them.
    """
    draws, n = stream(), task.n
    size, levels = min(10, n), task.response.levels
    for _ in range(2):
        draws.sample(size if levels else n, size)
    if control.classProbs:
        for _ in levels:
            draws.runif(size)
    if task.weights is not None:
        draws.sample(n, size)
    draws.sample(n, size)


OF_NUMBERS, OF_CLASSES = ("RMSE", "Rsquared"), ("Accuracy", "Kappa")


def _check_metric(metric: str | None, classes: bool) -> None:
    """Refuse what only the other kind of response has, as caret does; it warns of other names."""
    if metric in (OF_NUMBERS if classes else OF_CLASSES):
        problem = f"metric {metric} is not applicable to {_kind(classes)} models."
        fix = f"use one of {', '.join(OF_CLASSES if classes else OF_NUMBERS)}"
        raise InputError(problem, given=f"metric={metric!r}", fix=fix)


def _kind(classes: bool) -> str:
    return "classification" if classes else "regression"


def _check_predictors(task: Task, method: Method, steps: tuple[str, ...]) -> None:
    """Refuse missing values, and factors where caret makes a matrix of the predictors."""
    if task.omitted:
        raise DataError(
            "with x and y caret keeps rows with missing values, whatever na.action says.",
            given=f"{task.omitted} of {task.n + task.omitted} rows",
            fix="leave these rows out, or give a formula",
        )
    words = [n for n in task.formula.predictors if task.frame[n].kind not in ("numeric", "logical")]
    if words and (steps or not method.factors):
        raise DataError(
            f"{'preProcess' if steps else f'method {method.name!r}'} takes a matrix of numbers.",
            given=f"column {words[0]!r}, which is {task.frame[words[0]].kind}",
            fix='give a formula, train("y ~ .", data), which codes factors',
        )


def _check_response(task: Task, method: Method, control: trainControl) -> None:
    """Refuse responses that the method cannot predict, and classes that caret cannot use."""
    response = task.response
    if response.kind not in method.kinds:
        raise InputError(
            f"wrong model type for {_kind(bool(response.levels))}.",
            given=f"{method.name} for {response.name}, which is {response.kind}",
            fix="make the response numeric, or use method='knn'"
            if response.levels
            else "make the response categorical: factor(y)",
        )
    if not response.levels:
        if len(np.unique(response.values)) == 2:
            warn(
                "You are trying to do regression and your outcome only has two possible values.",
                fix="make it categorical for classification: factor(y)",
            )
        return
    counts = np.bincount(response.values, minlength=len(response.levels))
    empty = [level for level, size in zip(response.levels, counts, strict=True) if not size]
    if empty or len(counts) < 2:
        raise DataError(
            "one or more factor levels in the outcome has no data."
            if empty
            else "the outcome has a single class.",
            given=", ".join(empty or response.levels),
            fix="leave out levels without rows",
        )
    bad = [name for name in response.levels if not re.fullmatch(r"([^\W\d]|\.(?!\d))[\w.]*", name)]
    if control.classProbs and bad:
        raise DataError(
            "at least one of the class levels is not a valid name of an R variable, as class "
            "probabilities need.",
            given=", ".join(bad),
            fix="name the classes by words, such as 'yes' and 'no'",
        )
