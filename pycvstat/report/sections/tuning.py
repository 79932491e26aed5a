"""The tuning curve and its choice; what the outer fits of nested cross-validation chose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pycvstat.report.content import (
    Block,
    Facts,
    Figure,
    Note,
    Section,
    Table,
    Verbatim,
    paragraph,
    section,
)
from pycvstat.report.numbers import aligned, count, listed, number, settings, sizes
from pycvstat.report.plots import kinds_of
from pycvstat.report.sections.tables import table_of
from pycvstat.report.words import candidates_words, parameters

if TYPE_CHECKING:
    import pandas as pd

    from pycvstat.procedures.nested import NestedResult
    from pycvstat.procedures.selection import Rule
    from pycvstat.procedures.tune import TuneResult

LISTED = 40  # candidates that are listed one by one
RULES = {
    "min": "the smallest estimate",
    "one_se": "the simplest candidate within one naive standard error of the smallest estimate",
    "tolerance": "the simplest candidate within a share of {tolerance:g} of the smallest estimate",
}


def rule_words(rule: Rule) -> str:
    """The selection rule in words.

    Examples
    --------
    >>> from pycvstat.procedures.selection import Rule
    >>> rule_words(Rule("min"))
    'the smallest estimate'
    """
    return RULES[rule.name].format(tolerance=rule.tolerance)


def choice_facts(result: TuneResult) -> Facts:
    """What was chosen, by which rule, and with what it ties."""
    tied = result.tied if len(result.tied) > 1 else []
    rows = [
        ("chosen", settings(result.best) or "the only candidate"),
        ("rule", rule_words(result.rule)),
        ("candidates", candidates_words(result.candidates)),
        ("ties", listed([settings(t) for t in tied], 6) if tied else "none"),
        (
            "refitted on",
            {"all": "all rows", "train": "the training rows", "none": "nothing"}[result.refit],
        ),
    ]
    return Facts(tuple(rows))


def candidates_table(result: TuneResult, few: int = LISTED) -> Table:
    """Estimates of the candidates: all, or the best ones when there are many."""
    frame = result.tidy()
    params = parameters(result.candidates)
    order = np.argsort(frame["estimate"].to_numpy(), kind="stable")
    cut = len(frame) > few
    best = order[:few].tolist()
    if result.choice.index not in best:
        best = [*best[:-1], result.choice.index]
    shown = frame.iloc[best] if cut else frame
    headers = {name: name for name in params} | {
        "estimate": "mean of fold means",
        "pooled": "over observations",
        "std_error": "naive s.e.",
        "chosen": "chosen",
    }
    strong = np.flatnonzero(shown["chosen"].to_numpy()).tolist()
    first = f"{few} of {len(frame)} candidates, the chosen one and the best. " if cut else ""
    return table_of(shown, headers, f"{first}Estimates by candidate.", strong)


NAIVE = (
    "Naive standard error: standard deviation of the fold means over the square root of the "
    "number of fits. It ignores that training sets overlap, so it is a guide for choosing, not an "
    "interval."
)


def tuning_section(result: TuneResult) -> Section:
    """Curve, choice, table."""
    blocks: list[Block] = [choice_facts(result), curve_figure(result)]
    blocks.append(candidates_table(result))
    if len(result.plan) > 1:
        blocks.append(Note(NAIVE))
    return section("Tuning", blocks)


def curve_figure(result: TuneResult) -> Figure:
    """The cross-validation curve with the chosen value and the one-standard-error line."""
    kind = kinds_of(result)["curve"]
    return Figure(
        "tuning",
        kind.draw,
        "Estimate by candidate (mean of fold means), one naive standard error around it, "
        "the chosen candidate, and the smallest estimate plus its standard error.",
        tell_curve(result.tidy(), parameters(result.candidates)),
        kind.size,
    )


def tell_curve(frame: pd.DataFrame, params: list[str]) -> str:
    """The tuning curve in words."""
    chosen = frame[frame["chosen"]].iloc[0]
    smallest, largest = (frame["estimate"].min(), frame["estimate"].max())
    what = settings({p: chosen[p] for p in params})
    values = aligned([smallest, largest, chosen["estimate"]])
    return (
        f"Estimates of {count(len(frame), 'candidate')} from {values[0]} to {values[1]}; "
        f"chosen: {what}, estimate {values[2]}."
    )


def nested_section(result: NestedResult) -> Section:
    """Diagram, inner curves, what was chosen how often."""
    params = parameters(result.candidates)
    rule = rule_words(result.tuned.selection_rule())
    inner = result.inner_plans[0] if result.inner_plans else None
    blocks: list[Block] = [
        paragraph(
            "In every outer fit the parameters were chosen on its training rows only, by ",
            Verbatim(result.inner_plan.recipe if result.inner_plan else "inner folds"),
            f", among {candidates_words(result.candidates)}; the rule was {rule}. The chosen "
            "candidate was then fitted on all training rows and tested on the outer fold.",
        ),
        _picture(
            result,
            "diagram",
            "Rows that train, validate and test: the outer fits, and the "
            "inner fits of the first of them.",
            f"Diagram of nested cross-validation: {count(len(result.plan), 'outer fit')}"
            + (f", each with {count(len(inner), 'inner fit')}." if inner else "."),
        ),
        _picture(
            result,
            "curves",
            "Inner estimates of every outer fit, their mean, and what each chose.",
            _tell_inner(result),
        ),
        selection_table(result),
        _picture(
            result,
            "selection",
            "How often each candidate was chosen.",
            _tell_selection(result.selection(), params),
        ),
    ]
    ties = sum(len(t) > 1 for t in result.tied)
    if ties:
        blocks.append(
            Note(
                f"In {ties} of {count(len(result.plan), 'outer fit')} several candidates "
                "had exactly the smallest inner estimate."
            )
        )
    return section("Tuning inside the outer fits", blocks)


def _picture(result: NestedResult, name: str, caption: str, alt: str) -> Figure:
    kind = kinds_of(result)[name]
    return Figure(name, kind.draw, caption, alt, kind.size)


def _tell_inner(result: NestedResult) -> str:
    curves = result.inner_curves
    low, high = aligned([float(np.nanmin(curves)), float(np.nanmax(curves))])
    return (
        f"{count(len(curves), 'inner curve')} over {count(curves.shape[1], 'candidate')}, "
        f"estimates from {low} to {high}."
    )


def selection_table(result: NestedResult) -> Table:
    """Candidates that were chosen, how often."""
    frame = result.selection()
    shown = frame[frame["times"] > 0].sort_values("times", ascending=False, kind="stable")
    headers = {n: n for n in parameters(result.candidates)} | {"times": "times chosen"}
    return table_of(shown.iloc[:LISTED], headers, "Candidates chosen in the outer fits.")


def _tell_selection(frame: pd.DataFrame, params: list[str]) -> str:
    shown = frame[frame["times"] > 0].sort_values("times", ascending=False, kind="stable")
    parts = [
        f"{settings({p: row[p] for p in params})}: {row['times']}" for _, row in shown.iterrows()
    ]
    return f"Times chosen in {int(frame['times'].sum())} outer fits: {listed(parts, 8)}."


def final_section(result: NestedResult) -> Section | None:
    """Tuning on all rows, where that was done: the smallest estimate beside the nested one."""
    if not result.is_retuned:
        return None
    retuned = result.retuned
    values = aligned([result.estimate, retuned.estimate, result.estimate - retuned.estimate])
    table = Table(
        ("quantity", "value", "training rows"),
        (
            ("nested estimate: risk of the tuned procedure", values[0], sizes(result.plan.n_train)),
            (
                "estimate of the candidate chosen on all rows",
                values[1],
                sizes(retuned.plan.n_train),
            ),
            ("difference", values[2], ""),
        ),
        "lrr",
        "Means of fold means.",
    )
    words = (
        "The estimate of the chosen candidate was minimised over the candidates, so as an estimate "
        "of the risk of the tuned procedure it tends to be too small. The nested estimate is not "
        "chosen on the folds it is computed from. Neither estimates the smallest risk over the "
        "candidates, which no procedure attains on average: that is a lower bound."
    )
    blocks: list[Block] = [paragraph(words), table, choice_facts(retuned), curve_figure(retuned)]
    return section("Tuning on all rows", blocks)


def optimism_notes(result: TuneResult) -> list[Block]:
    """What the estimate of a candidate is not, once it was chosen among several."""
    if len(result.candidates) == 1:
        return []
    return [
        Note(
            f"{number(result.estimate)} was the value that decided the choice among "
            f"{len(result.candidates)} candidates. As an estimate of the risk of the tuned "
            "procedure it tends to be too small; nested_cv() estimates that risk."
        )
    ]
