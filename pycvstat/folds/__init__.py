"""Fold plans and the splitters that make them."""

from pycvstat.folds.plan import FoldPlan

__all__ = ["FoldPlan"]
