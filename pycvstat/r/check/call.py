"""A call of R, and which numbers of its value belong beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

import numpy as np

from pycvstat.errors import InputError, RError
from pycvstat.losses import LossTable
from pycvstat.r.check.labels import fit_labels, row_labels
from pycvstat.r.check.table import Row, compare_values, not_compared
from pycvstat.rmath.tolerances import EXACT, Tolerance
from pycvstat.types import BoolArray, IntArray

NEEDS_ALL = "needs every fit"


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """Numbers of a result that R computes too.

    Parameters
    ----------
    name : str
        Of R's value for it.
    title : str
    ours : array-like
    tolerance : Tolerance
    labels : sequence of str, optional
        Of the elements, for saying where the two part.
    fits : array of int, optional
        The fit that each element comes from; None where it needs all of them.
    """

    name: str
    title: str
    ours: Any
    tolerance: Tolerance = EXACT
    labels: Sequence[str] | None = None
    fits: IntArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """R code with the values that it uses, to be run here or written as a script.

    Parameters
    ----------
    code : str
        R code of a list; it uses `values` by their names. Its part ``refused``, where there is
        one, has R's words for every fit that it refused, else "".
    values : mapping
    quantities : sequence of Quantity
        Parts of the list beside ours.
    says : str
        The R function, for people.
    files, packages : tuple of str
        Files of the R reference and R packages that the code needs.
    fits : sequence of str
        The names of the fits that R may refuse.
    shown : tuple of str
        The quantities that a script shows.
    notes : tuple of str
        What R is given instead of computing it.
    apart : mapping
        Quantities that R cannot compute here, and why.

    Examples
    --------
    >>> call = Call("list(m = mean(x))", {"x": [1, 2]}, [Quantity("m", "mean", 1.5)])
    >>> call.beside({"m": 1.5})[0].verdict
    'agrees'
    """

    code: str
    values: Mapping[str, Any]
    quantities: Sequence[Quantity]
    says: str = ""
    files: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    fits: Sequence[str] = ()
    shown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    apart: Mapping[str, str] = field(default_factory=dict)

    def run(self) -> Any:
        """What R computes, here and now."""
        from pycvstat.r.bridge import require, run

        require(self.packages)
        source_files(self.files)
        return run(self.code, **self.values)

    def beside(self, r: Mapping[str, Any]) -> list[Row]:
        """What R computed beside ours, and what it did not, with R's words for that."""
        words = [str(said) for said in np.ravel(r.get("refused", ""))]
        refused = np.array([said != "" for said in words])
        rows = [_compared(quantity, r, refused) for quantity in self.quantities]
        rows += [not_compared(name, why) for name, why in self.apart.items()]
        reasons: dict[str, list[str]] = {}
        for name, said in zip(self.fits, words, strict=False):
            if said:
                reasons.setdefault(" ".join(said.split()), []).append(name)
        return rows + [
            not_compared(_some(fits), f"R says: {said}") for said, fits in reasons.items()
        ]


def call_of(result: Any, *, written: bool = False, y: Any = None) -> Call:
    """The call of R for a result.

    Parameters
    ----------
    result : fold plan, fitted model, interval, or result of a procedure
    written : bool
        Whether it is for a script that runs elsewhere.
    y : sequence, optional
        The response, for fold plans that were drawn by it.
    """
    if failures := getattr(result, "failures", ()):
        raise RError(
            "some fits of this result failed, so it has no numbers to compare.",
            given=f"{len(failures)} failed fits",
            fix="look at result.failures",
        )
    return in_r(result, written, y)


@singledispatch
def in_r(result: Any, written: bool, y: Any) -> Call:
    """The call of a kind of result; each kind registers its own."""
    raise InputError(
        "this kind of result has no cross-check.",
        given=type(result).__name__,
        fix="cross-check a fold plan, a fit, an interval, or the result of a procedure",
    )


def source_files(files: Sequence[str]) -> None:
    """Make what files of the R reference define known to R."""
    from pycvstat.r.bridge import run, source
    from pycvstat.r.bridge.reference import path

    if "lecture.R" in files and not run('nzchar(system.file(package = "kknn"))'):
        source(path("kknn_standin.R"))
    for file in files:
        source(path(file))


def _compared(q: Quantity, r: Mapping[str, Any], refused: BoolArray) -> Row:
    kept = np.ones(np.size(q.ours), bool)
    if refused.any():
        if q.fits is None:
            return not_compared(q.title, NEEDS_ALL)
        kept = ~refused[q.fits]
        if not kept.any():
            return not_compared(q.title, "R refuses every fit")
    ours, theirs = np.ravel(q.ours), np.ravel(r[q.name])
    if len(ours) == len(theirs):
        ours, theirs = ours[kept], theirs[kept]
    labels = None if q.labels is None else list(np.asarray(q.labels, dtype=object)[kept])
    return compare_values(q.title, ours, theirs, q.tolerance, labels)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:5])}, ... ({len(names)})"


def of_table(table: LossTable, tolerance: Tolerance) -> list[Quantity]:
    """Predictions, losses, fold means and both averages of a table of losses."""
    rows, labels = np.repeat(np.arange(len(table.plan)), table.plan.n_test), row_labels(table.plan)
    folds, names = np.arange(len(table.plan)), fit_labels(table.plan)
    means, largest = table.fold_means()[:, 0], tolerance.of_the_largest()
    found = [
        Quantity("losses", "losses", table.losses[:, 0], largest, labels, rows),
        Quantity("fold_means", "fold means", means, tolerance, names, folds),
        Quantity("estimate", "estimate (mean of fold means)", table.estimate(), tolerance),
        Quantity("pooled", "pooled (mean over observations)", table.pooled(), tolerance),
    ]
    if table.predictions is None:
        return found
    values, close = table.predictions.values[0], EXACT if has_classes(table) else tolerance
    name = "out-of-fold predictions"
    return [Quantity("predictions", name, values, close, labels, rows), *found]


def has_classes(table: LossTable) -> bool:
    """Whether its response has classes."""
    return table.y is not None and bool(np.issubdtype(table.y.dtype, np.integer))
