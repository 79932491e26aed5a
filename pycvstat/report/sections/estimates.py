"""Estimates with their interval, fold by fold errors, out-of-fold predictions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.errors import IntervalError, heard
from pycvstat.intervals import Interval
from pycvstat.losses import LossTable, loss_label
from pycvstat.report.content import Block, Facts, Figure, Headline, Note, Section, Table, section
from pycvstat.report.numbers import aligned, count, number
from pycvstat.report.plots import kinds_of
from pycvstat.report.sections.tables import interval_headers, table_of
from pycvstat.report.wanted import Wanted
from pycvstat.report.words import distribution_words, risk_words, value_words

if TYPE_CHECKING:
    import pandas as pd

    from pycvstat.procedures.cross_validate import CVResult

LISTED = 40  # folds that are listed one by one


def find_interval(
    ask: Callable[..., Interval], method: str, level: float
) -> tuple[Interval | None, list[Note]]:
    """The interval, or with ``method="auto"`` none and the reason; with what it warned about."""
    with heard() as said:
        try:
            found: Interval | None = ask(method, level)
        except IntervalError as error:
            if method != "auto":
                raise
            found = None
            refusal = _refused(error)
    return found, [Note(text) for text in (said if found is not None else [*said, refusal])]


def _refused(error: IntervalError) -> str:
    """Why there is no interval, and what to do."""
    problem, fix = error.problem, error.fix
    says = problem if problem.startswith("no interval") else f"no interval: {problem}"
    advice = f" To get one: {fix}." if fix else ""
    if fix and fix.startswith("report"):
        advice = f" What to do: {fix}."
    return f"{says[0].upper()}{says[1:]}{advice}"


def headline(table: LossTable, found: Interval | None, of: str) -> Headline:
    """The estimate with its interval and what it is about.

    Where the interval has another centre than the mean of the fold means, its centre stands there.
    """
    estimate = float(table.estimate()[0])
    if found is None:
        shown = "no estimate" if math.isnan(estimate) else number(estimate)
        return Headline(shown, risk_words(table.plan, table.loss, of))
    centre = found.estimate if moved(found, estimate) else estimate
    return Headline(value_words(centre, found), str(replace(found.about, of=of)))


def moved(found: Interval, estimate: float | None) -> bool:
    """Whether the interval has another centre than the estimate beside which it stands."""
    return estimate is not None and number(estimate) != number(found.estimate)


def estimates_table(frame: pd.DataFrame, level: float, found: Interval | None = None) -> Table:
    """Both averages, each named, and the interval beside its centre."""
    if found is not None and moved(found, float(frame["estimate"].iloc[0])):
        frame = _centre_apart(frame, found)
    headers = {"quantity": "quantity"} | interval_headers(level)
    if frame["conf_low"].isna().all():
        headers = {"quantity": "quantity", "estimate": "estimate"}
    return table_of(frame, headers, "")


def _centre_apart(frame: pd.DataFrame, found: Interval) -> pd.DataFrame:
    limits = ["std_error", "conf_low", "conf_high"]
    rows = [dict(row) | dict.fromkeys(limits, math.nan) for row in frame.to_dict("records")]
    centre = {"quantity": f"centre ({found.method})"}
    rows.append(centre | found.tidy().iloc[0][["estimate", *limits]].to_dict())
    return type(frame)(rows)


def interval_facts(found: Interval, estimate: float | None = None) -> Facts:
    """The method, its standard error, how it behaves, why it was chosen.

    The centre is named where it differs from the estimate beside which the interval stands.
    """
    error = "none" if math.isnan(found.std_error) else number(found.std_error)
    rows = [
        ("method", f"{found.title} ({found.method})"),
        (
            "centre",
            f"{number(found.estimate)}, not the mean of fold means"
            if moved(found, estimate)
            else "",
        ),
        ("standard error", error),
        ("reference", distribution_words(found)),
        ("known behaviour", found.known),
        ("chosen because", found.chosen),
        *(("note", note) for note in found.notes),
    ]
    return Facts(tuple((label, value) for label, value in rows if value))


def folds_table(frame: pd.DataFrame, loss: str) -> Table:
    """Errors of the folds one by one, or their distribution when they are many."""
    names = [name for name in map(str, frame.columns) if name.startswith("chosen_")]
    chosen = {name: name.replace("_", " ", 1) for name in names}
    if len(frame) <= LISTED:
        headers = {"repeat": "repeat", "fold": "fold", "n_train": "train", "n_test": "test"}
        if frame["repeat"].nunique() == 1:
            headers.pop("repeat")
        headers |= {"estimate": f"mean {loss_label(loss)}"} | chosen
        return table_of(frame, headers, "Mean loss on the test rows of every fit.")
    return _distribution(frame["estimate"].to_numpy(), len(frame), loss)


def _distribution(means: Any, fits: int, loss: str) -> Table:
    ends = np.quantile(means, [0, 0.25, 0.5, 0.75, 1])
    names = ("smallest", "lower quartile", "median", "upper quartile", "largest", "mean", "sd")
    values = aligned([*ends, means.mean(), means.std(ddof=1)])
    return Table(
        ("over the fits", f"mean {loss_label(loss)}"),
        tuple(zip(names, values, strict=True)),
        "lr",
        f"Mean loss on the test rows, over {count(fits, 'fit')}.",
    )


def folds_section_of(result: Any, frame: pd.DataFrame, loss: str, wanted: Wanted) -> Section:
    """Errors of the folds as a table and a picture."""
    kinds = kinds_of(result)
    if "folds" in kinds:
        kind = kinds["folds"]
        draw = partial(kind.draw, method=wanted.method, level=wanted.level)
        caption = "Mean loss of every fold, their mean, and the interval."
    else:
        kind = kinds["losses"]
        draw, caption = partial(kind.draw), "Mean loss of every row over its tests."
    figure = Figure("fold-errors", draw, caption, tell_folds(frame, loss), kind.size)
    return section("Errors of the folds", [folds_table(frame, loss), figure])


def tell_folds(frame: pd.DataFrame, loss: str) -> str:
    """The fold errors in words."""
    low, middle, high = aligned(list(np.nanquantile(frame["estimate"], [0, 0.5, 1])))
    return (
        f"Mean {loss_label(loss)} of {count(len(frame), 'fit')}: smallest {low}, median {middle}, "
        f"largest {high}."
    )


def failures_note(result: Any) -> list[Block]:
    """What failed, and that it counts as NaN."""
    failures = getattr(result, "failures", ())
    if not failures:
        return []
    first = failures[0]
    return [
        Note(
            f"{count(len(failures), 'fit')} failed and count as NaN; the first: {first.where}: "
            f"{first.reason}"
        )
    ]


def fit_notes(result: Any) -> list[Block]:
    """Columns without a coefficient and fits that did not converge."""
    details = [d for d in result.details if hasattr(d, "aliased")]
    aliased = [d for d in details if d.aliased]
    stuck = [d for d in details if not d.converged]
    notes: list[Block] = []
    if aliased:
        names = dict.fromkeys(name for d in aliased for name in d.aliased)
        notes.append(
            Note(
                f"Columns without a coefficient in {len(aliased)} of "
                f"{count(len(result.plan), 'fit')}: {', '.join(names)}."
            )
        )
    if stuck:
        notes.append(Note(f"{len(stuck)} of {count(len(result.plan), 'fit')} did not converge."))
    return notes


def predictions_section(result: CVResult) -> Section | None:
    """Residuals or calibration, or a table of classes when there are no probabilities."""
    kinds = kinds_of(result)
    if "residuals" in kinds:
        frame = result.augment()
        spread = frame[".residual"].dropna()
        alt = (
            f"Residuals against out-of-fold predictions of {len(spread)} rows: mean "
            f"{number(spread.mean())}, standard deviation {number(spread.std())}."
        )
        figure = Figure(
            "residuals",
            kinds["residuals"].draw,
            "Observed minus predicted against the out-of-fold prediction, and the means "
            "of groups of equal size.",
            alt,
            kinds["residuals"].size,
        )
        return section("Out-of-fold residuals", [figure])
    if result.table.predictions is None or not result.task.response.levels:
        return None
    blocks: list[Block] = [confusion(result)]
    if "calibration" in kinds:
        blocks.append(
            Figure(
                "calibration",
                kinds["calibration"].draw,
                "Share observed against the out-of-fold probability in groups of equal size.",
                "Calibration of out-of-fold probabilities; on the diagonal they are right on "
                "average.",
                kinds["calibration"].size,
            )
        )
    return section("Out-of-fold predictions", blocks)


def confusion(result: CVResult) -> Table:
    """Observed by predicted classes, out of fold."""
    levels = result.task.response.levels
    frame = result.augment()
    tested = frame[".prediction"].notna()
    observed = result.task.response.labels(result.task.response.values[tested.to_numpy()])
    predicted = frame.loc[tested, ".prediction"].to_numpy()
    rows = tuple(
        (level, *(str(int(((observed == level) & (predicted == other)).sum())) for other in levels))
        for level in levels
    )
    return Table(
        ("observed", *levels),
        rows,
        "l" + "r" * len(levels),
        "Rows by observed class (rows) and out-of-fold predicted class (columns).",
    )
