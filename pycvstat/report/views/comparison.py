"""Several learners or candidates: which has the smallest risk, which are not shown to be worse."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pycvstat.intervals.confidence_set import ConfidenceSet
from pycvstat.losses import loss_label
from pycvstat.procedures.compare import Comparison
from pycvstat.report.content import Block, Cite, Facts, Headline, Inline, Note, Table, section
from pycvstat.report.numbers import count, listed, number, settings, table_of
from pycvstat.report.plots.candidates import tuning_curve
from pycvstat.report.sentences import (
    data_parts,
    learner_parts,
    loss_words,
    parameters,
    plan_parts,
    plan_words,
    risk_words,
)
from pycvstat.report.views.base import WIDE, Picture, Sections, View
from pycvstat.report.views.comparing import ComparingView
from pycvstat.report.views.data import DataView, failures_notes, map_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ComparisonView(ComparingView, DataView, of=Comparison):
    """Which learner has the smallest risk."""

    result: Comparison

    @property
    def one(self) -> Any:
        """The first method."""
        return next(iter(self.result.results.values()))

    @property
    def learners(self) -> Mapping[str, Any]:
        """The learners by name."""
        return {name: one.learner for name, one in self.result.results.items()}

    @property
    def question(self) -> str:
        """Which is best, by how much."""
        risk = risk_words(self.result.plan, self.loss, "the method")
        return (
            f"Which of {listed(self.names)} has the smallest {risk}, and by how much do they "
            "differ on the same folds?"
        )

    def top(self) -> list[Block]:
        """The smallest estimate."""
        best = self.result.best
        risk = risk_words(self.result.plan, self.loss, best)
        words = f"the smallest of {count(len(self.names), 'estimate')}: {risk}"
        value = self.result.estimate[best]
        shown = f"{best}: {number(value)}{self.unit}"
        return [Headline(shown, words + self.root_words(value))]

    def python(self) -> str:
        """compare."""
        named = ", ".join(f"{n!r}: learner_{i}" for i, n in enumerate(self.names, start=1))
        return f"pcv.compare({{{{{named}}}}}, {{data}}, {{more}}, folds=folds, loss={self.loss!r})"

    def failed(self) -> list[Block]:
        """What failed, by method."""
        return [note for one in self.result.results.values() for note in failures_notes(one)]

    def findings(self) -> Sections:
        """The comparison, what the smallest estimate is not, errors of the folds."""
        note = Note(
            f"The smallest of {count(len(self.names), 'estimate')} is chosen after seeing them "
            "all, so as an estimate of the risk of the chosen method it tends to be too small."
        )
        return [self.comparison(), section("", note, *self.failed()), self.side_by_side()]

    def brief(self) -> Sections:
        """Methods, pairs, setting."""
        return [*self.compared(), *self.setting()]

    def methods(self) -> list[Inline]:
        """Learners, folds, data, estimates and tests."""
        parts: list[Inline] = []
        for name, learner in self.learners.items():
            parts += ["; " if parts else "", f"{name}: ", *learner_parts(learner)]
        return [
            f"The risks of {count(len(self.names), 'method')} (",
            *parts,
            f") for {loss_words(self.loss)} were estimated on identical folds by ",
            *plan_parts(self.result.plan, self.result.task),
            *data_parts(self.result.task),
            *self.estimates_told(),
        ]


LISTED = 40
FEW = 8


class ConfidenceSetView(View, of=ConfidenceSet):
    """The candidates inside and outside, and what the confidence rests on."""

    title = "Candidates that are not shown to be worse"
    result: ConfidenceSet

    @property
    def subtitle(self) -> str:
        """Folds and loss."""
        return f"{plan_words(self.result.plan)} · {loss_words(self.result.loss)}"

    @property
    def names(self) -> list[str]:
        """Candidates in words."""
        methods = [one.get("method", "") for one in self.result.candidates]
        return methods if all(methods) else [settings(one) for one in self.result.candidates]

    def top(self) -> list[Block]:
        """How many are in the set, and which where they are few."""
        inside = np.flatnonzero(self.result.inside)
        value = f"{len(inside)} of {count(len(self.names), 'candidate')}"
        named = f": {listed([self.names[i] for i in inside])}" if len(inside) <= FEW else ""
        level = f"{100 * self.result.level:g} %"
        words = f"not shown to be worse than another, at a confidence level of {level}{named}"
        return [Headline(value, words)]

    def table(self, few: int = LISTED) -> Table:
        """Candidates with the smallest estimates first where there are many."""
        frame = self.rows.assign(inside=np.where(self.result.inside, "yes", ""))
        order = np.argsort(frame["estimate"].to_numpy(), kind="stable")[:few]
        shown = frame.iloc[order] if len(frame) > few else frame
        headers = {name: name for name in parameters(self.result.candidates)}
        headers |= {"estimate": "over observations", "statistic": "statistic", "p_value": "p"}
        strong = np.flatnonzero(shown["inside"] == "yes").tolist()
        words = "p: of the hypothesis that no other candidate has a smaller risk."
        return table_of(shown, headers | {"inside": "in the set"}, words, strong)

    def rests_on(self) -> Facts:
        """The assumptions."""
        return Facts(tuple(("assumed", words) for words in self.result.assumptions))

    def main_table(self) -> Table:
        """The table in short."""
        return self.table(10)

    def findings(self) -> Sections:
        """Picture, table, assumptions."""
        note = Note("A candidate inside is not shown to be worse, not shown to be equally good.")
        title = "Which candidates are not shown to be worse"
        curve = self.figure("curve", "confidence-set")
        return [section(title, curve, self.table(), note, self.rests_on())]

    def brief(self) -> Sections:
        """Table and assumptions."""
        return [section("Candidates", self.table(10), self.rests_on())]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The curve, and the map of the folds."""
        words = "Mean loss of every candidate; those in the confidence set are filled."
        return {
            "curve": Picture(self._draw, WIDE, words, self._tell),
            "map": map_of(self.result.plan),
        }

    def _draw(self, ax: Axes) -> Axes:
        result = self.result
        best = np.arange(len(self.names)) == np.nanargmin(result.estimate)
        table: pd.DataFrame = self.rows.assign(std_error=np.nan, chosen=best)
        names = parameters(result.candidates)
        words = loss_label(result.loss)
        return tuning_curve(ax, table, names, words, chosen="smallest", average="mean")

    def _tell(self) -> str:
        inside = self.rows[self.result.inside]["estimate"]
        ends = f"{number(inside.min())} to {number(inside.max())}"
        return f"{self.top()[0].value} in the set, estimates {ends}."  # type: ignore[union-attr]

    def methods(self) -> list[Inline]:
        """The test, its draws, the folds."""
        result = self.result
        return [
            "Candidates that are not shown to be worse than another were found by "
            "cross-validation with confidence ",
            Cite(("lei2020",)),
            f" at a level of {100 * result.level:g} %, with {result.draws} draws of the Gaussian "
            "multiplier bootstrap of the losses centred within folds, over ",
            *plan_parts(result.plan),
            ".",
        ]
