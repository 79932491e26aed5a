"""The data and the folds."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.folds.plan import FoldPlan
from pycvstat.procedures.quantities import weights_words
from pycvstat.report.content import (
    Block,
    Facts,
    Figure,
    Note,
    Section,
    section,
)
from pycvstat.report.numbers import aligned, count, listed, number
from pycvstat.report.words import ORDERS, folds_words, learner_in_full, plan_words, seed_words

if TYPE_CHECKING:
    from pycvstat.data.response import Response
    from pycvstat.data.task import Task

KINDS = {"continuous": "numbers", "nominal": "classes", "ordinal": "ordered classes"}
LEVELS = 8  # classes that are counted one by one


def data_section(task: Task) -> Section:
    """Rows, response, predictors, weights, groups."""
    rows = [
        ("formula", task.formula.text),
        ("rows", str(task.n)),
        (
            "response",
            f"{task.response.name} ({KINDS[task.response.kind]}): {spread(task.response)}",
        ),
        ("predictors", predictors(task)),
    ]
    rows += weights_fact(task)
    if task.groups is not None:
        rows.append(("groups", count(len(np.unique(task.groups)), "group")))
    if task.sorted_by:
        rows.append(("levels", ORDERS[task.sorted_by]))
    if task.omitted:
        rows.append(("rows left out", f"{task.omitted}, for missing values"))
    return section("Data", [Facts(tuple(rows))])


def weights_fact(task: Task) -> list[tuple[str, str]]:
    """The range of the weights and what they do, where there are any."""
    if task.weights is None:
        return []
    low, high = aligned([task.weights.min(), task.weights.max()])
    return [("weights", f"from {low} to {high}, {weights_words(task)}")]


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


def folds_section(result: Any, figure: bool = True) -> Section:
    """How rows were split, as a list and as a map."""
    return section("Folds", [*fold_blocks(result), fold_figure(result.plan) if figure else None])


def setting_section(result: Any, learner: Any = None, tuned: Collection[str] = ()) -> Section:
    """Learner and folds in short."""
    facts, *notes = fold_blocks(result)
    assert isinstance(facts, Facts)
    head = [] if learner is None else [("learner", learner_in_full(learner, tuned))]
    task = getattr(result, "task", None)
    weights = [] if task is None else weights_fact(task)
    return section("Setting", [Facts((*head, *weights, *facts.rows)), *notes])


def fold_blocks(result: Any) -> list[Block]:
    """How rows were split, and what is unsound about it; `result` has a plan or is one."""
    plan: FoldPlan = getattr(result, "plan", result)
    seed = seed_of(result)
    rows = (
        ("plan", plan_words(plan)),
        ("made by", plan.recipe),
        ("fits", folds_words(plan)),
        *([("seed", seed_words(seed))] if seed is not None else []),
        ("fingerprint", plan.fingerprint[:16]),
    )
    problems = plan.check(refuse=False)
    note = [Note(f"These folds are not sound: {listed(list(problems), 4)}.")] if problems else []
    return [Facts(rows), *note]


def seed_of(result: Any) -> int | None:
    """The seed that folds were drawn with; None when nothing was drawn or it is not known."""
    plan: FoldPlan = getattr(result, "plan", result)
    one = next(iter(getattr(result, "results", {}).values()), result)
    inner = getattr(one, "inner_plans", ())
    if plan.seed is None and not any(p.seed is not None for p in inner):
        return None
    seed: int | None = getattr(one, "seed", plan.seed)
    return plan.seed if seed is None else seed


def fold_figure(plan: FoldPlan) -> Figure:
    """The fold map."""
    from pycvstat.report.plots import kinds_of
    from pycvstat.report.plots.folds import tell_folds

    kind = kinds_of(plan)["map"]
    return Figure(
        "folds", kind.draw, "Rows that train and test each fit.", tell_folds(plan), kind.size
    )
