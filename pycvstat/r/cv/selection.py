"""Procedures that select a model, to be cross-validated as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pycvstat.errors import InputError
from pycvstat.learners.stepwise import Direction, Stepwise
from pycvstat.r.boot.validation import means_of
from pycvstat.r.cv.criteria import Criterion, mse
from pycvstat.r.cv.working import Working
from pycvstat.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Selection:
    """What a procedure selected.

    Parameters
    ----------
    yhat : (n,) float64
        Predictions of all rows.
    criterion : float
        Of the selected model on all rows: its criterion, or the cross-validated one by which it
        was selected.
    selected : str

    Examples
    --------
    >>> Selection(np.array([1.0, 2.0]), 0.5, "model.2").selected
    'model.2'
    """

    yhat: FloatArray
    criterion: float
    selected: str


def selectModelList(
    model: dict[str, Working],
    train: IntArray | None = None,
    criterion: Criterion = mse,
    k: Any = 10,
    k_meta: Any = None,
) -> Selection:
    """Select the model with the smallest cross-validated criterion.

    For `cv`, which calls it with the training rows of every fold and with all:
    ``cv(selectModelList, working_model=models(...))``. Inside, the folds are those of seed 0.

    Parameters
    ----------
    model : dict
        The working models.
    train : (m,) int64, optional
        The rows to select and fit on; all by default.
    criterion : function
    k, k_meta : int or "loo"
        The number of folds; `k_meta` inside, where that differs.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> fits = [pcv.OLS().fit(f"mpg ~ {x}", pcv.data.mtcars()) for x in ("wt", "qsec")]
    >>> meta = r.cv.cv(r.cv.selectModelList, working_model=r.cv.models(*fits), k=4, seed=1)
    >>> meta.selected
    ('model.1', 'model.1', 'model.1', 'model.1', 'model.1')
    """
    from pycvstat.r.cv.validation import How

    how = How(criterion, k if k_meta is None else k_meta)
    n = next(iter(model.values())).task.n
    rows = np.arange(n) if train is None else train
    found = {
        name: how.cross_validated(one if train is None else one.some(train), 0).crit
        for name, one in model.items()
    }
    best = min(found, key=lambda name: found[name])
    return Selection(model[best].updated(rows), found[best], best)


def selectStepAIC(
    model: Working,
    train: IntArray | None = None,
    criterion: Criterion = mse,
    direction: Direction = "backward",
    scope: Any = None,
    AIC: bool = True,
) -> Selection:
    """Select terms step by step. As in R: ``cv::selectStepAIC``, by ``MASS::stepAIC``.

    For `cv`, as `selectModelList`.

    Parameters
    ----------
    model : working model
        From whose formula the steps start.
    train, criterion
        As of `selectModelList`.
    direction : {"backward", "both", "forward"}
    scope : str, optional
        The largest formula, where the steps start from the intercept alone and go forward; `cv`
        reads its columns from the data.
    AIC : bool
        False selects by BIC.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> full = pcv.OLS().fit("mpg ~ .", pcv.data.mtcars())
    >>> found = r.cv.cv(r.cv.selectStepAIC, working_model=full, k=4, seed=1)
    >>> round(found.crit, 3), found.selected[-1]
    (17.05, 'wt + qsec + am')
    """
    if (direction == "forward") != (isinstance(scope, Working) and not model.task.formula.terms):
        raise InputError(
            "forward selection starts from the intercept alone and has a scope; others have none.",
            given=f"direction={direction!r}, {model.task.formula.text}, scope={scope!r}",
            fix='working_model=OLS().fit("y ~ 1", data), scope="y ~ a + b", direction="forward"',
        )
    task = model.task if scope is None else scope.task
    stepwise = Stepwise(model.learner, direction, "aic" if AIC else "bic")
    everything = np.arange(task.n)
    rows = everything if train is None else train
    prepared = stepwise.prepare(task)
    yhat = means_of(prepared, rows, everything)
    (report,) = prepared.predict(rows, everything[:1]).detail
    selected = " + ".join(report.selected) or "1"
    return Selection(yhat, float(criterion(model.y, yhat)), selected)
