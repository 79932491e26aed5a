"""Error curves, learning curves, fold plans, intervals, differences, cross-checks."""

from __future__ import annotations

from typing import Any

from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals import Interval
from pycvstat.intervals.paired import Paired
from pycvstat.losses import loss_label
from pycvstat.procedures.audit import UNSEEN, Audit
from pycvstat.procedures.error_curve import ErrorCurve
from pycvstat.procedures.learning_curve import LearningCurve
from pycvstat.r.check.table import Crosscheck
from pycvstat.report.content import Block, Facts, Figure, Headline, Note, section
from pycvstat.report.numbers import aligned, count, listed, number, p_value, percent, settings
from pycvstat.report.plots import kinds_of
from pycvstat.report.sections import curves, data, estimates
from pycvstat.report.sections.provenance import agreement_table, crosscheck_section
from pycvstat.report.sections.tables import table_of
from pycvstat.report.subjects.base import Parts, about_data, capital, parts_of, question
from pycvstat.report.wanted import Wanted
from pycvstat.report.words import (
    candidates_words,
    folds_words,
    learner_words,
    parameters,
    plan_words,
    risk_words,
    seed_words,
    value_words,
)
from pycvstat.simulate.interval_coverage import Coverage


@parts_of.register
def _(result: ErrorCurve, wanted: Wanted) -> Parts:
    title = f"Train and test error of {learner_words(result.learner)}"
    about = about_data(result, result.loss)
    best = result.tidy().iloc[int(result.tidy()["test"].argmin())]
    test, train, gap = aligned([best["test"], best["train"], best["gap"]])
    top = section(
        "",
        [
            Headline(
                f"{settings(result.best)}: test error {test}",
                f"the smallest test error; train error {train}, gap {gap}",
            )
        ],
    )
    if not wanted.full:
        folds = data.setting_section(result, result.learner, parameters(result.candidates))
        table = section("Errors", [curves.error_table(result, 12)])
        return Parts(title, about, [top, table, folds])
    asked = (
        f"How do train error, test error and their gap depend on the parameters, over "
        f"{candidates_words(result.candidates)}? The test error estimates the "
        f"{risk_words(result.plan, result.loss, 'each candidate')}."
    )
    return Parts(
        title,
        about,
        [
            top,
            question(asked, {"learner": result.learner}, parameters(result.candidates)),
            data.data_section(result.task),
            curves.error_curve_section(result),
            data.folds_section(result),
        ],
    )


@parts_of.register
def _(result: LearningCurve, wanted: Wanted) -> Parts:
    title = f"Learning curve of {learner_words(result.learner)}"
    about = about_data(result, result.loss)
    if not wanted.full:
        folds = data.setting_section(result, result.learner)
        return Parts(title, about, [section("Errors", [curves.learning_table(result)]), folds])
    asked = (
        f"How does the error of {learner_words(result.learner)} depend on the number of training "
        "rows? Smaller training sets are contained in larger ones; the test rows of a fold stay "
        "the same."
    )
    return Parts(
        title,
        about,
        [
            question(asked, {"learner": result.learner}),
            data.data_section(result.task),
            curves.learning_curve_section(result),
            data.folds_section(result),
        ],
    )


@parts_of.register
def _(result: FoldPlan, wanted: Wanted) -> Parts:
    figure = data.fold_figure(result) if wanted.full else None
    blocks = [*data.fold_blocks(result), figure]
    return Parts(
        capital(plan_words(result)),
        f"{count(result.n, 'row')} · {folds_words(result)}",
        [section("Folds", blocks)],
    )


@parts_of.register
def _(result: Interval, wanted: Wanted) -> Parts:
    top = Headline(value_words(result.estimate, result), result.estimand)
    blocks: list[Block] = [estimates.interval_facts(result)]
    if wanted.full:
        blocks.append(_forest(result, f"{value_words(result.estimate, result)}."))
    return Parts(
        capital(f"{result.title}: {_about(result)}"),
        result.target,
        [section("", [top]), section("Interval", blocks)],
        result,
    )


def _about(found: Interval) -> str:
    return found.metric if found.source is None else loss_label(found.metric)


