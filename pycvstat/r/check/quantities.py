"""What a result and R both say: quantity by quantity, without the fits that R refuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pycvstat.losses import LossTable
from pycvstat.r.check.labels import fit_labels, row_labels
from pycvstat.r.check.table import Row, compare_values, not_compared
from pycvstat.rmath.tolerances import EXACT, SAME_BITS, SUMS, Tolerance
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
    tolerance: Tolerance
    labels: Sequence[str] | None = None
    fits: IntArray | None = None


def side_by_side(
    quantities: Sequence[Quantity], r: Mapping[str, Any], names: Sequence[str]
) -> list[Row]:
    """Compare what R computed, and name what it did not.

    Parameters
    ----------
    quantities : sequence of Quantity
    r : mapping
        R's values; ``refused`` holds its words for every fit that it refused, else "".
    names : sequence of str
        Of the fits.

    Examples
    --------
    >>> two = Quantity("loss", "losses", [1.0, 2.0], EXACT, fits=np.array([0, 1]))
    >>> rows = side_by_side([two], {"loss": [1.0, 9.0], "refused": ["", "singular"]}, ["a", "b"])
    >>> [(row.quantity, row.verdict) for row in rows]
    [('losses', 'agrees'), ('b', 'not compared')]
    """
    words = [str(said) for said in np.atleast_1d(r["refused"]).ravel()]
    refused = np.array([said != "" for said in words])
    rows = [_compared(quantity, r, refused) for quantity in quantities]
    reasons: dict[str, list[str]] = {}
    for name, said in zip(names, words, strict=True):
        if said:
            reasons.setdefault(said, []).append(name)
    return rows + [
        not_compared(_some(fits), f"R says: {' '.join(said.split())}")
        for said, fits in reasons.items()
    ]


def _compared(q: Quantity, r: Mapping[str, Any], refused: BoolArray) -> Row:
    if refused.any() and q.fits is None:
        return not_compared(q.title, NEEDS_ALL)
    kept = np.ones(np.size(q.ours), bool) if q.fits is None else ~refused[q.fits]
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
    folds = np.arange(len(table.plan))
    found = [
        Quantity("losses", "losses", table.losses[:, 0], tolerance.of_the_largest(), labels, rows),
        Quantity(
            "fold_means", "fold means", table.fold_means()[:, 0], tolerance,
            fit_labels(table.plan), folds,
        ),
        Quantity("estimate", "estimate (mean of fold means)", table.estimate(), tolerance),
        Quantity("pooled", "pooled (mean over observations)", table.pooled(), tolerance),
    ]  # fmt: skip
    if table.predictions is None:
        return found
    values = table.predictions.values[0]
    exact = EXACT if has_classes(table) else tolerance
    predicted = Quantity("predictions", "out-of-fold predictions", values, exact, labels, rows)
    return [predicted, *found]


def has_classes(table: LossTable) -> bool:
    """Whether its response has classes."""
    return table.y is not None and bool(np.issubdtype(table.y.dtype, np.integer))


def losses_of_predictions(table: LossTable) -> list[Row]:
    """The losses that R computes from our predictions: the same bits where only + - * occur."""
    from pycvstat.r.bridge import run

    if table.predictions is None or table.y is None:
        return []
    prob, classes = table.predictions.prob, has_classes(table)
    r = run(
        "pcv_loss(loss, y, if (classes) list(class = values + 1, prob = prob) else values)",
        loss=table.loss,
        y=table.y[table.plan.rows] + (1 if classes else 0),
        classes=classes,
        values=table.predictions.values[0],
        prob=None if prob is None else prob[0],
    )
    rounded = table.loss in ("log", "poisson") or (prob is not None and prob.shape[2] > 2)
    tolerance, labels = SUMS if rounded else SAME_BITS, row_labels(table.plan)
    ours = table.losses[:, 0]
    return [compare_values("losses of these predictions", ours, r, tolerance, labels)]
