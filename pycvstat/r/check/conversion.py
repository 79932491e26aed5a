"""Results for R as plain lists, and what R saved or holds in Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np
import pandas as pd

from pycvstat.data.task import Task
from pycvstat.errors import DataError, FoldError, InputError
from pycvstat.errors.checks import check_path
from pycvstat.folds.forms import r_names, row_lists
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Fitted
from pycvstat.r.bridge import RList, run
from pycvstat.r.bridge.parts import from_sexp
from pycvstat.r.bridge.rds import read_rds
from pycvstat.r.bridge.session import start
from pycvstat.r.bridge.to_python import value_of
from pycvstat.r.bridge.to_r import write
from pycvstat.verbs import Checked


def as_r(result: Any, path: str | PathLike[str] | None = None) -> Any:
    """Give a result to R as a plain list.

    Parameters
    ----------
    result : fold plan, fitted model, interval, result of a procedure, frame, or dict of these
    path : path, optional
        Ending in .rds: a file for R's ``readRDS`` instead of an object of the running R.

    Returns
    -------
    rpy2 object or pathlib.Path

    Notes
    -----
    A result becomes ``list(tidy = , glance = , augment = , ...)`` of data frames, with its fold
    plan as ``folds``; what `pycvstat.r.kknn` and `pycvstat.r.lecture` return becomes a list of its
    parts. A fold plan is a list whose ``index`` and ``indexOut`` hold training and test rows as
    caret's ``trainControl`` takes them; rsample's ``make_splits`` takes the same pairs. Rows are
    counted from 1. Missing values are NA. The way back is `from_r`.

    Examples
    --------
    >>> from pycvstat.r.check.conversion import plain_list
    >>> plan = FoldPlan.from_fold_ids([1, 2, 1])
    >>> plain_list(plan)["indexOut"]
    {'Fold1': array([1, 3]), 'Fold2': array([2])}
    """
    file = None if path is None else check_path(path)
    if file is not None and file.suffix.lower() != ".rds":
        raise InputError("a file for readRDS ends in .rds.", given=str(path))
    start()
    if file is None:
        return write(plain_list(result))
    if not file.absolute().parent.is_dir():
        problem = "the file cannot be written: its folder does not exist."
        raise InputError(problem, given=file.absolute().parent)
    run("saveRDS(x, file)", x=plain_list(result), file=str(file))
    return file


def plain_list(result: Any) -> Any:
    """The list as Python has it: dicts, arrays and frames; anything else as it is.

    Examples
    --------
    >>> plain_list({"a": [1, 2], "folds": FoldPlan.from_fold_ids([1, 2])})["folds"]["fold_ids"]
    array([1, 2])
    """
    if isinstance(result, FoldPlan):
        return _plan(result)
    if isinstance(result, Fitted):
        return _fit(result)
    if isinstance(result, Mapping):
        return {str(name): plain_list(one) for name, one in result.items()}
    if isinstance(result, list | tuple) and any(isinstance(one, Checked) for one in result):
        return [plain_list(one) for one in result]
    if isinstance(result, Checked):
        return _tables(result)
    if isinstance(result, Task):
        return result.frame.to_pandas()
    if is_dataclass(result) and type(result).__module__.startswith("pycvstat."):
        return {f.name: plain_list(getattr(result, f.name)) for f in fields(result)}
    return result


def _tables(result: Any) -> dict[str, Any]:
    found = {
        "tidy": _table(result.tidy()),
        "glance": _table(result.glance()),
        "augment": _augmented(result),
    }
    for what in getattr(result, "more_tables", ()):
        found["by_fold" if what == "folds" else what] = _table(result.tidy(what))
    plan = getattr(result, "plan", None)
    return found if plan is None else found | {"folds": _plan(plan)}


def _augmented(result: Any) -> pd.DataFrame | None:
    """The rows of a result; NULL where it kept none. Data keep a column `row` of their own."""
    try:
        table: pd.DataFrame = result.augment()
    except (InputError, AttributeError):
        return None
    return _table(table, counted=not hasattr(result, "task"))


def _table(table: pd.DataFrame, *, counted: bool = True) -> pd.DataFrame:
    """NaN as NA; a column `row` that we counted from 0 as R counts."""
    holes = {n: "Float64" for n, c in table.items() if c.dtype.kind == "f" and c.isna().any()}
    table = table.astype(holes)
    return table.assign(row=table["row"] + 1) if counted and "row" in table.columns else table


def _plan(plan: FoldPlan) -> dict[str, Any]:
    names, fits = r_names(plan), range(len(plan))
    ids = {"fold_ids": plan.fold_ids} if plan.is_partition else {}
    return {
        "n": plan.n,
        "index": {name: plan.train_rows(i) + 1 for name, i in zip(names, fits, strict=True)},
        "indexOut": {name: plan.test_rows(i) + 1 for name, i in zip(names, fits, strict=True)},
        "repeat": plan.repeat + 1,
        "fold": plan.fold + 1,
        **ids,
        "recipe": plan.recipe,
        "seed": plan.seed,
        "fingerprint": plan.fingerprint,
    }


def _fit(fitted: Any) -> dict[str, Any]:
    """Coefficients, or for nearest neighbours kknn's C, D and W; predictions of its own rows."""
    found: dict[str, Any] = {"predictions": fitted.predict(fitted.task.frame)}
    if hasattr(fitted, "neighbours"):
        near = fitted.neighbours(fitted.task.frame)
        return found | {"C": near.rows + 1, "D": near.distances, "W": near.weights}
    return found | ({"tidy": _table(fitted.tidy())} if hasattr(fitted, "tidy") else {})


