"""The rows of a table of losses beside R's; fits that have nothing to agree on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pycvstat.errors import RError
from pycvstat.losses import LossTable
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.r.check.labels import fit_labels, row_labels
from pycvstat.r.check.table import EXACT, SAME_BITS, SUMS, Row, Tolerance, compare_values

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
    from pycvstat.r.bridge import run

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


def not_comparable(result: CVResult, refused: Any) -> dict[int, str]:
    """The fits that have nothing to agree on, and why.

    R refuses levels that the training rows lack, and some of its functions columns that others
    span; a multinomial logit has no maximum where the classes are separated.
    """
    found = {i: f"R says: {words}" for i, words in enumerate(np.atleast_1d(refused)) if words}
    if type(result.learner).__name__ == "MNLogit":
        for i, detail in enumerate(result.details):
            if any(SEPARATED in note for note in detail[0].notes):
                found[i] = "the predictors separate the classes: the likelihood has no maximum"
    return found


def no_maximum() -> RError:
    """The error for a fit to separated classes."""
    return RError(
        "the predictors separate the classes, so the likelihood has no maximum and every program "
        "stops somewhere else.",
        fix="use fewer predictors, or another learner",
    )


def rows_elsewhere(
    table: LossTable, r: Any, tolerance: Tolerance, left_out: dict[int, str]
) -> tuple[list[Row], tuple[str, ...]]:
    """The rows of the other fits, and notes that name these."""
    names = fit_labels(table.plan)
    kept = np.array([i not in left_out for i in range(len(names))])
    if not kept.any():
        raise RError(
            "there is no fit that R could be compared in.",
            given="; ".join(dict.fromkeys(left_out.values())),
            fix="merge rare levels, use fewer predictors, or folds that keep levels together",
        )
    rows_kept = np.repeat(kept, table.plan.n_test)
    labels = [label for label, one in zip(row_labels(table.plan), rows_kept, strict=True) if one]
    assert table.predictions is not None
    classes = table.y is not None and np.issubdtype(table.y.dtype, np.integer)
    values = table.predictions.values[0]
    rows = [
        compare_values(name, ours[rows_kept], np.asarray(theirs)[rows_kept], how, labels)
        for name, ours, theirs, how in (
            ("out-of-fold predictions", values, r["predictions"], EXACT if classes else tolerance),
            ("losses", table.losses[:, 0], r["losses"], tolerance.of_the_largest()),
        )
    ]
    means = table.fold_means()[kept, 0], np.asarray(r["fold_means"])[kept]
    fits = [name for name, one in zip(names, kept, strict=True) if one]
    rows.append(compare_values("fold means", *means, tolerance, fits))
    by_reason: dict[str, list[str]] = {}
    for i, why in left_out.items():
        by_reason.setdefault(why, []).append(names[i])
    notes = [f"Not compared: {', '.join(fits)}, where {why}." for why, fits in by_reason.items()]
    return rows, (*notes, "Not compared: the averages over all folds.")
