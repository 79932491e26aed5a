"""The families of glmnet that are done here, one record each: responses, fits, measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from pycvstat.learners.linear.glmnet_gaussian import gaussian_paths
from pycvstat.learners.linear.glmnet_likelihood import likelihood_paths
from pycvstat.learners.linear.glmnet_path import Path, Settings
from pycvstat.types import FloatArray, IntArray

Losses = Callable[[FloatArray, FloatArray], FloatArray]
"""From responses (n, 1) and fitted means (n, L) to losses (n, L)."""

_INSIDE = 1e-5
"""Probabilities are kept so far from 0 and 1 in deviances."""


@dataclass(frozen=True, slots=True)
class Family:
    """What glmnet does for a family.

    Parameters
    ----------
    mean : callable
        From linear predictors to means.
    measures : mapping
        Name of a measure -> what R calls it, and its losses. The first is the default.
    paths : callable
        ``paths(X, y, weights, left_out, settings)``.
    """

    mean: Callable[[FloatArray], FloatArray]
    measures: Mapping[str, tuple[str, Losses]]
    paths: Callable[[FloatArray, FloatArray, FloatArray, Sequence[IntArray], Settings], list[Path]]


def _squared(y: FloatArray, mean: FloatArray) -> FloatArray:
    return (y - mean) ** 2


def _absolute(y: FloatArray, mean: FloatArray) -> FloatArray:
    return np.abs(y - mean)


def _binomial_deviance(y: FloatArray, mean: FloatArray) -> FloatArray:
    inside = np.clip(mean, _INSIDE, 1.0 - _INSIDE)
    return -2.0 * (y * np.log(inside) + (1.0 - y) * np.log(1.0 - inside))


def _misclassified(y: FloatArray, mean: FloatArray) -> FloatArray:
    return np.asarray((mean > 0.5) != (y == 1.0), dtype=np.float64)


def _poisson_deviance(y: FloatArray, mean: FloatArray) -> FloatArray:
    best = y * np.log(np.where(y > 0.0, y, 1.0)) - y
    return 2.0 * (best - (y * np.log(mean) - mean))


def _logistic(eta: FloatArray) -> FloatArray:
    from scipy.special import expit

    return np.asarray(expit(eta))


FAMILIES: dict[str, Family] = {
    "gaussian": Family(
        mean=np.asarray,
        measures={
            "mse": ("Mean-Squared Error", _squared),
            "deviance": ("Mean-squared Error", _squared),
            "mae": ("Mean Absolute Error", _absolute),
        },
        paths=gaussian_paths,
    ),
    "binomial": Family(
        mean=_logistic,
        measures={
            "deviance": ("Binomial Deviance", _binomial_deviance),
            "class": ("Misclassification Error", _misclassified),
            # over both classes
            "mse": ("Mean-Squared Error", lambda y, mean: 2.0 * _squared(y, mean)),
            "mae": ("Mean Absolute Error", lambda y, mean: 2.0 * _absolute(y, mean)),
        },
        paths=partial(likelihood_paths, "binomial"),
    ),
    "poisson": Family(
        mean=np.exp,
        measures={
            "deviance": ("Poisson Deviance", _poisson_deviance),
            "mse": ("Mean-Squared Error", _squared),
            "mae": ("Mean Absolute Error", _absolute),
        },
        paths=partial(likelihood_paths, "poisson"),
    ),
}
