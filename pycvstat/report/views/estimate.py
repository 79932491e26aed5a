"""Results with one table of losses: estimates, their interval, errors of the folds."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pycvstat.errors import IntervalError, heard
from pycvstat.intervals import METHODS, Interval, interval, legal_methods
from pycvstat.losses import LossTable
from pycvstat.report.content import Block, Facts, Headline, Inline, Note, Section, Table, section
from pycvstat.report.numbers import (
    aligned,
    capital,
    count,
    interval_headers,
    number,
    sizes,
    table_of,
)
from pycvstat.report.plots import forest, predictions
from pycvstat.report.sentences import (
    about_words,
    distribution_words,
    interval_parts,
    learner_words,
    loss_words,
    moved,
    risk_words,
    value_words,
)
from pycvstat.report.views.base import WIDE, Picture, Size
from pycvstat.report.views.data import FoldsView, folds_table, map_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class EstimateView(FoldsView):
    """A view of a result with one table of losses."""

    @property
    def of(self) -> str:
        """Whose risk is estimated."""
        return learner_words(self.result.learner)

    @property
    def question(self) -> str:
        """How large the risk is."""
        return f"How large is the {self.asked(self.of)}?"

    @property
    def loss(self) -> str:
        """The name of the loss."""
        return self.table.loss

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

    @cached_property
    def estimate(self) -> float:
        """The mean of the fold means."""
        return float(self.table.estimate()[0])

    @cached_property
    def pooled(self) -> float:
        """The mean over observations."""
        return float(self.table.pooled()[0])

    def asked(self, of: str) -> str:
        """What is asked for: what the interval is about, or without one what the mean estimates."""
        plan, found = self.table.plan, self.interval
        if found is None:
            return risk_words(plan, self.loss, of)
        return about_words(found.about, plan, of, f"risk ({loss_words(self.loss)})")

    @property
    def value(self) -> str:
        """The estimate with its interval, around the interval's centre where that is another."""
        found, estimate = self.interval, self.estimate
        if found is None:
            return "no estimate" if math.isnan(estimate) else f"{number(estimate)}{self.unit}"
        return value_words(self._centre, found, self.unit)

    @property
    def _centre(self) -> float:
        found, estimate = self.interval, self.estimate
        return found.estimate if found is not None and moved(found, estimate) else estimate

    def top(self) -> list[Block]:
        """The estimate with its interval, and what they are about."""
        root = self.root_words(self._centre, self.interval)
        return [Headline(self.value, self.asked(self.of) + root)]

    @property
    def how(self) -> str:
        """The folds in a sentence."""
        return self.told()

    def sentence(self) -> str:
        """Estimate, interval, estimand and folds."""
        root = self.root_words(self._centre, self.interval)
        asked = self.asked(self.of)
        comma = "," if "," in asked else ""
        return f"By {self.how}, the {asked}{comma} is estimated at {self.value}{root}."

    def entries(self) -> list[dict[str, Any]]:
        """The estimate with its interval."""
        return [entry(self.of, self._centre, self.interval, self.table, self.told())]

    def numbers(self) -> dict[str, Any]:
        """Both averages and the interval."""
        found: dict[str, Any] = {"estimate": self.estimate, "pooled": self.pooled}
        if (given := self.interval) is not None:
            found |= given.row() | {"estimand": given.estimand}
            found |= {"all_rows": str(given.all_rows or "")}
        if self.rooted:
            ends = ("estimate", "conf_low", "conf_high")
            found |= {f"root_{n}": max(found[n], 0.0) ** 0.5 for n in ends if n in found}
        plan = self.table.plan
        sizes_of = {"n": plan.n, "fits": len(plan), "n_train": sizes(plan.n_train)}
        return super().numbers() | found | sizes_of | {"folds": self.told()}

    def estimates(self) -> Table:
        """Every average, each named, and the interval beside its centre."""
        values = {"mean of fold means": self.estimate, "mean over observations": self.pooled}
        found, bias = self.interval, getattr(self.result, "bias", None)
        if bias is not None:
            values["bias-adjusted"] = bias.adjusted
        if found is not None and moved(found, self.estimate):
            values[f"centre ({found.method})"] = found.estimate
        rows: list[dict[str, Any]] = [{"quantity": n, "estimate": v} for n, v in values.items()]
        if found is not None:
            beside = rows[-1] if moved(found, self.estimate) else rows[0]
            beside |= {"std_error": found.std_error, "conf_low": found.low, "conf_high": found.high}
        headers = {"quantity": "quantity"} | interval_headers(self.level)
        frame = pd.DataFrame(rows)
        if self.rooted:
            frame["root"] = np.sqrt(np.maximum(frame["estimate"], 0))
            headers |= {"root": "square root"}
        return table_of(frame, headers, f"{self.measured} of {self.of}.")

    def main_table(self) -> Table:
        """Every average and the interval, with the method and the folds below."""
        found, rows = self.interval, count(self.table.plan.n, "row")
        by = "" if found is None else f" Interval: {found.title} of the {self.asked(self.of)}."
        return replace(self.estimates(), notes=f"{capital(self.told())}, {rows}.{by}")

    def interval_section(self) -> Section | None:
        """The interval and what was said of it."""
        found, notes = self._asked
        blocks = [] if found is None else [interval_facts(found, self.estimate)]
        return section("Interval", *blocks, *notes) if blocks or notes else None

    @cached_property
    def fold_rows(self) -> pd.DataFrame:
        """One row per fit."""
        return self.table.by_fit()

    def fold_errors(self) -> Section:
        """Errors of the folds as a table and a picture."""
        shown = self.figure("folds" if "folds" in self.pictures else "losses", "fold-errors")
        return section("Errors of the folds", folds_table(self.fold_rows, self.quantity), shown)

    @property
    def fit(self) -> str:
        """What a fit of the plan is called."""
        return {"bootstrap": "resample", "subsampling": "split"}.get(self.table.plan.scheme, "fold")

    @cached_property
    def legal(self) -> tuple[str, ...]:
        """The methods that are legal for the table without further options."""
        return legal_methods(self.table)

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """Errors of folds, losses of rows, all legal intervals, the map of the folds."""
        plan, found = self.table.plan, {}
        if len(plan) > 1 and plan.n_test.max() > 1:
            words = f"Mean loss of every {self.fit}, their mean, and the interval."
            found["folds"] = Picture(
                self._draw_folds, WIDE, words, self._tell_folds, lambda: self.fold_rows
            )
        if isinstance(self.table, LossTable):
            words, told = "Mean loss of every row over its tests.", self._tell_folds
            found["losses"] = Picture(self._draw_losses, WIDE, words, told, lambda: self._losses)
        if len(plan) > 1 or self.legal:
            found["intervals"] = Picture(
                self._draw_intervals, self._size_of_intervals, data=self._intervals
            )
        if plan.kind == "nested_pairs":
            found["inflation"] = Picture(self._draw_inflation)
        return found | self.own_pictures() | {"map": map_of(plan)}

    def own_pictures(self) -> dict[str, Picture]:
        """Pictures of a kind of results only."""
        return {}

    def _draw_folds(self, ax: Axes, method: str | None = None, level: float | None = None) -> Axes:
        found = self.at(method, level).interval
        drawn = self.fold_rows, self.estimate, found, self.quantity, self.fit
        return predictions.fold_errors(ax, *drawn)

    def _tell_folds(self) -> str:
        means, loss = self.fold_rows["estimate"], self.quantity
        if means.isna().all():
            return f"No mean {loss}: every fit failed."
        low, middle, high = aligned(list(np.nanquantile(means, [0, 0.5, 1])))
        return (
            f"Mean {loss} of {count(len(means), 'fit')}: smallest {low}, median {middle}, "
            f"largest {high}."
        )

    @property
    def _losses(self) -> pd.DataFrame:
        """The mean loss of every row that was tested and has one."""
        rows, losses = self.table.tested_rows()
        return pd.DataFrame({"row": rows, "loss": losses[:, 0]}).dropna(ignore_index=True)

    def _draw_losses(self, ax: Axes) -> Axes:
        known = self._losses["loss"].to_numpy()
        return predictions.loss_distribution(ax, known, self.estimate, self.quantity)

    def _intervals(self, methods: Any = None, level: float = 0.95) -> pd.DataFrame:
        with heard():
            found = [interval(self.table, name, level) for name in methods or self._simple()]
        return pd.concat([one.tidy() for one in found], ignore_index=True)

    def _draw_intervals(self, ax: Axes, methods: Any = None, level: float = 0.95) -> Axes:
        rows = self._intervals(methods, level)
        labels = [f"{m}, {t}" for m, t in zip(rows["method"], rows["target"], strict=True)]
        words = f"{self.quantity}, {100 * level:g} % intervals"
        return forest.forest(ax, rows, labels, words)

    def _simple(self) -> list[str]:
        """The legal methods of the mean loss that need no bounds."""
        known = ((name, METHODS[name]) for name in self.legal)
        return [n for n, m in known if m.needs != "predictions" and "bounds" not in m.options]

    def _size_of_intervals(self) -> Size:
        return 5.6, 0.9 + 0.3 * max(1, len(self._simple()))

    def _draw_inflation(self, ax: Axes) -> Axes:
        details = self.at("ncv").interval.details  # type: ignore[union-attr]
        return predictions.running_inflation(ax, details["running_inflation"], details["inflation"])

    def averages_told(self) -> list[Inline]:
        """Both averages, for the methods part."""
        plan, value = self.table.plan, number(self.estimate)
        if len(plan) == 1:
            return [f" The mean loss on the {sizes(plan.n_test)} test rows was {value}."]
        return [
            f" The estimate, the mean of the fold means, was {value} (mean over observations: "
            f"{number(self.pooled)})."
        ]

    def interval_told(self) -> list[Inline]:
        """The interval, for the methods part."""
        return interval_parts(self.interval, self.estimate)


