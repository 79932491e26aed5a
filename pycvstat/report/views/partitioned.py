"""Cross-validation over a dask frame: what sums say."""

from __future__ import annotations

from pycvstat.procedures.partitioned import PartitionedResult
from pycvstat.report.content import Facts, Inline, paragraph, section
from pycvstat.report.numbers import count, number
from pycvstat.report.sentences import learner_parts, learner_words, loss_words, plan_parts
from pycvstat.report.views.base import Sections
from pycvstat.report.views.estimate import EstimateView
from pycvstat.report.views.risk import fit_notes


class PartitionedView(EstimateView, of=PartitionedResult):
    """The cross-validated risk of a learner over partitions."""

    result: PartitionedResult

    @property
    def of(self) -> str:
        """The learner."""
        return learner_words(self.result.learner)

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

    @property
    def question(self) -> str:
        """How large the risk is."""
        return f"How large is the {self.asked(self.of)}?"

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
