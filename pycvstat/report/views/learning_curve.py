"""Train error, test error and their gap over training sizes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pycvstat.procedures.learning_curve import LearningCurve
from pycvstat.report.content import Note, Table, section
from pycvstat.report.numbers import aligned, table_of
from pycvstat.report.plots import curves
from pycvstat.report.sentences import NAIVE, learner_words
from pycvstat.report.views.base import WIDE, Picture, Sections
from pycvstat.report.views.data import map_of
from pycvstat.report.views.error_curve import HEADERS, TrainTestView

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class LearningCurveView(TrainTestView, of=LearningCurve):
    """How errors depend on the number of training rows."""

    over = "training size"
    result: LearningCurve

    @property
    def title(self) -> str:
        """The learner."""
        return f"Learning curve of {learner_words(self.result.learner)}"

    @property
    def question(self) -> str:
        """How errors depend on the number of training rows."""
        return (
            f"How does the error of {learner_words(self.result.learner)} depend on the number of "
            "training rows? Smaller training sets are contained in larger ones; the test rows of a "
            "fold stay the same."
        )

    def findings(self) -> Sections:
        """Curve and table."""
        curve = self.figure("curve", "learning-curve")
        return [section("Error by training size", curve, self.table(), Note(NAIVE))]

    def brief(self) -> Sections:
        """Table and setting."""
        return [section("Errors", self.table()), *self.setting()]

    def table(self) -> Table:
        """Errors by training size."""
        headers = {"n_train": "training rows"} | HEADERS
        return table_of(self.result.tidy(), headers, "Means over the fits.")

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The curve and the map of the folds."""
        words = "Train and test error by training size."
        curve = Picture(self._draw, WIDE, words, self._tell)
        return {"curve": curve, "map": map_of(self.result.plan)}

    def _draw(self, ax: Axes) -> Axes:
        return curves.learning_curve(ax, self.result.tidy(), self.loss)

    def _tell(self) -> str:
        ends = self.result.tidy().iloc[[0, -1]]
        a, b = aligned(list(ends["test"]))
        falls = ends["test"].iloc[1] < ends["test"].iloc[0]
        first, last = (int(n) for n in ends["n_train"])
        words = ("falls from", "to") if falls else ("is", "and")
        return f"Test error {words[0]} {a} with {first} training rows {words[1]} {b} with {last}."
