"""Python beside R: the quantities of one result, the parity suite, and the course's run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.r.check.call import Row
from pycvstat.r.check.crosscheck import Crosscheck
from pycvstat.r.check.suite import ROOMS, ParitySuite
from pycvstat.r.lecture import LectureRun, lecture_run
from pycvstat.r.lecture.course import CourseInR, course_data, live_course, recorded_course
from pycvstat.report.content import Block, Facts, Headline, Note, Section, Table, paragraph, section
from pycvstat.report.numbers import aligned, capital, count, number, table_of
from pycvstat.report.plots.forest import agreement, by_room
from pycvstat.report.plots.style import BLUE, ORANGE
from pycvstat.report.views.base import WIDE, Picture, Sections, View
from pycvstat.rmath.tolerances import SUMS
from pycvstat.types import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes


VERDICTS = {
    "agrees": "Python and R agree",
    "differs": "Python and R differ",
    "not fully compared": "Python and R were not fully compared",
}


class CrosscheckView(View, of=Crosscheck):
    """Python and R side by side, and the verdict."""

    appendix = False
    result: Crosscheck

    @property
    def title(self) -> str:
        """The verdict."""
        return VERDICTS[self.result.verdict]

    @property
    def subtitle(self) -> str:
        """How many quantities agree."""
        return self.result.words.split(";")[0]

    @property
    def verdict(self) -> str:
        """The verdict with its figures."""
        return f"{self.result.verdict}: {self.result.words}"

    def findings(self) -> Sections:
        """Verdict, quantities, tolerances and notes."""
        check = self.result
        blocks: list[Block | None] = [
            Facts((("verdict", self.verdict), ("R", check.r_version or "-"))),
            agreement_table(check),
            tolerances(check),
            self.figure("differences", "crosscheck") if check.rows else None,
            *(Note(text) for text in check.notes),
        ]
        return [section("Cross-check with R", *blocks)]

    def brief(self) -> Sections:
        """Quantities and notes."""
        check = self.result
        facts = [("R", check.r_version or "-")]
        if check.first_difference:
            facts.append(("first difference", check.first_difference))
        if check.left_out:
            facts.append(("not compared", check.left_out))
        facts += [("note", text) for text in check.notes]
        return [section("Cross-check", agreement_table(check), Facts(tuple(facts)))]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """Differences beside their tolerances."""
        words = "Largest relative difference of Python and R beside its tolerance."
        size = 4.6, 0.9 + 0.22 * max(1, len(self.result.rows))
        drawn = Picture(lambda ax: agreement(ax, self.rows), size, words, self._tell)
        return {"differences": drawn}

    def _tell(self) -> str:
        known = (row.relative for row in self.result.rows if row.relative == row.relative)
        return f"{self.verdict}; largest relative difference {max(known, default=0.0):.2g}."


def agreement_table(check: Crosscheck) -> Table:
    """One row per quantity: the verdict, both values, their difference, what is allowed."""
    rows = tuple(
        (
            row.quantity,
            f"differs: {row.place}" if row.place else row.verdict,
            *_values(row),
            _size(row.relative),
            "" if row.why_not else _size(row.tolerance.relative),
        )
        for row in check.rows
    )
    columns = ("quantity", "verdict", "Python", "R", "difference", "allowed")
    caption = "Relative differences, where the two values differ most."
    return Table(columns, rows, "llrrrr", caption)


def tolerances(check: Crosscheck) -> Facts | None:
    """Why differences of these sizes are allowed."""
    compared = [row.tolerance for row in check.rows if not row.why_not]
    reasons = {f"allowed: {_size(one.relative)}": one.reason for one in compared}
    return Facts(tuple(reasons.items())) if reasons else None


def _values(row: Row) -> tuple[str, str]:
    """Both values, with all digits where they differ and would look the same."""
    if row.why_not:
        return "", ""
    both = (row.python, row.r)
    numbers = all(isinstance(value, int | float) for value in both)
    if numbers and not row.agrees and f"{row.python:.7g}" == f"{row.r:.7g}":
        return repr(float(row.python)), repr(float(row.r))
    return _value(row.python), _value(row.r)


def _value(value: Any) -> str:
    if not isinstance(value, int | float):
        return str(value)
    return str(int(value)) if float(value).is_integer() else number(value, 7)


def _size(value: float) -> str:
    if value != value:
        return ""
    return "0" if value == 0 else f"{value:.1e}"


ROOM_HEADERS = {"room": "room", "comparisons": "compared", "agree": "agree", "numbers": "numbers"}


class SuiteView(View, of=ParitySuite):
    """Counts per room, and every comparison in the full report."""

    appendix = False
    title = "Python beside R"
    result: ParitySuite

    @property
    def subtitle(self) -> str:
        """How many rooms."""
        return count(len(self.result.rooms), "room")

    @property
    def counts(self) -> tuple[int, int]:
        """Comparisons that agree, and all of them."""
        frame = self.result.by_room()
        return int(frame["agree"].sum()), int(frame["comparisons"].sum())

    def top(self) -> list[Block]:
        """How many agree."""
        good, total = self.counts
        words = "live R" if self.result.against == "live" else "recorded values of R"
        return [Headline(f"{good} of {total} agree", f"quantities compared with {words}")]

    def rooms(self, figure: bool) -> Section:
        """Counts per room, what differs first, what was not run."""
        suite = self.result
        caption = "Quantities by room, and the numbers in them."
        blocks: list[Block] = [table_of(suite.by_room(), ROOM_HEADERS, caption)]
        blocks += [self.figure("differences")] if figure and suite.rooms else []
        facts = [("first difference", suite.first_difference)] if suite.first_difference else []
        facts += [(f"not run: {ROOMS[name]}", text) for name, text in suite.problems.items()]
        facts += [(ROOMS[name], room.r_version) for name, room in suite.rooms.items()]
        return section("Rooms", *blocks, Facts(tuple(facts)))

    def findings(self) -> Sections:
        """The rooms, and every comparison."""
        rooms = self.result.rooms.items()
        every = [section(capital(ROOMS[name]), agreement_table(room)) for name, room in rooms]
        return [self.rooms(figure=True), *every]

    def brief(self) -> Sections:
        """The rooms."""
        return [self.rooms(figure=False)]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """Differences by room."""
        words = "Relative difference of every comparison; 0 is drawn at the left end."
        size = 4.6, 0.9 + 0.22 * max(1, len(self.result.rooms))
        drawn = Picture(lambda ax: by_room(ax, self.rows), size, words, self._tell)
        return {"differences": drawn}

    def _tell(self) -> str:
        return "{} of {} comparisons agree.".format(*self.counts)


ABOUT = (
    "200 simulated rows (pycvstat.data.waves(200, random=2021)), shuffled as R's set.seed(1) "
    "shuffles; the last 50 are the test part. k is tuned by 10 folds on the other 150; the nested "
    "estimate uses 8 outer and 5 inner folds of all rows."
)


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """The course's run in Python beside R's runs, the first of which is drawn."""

    python: LectureRun
    in_r: Sequence[CourseInR]

    @property
    def agrees(self) -> bool:
        """Whether chosen k agree exactly, and errors but for the rounding of sums."""
        return all(
            other.run.optimal_k == self.python.optimal_k
            and other.run.nested_k == self.python.nested_k
            and np.allclose(_errors(other.run), _errors(self.python), rtol=SUMS.relative, atol=0)
            for other in self.in_r
        )


def _errors(run: LectureRun) -> FloatArray:
    return np.concatenate([run.cv_curve, [run.test_error, run.nested], run.nested_errors])


def run_course() -> Course:
    """The course's run by us, by R where it is, and as it was recorded."""
    data = course_data()
    python, live = lecture_run(data), live_course(data)
    return Course(python, [recorded_course()] if live is None else [live, recorded_course()])


