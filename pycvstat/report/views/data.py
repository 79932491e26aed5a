"""Data and folds: what all results over them show, and a fold plan by itself."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pycvstat.data.formula import quote
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.problems import plan_problems
from pycvstat.losses import loss_label
from pycvstat.report.content import Block, Facts, Note, Table, paragraph, section
from pycvstat.report.numbers import aligned, capital, count, in_unit, listed, number, table_of
from pycvstat.report.plots.predictions import FITS, ROWS, fold_map, tell_folds
from pycvstat.report.sentences import (
    ORDERS,
    folds_words,
    formulas_words,
    groups_words,
    kept_words,
    learner_in_full,
    loss_words,
    numbers_words,
    plan_told,
    plan_words,
    seed_words,
    unit_of,
)
from pycvstat.report.views.base import Picture, Sections, TableView, View

if TYPE_CHECKING:
    from pycvstat.data.response import Response
    from pycvstat.data.task import Task
    from pycvstat.intervals import Interval


KINDS = {"continuous": "numbers", "nominal": "classes", "ordinal": "ordered classes"}
LEVELS = 8  # classes that are counted one by one
LISTED = 40  # folds that are listed one by one


class FoldsView(View):
    """A view of a result over folds."""

    @property
    def loss(self) -> str:
        """The name of the loss."""
        loss: str = self.result.loss
        return loss

    @property
    def task(self) -> Task | None:
        """The data, where the result has them."""
        task: Task | None = getattr(self.result, "task", None)
        return task

    @property
    def by(self) -> str:
        """What groups of rows are called."""
        return "" if self.task is None else self.task.grouped_by

    @property
    def rooted(self) -> bool:
        """Whether the square root of the loss is in the units of the response."""
        numbers = self.task is None or not self.task.response.zeros_and_ones
        return self.loss == "squared" and numbers

    @property
    def response_unit(self) -> str:
        """The unit of the response, where it was given."""
        return "" if self.task is None else self.units.get(self.task.response.name, "")

    @property
    def unit(self) -> str:
        """The unit of the loss with a blank before it, where it is known."""
        unit = unit_of(self.loss, self.response_unit)
        return f" {unit}" if unit else ""

    @property
    def quantity(self) -> str:
        """The loss beside an axis."""
        return loss_label(self.loss) + in_unit(self.unit.strip())

    @property
    def measured(self) -> str:
        """The loss with its unit, and that of its square root, to begin a caption."""
        unit = self.response_unit if self.rooted else ""
        root = f" (square root in {unit})" if unit else ""
        return capital(loss_words(self.loss)) + in_unit(self.unit.strip()) + root

    def root_words(self, value: float, found: Interval | None = None) -> str:
        """The square root of a value and its limits, to follow them; nothing of other losses."""
        if not self.rooted or not value >= 0:
            return ""
        ends = [] if found is None else [max(found.low, 0.0), found.high]
        middle, *limits = aligned([math.sqrt(v) for v in (value, *ends)], 4)
        between = f" ({' to '.join(limits)})" if limits and all(limits) else ""
        unit = f" {self.response_unit}" if self.response_unit else ""
        return f"; square root {middle}{between}{unit}"

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
        plan, words = self.result.plan, plan_words(self.result.plan, self.by)
        return [words] if kept_words(plan) and words not in self.title else []

    def told(self) -> str:
        """The folds with what they keep together."""
        plan, task = self.result.plan, self.task
        return plan_words(plan) if task is None else plan_told(plan, task)

    def folds(self, figure: bool = True) -> Sections:
        """How rows were split, as a list and as a map."""
        shown = [self.figure("map", "folds")] if figure else []
        blocks = fold_blocks(self.result.plan, self.seed, self.told())
        return [section("Folds", *blocks, *shown)]

    def context(self) -> Sections:
        """The folds."""
        return self.folds()

    def fitted(self) -> list[tuple[str, str]]:
        """What is fitted on the folds, in short."""
        return []

    def setting(self) -> Sections:
        """What is fitted, and the folds, in short."""
        blocks = fold_blocks(self.result.plan, self.seed, self.told(), self.fitted())
        return [section("Setting", *blocks)]


class DataView(FoldsView):
    """A view of a result that was computed from data."""

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
        parts = [formulas_words(task), f"{count(task.n, 'row')}{left_out}"]
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
        data = data_facts(self.result.task, self.response_unit)
        return [asked, section("Data", data), *self.folds()]

    def fitted(self) -> list[tuple[str, str]]:
        """The only learner, and the weights."""
        only = list(self.learners.values()) if len(self.learners) == 1 else []
        head = [("learner", learner_in_full(one, self.tuned)) for one in only]
        return [*head, *weights_fact(self.result.task)]


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


def data_facts(task: Task, unit: str = "") -> Facts:
    """Rows, response, predictors, weights, groups."""
    response, what = task.response, unit or KINDS[task.response.kind]
    rows = [
        ("formula" if len(task.texts) == 1 else "formulas", formulas_words(task)),
        ("rows", str(task.n)),
        ("response", f"{response.name} ({what}): {spread(response)}"),
        ("zeros and ones", numbers_words(response)),
        ("predictors", predictors(task)),
        *weights_fact(task),
        ("groups", groups_words(task)),
        ("levels", ORDERS[task.sorted_by] if task.sorted_by else ""),
        ("rows left out", f"{task.omitted}, for missing values" if task.omitted else ""),
    ]
    return Facts(tuple((name, words) for name, words in rows if words))


def weights_fact(task: Task) -> list[tuple[str, str]]:
    """The range of the weights and what they do, where there are any."""
    weights = task.loss_weights if task.weights is None else task.weights
    if weights is None:
        return []
    low, high = aligned([weights.min(), weights.max()])
    return [("weights", f"from {low} to {high}, {task.weights_used}")]


def predictors(task: Task) -> str:
    """Number and names of the predictors."""
    names = list(dict.fromkeys(n for one in task.own or [task.formula] for n in one.predictors))
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
    plan: FoldPlan, seed: int | None, told: str, head: Sequence[tuple[str, str]] = ()
) -> list[Block]:
    """How rows were split, below what stands at the head, and what is unsound about it."""
    rows = (
        *head,
        ("plan", told),
        ("fits", folds_words(plan)),
        *([("seed", seed_words(seed))] if seed is not None else []),
        ("made by", f"{plan.recipe}, fingerprint {plan.fingerprint[:16]}"),
    )
    problems = plan_problems(plan)
    note = [Note(f"These folds are not sound: {listed(list(problems), 4)}.")] if problems else []
    return [Facts(rows), *note]


def folds_table(frame: pd.DataFrame, quantity: str) -> Table:
    """Errors of the folds one by one, or their distribution when they are many."""
    names = [name for name in map(str, frame.columns) if name.startswith("chosen_")]
    chosen = {name: name.replace("_", " ", 1) for name in names}
    mean_loss = f"mean {quantity}"
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
        plan.tidy,
        folded=plan.n > ROWS,
    )


def failures_notes(result: Any) -> list[Block]:
    """What failed, and that it counts as NaN."""
    failures = getattr(result, "failures", ())
    if not failures:
        return []
    words = f"{count(len(failures), 'fit')} failed and count as NaN; the first: "
    return [Note(f"{words}{failures[0].where}: {failures[0].reason}")]


class PlanView(TableView, of=FoldPlan):
    """How rows are split."""

    heading, kind, anchor = "Folds", "map", "folds"
    result: FoldPlan

    @property
    def title(self) -> str:
        """The plan in words."""
        return capital(plan_words(self.result))

    @property
    def subtitle(self) -> str:
        """Rows and fits."""
        return f"{count(self.result.n, 'row')} · {folds_words(self.result)}"

    def blocks(self) -> list[Block]:
        """The plan as a list."""
        return fold_blocks(self.result, self.result.seed, plan_words(self.result))

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The map."""
        return {"map": map_of(self.result)}
