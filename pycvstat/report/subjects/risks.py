"""Cross-validation, nested cross-validation, tuning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pycvstat.intervals import Interval
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.nested import NestedResult
from pycvstat.procedures.tune import TuneResult
from pycvstat.report.content import Block, Facts, Headline, Section, section
from pycvstat.report.numbers import number, settings
from pycvstat.report.sections import data, estimates, tuning
from pycvstat.report.subjects.base import Parts, about_data, parts_of, question
from pycvstat.report.wanted import Wanted
from pycvstat.report.words import (
    candidates_words,
    learner_words,
    loss_words,
    parameters,
    plan_words,
    risk_words,
)


@parts_of.register
def _(result: CVResult, wanted: Wanted) -> Parts:
    found, notes = estimates.find_interval(result.interval, wanted.method, wanted.level)
    return _cv_parts(
        result,
        wanted,
        found,
        notes,
        f"{learner_words(result.learner)}: {plan_words(result.plan)}",
        f"How large is the {_asked(result, found, learner_words(result.learner))}?",
    )


def _asked(result: CVResult, found: Interval | None, of: str) -> str:
    """What is asked for: what the interval is about, or without one what the mean estimates."""
    if found is None:
        return risk_words(result.plan, result.loss, of)
    return found.about.words(of, f"risk ({loss_words(result.loss)})")


def _cv_parts(
    result: CVResult,
    wanted: Wanted,
    found: Interval | None,
    notes: Sequence[Block],
    title: str,
    asked: str,
    tuned: Sequence[Section | None] = (),
) -> Parts:
    nested = isinstance(result, NestedResult)
    of = "the tuned procedure" if nested else learner_words(result.learner)
    top = section("", [estimates.headline(result.table, found, of)])
    numbers = [
        estimates.estimates_table(
            result.tidy("estimate", level=wanted.level)
            if wanted.method == "auto"
            else _with(result, found),
            wanted.level,
            found,
        ),
        *estimates.failures_note(result),
        *estimates.fit_notes(result),
    ]
    interval = [estimates.interval_facts(found, result.estimate)] if found is not None else []
    middle: list[Section | None] = [
        section("Estimates", numbers),
        section("Interval", [*interval, *notes]) if interval or notes else None,
    ]
    if not wanted.full:
        folds = data.setting_section(result, result.learner)
        return Parts(title, about_data(result, result.loss), [top, *middle, *tuned, folds], found)
    sections = [
        top,
        question(asked, {"learner": result.learner}),
        data.data_section(result.task),
        data.folds_section(result, figure=not nested),
        *middle,
        estimates.folds_section_of(result, result.tidy("folds"), result.loss, wanted),
        *tuned,
        estimates.predictions_section(result),
    ]
    return Parts(title, about_data(result, result.loss), sections, found)


def _with(result: Any, found: Interval | None) -> Any:
    """The estimates with an interval that was asked for by name."""
    frame = result.tidy()
    if found is not None:
        columns = ["std_error", "conf_low", "conf_high", "method"]
        frame.loc[0, columns] = [found.std_error, found.low, found.high, found.method]
    return frame


@parts_of.register
def _(result: NestedResult, wanted: Wanted) -> Parts:
    found, notes = estimates.find_interval(result.interval, wanted.method, wanted.level)
    inside = result.tuned
    of = f"{learner_words(inside.learner)} with parameters chosen by inner folds"
    tuned = (
        [tuning.nested_section(result), tuning.final_section(result)]
        if wanted.full
        else [_chosen(result)]
    )
    return _cv_parts(
        result,
        wanted,
        found,
        notes,
        f"{learner_words(inside.learner)}: nested cross-validation",
        f"How large is the {_asked(result, found, of)}? The tuning is part of the "
        "procedure whose risk is estimated.",
        tuned,
    )


def _chosen(result: NestedResult) -> Section:
    rows = (
        ("candidates", candidates_words(result.candidates)),
        ("rule", tuning.rule_words(result.tuned.selection_rule())),
        ("inner folds", result.inner_plan.recipe if result.inner_plan else "-"),
    )
    return section("Tuning inside the outer fits", [Facts(rows), tuning.selection_table(result)])


@parts_of.register
def _(result: TuneResult, wanted: Wanted) -> Parts:
    title = f"Tuning {learner_words(result.learner)} by {plan_words(result.plan)}"
    value = f"{settings(result.best) or 'the only candidate'}: {number(result.estimate)}"
    top = section(
        "", [Headline(value, "the chosen candidate and its estimate (mean of fold means)")]
    )
    about = about_data(result, result.means.loss)
    if not wanted.full:
        few: list[Block] = [tuning.choice_facts(result), tuning.candidates_table(result, 10)]
        folds = data.setting_section(result, result.learner, parameters(result.candidates))
        notes = [*estimates.failures_note(result), *tuning.optimism_notes(result)]
        return Parts(title, about, [top, section("Choice", [*few, *notes]), folds])
    asked = (
        f"Which of {candidates_words(result.candidates)} of {learner_words(result.learner)} has "
        f"the smallest {risk_words(result.plan, result.means.loss, 'the learner')}?"
    )
    sections = [
        top,
        question(asked, {"learner": result.learner}, parameters(result.candidates)),
        data.data_section(result.task),
        data.folds_section(result),
        tuning.tuning_section(result),
        section(
            "What the estimate is not",
            [*tuning.optimism_notes(result), *estimates.failures_note(result)],
        ),
    ]
    return Parts(title, about, sections)
