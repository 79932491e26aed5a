"""Signs of leaks in the data and the folds: equal rows, split groups, copies of the response."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.data.task import Task
from pycvstat.folds.plan import FoldPlan
from pycvstat.types import FloatArray, IntArray

COPY = 0.01  # what a near copy leaves unexplained: of the variance, or of the rows
FEW = 10  # rows below which a correlation of 0.995 can be chance
RARE = 0.001  # how probable an order of classes may be by chance, all predictors together


def duplicated_rows(task: Task, plan: FoldPlan) -> IntArray:
    """Pairs (test row, training row) that are equal in every variable of the formula.

    Examples
    --------
    >>> task = Task.build("y ~ x", {"x": [1., 2., 1.], "y": [0., 5., 0.]})
    >>> duplicated_rows(task, FoldPlan.from_fold_ids([1, 2, 3]))
    array([[0, 2],
           [2, 0]])
    """
    codes = (
        task.frame.to_pandas()
        .groupby(list(task.frame.names), sort=False, observed=True)
        .ngroup()
        .to_numpy()
    )
    found: dict[int, int] = {}
    for train, test in plan:
        first = {int(c): int(row) for row, c in zip(train[::-1], codes[train][::-1], strict=True)}
        for row in test:
            twin = first.get(int(codes[row]))
            if twin is not None:
                found.setdefault(int(row), twin)
    return np.array(sorted(found.items()), dtype=np.int64).reshape(-1, 2)


def split_groups(task: Task, plan: FoldPlan) -> tuple[Any, ...]:
    """Groups with rows in the training and the test part of the same fit."""
    if task.groups is None:
        return ()
    found: dict[Any, None] = {}
    for train, test in plan:
        for group in np.intersect1d(task.groups[train], task.groups[test]):
            found.setdefault(group)
    return tuple(found)


def near_copies(task: Task) -> tuple[str, ...]:
    """Predictors that alone give the response, but for a hundredth of its variance or its rows.

    A response of numbers: by their correlation, of values or of ranks. Classes: by the most
    frequent class of each of few values, or where the classes follow one another in the order of
    the predictor. Nothing is said where chance could do that.

    Examples
    --------
    >>> y = [3., 1., 4., 1.5, 5., 9., 2., 6., 5.5, 3.5]
    >>> near_copies(Task.build("y ~ .", {"log_y": np.log(y), "x": range(10), "y": y}))
    ('log_y',)
    """
    names = task.formula.predictors
    response = task.response
    if not response.levels:
        return tuple(
            name for name in names if _correlated(task.frame[name].values, response.values)
        )
    counts = np.bincount(response.values)
    if _by_chance(counts[counts > 0]) * len(names) > RARE:
        return ()
    return tuple(name for name in names if _tells_classes(task, name))


def _correlated(x: NDArray[Any], y: FloatArray) -> bool:
    from scipy.stats import rankdata

    if x.dtype != np.float64 or len(y) < FEW or np.ptp(x) == 0 or np.ptp(y) == 0:
        return False
    with np.errstate(all="ignore"):  # squares of huge values overflow: then the ranks decide
        r = [np.corrcoef(a, b)[0, 1] for a, b in ((x, y), (rankdata(x), rankdata(y)))]
    return bool(np.nanmax(np.square(r)) > 1 - COPY)


def _by_chance(counts: IntArray) -> float:
    """How probable it is that the classes of rows in random order follow one another."""
    from scipy.special import gammaln

    orders = gammaln(counts + 1).sum() + gammaln(len(counts) + 1)
    return float(np.exp(orders - gammaln(counts.sum() + 1)))


def _tells_classes(task: Task, name: str) -> bool:
    import pandas as pd

    x, y, slack = task.frame[name].values, task.response.values, COPY * task.n
    values, levels = pd.factorize(x, sort=False)
    if 1 < len(levels) <= task.n / 5:
        return bool(task.n - pd.crosstab(values, y).max(axis=1).sum() <= slack)
    if x.dtype != np.float64:
        return False
    ties = np.random.default_rng(1).permutation(task.n)  # whatever the order of the rows tells
    ordered = y[np.lexsort((ties, x))]
    changes = np.count_nonzero(ordered[1:] != ordered[:-1])
    return bool(changes <= len(np.unique(y)) - 1 + slack)
