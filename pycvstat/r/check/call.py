"""A call of R, and which numbers of its value belong beside ours."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

import numpy as np

from pycvstat.errors import InputError, RError
from pycvstat.folds.plan import FoldPlan
from pycvstat.losses import LossTable
from pycvstat.r.bridge import reference, require, run
from pycvstat.r.bridge.parts import rounded
from pycvstat.r.bridge.to_r import as_parts
from pycvstat.rmath.tolerances import EXACT, Tolerance
from pycvstat.types import BoolArray, FloatArray, IntArray
from pycvstat.verbs import CompareVerbs

Verdict = Literal["agrees", "differs", "not compared", "not fully compared"]


@dataclass(frozen=True, slots=True)
class Row:
    """One quantity: its largest difference and where it is, or why it was not compared.

    Parameters
    ----------
    quantity : str
    python, r : float
        The two values where they differ most (their first values when they are equal).
    absolute, relative : float
        Largest absolute difference, and it over the larger size.
    ulp : float
        The same in units of the last place.
    place : str
        Where the two first part; empty when nowhere.
    count : int
        Numbers compared.
    tolerance : Tolerance
    why_not : str
        Why there is nothing to compare; empty when it was compared.
    group : str
        The heading under which it is counted.
    """

    quantity: str
    python: Any = None
    r: Any = None
    absolute: float = np.nan
    relative: float = np.nan
    ulp: float = np.nan
    place: str = ""
    count: int = 0
    tolerance: Tolerance = EXACT
    why_not: str = ""
    group: str = ""

    @property
    def verdict(self) -> Verdict:
        """Whether the two agree, or differ, or were not compared."""
        if self.why_not:
            return "not compared"
        return "differs" if self.place else "agrees"

    @property
    def agrees(self) -> bool:
        """Whether the two were compared and agree."""
        return self.verdict == "agrees"


def not_compared(quantity: str, why: str) -> Row:
    """A quantity that has nothing to be compared with.

    Examples
    --------
    >>> not_compared("fold 3", "R says: factor g has new level b").verdict
    'not compared'
    """
    return Row(quantity, why_not=why)


def compare_values(
    quantity: str, python: Any, r: Any, tolerance: Tolerance, labels: Sequence[str] | None = None
) -> Row:
    """Compare numbers (or texts) of Python and R element by element.

    Parameters
    ----------
    quantity : str
    python, r : array-like of the same shape
    tolerance : Tolerance
        Relative to the larger size of the two.
    labels : sequence of str, optional
        Names of the elements, for saying where the two part.

    Examples
    --------
    >>> compare_values("mean", [1.0, 2.0], [1.0, 2.0], EXACT).agrees
    True
    >>> row = compare_values("rows", [1, 2], [1, 3], EXACT)
    >>> row.agrees, row.place
    (False, 'element 2')
    """
    a, b = np.atleast_1d(np.asarray(python)), np.atleast_1d(np.asarray(r))
    if a.shape != b.shape:
        first, second = (values.ravel()[0] if values.size else None for values in (a, b))
        place = f"shapes {a.shape} and {b.shape}"
        return Row(quantity, first, second, place=place, count=a.size, tolerance=tolerance)
    a, b = a.ravel(), b.ravel()
    if a.size == 0:
        return Row(quantity, np.nan, np.nan, 0.0, 0.0, 0.0, "", 0, tolerance)
    if np.issubdtype(a.dtype, np.number) and np.issubdtype(b.dtype, np.number):
        a, b = a.astype(np.float64), b.astype(np.float64)
        differs, worst, sizes = _numbers_differ(a, b, tolerance)
        pair: tuple[Any, Any] = float(a[worst]), float(b[worst])
    else:
        differs = np.array([(x is None) != (y is None) or str(x) != str(y)
                            for x, y in zip(a, b, strict=True)])  # fmt: skip
        size = np.nan if differs.any() else 0.0
        worst, sizes = int(np.argmax(differs)), (size, size, size)
        pair = str(a[worst]), str(b[worst])
    place, first = "", int(np.argmax(differs))
    if differs.any():
        place = labels[first] if labels is not None else f"element {first + 1}"
    return Row(quantity, *pair, *sizes, place, a.size, tolerance)


def _numbers_differ(
    a: FloatArray, b: FloatArray, tolerance: Tolerance
) -> tuple[BoolArray, int, tuple[float, float, float]]:
    """Where they differ, where most, and the largest absolute and relative difference and ulp."""
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    size = np.maximum(np.abs(a), np.abs(b))
    if tolerance.of_largest:
        size = np.full_like(size, np.max(size, where=np.isfinite(size), initial=0.0))
    with np.errstate(invalid="ignore", over="ignore"):
        absolute = np.where(same, 0.0, np.abs(a - b))
        relative = np.divide(absolute, size, out=np.zeros_like(absolute), where=absolute > 0)
        relative[np.isinf(absolute)] = np.inf  # of any size, an infinite one too
        ulp = np.where(same, 0.0, absolute / np.spacing(np.maximum(size, np.finfo(float).tiny)))
    worst = int(np.argmax(np.where(np.isnan(absolute), np.inf, absolute)))
    largest = float(absolute[worst]), float(np.max(relative)), float(np.max(ulp))
    return np.isnan(absolute) | (relative > tolerance.relative), worst, largest


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
        The fit that each element comes from; None where it needs all of them, empty where none.
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

    def prepare(self) -> None:
        """Have what the code needs: packages, and files that stay known to the session."""
        require(self.packages)
        reference.load(self.files)

    def run(self) -> Any:
        """What R computes, here and now."""
        self.prepare()
        return run(self.code, **self.values)

    @property
    def asked(self) -> str:
        """A checksum of the code and of all that it is given, numbers to 12 digits."""
        digest = hashlib.sha256(self.code.encode())
        digest.update(rounded(as_parts(dict(self.values))).encode())
        return digest.hexdigest()[:16]

    def bare(self) -> Call:
        """The call as another process needs it."""
        return self

    def kept(self, r: Any) -> Any:
        """What of R's value is compared, and so recorded."""
        names = [quantity.name for quantity in self.quantities]
        found = {name: np.ravel(np.asarray(r[name])) for name in names if name in r}
        refused = np.ravel(np.asarray(r.get("refused", ""), dtype=object))
        return found | ({"refused": refused} if any(refused != "") else {})

    def read(self, kept: Any) -> Any:
        """What was kept, as `beside` takes it."""
        return {name: vector.values for name, vector in kept.items()}

    def beside(self, r: Mapping[str, Any]) -> list[Row]:
        """What R computed beside ours, and what it did not, with R's words for that."""
        words = [str(said) for said in np.ravel(r.get("refused", ""))]
        refused = np.array([said != "" for said in words])
        rows = [_compared(quantity, r, refused) for quantity in self.quantities]
        rows += [not_compared(name, why) for name, why in self.apart.items()]
        reasons = grouped(
            (" ".join(said.split()), fit)
            for fit, said in zip(self.fits, words, strict=False)
            if said
        )
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
        problem = "some fits of this result failed, so it has no numbers to compare."
        raise RError(problem, given=f"{len(failures)} failed fits", fix="look at result.failures")
    module, _, function = getattr(result, "counterpart", "").partition(".")
    if not function:
        fix = "cross-check a fold plan, a fit, an interval, or the result of a procedure"
        given = type(result).__name__
        raise InputError("this kind of result has no cross-check.", given=given, fix=fix)
    call: Call = getattr(import_module(f"pycvstat.r.check.{module}"), function)(result, written, y)
    return call


