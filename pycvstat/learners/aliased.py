"""What is said of columns without a coefficient, where predictions depend on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pycvstat.data.frame import Frame
from pycvstat.errors import note
from pycvstat.learners.base import Learner
from pycvstat.learners.solution import Sample
from pycvstat.types import FloatArray

LEVELLED = ("factor", "ordered", "text")
ROUNDING = 1e-13  # a share of the size of a column that rounding explains
SMALLEST = float(np.finfo(np.float64).tiny)


def warn_once(
    learner: Learner,
    solutions: Sequence[Any],
    sample: Sample,
    X_new: FloatArray,
    train: Frame,
    new: Frame,
) -> None:
    """Say what R would warn about, and when an aliased column matters for the new rows."""
    for text in dict.fromkeys(text for solution in solutions for text in solution.report.notes):
        note(text)
    last = {one.report.aliased: one for one in solutions if one.report.aliased}
    for aliased, one in last.items():
        levels, own, asked = new_levels(train, new), one.of(sample), replace(sample, X=X_new)
        for text in notes_of_aliased(learner, own, aliased, one.of(asked).X, levels):
            note(text, about=text.partition(" determine ")[0])


def new_levels(train: Frame, new: Frame) -> str:
    """What R says of new rows with levels that no training row has; nothing without any."""
    for name in train.names:
        if train[name].kind in LEVELLED:
            asked = {*new[name].labels()} - {*train[name].labels(), None}
            if asked:
                return f"factor {name} has new levels {', '.join(sorted(asked))}"
    return ""


@np.errstate(all="ignore")
def notes_of_aliased(
    learner: Learner,
    sample: Sample,
    aliased: tuple[str, ...],
    X_new: FloatArray,
    levels: str = "",
    *,
    counted: bool = True,
) -> list[str]:
    """What to say of columns without a coefficient, where it changes predictions.

    They are `counted` unless the rows only stand for others.
    """
    from scipy.linalg import solve_triangular

    from pycvstat.learners.linear.least_squares import column_scale

    left_out = np.isin(sample.columns, aliased)
    X = sample.X if sample.weights is None else sample.X[sample.weights > 0]
    scale = column_scale(X)
    if scale is not None:
        X, X_new = X / scale, X_new / scale
    kept, rest = X[:, ~left_out], X[:, left_out]
    Q, R = np.linalg.qr(kept)
    own = np.diagonal(R)  # 0 where only the working weights of a robust fit tell columns apart
    np.fill_diagonal(R, np.where(own == 0.0, SMALLEST, own))
    names = ", ".join(aliased[:5])
    in_r = f", where {refusing} refuses such a fit" if (refusing := learner.refuses_aliased) else ""
    by_basis = solve_triangular(R, X_new[:, ~left_out].T, trans=1, check_finite=False).T
    implied = np.linalg.multi_dot([by_basis, Q.T, rest])  # in the order that costs least
    count = undetermined(rest, implied, X_new[:, left_out])
    if count:
        in_r = f", where R stops with an error ({levels})" if levels else in_r
        many = f"{count} prediction{' depends' if count == 1 else 's depend'}"
        depend = many if counted else "predictions of the fold depend"
        return [
            f"the training rows do not determine the coefficients of {names}, on which {depend}; "
            f"by the rule of R's lm they are left out{in_r}."
        ]
    shares = solve_triangular(R, Q.T @ rest, check_finite=False)
    gap = np.abs(rest - kept @ shares).max(axis=0, initial=0.0)
    size = np.abs(rest).max(axis=0, initial=0.0)
    size += (np.abs(kept) @ np.abs(shares)).max(axis=0, initial=0.0)
    if (gap <= ROUNDING * size).all():
        return []
    return [
        f"other columns nearly determine {names}; by the rule of R's lm they are left out{in_r}. "
        "Centre or rescale them if what is left of them matters."
    ]


def undetermined(rest: FloatArray, implied: FloatArray, rest_new: FloatArray) -> int:
    """How many new rows do not lie in the space that the training rows span.

    Parameters
    ----------
    rest, rest_new : (n, q), (m, q) float64
        The columns left out, of training and of new rows.
    implied : (m, q) float64
        What the other columns of the new rows would make of them.
    """
    if not len(rest_new):
        return 0
    gap = np.abs(rest_new - implied)
    size = np.abs(rest).max(axis=0, initial=0.0) + np.abs(rest_new).max(axis=0)
    small = np.isfinite(gap) & (gap <= 1e-7 * np.where(size > 0, size, 1.0))
    return int((~small).any(axis=1).sum())
