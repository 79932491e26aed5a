"""Several methods on identical folds, and losses computed elsewhere."""

from __future__ import annotations

from pycvstat.intervals.from_losses import LossResult
from pycvstat.procedures.compare import Comparison
from pycvstat.report.content import Block, Facts, Headline, Section, section
from pycvstat.report.numbers import aligned, count, listed, number
from pycvstat.report.sections import comparing, data, estimates
from pycvstat.report.subjects.base import Parts, Wanted, about_data, parts_of, question
from pycvstat.report.words import (
    loss_words,
    plan_words,
    risk_words,
)


@parts_of.register
def _(result: Comparison, wanted: Wanted) -> Parts:
    frame = result.tidy(level=wanted.level)
    names = listed(list(result.results))
    best = result.best
    top = section(
        "",
        [
            Headline(
                f"{best}: {number(result.estimate[best])}",
                f"the smallest of {count(len(result.results), 'estimate')}: "
                f"{risk_words(result.plan, result.loss, best)}",
            )
        ],
    )
    title = f"Comparison of {names}"
    about = about_data(result, result.loss)
    failed = [note for r in result.results.values() for note in estimates.failures_note(r)]
    if not wanted.full:
        blocks: list[Block] = [comparing.methods_table(frame, wanted.level), *failed]
        pairs = (
            section("Pairs", comparing.pairs_blocks(result, wanted.level))
            if len(result.results) > 1
            else None
        )
        folds = data.setting_section(result)
        return Parts(title, about, [top, section("Methods", blocks), pairs, folds])
    learners = {name: one.learner for name, one in result.results.items()}
    asked = (
        f"Which of {names} has the smallest {risk_words(result.plan, result.loss, 'the method')}, "
        "and by how much do they differ on the same folds?"
    )
    tables = {name: r.table for name, r in result.results.items()}
    sections = [
        top,
        question(asked, learners),
        data.data_section(result.task),
        data.folds_section(result),
        comparing.comparison_section(result, frame, wanted.level),
        section("", [comparing.many_note(len(result.results)), *failed]),
        comparing.folds_side_by_side(tables),
    ]
    return Parts(title, about, sections)


@parts_of.register
def _(result: LossResult, wanted: Wanted) -> Parts:
    loss = next(iter(result.tables.values())).loss
    about = f"{count(result.plan.n, 'row')} · {loss_words(loss)} · computed elsewhere"
    folds = data.folds_section(result) if wanted.full else data.setting_section(result)
    if len(result.tables) > 1:
        frame = result.tidy(level=wanted.level)
        body: list[Section | None] = (
            [
                comparing.comparison_section(result, frame, wanted.level),
                comparing.folds_side_by_side(result.tables),
            ]
            if wanted.full
            else [
                section("Methods", [comparing.methods_table(frame, wanted.level)]),
                section("Pairs", comparing.pairs_blocks(result, wanted.level)),
            ]
        )
        return Parts(f"Comparison of {listed(list(result.names))}", about, [*body, folds])
    return _one_loss(result, wanted, about, folds)


def _one_loss(result: LossResult, wanted: Wanted, about: str, folds: Section) -> Parts:
    found, notes = estimates.find_interval(result.interval, wanted.method, wanted.level)
    table = result.table
    values = aligned([result.estimate, result.pooled])
    facts = Facts((("mean of fold means", values[0]), ("mean over observations", values[1])))
    interval = [estimates.interval_facts(found, result.estimate)] if found is not None else []
    sections: list[Section | None] = [
        section("", [estimates.headline(table, found, "the procedure that made the losses")]),
        section("Estimates", [facts]),
        section("Interval", [*interval, *notes]),
        folds,
    ]
    if wanted.full and len(result.plan) > 1:
        from pycvstat.procedures.quantities import fold_rows

        sections.append(estimates.folds_section_of(result, fold_rows(table), table.loss, []))
    return Parts(f"{result.names[0]}: {plan_words(result.plan)}", about, sections, found)
