"""Train error, test error and their gap, over a grid or over training sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pycvstat.procedures.error_curve import ErrorCurve
from pycvstat.procedures.learning_curve import LearningCurve
from pycvstat.report.content import Block, Headline, Inline, Note, paragraph, section
from pycvstat.report.numbers import aligned, settings
from pycvstat.report.plots import candidates
from pycvstat.report.sentences import (
    NAIVE,
    candidates_words,
    data_parts,
    learner_parts,
    learner_words,
    loss_words,
    plan_parts,
    risk_words,
)
from pycvstat.report.views.base import Sections
from pycvstat.report.views.tuning import GridView

if TYPE_CHECKING:
    from matplotlib.axes import Axes


HEADERS = {"train": "train error", "test": "test error", "gap": "gap", "std_error": "naive s.e."}
EXPLAINED = (
    "The train error is measured on the rows that each fit was trained on, the test error on the "
    "rows that were left out; the gap is test minus train. Where the train error is small and the "
    "gap large, the learner overfits; where both errors are large, it underfits. Shaded: "
    "candidates whose test error exceeds the smallest by more than one naive standard error."
)


class TrainTestView(GridView):
    """A view of train and test errors."""

    headers = HEADERS
    over: ClassVar[str]
    """What they are estimated for, one by one."""

    def brief(self) -> Sections:
        """The best candidates and the setting."""
        return [section("Errors", self.listed(12)), *self.setting()]

    def methods(self) -> list[Inline]:
        """Learner, folds, data, averages."""
        return [
            f"The train and test errors ({loss_words(self.loss)}) of ",
            *learner_parts(self.result.learner, self.tuned),
            f" were estimated for every {self.over} by ",
            *plan_parts(self.result.plan, self.result.task),
            *data_parts(self.result.task),
            " Errors are means of the fold means; the train error is measured on the rows a fit "
            "was trained on.",
        ]


class ErrorCurveView(TrainTestView, of=ErrorCurve):
    """How errors depend on the parameters."""

    over, caption = "candidate", "Train error, test error and their gap."
    result: ErrorCurve

    @property
    def title(self) -> str:
        """The learner."""
        return f"Train and test error of {learner_words(self.result.learner)}"

    @property
    def question(self) -> str:
        """How errors depend on the parameters."""
        result = self.result
        return (
            "How do train error, test error and their gap depend on the parameters, over "
            f"{candidates_words(result.candidates)}? The test error estimates the "
            f"{risk_words(result.plan, result.loss, 'each candidate')}."
        )

    def python(self) -> str:
        """error_curve."""
        grid = repr(list(self.result.candidates)).replace("{", "{{").replace("}", "}}")
        given = f"folds=folds, grid={grid}, loss={self.loss!r}"
        return f"pcv.error_curve(learner, {{data}}, {{more}}, {given})"

    def _at_best(self) -> list[str]:
        best = self.rows.iloc[self.strong()]
        return aligned([best["train"], best["test"], best["gap"]])

    def top(self) -> list[Block]:
        """The smallest test error."""
        train, test, gap = self._at_best()
        value = f"{settings(self.result.best)}: test error {test}"
        return [Headline(value, f"the smallest test error; train error {train}, gap {gap}")]

    def findings(self) -> Sections:
        """Explanation, curve and table."""
        shown = self.figure("curve", "error-curve"), self.listed(), Note(NAIVE)
        return [section("Train and test error", paragraph(EXPLAINED), *shown)]

    def draw(self, ax: Axes) -> Axes:
        """The errors over the candidates."""
        return candidates.error_curve(ax, self.rows, self.tuned, self.quantity)

    def tell(self) -> str:
        """The errors of the best candidate."""
        train, test, gap = self._at_best()
        return (
            f"Test error is smallest at {settings(self.result.best)}: test {test}, train {train}, "
            f"gap {gap}. Over {len(self.rows)} candidates."
        )


class LearningCurveView(TrainTestView, of=LearningCurve):
    """How errors depend on the number of training rows."""

    over, caption = "training size", "Train and test error by training size."
    headers: ClassVar = {"n_train": "training rows"} | HEADERS
    tuned = ()
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
        return [section("Error by training size", curve, self.listed(), Note(NAIVE))]

    def draw(self, ax: Axes) -> Axes:
        """The errors over the training sizes."""
        return candidates.learning_curve(ax, self.rows, self.quantity)

    def tell(self) -> str:
        """The ends of the curve."""
        ends = self.rows.iloc[[0, -1]]
        a, b = aligned(list(ends["test"]))
        falls = ends["test"].iloc[1] < ends["test"].iloc[0]
        first, last = (int(n) for n in ends["n_train"])
        words = ("falls from", "to") if falls else ("is", "and")
        return f"Test error {words[0]} {a} with {first} training rows {words[1]} {b} with {last}."
