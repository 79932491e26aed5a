"""Results with one table of losses: estimates, their interval, errors of the folds, predictions."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.errors import IntervalError, heard
from pycvstat.intervals import METHODS, Interval, interval, legal_methods
from pycvstat.losses import LossTable, loss_label
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.setting import fold_rows
from pycvstat.report.content import (
    Block,
    Cite,
    Facts,
    Headline,
    Inline,
    Note,
    Section,
    Table,
    section,
)
from pycvstat.report.numbers import aligned, count, interval_headers, number, sizes, table_of
from pycvstat.report.plots import forest, predictions
from pycvstat.report.sentences import (
    data_parts,
    distribution_words,
    interval_parts,
    learner_parts,
    learner_words,
    loss_words,
    moved,
    plan_parts,
    plan_words,
    risk_words,
    value_words,
)
from pycvstat.report.views.base import WIDE, Picture, Sections, Size
from pycvstat.report.views.data import DataView, FoldsView, failures_notes, folds_table, map_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pycvstat.data.response import Response


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
        return table_of(pd.DataFrame(rows), headers, "")

    def interval_section(self) -> Section | None:
        """The interval and what was said of it."""
        found, notes = self._asked
        blocks = [] if found is None else [interval_facts(found, self.estimate)]
        return section("Interval", *blocks, *notes) if blocks or notes else None

    @cached_property
    def fold_rows(self) -> pd.DataFrame:
        """One row per fit."""
        return fold_rows(self.table)

    def fold_errors(self) -> Section:
        """Errors of the folds as a table and a picture."""
        shown = self.figure("folds" if "folds" in self.pictures else "losses", "fold-errors")
        return section("Errors of the folds", folds_table(self.fold_rows, self.table.loss), shown)

    @cached_property
    def legal(self) -> tuple[str, ...]:
        """The methods that are legal for the table without further options."""
        return legal_methods(self.table)

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """Errors of folds, losses of rows, all legal intervals, the map of the folds."""
        plan, found = self.table.plan, {}
        if len(plan) > 1 and plan.n_test.max() > 1:
            words = "Mean loss of every fold, their mean, and the interval."
            found["folds"] = Picture(self._draw_folds, WIDE, words, self._tell_folds)
        words = "Mean loss of every row over its tests."
        found["losses"] = Picture(self._draw_losses, WIDE, words, self._tell_folds)
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
        return predictions.fold_errors(ax, self.fold_rows, self.estimate, found, self.table.loss)

    def _tell_folds(self) -> str:
        means, loss = self.fold_rows["estimate"], loss_label(self.table.loss)
        low, middle, high = aligned(list(np.nanquantile(means, [0, 0.5, 1])))
        return (
            f"Mean {loss} of {count(len(means), 'fit')}: smallest {low}, median {middle}, "
            f"largest {high}."
        )

    def _draw_losses(self, ax: Axes) -> Axes:
        by_row = self.table.tested_rows()[1][:, 0]
        known = by_row[~np.isnan(by_row)]
        return predictions.loss_distribution(ax, known, self.estimate, self.table.loss)

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
        *(("note", note) for note in found.notes),
    ]
    return Facts(tuple((label, value) for label, value in rows if value))


RESIDUALS = (
    "Observed minus predicted against the out-of-fold prediction, and the means of groups of equal "
    "size."
)
CALIBRATION = "Calibration of out-of-fold probabilities; on the diagonal they are right on average."


class RiskView(EstimateView, DataView, of=CVResult):
    """The cross-validated risk of a learner."""

    script = True
    result: CVResult

    @property
    def of(self) -> str:
        """The learner."""
        return learner_words(self.result.learner)

    @property
    def title(self) -> str:
        """The learner and the folds."""
        return f"{self.of}: {plan_words(self.result.plan)}"

    @property
    def question(self) -> str:
        """How large the risk is."""
        return f"How large is the {self.asked(self.of)}?"

    def numbers(self) -> Sections:
        """Estimates and interval, with what befell the fits."""
        notes = [*failures_notes(self.result), *fit_notes(self.result)]
        return [section("Estimates", self.estimates(), *notes), self.interval_section()]

    def findings(self) -> Sections:
        """Numbers, errors of the folds, predictions."""
        return [*self.numbers(), self.fold_errors(), *self.inside(), self.predicted()]

    def inside(self) -> Sections:
        """What tuning found, where there was some."""
        return []

    def brief(self) -> Sections:
        """Numbers and setting."""
        return [*self.numbers(), *self.setting()]

    @cached_property
    def augmented(self) -> pd.DataFrame:
        """The data with out-of-fold predictions."""
        return self.result.augment()

    def predicted(self) -> Section | None:
        """Residuals or calibration, or a table of classes when there are no probabilities."""
        if "residuals" in self.pictures:
            return section("Out-of-fold residuals", self.figure("residuals"))
        response = self.result.task.response
        if self.table.predictions is None or not response.levels:
            return None
        shown = [self.figure("calibration")] if "calibration" in self.pictures else []
        return section("Out-of-fold predictions", confusion(response, self.augmented), *shown)

    def own_pictures(self) -> dict[str, Picture]:
        """Residuals, or the calibration of probabilities."""
        predicted = self.table.predictions
        if predicted is None:
            return {}
        if not self.result.task.response.levels:
            drawn = Picture(self._draw_residuals, WIDE, RESIDUALS, self._tell_residuals)
            return {"residuals": drawn}
        words = "Share observed against the out-of-fold probability in groups of equal size."
        drawn = Picture(self._draw_calibration, (3.6, 3.6), words, lambda: CALIBRATION)
        return {} if predicted.prob is None else {"calibration": drawn}

    def _draw_residuals(self, ax: Axes) -> Axes:
        return predictions.residuals(ax, self.augmented, self.result.task.response.name)

    def _tell_residuals(self) -> str:
        spread = self.augmented[".residual"].dropna()
        return (
            f"Residuals against out-of-fold predictions of {len(spread)} rows: mean "
            f"{number(spread.mean())}, standard deviation {number(spread.std())}."
        )

    def _draw_calibration(self, ax: Axes) -> Axes:
        response = self.result.task.response
        tested, probability = mean_probabilities(self.table)
        return predictions.calibration(ax, probability, response.values[tested], response.levels)

    def methods(self) -> list[Inline]:
        """Learner, folds, data, estimates and interval."""
        result = self.result
        parts: list[Inline] = [
            f"The risk ({loss_words(self.loss)}) of ",
            *learner_parts(result.learner),
            " was estimated by ",
            *plan_parts(result.plan),
            *data_parts(result.task),
            *self.averages_told(),
        ]
        if result.bias is not None:
            words = " Adjusted for the bias of smaller training sets it was "
            parts += [f"{words}{number(result.adjusted)} ", Cite(("burman1989",)), "."]
        return [*parts, *self.interval_told()]


def fit_notes(result: CVResult) -> list[Block]:
    """Columns without a coefficient and fits that did not converge."""
    details: list[Any] = [d for d in result.details if hasattr(d, "aliased")]
    aliased = [d.aliased for d in details if d.aliased]
    stuck = sum(not d.converged for d in details)
    fits, notes = count(len(result.plan), "fit"), []
    if aliased:
        names = ", ".join(dict.fromkeys(name for columns in aliased for name in columns))
        notes.append(f"Columns without a coefficient in {len(aliased)} of {fits}: {names}.")
    if stuck:
        notes.append(f"{stuck} of {fits} did not converge.")
    return [Note(text) for text in notes]


def mean_probabilities(table: LossTable) -> tuple[Any, Any]:
    """Tested rows, and their out-of-fold class probabilities averaged over repetitions."""
    assert table.predictions is not None
    assert table.predictions.prob is not None
    prob, plan = table.predictions.prob[0], table.plan
    total = np.zeros((plan.n, prob.shape[1]))
    np.add.at(total, plan.rows, prob)
    times = np.bincount(plan.rows, minlength=plan.n)
    tested = np.flatnonzero(times)
    return tested, total[tested] / times[tested, None]


def confusion(response: Response, frame: pd.DataFrame) -> Table:
    """Observed by predicted classes, out of fold."""
    levels = response.levels
    tested = frame[".prediction"].notna()
    observed = response.labels(response.values[tested.to_numpy()])
    predicted = frame.loc[tested, ".prediction"].to_numpy()
    rows = tuple(
        (level, *(str(np.sum((observed == level) & (predicted == other))) for other in levels))
        for level in levels
    )
    words = "Rows by observed class (rows) and out-of-fold predicted class (columns)."
    return Table(("observed", *levels), rows, "l" + "r" * len(levels), words)
