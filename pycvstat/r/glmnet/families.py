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
    ranks : bool
        Whether it has the measure "auc", which is one of folds and not of rows.
    """

    mean: Callable[[FloatArray], FloatArray]
    measures: Mapping[str, tuple[str, Losses]]
    paths: Callable[[FloatArray, FloatArray, FloatArray, Sequence[IntArray], Settings], list[Path]]
    ranks: bool = False


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


def _coded(y: FloatArray, mean: FloatArray) -> FloatArray:
    """Codes (n, 1) as 0 and 1 for every class, shape (n, K, 1)."""
    return np.asarray(y[:, None] == np.arange(mean.shape[1])[:, None], dtype=np.float64)


def _multinomial_deviance(y: FloatArray, mean: FloatArray) -> FloatArray:
    inside = np.clip(mean, _INSIDE, 1.0 - _INSIDE)
    return np.asarray(-2.0 * (_coded(y, mean) * np.log(inside)).sum(1))


def _softmax(eta: FloatArray) -> FloatArray:
    odds = np.exp(eta - eta.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def most_probable(values: FloatArray) -> IntArray:
    """The class (n, L) with the largest value (n, K, L); of equal ones the first, as in R.

    Values that differ by rounding only are equal: those of a model without predictors.

    Examples
    --------
    >>> most_probable(np.array([[[0.4], [0.4 + 1e-16], [0.2]]]))
    array([[0]])
    """
    largest = values.max(axis=1, keepdims=True)
    return np.asarray((values >= largest - 1e-12 * np.abs(largest)).argmax(axis=1))


def auc(y: FloatArray, mean: FloatArray, weights: FloatArray) -> FloatArray:
    """Areas under the ROC curve (L,) of fitted means (n, L); ties count one half.

    Examples
    --------
    >>> auc(np.array([0.0, 1.0, 1.0]), np.array([[0.2], [0.1], [0.4]]), np.ones(3))
    array([0.5])
    """
    one = y == 1.0
    pairs = weights[one][:, None] * weights[~one]
    above = mean[one][:, None] - mean[~one]
    won = (above > 0.0) + 0.5 * (above == 0.0)
    return np.asarray(np.einsum("ij,ijl->l", pairs, won) / pairs.sum())


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
        ranks=True,
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
    "multinomial": Family(
        mean=_softmax,
        measures={
            "deviance": ("Multinomial Deviance", _multinomial_deviance),
            "class": (
                "Misclassification Error",
                lambda y, mean: np.asarray(y != most_probable(mean), dtype=np.float64),
            ),
            "mse": ("Mean-Squared Error", lambda y, mean: ((_coded(y, mean) - mean) ** 2).sum(1)),
            "mae": ("Mean Absolute Error", lambda y, mean: np.abs(_coded(y, mean) - mean).sum(1)),
        },
        paths=partial(likelihood_paths, "multinomial"),
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
