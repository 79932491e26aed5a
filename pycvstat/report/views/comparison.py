"""Several learners on identical folds: which has the smallest risk, and by how much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pycvstat.procedures.compare import Comparison
from pycvstat.report.content import Block, Headline, Inline, Note, section
from pycvstat.report.numbers import count, listed, number
from pycvstat.report.sentences import data_parts, learner_parts, loss_words, plan_parts, risk_words
from pycvstat.report.views.base import Sections
from pycvstat.report.views.comparing import ComparingView
from pycvstat.report.views.data import DataView, failures_notes


class ComparisonView(ComparingView, DataView, of=Comparison):
    """Which learner has the smallest risk."""

    script = True
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
