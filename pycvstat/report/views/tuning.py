"""Estimates over candidates or training sizes, and tuning: the curve and the choice."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pycvstat.procedures.tune import TuneResult
from pycvstat.report.content import Block, Facts, Headline, Inline, Note, Table, section
from pycvstat.report.numbers import aligned, count, listed, number, setting, settings, table_of
from pycvstat.report.plots.candidates import CURVE, tuning_curve
from pycvstat.report.sentences import (
    NAIVE,
    candidates_words,
    cited,
    data_parts,
    learner_parts,
    learner_words,
    loss_words,
    parameters,
    plan_parts,
    plan_words,
    risk_words,
    training_rows,
)
from pycvstat.report.views.base import WIDE, WIDER, Picture, Sections
from pycvstat.report.views.data import DataView, failures_notes, map_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LISTED = 40  # candidates that are listed one by one


class GridView(DataView):
    """A view of estimates over candidates or over training sizes."""

    caption: str
    """Of the curve."""
    column = "test"
    """The estimate that is smallest, or largest, for the best candidate."""
    headers: ClassVar[dict[str, str]]
    """Of the estimates in the table, below what they are for."""
    best = "smallest"
    """The word for the best estimate."""

    @property
    def tuned(self) -> Sequence[str]:
        """The parameters of the grid."""
        return parameters(self.result.candidates)

    @cached_property
    def order(self) -> list[int]:
        """Rows of the table, the best first."""
        values = self.rows[self.column].to_numpy()
        signed = values if self.best == "smallest" else -values
        return [int(row) for row in np.argsort(signed, kind="stable")]

    def shown(self, few: int) -> list[int]:
        """The rows that a table of so many has: all, or the best."""
        return list(range(len(self.rows))) if len(self.rows) <= few else self.order[:few]

    def strong(self) -> int:
        """The row that is emphasised."""
        return self.order[0]

    def listed(self, few: int = LISTED) -> Table:
        """Estimates by candidate: all, or the best ones when there are many."""
        shown, total = self.shown(few), len(self.rows)
        many = "" if len(shown) == total else f"The best {len(shown)} of {total} candidates. "
        headers = {name: name for name in self.tuned} | self.headers
        strong = [shown.index(self.strong())] if self.strong() in shown else []
        words = f"{many}{self.measured}, means of the fold means."
        return table_of(self.rows.iloc[shown], headers, words, strong)

    def main_table(self) -> Table:
        """The best candidates."""
        return self.listed(10)

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The curve and the map of the folds."""
        size = WIDE if len(self.tuned) < 2 else WIDER
        curve = Picture(self.draw, size, self.caption, self.tell)
        return {"curve": curve, "map": map_of(self.result.plan)}

    def draw(self, ax: Axes) -> Axes:
        """The curve."""
        raise NotImplementedError

    def tell(self) -> str:
        """What the curve shows."""
        raise NotImplementedError


REFITTED = {"all": "all rows", "train": "the training rows", "none": "nothing"}


