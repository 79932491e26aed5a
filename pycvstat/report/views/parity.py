"""Python beside R: the quantities of a result or of cases, and the course's run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.r.check.call import Row
from pycvstat.r.check.crosscheck import Crosscheck
from pycvstat.r.lecture import LectureRun, lecture_run
from pycvstat.r.lecture.course import CourseInR, course_data, live_course, recorded_course
from pycvstat.report.content import (
    Block,
    Code,
    Facts,
    Headline,
    Note,
    Section,
    Table,
    paragraph,
    section,
)
from pycvstat.report.numbers import aligned, capital, number, table_of
from pycvstat.report.plots.forest import agreement, by_group
from pycvstat.report.plots.style import BLUE, ORANGE
from pycvstat.report.views.base import WIDE, Picture, Sections, View
from pycvstat.rmath.tolerances import SUMS
from pycvstat.run.store import versions
from pycvstat.types import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes


VERDICTS = {
    "agrees": "Python and R agree",
    "differs": "Python and R differ",
    "not fully compared": "Python and R were not fully compared",
}


MATCH = {"agrees": "yes", "differs": "NO", "not compared": "not compared"}


class CrosscheckView(View, of=Crosscheck):
    """Python and R side by side, and the verdict."""

    appendix = False
    result: Crosscheck

    @property
    def title(self) -> str:
        """What the cases are about, else the verdict."""
        return self.result.about.partition("\n")[0] or VERDICTS[self.result.verdict]

    @property
    def subtitle(self) -> str:
        """How many quantities agree."""
        good = VERDICTS[self.result.verdict] if self.result.about else ""
        return ": ".join(filter(None, [good, self.result.words.split(";")[0]]))

    @property
    def verdict(self) -> str:
        """The verdict with its figures."""
        return f"{self.result.verdict}: {self.result.words}"

    @property
    def grouped(self) -> bool:
        """Whether its cases are counted by groups."""
        return any(row.group for row in self.result.rows)

    def findings(self) -> Sections:
        """Verdict, quantities, tolerances and notes; of a user's cases the code too."""
        check = self.result
        if check.cases and not self.grouped:
            return self.page()
        first: list[Block | None] = [
            Facts((("verdict", self.verdict), ("R", check.r_version or "-"))),
            self.groups() if self.grouped else agreement_table(check.rows),
            None if self.grouped else tolerances(check),
            self.figure("differences", "crosscheck") if check.rows else None,
            *(Note(text) for text in check.notes),
        ]
        every = {row.group: [one for one in check.rows if one.group == row.group]
                 for row in check.rows if self.grouped}  # fmt: skip
        return [
            section("Cross-check with R", *first),
            *(section(capital(name), agreement_table(rows)) for name, rows in every.items()),
        ]

    def page(self) -> Sections:
        """Statistic, R, Python, match and notes; the code of both; the sessions."""
        check, texts = self.result, self.result.about.partition("\n")[2].split("\n\n")
        shown = [paragraph(" ".join(text.split())) for text in texts if text.strip()]
        rows = tuple(
            (row.quantity, *reversed(_values(row)), MATCH[row.verdict], _remark(row))
            for row in check.rows
        )
        columns = "Statistic", "R", "Python", "Match", "Notes"
        python = [("Python", versions()["python"]), *((name, of) for name, of in versions().items()
                  if name not in ("python", "machine") and of != "absent")]  # fmt: skip
        return [
            section("", *shown) if shown else None,
            section("Comparison", Table(columns, rows, "lrrll", "R and Python side by side.")),
            section("R", *(Code(c.code.strip(), "r", c.name) for c in check.cases if c.r)),
            section("Python", *(Code(c.source, "python", c.name) for c in check.cases)),
            section(
                "Session info",
                Facts((("R", check.r_version), *python)),
                *(Note(text) for text in check.notes),
            ),
        ]

    def brief(self) -> Sections:
        """Quantities and notes."""
        check = self.result
        facts = [("R", check.r_version or "-")]
        if check.first_difference:
            facts.append(("first difference", check.first_difference))
        if check.left_out:
            facts.append(("not compared", check.left_out))
        facts += [("note", text) for text in check.notes]
        table = self.groups() if self.grouped else agreement_table(check.rows)
        return [section("Cross-check", table, Facts(tuple(facts)))]

    def groups(self) -> Table:
        """How many quantities of every group agree."""
        headers = {"group": "group", "comparisons": "compared", "agree": "agree"}
        caption = "Quantities by group, and the numbers in them."
        return table_of(self.result.by_group(), headers | {"numbers": "numbers"}, caption)

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """Differences beside their tolerances, or by group."""
        words = "Largest relative difference of Python and R beside its tolerance."
        lines, drawn = len(self.result.rows), agreement
        if self.grouped:
            words = "Relative difference of every comparison; 0 is drawn at the left end."
            lines, drawn = len(self.result.by_group()), by_group
        size = 4.6, 0.9 + 0.22 * max(1, lines)
        return {"differences": Picture(lambda ax: drawn(ax, self.rows), size, words, self._tell)}

    def _tell(self) -> str:
        known = (row.relative for row in self.result.rows if row.relative == row.relative)
        return f"{self.verdict}; largest relative difference {max(known, default=0.0):.2g}."


def agreement_table(compared: Sequence[Row]) -> Table:
    """One row per quantity: the verdict, both values, their difference, what is allowed."""
    rows = tuple(
        (
            row.quantity,
            f"differs: {row.place}" if row.place else row.verdict,
            *_values(row),
            "" if row.why_not else f"{_size(row.relative)} / {_size(row.tolerance.relative)}",
        )
        for row in compared
    )
    columns = ("quantity", "verdict", "Python", "R", "apart / allowed")
    caption = "How far apart, relatively, where the two values differ most, and what is allowed."
    return Table(columns, rows, "llrrr", caption)


def tolerances(check: Crosscheck) -> Facts | None:
    """Why differences of these sizes are allowed."""
    compared = [row.tolerance for row in check.rows if not row.why_not]
    reasons = {f"allowed: {_size(one.relative)}": one.reason for one in compared}
    return Facts(tuple(reasons.items())) if reasons else None


def _remark(row: Row) -> str:
    """What is to be known of a comparison: why not, where they part, how close they must be."""
    if row.why_not:
        return row.why_not
    allowed = _size(row.tolerance.relative)
    close = row.tolerance.reason if allowed == "0" else f"within {allowed}: {row.tolerance.reason}"
    return f"{row.place}; allowed: {close}" if row.place else close


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
