"""Cross-validation of a learner: its risk, and its out-of-fold predictions."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.losses import LossTable
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.setting import selected_in_fits
from pycvstat.report.content import Block, Cite, Inline, Note, Section, Table, section
from pycvstat.report.numbers import count, in_unit, number
from pycvstat.report.plots import predictions
from pycvstat.report.sentences import (
    data_parts,
    learner_parts,
    learner_words,
    loss_words,
    plan_parts,
    plan_words,
)
from pycvstat.report.views.base import WIDE, Picture, Sections
from pycvstat.report.views.data import DataView, failures_notes
from pycvstat.report.views.estimate import EstimateView

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pycvstat.data.response import Response


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
        return f"{self.of}: {plan_words(self.result.plan, self.by)}"

    @property
    def question(self) -> str:
        """How large the risk is."""
        return f"How large is the {self.asked(self.of)}?"

    def results(self) -> Sections:
        """Estimates and interval, with what befell the fits."""
        notes = [*failures_notes(self.result), *fit_notes(self.result)]
        return [section("Estimates", self.estimates(), *notes), self.interval_section()]

    def findings(self) -> Sections:
        """Numbers, errors of the folds, predictions."""
        return [*self.results(), self.fold_errors(), *self.inside(), self.predicted()]

    def inside(self) -> Sections:
        """What was selected or tuned inside the fits, where anything was."""
        return [selected_section(self.result)]

    def brief(self) -> Sections:
        """Numbers, what was selected, setting."""
        return [*self.results(), selected_section(self.result), *self.setting()]

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
        name, unit = self.result.task.response.name, in_unit(self.response_unit)
        return predictions.residuals(ax, self.augmented, name, unit)

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
            *plan_parts(result.plan, result.task),
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


def selected_section(result: CVResult) -> Section | None:
    """How often each term was selected inside the fits, where terms were."""
    chosen = selected_in_fits(result.details)
    if not chosen:
        return None
    times = Counter(label for labels in chosen for label in labels)
    rows = tuple((label, str(n), f"{n / len(chosen):.0%}") for label, n in times.most_common())
    words = f"Terms selected inside {count(len(chosen), 'fit')}."
    return section("Terms selected", Table(("term", "fits", "share"), rows, "lrr", words))


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
