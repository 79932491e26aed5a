"""The blocks of consecutive rows that the course cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pycvstat.errors import InputError
from pycvstat.folds.partitions import Blocks
from pycvstat.types import IntArray

if TYPE_CHECKING:
    import pandas as pd


class TrainValidation(NamedTuple):
    """One split into training and validation rows.

    Examples
    --------
    >>> from pycvstat.data import waves
    >>> from pycvstat.r.lecture import train_validation_by_fold
    >>> parts = train_validation_by_fold(waves(10), 1, 5)
    >>> len(parts.train), len(parts.validation)
    (8, 2)
    """

    train: pd.DataFrame
    validation: pd.DataFrame


class TrainTest(NamedTuple):
    """One split into rows for training and validation, and test rows.

    Examples
    --------
    >>> from pycvstat.data import waves
    >>> from pycvstat.r.lecture import train_test_by_fold
    >>> parts = train_test_by_fold(waves(10), 1, 5)
    >>> len(parts.train_and_val), len(parts.test)
    (8, 2)
    """

    train_and_val: pd.DataFrame
    test: pd.DataFrame


def train_validation_by_fold(
    train_and_validation_data: Any, fold: int, num_folds: int, *, as_in_r: bool = False
) -> TrainValidation:
    """Split off one block of consecutive rows for validation.

    Parameters
    ----------
    train_and_validation_data : data frame
        pandas or polars.
    fold : int
        Which block, counted from 1.
    num_folds : int
        The number of blocks, each of ceil(n / num_folds) rows, the last one possibly shorter.
    as_in_r : bool
        Cut as the R code does even where its blocks overlap.

    Returns
    -------
    TrainValidation
        ``.train`` and ``.validation``.

    Notes
    -----
    As in R: ``train_validation_by_fold(data, fold, num_folds)``; the R code silently tests some
    rows twice when the last blocks would start past the end, which is refused here.

    Examples
    --------
    >>> import pandas as pd
    >>> data = pd.DataFrame({"x": range(5), "y": range(5)})
    >>> train_validation_by_fold(data, 3, 3).validation["x"].tolist()
    [4]
    """
    frame = as_frame(train_and_validation_data)
    train, validation = block(len(frame), fold, num_folds, as_in_r)
    return TrainValidation(frame.iloc[train], frame.iloc[validation])


def train_test_by_fold(data: Any, fold: int, num_folds: int, *, as_in_r: bool = False) -> TrainTest:
    """Split off one block of consecutive rows for testing.

    Parameters
    ----------
    data : data frame
    fold, num_folds : int
    as_in_r : bool
        As for :func:`train_validation_by_fold`.

    Returns
    -------
    TrainTest
        ``.train_and_val`` and ``.test``.

    Notes
    -----
    As in R: ``train_test_by_fold(data, fold, num_folds)``.

    Examples
    --------
    >>> import pandas as pd
    >>> data = pd.DataFrame({"x": range(5), "y": range(5)})
    >>> [len(part) for part in train_test_by_fold(data, 1, 3)]
    [3, 2]
    """
    return TrainTest(*train_validation_by_fold(data, fold, num_folds, as_in_r=as_in_r))


def as_frame(data: Any) -> pd.DataFrame:
    import pandas as pd

    from pycvstat.data.frame import read

    return data if isinstance(data, pd.DataFrame) else read(data).to_pandas()


def block(n: int, fold: int, num_folds: int, as_in_r: bool) -> tuple[IntArray, IntArray]:
    """Training and test rows, 0-based, of one block, counted from 1."""
    plan = Blocks(num_folds, as_in_r).plan(n)
    if (
        isinstance(fold, bool)
        or not isinstance(fold, (int, np.integer))
        or not 1 <= fold <= len(plan)
    ):
        raise InputError(
            f"The fold must be a whole number from 1 to {len(plan)}, counted as in R.", given=fold
        )
    return plan.train_rows(int(fold) - 1), plan.test_rows(int(fold) - 1)
