"""What train measures of predictions, and the rules by which it chooses a candidate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.errors import InputError
from pycvstat.losses.metrics import as_metric
from pycvstat.rmath.sums import mean, sum_

Summary = Callable[..., dict[str, float]]

SMALLER = ("RMSE", "MAE", "logLoss")
"""Measures of which the smallest value is the best."""
TOLERANCE = 1.5  # percent


def defaultSummary(data: pd.DataFrame, lev: Any = None, model: Any = None) -> dict[str, float]:
    """RMSE, Rsquared and MAE of numbers; Accuracy and Kappa of classes.

    Parameters
    ----------
    data : pandas.DataFrame
        Columns obs and pred.
    lev : sequence of str, optional
        The classes.
    model : str, optional

    Notes
    -----
    As in R: ``defaultSummary(data, lev, model)``. Rsquared is the squared correlation, not defined
    where one of both is constant.

    Examples
    --------
    >>> found = defaultSummary(pd.DataFrame({"obs": [1.0, 2.0, 4.0], "pred": [1.0, 3.0, 4.0]}))
    >>> {name: round(value, 6) for name, value in found.items()}
    {'RMSE': 0.57735, 'Rsquared': 0.862245, 'MAE': 0.333333}
    """
    if not isinstance(data["obs"].dtype, pd.CategoricalDtype):
        obs, pred = data["obs"].to_numpy(), data["pred"].to_numpy()
        return {
            "RMSE": float(np.sqrt(mean((pred - obs) ** 2))),
            "Rsquared": as_metric("r2_correlation").value(obs, pred),
            "MAE": float(mean(np.abs(pred - obs))),
        }
    classes, n = len(data["obs"].cat.categories), len(data)
    counts = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(counts, (data["obs"].cat.codes, data["pred"].cat.codes), 1)
    # of equal counts equal numbers: candidates tie as in R
    agreed = counts.trace() / n
    chance = sum_(counts.sum(axis=1) / n * (counts.sum(axis=0) / n))
    kappa = (agreed - chance) / (1 - chance) if chance < 1 else np.nan
    return {"Accuracy": float(agreed), "Kappa": float(kappa)}


def twoClassSummary(data: pd.DataFrame, lev: Any = None, model: Any = None) -> dict[str, float]:
    """ROC, Sens and Spec of two classes, the first of which is the event.

    Parameters
    ----------
    data : pandas.DataFrame
        Columns obs and pred, and the probability of each class under its name.
    lev : sequence of str
        The classes.
    model : str, optional

    Notes
    -----
    As in R: ``twoClassSummary(data, lev, model)``.

    Examples
    --------
    >>> obs = pd.Categorical(["a", "b", "a", "b"])
    >>> data = pd.DataFrame({"obs": obs, "pred": obs[::-1], "a": [0.9, 0.4, 0.3, 0.2]})
    >>> twoClassSummary(data, ["a", "b"])
    {'ROC': 0.75, 'Sens': 0.0, 'Spec': 0.0}
    """
    if lev is None or len(lev) != 2:
        raise InputError(
            "the twoClassSummary() function is for two classes.",
            given="numbers" if lev is None else f"{len(lev)} levels",
            fix="use r.caret.defaultSummary",
        )
    if lev[0] not in data:
        raise InputError("class probabilities are needed to score models using the area under "
                         "the ROC curve.", fix="trainControl(..., classProbs=True)")  # fmt: skip
    event = (data["obs"] == lev[0]).to_numpy()
    right = (data["obs"] == data["pred"]).to_numpy()
    with np.errstate(all="ignore"):
        return {
            "ROC": as_metric("auc").value(event, data[lev[0]].to_numpy()),
            "Sens": float(np.float64(right[event].sum()) / event.sum()),
            "Spec": float(np.float64(right[~event].sum()) / (~event).sum()),
        }


def chosen(results: pd.DataFrame, metric: str, rule: str, maximize: bool, resamples: int) -> int:
    """The place of the candidate that a rule chooses among these, the simplest first."""
    values = results[metric].to_numpy() * (1.0 if maximize else -1.0)
    if np.isnan(values).all():
        raise InputError(f"all the {metric} metric values are missing.")
    best = int(np.nanargmax(values))
    if rule == "best":
        return best
    if rule == "oneSE":
        if f"{metric}SD" not in results:
            raise InputError(
                "the rule of one standard error needs resamples, each with a value.",
                fix='selectionFunction="best" with LOOCV',
            )
        bound = values[best] - results[f"{metric}SD"].to_numpy()[best] / np.sqrt(resamples)
        return int(np.argmax(values >= bound))
    loss = np.abs((values - values[best]) / values[best] * 100)
    return int(np.argmax(loss < TOLERANCE))
