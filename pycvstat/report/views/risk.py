"""Cross-validation of a learner: its risk, and its out-of-fold predictions."""

from __future__ import annotations

from collections import Counter
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pycvstat.intervals.metric_rows import usual_metrics
from pycvstat.learners.solution import FitReport
from pycvstat.losses.metrics import METRICS
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.report.content import Block, Cite, Inline, Note, Section, Table, section
from pycvstat.report.numbers import (
    capital,
    count,
    in_unit,
    interval_headers,
    listed,
    number,
    table_of,
)
from pycvstat.report.plots import predictions
from pycvstat.report.plots.style import SERIES
from pycvstat.report.sentences import data_parts, learner_parts, loss_words, plan_parts, plan_words
from pycvstat.report.views.base import WIDE, Picture, Sections
from pycvstat.report.views.data import DataView, failures_notes
from pycvstat.report.views.estimate import EstimateView

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pycvstat.types import FloatArray


RESIDUALS = (
    "Observed minus predicted against the out-of-fold prediction, and the means of groups of equal "
    "size."
)
BEHIND = " The folds are in the background, all held-out predictions together in front."
CURVES: dict[str, tuple[Any, str]] = {
    "roc": (predictions.roc, "Sensitivity against 1 - specificity over all thresholds."),
    "precision_recall": (
        predictions.precision_recall,
        "Precision against sensitivity over all thresholds.",
    ),
    "calibration": (
        predictions.calibration,
        "Share observed against the out-of-fold probability in groups of equal size, with Wilson's "
        "limits, and at the bottom how often each probability was predicted.",
    ),
}
"""Pictures of probabilities, and their captions."""