def entry(
    name: str, estimate: float, found: Interval | None, table: LossTable, folds: str
) -> dict[str, Any]:
    """An estimate as a row of a table of several."""
    nan = math.nan
    row = {"name": name, "estimate": estimate, "std_error": nan, "conf_low": nan, "conf_high": nan}
    row |= {"level": nan, "method": "none", "target": "", "notes": ""}
    row |= {} if found is None else {n: v for n, v in found.row().items() if n != "metric"}
    return row | {"loss": table.loss, "folds": folds, "n": table.plan.n}


def refused(error: IntervalError) -> str:
    """Why there is no interval, and what to do."""
    return f"No interval: {error.problem}" + (f" What to do: {error.fix}." if error.fix else "")


def interval_facts(found: Interval, estimate: float | None = None) -> Facts:
    """The method, its standard error, how it behaves, why it was chosen.

    The centre is named where it differs from the estimate beside which the interval stands.
    """
    centre = f"{number(found.estimate)}, not the mean of fold means"
    rows = [
        ("method", f"{found.title} ({found.method})"),
        ("centre", centre if moved(found, estimate) else ""),
        ("standard error", number(found.std_error) or "none"),
        ("reference", distribution_words(found)),
        ("known behaviour", found.known),
        ("chosen because", found.chosen),
        ("in use", str(found.all_rows or "")),
        *(("note", note) for note in found.notes),
    ]
    return Facts(tuple((label, value) for label, value in rows if value))
