"""Data and folds: what all results over them show, a fold plan by itself, and an audit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.data.formula import quote
from pycvstat.folds.plan import FoldPlan
from pycvstat.losses import loss_label
from pycvstat.procedures.audit import UNSEEN, Audit
from pycvstat.procedures.setting import weights_used
from pycvstat.report.content import Block, Facts, Inline, Note, Table, paragraph, section
from pycvstat.report.numbers import aligned, count, listed, number, p_value, table_of
from pycvstat.report.plots.folds import FITS, fold_map, tell_folds
from pycvstat.report.plots.predictions import skill_of_permutations
from pycvstat.report.sentences import (
    ORDERS,
    capital,
    data_parts,
    folds_words,
    kept_words,
    learner_in_full,
    learner_parts,
    learner_words,
    loss_words,
    numbers_words,
    plan_parts,
    plan_words,
    seed_words,
)
from pycvstat.report.views.base import Picture, Sections, View

if TYPE_CHECKING:
    import pandas as pd

    from pycvstat.data.response import Response
    from pycvstat.data.task import Task


KINDS = {"continuous": "numbers", "nominal": "classes", "ordinal": "ordered classes"}
LEVELS = 8  # classes that are counted one by one
LISTED = 40  # folds that are listed one by one


class FoldsView(View):
    """A view of a result over folds."""

    @property
    def seed(self) -> int | None:
        """The seed of the folds, or of the inner folds where only these were drawn."""
        plan, one = self.result.plan, self.one
        drawn = plan.seed is not None or any(
            inner.seed is not None for inner in getattr(one, "inner_plans", ())
        )
        seed: int | None = getattr(one, "seed", None) if drawn else None
        return plan.seed if seed is None else seed

    @property
    def one(self) -> Any:
        """The result, or the first of several on the same folds."""
        return self.result

    def kept(self) -> list[str]:
        """The folds, where they keep groups or classes together and the title does not say so."""
        plan, words = self.result.plan, plan_words(self.result.plan)
        return [words] if kept_words(plan) and words not in self.title else []

    def folds(self, figure: bool = True) -> Sections:
        """How rows were split, as a list and as a map."""
        shown = [self.figure("map", "folds")] if figure else []
        return [section("Folds", *fold_blocks(self.result.plan, self.seed), *shown)]

    def context(self) -> Sections:
        """The folds."""
        return self.folds()

    def setting(self) -> Sections:
        """The folds in short."""
        return [section("Setting", *fold_blocks(self.result.plan, self.seed))]


class DataView(FoldsView):
    """A view of a result that was computed from data."""

    @property
    def question(self) -> str:
        """What is asked."""
        raise NotImplementedError

    @property
    def loss(self) -> str:
        """The name of the loss."""
        loss: str = self.result.loss
        return loss

    @property
    def learners(self) -> Mapping[str, Any]:
        """What is asked about, by what it is called."""
        return {"learner": self.result.learner}

    @property
    def tuned(self) -> Collection[str]:
        """The parameters that have no fixed value."""
        return ()

    @property
    def subtitle(self) -> str:
        """Formula, size, classes and loss."""
        task = self.result.task
        left_out = f" ({task.omitted} left out)" if task.omitted else ""
        parts = [task.formula.text, f"{count(task.n, 'row')}{left_out}"]
        numbers, loss = task.response.zeros_and_ones, loss_words(self.loss)
        if numbers:
            parts.append(f"0 and 1 as numbers, factor({quote(task.response.name)}) for classes")
        brier = " (of probabilities: the Brier score)" if numbers and self.loss == "squared" else ""
        parts += [*classes_words(task.response.levels), f"{loss}{brier}", *self.kept()]
        return " · ".join([*parts, ORDERS[task.sorted_by]] if task.sorted_by else parts)

    def context(self) -> Sections:
        """Question, data and folds."""
        rows = [(name, learner_in_full(one, self.tuned)) for name, one in self.learners.items()]
        asked = section("Question", paragraph(self.question), Facts(tuple(rows)))
        return [asked, section("Data", data_facts(self.result.task)), *self.folds()]

    def setting(self) -> Sections:
        """Learner, weights and folds in short."""
        only = list(self.learners.values()) if len(self.learners) == 1 else []
        head = [("learner", learner_in_full(one, self.tuned)) for one in only]
        head += weights_fact(self.result.task)
        return [section("Setting", *fold_blocks(self.result.plan, self.seed, head))]


def classes_words(levels: Sequence[str]) -> list[str]:
    """The classes of a response, and which of two counts as the event.

    Examples
    --------
    >>> classes_words(["no", "yes"]), classes_words(["a", "b", "c"]), classes_words([])
    (['classes no and yes, event yes'], ['3 classes'], [])
    """
    if len(levels) == 2:
        return [f"classes {levels[0]} and {levels[1]}, event {levels[1]}"]
    return [f"{len(levels)} classes"] if levels else []


def data_facts(task: Task) -> Facts:
    """Rows, response, predictors, weights, groups."""
    response = task.response
    groups = () if task.groups is None else np.unique(task.groups)
    rows = [
        ("formula", task.formula.text),
        ("rows", str(task.n)),
        ("response", f"{response.name} ({KINDS[response.kind]}): {spread(response)}"),
        ("zeros and ones", numbers_words(response)),
        ("predictors", predictors(task)),
        *weights_fact(task),
        ("groups", count(len(groups), "group") if len(groups) else ""),
        ("levels", ORDERS[task.sorted_by] if task.sorted_by else ""),
        ("rows left out", f"{task.omitted}, for missing values" if task.omitted else ""),
    ]
    return Facts(tuple((name, words) for name, words in rows if words))


def weights_fact(task: Task) -> list[tuple[str, str]]:
    """The range of the weights and what they do, where there are any."""
    if task.weights is None:
        return []
    low, high = aligned([task.weights.min(), task.weights.max()])
    return [("weights", f"from {low} to {high}, {weights_used(task)}")]


def predictors(task: Task) -> str:
    """Number and names of the predictors."""
    names = list(task.formula.predictors)
    kinds = [task.frame[name].kind for name in names]
    factors = sum(kind in ("factor", "ordered", "text") for kind in kinds)
    words = f"{len(names)}, of which {factors} categorical" if factors else f"{len(names)}"
    return f"{words}: {listed(names)}" if names else "none"


def spread(response: Response) -> str:
    """Mean, standard deviation and range of numbers; counts of classes."""
    if not response.levels:
        y = response.values
        deviation = f", standard deviation {number(y.std(ddof=1))}" if len(y) > 1 else ""
        return f"mean {number(y.mean())}{deviation}, from {number(y.min())} to {number(y.max())}"
    counts = np.bincount(response.values, minlength=len(response.levels))
    parts = [f"{name} {n}" for name, n in zip(response.levels, counts, strict=True)]
    return listed(parts, LEVELS)


def fold_blocks(
    plan: FoldPlan, seed: int | None, head: Sequence[tuple[str, str]] = ()
) -> list[Block]:
    """How rows were split, below what stands at the head, and what is unsound about it."""
    rows = (
        *head,
        ("plan", plan_words(plan)),
        ("made by", plan.recipe),
        ("fits", folds_words(plan)),
        *([("seed", seed_words(seed))] if seed is not None else []),
        ("fingerprint", plan.fingerprint[:16]),
    )
    problems = plan.check(refuse=False)
    note = [Note(f"These folds are not sound: {listed(list(problems), 4)}.")] if problems else []
    return [Facts(rows), *note]


def folds_table(frame: pd.DataFrame, loss: str) -> Table:
    """Errors of the folds one by one, or their distribution when they are many."""
    names = [name for name in map(str, frame.columns) if name.startswith("chosen_")]
    chosen = {name: name.replace("_", " ", 1) for name in names}
    mean_loss = f"mean {loss_label(loss)}"
    if len(frame) <= LISTED:
        repeat = {"repeat": "repeat"} if frame["repeat"].nunique() > 1 else {}
        headers = repeat | {"fold": "fold", "n_train": "train", "n_test": "test"}
        headers |= {"estimate": mean_loss} | chosen
        return table_of(frame, headers, "Mean loss on the test rows of every fit.")
    means = frame["estimate"].to_numpy()
    ends = np.quantile(means, [0, 0.25, 0.5, 0.75, 1])
    summary = ("smallest", "lower quartile", "median", "upper quartile", "largest", "mean", "sd")
    rows = zip(summary, aligned([*ends, means.mean(), means.std(ddof=1)]), strict=True)
    words = f"Mean loss on the test rows, over {count(len(frame), 'fit')}."
    return Table(("over the fits", mean_loss), tuple(rows), "lr", words)


def map_of(plan: FoldPlan) -> Picture:
    """The fold map."""
    return Picture(
        lambda ax: fold_map(ax, plan),
        (4.6, 1.1 + 0.16 * min(len(plan), FITS)),
        "Rows that train and test each fit.",
        lambda: tell_folds(plan),
    )


def failures_notes(result: Any) -> list[Block]:
    """What failed, and that it counts as NaN."""
    failures = getattr(result, "failures", ())
    if not failures:
        return []
    words = f"{count(len(failures), 'fit')} failed and count as NaN; the first: "
    return [Note(f"{words}{failures[0].where}: {failures[0].reason}")]


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


class AuditView(DataView, of=Audit):
    """What was found."""

    result: Audit

    @property
    def title(self) -> str:
        """The learner and the verdict."""
        verdict = "nothing found" if self.result else "look at what was found"
        return f"Audit of {learner_words(self.result.learner)}: {verdict}"

    @property
    def subtitle(self) -> str:
        """Folds and permutations."""
        return f"{plan_words(self.result.plan)} · {count(len(self.result.skill), 'permutation')}"

    def checks(self) -> list[Block]:
        """One row per check, and what none of them sees."""
        headers = {"check": "check", "found": "found", "finding": "finding"}
        return [table_of(self.rows, headers, ""), Note(UNSEEN)]

    def findings(self) -> Sections:
        """Checks, skill and setting."""
        blocks = [*self.checks(), self.figure("skill")]
        return [section("Checks", *blocks), *self.setting()]

    def context(self) -> Sections:
        """Nothing: the setting is among the findings."""
        return []

    def brief(self) -> Sections:
        """Checks and setting."""
        return [section("Checks", *self.checks()), *self.setting()]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """Skill on permuted responses, and the map of the folds."""
        words = "Skill on permuted responses, where there is none to have."
        drawn = lambda ax: skill_of_permutations(ax, self.result.skill)  # noqa: E731
        skill = Picture(drawn, (4.6, 2.2), words, self._tell)
        return {"skill": skill, "map": map_of(self.result.plan)}

    def _tell(self) -> str:
        result = self.result
        return (
            f"Skill on {len(result.skill)} permutations of the response: mean "
            f"{number(result.mean_skill)}, p {p_value(result.p_value)}."
        )

    def methods(self) -> list[Inline]:
        """Learner, folds, data and what was found."""
        result, p = self.result, p_value(self.result.p_value)
        split = f"; {count(len(result.split_groups), 'group')} had rows on both sides of a fit"
        near = f", and {len(result.near)} nearly did"
        return [
            "Leaks of ",
            *learner_parts(result.learner),
            " were looked for by ",
            *plan_parts(result.plan),
            *data_parts(result.task),
            f" On {count(len(result.skill), 'permutation')} of the response the mean skill (the "
            "share by which the mean loss is smaller than for the responses of other test rows) "
            f"was {number(result.mean_skill)} (one-sided t test, p "
            f"{p if p.startswith('<') else f'= {p}'}). "
            f"{count(len(result.copies), 'predictor')} nearly equalled the response, "
            f"{count(len(set(result.duplicates[:, 0])), 'test row')} a training row"
            f"{near if len(result.near) else ''}{'' if result.task.groups is None else split}.",
        ]
