"""Tuning: the curve over the candidates and the choice."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from pycvstat.losses import loss_label
from pycvstat.procedures.selection import Rule
from pycvstat.procedures.tune import TuneResult
from pycvstat.report.content import Block, Cite, Facts, Headline, Inline, Note, Table, section
from pycvstat.report.numbers import aligned, count, listed, number, settings, sizes, table_of
from pycvstat.report.plots.candidates import tuning_curve
from pycvstat.report.sentences import (
    NAIVE,
    candidates_words,
    data_parts,
    learner_parts,
    learner_words,
    loss_words,
    parameters,
    plan_parts,
    plan_words,
    risk_words,
)
from pycvstat.report.views.base import WIDE, Picture, Sections
from pycvstat.report.views.data import DataView, failures_notes, map_of

LISTED = 40  # candidates that are listed one by one
RULES = {
    "min": "the {best} estimate",
    "one_se": "the simplest candidate within one naive standard error of the {best} estimate",
    "tolerance": "the simplest candidate within a share of {tolerance:g} of the {best} estimate",
}
CURVE = (
    "Estimate by candidate (mean of fold means), one naive standard error around it, the chosen "
    "candidate, and the {best} estimate with its standard error."
)
REFITTED = {"all": "all rows", "train": "the training rows", "none": "nothing"}


class TuneView(DataView, of=TuneResult):
    """Which candidate was chosen, and why."""

    script = True
    result: TuneResult

    @property
    def title(self) -> str:
        """The learner and the folds."""
        return f"Tuning {learner_words(self.result.learner)} by {plan_words(self.result.plan)}"

    @property
    def loss(self) -> str:
        """The loss that was minimised."""
        return self.result.means.loss

    @property
    def best(self) -> str:
        """The word for the best estimate."""
        return "smallest" if self.result.means.better == "smaller" else "largest"

    @property
    def risk(self) -> str:
        """What is estimated: a risk, or the metric of a test fold."""
        result = self.result
        if not result.metric:
            return risk_words(result.plan, self.loss, "the learner")
        return f"{result.metric} of test folds, trained on {sizes(result.plan.n_train)} rows"

    @property
    def tuned(self) -> list[str]:
        """The parameters of the grid."""
        return parameters(self.result.candidates)

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
        return [Headline(f"{chosen}: {number(self.result.estimate)}", words)]

    def findings(self) -> Sections:
        """Curve, choice, table, and what the estimate is not."""
        naive = [Note(NAIVE)] if len(self.result.plan) > 1 else []
        notes = [*self.optimism(), *failures_notes(self.result)]
        shown = self.choice(), self.figure("curve", "tuning"), self.candidates()
        return [section("Tuning", *shown, *naive), section("What the estimate is not", *notes)]

    def brief(self) -> Sections:
        """Choice, the best candidates, setting."""
        notes = [*failures_notes(self.result), *self.optimism()]
        return [section("Choice", self.choice(), self.candidates(10), *notes), *self.setting()]

    def choice(self) -> Facts:
        """What was chosen, by which rule, and with what it ties."""
        result = self.result
        tied = [settings(one) for one in result.tied] if len(result.tied) > 1 else []
        rows = (
            ("chosen", settings(result.best) or "the only candidate"),
            ("rule", rule_words(result.rule, self.best)),
            ("candidates", candidates_words(result.candidates)),
            ("ties", listed(tied, 6) or "none"),
            ("refitted on", REFITTED[result.refit]),
        )
        return Facts(rows)

    def candidates(self, few: int = LISTED) -> Table:
        """Estimates of the candidates: all, or the best ones when there are many."""
        frame = self.rows
        sign = 1 if self.best == "smallest" else -1
        order = np.argsort(sign * frame["estimate"].to_numpy(), kind="stable")
        best = order[:few].tolist()
        if self.result.choice.index not in best:
            best = [*best[:-1], self.result.choice.index]
        shown = frame.iloc[best] if len(frame) > few else frame
        headers = {name: name for name in self.tuned} | {
            "estimate": "mean of fold means",
            "pooled": "over observations",
            "std_error": "naive s.e.",
            "chosen": "chosen",
        }
        strong = np.flatnonzero(shown["chosen"].to_numpy()).tolist()
        many = f"{few} of {len(frame)} candidates, the chosen one and the best. "
        caption = (many if len(frame) > few else "") + "Estimates by candidate."
        return table_of(shown, headers, caption, strong)

    def optimism(self) -> list[Block]:
        """What the estimate of a candidate is not, once it was chosen among several."""
        size = len(self.result.candidates)
        words = (
            f"{number(self.result.estimate)} was the value that decided the choice among {size} "
            "candidates. As an estimate of the risk of the tuned procedure it tends to be too "
            f"{'small' if self.best == 'smallest' else 'large'}; nested_cv() estimates that risk."
        )
        return [Note(words)] if size > 1 else []

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The curve and the map of the folds."""
        quantity = self.result.metric or loss_label(self.loss)
        drawn = lambda ax: tuning_curve(ax, self.rows, self.tuned, quantity, self.best)  # noqa: E731
        curve = Picture(drawn, WIDE, CURVE.format(best=self.best), self._tell_curve)
        return {"curve": curve, "map": map_of(self.result.plan)}

    def _tell_curve(self) -> str:
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
            *plan_parts(result.plan),
            *data_parts(result.task),
            f" By {result.metric or loss_words(self.loss)}, ",
            f"{rule_words(result.rule, self.best)} was chosen",
            *one_se_parts(result.rule.name),
            f": {settings(result.best)}, with an estimate of {number(result.estimate)} (mean of "
            f"fold means; {number(result.pooled)} as mean over observations). This value was used "
            "for the choice and is not an estimate of the risk of the tuned procedure.",
        ]


def rule_words(rule: Rule, best: str = "smallest") -> str:
    """The selection rule in words.

    Examples
    --------
    >>> rule_words(Rule("min"))
    'the smallest estimate'
    """
    return RULES[rule.name].format(tolerance=rule.tolerance, best=best)


def one_se_parts(rule: str) -> list[Inline]:
    """The origin of the one-standard-error rule, where it was used."""
    return [" ", Cite(("breiman1984",))] if rule == "one_se" else []