class RiskView(EstimateView, DataView, of=CVResult):
    """The cross-validated risk of a learner."""

    result: CVResult

    @property
    def title(self) -> str:
        """The learner and the folds."""
        return f"{self.of}: {plan_words(self.result.plan, self.by)}"

    def python(self) -> str:
        """cross_validate; a tuned learner is tuned inside."""
        more = ", bias_adjusted=True" if self.result.bias is not None else ""
        given = f"folds=folds, loss={self.loss!r}{more}"
        return f"pcv.cross_validate(learner, {{data}}, {{more}}, {given})"

    def results(self) -> Sections:
        """Estimates and interval, with what befell the fits."""
        notes = [*failures_notes(self.result), *fit_notes(self.result)]
        return [section("Estimates", self.estimates(), *notes), self.interval_section()]

    def findings(self) -> Sections:
        """Numbers, errors of the folds, predictions."""
        found = self.fold_errors(), *self.inside(), self.metrics(), self.predicted()
        return [*self.results(), *found]

    def inside(self) -> Sections:
        """What was selected or tuned inside the fits, where anything was."""
        return [selected_section(self.result)]

    def brief(self) -> Sections:
        """Numbers, what was selected, setting."""
        return [*self.results(), selected_section(self.result), *self.setting()]

    @cached_property
    def residuals(self) -> tuple[FloatArray, FloatArray]:
        """Out-of-fold predictions by repetition and row, and what they leave of the response."""
        p, plan = self.table.predictions, self.table.plan
        assert p is not None
        order = np.lexsort((plan.rows, np.repeat(plan.repeat, plan.n_test)))
        order = order[~np.isnan(p.values[0][order])]
        values = p.values[0][order]
        return values, self.result.task.response.values[plan.rows[order]] - values

    def metrics(self) -> Section | None:
        """The usual metrics with intervals, and how much of the way from the mean to perfect."""
        if self.table.predictions is None or not (names := usual_metrics(self.table)):
            return None
        frame = self.result.metrics(names, level=self.level, baseline=True)
        labels = [METRICS[name].label for name in frame["metric"]]
        headers = {"label": "metric"} | interval_headers(self.level) | {"averaging": "over"}
        headers |= {"baseline": "mean's", "skill": "skill"}
        averaged = {"folds": "folds", "pooled": "rows", "repeats": "repetitions"}
        shown = frame.assign(label=labels, averaging=frame["averaging"].map(averaged))
        used = listed([name for name in dict.fromkeys(frame["method"]) if name != "none"])
        words = (
            f"Metrics of the out-of-fold predictions; intervals: {used or 'none'}. Averaged over "
            "rows: of all held-out predictions together; over folds: mean of the values by fold. "
            "Skill is the part of the way from the same metric of the mean (or of the shares of "
            "the classes) of the training rows to perfect predictions."
        )
        noted: dict[str, list[str]] = {}
        for name, note in zip(labels, frame["notes"], strict=True):
            if note:
                noted.setdefault(note.partition(" (the formula")[0], []).append(name)
        notes = [Note(f"{capital(listed(of))}: {text}.") for text, of in noted.items()]
        return section("Metrics", table_of(shown, headers, words), *notes)

    def predicted(self) -> Section | None:
        """Residuals; or classes and pictures of their probabilities."""
        if "residuals" in self.pictures:
            return section("Out-of-fold residuals", self.figure("residuals"))
        if self.table.predictions is None or not self.result.task.response.levels:
            return None
        found = self.result.confusion(self.level)
        share = [f"{100 * value:.1f} %" for value in found["share"]]
        headers = {"observed": "observed", "predicted": "predicted", "rows": "rows", "of": "of"}
        headers |= {"percent": "share"} | interval_headers(self.level)
        words = (
            "Rows by observed and out-of-fold predicted class, with Wilson's limits of the share."
        )
        shown = [self.figure(name) for name in CURVES if name in self.pictures]
        rows = [f"{value:.4g}" for value in found["rows"]]
        table = table_of(found.assign(percent=share, rows=rows), headers, words)
        return section("Out-of-fold predictions", table, *shown)

    @cached_property
    def scored(self) -> list[predictions.Scored]:
        """Classes with out-of-fold probabilities: the event of two, else each."""
        p, table, response = self.table.predictions, self.table, self.result.task.response
        if p is None or (response.levels and p.prob is None):
            return []
        y, fit = (
            response.values[table.plan.rows],
            np.repeat(np.arange(len(table.plan)), table.plan.n_test),
        )
        ok = ~np.isnan(p.values[0])
        made = partial(predictions.Scored, fit=fit[ok], times=max(table.plan.times, 1))
        if not response.levels:
            sure = response.zeros_and_ones and ((p.values[0] >= 0) & (p.values[0] <= 1))[ok].all()
            return [made(response.name, y[ok] == 1, p.values[0][ok])] if sure else []
        which = [1] if len(response.levels) == 2 else range(len(response.levels))[: len(SERIES)]
        prob: Any = p.prob
        each = (made(response.levels[c], y[ok] == c, prob[0, ok, c]) for c in which)
        return [one for one in each if 0 < one.event.sum() < one.event.size]

    def own_pictures(self) -> dict[str, Picture]:
        """Residuals, or ROC, precision and recall, and calibration of probabilities."""
        found = {}
        held = self.table.predictions
        numbers = held is not None and not self.result.task.response.levels
        if numbers and np.isfinite(held.values).any():  # type: ignore[union-attr]
            found["residuals"] = Picture(
                self._draw_residuals, WIDE, RESIDUALS, self._tell_residuals, self.result.augment
            )
        for name, (draw, words) in (CURVES if self.scored else {}).items():
            drawn = partial(self._draw_classes, draw)
            told = self._tell_classes, self._scores
            found[name] = Picture(drawn, (3.8, 3.8), words + BEHIND, *told)
        return found

    def _draw_residuals(self, ax: Axes) -> Axes:
        name, unit = self.result.task.response.name, in_unit(self.response_unit)
        return predictions.residuals(ax, *self.residuals, name, unit)

    def _tell_residuals(self) -> str:
        spread = self.residuals[1]
        return (
            f"Residuals against out-of-fold predictions of {len(spread)} rows: mean "
            f"{number(spread.mean())}, standard deviation {number(spread.std(ddof=1))}."
        )

    def _scores(self) -> pd.DataFrame:
        """Every out-of-fold probability of a class, and whether the row is of it."""
        parts = ({"class": one.name, "event": one.event, "probability": one.score, "fit": one.fit}
                 for one in self.scored)  # fmt: skip
        return pd.concat(map(pd.DataFrame, parts), ignore_index=True)

    def _draw_classes(self, draw: Any, ax: Axes) -> Axes:
        drawn: Axes = draw(ax, self.scored)
        return drawn

    def _tell_classes(self) -> str:
        parts = [
            f"{one.name}: AUC {number(one.value('auc'))}, average precision "
            f"{number(one.value('average_precision'))}, Brier score {number(one.value('brier'))}"
            for one in self.scored
        ]
        return f"Of all held-out predictions together, {'; '.join(parts)}."

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


def fit_notes(result: Any) -> list[Block]:
    """Columns without a coefficient and fits that did not converge."""
    fits = [[one for one in fit if isinstance(one, FitReport)]
            for fit in result.details if isinstance(fit, tuple)]  # fmt: skip
    aliased = [dict.fromkeys(name for one in fit for name in one.aliased) for fit in fits]
    without, stuck = sum(map(bool, aliased)), sum(not all(o.converged for o in f) for f in fits)
    of, notes = count(len(result.plan), "fit"), []
    if without:
        names = listed(list(dict.fromkeys(name for columns in aliased for name in columns)))
        notes.append(f"Columns without a coefficient in {without} of {of}: {names}.")
    if stuck:
        notes.append(f"{stuck} of {of} did not converge.")
    return [Note(text) for text in notes]


def selected_section(result: CVResult) -> Section | None:
    """How often each term was selected inside the fits, where terms were."""
    chosen = result.selected
    if not chosen:
        return None
    times = Counter(label for labels in chosen for label in labels)
    rows = tuple((label, str(n), f"{n / len(chosen):.0%}") for label, n in times.most_common())
    words = f"Terms selected inside {count(len(chosen), 'fit')}."
    return section("Terms selected", Table(("term", "fits", "share"), rows, "lrr", words))
