"""Names of fits, rows and candidates, for saying where two numbers first part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pycvstat.folds.plan import FoldPlan
from pycvstat.losses import FoldMeans


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


def row_labels(plan: FoldPlan) -> list[str]:
    """Names of the tested rows, counted from 1 as in R."""
    fits = fit_labels(plan)
    return [f"{fits[i]}, row {row + 1}" for i in range(len(plan)) for row in plan.test_rows(i)]


def candidate_labels(candidates: Sequence[dict[str, Any]]) -> list[str]:
    """Names of candidates."""
    from pycvstat.procedures.engine import describe

    return [describe(c) for c in candidates]


def cell_labels(plan: FoldPlan, candidates: Sequence[dict[str, Any]]) -> list[str]:
    """Names of fits and candidates together, candidates running faster."""
    names = candidate_labels(candidates)
    return [f"{fit}, {name}" for fit in fit_labels(plan) for name in names]


def cells_of(means: FoldMeans) -> list[str]:
    """Names of the fold means of a tuning."""
    return cell_labels(means.plan, means.candidates)
