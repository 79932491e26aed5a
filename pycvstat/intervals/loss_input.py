"""What `from_losses` is given, in the forms that people have it: losses by method, folds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pycvstat.data.frame import in_common_rows
from pycvstat.errors import InputError, IntervalError, LossError
from pycvstat.errors.checks import is_whole, kind_of, real_numbers, shown
from pycvstat.folds.forms import values_of
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.problems import require_separate
from pycvstat.folds.splitter import group_array
from pycvstat.types import FloatArray

MOST_ROWS = 2**53  # training rows of one test set, which are counted and never listed


def in_order(
    losses: Any, fold_ids: Any, groups: Any, y: Any, predictions: Any
) -> tuple[Any, Any, Any, Any, Any]:
    """All that is given, rows matched by their labels where they have any.

    Over a plan that is no partition, losses and predictions are in the order of its tests, and
    have labels of their own.
    """
    keyed = isinstance(losses, Mapping)
    methods = list(losses.items()) if keyed else [("", losses)]
    tested = [(f"the losses of {name}" if keyed else "the losses", v) for name, v in methods]
    tested.append(("the predictions", predictions))
    rows = [("the fold ids", fold_ids), ("groups", groups), ("y", y)]
    if isinstance(fold_ids, FoldPlan) and not fold_ids.is_partition:
        found = in_common_rows(tested) + in_common_rows(rows)
    else:
        found = in_common_rows(tested + rows)
    *columns, predictions, fold_ids, groups, y = found
    (losses,) = [{name: columns[i] for i, name in enumerate(losses)}] if keyed else columns
    return losses, fold_ids, groups, y, predictions


def repeats_of(fold_ids: Any) -> int:
    """How often the folds test every row."""
    if isinstance(fold_ids, FoldPlan):
        return fold_ids.times if fold_ids.is_partition else 1
    labels = np.asarray(fold_ids)
    return int(labels.shape[1]) if labels.ndim == 2 else 1


def columns_of(losses: Any, times: int, names: Sequence[str] | None) -> dict[str, FloatArray]:
    """The losses by method, each (n,) or (n, times).

    Examples
    --------
    >>> columns_of([[0.5, 1.0], [2.0, 1.5]], 1, ["knn", "ols"])["ols"]
    array([1. , 1.5])
    """
    columns = _by_name(losses, times)
    if not columns:
        raise InputError("there are no losses.", given=losses)
    return columns if names is None else _renamed(columns, names)


def _by_name(losses: Any, times: int) -> dict[str, FloatArray]:
    keyed = isinstance(losses, Mapping) or hasattr(losses, "columns")
    if not keyed:
        return _of_array(_losses(losses, "the losses"), times)
    keys = list(losses if isinstance(losses, Mapping) else losses.columns)
    return {n: _losses(losses[key], f"the losses of {n}") for n, key in _distinct(keys).items()}


def _losses(given: Any, what: str) -> FloatArray:
    values = finite_numbers(given, what)
    if values.ndim not in (1, 2):
        raise InputError(f"{what} must have one or two dimensions.", given=f"shape {values.shape}")
    return values


def _of_array(values: FloatArray, times: int) -> dict[str, FloatArray]:
    if values.ndim == 1 or (times > 1 and values.shape[1] == times):
        return {"losses": values}
    if values.shape[1] == 1:
        return {"losses": values.ravel()}
    return {f"method {j + 1}": values[:, j] for j in range(values.shape[1])}


def _renamed(columns: dict[str, FloatArray], names: Any) -> dict[str, FloatArray]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(
            "names are a list, one per method.", given=shown(names), fix="names=['knn', 'ols']"
        )
    chosen = _distinct(list(names))
    if len(chosen) != len(columns):
        raise InputError(
            "names must be one per method.", given=f"{len(chosen)} for {len(columns)} methods"
        )
    return dict(zip(chosen, columns.values(), strict=True))


def _distinct(given: Sequence[Any]) -> dict[str, Any]:
    """What was given, by its text; two methods of one name would be one."""
    if twice := [name for name, count in Counter(map(str, given)).items() if count > 1]:
        raise InputError(
            f"several methods are called {twice[0]!r}.",
            given=", ".join(map(repr, given)),
            fix="give each method a name of its own",
        )
    return {str(name): name for name in given}


def finite_numbers(values: Any, what: str) -> FloatArray:
    """The values as real numbers, all of them finite."""
    array = real_numbers(values)
    if array is None:
        raise LossError(f"{what} must be numbers.", given=kind_of(values))
    bad = np.argwhere(~np.isfinite(array))
    if bad.size and array.ndim:
        raise LossError(
            f"{what} must be finite.",
            given=f"{len(bad)} of {array.size} are NaN or infinite, first at row {bad[0][0] + 1}",
            fix="repair the fits they come from; leaving rows out changes what is estimated",
        )
    return array


def plan_of(fold_ids: Any, rows: int, groups: Any, n_train: int | None) -> FoldPlan:
    """The folds, which must keep groups together.

    Examples
    --------
    >>> plan_of([1, 1, 2, 2], 4, ["a", "a", "b", "b"], None).fold_ids
    array([1, 1, 2, 2])
    """
    if fold_ids is None:
        return _one_test_set(rows, groups, n_train)
    if n_train is not None:
        raise InputError(
            "the folds say how many rows are trained on.",
            given=f"n_train={shown(n_train)} beside fold_ids",
            fix="leave n_train out; without fold_ids the losses are those of one test set",
        )
    plan = fold_ids if isinstance(fold_ids, FoldPlan) else _plan_of_labels(fold_ids, rows)
    if groups is not None:
        plan = replace(plan, groups=group_array(values_of(groups, plan.n, "groups")))
    require_separate(plan)
    return plan


def _plan_of_labels(fold_ids: Any, rows: int) -> FoldPlan:
    labels = np.asarray(fold_ids)
    if labels.ndim == 0:
        raise InputError(
            "fold_ids are the fold of each row.",
            given=shown(fold_ids),
            fix="fold_ids=[1, 1, 2, 2, ...], or a fold plan",
        )
    if len(labels) != rows:
        raise InputError(
            "fold_ids must have one label per row.", given=f"{len(labels)} labels for {rows} losses"
        )
    if not rows:
        raise InputError("there are no losses.", given="no rows")
    if labels.ndim == 1 and len(set(labels.tolist())) < 2:
        raise IntervalError(
            "there is only one fold: nothing would be left to train on.",
            given=f"fold {labels[0]}",
            fix="for the losses of one test set leave fold_ids out and give n_train=",
        )
    return FoldPlan.from_fold_ids(fold_ids)


def _one_test_set(m: int, groups: Any, n_train: int | None) -> FoldPlan:
    if n_train is None:
        raise InputError(
            "without fold_ids the losses are those of one test set, and its training size is part "
            "of what is estimated.",
            fix="give fold_ids, or n_train=",
        )
    if not (is_whole(n_train) and 1 <= n_train <= MOST_ROWS):
        raise InputError("n_train must be a whole number of rows.", given=shown(n_train))
    if groups is not None:
        raise InputError(
            "the groups of the training rows are not known, so that nothing says whether one is "
            "also tested.",
            given="groups without fold_ids",
            fix="give fold_ids, or the losses of one row per group",
        )
    n_train = int(n_train)
    rows = np.arange(n_train, n_train + m)
    zero = np.zeros(1, dtype=np.int64)
    return FoldPlan(
        n_train + m, rows, np.array([0, m]), zero, zero, "holdout", f"one test set of {m} rows"
    )
