"""The course's run in Python beside R's numbers: for the terminal and as a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.r.lecture import LectureRun, lecture_run
from pycvstat.r.lecture.course import CourseInR, course_data, live_course, recorded_course
from pycvstat.report.content import (
    Document,
    Facts,
    Figure,
    Headline,
    Note,
    Section,
    Table,
    paragraph,
    section,
)
from pycvstat.report.numbers import aligned, number
from pycvstat.rmath.tolerances import SUMS
from pycvstat.types import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Numbers = Sequence[float] | FloatArray

ABOUT = (
    "200 simulated rows (pycvstat.data.waves(200, random=2021)), shuffled as R's set.seed(1) "
    "shuffles; the last 50 are the test part. k is tuned by 10 folds on the other 150; the nested "
    "estimate uses 8 outer and 5 inner folds of all rows."
)


@dataclass(frozen=True, slots=True, eq=False)
class CourseReport:
    """The course's run, written.

    Attributes
    ----------
    text : str
        For a terminal.
    path : pathlib.Path
        The report file.
    agrees : bool
        Whether Python and R agree: chosen k exactly, errors to 1e-12.
    """

    text: str
    path: Path
    agrees: bool


def course_report(path: Path) -> CourseReport:
    """Run the course in Python and R and write the report.

    Parameters
    ----------
    path : pathlib.Path
        The file; its ending decides: .html, .md, .tex, .pdf or .docx.

    Returns
    -------
    CourseReport
        Text, path and verdict.
    """
    from pycvstat.report.render.formats import check_report_path, write_document
    from pycvstat.report.render.text import render_text

    target = check_report_path(path)
    data = course_data()
    python = lecture_run(data)
    live = live_course(data)
    in_r = [recorded_course()] if live is None else [live, recorded_course()]
    document = course_document(python, in_r)
    written = write_document(document, target).resolve()
    return CourseReport(render_text(document), written, _agree(python, in_r))


def course_document(python: LectureRun, in_r: Sequence[CourseInR]) -> Document:
    """The document of a run beside R's runs, the first of which is drawn."""
    agree = _agree(python, in_r)
    first = section(
        "",
        Headline(number(python.nested), "nested cross-validation estimate of the squared error"),
        paragraph(ABOUT),
        Facts(tuple((f"R ({_way(other)})", other.label) for other in in_r)),
        None if agree else Note("Python and R differ by more than rounding."),
        _quantities(python, in_r),
    )
    return Document(
        "k nearest neighbours, tuned by cross-validation",
        f"Python and R {'agree' if agree else 'DIFFER'}: the course's script in both",
        (first, _curve(python, in_r), _nested(python, in_r)),
    )


def _quantities(python: LectureRun, in_r: Sequence[CourseInR]) -> Table:
    def values(run: LectureRun) -> list[float]:
        return [run.cv_curve.min(), run.test_error, run.nested]

    names = ["lowest 10-fold error", "test error, optimal k", "nested 8 x 5 estimate"]
    table = _beside(names, values(python), [values(other.run) for other in in_r])
    chosen = [
        _listed(python.optimal_k),
        *(_listed(other.run.optimal_k) for other in in_r),
        _same(python.optimal_k, [other.run.optimal_k for other in in_r]),
    ]
    rows = [table[0], ("optimal k", *chosen), *table[1:]]
    return _table("quantity", rows, in_r, "The course's numbers.")


def _curve(python: LectureRun, in_r: Sequence[CourseInR]) -> Section:
    rows = _beside(
        [str(k) for k in python.ks], python.cv_curve, [other.run.cv_curve for other in in_r]
    )
    best = tuple(int(i) for i in np.flatnonzero(np.isin(python.ks, python.optimal_k)))
    return section(
        "Error curve",
        Figure(
            "error-curve",
            lambda ax: _draw_curve(ax, python, in_r[0]),
            "Cross-validated squared error of each number of neighbours k, Python and R.",
            f"The error is lowest, {number(python.cv_curve.min())}, at "
            f"k = {_listed(python.optimal_k)}.",
        ),
        _table("k", rows, in_r, "10-fold error of each k.", strong=best),
    )


def _nested(python: LectureRun, in_r: Sequence[CourseInR]) -> Section:
    names = [
        f"{fold}  (k = {_listed(chosen)})" for fold, chosen in enumerate(python.nested_k, start=1)
    ]
    rows = _beside(names, python.nested_errors, [other.run.nested_errors for other in in_r])
    same = _same(python.nested_k, [other.run.nested_k for other in in_r])
    words = "Python and R chose the same k in every fold." if same == "0" else f"Chosen k: {same}."
    table = _table("outer fold", rows, in_r, "Test error of each outer fold, and the k it chose.")
    return section("Nested cross-validation", table, paragraph(words))


def _beside(
    names: Sequence[str], python: Numbers, in_r: Sequence[Numbers]
) -> list[tuple[str, ...]]:
    """Rows of a table: name, Python's value, R's values, the largest difference."""
    columns = [aligned([float(v) for v in values], 6) for values in (python, *in_r)]
    apart = np.abs(np.asarray(in_r, dtype=float) - np.asarray(python, dtype=float)).max(axis=0)
    differences = [f"{d:.1e}" if d else "0" for d in apart]
    return list(zip(names, *columns, differences, strict=True))


def _table(
    name: str,
    rows: Sequence[tuple[str, ...]],
    in_r: Sequence[CourseInR],
    caption: str,
    strong: tuple[int, ...] = (),
) -> Table:
    columns = (name, "Python", *(f"R ({_way(other)})" for other in in_r), "difference")
    return Table(columns, tuple(rows), "l" + "r" * (len(columns) - 1), caption, strong)


def _draw_curve(ax: Axes, python: LectureRun, other: CourseInR) -> Axes:
    from pycvstat.report.plots.style import BLUE, ORANGE

    ax.plot(python.ks, python.cv_curve, "-", color=BLUE, label="Python")
    ax.plot(other.run.ks, other.run.cv_curve, "o", color=ORANGE, fillstyle="none", label="R")
    lowest = python.cv_curve.min()
    ax.plot(python.optimal_k, [lowest] * len(python.optimal_k), "o", color=BLUE, markersize=6)
    ax.set_xlabel("number of neighbours k")
    ax.set_ylabel("10-fold squared error")
    ax.legend()
    return ax


def _way(other: CourseInR) -> str:
    return "live" if other.label.endswith("live") else "recorded"


def _listed(ks: Sequence[int]) -> str:
    return ", ".join(map(str, ks))


def _same(chosen: Any, in_r: Sequence[Any]) -> str:
    return "0" if all(other == chosen for other in in_r) else "differs"


def _agree(python: LectureRun, in_r: Sequence[CourseInR]) -> bool:
    """Chosen k exactly, errors to the rounding of sums."""
    return all(
        other.run.optimal_k == python.optimal_k
        and other.run.nested_k == python.nested_k
        and np.allclose(_errors(other.run), _errors(python), rtol=SUMS.relative, atol=0)
        for other in in_r
    )


def _errors(run: LectureRun) -> Any:
    return np.concatenate([run.cv_curve, [run.test_error, run.nested], run.nested_errors])
