"""Risks over resamples, with what the literature makes of them, and over a dask frame."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

from pycvstat.errors import IntervalError, heard
from pycvstat.intervals import Interval
from pycvstat.procedures.bootstrapped import BootstrapResult
from pycvstat.procedures.partitioned import PartitionedResult
from pycvstat.report.content import Block, Cite, Facts, Inline, Note, paragraph, section
from pycvstat.report.numbers import count, interval_headers, listed, number, table_of
from pycvstat.report.plots import forest
from pycvstat.report.sentences import learner_parts, loss_words, plan_parts, value_words
from pycvstat.report.views.base import Picture, Sections
from pycvstat.report.views.estimate import EstimateView
from pycvstat.report.views.risk import RiskView, fit_notes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = ("out_of_bag", ".632", ".632+", "optimism")
EXPLAINED = (
    "Out of bag: each row's mean loss in the resamples without it. .632 and .632+: averages of it "
    "and of the error of the fit to all rows on its own rows. Optimism: that error, corrected by "
    "how much smaller errors of the resamples' fits are on their own rows than on all rows."
)


class BootstrapView(RiskView, of=BootstrapResult):
    """A cross-validation over resamples with replacement."""

    result: BootstrapResult

    @cached_property
    def _found(self) -> tuple[list[Interval], list[Note]]:
        """Every estimate, or what stands in its way."""
        found, notes = [], []
        with heard():
            for name in NAMES:
                try:
                    found.append(self.result.interval(name, self.level))
                except IntervalError as error:
                    notes.append(Note(f"{name}: {error.problem}"))
        return found, notes

    def results(self) -> Sections:
        """Estimates and interval; then the estimates from the resamples."""
        found, notes = self._found
        frame = pd.DataFrame([one.row() for one in found])
        headers = {"method": "estimate from the resamples"} | interval_headers(self.level)
        said = [Note(f"{one.method}: {note}") for one in found[1:] for note in one.notes]
        blocks: list[Block] = [table_of(frame, headers, EXPLAINED)] if found else []
        blocks += [*said, *notes]
        return [*super().results(), section("Estimates from the resamples", *blocks)]

    def own_pictures(self) -> dict[str, Picture]:
        """Those of every cross-validation, and the estimates from the resamples."""
        words = "Estimates from the resamples, with the intervals that they have."
        drawn = Picture(self._draw_estimates, (4.6, 1.8), words, self._tell_estimates)
        return super().own_pictures() | {"intervals": drawn}

    def _draw_estimates(self, ax: Axes) -> Axes:
        found = self._found[0]
        frame = pd.DataFrame([one.row() for one in found])
        return forest.forest(ax, frame, [one.method for one in found], self.quantity)

    def _tell_estimates(self) -> str:
        words = [f"{one.method} {value_words(one.estimate, one)}" for one in self._found[0]]
        return f"{listed(words)}."

    def methods(self) -> list[Inline]:
        """Those of every cross-validation, and the works of the estimates."""
        cited = dict.fromkeys(key for one in self._found[0] for key in one.citation)
        return [
            *super().methods(),
            " Estimates from the resamples are the leave-one-out bootstrap, .632, .632+ and the "
            "optimism-corrected apparent error ",
            Cite(tuple(cited)),
            ".",
        ]


class PartitionedView(EstimateView, of=PartitionedResult):
    """The cross-validated risk of a learner over partitions."""

    result: PartitionedResult

    @property
    def title(self) -> str:
        """The learner and the folds."""
        return f"{self.of}: {self.told()}"

    @property
    def subtitle(self) -> str:
        """Formula, size and loss."""
        left_out = f" ({self.result.omitted} left out)" if self.result.omitted else ""
        size = f"{count(self.result.plan.n, 'row')}{left_out} in {self._partitions}"
        return " · ".join([self.result.formula, size, loss_words(self.loss)])

    @property
    def _partitions(self) -> str:
        return count(self.result.partitions, "partition")

    def context(self) -> Sections:
        """Question and folds."""
        return [section("Question", paragraph(self.question)), *self.folds()]

    def findings(self) -> Sections:
        """Numbers and errors of the folds."""
        return [*self._results(), self.fold_errors()]

    def brief(self) -> Sections:
        """Numbers and setting."""
        return [*self._results(), *self.setting()]

    def _results(self) -> Sections:
        rows = ((name, number(self.result.metric(name).estimate)) for name in ("rmse", "r2"))
        return [
            section("Estimates", self.estimates(), *fit_notes(self.result)),
            section("Metrics of all held-out predictions", Facts(tuple(rows))),
            self.interval_section(),
        ]

    def methods(self) -> list[Inline]:
        """Learner, folds, sums, estimates and interval."""
        return [
            f"The risk ({loss_words(self.loss)}) of ",
            *learner_parts(self.result.learner),
            " was estimated by ",
            *plan_parts(self.result.plan),
            f", from triangles of QR factorisations of {self._partitions}.",
            *self.averages_told(),
            *self.interval_told(),
        ]
