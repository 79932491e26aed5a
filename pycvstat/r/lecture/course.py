"""The script of the lecture, in Python and in R: shuffle, split, tune, test, nested estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pycvstat import rmath
from pycvstat.data import waves
from pycvstat.errors.checks import Brief
from pycvstat.folds.partitions import Blocks
from pycvstat.r.bridge import available, has, reference, require, run, setting
from pycvstat.r.lecture.splits import Neighbours
from pycvstat.rmath.random import RRandom
from pycvstat.types import FloatArray, IntArray


@dataclass(frozen=True, repr=False, slots=True, eq=False)
class LectureRun(Brief):
    """What the script of the lecture computes.

    Attributes
    ----------
    ks : (C,) int64 array
        Candidate numbers of neighbours, ascending.
    cv_curve : (C,) float64 array
        Their cross-validated errors on the training part of the split.
    optimal_k : list of int
        Those with the lowest.
    test_error : float
        Error on the test part, after retraining with the optimal k.
    nested_k : list of list of int
        The optimal k of each outer fold of the nested estimate.
    nested_errors : (folds,) float64 array
        The test error of each outer fold.
    nested : float
        Their mean.

    Examples
    --------
    >>> from pycvstat.data import waves
    >>> from pycvstat.r.lecture import lecture_run
    >>> lecture_run(waves(200, random=2021)).optimal_k
    [4]
    """

    ks: IntArray
    cv_curve: FloatArray
    optimal_k: list[int]
    test_error: float
    nested_k: list[list[int]]
    nested_errors: FloatArray
    nested: float


def lecture_run(
    data: Any,
    y_name: str = "y",
    num_folds: int = 10,
    ks: Sequence[int] = range(1, 31),
    num_folds_test: int = 8,
    num_folds_val: int = 5,
    *,
    seed: int = 1,
    as_in_r: bool = False,
) -> LectureRun:
    """The script of the lecture: shuffle, split, tune, test, and the nested estimate.

    Parameters
    ----------
    data : data frame
    y_name : str
    num_folds : int
        Folds of the error curve.
    ks : sequence of int
    num_folds_test, num_folds_val : int
        Outer and inner folds of the nested estimate, which uses all rows.
    seed : int
        The rows are shuffled as ``set.seed(seed)`` and ``sample_n(size = nrow(.))`` shuffle them;
        the last quarter is the test part.
    as_in_r : bool
        As for :func:`train_validation_by_fold`.

    Returns
    -------
    LectureRun
        Curve, optimal k, test error, nested estimate.

    Notes
    -----
    As in R: the script of the slides; ``lecture_run`` in ``r_reference/lecture.R``.

    Examples
    --------
    >>> from pycvstat.data import waves
    >>> run = lecture_run(waves(80), ks=range(1, 11))
    >>> run.optimal_k, round(run.nested, 4)
    ([4], 0.4753)
    """
    model = Neighbours(data, y_name, ks)
    shuffled = RRandom(seed).permutation(model.n)
    tuning = shuffled[: model.n - -(-model.n // 4)]
    curve = model.tuned(tuning, num_folds, as_in_r)
    optimal = [int(best["k"]) for best in curve.tied]
    nested_k, errors = [], []
    for train, test in Blocks(num_folds_test, as_in_r).plan(model.n):
        nested_k.append(model.optimal(shuffled[train], num_folds_val, as_in_r))
        errors.append(model.retrained_error(shuffled[train], shuffled[test], nested_k[-1]))
    return LectureRun(
        ks=model.ks,
        cv_curve=curve.means.estimate(),
        optimal_k=optimal,
        test_error=model.retrained_error(tuning, shuffled[len(tuning) :], optimal),
        nested_k=nested_k,
        nested_errors=np.array(errors),
        nested=float(rmath.mean(np.array(errors))),
    )


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
    if setting() == "required":
        require(COURSE_PACKAGES)
    if not all(map(has, COURSE_PACKAGES)):
        return None
    provider, version = source_course(), run("as.character(getRversion())")
    return CourseInR(f"R {version}, {provider}, live", _run_of(run("lecture_run", data=data)))


def source_course() -> str:
    """Make the course's functions known to R and say what stands behind ``train.kknn``.

    Returns
    -------
    str
        "kknn" with its version, or "pycvstat's stand-in for train.kknn".
    """
    reference.load(["lecture.R"])
    if has("kknn"):
        return f"kknn {run('as.character(packageVersion(p))', p='kknn')}"
    return "pycvstat's stand-in for train.kknn"


def _run_of(numbers: Any) -> LectureRun:
    """R's list: numbers or their 17 digits as text; a single number where there is only one."""

    def several(values: Any) -> Any:
        return np.atleast_1d(np.asarray(values, dtype=float))

    return LectureRun(
        ks=several(numbers["ks"]).astype(np.int64),
        cv_curve=several(numbers["cv_curve"]),
        optimal_k=several(numbers["optimal_k"]).astype(int).tolist(),
        test_error=float(numbers["test_error"]),
        nested_k=[several(chosen).astype(int).tolist() for chosen in numbers["nested_k"]],
        nested_errors=several(numbers["nested_errors"]),
        nested=float(numbers["nested"]),
    )
