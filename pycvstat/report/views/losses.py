"""Losses computed elsewhere: of one method, or of several."""

from __future__ import annotations

from pycvstat.intervals.from_losses import LossResult
from pycvstat.report.content import Facts, Inline, section
from pycvstat.report.numbers import aligned, count
from pycvstat.report.sentences import loss_words, plan_parts, plan_words
from pycvstat.report.views.base import VIEWS, Sections, View
from pycvstat.report.views.comparing import ComparingView
from pycvstat.report.views.data import FoldsView
from pycvstat.report.views.estimate import EstimateView


class LossesView(FoldsView):
    """What one and several methods share."""

    result: LossResult

    @property
    def _loss(self) -> str:
        return next(iter(self.result.tables.values())).loss

    @property
    def subtitle(self) -> str:
        """Size and loss."""
        rows = count(self.result.plan.n, "row")
        return f"{rows} · {loss_words(self._loss)} · computed elsewhere"

    def told(self) -> list[Inline]:
        """Loss and folds, for the methods part."""
        loss = "" if self._loss == "loss" else f" ({loss_words(self._loss)})"
        start = f"The losses{loss} were computed elsewhere, over "
        return [start, *plan_parts(self.result.plan), "."]


class OneView(LossesView, EstimateView):
    """The risk of the procedure that made the losses."""

    @property
    def of(self) -> str:
        """What made the losses."""
        return "the procedure that made the losses"

    @property
    def title(self) -> str:
        """The method and the folds."""
        return f"{self.result.names[0]}: {plan_words(self.result.plan)}"

    def numbers(self) -> Sections:
        """Both averages and the interval."""
        values = aligned([self.result.estimate, self.result.pooled])
        names = ("mean of fold means", "mean over observations")
        facts = Facts(tuple(zip(names, values, strict=True)))
        return [section("Estimates", facts), self.interval_section()]

    def findings(self) -> Sections:
        """Numbers and errors of the folds."""
        several = len(self.result.plan) > 1
        return [*self.numbers(), self.fold_errors() if several else None]

    def brief(self) -> Sections:
        """Numbers and folds."""
        return [*self.numbers(), *self.setting()]

    def methods(self) -> list[Inline]:
        """Loss, folds, averages, interval."""
        return [*self.told(), *self.averages_told(), *self.interval_told()]


class SeveralView(LossesView, ComparingView):
    """Which method has the smallest risk."""

    def findings(self) -> Sections:
        """The comparison and the errors of the folds."""
        return [self.comparison(), self.side_by_side()]

    def brief(self) -> Sections:
        """Methods, pairs, folds."""
        return [*self.compared(), *self.setting()]

    def methods(self) -> list[Inline]:
        """Loss, folds, estimates, tests."""
        return [*self.told(), *self.estimates_told()]


def _view(result: LossResult, level: float, method: str) -> View:
    return (OneView if len(result.tables) == 1 else SeveralView)(result, level, method)


VIEWS[LossResult] = _view
