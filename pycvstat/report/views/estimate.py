"""Views of results with one table of losses: estimates, their interval, errors of the folds."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.errors import IntervalError, heard
from pycvstat.intervals import METHODS, Interval, interval, legal_methods
from pycvstat.losses import LossTable, loss_label
from pycvstat.procedures.setting import fold_rows
from pycvstat.report.content import Block, Facts, Headline, Inline, Note, Section, Table, section
from pycvstat.report.numbers import aligned, count, interval_headers, number, table_of
from pycvstat.report.plots import forest, losses
from pycvstat.report.sentences import (
    distribution_words,
    estimate_parts,
    interval_parts,
    loss_words,
    moved,
    risk_words,
    value_words,
)
from pycvstat.report.views.base import WIDE, Picture, Size
from pycvstat.report.views.data import FoldsView, map_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

LISTED = 40  # folds that are listed one by one


class EstimateView(FoldsView):
    """A view of a result with one table of losses."""

    @property
    def of(self) -> str:
        """Whose risk is estimated."""
        raise NotImplementedError

    @property
    def table(self) -> LossTable:
        """The losses."""
        table: LossTable = self.result.table
        return table

    @cached_property
    def _asked(self) -> tuple[Interval | None, list[Note]]:
        """The interval, or with ``method="auto"`` none; and what was said of it."""
        found = refusal = None
        with heard() as said:
            try:
                found = self.result.interval(method=self.method, level=self.level)
            except IntervalError as error:
                if self.method != "auto":
                    raise
                refusal = refused(error)
        return found, [Note(text) for text in [*said, *([refusal] if refusal else [])]]

    @property
    def interval(self) -> Interval | None:
        """The interval; None where ``method="auto"`` finds none legal."""
        return self._asked[0]

    @property
    def estimate(self) -> float:
        """The mean of the fold means."""
        return float(self.table.estimate()[0])

    def asked(self, of: str) -> str:
        """What is asked for: what the interval is about, or without one what the mean estimates."""
        plan, loss = self.table.plan, self.table.loss
        if self.interval is None:
            return risk_words(plan, loss, of)
        return self.interval.about.words(of, f"risk ({loss_words(loss)})")

    def top(self) -> list[Block]:
        """The estimate with its interval, around the interval's centre where that is another."""
        found, estimate = self.interval, self.estimate
        if found is None:
            value = "no estimate" if math.isnan(estimate) else number(estimate)
            return [Headline(value, risk_words(self.table.plan, self.table.loss, self.of))]
        centre = found.estimate if moved(found, estimate) else estimate
        return [Headline(value_words(centre, found), str(replace(found.about, of=self.of)))]

    def estimates(self) -> Table:
        """Every average, each named, and the interval beside its centre."""
        import pandas as pd

        rows: list[dict[str, Any]] = [
            {"quantity": "mean of fold means", "estimate": self.estimate},
            {"quantity": "mean over observations", "estimate": float(self.table.pooled()[0])},
        ]
        found, bias = self.interval, getattr(self.result, "bias", None)
        if bias is not None:
            rows.append({"quantity": "bias-adjusted", "estimate": bias.adjusted})
        if found is None:
            return table_of(
                pd.DataFrame(rows), {"quantity": "quantity", "estimate": "estimate"}, ""
            )
        if moved(found, self.estimate):
            rows.append({"quantity": f"centre ({found.method})", "estimate": found.estimate})
        beside = rows[-1] if moved(found, self.estimate) else rows[0]
        beside |= {"std_error": found.std_error, "conf_low": found.low, "conf_high": found.high}
        headers = {"quantity": "quantity"} | interval_headers(self.level)
        return table_of(pd.DataFrame(rows), headers, "")

    def interval_section(self) -> Section | None:
        """The interval and what was said of it."""
        found, notes = self._asked
        blocks = [] if found is None else [interval_facts(found, self.estimate)]
        return section("Interval", *blocks, *notes) if blocks or notes else None

    def fold_rows(self) -> pd.DataFrame:
        """One row per fit."""
        return fold_rows(self.table)

    def fold_errors(self) -> Section:
        """Errors of the folds as a table and a picture."""
        picture = "folds" if "folds" in self.pictures else "losses"
        table = folds_table(self.fold_rows(), self.table.loss)
        return section("Errors of the folds", table, self.figure(picture, "fold-errors"))

    @cached_property
    def legal(self) -> tuple[str, ...]:
        """The methods that are legal for the table without further options."""
        return legal_methods(self.table)

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """Errors of folds, losses of rows, all legal intervals, the map of the folds."""
        plan, size, found = self.table.plan, WIDE, {}
        if len(plan) > 1 and plan.n_test.max() > 1:
            words = "Mean loss of every fold, their mean, and the interval."
            found["folds"] = Picture(self._draw_folds, size, words, self._tell_folds)
        words = "Mean loss of every row over its tests."
        found["losses"] = Picture(self._draw_losses, size, words, self._tell_folds)
        if len(plan) > 1 or self.legal:
            found["intervals"] = Picture(self._draw_intervals, self._size_of_intervals)
        if plan.kind == "nested_pairs":
            found["inflation"] = Picture(self._draw_inflation)
        return found | self.own_pictures() | {"map": map_of(plan)}

    def own_pictures(self) -> dict[str, Picture]:
        """Pictures of a kind of results only."""
        return {}

    def _draw_folds(self, ax: Axes, method: str | None = None, level: float | None = None) -> Axes:
        found = self.at(method, level).interval
        rows = fold_rows(self.table)
        return losses.fold_errors(ax, rows, self.estimate, found, self.table.loss)

    def _tell_folds(self) -> str:
        return tell_folds(fold_rows(self.table), self.table.loss)

    def _draw_losses(self, ax: Axes) -> Axes:
        by_row = self.table.tested_rows()[1][:, 0]
        known = by_row[~np.isnan(by_row)]
        return losses.loss_distribution(ax, known, self.estimate, self.table.loss)

    def _draw_intervals(self, ax: Axes, methods: Any = None, level: float = 0.95) -> Axes:
        import pandas as pd

        with heard():
            found = [interval(self.table, name, level) for name in methods or self._simple()]
        rows = pd.concat([one.tidy() for one in found], ignore_index=True)
        labels = [f"{m}, {t}" for m, t in zip(rows["method"], rows["target"], strict=True)]
        words = f"{loss_label(self.table.loss)}, {100 * level:g} % intervals"
        return forest.forest(ax, rows, labels, words)

    def _simple(self) -> list[str]:
        """The legal methods of the mean loss that need no bounds."""
        return [
            name
            for name in self.legal
            if METHODS[name].needs != "predictions" and "bounds" not in METHODS[name].options
        ]

    def _size_of_intervals(self) -> Size:
        return 5.6, 0.9 + 0.3 * max(1, len(self._simple()))

    def _draw_inflation(self, ax: Axes) -> Axes:
        details = self.at("ncv").interval.details  # type: ignore[union-attr]
        return losses.running_inflation(ax, details["running_inflation"], details["inflation"])

    def averages_told(self) -> list[Inline]:
        """Both averages, for the methods part."""
        pooled = float(self.table.pooled()[0])
        return estimate_parts(self.estimate, pooled, self.table.plan)

    def interval_told(self) -> list[Inline]:
        """The interval, for the methods part."""
        return interval_parts(self.interval, self.estimate)


def refused(error: IntervalError) -> str:
    """Why there is no interval, and what to do."""
    return f"No interval: {error.problem}" + (f" What to do: {error.fix}." if error.fix else "")


def interval_facts(found: Interval, estimate: float | None = None) -> Facts:
    """The method, its standard error, how it behaves, why it was chosen.

    The centre is named where it differs from the estimate beside which the interval stands.
    """
    error = "none" if math.isnan(found.std_error) else number(found.std_error)
    centre = f"{number(found.estimate)}, not the mean of fold means"
    rows = [
        ("method", f"{found.title} ({found.method})"),
        ("centre", centre if moved(found, estimate) else ""),
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


def tell_folds(frame: pd.DataFrame, loss: str) -> str:
    """The fold errors in words."""
    low, middle, high = aligned(list(np.nanquantile(frame["estimate"], [0, 0.5, 1])))
    return (
        f"Mean {loss_label(loss)} of {count(len(frame), 'fit')}: smallest {low}, median {middle}, "
        f"largest {high}."
    )
