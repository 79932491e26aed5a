"""What every threshold of a score gives: the points of ROC and precision-recall curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.types import FloatArray, IntArray


def counted(y: NDArray[Any], score: FloatArray) -> tuple[IntArray, IntArray]:
    """Events and all rows at or above every distinct score, from the largest score downwards.

    Examples
    --------
    >>> counted(np.array([0, 1, 1]), np.array([0.2, 0.2, 0.9]))
    (array([1, 2]), array([1, 3]))
    """
    order = np.argsort(-score, kind="stable")
    hits, ranked = (np.asarray(y) == 1)[order].cumsum(), score[order]
    last = np.append(np.flatnonzero(np.diff(ranked)), ranked.size - 1)  # of every run of ties
    return hits[last], last + 1


def roc_points(y: NDArray[Any], score: FloatArray) -> tuple[FloatArray, FloatArray]:
    """1 - specificity and sensitivity at every threshold, from (0, 0) to (1, 1).

    Examples
    --------
    >>> roc_points(np.array([0, 1, 1]), np.array([0.2, 0.2, 0.9]))
    (array([0., 0., 1.]), array([0. , 0.5, 1. ]))
    """
    hits, above = counted(y, score)
    false, true = above - hits, hits
    return np.append(0.0, false / false[-1]), np.append(0.0, true / true[-1])


def precision_recall_points(y: NDArray[Any], score: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sensitivity (recall) and precision at every threshold, the largest score first.

    Examples
    --------
    >>> precision_recall_points(np.array([0, 1, 1]), np.array([0.2, 0.5, 0.9]))
    (array([0.5, 1. , 1. ]), array([1.        , 1.        , 0.66666667]))
    """
    hits, above = counted(y, score)
    return hits / hits[-1], hits / above
