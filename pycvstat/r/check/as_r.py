"""Results for R as plain lists: data frames, vectors and row numbers, no classes of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.checks import check_path
from pycvstat.folds.forms import r_names
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Fitted
from pycvstat.procedures.compare import Comparison
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.nested import NestedResult
from pycvstat.verbs import Checked

if TYPE_CHECKING:
    import pandas as pd

MORE_TABLES: dict[type, tuple[str, ...]] = {
    CVResult: ("folds", "losses"),
    NestedResult: ("folds", "losses", "inner", "selection"),
    Comparison: ("folds", "losses", "pairs"),
}
"""Tables that `tidy` gives by name, besides its own."""


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
    >>> from pycvstat.r.check.as_r import plain_list
    >>> plan = FoldPlan.from_fold_ids([1, 2, 1])
    >>> plain_list(plan)["indexOut"]
    {'Fold1': array([1, 3]), 'Fold2': array([2])}
    """
    from pycvstat.r.bridge import run
    from pycvstat.r.bridge.session import start
    from pycvstat.r.bridge.writer import write

    if path is not None and check_path(path).suffix.lower() != ".rds":
        raise InputError("a file for readRDS ends in .rds.", given=str(path))
    start()
    if path is None:
        return write(plain_list(result))
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise InputError("the file cannot be written: its folder does not exist.", given=folder)
    run("saveRDS(x, file)", x=plain_list(result), file=str(path))
    return Path(path)


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
    for what in MORE_TABLES.get(type(result), ()):
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
