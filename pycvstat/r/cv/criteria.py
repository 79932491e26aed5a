"""Criteria of cross-validation: one number of responses and predictions of all cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import InputError
from pycvstat.errors.checks import real_numbers, shown
from pycvstat.types import FloatArray

Criterion = Callable[[FloatArray, FloatArray], Any]
Casewise = Callable[[FloatArray, FloatArray], NDArray[Any]]


def _mean_of(casewise: Casewise) -> Callable[[Any], Any]:
    """A criterion that is the mean of losses by case, and so has a bias adjustment."""

    def mark(criterion: Any) -> Any:
        criterion.casewise = casewise
        return criterion

    return mark


def _alike(y: Any, yhat: Any) -> tuple[FloatArray, FloatArray]:
    """Responses and predictions as numbers, as many of one as of the other."""
    numbers = real_numbers(y), real_numbers(yhat)
    if numbers[0] is None or numbers[1] is None or numbers[0].shape != numbers[1].shape:
        given = f"y: {shown(y)}; yhat: {shown(yhat)}"
        raise InputError("responses and predictions must be as many numbers.", given=given)
    return numbers[0], numbers[1]


@_mean_of(lambda y, yhat: (y - yhat) ** 2)
def mse(y: FloatArray, yhat: FloatArray) -> float:
    """Mean squared error. As in R: ``cv::mse``.

    Examples
    --------
    >>> mse(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    2.0
    """
    y, yhat = _alike(y, yhat)
    return float(np.mean((y - yhat) ** 2))


def rmse(y: FloatArray, yhat: FloatArray) -> float:
    """Its root, of all cases together. As in R: ``cv::rmse``.

    Examples
    --------
    >>> rmse(np.array([1.0, 2.0]), np.array([1.0, 2.0]))
    0.0
    """
    return float(np.sqrt(mse(y, yhat)))


def medAbsErr(y: FloatArray, yhat: FloatArray) -> float:
    """Median absolute error. As in R: ``cv::medAbsErr``.

    Examples
    --------
    >>> medAbsErr(np.array([1.0, 2.0, 9.0]), np.array([1.0, 4.0, 4.0]))
    2.0
    """
    y, yhat = _alike(y, yhat)
    return float(np.median(np.abs(y - yhat)))


@_mean_of(lambda y, yhat: y != np.rint(yhat))
def BayesRule(y: FloatArray, yhat: FloatArray) -> float:
    """Share of wrong classes of a 0/1 response, at one half. As in R: ``cv::BayesRule``.

    Examples
    --------
    >>> BayesRule(np.array([0.0, 1.0]), np.array([0.2, 0.4]))
    0.5
    """
    y, yhat = _alike(y, yhat)
    if not np.isin(y, (0, 1)).all() or (yhat < 0).any() or (yhat > 1).any():
        raise InputError("BayesRule needs responses of 0 and 1, and fitted values between.")
    return float(np.mean(y != np.rint(yhat)))
