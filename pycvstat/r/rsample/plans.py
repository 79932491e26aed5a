"""What is drawn, and plans of it: folds, random splits, resamples, groups, windows in time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from pycvstat.data.frame import Column
from pycvstat.errors import FoldError
from pycvstat.errors.checks import check_word, is_number
from pycvstat.errors.names import answering
from pycvstat.folds import FoldPlan, TimeSeries
from pycvstat.folds.fits import Kind
from pycvstat.folds.forms import are_integers, named, values_of
from pycvstat.folds.problems import rows_of
from pycvstat.folds.splits import left_out
from pycvstat.folds.splitter import group_array, of_labels
from pycvstat.folds.strata import rsample_strata
from pycvstat.r.session import stream
from pycvstat.r.values import whole
from pycvstat.types import IntArray


def row_count(data: Any) -> int:
    """How many rows there are to split, at least 2."""
    n = rows_of(data)
    if n < 2:
        raise FoldError("Splits need at least 2 rows of data.", given=f"{n} rows")
    return n


def share_of(prop: Any) -> float:
    """A share of training rows."""
    if not (is_number(prop) and 0 < prop < 1):
        raise FoldError("prop must be a number between 0 and 1.", given=f"prop={prop!r}")
    return float(prop)


def require_training(size: int, n: int) -> None:
    """Refuse a split without training rows."""
    if size < 1:
        problem = "At least one row should be selected for training."
        raise FoldError(problem, given=f"{size} of {n} rows", fix="use a larger prop")


def column_of(data: Any, name: Any, what: str) -> Column:
    """A column of the data by its name, none of it missing."""
    if not isinstance(name, str):
        raise FoldError(f"{what} is the name of a column of the data.", given=repr(name))
    return values_of(name, data, what)


def strata_of(data: Any, n: int, strata: str | None, breaks: Any, pool: Any) -> Sequence[IntArray]:
    """The rows of each stratum; one where there are none."""
    if strata is None:
        return [np.arange(n)]
    column = column_of(data, strata, "strata")
    if not (is_number(pool) and 0 <= pool <= 1):
        raise FoldError("pool is a share between 0 and 1.", given=f"pool={pool!r}")
    cuts = whole(breaks, "breaks")
    return rsample_strata(
        column, are_integers(named(strata, data, "strata")), "ICU", stream(), cuts, float(pool)
    )


def training_rows(
    data: Any, n: int, share: float | None, times: int, strata: str | None, breaks: Any, pool: Any
) -> list[IntArray]:
    """Training rows of each split, from every stratum a share, or as many with replacement."""
    parts = []
    for rows in strata_of(data, n, strata, breaks, pool):
        size = len(rows) if share is None else math.floor(len(rows) * share)
        drawn = [stream().sample(len(rows), size, share is None) - 1 for _ in range(times)]
        parts.append([rows[np.sort(one) if strata else one] for one in drawn])
    require_training(sum(len(part[0]) for part in parts), n)
    return [np.concatenate(together) for together in zip(*parts, strict=True)]


Balance = Literal["groups", "observations"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Drawn(FoldPlan):
    """A plan that knows its training rows as they were drawn, which a plan sorts.

    Parameters
    ----------
    in_id : tuple of arrays
        Those of each fit, counted from 1, in R's order.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.rsample.bootstraps(6, times=2).in_id[0]
    array([1, 4, 1, 2, 5, 3])
    """

    in_id: tuple[IntArray, ...] = ()


@answering
def vfold_cv(
    data: Any,
    v: int = 10,
    repeats: int = 1,
    strata: str | None = None,
    breaks: int = 4,
    pool: float = 0.1,
) -> FoldPlan:
    """Folds of v-fold cross-validation.

    Parameters
    ----------
    data : frame
        Or its number of rows.
    v : int
    repeats : int
    strata : str, optional
        The column that every fold has the same shares of.
    breaks : int
        Quantile groups that a numeric column is cut into.
    pool : float
        Classes with a smaller share of the rows are spread over the others.

    Notes
    -----
    As in R: ``vfold_cv(data, v, repeats, strata, breaks, pool)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.rsample.vfold_cv(7, v=3).fold_ids
    array([1, 1, 1, 2, 2, 3, 3])
    """
    n = row_count(data)
    folds = _number_of_folds(v, n, "rows")
    times = whole(repeats, "repeats", 1)
    if times > 1 and folds == n:
        raise _identical(folds)
    recipe, seed = _begin("vfold_cv", v=folds, repeats=times, strata=strata)
    cuts = (breaks if times == 1 else 4, pool)
    labels = []
    for _ in range(times):
        label = np.empty(n, dtype=np.int64)
        for rows in strata_of(data, n, strata, *cuts):
            label[rows] = _shuffled_labels(len(rows), folds)
        labels.append(label)
    return _of_labels(n, labels, recipe, seed, stratified=strata is not None)


@answering
def mc_cv(
    data: Any,
    prop: float = 0.75,
    times: int = 25,
    strata: str | None = None,
    breaks: int = 4,
    pool: float = 0.1,
) -> FoldPlan:
    """Splits at random, again and again.

    Parameters
    ----------
    data : frame
        Or its number of rows.
    prop : float
        Share of training rows.
    times : int
        Number of splits.
    strata, breaks, pool
        As for `vfold_cv`.

    Notes
    -----
    As in R: ``mc_cv(data, prop, times, strata, breaks, pool)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.rsample.mc_cv(8, times=2).to_rows()
    [array([4, 6]), array([3, 6])]
    """
    n, count = row_count(data), whole(times, "times", 1)
    recipe, seed = _begin("mc_cv", prop=prop, times=count, strata=strata)
    train = training_rows(data, n, share_of(prop), count, strata, breaks, pool)
    return _planned(
        n, left_out(n, train), recipe, seed, "subsampling", drawn=train, stratified=bool(strata)
    )


@answering
def bootstraps(
    data: Any, times: int = 25, strata: str | None = None, breaks: int = 4, pool: float = 0.1
) -> FoldPlan:
    """Resamples with replacement; the rows that they do not have are tested.

    Parameters
    ----------
    data : frame
        Or its number of rows.
    times : int
        Number of resamples.
    strata, breaks, pool
        As for `vfold_cv`.

    Returns
    -------
    FoldPlan
        Its training rows are listed as often as they were drawn; `Drawn.in_id` has them unsorted.

    Notes
    -----
    As in R: ``bootstraps(data, times, strata, breaks, pool)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> plan = r.rsample.bootstraps(6, times=2)
    >>> plan.train_rows(0), plan.test_rows(0)
    (array([0, 0, 1, 2, 3, 4]), array([5]))
    """
    n, count = row_count(data), whole(times, "times", 1)
    recipe, seed = _begin("bootstraps", times=count, strata=strata)
    train = training_rows(data, n, None, count, strata, breaks, pool)
    return _planned(
        n, left_out(n, train), recipe, seed, "bootstrap", drawn=train, stratified=bool(strata)
    )


@answering
def group_vfold_cv(
    data: Any, group: str, v: int | None = None, repeats: int = 1, balance: Balance = "groups"
) -> FoldPlan:
    """Folds that keep groups of rows together.

    Parameters
    ----------
    data : frame
    group : str
        The column of the groups.
    v : int, optional
        One fold for each group by default.
    repeats : int
    balance : {"groups", "observations"}
        Whether folds have about as many groups, or about as many rows.

    Notes
    -----
    As in R: ``group_vfold_cv(data, group, v, repeats, balance)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.rsample.group_vfold_cv({"g": list("aabbccd")}, group="g", v=2).fold_ids
    array([1, 1, 1, 1, 2, 2, 2])
    """
    n = row_count(data)
    check_word("balance", balance, get_args(Balance))
    column = column_of(data, group, "group")
    words = column.labels()
    codes, names = pd.factorize(words)
    times = whole(repeats, "repeats", 1)
    folds = len(names) if v is None else _number_of_folds(v, len(names), "groups")
    if times > 1 and folds == len(names):
        raise _identical(folds)
    recipe, seed = _begin("group_vfold_cv", group=group, v=folds, repeats=times, balance=balance)
    home = _by_groups if balance == "groups" else _by_rows
    labels = [home(codes.astype(np.int64), folds) for _ in range(times)]
    return _of_labels(n, labels, recipe, seed, groups=group_array(column))


@answering
def rolling_origin(
    data: Any, initial: int = 5, assess: int = 1, cumulative: bool = True, skip: int = 0
) -> FoldPlan:
    """Windows that move on in time.

    Parameters
    ----------
    data : frame
        Or its number of rows.
    initial : int
        Rows of the first training window.
    assess : int
        Rows tested by each fit.
    cumulative : bool
        Whether the training window keeps its start.
    skip : int
        Windows to leave out after each.

    Notes
    -----
    As in R: ``rolling_origin(data, initial, assess, cumulative, skip)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.rsample.rolling_origin(7, initial=4, assess=2).to_rows()
    [array([4, 5]), array([5, 6])]
    """
    step = whole(skip, "skip", 0) + 1
    window: Literal["expanding", "sliding"] = "expanding" if cumulative else "sliding"
    return TimeSeries(initial, horizon=assess, step=step, window=window).plan(data)


def _number_of_folds(v: Any, most: int, of: str) -> int:
    if not is_number(v) or v != v or math.floor(v) < 2:
        raise FoldError("v must be a whole number greater than 1.", given=f"v={v!r}")
    if v > most:
        raise FoldError(f"The number of {of} is less than v.", given=f"v={v} of {most} {of}")
    return whole(v, "v")


def _identical(v: int) -> FoldError:
    problem = f"Repeated resampling when v is {v} would create identical resamples."
    return FoldError(problem, given=f"v={v}", fix="repeats=1, or a smaller v")


def _begin(name: str, **given: Any) -> tuple[str, int | None]:
    """What the plan is called, and the seed where nothing was drawn since."""
    said = ", ".join(f"{key}={value!r}" for key, value in given.items() if value is not None)
    return f"{name}({said})", stream().seed if stream().untouched else None


def _shuffled_labels(n: int, folds: int) -> IntArray:
    """Labels from 0 recycled to n, shuffled."""
    return (np.arange(n) % folds)[stream().permutation(n)]


def _by_groups(codes: IntArray, folds: int) -> IntArray:
    """Every group draws one of the recycled labels."""
    return _shuffled_labels(int(codes.max()) + 1, folds)[codes]


def _by_rows(codes: IntArray, folds: int) -> IntArray:
    """Groups in random order, each to the fold whose share of the rows it brings nearest to 1/v.

    The first v groups start the folds; in the end these draw their labels.
    """
    sizes, n = np.bincount(codes), len(codes)
    order = stream().permutation(len(sizes))
    home = np.empty(len(sizes), dtype=np.int64)
    home[order[:folds]] = np.arange(folds)
    rows = sizes[order[:folds]].copy()
    for group in order[folds:]:
        now, then = np.abs(rows / n - 1 / folds), np.abs((rows + sizes[group]) / n - 1 / folds)
        home[group] = np.argmin(then - now)
        rows[home[group]] += sizes[group]
    places, found = pd.factorize(home[codes])
    return _shuffled_labels(len(found), folds)[places]


def _of_labels(
    n: int, labels: list[IntArray], recipe: str, seed: int | None, **more: Any
) -> FoldPlan:
    """The plan of fold labels, one vector for each repetition; folds without a row drop out."""
    found = of_labels(labels)
    return _planned(n, found.test, recipe, seed, found.kind, found.repeat, found.fold, **more)


def _planned(
    n: int, test: Sequence[IntArray], recipe: str, seed: int | None, kind: Kind,
    repeat: Any = None, fold: Any = None, drawn: Sequence[IntArray] = (), **more: Any,
) -> FoldPlan:  # fmt: skip
    offsets = np.cumsum([0, *map(len, test)])
    times = np.arange(len(test)) if repeat is None else np.array(repeat)
    places = np.zeros(len(test), dtype=np.int64) if fold is None else np.array(fold)
    train, in_id = tuple(drawn) or None, tuple(rows + 1 for rows in drawn)
    return Drawn(
        n, np.concatenate(test), offsets, times, places, kind, recipe, train, seed=seed,
        in_id=in_id, **more,
    )  # fmt: skip
