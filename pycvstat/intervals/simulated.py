"""What the usual intervals covered in this package's own simulations, scenario by scenario."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pycvstat.folds.plan import FoldPlan

HELD = "simulated.json"
"""Percent covered by method, layout and scenario, made by vignettes/record_coverage.py."""


@cache
def recorded() -> dict[str, dict[str, dict[str, float]]]:
    """Percent covered by method, layout and scenario."""
    text = files("pycvstat.intervals").joinpath(HELD).read_text(encoding="utf-8")
    found: dict[str, dict[str, dict[str, float]]] = json.loads(text)
    return found


def known(method: str) -> Callable[[FoldPlan], str]:
    """What is known of a method on plans of some layout; nothing where none was simulated.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> words = known("log_t")(FoldPlan.from_fold_ids([1, 1, 2, 2, 3, 3]))
    >>> words.startswith("in this package's own simulations at nominal 95 % it covered ")
    True
    """

    def words(plan: FoldPlan) -> str:
        layouts = recorded().get(method, {})
        shown = layouts.get(plan.scheme) or layouts.get(
            "repeated K-fold" if plan.scheme == "subsampling" else "K-fold", {}
        )
        if not shown:
            return ""
        each = "; ".join(f"{scenario} {covered:.0f} %" for scenario, covered in shown.items())
        return f"in this package's own simulations at nominal 95 % it covered {each}"

    return words
