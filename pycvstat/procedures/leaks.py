"""Signs of leaks in the data and the folds: equal and near rows, split groups, copies of y."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pycvstat.data.task import Task
from pycvstat.folds.plan import FoldPlan
from pycvstat.types import FloatArray, IntArray

COPY = 0.01  # what a near copy leaves unexplained: of the variance, or of the rows
FEW = 10  # rows below which a correlation of 0.995 can be chance
RARE = 0.001  # how probable what is found may be by chance, all predictors together
NEIGHBOURS = 10  # of a test row, whose distances say which are usual
FIFTH = 5  # a neighbour that is near, and no copy
HALVED = 0.4  # how often at most the nearest of five is half as far in the response by chance
MOST_ROWS = 2000  # test rows whose neighbours are looked for
MOST_LEVELS = 50  # names of more than so many kinds do not tell rows apart


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
        first = {int(codes[row]): int(row) for row in train[::-1]}
        for row in test:
            twin = first.get(int(codes[row]))
            if twin is not None:
                found.setdefault(int(row), twin)
    return np.array(sorted(found.items()), dtype=np.int64).reshape(len(found), 2)


@np.errstate(all="ignore")  # values may be huge
def near_rows(task: Task, plan: FoldPlan) -> IntArray:
    """Pairs (test row, training row) that are nearer than rows of one sample are by chance.

    Near is within a hundredth of the distance to the tenth nearest training row, in all variables
    of the formula: numbers by their standard deviation, classes equal or 1 apart. Between rows of
    one sample the ratio of the distances to two neighbours, the j-th and the k-th, has a power, the
    dimension of the sample, that is Beta(j, k - j): the fifth says the dimension, which is the same
    with some copies and without, and that how many are as near by chance.

    Examples
    --------
    >>> draw = np.random.default_rng(1)
    >>> x, y = draw.normal(size=(2, 20))
    >>> twice = {"x": [*x, *(x + 1e-6)], "y": [*y, *y]}
    >>> near_rows(Task.build("y ~ x", twice), FoldPlan.from_fold_ids([1] * 20 + [2] * 20))[:2]
    array([[ 0, 20],
           [ 1, 21]])
    """
    from scipy.spatial import KDTree
    from scipy.stats import binom

    points = _coordinates(task, task.frame.names)
    nothing = np.empty((0, 2), dtype=np.int64)
    pairs, ratios = [nothing], [np.empty((0, 2))]
    for train, test in plan if points.shape[1] else ():
        if len(train) >= NEIGHBOURS and sum(map(len, ratios)) < MOST_ROWS:
            found: Any = KDTree(points[train]).query(points[test[:MOST_ROWS]], NEIGHBOURS)
            distance, which = found
            apart = distance[:, 0] > 0  # equal rows are found by another check
            pairs.append(np.column_stack([test[: len(apart)], train[which[:, 0]]])[apart])
            ratios.append(distance[apart][:, [0, 4]] / distance[apart, -1:])
    nearest, fifth = np.concatenate(ratios).T
    near = nearest < COPY
    if not near.any():
        return nothing
    dimension = max(np.log(0.5) / np.log(min(float(np.median(fifth)), 0.99)), 1.0)
    by_chance = 1 - (1 - COPY**dimension) ** (NEIGHBOURS - 1)
    # two rows that are near one another count once
    if binom.sf((near.sum() + 1) // 2 - 1, (near.size + 1) // 2, by_chance) > RARE:
        return nothing
    rows: IntArray = np.concatenate(pairs)[near]
    return rows[np.argsort(rows[:, 0], kind="stable")]


@dataclass(frozen=True, slots=True)
class Nearest:
    """How well a row of the training part predicts a test row by its response alone.

    Parameters
    ----------
    risk, further : float
        Mean loss of the response of the nearest training row, and of the fifth.
    learner : float
        Mean loss of the learner.
    p_value : float
        Binomial test: in how many test rows the response changes on the way to the nearest row
        by less than half of what it does, for its distance, on the way to the next four (their
        median). Smooth functions change in proportion to the distance, and noise is not smaller
        near by: then that is so in less than 0.4 of the rows. Of rows that were copied with noise
        the nearest tells too much.
    """

    risk: float
    further: float
    learner: float
    p_value: float


@np.errstate(all="ignore")
def nearest_rows(task: Task, plan: FoldPlan) -> tuple[IntArray, float]:
    """Rows (test row, nearest, fifth training row) by predictors, and the p value of `Nearest`.

    None for classes and for responses of few values, where equal responses mean little.

    Examples
    --------
    >>> draw = np.random.default_rng(1)
    >>> x, y = draw.normal(size=(2, 30))
    >>> twice = {"x": [*x, *(x + 1e-3)], "y": [*y, *y]}
    >>> ids = FoldPlan.from_fold_ids([1] * 30 + [2] * 30)
    >>> nearest_rows(Task.build("y ~ x", twice), ids)[1] < RARE
    True
    """
    from scipy.spatial import KDTree
    from scipy.stats import binom

    y, points = task.response.values, _coordinates(task, task.formula.predictors)
    found, slopes = [np.empty((0, 3), dtype=np.int64)], [np.empty((0, FIFTH))]
    usable = not task.response.levels and len(np.unique(y)) > task.n / 5 and points.shape[1]
    for i, (train, test) in enumerate(plan if usable else ()):
        if len(train) >= FIFTH and plan.repeat[i] == 0 and sum(map(len, found)) < MOST_ROWS:
            near: Any = KDTree(points[train]).query(points[test[:MOST_ROWS]], FIFTH)
            rows, others = test[:MOST_ROWS], train[near[1]]
            slopes.append(np.abs(y[others] - y[rows, None]) / near[0])
            found.append(np.column_stack([rows, others[:, [0, -1]]]))
    first, others = (slope := np.concatenate(slopes))[:, 0], np.median(slope[:, 1:], axis=1)
    apart = np.isfinite(first) & np.isfinite(others) & (others > 0)
    closer = int((first < others / 2)[apart].sum())
    # two rows that are near one another count once
    p = float(binom.sf((closer + 1) // 2 - 1, (int(apart.sum()) + 1) // 2, HALVED))
    return np.concatenate(found), p


def _coordinates(task: Task, names: Sequence[str]) -> FloatArray:
    """Rows as points: numbers over their standard deviation, levels as 0 and 1."""
    columns, numbers = [], 0
    for name in names:
        values = task.frame[name].values
        if values.dtype == np.float64:
            size = np.nanstd(values)
            if np.isfinite(size) and size > 0:
                numbers += 1
                columns.append(np.nan_to_num((values - np.nanmean(values)) / size))
            continue
        codes, levels = pd.factorize(values)
        columns += [1.0 * (codes == c) for c in range(len(levels)) if len(levels) <= MOST_LEVELS]
    return np.column_stack(columns) if numbers else np.empty((task.n, 0))


def split_groups(task: Task, plan: FoldPlan) -> tuple[Any, ...]:
    """Groups with rows in the training and the test part of the same fit."""
    if task.groups is None:
        return ()
    found: dict[Any, None] = {}
    for train, test in plan:
        for group in np.intersect1d(task.groups[train], task.groups[test]):
            found.setdefault(group)
    return tuple(found)


@np.errstate(all="ignore")
def near_copies(task: Task) -> tuple[str, ...]:
    """Predictors that alone give the response, but for a hundredth of its variance or its rows.

    A response of numbers: by their correlation, of values or of ranks, or by the means of each of
    few values. Classes: by the most
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
        return tuple(name for name in names if _tells_numbers(task, name))
    counts = np.bincount(response.values)
    if _by_chance(counts[counts > 0]) * len(names) > RARE:
        return ()
    return tuple(name for name in names if _tells_classes(task, name))


