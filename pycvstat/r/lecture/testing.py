"""The test error with a tuned k: one outer block, and nested cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pycvstat import rmath
from pycvstat.errors import warn
from pycvstat.folds.partitions import Blocks
from pycvstat.r.lecture.model import Neighbours
from pycvstat.r.lecture.splits import block


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
    return _test_error(data, fold, num_folds_test, num_folds_val, y_name, ks, tuning_data, as_in_r)


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
    return _test_error(data, None, num_folds_test, num_folds_val, y_name, ks, tuning_data, as_in_r)


def _test_error(
    data: Any,
    fold: int | None,
    num_folds_test: int,
    num_folds_val: int,
    y_name: str,
    ks: Sequence[int],
    tuning_data: Any,
    as_in_r: bool,
) -> float:
    model = Neighbours(data, y_name, ks)
    leaked = None
    if tuning_data is not None:
        warn(
            "k is tuned on tuning_data, not on the training rows of each fold: the estimate "
            "leaks where tuning_data has rows of the tested fold."
        )
        other = Neighbours(tuning_data, y_name, ks)
        leaked = other.optimal(np.arange(other.n), num_folds_val, as_in_r)
    plan = Blocks(num_folds_test, as_in_r).plan(model.n)
    errors = []
    for one in range(1, len(plan) + 1) if fold is None else [fold]:
        train, test = block(model.n, one, num_folds_test, as_in_r)
        optimal = leaked or model.optimal(train, num_folds_val, as_in_r)
        errors.append(model.retrained_error(train, test, optimal))
    return float(rmath.mean(np.array(errors)))
