"""The rows of a table of losses beside R's; fits that have nothing to agree on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import RError
from pycvstat.losses import LossTable
from pycvstat.parity.labels import fit_labels, row_labels
from pycvstat.parity.table import EXACT, SUMS, Row, Tolerance, compare_values
from pycvstat.procedures.cross_validate import CVResult

SAME_BITS = Tolerance(0.0, "exact: the same few operations on the same numbers")
SEPARATED = "no finite maximum likelihood estimate"  # a note of a fit


def rows_of_table(table: LossTable, r: Any, tolerance: Tolerance) -> list[Row]:
    """Predictions, their losses, fold means and both averages."""
    labels = row_labels(table.plan)
    classes = table.y is not None and np.issubdtype(table.y.dtype, np.integer)
    predicted = EXACT if classes else tolerance
    rows = []
    if table.predictions is not None:
        values = table.predictions.values[0]
        rows += [
            compare_values("out-of-fold predictions", values, r["predictions"], predicted, labels),
            _losses_of_predictions(table, labels),
        ]
    compare = [
        ("losses", table.losses[:, 0], r["losses"], tolerance.of_the_largest(), labels),
        (
            "fold means",
            table.fold_means()[:, 0],
            r["fold_means"],
            tolerance,
            fit_labels(table.plan),
        ),
        ("estimate (mean of fold means)", table.estimate(), r["estimate"], tolerance, None),
        ("pooled (mean over observations)", table.pooled(), r["pooled"], tolerance, None),
    ]
    return rows + [compare_values(*quantity) for quantity in compare]


def _losses_of_predictions(table: LossTable, labels: Sequence[str]) -> Row:
    """The losses that R computes from our predictions: the same bits where only + - * occur."""
    from pycvstat.rbridge import run

    assert table.predictions is not None
    assert table.y is not None
    prob = table.predictions.prob
    classes = np.issubdtype(table.y.dtype, np.integer)
    r = run(
        "pcv_loss(loss, y, if (classes) list(class = values + 1, prob = prob) else values)",
        loss=table.loss,
        y=table.y[table.plan.rows] + (1 if classes else 0),
        classes=classes,
        values=table.predictions.values[0],
        prob=None if prob is None else prob[0],
    )
    rounded = table.loss in ("log", "poisson") or (prob is not None and prob.shape[2] > 2)
    tolerance = SUMS if rounded else SAME_BITS
    return compare_values("losses of these predictions", table.losses[:, 0], r, tolerance, labels)


def without_maximum(result: CVResult) -> NDArray[np.bool_]:
    """The fits of a multinomial logit whose classes are separated: there is nothing to agree on."""
    if type(result.learner).__name__ != "MNLogit":
        return np.zeros(len(result.plan), dtype=bool)
    return np.array([any(SEPARATED in note for note in d[0].notes) for d in result.details])


def no_maximum(where: str) -> RError:
    """The error for separated classes."""
    return RError(
        f"the predictors separate the classes in {where}, so the likelihood has no maximum and "
        "every program stops somewhere else.",
        fix="use fewer predictors, or another learner",
    )


def rows_elsewhere(
    table: LossTable, r: Any, tolerance: Tolerance, left_out: NDArray[np.bool_]
) -> tuple[list[Row], str]:
    """The rows of the other fits, and a note that names these."""
    names = np.array(fit_labels(table.plan))
    if left_out.all():
        raise no_maximum("every fit")
    kept = np.repeat(~left_out, table.plan.n_test)
    labels = [label for label, one in zip(row_labels(table.plan), kept, strict=True) if one]
    assert table.predictions is not None
    values = table.predictions.values[0]
    rows = [
        compare_values(name, ours[kept], np.asarray(theirs)[kept], how, labels)
        for name, ours, theirs, how in (
            ("out-of-fold predictions", values, r["predictions"], EXACT),
            ("losses", table.losses[:, 0], r["losses"], tolerance.of_the_largest()),
        )
    ]
    ours, theirs = table.fold_means()[~left_out, 0], np.asarray(r["fold_means"])[~left_out]
    rows.append(compare_values("fold means", ours, theirs, tolerance, names[~left_out].tolist()))
    note = (
        f"Not compared: {', '.join(names[left_out])}, where the predictors separate the classes "
        "and the likelihood has no maximum; and so the averages over all folds."
    )
    return rows, note