def _tells_numbers(task: Task, name: str) -> bool:
    x, y = task.frame[name].values, task.response.values
    if _correlated(x, y):
        return True
    values, levels = pd.factorize(x, sort=False)
    total = float(((y - y.mean()) ** 2).sum())
    if task.n < 2 * FEW or len(levels) > task.n / 5 or not 0 < total < np.inf:
        return False
    count = np.bincount(values + 1, minlength=len(levels) + 1)  # missing ones first
    mean = np.bincount(values + 1, y, len(levels) + 1) / np.maximum(count, 1)
    return bool(((y - mean[values + 1]) ** 2).sum() <= COPY * total)


def _correlated(x: NDArray[Any], y: FloatArray) -> bool:
    from scipy.stats import rankdata

    if x.dtype != np.float64 or len(y) < FEW or np.ptp(x) == 0 or np.ptp(y) == 0:
        return False
    # squares of huge values overflow: then the ranks decide
    r = [np.corrcoef(a, b)[0, 1] for a, b in ((x, y), (rankdata(x), rankdata(y)))]
    return bool((np.square(r) > 1 - COPY).any())


def _by_chance(counts: IntArray) -> float:
    """How probable it is that the classes of rows in random order follow one another."""
    from scipy.special import gammaln

    orders = gammaln(counts + 1).sum() + gammaln(len(counts) + 1)
    return float(np.exp(orders - gammaln(counts.sum() + 1)))


def _tells_classes(task: Task, name: str) -> bool:
    x, y, slack = task.frame[name].values, task.response.values, COPY * task.n
    values, levels = pd.factorize(x, sort=False)
    if 1 < len(levels) <= task.n / 5:
        classes = len(task.response.levels)  # they may be many, of which few occur
        pairs, rows = np.unique(values * classes + y, return_counts=True)
        first = np.flatnonzero(np.diff(pairs // classes, prepend=-2))  # missing ones are -1
        return bool(task.n - np.maximum.reduceat(rows, first).sum() <= slack)
    if x.dtype != np.float64:
        return False
    ties = np.random.default_rng(1).permutation(task.n)  # whatever the order of the rows tells
    ordered = y[np.lexsort((ties, x))]
    changes = np.count_nonzero(ordered[1:] != ordered[:-1])
    return bool(changes <= len(np.unique(y)) - 1 + slack)
