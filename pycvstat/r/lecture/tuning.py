"""The cross-validated error of each k, and the k with the lowest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.r.lecture.model import Neighbours
from pycvstat.r.lecture.splits import block

if TYPE_CHECKING:
    import pandas as pd


def knn_validation_error_by_fold_k(
    train_and_validation_data: Any,
    fold: int,
    num_folds: int,
    y_name: str,
    k: int,
    *,
    as_in_r: bool = False,
) -> float:
    """Mean squared error of k nearest neighbours on one block.

    Parameters
    ----------
    train_and_validation_data : data frame
    fold, num_folds : int
    y_name : str
        The response; all other columns predict it.
    k : int
        Number of neighbours.
    as_in_r : bool
        As for :func:`train_validation_by_fold`.

    Returns
    -------
    float
        The validation error.

    Notes
    -----
    As in R: ``knn_validation_error_by_fold_k(data, fold, num_folds, y_name, k)``, where
    ``train.kknn`` scales each column by its training standard deviation.

    Examples
    --------
    >>> from pycvstat.data import waves
    >>> round(knn_validation_error_by_fold_k(waves(60), 1, 5, "y", 3), 4)
    0.8853
    """
    model = Neighbours(train_and_validation_data, y_name, [k])
    return model.error(int(model.ks[0]), *block(model.n, fold, num_folds, as_in_r))


def knn_cv_results(
    train_and_validation_data: Any,
    num_folds: int,
    y_name: str,
    ks: Sequence[int],
    *,
    as_in_r: bool = False,
) -> pd.DataFrame:
    """Cross-validated error of each k.

    Parameters
    ----------
    train_and_validation_data : data frame
    num_folds : int
    y_name : str
    ks : sequence of int
        Candidate numbers of neighbours.
    as_in_r : bool
        As for :func:`train_validation_by_fold`.

    Returns
    -------
    pandas.DataFrame
        ``k``, ascending, and ``val_error``: the mean over the blocks of the block's error.

    Notes
    -----
    As in R: the table ``cross_val_results`` of the slides.

    Examples
    --------
    >>> from pycvstat.data import waves
    >>> knn_cv_results(waves(60), 5, "y", [1, 3, 5]).round(4)
       k  val_error
    0  1     1.0545
    1  3     0.7495
    2  5     0.7869
    """
    import pandas as pd

    model = Neighbours(train_and_validation_data, y_name, ks)
    found = model.tuned(np.arange(model.n), num_folds, as_in_r).means
    return pd.DataFrame({"k": model.ks, "val_error": found.estimate()})


def get_optimal_k_by_cv(
    train_and_validation_data: Any,
    num_folds: int,
    y_name: str,
    ks: Sequence[int],
    *,
    as_in_r: bool = False,
) -> list[int]:
    """Find the k with the lowest cross-validated error.

    Parameters
    ----------
    train_and_validation_data, num_folds, y_name, ks, as_in_r
        As for :func:`knn_cv_results`.

    Returns
    -------
    list of int
        All k whose error is the lowest; more than one when they tie.

    Notes
    -----
    As in R: ``get_optimal_k_by_cv(data, num_folds, y_name, ks)``.

    Examples
    --------
    >>> from pycvstat.data import waves
    >>> get_optimal_k_by_cv(waves(60), 5, "y", range(1, 11))
    [2]
    """
    model = Neighbours(train_and_validation_data, y_name, ks)
    return model.optimal(np.arange(model.n), num_folds, as_in_r)