MOST_UNLISTED = 1_000_000  # numbers beyond this of which hardly any is listed are no rows


def from_r(
    source: Any, *, n: int | None = None, holds: Literal["auto", "test", "train"] = "auto"
) -> Any:
    """Bring an R object into Python.

    Parameters
    ----------
    source : path, rpy2 object, or value returned by R
        An RDS file is parsed by a reader of this package: nothing in it is evaluated, and R is
        not needed.
    n : int, optional
        Number of rows of the data; by default the largest row number in a fold list.
    holds : {"auto", "test", "train"}
        Which rows a list of row numbers holds. "auto": test rows when the lists are disjoint,
        training rows when their complements are.

    Returns
    -------
    FoldPlan, pandas.DataFrame or plain value
        rsample's resampling sets and splits, caret's fold lists and time slices (and the
        ``index`` and ``indexOut`` of its trainControl) and lists of row numbers become fold
        plans; data frames keep NA, factors and dates; other values become arrays, dicts, lists.
        Time spans (difftime) become timedelta64, of R's length but without its unit, and no
        formula takes them: say the unit with ``data[name].dt.total_seconds()``, or in R, where
        lm uses the unit that they happen to have, with ``as.numeric(x, units = "days")``.

    Notes
    -----
    As in R: ``saveRDS(vfold_cv(data, v = 10), "folds.rds")``, then
    ``from_r("folds.rds")`` gives those folds. Back to R: `as_r`, and `FoldPlan.to_r` as code.

    Examples
    --------
    >>> from_r({"Fold1": [1, 3], "Fold2": [2, 4]}).fold_ids
    array([1, 2, 1, 2])
    """
    value = source
    if isinstance(source, str | PathLike):
        value = read_rds(source)
    elif type(source).__module__.split(".")[0] == "rpy2":
        value = value_of(from_sexp(source))
    if isinstance(value, Mapping) and _given(value.get("index")):
        if _given(value.get("indexOut")):
            return _pairs(value["index"], value["indexOut"], n or value.get("n"))
        if "method" in value:
            return _folds(value["index"], n, "train")  # caret's trainControl
    if isinstance(value, Mapping) and set(value) == {"train", "test"}:
        return _pairs(value["train"], value["test"], n)  # caret's createTimeSlices
    splits = _rsplits(value)
    if splits is not None:
        return splits
    if _is_fold_list(value, n):
        return _folds(value, n, holds)
    return value


