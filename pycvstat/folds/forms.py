"""The forms of folds, in and out: values per row, fold ids, lists of rows, CSV, R code."""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pycvstat.data.frame import Column, in_rows_of, read_y, row_labels
from pycvstat.errors import FoldError
from pycvstat.errors.checks import check_path
from pycvstat.folds.problems import rows_of
from pycvstat.types import IntArray

if TYPE_CHECKING:
    from pycvstat.folds.plan import FoldPlan


def layout_of_ids(ids: Any) -> tuple[IntArray, IntArray, IntArray, IntArray, int]:
    """Rows, offsets, repeat, fold and n of fold ids, shape (n,) or (n, times)."""
    columns = _columns(ids)
    rows, sizes, repeat = [], [], []
    for time, column in enumerate(columns):
        codes, labels = codes_of(values_of(column, len(column), "fold ids"))
        if len(labels) < 2:
            raise FoldError("Fold ids must name at least 2 folds.", given=labels)
        rows.append(np.argsort(codes, kind="stable"))
        sizes.append(np.bincount(codes))
        repeat.append(np.full(len(labels), time))
    fold = np.concatenate([np.arange(len(size)) for size in sizes])
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
    return np.concatenate(rows), offsets, np.concatenate(repeat), fold, len(columns[0])


def _columns(ids: Any) -> list[Any]:
    columns = list(np.asarray(ids).T) if getattr(ids, "ndim", 1) == 2 else [ids]
    if columns and (not hasattr(columns[0], "__len__") or isinstance(columns[0], (str, dict))):
        raise FoldError("Fold ids are a vector with one label per row.", given=repr(ids))
    if not columns or rows_of(columns[0]) == 0:
        raise FoldError("There are no fold ids.", given="an empty vector")
    return columns


def row_lists(folds: Iterable[Any], first: int) -> list[IntArray]:
    """Rows of each fit counted from 0, from lists that count from `first`."""
    if first not in (0, 1):
        raise FoldError("first is the number of the first row: 0 or 1.", given=first)
    parts = folds.values() if isinstance(folds, Mapping) else folds
    if not isinstance(parts, Iterable) or isinstance(parts, str):
        raise FoldError("Folds are a list with the rows of each fit.", given=repr(folds))
    return [_row_vector(part) - first for part in parts]


def _row_vector(part: Any) -> IntArray:
    try:
        array = np.atleast_1d(np.asarray(part))
        with np.errstate(invalid="ignore"):  # what is no number, or too large, is refused below
            whole = array.astype(np.int64) if np.issubdtype(array.dtype, np.number) else None
    except ValueError:  # lists of several lengths
        whole = None
    if whole is None or whole.ndim != 1 or not np.array_equal(whole, array):
        raise FoldError("Rows of a fold must be whole numbers.", given=part)
    return whole


def split_lists(splits: Iterable[Any], first: int) -> tuple[list[IntArray], list[IntArray]]:
    """Training and test rows of each fit from (train, test) pairs."""
    pairs: list[Any] = list(splits) if hasattr(splits, "__iter__") else [splits]
    if any(not hasattr(pair, "__len__") or len(pair) != 2 for pair in pairs):
        fix = "lists of test rows alone are read by FoldPlan.from_rows"
        raise FoldError("Splits must be (train rows, test rows) pairs.", fix=fix)
    return row_lists([p[0] for p in pairs], first), row_lists([p[1] for p in pairs], first)


def repetitions(test: list[IntArray], n: int) -> tuple[IntArray, IntArray]:
    """Repeat and fold of each fit: a repetition ends whenever every row has been tested once."""
    repeat, fold = np.zeros((2, len(test)), dtype=np.int64)
    tested = np.zeros(n, dtype=np.int64)
    time = place = 0
    for fit, rows in enumerate(test):
        repeat[fit], fold[fit] = time, place
        tested[rows] += 1
        place += 1
        if (tested == time + 1).all():
            time, place = time + 1, 0
    if place or tested.max() > time:  # not a whole number of partitions
        return np.zeros(len(test), dtype=np.int64), np.arange(len(test))
    return repeat, fold


