"""Reporting checklists: what of each item a result answers, and what only its authors know.

TRIPOD+AI: Collins, G. S., Moons, K. G. M., Dhiman, P. et al. (2024). TRIPOD+AI statement: updated
guidance for reporting clinical prediction models that use regression or machine learning methods.
BMJ 385, e078378, doi:10.1136/bmj-2023-078378, which has the wording of the items.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from pycvstat.errors import InputError
from pycvstat.intervals.metric_rows import usual_metrics
from pycvstat.losses import LossTable
from pycvstat.losses.metrics import METRICS
from pycvstat.report.content import Cite, Facts, Inline, Section, Table, paragraph, section
from pycvstat.report.numbers import aligned, count, in_unit, listed, settings
from pycvstat.report.sentences import folds_words, learner_parts, loss_words
from pycvstat.report.views.base import View
from pycvstat.report.views.data import DataView, spread
from pycvstat.run.store import versions

if TYPE_CHECKING:
    from pycvstat.data.task import Task

Checklist = Literal["tripod+ai"]
OPEN = "[NEEDS INPUT]"


class Item(NamedTuple):
    """An item: its number, its title, our words for what it asks, how a result answers it.

    The answer is made of the facts in braces and stands where all are known; `open` is what it
    leaves to the authors, `place` the section that shows more,
    the first of several that is there.
    """

    number: str
    title: str
    asks: str
    answer: str = ""
    open: str = ""
    place: str = ""


def items_in(file: str) -> tuple[Item, ...]:
    """The items in a table of this folder, whose columns are those of an item.

    Examples
    --------
    >>> len(items_in("tripod_ai.csv"))
    52
    """
    text = files("pycvstat.report").joinpath(file).read_text(encoding="utf-8")
    return tuple(Item(**row) for row in csv.DictReader(text.splitlines()))


TRIPOD_AI = items_in("tripod_ai.csv")
CHECKLISTS: dict[Checklist, tuple[str, str, tuple[Item, ...]]] = {
    "tripod+ai": ("TRIPOD+AI", "collins2024", TRIPOD_AI)
}
"""Name, work and items."""
METHODS = "Methods, ready to paste|Methods"
"""Where all is told that has no section of its own."""


def checklist_section(view: View, name: Checklist, titles: Collection[str]) -> Section:
    """The items of a checklist, with answers where the result has them.

    Parameters
    ----------
    view : View
        Of a result that has data.
    name : {"tripod+ai"}
    titles : collection of str
        Of the sections of the document, which answers point at.
    """
    if not isinstance(view, DataView) or not hasattr(view, "loss"):
        problem = "a checklist is answered from a result that has data."
        fix = "use a result of cross_validate, tune, nested_cv or compare"
        raise InputError(problem, given=type(view.result).__name__, fix=fix)
    called, work, items = CHECKLISTS[name]
    known = facts(view)
    rows = [_row(item, known, titles) for item in items]
    answered = sum(not row[2].startswith(OPEN) for row in rows)
    told = (
        f"{answered} of {len(rows)} items are answered from the result, whole or in part, with the "
        f"section that shows more. {OPEN}: the authors know it, the result does not."
    )
    words = f"Items of {called} by number and title, in our words; the wording is in the statement."
    table = Table(("item", "what it asks", "answer", "section"), tuple(rows), "llll", words)
    return section(
        f"Checklist {called}", paragraph(f"{called} ", Cite((work,)), f": {told}"), table
    )


def _row(item: Item, known: Mapping[str, str], titles: Collection[str]) -> tuple[str, ...]:
    """The cells of an item; a fact that is not known leaves it open."""
    asks = f"{item.title}: {item.asks}"
    try:
        answer = item.answer.format(**known)
    except KeyError:
        answer = ""
    if not answer:
        return item.number, asks, OPEN, ""
    places = filter(None, f"{item.place}|{METHODS}".split("|"))
    place = next((title for title in places if title in titles), "")
    end = "" if answer.endswith((".", "?")) else "."
    wanted = f" {OPEN} {item.open}" if item.open else ""
    return item.number, asks, f"{answer}{end}{wanted}", place


def facts(view: Any) -> dict[str, str]:
    """What a result says of itself, by the names in the answers; what it does not know is absent.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat.report.views.base import view_of
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4))
    >>> facts(view_of(result))["size"], facts(view_of(result))["missing"]
    ('32 rows', 'no value that was used is missing')
    """
    task, plan, response = view.task, view.plan, view.task.response
    of_data = {label: words for one in view.context() for block in one.blocks
               if isinstance(block, Facts) for label, words in block.rows}  # fmt: skip
    found = {name: of_data.get(name, "") for name in ("response", "predictors", "groups")}
    events = f"; {spread(response)}" if response.levels else ""
    size = count(task.n, "row") + (f", {found['groups']}" if task.groups is not None else "")
    flow = f"{count(task.n + task.omitted, 'row')}, {task.omitted or 'none'} left out"
    inner = next(iter(getattr(view.result, "inner_plans", None) or ()), None)
    several = len(view.learners) > 1
    models = [(f"{name}: " if several else "") + _told(learner_parts(one, view.tuned))
              for name, one in view.learners.items()]  # fmt: skip
    found |= {
        "question": view.question,
        "sentence": view.sentence(),
        "plan": view.told(),
        "fits": folds_words(plan),
        "inner": "" if inner is None else f"; tuning inside each: {folds_words(inner)}",
        "formulas": of_data.get("formula", of_data.get("formulas", "")),
        "learners": listed(models),
        "models": listed(models) + _chosen(view.result),
        "measures": listed(list(dict.fromkeys([loss_words(view.loss), *_metrics(view)]))),
        "output": _output(view),
        "size": size + events,
        "missing": _missing(task),
        "flow": flow + events,
        "imbalance": _imbalance(task),
        "hash": task.fingerprint,
        "software": f"pycvstat {versions()['pycvstat']}",
        "clusters": _clusters(view),
    }
    return {name: words for name, words in found.items() if words or name == "inner"}


def _told(parts: Sequence[Inline]) -> str:
    """Sentences without the works that they cite."""
    texts = ("" if isinstance(p, Cite) else p if isinstance(p, str) else p.text for p in parts)
    return " ".join("".join(texts).split())


def _metrics(view: Any) -> list[str]:
    """The metrics that the report shows beside the loss."""
    table = getattr(view, "table", None)
    if not isinstance(table, LossTable) or table.predictions is None:
        return []
    return [METRICS[name].label for name in usual_metrics(table)]


def _chosen(result: Any) -> str:
    """The parameters that a tuning chose."""
    best = getattr(result, "best", None)
    return f"; chosen: {settings(best)}" if isinstance(best, dict) and best else ""


def _missing(task: Task) -> str:
    """What befell missing values."""
    if task.omitted:
        return f"{count(task.omitted, 'row')} with missing values left out"
    gaps = task.frame.missing()
    kept = listed([f"{name} {n}" for name, n in gaps.items()])
    return f"handed to the learner ({kept})" if gaps else "no value that was used is missing"


def _imbalance(task: Task) -> str:
    """Weights of classes; that there are no classes; nothing where neither is known."""
    if task.response.levels:
        return "" if task.weights is None else f"weights of rows, {task.weights_used}"
    numbers = not task.response.zeros_and_ones
    return f"not applicable: {task.response.name} is a number" if numbers else ""


def _output(view: Any) -> str:
    """Numbers, classes or their probabilities."""
    response = view.task.response
    if not response.levels:
        return f"a number, {response.name}" + in_unit(view.response_unit)
    sure = "classes" if view.loss == "zero_one" else "probabilities of the classes"
    return f"{sure} {listed(response.levels)}"


def _clusters(view: Any) -> str:
    """The spread of the mean losses of groups, where every fold tests one."""
    groups, table = view.task.groups, getattr(view, "table", None)
    if groups is None or not isinstance(table, LossTable) or view.plan.times > 1:
        return ""
    if any(len(set(groups[view.plan.test_rows(i)])) > 1 for i in range(len(view.plan))):
        return ""
    low, high = aligned([*np.nanquantile(table.fold_means(), [0, 1])])
    return f"mean {view.quantity} of one group left out at a time: from {low} to {high}"
