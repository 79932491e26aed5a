"""Cutting numbers at their quantiles as R's ``quantile`` and ``cut`` do."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from pycvstat.types import FloatArray, IntArray


def quantiles(values: FloatArray, probs: FloatArray) -> FloatArray:
    """R's default (type 7) quantiles.

    Examples
    --------
    >>> quantiles(np.array([1.0, 2.0, 4.0, 8.0]), np.array([0.0, 0.5, 1.0]))
    array([1., 3., 8.])
    """
    ordered = np.sort(values)
    place = (len(values) - 1) * probs + 1
    low, high = np.floor(place).astype(int), np.ceil(place).astype(int)
    found: FloatArray = ordered[low - 1]
    share = place - low
    between = (place > low) & (ordered[high - 1] != found)
    mixed = (1 - share) * found + share * ordered[high - 1]
    return np.where(between, mixed, found)


def interval_codes(values: FloatArray, breaks: FloatArray) -> IntArray:
    """The interval (breaks[i], breaks[i + 1]] of each value, the first one closed on both sides."""
    return np.maximum(np.searchsorted(breaks, values, side="left") - 1, 0)


def interval_labels(breaks: FloatArray) -> list[str]:
    """The labels that R's ``cut`` gives: as many digits as tell the breaks apart, at least 3.

    As in R both zeros are written alike.

    Examples
    --------
    >>> interval_labels(np.array([0.5, 1.25, 1000000.0]))
    ['[0.5,1.25]', '(1.25,1e+06]']
    """
    for digits in range(3, 13):
        words = [f"{value:.{digits}g}" for value in breaks + 0.0]
        if all(a != b for a, b in pairwise(words)):
            break
    else:
        return [f"Range_{i + 1}" for i in range(len(breaks) - 1)]
    labels = [f"({low},{high}]" for low, high in pairwise(words)]
    return ["[" + labels[0][1:], *labels[1:]]


def quantile_codes(values: FloatArray, bins: int) -> IntArray:
    """The quantile group 0, 1, ... of each value; groups that coincide are one.

    Examples
    --------
    >>> quantile_codes(np.array([1.0, 2.0, 3.0, 4.0]), 2)
    array([0, 0, 1, 1])
    """
    breaks = np.unique(quantiles(values, np.arange(bins + 1) / bins))
    return np.unique(interval_codes(values, breaks), return_inverse=True)[1].astype(np.int64)
