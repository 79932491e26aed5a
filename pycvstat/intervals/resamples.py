"""Estimates from resamples with replacement: out of bag, .632, .632+, corrected for optimism."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pycvstat.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class OutOfBag:
    """The leave-one-out bootstrap.

    Parameters
    ----------
    estimate : float
    std_error : float
        Without the part that comes from drawing only B resamples.
    monte_carlo : float
        That part: the standard deviation that other draws of the resamples would give it.
    """

    estimate: float
    std_error: float
    monte_carlo: float


def out_of_bag(counts: IntArray, losses: FloatArray) -> OutOfBag:
    """The mean over rows of a row's mean loss in the resamples without it, and its standard error.

    The standard error is the delta method after the bootstrap of Efron and Tibshirani (1997,
    section 5): the root of the sum of squares of the derivatives of the estimate by the weights of
    the rows. A derivative is that of the row's own loss, and a covariance over the resamples of how
    often the row was drawn with their losses. Here the losses enter it as deviations from each
    row's mean, which changes nothing when all resamples are drawn and is less noisy for B of them;
    the variance that is noise all the same is estimated and taken off.

    Parameters
    ----------
    counts : (B, n) int64
        How often each resample has each row.
    losses : (B, n) float64
        The loss of each row in each resample; those of rows that it has are not read. Rows that
        every resample has do not count.

    Examples
    --------
    >>> counts = np.array([[2, 0, 1], [0, 3, 0], [1, 2, 0]])
    >>> out_of_bag(counts, np.array([[9.0, 1.0, 9.0], [2.0, 9.0, 3.0], [9.0, 9.0, 5.0]])).estimate
    2.3333333333333335
    """
    drawn, n = counts.shape
    left = counts == 0
    times = left.sum(axis=0)
    tested = times > 0
    by_row = np.where(left, losses, 0.0).sum(axis=0) / np.maximum(times, 1)
    estimate = float(by_row[tested].mean())
    by_row[~tested] = estimate
    deviation = np.where(left, losses - by_row, 0.0).mean(axis=1)
    products = (counts - counts.mean(axis=0)) * (deviation - deviation.mean())[:, None]
    scale = (1 - 1 / n) ** -n  # one over the probability that a resample lacks a row
    own = (by_row - estimate) / n
    derivative = own + scale * products.mean(axis=0)
    noise = float(scale**2 * products.var(axis=0, ddof=1).sum() / drawn)
    variance = max(float((derivative**2).sum()) - noise, float((own**2).sum()))
    return OutOfBag(estimate, float(np.sqrt(variance)), float(np.sqrt(noise)))


@dataclass(frozen=True, slots=True)
class Plus:
    """The .632+ estimate and what it is made of.

    Parameters
    ----------
    estimate : float
    overfitting : float
        The relative overfitting rate, from 0 to 1.
    weight : float
        Of the out-of-bag error: .632 without overfitting, 1 with an overfitting rate of 1.
    """

    estimate: float
    overfitting: float
    weight: float


def plus(apparent: float, bagged: float, no_information: float) -> Plus:
    """The .632+ estimate (Efron and Tibshirani 1997, equations 27 to 32).

    It is the .632 estimate and an addition for overfitting, in which an out-of-bag error above the
    no-information error counts as the latter.

    Parameters
    ----------
    apparent : float
        The error on its own rows of the fit to all rows.
    bagged : float
        The out-of-bag error.
    no_information : float
        The error that the fit would have if responses did not depend on predictors.

    Examples
    --------
    >>> plus(0.0, 0.5, 0.5)
    Plus(estimate=0.5, overfitting=1.0, weight=1.0)
    >>> plus(0.2, 0.2, 0.5)
    Plus(estimate=0.2, overfitting=0.0, weight=0.632)
    >>> round(plus(0.0, 0.75, 0.5).estimate, 3)  # .632 * .75 + .368 * .5
    0.658
    """
    most = min(bagged, no_information)
    above = bagged > apparent and no_information > apparent
    rate = (most - apparent) / (no_information - apparent) if above else 0.0
    weight = 0.632 / (1 - 0.368 * rate)
    estimate = 0.368 * apparent + 0.632 * bagged + (weight - 0.632) * (most - apparent)
    return Plus(float(estimate), float(rate), float(weight))
