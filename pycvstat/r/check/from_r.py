"""What R saved or holds, in Python: fold lists, resampling sets, data frames."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, Literal

import numpy as np

from pycvstat.errors import DataError, FoldError
from pycvstat.folds.forms import row_lists
from pycvstat.folds.plan import FoldPlan
from pycvstat.r.bridge.values import RList

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
    value = _read(source)
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


def _read(source: Any) -> Any:
    if isinstance(source, str | PathLike):
        from pycvstat.r.bridge.python_values import read_value

        return read_value(source)
    if type(source).__module__.split(".")[0] == "rpy2":
        from pycvstat.r.bridge.reader import read

        return read(source)
    return source


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
    n = len(_only_frame(splits[0]))
    pairs = []
    for split in splits:
        (inside,) = row_lists([split["in_id"]], 0)
        given = split["out_id"]
        unknown = given is None or np.size(given) == 0 or _all_missing(given)
        outside = np.setdiff1d(np.arange(1, n + 1), inside) if unknown else row_lists([given], 0)[0]
        if len(np.unique(inside)) < len(inside):
            raise FoldError(
                "these are bootstrap samples, in which training rows repeat.",
                given=f"{len(inside)} training rows, {len(np.unique(inside))} different",
                fix="use vfold_cv, mc_cv, loo_cv, group_vfold_cv or initial_split",
            )
        pairs.append((inside, outside))
    return FoldPlan.from_splits(pairs, n, first=1, recipe="rsample set from R")


def _only_frame(split: RList) -> Any:
    data = split["data"]
    if not hasattr(data, "columns"):
        raise DataError("the split does not hold its data frame.", given=type(data).__name__)
    return data


def _all_missing(given: Any) -> bool:
    import pandas as pd

    return bool(np.all(pd.isna(np.atleast_1d(np.asarray(given, dtype=object)))))


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
        raise FoldError(
            "there must be as many lists of training rows as of test rows.",
            given=f"{len(index)} of training rows, {len(out)} of test rows",
        )
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
    raise FoldError(
        "it is not clear whether the lists hold test or training rows.",
        given=f"{len(rows)} lists over {n} rows",
        fix='say holds="test" or holds="train"',
    )
