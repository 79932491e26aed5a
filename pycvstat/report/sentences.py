"""Sentences of the methods part that several views share, and the part itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.intervals.method import layout
from pycvstat.report.citations import bibtex
from pycvstat.report.content import (
    Cite,
    Code,
    Inline,
    References,
    Section,
    Verbatim,
    paragraph,
    section,
)
from pycvstat.report.numbers import count, listed, number, settings, sizes
from pycvstat.report.reproduce import versions
from pycvstat.report.words import (
    candidates_words,
    changed_params,
    interval_words,
    moved,
    parameters,
    plan_words,
)

if TYPE_CHECKING:
    from pycvstat.data.task import Task
    from pycvstat.folds.plan import FoldPlan
    from pycvstat.intervals import Interval
    from pycvstat.r.check.table import Crosscheck
    from pycvstat.report.views.base import View

Parts = list[Inline]
STATSMODELS = "seabold2010"


def learner_parts(learner: Any, tuned: Collection[str] = ()) -> Parts:
    """A learner with its parameters, without the tuned ones, and the works it goes back to."""
    if learner.candidates:
        names = parameters(learner.candidates)
        return [
            *learner_parts(learner.base, names),
            f" tuned over {candidates_words(learner.candidates)}",
        ]
    params = learner.params()
    told = {name: params[name] for name in learner.always_told} | changed_params(learner)
    told = {name: value for name, value in told.items() if name not in tuned}
    words = (learner.title or learner.name) + (f" with {settings(told)}" if told else "")
    return [words, *([" ", Cite(learner.citation)] if learner.citation else [])]


def plan_parts(plan: FoldPlan) -> Parts:
    """A fold plan with its recipe."""
    crossed = layout(plan) in ("K-fold", "leave-one-out", "repeated K-fold")
    cite: Parts = [" ", Cite(("stone1974",))] if crossed else []
    return [plan_words(plan), *cite, " with folds made by ", Verbatim(plan.recipe)]


def data_parts(task: Task) -> Parts:
    """The data at the end of a sentence."""
    left_out = (
        f"; {count(task.omitted, 'row')} with missing values left out" if task.omitted else ""
    )
    weights = "" if task.weights is None else " Weights entered the fits and not the losses."
    groups = "" if task.groups is None else f" in {count(len(np.unique(task.groups)), 'group')}"
    on = f", on {count(task.n, 'row')}{groups} ("
    return [on, Verbatim(task.formula.text), f"{left_out}).{weights}"]


def estimate_parts(estimate: float, pooled: float, plan: FoldPlan) -> Parts:
    """Both averages."""
    if len(plan) == 1:
        return [f" The mean loss on the {sizes(plan.n_test)} test rows was {number(estimate)}."]
    return [
        f" The estimate, the mean of the fold means, was {number(estimate)} (mean over "
        f"observations: {number(pooled)})."
    ]


def interval_parts(found: Interval | None, estimate: float | None = None) -> Parts:
    """The interval, its centre where it is another, its method and what it is about."""
    if found is None:
        return []
    centre = f" around {number(found.estimate)}" if moved(found, estimate) else ""
    return [
        f" The {interval_words(found)}{centre} is {_article(found.title)} ",
        Cite(found.citation),
        f"; it is about the {found.estimand}.",
    ]


def _article(title: str) -> str:
    return f"{'an' if title[0].lower() in 'aeiou' else 'a'} {title} interval".replace(
        "interval interval", "interval"
    )


def software_parts(view: View, check: Crosscheck | None, cited: Collection[str]) -> Parts:
    """Versions of what ran, the origin of random numbers, and the cross-check."""
    found = versions()
    used = [f"pycvstat {found['pycvstat']}", f"Python {found['python']}"]
    if STATSMODELS in cited:
        used.insert(1, f"statsmodels {found['statsmodels']}")
    parts: Parts = [f" Computations used {listed(used)}."]
    if view.plan is not None and view.seed is not None:
        words = " Folds were drawn with R's random numbers "
        parts += [words, Cite(("rcore",)), f", seed {view.seed}."]
    if check is not None:
        parts.append(
            f" The same quantities were computed by {check.r_version or 'R'} and compared within "
            f"the stated tolerances: {check.words}."
        )
    return parts


def methods_section(view: View, check: Crosscheck | None) -> Section:
    """The paragraph, the references, and their BibTeX."""
    words = paragraph(*methods_text(view, check))
    return section(
        "Methods, ready to paste",
        words,
        References(),
        Code(bibtex(keys_of(words.parts)), "bibtex", "BibTeX"),
    )


def methods_text(view: View, check: Crosscheck | None = None) -> Parts:
    """How the result was obtained, and by which software."""
    parts = view.methods()
    return [*parts, *software_parts(view, check, keys_of(parts))]


def keys_of(parts: Sequence[Inline]) -> tuple[str, ...]:
    """Keys of the works that are cited, each once."""
    return tuple(dict.fromkeys(k for part in parts if isinstance(part, Cite) for k in part.keys))
