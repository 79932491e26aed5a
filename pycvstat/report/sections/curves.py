"""Train error, test error and their gap over a grid or over training sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pycvstat.report.content import Block, Figure, Note, Section, Table, paragraph, section
from pycvstat.report.numbers import aligned, settings
from pycvstat.report.plots import kinds_of
from pycvstat.report.sections.tables import table_of
from pycvstat.report.sections.tuning import NAIVE
from pycvstat.report.words import parameters

if TYPE_CHECKING:
    from pycvstat.procedures.error_curve import ErrorCurve
    from pycvstat.procedures.learning_curve import LearningCurve

HEADERS = {
    "train": "train error",
    "test": "test error",
    "gap": "gap",
    "std_error": "naive s.e.",
}
FEW = 40


def error_curve_section(result: ErrorCurve) -> Section:
    """The picture of over- and underfitting, and its numbers."""
    kind = kinds_of(result)["curve"]
    words = (
        "The train error is measured on the rows that each fit was trained on, the test error on "
        "the rows that were left out; the gap is test minus train. Where the train error is small "
        "and the gap large, the learner overfits; where both errors are large, it underfits. "
        "Shaded: candidates whose test error exceeds the smallest by more than one naive standard "
        "error."
    )
    blocks: list[Block] = [
        paragraph(words),
        Figure(
            "error-curve",
            kind.draw,
            "Train error, test error and their gap.",
            tell_error_curve(result),
            kind.size,
        ),
        error_table(result),
        Note(NAIVE),
    ]
    return section("Train and test error", blocks)


def error_table(result: ErrorCurve, few: int = FEW) -> Table:
    """Errors by candidate; the best ones by test error when there are many."""
    frame, params = result.tidy(), parameters(result.candidates)
    best = int(np.nanargmin(frame["test"]))
    headers = {p: p for p in params} | HEADERS
    if len(frame) <= few:
        return table_of(frame, headers, "Means of fold means.", [best])
    shown = frame.sort_values("test", kind="stable").iloc[:few]
    caption = f"The {few} smallest test errors of {len(frame)} candidates; means of fold means."
    return table_of(shown, headers, caption, [0])


def tell_error_curve(result: ErrorCurve) -> str:
    """The error curve in words."""
    frame = result.tidy()
    best = frame.iloc[int(np.nanargmin(frame["test"]))]
    train, test, gap = aligned([best["train"], best["test"], best["gap"]])
    return (
        f"Test error is smallest at {settings(result.best)}: test {test}, train {train}, gap "
        f"{gap}. Over {len(frame)} candidates."
    )


def learning_curve_section(result: LearningCurve) -> Section:
    """Errors by training size."""
    frame, kind = result.tidy(), kinds_of(result)["curve"]
    first, last = frame.iloc[0], frame.iloc[-1]
    a, b = aligned([first["test"], last["test"]])
    alt = (
        f"Test error falls from {a} with {int(first['n_train'])} training rows to {b} with "
        f"{int(last['n_train'])}."
        if last["test"] < first["test"]
        else f"Test error is {a} with {int(first['n_train'])} training rows and {b} with "
        f"{int(last['n_train'])}."
    )
    blocks: list[Block] = [
        Figure(
            "learning-curve", kind.draw, "Train and test error by training size.", alt, kind.size
        ),
        learning_table(result),
        Note(NAIVE),
    ]
    return section("Error by training size", blocks)


def learning_table(result: LearningCurve) -> Table:
    """Errors by training size."""
    headers = {"n_train": "training rows"} | HEADERS
    frame = result.tidy()
    return table_of(frame, headers, "Means over the fits.")
