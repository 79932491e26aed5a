"""What a document about a result is made of, and which kinds of results there are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from pycvstat.errors import InputError
from pycvstat.intervals import Interval
from pycvstat.report.content import Facts, Section, paragraph, section
from pycvstat.report.numbers import count
from pycvstat.report.wanted import Wanted
from pycvstat.report.words import ORDERS, learner_in_full, loss_words


@dataclass(frozen=True)
class Parts:
    """A document before what all reports end with: methods, cross-check, provenance."""

    title: str
    subtitle: str
    sections: Sequence[Section | None]
    interval: Interval | None = None


@singledispatch
def parts_of(result: Any, wanted: Wanted) -> Parts:
    """Title and sections of a result."""
    raise InputError(
        "this kind of result has no report.",
        given=type(result).__name__,
        fix="use the result of cross_validate, tune, nested_cv, compare, error_curve, ...",
    )


def about_data(result: Any, loss: str) -> str:
    """Formula, size and loss: the subtitle of a document."""
    task = result.task
    left_out = f" ({task.omitted} left out)" if task.omitted else ""
    parts = [task.formula.text, f"{count(task.n, 'row')}{left_out}"]
    parts += [*classes_words(task.response.levels), loss_words(loss)]
    return " · ".join([*parts, *([ORDERS[task.sorted_by]] if task.sorted_by else [])])


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


def question(words: str, learners: Mapping[str, Any], tuned: Collection[str] = ()) -> Section:
    """The question that a result answers, and the learners that it is about."""
    rows = tuple((name, learner_in_full(learner, tuned)) for name, learner in learners.items())
    return section("Question", [paragraph(words), Facts(rows)])


def capital(words: str) -> str:
    """The words with a capital first letter.

    Examples
    --------
    >>> capital("leave-one-out")
    'Leave-one-out'
    """
    return words[:1].upper() + words[1:]