class TuneView(GridView, of=TuneResult):
    """Which candidate was chosen, and why."""

    column = "estimate"
    headers: ClassVar[dict[str, str]] = {
        "estimate": "mean of fold means",
        "pooled": "over observations",
        "std_error": "naive s.e.",
        "chosen": "chosen",
    }
    result: TuneResult

    @property
    def title(self) -> str:
        """The learner and the folds."""
        folds = plan_words(self.result.plan, self.by)
        return f"Tuning {learner_words(self.result.learner)} by {folds}"

    @property
    def loss(self) -> str:
        """The loss that was minimised."""
        return self.result.means.loss

    @property
    def best(self) -> str:  # type: ignore[override]
        """The word for the best estimate."""
        return "smallest" if self.result.means.better == "smaller" else "largest"

    @property
    def risk(self) -> str:
        """What is estimated: a risk, or the metric of a test fold."""
        result = self.result
        if not result.metric:
            return risk_words(result.plan, self.loss, "the learner")
        return f"{result.metric} of test folds, trained on {training_rows(result.plan)} rows"

    @property
    def quantity(self) -> str:
        """The metric or the loss beside an axis."""
        return self.result.metric or super().quantity

    @property
    def measured(self) -> str:
        """The metric or the loss, to begin a caption."""
        return self.result.metric or super().measured

    @property
    def caption(self) -> str:  # type: ignore[override]
        """What the curve shows."""
        return CURVE.format(best=self.best)

    @property
    def question(self) -> str:
        """Which candidate is best."""
        result = self.result
        return (
            f"Which of {candidates_words(result.candidates)} of {learner_words(result.learner)} "
            f"has the {self.best} {self.risk}?"
        )

    def top(self) -> list[Block]:
        """The chosen candidate."""
        chosen = settings(self.result.best) or "the only candidate"
        words = "the chosen candidate and its estimate (mean of fold means)"
        value, of = self.result.estimate, "" if self.result.metric else self.unit
        root = "" if self.result.metric else self.root_words(value)
        return [Headline(f"{chosen}: {number(value)}{of}", words + root)]

    def sentence(self) -> str:
        """The chosen candidate, among how many, by which rule."""
        result = self.result
        return (
            f"By {self.told()}, {settings(result.best) or 'the only candidate'} was chosen among "
            f"{candidates_words(result.candidates)} as {result.rule.words(self.best)} of "
            f"the {self.risk}: {number(result.estimate)}{'' if result.metric else self.unit}."
        )

    def findings(self) -> Sections:
        """Curve, choice, table, and what the estimate is not."""
        naive: list[Block] = [Note(NAIVE)] if len(self.result.plan) > 1 else []
        notes = [*self.optimism(), *failures_notes(self.result)]
        naive += standing_notes(self.result)
        shown = self.choice(), self.figure("curve", "tuning"), self.listed()
        return [section("Tuning", *shown, *naive), section("What the estimate is not", *notes)]

    def brief(self) -> Sections:
        """Choice, the best candidates, setting."""
        notes = [*failures_notes(self.result), *standing_notes(self.result), *self.optimism()]
        return [section("Choice", self.choice(), self.listed(10), *notes), *self.setting()]

    def choice(self) -> Facts:
        """What was chosen, by which rule, and with what it ties."""
        result = self.result
        tied = [settings(one) for one in result.tied] if len(result.tied) > 1 else []
        rows = (
            ("chosen", settings(result.best) or "the only candidate"),
            ("rule", result.rule.words(self.best)),
            ("candidates", candidates_words(result.candidates)),
            ("ties", listed(tied, 6) or "none"),
            ("refitted on", REFITTED[result.refit]),
        )
        return Facts(rows)

    def python(self) -> str:
        """tune."""
        rule = self.result.rule
        how = {"rule": rule.name, "complexity": rule.complexity, "tolerance": rule.tolerance}
        how |= {"metric": self.result.metric} if self.result.metric else {"loss": self.loss}
        given = ", ".join(f"{name}={value!r}" for name, value in how.items())
        grid = repr(list(self.result.candidates)).replace("{", "{{").replace("}", "}}")
        return f"pcv.tune(learner, {{data}}, {{more}}, folds=folds, grid={grid}, {given})"

    def strong(self) -> int:
        """The chosen candidate."""
        return self.result.choice.index

    def shown(self, few: int) -> list[int]:
        """The best candidates, and the chosen one where it is none of these."""
        rows = super().shown(few)
        return rows if self.strong() in rows else [*rows[:-1], self.strong()]

    def optimism(self) -> list[Block]:
        """What the estimate of a candidate is not, once it was chosen among several."""
        size = len(self.result.candidates)
        words = (
            f"{number(self.result.estimate)} was the value that decided the choice among {size} "
            "candidates. As an estimate of the risk of the tuned procedure it tends to be too "
            f"{'small' if self.best == 'smallest' else 'large'}; nested cross-validation estimates "
            "that risk."
        )
        return [Note(words)] if size > 1 else []

    def draw(self, ax: Axes, confidence_set: float | None = None) -> Axes:
        """The estimates over the candidates; of a level also its confidence set."""
        rows = self.rows
        if confidence_set is not None:
            rows = rows.assign(inside=self.result.confidence_set(confidence_set).inside)
        return tuning_curve(ax, rows, self.tuned, self.quantity, self.best)

    def tell(self) -> str:
        """The range of the estimates, and the choice."""
        frame = self.rows
        chosen = frame[frame["chosen"]].iloc[0]
        ends = [frame["estimate"].min(), frame["estimate"].max(), chosen["estimate"]]
        low, high, value = aligned(ends)
        return (
            f"Estimates of {count(len(frame), 'candidate')} from {low} to {high}; chosen: "
            f"{settings({name: chosen[name] for name in self.tuned})}, estimate {value}."
        )

    def methods(self) -> list[Inline]:
        """Candidates, folds, data, rule and choice."""
        result, tuned = self.result, self.tuned
        return [
            f"The parameter {listed(tuned)} of " if len(tuned) == 1 else f"{listed(tuned)} of ",
            *learner_parts(result.learner, tuned),
            f" {'was' if len(tuned) == 1 else 'were'} chosen among "
            f"{candidates_words(result.candidates)} by ",
            *plan_parts(result.plan, result.task),
            *data_parts(result.task),
            f" By {result.metric or loss_words(self.loss)}, ",
            f"{result.rule.words(self.best)} was chosen",
            *cited(result.rule.citation),
            f": {settings(result.best)}, with an estimate of {number(result.estimate)} (mean of "
            f"fold means; {number(result.pooled)} as mean over observations). This value was used "
            "for the choice and is not an estimate of the risk of the tuned procedure.",
        ]


def standing_notes(result: TuneResult) -> list[Block]:
    """What to know before the choice is taken at its word: edge, ties, noise."""
    found, words = result.standing, list[str]()
    for name, end in found.edge.items():
        beyond = "smaller" if end == "smallest" else "larger"
        words.append(
            f"The chosen {name} = {setting(result.best[name])} is the {end} of the grid: {beyond} "
            "values may be better."
        )
    if found.tied > 1:
        how = "the first of them" if result.rule.complexity is None else "the simplest of them"
        words.append(f"{found.tied} candidates tie exactly; {how} stands at the head.")
    if found.within_noise and found.runner_up is not None:
        lead, noise = aligned([found.lead, found.noise])
        others = f", and so are {count(found.close - 1, 'other')}" if found.close > 1 else ""
        words.append(
            f"The lead over the runner-up ({settings(result.candidates[found.runner_up])}), {lead},"
            f" is within the noise of the split: its naive standard error is {noise}{others}."
        )
    return [Note(text) for text in words]