def _forest(result: Any, alt: str) -> Figure:
    kind = kinds_of(result)["forest"]
    return Figure("interval", kind.draw, "The estimate and its interval.", alt, kind.size)


@parts_of.register
def _(result: Paired, wanted: Wanted) -> Parts:
    p = p_value(result.p_value)
    words = value_words(result.estimate, result.interval)
    if p:
        words += f", p {p if p.startswith('<') else '= ' + p}"
    a, b = result.names
    top = section("", [Headline(words, result.interval.estimand)])
    blocks: list[Block] = [estimates.interval_facts(result.interval)]
    if wanted.full:
        blocks.append(_forest(result, f"{a} minus {b}: {words}."))
    return Parts(
        f"{a} minus {b}",
        f"paired on identical folds · {_about(result.interval)}",
        [top, section("Interval", blocks)],
        result.interval,
    )


VERDICTS = {
    "agrees": "Python and R agree",
    "differs": "Python and R differ",
    "not fully compared": "Python and R were not fully compared",
}


@parts_of.register
def _(result: Crosscheck, wanted: Wanted) -> Parts:
    verdict = VERDICTS[result.verdict]
    if wanted.full:
        return Parts(verdict, result.r_version, [crosscheck_section(result)])
    facts = [("R", result.r_version or "-")]
    if result.first_difference:
        facts.append(("first difference", result.first_difference))
    if result.left_out:
        facts.append(("not compared", result.left_out))
    facts += [("note", text) for text in result.notes]
    return Parts(
        verdict,
        result.words.split(";")[0],
        [section("Cross-check", [agreement_table(result), Facts(tuple(facts))])],
    )


@parts_of.register
def _(result: Coverage, wanted: Wanted) -> Parts:
    frame = result.tidy()
    headers = {
        "target": "target",
        "coverage": "coverage",
        "coverage_error": "m.c. error",
        "too_low": "below",
        "too_high": "above",
        "width": "mean width",
        "truth": "target value",
    }
    table = table_of(frame, headers, "Shares of data sets; Monte Carlo standard error.")
    facts = Facts(
        (
            ("scenario", result.scenario),
            ("method", result.method),
            ("folds", result.folds),
            ("nominal level", percent(result.level)),
            ("data sets", f"{result.sets}" + _refused(result.refused)),
            ("seed", "none recorded" if result.seed is None else seed_words(result.seed)),
        )
    )
    kind = kinds_of(result)["coverage"]
    shares = [f"{t} {c:.3f}" for t, c in zip(frame["target"], frame["coverage"], strict=True)]
    figure = Figure(
        "coverage",
        kind.draw,
        "Coverage with two Monte Carlo standard errors, and the nominal level.",
        f"Coverage at nominal {result.level:g}: {listed(shares)}.",
        kind.size,
    )
    blocks: list[Block] = [table, facts, *([figure] if wanted.full else [])]
    return Parts(
        f"Coverage of {result.method} in the scenario {result.scenario}",
        f"{count(result.sets, 'data set')} · nominal level {percent(result.level)}",
        [section("Coverage", blocks)],
    )


def _refused(number_refused: int) -> str:
    return f"; {number_refused} refused by the method" if number_refused else ""


@parts_of.register
def _(result: Audit, wanted: Wanted) -> Parts:
    frame = result.tidy()
    table = table_of(frame, {"check": "check", "found": "found", "finding": "finding"}, "")
    kind = kinds_of(result)["skill"]
    figure = Figure(
        "skill",
        kind.draw,
        "Skill on permuted responses, where there is none to have.",
        f"Skill on {len(result.skill)} permutations of the response: mean "
        f"{number(result.mean_skill)}, p {p_value(result.p_value)}.",
        kind.size,
    )
    verdict = "nothing found" if result else "look at what was found"
    blocks: list[Block] = [table, Note(UNSEEN), *([figure] if wanted.full else [])]
    return Parts(
        f"Audit of {learner_words(result.learner)}: {verdict}",
        f"{plan_words(result.plan)} · {count(len(result.skill), 'permutation')}",
        [section("Checks", blocks), data.setting_section(result, result.learner)],
    )
