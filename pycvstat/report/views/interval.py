"""An interval, the difference of two methods, and losses that were computed elsewhere."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pycvstat.intervals import Interval
from pycvstat.intervals.from_losses import LossResult
from pycvstat.intervals.paired import Paired
from pycvstat.losses import loss_label
from pycvstat.report.content import Block, Headline, Inline, Table, section
from pycvstat.report.numbers import capital, count, equal_p, interval_headers, number, table_of
from pycvstat.report.plots import forest
from pycvstat.report.plots.style import INK
from pycvstat.report.sentences import (
    interval_parts,
    loss_words,
    plan_parts,
    plan_words,
    value_words,
)
from pycvstat.report.views.base import VIEWS, Sections, TableView, View
from pycvstat.report.views.comparing import ComparingView
from pycvstat.report.views.data import FoldsView
from pycvstat.report.views.estimate import EstimateView, interval_facts

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class IntervalView(TableView, of=Interval):
    """An interval and what it is about."""

    heading, kind, anchor, size = "Interval", "forest", "interval", (4.6, 1.2)
    caption = "The estimate and its interval."

    @property
    def found(self) -> Interval:
        """The interval."""
        found: Interval = self.result
        return found

    @property
    def metric(self) -> str:
        """The loss or the metric in words."""
        return self.found.metric if self.found.source is None else loss_label(self.found.metric)

    @property
    def title(self) -> str:
        """The method and the metric."""
        return capital(f"{self.found.title}: {self.metric}")

    @property
    def subtitle(self) -> str:
        """The target."""
        return self.found.target

    @property
    def value(self) -> str:
        """The estimate with its limits."""
        return value_words(self.found.estimate, self.found)

    def main_table(self) -> Table:
        """The estimate with its limits, and what they are about below."""
        headers = interval_headers(self.found.level) | {"p_value": "p"}
        table = table_of(self.rows, headers, f"{self.title}.")
        return replace(table, notes=f"{capital(str(self.found.about))}; {self.found.title}.")

    def entries(self) -> list[dict[str, Any]]:
        """The interval; of a difference with its test."""
        found, source = self.found, self.found.source
        row = {n: v for n, v in found.row().items() if n != "metric"}
        more: dict[str, Any] = {"loss": found.metric, "folds": "", "n": ""}
        if source is not None:
            more |= {"folds": plan_words(source.plan), "n": source.plan.n}
        return [{"name": self.name, **row, **more}]

    def top(self) -> list[Block]:
        """The estimate with its limits, and what they are about."""
        return [Headline(self.value, self.found.about.words())]

    def blocks(self) -> list[Block]:
        """The method."""
        return [interval_facts(self.found)]

    def tell(self) -> str:
        """The estimate with its limits."""
        return f"{self.value}."

    @property
    def name(self) -> str:
        """The name beside the limits."""
        return self.found.method

    def draw(self, ax: Axes) -> Axes:
        """The limits."""
        found = self.found
        words = f"{found.metric}, {100 * found.level:g} % interval for {found.target}"
        return forest.forest(ax, found.tidy(), [self.name], words)

    def methods(self) -> list[Inline]:
        """The limits, the method, what they are about."""
        return interval_parts(self.found)


class PairedView(IntervalView, of=Paired):
    """The difference of two methods on identical folds."""

    result: Paired

    @property
    def found(self) -> Interval:
        """The interval of the difference."""
        return self.result.interval

    @property
    def name(self) -> str:
        """The methods."""
        return f"{self.result.names[0]} minus {self.result.names[1]}"

    @property
    def title(self) -> str:
        """The methods."""
        return self.name

    @property
    def subtitle(self) -> str:
        """What is compared."""
        return f"paired on identical folds · {self.metric}"

    @property
    def value(self) -> str:
        """The difference with its limits and p value."""
        p, words = self.result.p_value, super().value
        return words if math.isnan(p) else f"{words}, p {equal_p(p)}"

    def entries(self) -> list[dict[str, Any]]:
        """The difference with its test."""
        statistic = self.found.estimate / self.found.std_error
        (row,) = super().entries()
        return [row | {"statistic": statistic, "p_value": self.result.p_value}]

    def tell(self) -> str:
        """The methods, and the difference with its limits."""
        return f"{self.name}: {super().tell()}"

    def draw(self, ax: Axes) -> Axes:
        """The limits, and the line of no difference."""
        super().draw(ax).axvline(0, color=INK, linewidth=0.8, linestyle=(0, (2, 2)))
        return ax

    def methods(self) -> list[Inline]:
        """The difference and its interval."""
        words = f"{self.name} was {number(self.result.estimate)}"
        return [f"On identical folds the difference {words}.", *super().methods()]


class LossesView(FoldsView):
    """What one and several methods share."""

    result: LossResult

    @property
    def loss(self) -> str:
        """The name of the loss."""
        return next(iter(self.result.tables.values())).loss

    @property
    def subtitle(self) -> str:
        """Size and loss."""
        rows = count(self.result.plan.n, "row")
        words = (rows, loss_words(self.loss), "computed elsewhere", *self.kept())
        return " · ".join(words)

    def losses_told(self) -> list[Inline]:
        """Loss and folds, for the methods part."""
        loss = "" if self.loss == "loss" else f" ({loss_words(self.loss)})"
        start = f"The losses{loss} were computed elsewhere, over "
        return [start, *plan_parts(self.result.plan), "."]


class OneView(LossesView, EstimateView):
    """The risk of the procedure that made the losses."""

    of, question = "the procedure that made the losses", ""

    @property
    def title(self) -> str:
        """The method and the folds."""
        return f"{self.result.names[0]}: {plan_words(self.result.plan)}"

    def results(self) -> Sections:
        """Both averages and the interval."""
        return [section("Estimates", self.estimates()), self.interval_section()]

    def findings(self) -> Sections:
        """Numbers and errors of the folds."""
        several = len(self.result.plan) > 1
        return [*self.results(), self.fold_errors() if several else None]

    def brief(self) -> Sections:
        """Numbers and folds."""
        return [*self.results(), *self.setting()]

    def methods(self) -> list[Inline]:
        """Loss, folds, averages, interval."""
        return [*self.losses_told(), *self.averages_told(), *self.interval_told()]


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
        return [*self.losses_told(), *self.estimates_told()]


def _view(result: LossResult, *asked: Any) -> View:
    return (OneView if len(result.tables) == 1 else SeveralView)(result, *asked)


VIEWS[LossResult] = _view
