"""The table of a cross-check: the same quantity from Python and from R, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from pycvstat.rmath.tolerances import EXACT, Tolerance
from pycvstat.types import FloatArray
from pycvstat.verbs import Verbs

if TYPE_CHECKING:
    import pandas as pd


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
    """

    quantity: str
    python: Any
    r: Any
    absolute: float
    relative: float
    ulp: float
    place: str
    count: int
    tolerance: Tolerance
    why_not: str = ""

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
    return Row(quantity, None, None, np.nan, np.nan, np.nan, "", 0, EXACT, why)


@dataclass(frozen=True, eq=False)
class Crosscheck(Verbs):
    """A cross-check; true when everything was compared and agrees.

    Parameters
    ----------
    rows : tuple of Row
    r_version : str
        The R that computed, with the packages used; or "recorded".
    notes : tuple of str
        Named differences of convention, and what R was given or warned about.

    Examples
    --------
    >>> Crosscheck((compare_values("folds", [1, 2, 3], [1, 2, 4], EXACT),)).first_difference
    'folds: element 3'
    >>> rows = (compare_values("a", 1, 1, EXACT), not_compared("fold 3", "R says: singular"))
    >>> Crosscheck(rows).words
    '1 of 2 quantities agrees; not compared: fold 3 (R says: singular)'
    """

    view: ClassVar[str] = "crosscheck"

    rows: tuple[Row, ...]
    r_version: str = ""
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """ "agrees", "differs", or "not fully compared"."""
        found = {row.verdict for row in self.rows}
        if "differs" in found:
            return "differs"
        return "agrees" if found == {"agrees"} else "not fully compared"

    @property
    def words(self) -> str:
        """How many quantities agree, which differs first, and what was not compared."""
        good, n = sum(row.agrees for row in self.rows), len(self.rows)
        words = f"{good} of {n} {'quantity' if n == 1 else 'quantities'} "
        words += "agrees" if good == 1 else "agree"
        if self.first_difference:
            words += f"; the first that differs: {self.first_difference}"
        return f"{words}; not compared: {self.left_out}" if self.left_out else words

    @property
    def left_out(self) -> str:
        """What was not compared, and why; empty when everything was."""
        by_reason: dict[str, list[str]] = {}
        for row in self.rows:
            if row.verdict == "not compared":
                by_reason.setdefault(row.why_not, []).append(row.quantity)
        return "; ".join(f"{', '.join(names)} ({why})" for why, names in by_reason.items())

    def __bool__(self) -> bool:
        return self.verdict == "agrees"

    def __repr__(self) -> str:
        return f"Crosscheck({self.words})"

    @property
    def first_difference(self) -> str | None:
        """The first quantity that differs and where; None when none does."""
        for row in self.rows:
            if row.verdict == "differs":
                return f"{row.quantity}: {row.place}"
        return None

    def tidy(self) -> pd.DataFrame:
        """One row per quantity: Python, R, differences, tolerance and reason, verdict."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "quantity": row.quantity,
                    "python": row.python,
                    "r": row.r,
                    "absolute": row.absolute,
                    "relative": row.relative,
                    "ulp": row.ulp,
                    "compared": row.count,
                    "tolerance": row.tolerance.relative,
                    "reason": row.tolerance.reason,
                    "verdict": row.verdict,
                    "where": row.place or row.why_not,
                }
                for row in self.rows
            ]
        )

    def glance(self) -> pd.DataFrame:
        """One row: quantities, numbers compared, how many agree, R."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "quantities": len(self.rows),
                    "agree": sum(row.agrees for row in self.rows),
                    "compared": sum(row.count for row in self.rows),
                    "verdict": self.verdict,
                    "r": self.r_version,
                }
            ]
        )


def compare_values(
    quantity: str, python: Any, r: Any, tolerance: Tolerance, labels: Sequence[str] | None = None
) -> Row:
    """Compare numbers (or texts) of Python and R element by element.

    Parameters
    ----------
    quantity : str
    python, r : array-like of the same shape
    tolerance : Tolerance
        Relative to the larger size of the two; numbers below the smallest normal compare equal.
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
        place = f"shapes {a.shape} and {b.shape}"
        return Row(quantity, _first(a), _first(b), np.nan, np.nan, np.nan, place, a.size, tolerance)
    if not (np.issubdtype(a.dtype, np.number) and np.issubdtype(b.dtype, np.number)):
        return _compare_texts(quantity, a.ravel(), b.ravel(), tolerance, labels)
    return _compare_numbers(
        quantity, a.ravel().astype(np.float64), b.ravel().astype(np.float64), tolerance, labels
    )


def _compare_numbers(
    quantity: str, a: FloatArray, b: FloatArray, tolerance: Tolerance, labels: Sequence[str] | None
) -> Row:
    if a.size == 0:
        return Row(quantity, np.nan, np.nan, 0.0, 0.0, 0.0, "", 0, tolerance)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    size = np.maximum(np.abs(a), np.abs(b))
    if tolerance.of_largest:
        size = np.full_like(size, np.nanmax(size))
    with np.errstate(invalid="ignore", over="ignore"):
        absolute = np.where(same, 0.0, np.abs(a - b))
        relative = np.divide(absolute, size, out=np.zeros_like(absolute), where=absolute > 0)
        ulp = np.where(same, 0.0, absolute / np.spacing(np.maximum(size, np.finfo(float).tiny)))
    differs = np.isnan(absolute) | (relative > tolerance.relative)
    worst = int(np.argmax(np.where(np.isnan(absolute), np.inf, absolute)))
    place = _place(int(np.flatnonzero(differs)[0]), labels) if differs.any() else ""
    return Row(
        quantity,
        float(a[worst]),
        float(b[worst]),
        float(absolute[worst]),
        float(np.max(relative)),
        float(np.max(ulp)),
        place,
        a.size,
        tolerance,
    )


def _compare_texts(
    quantity: str, a: Any, b: Any, tolerance: Tolerance, labels: Sequence[str] | None
) -> Row:
    different = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if str(x) != str(y)]
    i = different[0] if different else 0
    size = np.nan if different else 0.0
    place = _place(i, labels) if different else ""
    return Row(quantity, str(a[i]), str(b[i]), size, size, size, place, len(a), tolerance)


def _first(values: Any) -> Any:
    return values.ravel()[0] if values.size else None


def _place(index: int, labels: Sequence[str] | None) -> str:
    return labels[index] if labels is not None else f"element {index + 1}"