def parts_of(result: Any, name: str = "") -> Mapping[str, Any]:
    """What R computes one by one: the methods of a comparison, else the result by this name."""
    several = isinstance(result, CompareVerbs) and not result.counterpart
    return result.results if several else {name: result}


def _compared(q: Quantity, r: Mapping[str, Any], refused: BoolArray) -> Row:
    kept = np.ones(np.size(q.ours), bool)
    if refused.any() and (q.fits is None or len(q.fits)):
        if q.fits is None:
            return not_compared(q.title, "needs every fit")
        kept = ~refused[q.fits]
        if not kept.any():
            return not_compared(q.title, "R refuses every fit")
    ours, theirs = np.ravel(q.ours), np.ravel(r[q.name])
    if len(ours) == len(theirs):
        ours, theirs = ours[kept], theirs[kept]
    labels = None if q.labels is None else list(np.asarray(q.labels, dtype=object)[kept])
    return compare_values(q.title, ours, theirs, q.tolerance, labels)


def grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The second of the pairs by the first.

    Examples
    --------
    >>> grouped([("singular", "fold 1"), ("new level", "fold 2"), ("singular", "fold 3")])
    {'singular': ['fold 1', 'fold 3'], 'new level': ['fold 2']}
    """
    found: dict[str, list[str]] = {}
    for first, second in pairs:
        found.setdefault(first, []).append(second)
    return found


def _some(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:5])}, ... ({len(names)})"


def of_table(table: LossTable, tolerance: Tolerance) -> list[Quantity]:
    """Predictions, losses, fold means and both averages of a table of losses."""
    plan, largest = table.plan, tolerance.of_the_largest()
    names = fit_labels(plan)
    folds, labels = np.arange(len(names)), row_labels(plan, names)
    rows = np.repeat(folds, np.diff(plan.offsets))
    of_folds = largest if plan.n_test.min() == 1 else tolerance  # the mean of a row is its loss
    found = [
        Quantity("losses", "losses", table.losses[:, 0], largest, labels, rows),
        Quantity("fold_means", "fold means", table.fold_means()[:, 0], of_folds, names, folds),
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


def fit_labels(plan: FoldPlan) -> list[str]:
    """Names of the fits.

    Examples
    --------
    >>> fit_labels(FoldPlan.from_fold_ids([1, 2, 1, 2]))
    ['fold 1', 'fold 2']
    """
    many = plan.times > 1
    return [
        (f"repeat {r + 1}, " if many else "") + f"fold {f + 1}"
        for r, f in zip(plan.repeat, plan.fold, strict=True)
    ]


def row_labels(plan: FoldPlan, fits: Sequence[str]) -> list[str]:
    """Names of the tested rows, counted from 1 as in R, with those of their fits."""
    of_rows = np.repeat(np.asarray(fits, dtype=object), np.diff(plan.offsets))
    return [f"{fit}, row {row + 1}" for fit, row in zip(of_rows, plan.rows, strict=True)]
