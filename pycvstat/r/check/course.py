"""The course's script in R: run live where R is, and as it was recorded with kknn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pycvstat.data import waves
from pycvstat.errors import RError
from pycvstat.r.bridge import available, installed, reference, run, source
from pycvstat.r.lecture import LectureRun

COURSE_PACKAGES = ("dplyr", "purrr", "tidyr")


@dataclass(frozen=True, slots=True, eq=False)
class CourseInR:
    """The course's numbers as R computed them.

    Attributes
    ----------
    label : str
        Which R, with what for ``train.kknn``, and whether live or recorded.
    run : LectureRun
        The numbers.
    """

    label: str
    run: LectureRun


def course_data() -> Any:
    """The data of the course's run: 200 simulated rows, three columns and ``y``.

    Examples
    --------
    >>> course_data().shape
    (200, 4)
    """
    return waves(200, random=2021)


def recorded_course() -> CourseInR:
    """The course's run on :func:`course_data` as recorded with kknn.

    Examples
    --------
    >>> recorded_course().run.optimal_k
    [4]
    """
    record = reference.recorded("lecture.json")
    meta = record["meta"]
    version = meta["r"].split()[2]
    label = f"R {version}, kknn {meta['kknn']}, recorded {meta['date']}"
    return CourseInR(label, _run_of(record["run"]))


def live_course(data: Any) -> CourseInR | None:
    """The course's run by R itself, None where R or the packages of the course are missing.

    Parameters
    ----------
    data : data frame
        With the response ``y``.

    Returns
    -------
    CourseInR or None
        With ``train.kknn`` of kknn where that is installed, else of the stand-in, which the label
        says.

    Raises
    ------
    RError
        When the course's packages are missing although ``PYCVSTAT_R=required``.
    """
    if not available():
        return None
    absent = [name for name in COURSE_PACKAGES if not _has(name)]
    if absent and installed.setting() == "required":
        raise RError(
            "R lacks packages of the course.",
            given=", ".join(absent),
            fix=installed.install_r_packages(absent),
        )
    if absent:
        return None
    provider = source_course()
    version = run("as.character(getRversion())")
    numbers: Any = run("lecture_run", data=data)
    return CourseInR(f"R {version}, {provider}, live", _run_of(numbers))


def source_course() -> str:
    """Make the course's functions known to R and say what stands behind ``train.kknn``.

    Returns
    -------
    str
        "kknn" with its version, or "pycvstat's stand-in for train.kknn".
    """
    if _has("kknn"):
        provider = f"kknn {run('as.character(packageVersion(p))', p='kknn')}"
    else:
        source(reference.path("kknn_standin.R"))
        provider = "pycvstat's stand-in for train.kknn"
    source(reference.path("lecture.R"))
    return provider


def _has(package: str) -> bool:
    return bool(run("nzchar(system.file(package = name))", name=package))


def _run_of(numbers: Any) -> LectureRun:
    """R's list: numbers or their 17 digits as text; a single number where there is only one."""
    return LectureRun(
        ks=_numbers(numbers["ks"]).astype(np.int64),
        cv_curve=_numbers(numbers["cv_curve"]),
        optimal_k=_whole(numbers["optimal_k"]),
        test_error=float(numbers["test_error"]),
        nested_k=[_whole(chosen) for chosen in numbers["nested_k"]],
        nested_errors=_numbers(numbers["nested_errors"]),
        nested=float(numbers["nested"]),
    )


def _numbers(values: Any) -> Any:
    return np.atleast_1d(np.asarray(values, dtype=float))


def _whole(values: Any) -> list[int]:
    return [int(float(k)) for k in np.atleast_1d(np.asarray(values))]
