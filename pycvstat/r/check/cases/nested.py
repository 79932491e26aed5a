"""Nested cross-validation beside the procedures written out in R, and the course's functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from pycvstat import data
from pycvstat.folds import Blocks
from pycvstat.learners.knn.learner import KNN
from pycvstat.learners.penalised import Ridge
from pycvstat.procedures.nested import NestedResult, nested_cv
from pycvstat.r.check.cases.case import Cases, case
from pycvstat.rmath.tolerances import EXACT, ITERATIVE, SUMS

PARTS: dict[str, Callable[[NestedResult], Any]] = {
    "chosen": lambda r: r.chosen_index + 1,
    "inner curves": lambda r: r.inner_curves.ravel(),
    "predictions": lambda r: r.predictions,
    "fold means": lambda r: r.fold_errors,
    "estimate": lambda r: r.estimate,
}


@cache
def _ridge(formula: str, k: int) -> NestedResult:
    return nested_cv(
        Ridge(), formula, data.mtcars(), grid={"lam": [0.1, 1.0, 10.0]},
        outer=Blocks(k), inner=Blocks(4),
    )  # fmt: skip


@cache
def _course(k: int) -> NestedResult:
    return nested_cv(
        KNN(kernel="rectangular"), "mpg ~ .", data.mtcars(), grid={"k": range(1, 9)},
        outer=Blocks(k), inner=Blocks(5),
    )  # fmt: skip


def _ridge_part(_: Mapping[str, Any], read: Any, formula: str, k: int) -> Any:
    return read(_ridge(formula, k))


def _course_error(_: Mapping[str, Any], k: int, fold: int) -> float:
    return float(_course(k).fold_errors[fold])


def _course_estimate(_: Mapping[str, Any], k: int) -> float:
    return _course(k).estimate


def cases() -> Cases:
    """Ridge by glmnet, and the course's kNN."""
    found: Cases = {}
    for k in (4, 8):
        for formula in ("mpg ~ wt + hp + qsec", "mpg ~ ."):
            for part, read in PARTS.items():
                tolerance = EXACT if part == "chosen" else ITERATIVE
                found[f"ridge {formula}, {k} x 4: {part}"] = case(
                    _ridge_part, read, formula, k, tolerance=tolerance
                )
        for fold in range(k):
            found[f"course kNN, {k} x 5, outer fold {fold + 1}: error"] = case(
                _course_error, k, fold, tolerance=SUMS
            )
        found[f"course kNN, {k} x 5: nested estimate"] = case(_course_estimate, k, tolerance=SUMS)
    return found
