"""Several methods on identical folds, and losses computed elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from pycvstat.intervals.from_losses import LossResult
from pycvstat.procedures.compare import Comparison
from pycvstat.report.content import Block, Facts, Headline, Section, section
from pycvstat.report.numbers import aligned, count, listed, number
from pycvstat.report.sections import comparing, data, estimates
from pycvstat.report.subjects.base import Parts, about_data, parts_of, question
from pycvstat.report.wanted import Wanted
from pycvstat.report.words import (
    loss_words,
    plan_words,
    risk_words,
)


@parts_of.register
def _(result: Comparison, wanted: Wanted) -> Parts:
    tables = {name: r.table for name, r in result.results.items()}
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
        body = _brief(tables, wanted, failed)
        return Parts(title, about, [top, *body, data.setting_section(result)])
    learners = {name: one.learner for name, one in result.results.items()}
    asked = (
        f"Which of {names} has the smallest {risk_words(result.plan, result.loss, 'the method')}, "
        "and by how much do they differ on the same folds?"
    )
    sections = [
        top,
        question(asked, learners),
        data.data_section(result.task),
        data.folds_section(result),
        comparing.comparison_section(result, tables, wanted),
        section("", [comparing.many_note(len(result.results)), *failed]),
        comparing.folds_side_by_side(tables),
    ]
    return Parts(title, about, sections)


def _brief(
    tables: comparing.Tables, wanted: Wanted, notes: Sequence[Block]
) -> list[Section | None]:
    pairs = comparing.pairs_blocks(tables, wanted)
    return [
        section("Methods", [comparing.methods_table(tables, wanted), *notes]),
        section("Pairs", pairs) if pairs else None,
    ]


@parts_of.register
def _(result: LossResult, wanted: Wanted) -> Parts:
    loss = next(iter(result.tables.values())).loss
    about = f"{count(result.plan.n, 'row')} · {loss_words(loss)} · computed elsewhere"
    folds = data.folds_section(result) if wanted.full else data.setting_section(result)
    if len(result.tables) > 1:
        body = (
            [
                comparing.comparison_section(result, result.tables, wanted),
                comparing.folds_side_by_side(result.tables),
            ]
            if wanted.full
            else _brief(result.tables, wanted, [])
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

        sections.append(estimates.folds_section_of(result, fold_rows(table), table.loss, wanted))
    return Parts(f"{result.names[0]}: {plan_words(result.plan)}", about, sections, found)
