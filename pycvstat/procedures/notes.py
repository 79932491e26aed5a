"""What fits have to say, said once for all of them, with the names of their folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pycvstat.errors import warn
from pycvstat.folds.plan import FoldPlan


def where(plan: FoldPlan, i: int, fold_word: str = "fold") -> str:
    """The name of a fit: its fold, and its repeat where there are several; or its resample."""
    if plan.kind == "bootstrap":
        whole = int(plan.n_test[i]) == len(np.unique(plan.train_rows(i)))
        return "the fit to all rows" if whole else f"resample {i + 1}"
    fold = f"{fold_word} {int(plan.fold[i]) + 1} of {int(plan.fold.max()) + 1}"
    return fold if plan.times == 1 else f"repeat {int(plan.repeat[i]) + 1}, {fold}"


def tell_notes(plan: FoldPlan, notes: Sequence[Sequence[tuple[str, str]]]) -> None:
    """Say once, with the folds, what several fits have to say: what about, and the text."""
    said: dict[str, dict[int, str]] = {}
    for i, of_fit in enumerate(notes):
        for about, text in of_fit:
            said.setdefault(about, {})[i] = text
    for texts in said.values():
        differ = "; this is said of the first" if len({*texts.values()}) > 1 else ""
        warn(next(iter(texts.values())), given=f"{_places(plan, [*texts])}{differ}")


def _places(plan: FoldPlan, fits: Sequence[int]) -> str:
    """The names of some fits, the first of many."""
    more = f" and {len(fits) - 3} more" if len(fits) > 3 else ""
    return f"{', '.join(where(plan, i) for i in fits[:3])}{more}"


def tell_not_converged(plan: FoldPlan, details: Sequence[Any]) -> None:
    """Say in which fits the iterations of a candidate did not converge."""
    stuck = [
        i
        for i, reports in enumerate(details)
        if isinstance(reports, tuple) and not all(report.converged for report in reports)
    ]
    if stuck:
        warn(
            f"{len(stuck)} of {len(details)} fits did not converge.",
            given=_places(plan, stuck),
            fix="raise maxiter, or read their predictions with care",
        )