def _rsplits(value: Any) -> FoldPlan | None:
    """rsample's sets: a frame whose column `splits` holds the splits; or a single split."""
    if isinstance(value, RList) and "rsplit" in value.r_class:
        splits: list[Any] = [value]
    elif hasattr(value, "columns") and "splits" in value.columns:
        splits = list(value["splits"])
    else:
        return None
    if not splits or not all(isinstance(s, RList) and "rsplit" in s.r_class for s in splits):
        return None
    if not all({"data", "in_id", "out_id"} <= set(split.names) for split in splits):
        raise DataError("a split lacks its data, in_id or out_id.", fix="save it again in R")
    data, pairs = splits[0]["data"], []
    if not hasattr(data, "columns"):
        raise DataError("the split does not hold its data frame.", given=type(data).__name__)
    n = len(data)
    for split in splits:
        (inside,) = row_lists([split["in_id"]], 0)
        given = split["out_id"]  # NA where it is the rest
        told = not np.all(pd.isna(np.atleast_1d(np.asarray(given, dtype=object))))
        outside = row_lists([given], 0)[0] if told else np.setdiff1d(np.arange(1, n + 1), inside)
        if len(np.unique(inside)) < len(inside):
            raise FoldError(
                "these are bootstrap samples, in which training rows repeat.",
                given=f"{len(inside)} training rows, {len(np.unique(inside))} different",
                fix="use vfold_cv, mc_cv, loo_cv, group_vfold_cv or initial_split",
            )
        pairs.append((inside, outside))
    return FoldPlan.from_splits(pairs, n, first=1, recipe="rsample set from R")


def _given(part: Any) -> bool:
    return part is not None and not (hasattr(part, "__len__") and len(part) == 0)


def _is_fold_list(value: Any, n: int | None) -> bool:
    parts = list(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(parts, list) or len(parts) < 1:
        return False
    if not all(_is_row_vector(part) for part in parts):
        return False
    listed = sum(np.size(part) for part in parts)
    return n is not None or _largest(parts) <= max(MOST_UNLISTED, 100 * listed)


def _largest(parts: list[Any]) -> int:
    return max((int(np.max(part)) for part in parts if np.size(part)), default=0)


def _is_row_vector(part: Any) -> bool:
    try:
        rows = np.atleast_1d(np.asarray(part))
    except ValueError:  # lists of several lengths
        return False
    if rows.ndim != 1 or rows.size == 0 or not np.issubdtype(rows.dtype, np.integer):
        return False
    return bool((rows >= 1).all()) and len(np.unique(rows)) == len(rows)


def _folds(value: Any, n: int | None, holds: Literal["auto", "test", "train"]) -> FoldPlan:
    rows = row_lists(value, 0)
    size = n if n is not None else _largest(rows)
    if holds == "auto":
        holds = _which(rows, size)
    return FoldPlan.from_rows(rows, size, first=1, holds=holds, recipe="folds from R")


def _pairs(train: Any, test: Any, n: int | None) -> FoldPlan:
    """Training and test rows side by side, as caret has them."""
    index, out = row_lists(train, 0), row_lists(test, 0)
    if len(index) != len(out):
        problem = "there must be as many lists of training rows as of test rows."
        raise FoldError(problem, given=f"{len(index)} of training rows, {len(out)} of test rows")
    size = n if n is not None else _largest(index + out)
    return FoldPlan.from_splits(
        list(zip(index, out, strict=True)), size, first=1, recipe="folds from R"
    )


def _which(rows: list[Any], n: int) -> Literal["test", "train"]:
    times = np.unique(np.concatenate(rows), return_counts=True)[1]
    if (times <= 1).all():
        return "test"
    if len(times) == n and (len(rows) - times <= 1).all():
        return "train"
    problem = "it is not clear whether the lists hold test or training rows."
    fix = 'say holds="test" or holds="train"'
    raise FoldError(problem, given=f"{len(rows)} lists over {n} rows", fix=fix)
