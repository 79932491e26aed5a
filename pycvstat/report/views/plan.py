"""A fold plan."""

from __future__ import annotations

from functools import cached_property

from pycvstat.folds.plan import FoldPlan
from pycvstat.report.content import section
from pycvstat.report.numbers import count
from pycvstat.report.sentences import capital, folds_words, plan_words
from pycvstat.report.views.base import Picture, Sections, View
from pycvstat.report.views.data import fold_blocks, map_of


class PlanView(View, of=FoldPlan):
    """How rows are split."""

    result: FoldPlan

    @property
    def title(self) -> str:
        """The plan in words."""
        return capital(plan_words(self.result))

    @property
    def subtitle(self) -> str:
        """Rows and fits."""
        return f"{count(self.result.n, 'row')} · {folds_words(self.result)}"

    def findings(self) -> Sections:
        """The plan as a list and as a map."""
        blocks = fold_blocks(self.result, self.result.seed)
        return [section("Folds", *blocks, self.figure("map", "folds"))]

    def brief(self) -> Sections:
        """The plan as a list."""
        return [section("Folds", *fold_blocks(self.result, self.result.seed))]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The map."""
        return {"map": map_of(self.result)}
