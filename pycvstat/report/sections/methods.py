"""The paragraph for the methods part of a paper, and the works it cites."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.errors import IntervalError, heard
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals import Interval
from pycvstat.intervals.from_losses import LossResult
from pycvstat.intervals.layouts import layout
from pycvstat.intervals.method import METHODS
from pycvstat.intervals.paired import Paired
from pycvstat.procedures.audit import Audit
from pycvstat.procedures.compare import Comparison
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.error_curve import ErrorCurve
from pycvstat.procedures.learning_curve import LearningCurve
from pycvstat.procedures.nested import NestedResult
from pycvstat.procedures.tune import TuneResult
from pycvstat.r.check.table import Crosscheck
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
from pycvstat.report.numbers import count, listed, number, p_value, settings, sizes
from pycvstat.report.sections.data import seed_of
from pycvstat.report.sections.estimates import moved
from pycvstat.report.sections.provenance import versions
from pycvstat.report.sections.tuning import rule_words
from pycvstat.report.words import (
    candidates_words,
    changed_params,
    interval_words,
    loss_words,
    parameters,
    plan_words,
)

if TYPE_CHECKING:
    from pycvstat.data.task import Task

Parts = list[Inline]
STATSMODELS = "seabold2010"


@singledispatch
def methods_parts(result: Any, found: Interval | None) -> Parts:
    """Sentences with citations about how a result was obtained."""
    return []


@methods_parts.register
def _(result: CVResult, found: Interval | None) -> Parts:
    return [
        f"The risk ({loss_words(result.loss)}) of ",
        *learner_parts(result.learner),
        " was estimated by ",
        *plan_parts(result.plan),
        *data_parts(result.task),
        *estimate_parts(result.estimate, result.pooled, result.plan),
        *bias_parts(result),
        *interval_parts(found, result.estimate),
    ]


@methods_parts.register
def _(result: NestedResult, found: Interval | None) -> Parts:
    inner = result.inner_plan
    tuned = parameters(result.candidates)
    tuning: Parts = [
        f" The parameters were chosen among {candidates_words(result.candidates)} on the training "
        "rows of each outer fit"
    ]
    tuning += [" by ", Verbatim(inner.recipe)] if inner is not None else []
    tuning += [f", taking {rule_words(result.tuned.selection_rule())}"]
    tuning += one_se_parts(result.tuned.rule)
    tuning += [
        ", and the chosen learner was fitted again on those rows. Chosen were "
        f"{chosen_words(result)}."
    ]
    return [
        f"The risk ({loss_words(result.loss)}) of ",
        *learner_parts(result.tuned.learner, tuned),
        f", with {listed(tuned)} tuned, was estimated by nested cross-validation ",
        Cite(("varma2006",)),
        "; the outer folds were ",
        *plan_parts(result.plan),
        *data_parts(result.task),
        *tuning,
        *estimate_parts(result.estimate, result.pooled, result.plan),
        *interval_parts(found, result.estimate),
    ]


def one_se_parts(rule: str) -> Parts:
    """The origin of the one-standard-error rule, where it was used."""
    return [" ", Cite(("breiman1984",))] if rule == "one_se" else []


def chosen_words(result: NestedResult) -> str:
    """The candidates that were chosen, most frequent first: "k = 3 (5 times)"."""
    frame = result.selection()
    frame = frame[frame["times"] > 0].sort_values("times", ascending=False, kind="stable")
    names = parameters(result.candidates)
    parts = [
        f"{settings({n: row[n] for n in names})} ({_times(int(row['times']))})"
        for _, row in frame.iterrows()
    ]
    return listed(parts, 6)


def _times(n: int) -> str:
    return {1: "once", 2: "twice"}.get(n, f"{n} times")


@methods_parts.register
def _(result: TuneResult, found: Interval | None) -> Parts:
    tuned = parameters(result.candidates)
    return [
        f"The parameter {listed(tuned)} of " if len(tuned) == 1 else f"{listed(tuned)} of ",
        *learner_parts(result.learner, tuned),
        f" {'was' if len(tuned) == 1 else 'were'} chosen among "
        f"{candidates_words(result.candidates)} by ",
        *plan_parts(result.plan),
        *data_parts(result.task),
        f" By {loss_words(result.means.loss)}, {rule_words(result.rule)} was chosen",
        *one_se_parts(result.rule.name),
        f": {settings(result.best)}, with an estimate of {number(result.estimate)} (mean of fold "
        f"means; {number(result.pooled)} as mean over observations). This value was used for the "
        "choice and is not an estimate of the risk of the tuned procedure.",
    ]


@methods_parts.register
def _(result: Comparison, found: Interval | None) -> Parts:
    parts: Parts = []
    for name, one in result.results.items():
        parts += ["; " if parts else "", f"{name}: ", *learner_parts(one.learner)]
    values = [f"{name} {number(value)}" for name, value in result.estimate.items()]
    return [
        f"The risks of {count(len(result.results), 'method')} (",
        *parts,
        f") for {loss_words(result.loss)} were estimated on identical folds by ",
        *plan_parts(result.plan),
        *data_parts(result.task),
        f" The estimates, means of the fold means, were {listed(values)}.",
        *pairs_parts(result),
    ]


@methods_parts.register
def _(result: LossResult, found: Interval | None) -> Parts:
    loss = next(iter(result.tables.values())).loss
    start: Parts = [
        f"The losses{'' if loss == 'loss' else f' ({loss_words(loss)})'} were computed elsewhere, "
        "over ",
        *plan_parts(result.plan),
        ".",
    ]
    if len(result.tables) > 1:
        values = [f"{name} {number(value)}" for name, value in result.estimate.items()]
        means: Parts = [f" The estimates, means of the fold means, were {listed(values)}."]
        return [*start, *means, *pairs_parts(result)]
    return [
        *start,
        *estimate_parts(result.estimate, result.pooled, result.plan),
        *interval_parts(found, result.estimate),
    ]


@methods_parts.register(ErrorCurve)
@methods_parts.register(LearningCurve)
def _(result: ErrorCurve | LearningCurve, found: Interval | None) -> Parts:
    if isinstance(result, ErrorCurve):
        what, tuned = "candidate", parameters(result.candidates)
    else:
        what, tuned = "training size", []
    return [
        f"The train and test errors ({loss_words(result.loss)}) of ",
        *learner_parts(result.learner, tuned),
        f" were estimated for every {what} by ",
        *plan_parts(result.plan),
        *data_parts(result.task),
        " Errors are means of the fold means; the train error is measured on the rows a fit was "
        "trained on.",
    ]


@methods_parts.register
def _(result: Interval, found: Interval | None) -> Parts:
    return interval_parts(result)


@methods_parts.register
def _(result: Paired, found: Interval | None) -> Parts:
    words = f"{result.names[0]} minus {result.names[1]} was {number(result.estimate)}"
    return [f"On identical folds the difference {words}.", *interval_parts(result.interval)]


@methods_parts.register
def _(result: Audit, found: Interval | None) -> Parts:
    p = p_value(result.p_value)
    split = count(len(result.split_groups), "group")
    return [
        "Leaks of ",
        *learner_parts(result.learner),
        " were looked for by ",
        *plan_parts(result.plan),
        *data_parts(result.task),
        f" On {count(len(result.skill), 'permutation')} of the response the mean skill (the share "
        "by which the mean loss is smaller than for the responses of other test rows) was "
        f"{number(result.mean_skill)} (one-sided t test, p "
        f"{p if p.startswith('<') else f'= {p}'}). "
        f"{count(len(result.copies), 'predictor')} nearly equalled the response, "
        f"{count(len(set(result.duplicates[:, 0])), 'test row')} a training row"
        + ("." if result.task.groups is None else f"; {split} had rows on both sides of a fit."),
    ]


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


def bias_parts(result: CVResult) -> Parts:
    """The bias-adjusted estimate, where it was asked for."""
    if result.bias is None:
        return []
    words = f" Adjusted for the bias of smaller training sets it was {number(result.adjusted)} "
    return [words, Cite(("burman1989",)), "."]


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


def pairs_parts(result: Any) -> Parts:
    """How pairs of methods were tested."""
    names = getattr(result, "results", None) or result.tables
    if len(names) < 2:
        return []
    with heard():
        try:
            used = [m for m in dict.fromkeys(result.pairs()["method"]) if m != "none"]
        except IntervalError:
            return []
    keys = tuple(dict.fromkeys(key for name in used for key in METHODS[name].citation))
    if not keys:
        return []
    title = ", ".join(METHODS[name].title for name in used)
    return [
        f" Pairs were compared by the {title} on the differences ",
        Cite(keys),
        ", p values adjusted for their number by Holm's method ",
        Cite(("holm1979", STATSMODELS)),
        ".",
    ]


def software_parts(result: Any, check: Crosscheck | None, cited: Collection[str]) -> Parts:
    """Versions of what ran, the origin of random numbers, and the cross-check."""
    found = versions()
    used = [f"pycvstat {found['pycvstat']}", f"Python {found['python']}"]
    if STATSMODELS in cited:
        used.insert(1, f"statsmodels {found['statsmodels']}")
    parts: Parts = [f" Computations used {listed(used)}."]
    seed = seed_of(result) if hasattr(result, "plan") else None
    if seed is not None:
        parts += [
            " Folds were drawn with R's random numbers ",
            Cite(("rcore",)),
            f", seed {seed}.",
        ]
    if check is not None:
        parts.append(_check_words(check))
    return parts


def _check_words(check: Crosscheck) -> str:
    return (
        f" The same quantities were computed by {check.r_version or 'R'} and compared within the "
        f"stated tolerances: {check.words}."
    )


def methods_section(result: Any, found: Interval | None, check: Crosscheck | None) -> Section:
    """The paragraph, the references, and their BibTeX."""
    from pycvstat.report.citations import bibtex

    words = paragraph(*all_parts(result, found, check))
    return section(
        "Methods, ready to paste",
        [words, References(), Code(bibtex(keys_of(words.parts)), "bibtex", "BibTeX")],
    )


def citation_keys(result: Any, found: Interval | None) -> tuple[str, ...]:
    """Keys of the works that a result rests on."""
    return (*keys_of(all_parts(result, found, None)), "pycvstat")


def all_parts(result: Any, found: Interval | None, check: Crosscheck | None) -> Parts:
    """How the result was obtained, and by which software."""
    parts = methods_parts(result, found)
    return [*parts, *software_parts(result, check, keys_of(parts))]


def keys_of(parts: Sequence[Inline]) -> tuple[str, ...]:
    """Keys of the works that are cited, each once."""
    return tuple(dict.fromkeys(k for part in parts if isinstance(part, Cite) for k in part.keys))
