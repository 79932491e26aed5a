"""What can be had without any predictor: the least loss of a constant prediction."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import LossError
from pycvstat.losses.functions import Loss, loss_label
from pycvstat.losses.predictions import Predictions

FloatArray = NDArray[np.float64]

GRID = 201  # constants tried before the search begins


def least_constant_loss(loss: Loss, y: NDArray[Any], classes: int = 0) -> float:
    """The mean loss of the constant that suits all responses best.

    For a squared loss their variance (divisor n), for an absolute loss the mean deviation from
    the median, for errors of classification the share of all classes but the largest.

    Parameters
    ----------
    loss : Loss
    y : (n,)
        Numbers, or class codes 0, 1, ... as whole numbers.
    classes : int
        Number of classes; 0 for numbers.

    Examples
    --------
    >>> from pycvstat.losses import as_loss
    >>> least_constant_loss(as_loss("absolute", "continuous"), np.array([0.0, 1.0, 5.0, 6.0]))
    2.5
    >>> least_constant_loss(as_loss("zero_one", "nominal"), np.array([0, 1, 1, 2]), classes=3)
    0.5
    """
    with np.errstate(all="ignore"):  # constants without a finite loss are passed over
        found = _of_classes(loss, y, classes) if classes else _of_numbers(loss, y)
    if not np.isfinite(found):
        raise LossError(
            f"no constant has a finite {loss_label(loss.name)} here.",
            given=f"responses from {y.min():g} to {y.max():g}",
            fix="rescale the response, or use a loss that its values allow",
        )
    return found


def _of_classes(loss: Loss, y: NDArray[np.int64], classes: int) -> float:
    """Each class for certain, and the shares of all."""
    shares = np.bincount(y, minlength=classes) / len(y)
    several = [*np.eye(classes), shares]
    return min(_mean_loss(loss, y, float(prob.argmax()), prob) for prob in several)


def _of_numbers(loss: Loss, y: FloatArray) -> float:
    """The mean, quantiles, equal steps, and what lies beside the best of these."""
    from scipy.optimize import minimize_scalar

    mean_loss = partial(_mean_loss, loss, y)
    quantiles = np.quantile(y, np.linspace(0.0, 1.0, GRID), method="inverted_cdf")
    constants = np.unique([*quantiles, y.mean(), *np.linspace(y.min(), y.max(), GRID)])
    losses = np.array([mean_loss(c) for c in constants])
    best = np.flatnonzero(losses == losses.min())
    low = constants[max(best[0] - 1, 0)]
    high = constants[min(best[-1] + 1, len(constants) - 1)]
    if not low < high:
        return float(losses.min())
    between: Any = minimize_scalar(
        mean_loss, bounds=(low, high), method="bounded", options={"xatol": 1e-9 * (high - low)}
    )
    return float(min(losses.min(), between.fun))


def _mean_loss(
    loss: Loss, y: NDArray[Any], constant: float, prob: FloatArray | None = None
) -> float:
    """Infinite where the loss refuses the constant, as a Poisson deviance does 0."""
    every = None if prob is None else np.broadcast_to(prob, (1, len(y), len(prob)))
    with suppress(LossError):
        losses = loss.pointwise(y, Predictions(np.full((1, len(y)), float(constant)), every))
        mean = float((losses / losses.size).sum())
        return mean if np.isfinite(mean) else np.inf
    return np.inf
