"""R's package FNN: regression and classes by the k nearest neighbours, `knn_reg` and `knn`.

Nothing is drawn: tied votes go to the first class in alphabetical order. Neighbours are those of
FNN's ``algorithm = "brute"``: of rows at the same distance the first ones. Leave-one-out drops, as
FNN does, the first neighbour that is found, which is another row where rows are repeated.

Left out: the search trees. "kd_tree" and "cover_tree" find the same neighbours, but of rows tied at
the k-th distance the ones that they come to first; a warning says when there are such rows
("cover_tree" computes in single precision, so that nearly equal distances are tied, too). And the
rest of the package: ``get.knn``, ``ownn``, entropies and divergences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from pycvstat.data.frame.columns import word_order
from pycvstat.errors import DataError, InputError, warn
from pycvstat.errors.checks import check_word, real_numbers
from pycvstat.errors.names import answering
from pycvstat.r.values import (
    Factor,
    in_order_of,
    matrix,
    neighbours_of,
    no_missing,
    require_columns,
    rows_and_classes,
    squares,
    whole,
)
from pycvstat.rmath.arithmetic import as_character
from pycvstat.rmath.printing import DIGITS, vector
from pycvstat.rmath.sums import mean, sum_
from pycvstat.types import FloatArray, IntArray

__all__ = ["KnnReg", "knn", "knn_reg"]

Algorithm = Literal["kd_tree", "cover_tree", "brute"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KnnReg:
    """What knn.reg returns.

    Parameters
    ----------
    k, n : int
        Neighbours, and rows that are predicted.
    pred : (n,) float64
    residuals : (n,) float64, or None
        Of leave-one-out.
    PRESS, R2Pred : float, or None
        Their sum of squares, and 1 - PRESS / total sum of squares.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> cars = pcv.data.mtcars()
    >>> r.FNN.knn_reg(cars[["wt", "qsec"]], y=cars["mpg"], k=3)
    PRESS =  375.1167
    R2-Predict =  0.666873
    """

    k: int
    n: int
    pred: FloatArray
    residuals: FloatArray | None = None
    PRESS: float | None = None
    R2Pred: float | None = None

    def __repr__(self) -> str:
        if self.PRESS is None:
            return f"Prediction:\n{vector(self.pred)}"
        return f"PRESS =  {self.PRESS:.{DIGITS}g} \nR2-Predict =  {self.R2Pred:.{DIGITS}g} "

    def tidy(self) -> pd.DataFrame:
        """One row per prediction.

        Examples
        --------
        >>> KnnReg(1, 2, np.array([1.0, 2.0])).tidy()
           pred
        0   1.0
        1   2.0
        """
        rest = {} if self.residuals is None else {"residual": self.residuals}
        return pd.DataFrame({"pred": self.pred} | rest)


@answering
def knn_reg(
    train: Any, test: Any = None, y: Any = None, k: int = 3, algorithm: Algorithm = "kd_tree"
) -> KnnReg:
    """Predict by the mean response of the k nearest neighbours.

    Parameters
    ----------
    train : frame or (n, p) array
        Numbers only; of one dimension it is one column.
    test : frame or (m, p) array, optional
        Of one dimension it is one row. Without it every row is predicted by the others.
    y : (n,) numbers
    k : int
    algorithm : {"kd_tree", "cover_tree", "brute"}
        Ties are broken as "brute" does.

    Returns
    -------
    KnnReg

    Notes
    -----
    As in R: ``FNN::knn.reg(train, test, y, k, algorithm)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.FNN.knn_reg([1.0, 2.0, 4.0, 7.0], [[3.5], [0.0]], y=[1.0, 2.0, 4.0, 9.0], k=2).pred
    array([3. , 1.5])
    """
    check_word("algorithm", algorithm, get_args(Algorithm))
    rows, k = matrix(train, "train"), whole(k, "k", 1)
    new = rows if test is None else matrix(in_order_of(test, train, "test"), "test", row=True)
    values = _response(y, len(rows))
    require_columns(rows, new)
    most = len(rows) - (test is None)
    if k > most:
        problem, given = "k should be less than sample size!", f"k={k} with {len(rows)} rows"
        fix = f"use k up to {most}" if most else "give two rows or more, or test="
        raise InputError(problem, given=given, fix=fix)
    near, _ = _nearest(rows, new, k, algorithm, alone=test is None)
    added = np.zeros(len(new), dtype=np.longdouble)
    for column in near.T:
        added += values[column]
    pred = np.asarray(added / k, dtype=np.float64)
    if test is not None:
        return KnnReg(k, len(new), pred)
    residuals = values - pred
    press = float(sum_(residuals**2))
    return KnnReg(
        k, len(new), pred, residuals, press, 1 - press / sum_((values - mean(values)) ** 2)
    )


@answering
def knn(
    train: Any, test: Any, cl: Any, k: int = 1, prob: bool = False, algorithm: Algorithm = "kd_tree"
) -> Factor:
    """Classify rows by the vote of their k nearest neighbours.

    Parameters
    ----------
    train, test, cl
        As for `pycvstat.r.class_.knn`.
    k : int
    prob : bool
        Whether the result has the winner's share of the votes as ``prob``.
    algorithm : {"kd_tree", "cover_tree", "brute"}
        Ties are broken as "brute" does.

    Returns
    -------
    Factor
        With the neighbours as ``nn_index`` (counted from 1) and ``nn_dist``. Its levels are the
        classes that were predicted, as in R.

    Notes
    -----
    As in R: ``FNN::knn(train, test, cl, k, prob, algorithm)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> found = r.FNN.knn([1.0, 2.0, 4.0], [[3.5], [0.0]], ["b", "a", "b"], k=2, prob=True)
    >>> list(found), found.prob.tolist(), found.nn_index.tolist()
    (['a', 'a'], [0.5, 0.5], [[3, 2], [1, 2]])
    """
    check_word("algorithm", algorithm, get_args(Algorithm))
    rows, new, classes = rows_and_classes(train, test, cl)
    k = neighbours_of(k, len(rows))
    near, distances = _nearest(rows, new, k, algorithm)
    names = [str(level) for level in classes.categories]
    numbers = pd.api.types.is_numeric_dtype(classes.categories.dtype)
    alphabetical = word_order(names, "ICU")
    place = np.arange(len(names)) if numbers else np.argsort(alphabetical)
    ranked = place[np.asarray(classes.codes)]
    votes = np.array([np.bincount(row, minlength=len(names)) for row in ranked[near]])
    winner = np.argsort(place)[votes.argmax(axis=1)]
    levels = [level for level in alphabetical if level in winner]
    return Factor.of(
        [levels.index(one) for one in winner],
        classes.categories[levels],
        prob=_in_words(votes.max(axis=1) / k) if prob else None,
        nn_index=near + 1,
        nn_dist=distances,
    )


def _in_words(shares: FloatArray) -> FloatArray:
    """Shares as FNN hands them on: written with 15 digits, and read again."""
    return np.array([float(as_character(share)) for share in shares.tolist()])


def _response(y: Any, n: int) -> FloatArray:
    values = None if y is None else real_numbers(y)
    if values is None or values.shape != (n,):
        kind = "values that are no numbers" if values is None else "numbers"
        given = "no y" if y is None else f"{np.size(y)} {kind} for {n} rows"
        raise DataError("y must have a number for each row of train.", given=given)
    if np.isnan(values).any():
        raise no_missing("y", int(np.isnan(values).sum()))
    return values


def _nearest(
    rows: FloatArray, new: FloatArray, k: int, algorithm: str, *, alone: bool = False
) -> tuple[IntArray, FloatArray]:
    """The k nearest rows of every new one and their distances; `alone` drops the first found."""
    near, squared, tied = [], [], 0
    count = k + alone
    for distances in squares(rows, new):
        order = np.argsort(distances, kind="stable")
        chosen = order[:count]
        tied += len(order) > count and distances[order[count]] == distances[chosen[-1]]
        near.append(chosen[alone:])
        squared.append(distances[chosen[alone:]])
    if tied and algorithm != "brute":
        warn(
            f"{tied} rows have neighbours tied at the k-th distance: the first ones are taken, "
            f"where FNN's {algorithm} may take others.",
            fix='algorithm="brute" takes the first ones in R too',
        )
    return np.array(near), np.sqrt(np.array(squared))