@dataclass(frozen=True, slots=True)
class FoldTable:
    """Folds as read from a file: rows counted from 0, one entry per fit."""

    n: int
    test: list[IntArray]
    train: list[IntArray] | None
    repeat: IntArray
    fold: IntArray


def read_csv(path: str | PathLike[str], n: int | None) -> FoldTable:
    """Read folds from a CSV file with the columns fold and maybe row, repeat, role."""
    file = check_path(path)
    try:
        lines = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8-sig"), newline="")))
    except OSError as error:
        raise FoldError("The file cannot be read.", given=f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise FoldError("The file is not text in UTF-8.", given=f"{path}: {error.reason}") from None
    if not lines or "fold" not in lines[0]:
        raise FoldError("The file has no column 'fold'.", given=str(path))
    row = _numbers(lines, "row", range(1, len(lines) + 1)) - 1
    if row.min() < 0:
        raise FoldError("Column 'row' counts rows from 1.", given=f"row {row.min() + 1}")
    repeat = _codes(_numbers(lines, "repeat", [1] * len(lines)), "repeat")
    labels = _codes(_fold_labels(lines), "fold")
    folds = int(labels.max()) + 1
    roles = [line.get("role", "test") for line in lines]
    if odd := set(roles) - {"test", "train"}:
        raise FoldError("Column 'role' holds test or train.", given=sorted(map(str, odd)))
    tested = np.array(roles) == "test"
    fit = repeat * folds + labels
    fits = np.unique(fit[tested])
    test = [row[tested & (fit == one)] for one in fits]
    train = None if tested.all() else [row[~tested & (fit == one)] for one in fits]
    rows = int(row.max()) + 1 if n is None else n
    return FoldTable(rows, test, train, fits // folds, fits % folds)


def _codes(labels: Any, name: str) -> IntArray:
    return codes_of(values_of(labels, len(labels), name))[0]


def _numbers(lines: list[dict[str, str]], column: str, default: Iterable[int]) -> IntArray:
    if column not in lines[0]:
        return np.fromiter(default, dtype=np.int64)
    try:
        return np.array([int(line[column]) for line in lines], dtype=np.int64)
    except (TypeError, ValueError):
        raise FoldError(f"Column '{column}' must hold whole numbers.") from None


def _fold_labels(lines: list[dict[str, str]]) -> list[Any]:
    """Fold labels as numbers where they are, else as text; empty and NA are missing."""
    labels = [None if line["fold"] in ("", "NA", None) else line["fold"] for line in lines]
    try:
        return [None if label is None else int(label) for label in labels]
    except ValueError:
        return labels


def write_csv(plan: FoldPlan, path: str | PathLike[str]) -> None:
    """Write row, repeat, fold counted from 1, and role unless the plan is a partition."""
    roles = [("test", plan.test_rows)]
    if not (plan.is_partition and plan.train is None):
        roles.append(("train", plan.train_rows))
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", "repeat", "fold", "role"][: 2 + len(roles)])
        for i in range(len(plan)):
            label = [int(plan.repeat[i]) + 1, int(plan.fold[i]) + 1]
            for role, rows_of in roles:
                tail = [role] if len(roles) > 1 else []
                writer.writerows([row + 1, *label, *tail] for row in rows_of(i).tolist())


def r_code(plan: FoldPlan, name: str) -> str:
    """R code for the list of test rows, and of training rows where they are not the rest."""
    if not isinstance(name, str) or not name.strip() or "\0" in name:
        fix = 'open("folds.R", "w").write(plan.to_r("folds"))'
        raise FoldError("The name of the list in R is text.", given=repr(name), fix=fix)
    test = [plan.test_rows(i) for i in range(len(plan))]
    text = _r_list(name, test, r_names(plan))
    if plan.train is not None:
        text += "\n" + _r_list(f"{name}_train", plan.train, r_names(plan))
    return text


def r_names(plan: FoldPlan) -> list[str]:
    """Names of the fits as R packages write them: Fold1, or Rep1.Fold1 when repeated."""
    if plan.times == 1:
        return [f"Fold{fold + 1}" for fold in plan.fold]
    pairs = zip(plan.repeat, plan.fold, strict=True)
    return [f"Rep{repeat + 1}.Fold{fold + 1}" for repeat, fold in pairs]


def _r_list(name: str, parts: Iterable[IntArray], names: list[str]) -> str:
    entries = (f"  {label} = {_r_vector(part)}" for label, part in zip(names, parts, strict=True))
    layout: Any = {"width": 78, "subsequent_indent": "    ", "break_long_words": False}
    return f"{name} <- list(\n" + ",\n".join(textwrap.fill(e, **layout) for e in entries) + "\n)"


def _r_vector(rows: IntArray) -> str:
    """Rows counted from 1, runs written as 1:5."""
    breaks = np.flatnonzero(np.diff(rows) != 1) + 1
    runs = [(int(run[0]) + 1, int(run[-1]) + 1) for run in np.split(rows, breaks)]
    items = [f"{low}:{high}" if low < high else f"{low}L" for low, high in runs]
    return items[0] if len(items) == 1 else f"c({', '.join(items)})"


def values_of(values: Any, data: Any, name: str) -> Column:
    """One value per row of the data, none missing.

    Parameters
    ----------
    values : sequence, Series, Column, or the name of a column of `data`
        A pandas Series is matched to a pandas `data` by its row labels.
    data : frame, array, int
        What is split.
    name : str
        What to call the values in a message.
    """
    values = in_rows_of(row_labels(data), named(values, data, name), name)
    column = _levelled(values) if hasattr(values, "levels") else read_y(values, name)
    if len(column) != rows_of(data):
        given = f"{len(column)} values for {rows_of(data)} rows"
        raise FoldError(f"{name} needs one value per row.", given=given)
    missing = np.flatnonzero(column.missing())
    if len(missing):
        fix = f"fill in {name}, or leave these rows out of the data"
        given = f"{len(missing)} missing, first in row {missing[0] + 1} (counted from 1)"
        raise FoldError(f"{name} must not be missing.", given=given, fix=fix)
    return column


def codes_of(column: Column) -> tuple[IntArray, list[str]]:
    """Codes 0..L-1 and the levels that occur: sorted, or a factor's own order."""
    codes, levels = column.as_factor()
    used, places = np.unique(codes, return_inverse=True)
    return places.astype(np.int64), [levels[code] for code in used]


def are_integers(values: Any) -> bool:
    """Whether these are whole numbers by their type, so rather labels than measurements."""
    dtype = getattr(values, "dtype", None)
    if dtype is None or not isinstance(dtype, (np.dtype, pd.api.extensions.ExtensionDtype)):
        dtype = np.asarray(values).dtype
    return pd.api.types.is_integer_dtype(dtype)


def named(values: Any, data: Any, name: str) -> Any:
    """The column of `data` where its name is given, else the values as they are."""
    if not isinstance(values, str):
        return values
    columns = [str(column) for column in (data if isinstance(data, Mapping) else ())]
    columns += [str(column) for column in getattr(data, "columns", getattr(data, "names", ()))]
    if values not in columns:
        fix = f"use one of {', '.join(columns)}" if columns else "pass the values themselves"
        raise FoldError(f"{name} names no column of the data.", given=repr(values), fix=fix)
    return data[values]


def _levelled(values: Any) -> Column:
    """A column, or a response of a task: class codes with their levels."""
    if isinstance(values, Column):
        return values
    if values.levels:
        return Column(values.name, "factor", values.values.astype(np.int32), values.levels)
    return read_y(values.values)