class CourseView(View, of=Course):
    """The course's numbers, the error curve and the outer folds."""

    appendix = False
    title = "k nearest neighbours, tuned by cross-validation"
    result: Course

    @property
    def subtitle(self) -> str:
        """Whether Python and R agree."""
        verdict = "agree" if self.result.agrees else "DIFFER"
        return f"Python and R {verdict}: the course's script in both"

    def findings(self) -> Sections:
        """Numbers, curve, folds."""
        python, in_r = self.result.python, self.result.in_r
        words = "nested cross-validation estimate of the squared error"
        first = section(
            "",
            Headline(number(python.nested), words),
            paragraph(ABOUT),
            Facts(tuple((f"R ({_way(other)})", other.label) for other in in_r)),
            None if self.result.agrees else Note("Python and R differ by more than rounding."),
            self.quantities(),
        )
        curve = self.table(
            "k",
            [str(k) for k in python.ks],
            lambda run: run.cv_curve,
            "10-fold error of each k.",
            strong=tuple(np.flatnonzero(np.isin(python.ks, python.optimal_k)).tolist()),
        )
        return [first, section("Error curve", self.figure("error-curve"), curve), self.nested()]

    def quantities(self) -> Table:
        """The lowest error, the chosen k, the test error, the nested estimate."""
        table = self.table(
            "quantity",
            ["lowest 10-fold error", "test error, optimal k", "nested 8 x 5 estimate"],
            lambda run: [run.cv_curve.min(), run.test_error, run.nested],
            "The course's numbers.",
        )
        runs = [self.result.python, *(other.run for other in self.result.in_r)]
        same = "0" if all(run.optimal_k == runs[0].optimal_k for run in runs) else "differs"
        chosen = ("optimal k", *(_listed(run.optimal_k) for run in runs), same)
        return replace(table, rows=(table.rows[0], chosen, *table.rows[1:]))

    def nested(self) -> Section:
        """Errors and choices of the outer folds."""
        chosen = self.result.python.nested_k
        names = [f"{fold}  (k = {_listed(ks)})" for fold, ks in enumerate(chosen, start=1)]
        caption = "Test error of each outer fold, and the k it chose."
        table = self.table("outer fold", names, lambda run: run.nested_errors, caption)
        same = all(other.run.nested_k == chosen for other in self.result.in_r)
        words = "Python and R chose the same k in every fold." if same else "Chosen k: differs."
        return section("Nested cross-validation", table, paragraph(words))

    def table(
        self,
        name: str,
        names: Sequence[str],
        of: Callable[[LectureRun], Sequence[float] | FloatArray],
        caption: str,
        strong: tuple[int, ...] = (),
    ) -> Table:
        """Rows of a name, Python's value, R's values, the largest difference."""
        in_r = self.result.in_r
        runs = [of(self.result.python), *(of(other.run) for other in in_r)]
        values = np.asarray(runs, dtype=np.float64)
        apart = np.abs(values[1:] - values[0]).max(axis=0)
        cells = [aligned(column, 6) for column in values.tolist()]
        rows = zip(names, *cells, [f"{d:.1e}" if d else "0" for d in apart], strict=True)
        columns = (name, "Python", *(f"R ({_way(other)})" for other in in_r), "difference")
        return Table(columns, tuple(rows), "l" + "r" * (len(columns) - 1), caption, strong)

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The error curve."""
        words = "Cross-validated squared error of each number of neighbours k, Python and R."
        return {"error-curve": Picture(self._draw, WIDE, words, self._tell)}

    def _draw(self, ax: Axes) -> Axes:
        python, in_r = self.result.python, self.result.in_r[0].run
        ax.plot(python.ks, python.cv_curve, "-", color=BLUE, label="Python")
        ax.plot(in_r.ks, in_r.cv_curve, "o", color=ORANGE, fillstyle="none", label="R")
        lowest = [python.cv_curve.min()] * len(python.optimal_k)
        ax.plot(python.optimal_k, lowest, "o", color=BLUE, markersize=6)
        ax.set_xlabel("number of neighbours k")
        ax.set_ylabel("10-fold squared error")
        ax.legend()
        return ax

    def _tell(self) -> str:
        python = self.result.python
        lowest, at = number(python.cv_curve.min()), _listed(python.optimal_k)
        return f"The error is lowest, {lowest}, at k = {at}."


def _way(other: CourseInR) -> str:
    return "live" if other.label.endswith("live") else "recorded"


def _listed(ks: Sequence[int]) -> str:
    return ", ".join(map(str, ks))
