"""Nested cross-validation beside the procedures written out in R, and the course's functions."""

from __future__ import annotations

from functools import partial

from pycvstat import data
from pycvstat.folds import Blocks
from pycvstat.learners.knn.learner import KNN
from pycvstat.learners.penalised import Ridge
from pycvstat.procedures.nested import nested_cv
from pycvstat.r.check.call import Call, call_of
from pycvstat.r.check.cases import Cases, beside
from pycvstat.rmath.tolerances import SUMS

COURSE = """list(
  errors = sapply(seq_len(k), function(i) knn_test_error_by_fold(data, i, k, 5, "mpg", 1:8)),
  mean = knn_test_error(data, k, 5, "mpg", 1:8))"""


def _ridge(formula: str, k: int) -> Call:
    lam = [0.1, 1.0, 10.0]
    cars, outer = data.mtcars(), Blocks(k)
    return call_of(
        nested_cv(Ridge(), formula, cars, grid={"lam": lam}, outer=outer, inner=Blocks(4))
    )


def _course(k: int) -> Call:
    cars = data.mtcars()
    result = nested_cv(
        KNN(kernel="rectangular"), "mpg ~ .", cars, grid={"k": range(1, 9)},
        outer=Blocks(k), inner=Blocks(5),
    )  # fmt: skip
    ours = {"errors": result.fold_errors, "mean": result.estimate}
    needs = ("dplyr", "purrr", "tidyr")
    return beside(ours, COURSE, SUMS, packages=needs, files=("lecture.R",), data=cars, k=k)


def cases() -> Cases:
    """Ridge by glmnet, and the course's kNN."""
    found: Cases = {}
    for k in (4, 8):
        for formula in ("mpg ~ wt + hp + qsec", "mpg ~ ."):
            found[f"ridge {formula}, {k} x 4"] = partial(_ridge, formula, k)
        found[f"course kNN, {k} x 5"] = partial(_course, k)
    return found
