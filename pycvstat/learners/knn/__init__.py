"""k nearest neighbours with kknn's numbers: regression, classes, ordered classes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pycvstat.data.frame import read
from pycvstat.data.task import Coding, Task
from pycvstat.errors import Advice, DataError, FitError, InputError, RError, interruptible
from pycvstat.errors.checks import check_word, is_number, is_whole
from pycvstat.learners.base import Fitted, Learner, Params, Predictions, Prepared, Which, spread
from pycvstat.learners.in_r import LearnerInR
from pycvstat.learners.knn.distances import KERNELS, Kernel, metric, weights
from pycvstat.learners.knn.predictions import (
    Group,
    Rows,
    grouped,
    predict,
    predict_candidates,
    y_band,
)
from pycvstat.learners.knn.search import TIES, Index, Ties
from pycvstat.learners.missing import NA, tell_missing
from pycvstat.rmath.tolerances import SUMS, Tolerance
from pycvstat.types import BoolArray, FloatArray, IntArray

PORTION = 16384  # new rows whose neighbours are held at a time
IN_R = Tolerance(1e-12, "weights of kernels agree with R's to 1e-12")
STANDIN = (
    "kknn is not installed: a plain base-R stand-in of this project computed the R side; "
    'install.packages("kknn") in R gives the original.'
)


@dataclass(frozen=True, repr=False)
class KNN(Learner):
    """k nearest neighbours: the numbers of R's kknn, to the last tie.

    One search of a training set serves all k and all kernels, and one search of the data serves
    all folds of a nested cross-validation.

    Parameters
    ----------
    k : int
        Number of neighbours.
    kernel : str
        How neighbours are weighted by their distance relative to that of the (k+1)-th:
        "rectangular" (not at all), "triangular", "epanechnikov", "biweight", "triweight", "cos",
        "inv", "gaussian", "rank" or "optimal".
    distance : float
        The power of the Minkowski distance; 2 is Euclidean.
    scale : bool
        Whether terms of the formula are divided by their standard deviation in the training rows.
        ``KNN(scale=False, kernel="rectangular")`` is the textbook's estimator.
    ykernel : float
        For ordered classes: how many classes away a neighbour still counts.
    ties : {"kknn", "row"}
        Which of several rows at the same distance are taken, and in which order: as kknn does, or
        the lowest row first. Where all rows have ties, the first costs a scan of the training
        rows per row and k.

    Notes
    -----
    As in R: ``kknn(formula, train, test, k, distance, kernel, ykernel, scale)``. Neighbours are
    equal to kknn's where long double has a 64-bit mantissa (`pycvstat.rmath.sums.EXTENDED`, x86
    processors). Levels are those of the full data. What kknn gets wrong is an error here: unseen
    levels, infinite values; new rows with a missing predictor are predicted as NaN.

    Examples
    --------
    >>> data = {"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 2.0, 4.0, 8.0]}
    >>> fitted = KNN(k=2, kernel="rectangular").fit("y ~ x", data)
    >>> fitted.predict({"x": [1.2, 3.6]})
    array([1.5, 6. ])
    """

    title: ClassVar[str] = "k nearest neighbours"
    always_told: ClassVar[tuple[str, ...]] = ("k", "kernel")
    simpler_when_larger: ClassVar[tuple[str, ...]] = ("k",)
    coding: ClassVar[Coding] = "kknn"
    """How factors become columns."""
    scales: ClassVar[bool] = True
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"k": (1, math.inf)}

    instead: ClassVar[Mapping[str, str]] = {
        "weights": "kernel='rectangular' weighs neighbours alike, kernel='inv' by their distance",
        "metric": "distance=1 or distance=2, the power of Minkowski's distance",
        "p": "write distance=",
    }

    k: int = 7
    kernel: Kernel = "optimal"
    distance: float = 2
    scale: bool = True
    ykernel: float = 0
    ties: Ties = "kknn"

    def __post_init__(self) -> None:
        if not is_whole(self.k) or self.k < 1:
            raise InputError(
                "k must be a whole number, at least 1.",
                given=f"k={self.k!r}",
                fix=Advice("for example {k}", k=7),
            )
        object.__setattr__(self, "k", int(self.k))
        check_word("kernel", self.kernel, KERNELS)
        check_word("ties", self.ties, TIES)
        for name, smallest, bound in (
            ("distance", math.ulp(0.0), "greater than"),
            ("ykernel", 0, "at least"),
        ):
            value = getattr(self, name)
            if not (is_number(value) and smallest <= value < math.inf):
                raise InputError(
                    f"{name} must be a finite number, {bound} 0.", given=f"{name}={value!r}"
                )
        if not isinstance(self.scale, bool | np.bool_):
            raise InputError("scale must be True or False.", given=repr(self.scale))

    @property
    def citation(self) -> tuple[str, ...]:
        """The origin of neighbours, or of their weights."""
        return ("cover1967",) if self.kernel == "rectangular" else ("hechenbichler2004",)

    def check(self, task: Task) -> None:
        """Refuse a task that the learner cannot work on."""
        super().check(task)
        if task.response.kind == "ordinal":
            y_band(len(task.response.levels), self.ykernel)

    def in_r(self, task: Task) -> LearnerInR:
        """The R code that fits it."""
        if self.ties != "kknn":
            raise RError(
                "kknn takes tied neighbours in an order of its own.",
                given=f"ties={self.ties!r}",
                fix='ties="kknn" is what R can be compared with',
            )
        names = ("k", "distance", "kernel", "ykernel", "scale")
        return LearnerInR(
            "pcv_learners$knn",
            "kknn::kknn",
            {name: getattr(self, name) for name in names},
            ("kknn",),
            IN_R,
            otherwise=self._standin(task),
            course=(
                "fit <- kknn(FORMULA, train, new, k = <k>, distance = <distance>, "
                "kernel = <kernel>, scale = <scale>)",
                "p <- fit$fitted.values",
            ),
        )

    def _standin(self, task: Task) -> LearnerInR | None:
        """Base R where kknn is not installed, for the plainest of its fits."""
        plain = self.kernel == "rectangular" and self.distance == 2 and self.scale
        if not (task.frame.numeric and plain and task.response.kind == "continuous"):
            return None
        return LearnerInR(
            "pcv_learners$knn_standin",
            "stand-in for train.kknn",
            {"k": self.k},
            tolerance=SUMS,
            notes=(STANDIN,),
            files=("procedures.R", "kknn_standin.R"),
        )

    def prepare(self, task: Task, candidates: Sequence[Params] = ({},)) -> PreparedKNN:
        """Check the learner against the task; the design matrix is made once for all fits."""
        return PreparedKNN(self, task, candidates)

    def fit_task(self, task: Task) -> FittedKNN:
        """Keep the rows of a task."""

        self.check(task)
        check_rows(self.k, task.n)
        return FittedKNN(self, task)


class PreparedKNN(Prepared):
    """k nearest neighbours prepared for one task."""

    def __init__(self, learner: KNN, task: Task, candidates: Sequence[Params]) -> None:
        if not candidates:
            raise InputError("there are no candidates.", fix="give a grid with at least one value")
        super().__init__(learner, task, candidates)
        self._rows = Rows(task.design(learner.coding), task.response)
        self._stateless = task.encoder(learner.coding).stateless

    def predict(
        self, train: IntArray, new: IntArray, which: Which = None, context: Any = None
    ) -> Predictions:
        """Predict the rows `new` from their neighbours among the rows `train`."""
        parts = [p for _, p in self.predict_chunks(train, new, which, context)]
        if len(parts) == 1:
            return parts[0]
        probs = [p.prob for p in parts if p.prob is not None]
        return Predictions(
            np.concatenate([p.values for p in parts], axis=1),
            np.concatenate(probs, axis=1) if probs else None,
        )

    def predict_chunks(
        self, train: IntArray, new: IntArray, which: Which = None, context: Any = None
    ) -> Iterator[tuple[slice, Predictions]]:
        """`predict` in pieces of `new`, so that memory stays small."""
        groups = self._every if which is None else grouped(self.chosen(which))
        check_rows(max(int(group.ks[-1]) for group in groups), len(train))
        rows, train, new = self._seen_from(train, new)
        folds = [rows.fold(group.key, train, len(new)) for group in groups]
        for start in range(0, max(len(new), 1), PORTION):
            part = slice(start, min(start + PORTION, len(new)))
            yield part, predict_candidates(groups, folds, rows, new[part])

    @cached_property
    def _every(self) -> list[Group]:
        return grouped(self.learners)

    def _seen_from(self, train: IntArray, new: IntArray) -> tuple[Rows, IntArray, IntArray]:
        """The rows as this fit sees them: some columns depend on the training rows."""
        if self._stateless:
            return self._rows, train, new
        coding = self.learners[0].coding
        design = replace(
            self.task.design(coding), X=np.concatenate(self.task.matrices(coding, train, new))
        )
        response = self.task.response
        values = response.values[np.concatenate([train, new])]
        place = np.arange(len(values))
        rows = Rows(design, replace(response, values=values))
        return rows, place[: len(train)], place[len(train) :]


def check_rows(k: int, n: int) -> None:
    """Refuse training rows that are fewer than the neighbours asked for."""
    if k > n:
        raise FitError(
            "k is larger than the number of training rows.",
            given=f"k={k} with {n} training rows",
            fix=f"use k of at most {n}, or folds that leave more training rows",
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Neighbours:
    """The k nearest training rows of m new rows, nearest first.

    Parameters
    ----------
    rows : (m, k) int64
        Training rows, 0-based; -1 for new rows with a missing predictor.
    distances, weights : (m, k) float64
        NaN for new rows with a missing predictor.
    beyond : (m,) float64
        The distance of the (k+1)-th, to which the kernel compares the others.
    """

    rows: IntArray
    distances: FloatArray
    weights: FloatArray
    beyond: FloatArray

    def __repr__(self) -> str:
        return f"<Neighbours: {self.rows.shape[1]} of each of {len(self.rows)} rows>"


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """All there is to say about the new rows without a missing predictor.

    Parameters
    ----------
    known : (m,) bool
        Which of the new rows they are.
    values : numbers or class codes
    shares : class probabilities, or None
    neighbours : Neighbours
    """

    known: BoolArray
    values: NDArray[Any]
    shares: FloatArray | None
    neighbours: Neighbours


class FittedKNN(Fitted):
    """A fitted kNN.

    Attributes
    ----------
    learner : KNN
    task : Task
        The training rows.
    """

    counterpart: ClassVar[str] = "procedures_in_r.neighbours"

    def __init__(self, learner: KNN, task: Task) -> None:
        self.learner, self.task = learner, task
        self._encoder = task.encoder(learner.coding).fit(task.frame)
        self._rows = Rows(self._encoder.matrix(task.frame), task.response)
        self._metric = metric(
            self._rows.X, self._rows.assign, p=float(learner.distance), scale=bool(learner.scale)
        )
        self._index = Index(self._rows.X, self._metric, learner.ties)

    def answers(self, new: Any, na: NA) -> tuple[NDArray[Any], FloatArray | None, BoolArray]:
        """Predict the rows without a missing predictor."""
        answer = self.answer(new, na)
        return answer.values, answer.shares, answer.known

    def neighbours(self, new: Any, na: NA = "pass") -> Neighbours:
        """The nearest training rows of new rows, with distances and weights.

        As in R: ``C``, ``D`` and ``W`` of a kknn (whose rows are 1-based).
        """
        answer = self.answer(new, na)
        known, found = answer.known, answer.neighbours
        return Neighbours(
            spread(found.rows, known, -1),
            spread(found.distances, known, np.nan),
            spread(found.weights, known, np.nan),
            spread(found.beyond, known, np.nan),
        )

    def answer(self, new: Any, na: NA = "pass") -> Answer:
        """Predictions and neighbours of the new rows without a missing predictor."""
        frame = read(new)
        if frame.n == 0:
            raise DataError("the new data have no rows.", given="0 rows")
        X = self._encoder.matrix(frame).X
        known: BoolArray = np.asarray(np.isfinite(X).all(axis=1))
        tell_missing(known, na)
        k = self.learner.k
        with interruptible():
            found = self._index.find(X[known], k + 1)
        distances = found.distances(self._metric.p)
        near = Neighbours(
            found.rows[:, :k],
            distances[:, :k],
            weights(self.learner.kernel, distances[:, :k], distances[:, k], self._rows.d),
            distances[:, k],
        )
        values, shares = predict(self.learner, self.task.response, near.rows, near.weights)
        return Answer(known, values, shares, near)
