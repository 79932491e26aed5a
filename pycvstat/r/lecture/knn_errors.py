"""The cross-validated error of each k, and the test error with the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pycvstat import rmath
from pycvstat.errors import warn
from pycvstat.folds.partitions import Blocks
from pycvstat.r.lecture.splits import Neighbours, block


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


def knn_test_error_by_fold(
    data: Any,
    fold: int,
    num_folds_test: int,
    num_folds_val: int,
    y_name: str,
    ks: Sequence[int],
    *,
    tuning_data: Any = None,
    as_in_r: bool = False,
) -> float:
    """Test error on one block, with k tuned by cross-validation on the other blocks.

    Parameters
    ----------
    data : data frame
    fold, num_folds_test : int
        The block that is tested, counted from 1, of how many.
    num_folds_val : int
        Blocks of the inner cross-validation.
    y_name : str
    ks : sequence of int
    tuning_data : data frame, optional
        Tune on this data instead of the training rows of the block. The slides do so by mistake:
        they tune every block on a variable left over from the script before, which contains rows
        of the tested block, so that the estimate leaks. Issues a warning.
    as_in_r : bool
        As for :func:`train_validation_by_fold`.

    Returns
    -------
    float
        The mean squared error on the block.

    Warns
    -----
    PycvstatWarning
        When `tuning_data` is given, and when several k tie: then the leave-one-out error of
        ``train.kknn`` chooses among them, as it does in R.

    Notes
    -----
    As in R: ``knn_test_error_by_fold(data, fold, num_folds_test, num_folds_val, y_name, ks)``.

    Examples
    --------
    >>> from pycvstat.data import waves
    >>> round(knn_test_error_by_fold(waves(60), 1, 4, 3, "y", range(1, 11)), 4)
    0.5549
    """
    return _mean_test_error(
        data, [fold], num_folds_test, num_folds_val, y_name, ks, tuning_data, as_in_r
    )


def knn_test_error(
    data: Any,
    num_folds_test: int,
    num_folds_val: int,
    y_name: str,
    ks: Sequence[int],
    *,
    tuning_data: Any = None,
    as_in_r: bool = False,
) -> float:
    """Nested cross-validation: the mean over blocks of :func:`knn_test_error_by_fold`.

    Parameters
    ----------
    data, num_folds_test, num_folds_val, y_name, ks, tuning_data, as_in_r
        As for :func:`knn_test_error_by_fold`.

    Returns
    -------
    float
        The estimate of the error of k nearest neighbours with a tuned k.

    Notes
    -----
    As in R: ``knn_test_error(data, num_folds_test, num_folds_val, y_name, ks)``.

    Examples
    --------
    >>> from pycvstat.data import waves
    >>> round(knn_test_error(waves(60), 4, 3, "y", range(1, 11)), 4)
    0.6708
    """
    return _mean_test_error(
        data, None, num_folds_test, num_folds_val, y_name, ks, tuning_data, as_in_r
    )


def _mean_test_error(
    data: Any,
    folds: Sequence[int] | None,
    num_folds_test: int,
    num_folds_val: int,
    y_name: str,
    ks: Sequence[int],
    tuning_data: Any,
    as_in_r: bool,
) -> float:
    """The mean over blocks, or over all of them."""
    model, leaked = Neighbours(data, y_name, ks), None
    if tuning_data is not None:
        warn(
            "k is tuned on tuning_data, not on the training rows of each fold: the estimate "
            "leaks where tuning_data has rows of the tested fold."
        )
        other = Neighbours(tuning_data, y_name, ks)
        leaked = other.optimal(np.arange(other.n), num_folds_val, as_in_r)
    errors = []
    for fold in folds or range(1, len(Blocks(num_folds_test, as_in_r).plan(model.n)) + 1):
        train, test = block(model.n, fold, num_folds_test, as_in_r)
        optimal = leaked or model.optimal(train, num_folds_val, as_in_r)
        errors.append(model.retrained_error(train, test, optimal))
    return float(rmath.mean(np.array(errors)))
