"""Nested cross-validation: the risk of the tuned procedure, and what its tuning chose."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from pycvstat.losses import Metric
from pycvstat.losses.metrics import as_metric
from pycvstat.procedures.nested import NestedResult
from pycvstat.report.content import Cite, Facts, Inline, Note, Section, Table, paragraph, section
from pycvstat.report.numbers import aligned, count, listed, settings, sizes, table_of
from pycvstat.report.plots import candidates, predictions
from pycvstat.report.sentences import (
    candidates_words,
    cited,
    data_parts,
    kept_words,
    learner_parts,
    learner_words,
    loss_words,
    often,
    parameters,
    plan_parts,
    plan_words,
)
from pycvstat.report.views.base import MOST_ROWS, WIDE, Picture, Sections
from pycvstat.report.views.risk import RiskView

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pycvstat.folds.plan import FoldPlan
    from pycvstat.report.views.tuning import TuneView

CURVES = "Inner estimates of every outer fit, their mean, and what each chose."
CHOSEN = "How often each candidate was chosen."
DIAGRAM = (
    "Rows that train, validate and test: the outer fits, and the inner fits of the first of them."
)
FINAL = (
    "The candidate was chosen by these estimates, so that of the chosen one tends to be too good "
    "as an estimate of the risk of the tuned procedure. The nested estimate is not "
    "chosen on the folds it is computed from. Neither estimates the smallest risk over the "
    "candidates, which no procedure attains on average: that is a lower bound."
)


class NestedView(RiskView, of=NestedResult):
    """The risk of a learner that is tuned inside every fit."""

    of = "the tuned procedure"
    result: NestedResult

    @property
    def title(self) -> str:
        """The learner."""
        how = kept_words(self.result.plan, self.by)
        return f"{learner_words(self.result.tuned.learner)}: {how}nested cross-validation"

    @property
    def question(self) -> str:
        """How large the risk is."""
        learner = learner_words(self.result.tuned.learner)
        of = f"{learner} with parameters chosen by inner folds"
        return (
            f"How large is the {self.asked(of)}? The tuning is part of the "
            "procedure whose risk is estimated."
        )

    @property
    def how(self) -> str:
        """The folds outside and inside."""
        return f"nested cross-validation ({self.told()} outside, {self.inner_folds} inside)"

    def python(self) -> str:
        """nested_cv."""
        same = ("grid", "inner", "rule", "complexity", "tolerance", "metric")
        how = ", ".join(f"{name}=learner.{name}" for name in same)
        return (
            f"pcv.nested_cv(\n    learner.learner, {{data}}, {{more}}, outer=folds,\n    {how}, "
            f"loss={self.loss!r}\n)"
        )

    @cached_property
    def names(self) -> list[str]:
        """The parameters of the grid."""
        return parameters(self.result.candidates)

    def folds(self, figure: bool = False) -> Sections:
        """How rows were split, as a list: the diagram is among the findings."""
        return super().folds(figure)

    @property
    def chooses_by(self) -> Metric | None:
        """The metric that the inner folds choose by; None where it is the mean loss."""
        metric = self.result.tuned.metric
        return None if metric is None else as_metric(metric, self.result.task.response.levels)

    @property
    def rule(self) -> str:
        """The selection rule in words, with what it reads."""
        words = self.result.tuned.selection_rule.words(self.best)
        return words if self.chooses_by is None else f"{words} of {self.chooses_by.label}"

    @property
    def best(self) -> str:
        """Which estimate is the best: of a metric it may be the largest."""
        by = self.chooses_by
        return "largest" if by is not None and by.better == "larger" else "smallest"

    @property
    def drawn(self) -> list[Any]:
        """The tuning on all rows, where that was asked for."""
        return [self.result.retuned] if self.result.is_retuned else []

    @cached_property
    def fold_rows(self) -> pd.DataFrame:
        """One row per fit, with what was chosen in it."""
        return self.result.tidy("folds")

    def brief(self) -> Sections:
        """Numbers, what was chosen, setting."""
        result = self.result
        by, loss = self.chooses_by, loss_words(self.loss)
        inner = loss if by is None else f"{by.label}, {by.better} is better"
        rows = (
            ("inner metric", inner),
            ("outer metric", loss),
            ("candidates", candidates_words(result.candidates)),
            ("rule", self.rule),
            ("inner folds", self.inner_folds),
        )
        chosen = section("Tuning inside the outer fits", Facts(rows), self.selected(),
                         *self.standing_notes())  # fmt: skip
        return [*self.results(), chosen, *self.setting()]

    def inside(self) -> Sections:
        """The tuning inside the outer fits, and on all rows where that was asked for."""
        return [self.tuning(), self.final() if self.result.is_retuned else None]

    def tuning(self) -> Section:
        """Diagram, inner curves, what was chosen how often."""
        result = self.result
        words = paragraph(
            "In every outer fit the parameters were chosen on its training rows only, by "
            f"{self.inner_folds}, among {candidates_words(result.candidates)}; the rule was "
            f"{self.rule}. The chosen candidate was then fitted on all training rows and tested on "
            "the outer fold."
        )
        return section(
            "Tuning inside the outer fits",
            words,
            self.figure("diagram"),
            self.figure("curves"),
            self.selected(),
            self.figure("selection"),
            *self.standing_notes(),
        )

    def standing_notes(self) -> list[Note]:
        """In how many outer fits the choice is at the edge, tied, or within the noise."""
        result = self.result
        found, fits = result.standings, count(len(result.plan), "outer fit")
        at_edge = Counter((name, end) for one in found for name, end in one.edge.items())
        words = [
            f"In {times} of {fits} ({times / len(result.plan):.0%}) the chosen {name} is the {end} "
            f"of the grid: {'smaller' if end == 'smallest' else 'larger'} values may be better."
            for (name, end), times in at_edge.items()
        ]
        if ties := sum(one.tied > 1 for one in found):
            words.append(
                f"In {ties} of {fits} several candidates had exactly the best inner estimate."
            )
        if noisy := sum(one.within_noise for one in found):
            words.append(
                f"In {noisy} of {fits} the lead of the best candidate over the next was within the "
                "noise of the inner split (its naive standard error)."
            )
        return [Note(text) for text in words]

    @cached_property
    def selection(self) -> pd.DataFrame:
        """How often each candidate was chosen."""
        return self.result.selection()

    @cached_property
    def inner(self) -> pd.DataFrame:
        """The inner estimate of every candidate in every outer fit."""
        return self.result.tidy("inner")

    @property
    def chosen(self) -> pd.DataFrame:
        """Candidates that were chosen, the most frequent first."""
        frame = self.selection
        return frame[frame["times"] > 0].sort_values("times", ascending=False, kind="stable")

    def selected(self) -> Table:
        """Candidates that were chosen, how often."""
        headers = {name: name for name in self.names} | {"times": "times chosen"}
        words = "Candidates chosen in the outer fits."
        return table_of(self.chosen.iloc[:MOST_ROWS], headers, words)

    def final(self) -> Section:
        """Tuning on all rows: the smallest estimate beside the nested one."""
        result, retuned = self.result, self.result.retuned
        estimates = [result.estimate, retuned.estimate, result.estimate - retuned.estimate]
        nested, smallest, difference = aligned(estimates)
        outer, inner = sizes(result.plan.n_train), sizes(retuned.plan.n_train)
        rows = [
            ("nested estimate: risk of the tuned procedure", nested, outer),
            ("estimate of the candidate chosen on all rows", smallest, inner),
            ("difference", difference, ""),
        ]
        if self.chooses_by is not None:  # another quantity than the outer one
            of = f"{self.chooses_by.label} of the candidate chosen on all rows"
            rows[1:] = [(of, smallest, inner)]
        head, words = ("quantity", "value", "training rows"), "Means of fold means."
        table = Table(head, tuple(rows), "lrr", words)
        choice = self._final().choice()
        return section("Tuning on all rows", paragraph(FINAL), table, choice, self.figure("tuning"))

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """Of the tuning, and those of cross-validation."""
        strips = 0 if self._inner is None else min(len(self._inner), 12) + 1.5
        tall = (4.6, 1.1 + 0.17 * (min(len(self.result.plan), 12) + strips))
        return {
            "curves": Picture(
                self._draw_curves, WIDE, CURVES, self._tell_curves, lambda: self.inner
            ),
            "selection": Picture(
                self._draw_selection, WIDE, CHOSEN, self._tell_selection, lambda: self.selection
            ),
            "diagram": Picture(
                self._draw_diagram, tall, DIAGRAM, self._tell_diagram, self.result.plan.tidy
            ),
            "tuning": Picture(
                lambda ax: self._final().draw(ax),
                WIDE,
                candidates.CURVE.format(best=self.best),
                lambda: self._final().tell(),
                lambda: self.result.retuned.tidy(),
            ),
        } | super().pictures

    @property
    def _inner(self) -> FoldPlan | None:
        """The inner folds of the first outer fit."""
        return self.result.inner_plans[0] if self.result.inner_plans else None

    def _final(self) -> TuneView:
        """The tuning on all rows: drawing it tunes on them, where that was not done."""
        from pycvstat.report.views.tuning import TuneView

        return TuneView(self.result.retuned, units=self.units)

    @property
    def inner_folds(self) -> str:
        """The folds of the tuning in words."""
        inner = self._inner
        return "inner folds" if inner is None else plan_words(inner, self.by)

    def _draw_diagram(self, ax: Axes) -> Axes:
        return predictions.nested_diagram(ax, self.result.plan, self._inner, "tune")

    def _tell_diagram(self) -> str:
        inner = self._inner
        each = f", each with {count(len(inner), 'inner fit')}." if inner else "."
        fits = count(len(self.result.plan), "outer fit")
        return f"Diagram of nested cross-validation: {fits}{each}"

    def _draw_curves(self, ax: Axes) -> Axes:
        by = self.chooses_by
        quantity = self.quantity if by is None else by.label
        return candidates.inner_curves(ax, self.inner, self.names, quantity)

    def _tell_curves(self) -> str:
        result, found = self.result, self.inner["estimate"]
        low, high = aligned([found.min(), found.max()])
        return (
            f"{count(len(result.plan), 'inner curve')} over "
            f"{count(len(result.candidates), 'candidate')}, estimates from {low} to {high}."
        )

    def _draw_selection(self, ax: Axes) -> Axes:
        return candidates.selection(ax, self.selection, self.names)

    def _tell_selection(self) -> str:
        parts = [f"{what}: {times}" for what, times in self._counts()]
        fits = int(self.chosen["times"].sum())
        return f"Times chosen in {fits} outer fits: {listed(parts, 8)}."

    def _counts(self) -> list[tuple[str, int]]:
        """The chosen candidates and how often each was chosen."""
        rows = self.chosen.to_dict("records")
        return [(settings({n: r[n] for n in self.names}), int(r["times"])) for r in rows]

    def methods(self) -> list[Inline]:
        """Learner, outer and inner folds, data, rule, choices, estimates and interval."""
        result = self.result
        chosen = [f"{what} ({often(n)})" for what, n in self._counts()]
        return [
            f"The risk ({loss_words(self.loss)}) of ",
            *learner_parts(result.tuned.learner, self.names),
            f", with {listed(self.names)} tuned, was estimated by nested cross-validation ",
            Cite(("varma2006",)),
            "; the outer folds were ",
            *plan_parts(result.plan, result.task),
            *data_parts(result.task),
            f" The parameters were chosen among {candidates_words(result.candidates)} on the "
            "training rows of each outer fit",
            f" by {self.inner_folds}, taking {self.rule}",
            *cited(result.tuned.selection_rule.citation),
            ", and the chosen learner was fitted again on those rows. Chosen were "
            f"{listed(chosen, 6)}.",
            *self.averages_told(),
            *self.interval_told(),
        ]
