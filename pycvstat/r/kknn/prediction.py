"""kknn: predict test rows from training rows; arguments as kknn takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from pycvstat.data.frame import Column, Frame, read
from pycvstat.data.response import Kind
from pycvstat.data.task import Coding, Task
from pycvstat.errors import DataError, InputError, interruptible, warn
from pycvstat.errors.checks import check_word
from pycvstat.learners.knn import KNN, FittedKNN, check_rows
from pycvstat.learners.knn.distances import KERNELS, Kernel, Metric
from pycvstat.learners.knn.search import Found, Index
from pycvstat.r.values import in_order_of, matrix, neighbours_of, require_columns
from pycvstat.rmath.sums import cumsum
from pycvstat.types import FloatArray, IntArray

Answer = Literal["raw", "prob"]


class ContrastedKNN(KNN):
    """kNN on the columns that R's own contrasts make of factors."""

    coding: ClassVar[Coding] = "contrasts"


CONTRASTS: dict[tuple[str, ...], type[KNN]] = {
    ("contr.dummy", "contr.ordinal"): KNN,
    ("contr.treatment", "contr.poly"): ContrastedKNN,
}
"""Contrasts of unordered and of ordered factors: kknn's, and R's."""


def as_learner(
    k: int,
    distance: float,
    kernel: str,
    ykernel: float | None,
    scale: bool,
    contrasts: Mapping[str, str] | None = None,
) -> KNN:
    """The learner that kknn's arguments stand for."""
    given = {"unordered": "contr.dummy", "ordered": "contr.ordinal"}
    if contrasts is not None:
        given = given | dict(contrasts) if isinstance(contrasts, Mapping) else {}
    made = CONTRASTS.get(tuple(map(str, given.values()))) if len(given) == 2 else None
    if made is None:
        fix = '{"unordered": "contr.treatment", "ordered": "contr.poly"}'
        raise InputError("contrasts are kknn's or R's own.", given=repr(contrasts), fix=fix)
    width = 0 if ykernel is None else ykernel
    return made(k, match_kernel(kernel), distance=distance, ykernel=width, scale=scale)


def match_kernel(given: Any) -> Kernel:
    """A kernel by the beginning of its name.

    As in R: ``match.arg(kernel)``.

    Examples
    --------
    >>> match_kernel("rect")
    'rectangular'
    """
    found = [name for name in KERNELS if isinstance(given, str) and name.startswith(given)]
    if given not in KERNELS and len(found) != 1:
        raise InputError(
            f"kernel must be one of {', '.join(KERNELS)}.",
            given=repr(given),
            fix=f"which of {', '.join(found)}?" if found and given else None,
        )
    return cast(Kernel, given if given in KERNELS else found[0])


def new_rows(task: Task, data: Any) -> Frame:
    """Rows to predict as kknn sees them: without rows with NA, factors coded by position.

    Parameters
    ----------
    task : Task
        The training rows.
    data : frame
    """
    frame = read(data).select(task.formula.predictors)
    columns = {name: _as_coded(frame[name], task.frame[name]) for name in frame.names}
    coded = Frame(columns, frame.n)
    return coded.take(np.flatnonzero(coded.complete()))


def _as_coded(new: Column, train: Column) -> Column:
    """A factor whose levels stand for those of the training rows, one by one in order."""
    if train.kind not in ("factor", "ordered", "text"):
        return new
    codes, levels = new.as_factor()
    expected = train.as_factor()[1]
    if len(levels) != len(expected):
        raise DataError(
            f"{new.name!r} has {len(levels)} levels here and {len(expected)} in the training rows.",
            given=f"{_some(levels)} and {_some(expected)}",
            fix="give both the same categories; kknn would mix up columns",
        )
    if levels != expected:
        warn(
            f"{new.name!r} has other levels than in the training rows; as in kknn, the first "
            "stands for the first, and so on.",
            given=f"{_some(levels)} for {_some(expected)}",
            fix="pycvstat.KNN refuses this",
        )
    return Column(new.name, "ordered" if train.kind == "ordered" else "factor", codes, expected)


def _some(levels: Sequence[str]) -> str:
    shown = ", ".join(levels[:6])
    return shown if len(levels) <= 6 else f"{shown}, ..."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Kknn:
    """What kknn returns, for p test rows.

    Parameters
    ----------
    fitted_values : (p,) float64, or object for classes
        Predictions; class labels.
    CL : (p, k)
        Responses of the neighbours; class labels.
    W, D : (p, k) float64
        Weights and distances of the neighbours.
    C : (p, k) int64
        Rows of the neighbours, 1-based, among the training rows without NA.
    prob : (p, L) float64, or None
        Class shares, cumulated over the levels when these are ordered.
    response : {"continuous", "nominal", "ordinal"}
    levels : tuple of str
        The names of the columns of `prob`.

    Examples
    --------
    >>> from pycvstat.data import mtcars
    >>> from pycvstat.r.kknn import kknn
    >>> cars = mtcars()
    >>> found = kknn("mpg ~ wt", cars[:30], cars[30:], k=3, kernel="rectangular")
    >>> found.C.tolist(), found.fitted_values.round(2).tolist()
    ([[7, 22, 6], [30, 2, 1]], [15.97, 20.57])
    """

    fitted_values: NDArray[Any]
    CL: NDArray[Any]
    W: FloatArray
    D: FloatArray
    C: IntArray
    prob: FloatArray | None
    response: Kind
    levels: tuple[str, ...]

    def predict(self, type: Answer = "raw") -> NDArray[Any]:
        """The predictions, or the class shares (type "prob"). As in R: ``predict(fit, type)``."""
        check_word("type", type, get_args(Answer))
        if type == "raw":
            return self.fitted_values
        if self.prob is None:
            raise InputError("numbers have no class shares.", fix='predict(type="raw")')
        return self.prob

    def __repr__(self) -> str:
        return f"<Kknn: {len(self.C)} test rows, {self.C.shape[1]} neighbours, {self.response}>"


def kknn(
    formula: str,
    train: Any,
    test: Any,
    k: int = 7,
    distance: float = 2,
    kernel: str = "optimal",
    ykernel: float | None = None,
    scale: bool = True,
    contrasts: Mapping[str, str] | None = None,
    na_action: str = "na.omit",
) -> Kknn:
    """Weighted k nearest neighbours: predict the rows of `test`.

    Parameters
    ----------
    formula : str
    train, test : frame
        `test` needs no response.
    k : int
    distance : float
        The power of the Minkowski distance.
    kernel : str
        One of ten, or the beginning of its name.
    ykernel : float, optional
        Width of the kernel over ordered classes; 0 when None.
    scale : bool
    contrasts : mapping, optional
        How "unordered" and "ordered" factors become columns: "contr.dummy" and "contr.ordinal",
        or "contr.treatment" and "contr.poly", with whose last bits rows that tie in ordered
        factors may come in another order than in kknn.
    na_action : {"na.omit"}
        kknn leaves rows with NA out, whatever it is told; here anything else is refused.

    Notes
    -----
    As in R: ``kknn(formula, train, test, k = k, ...)``. What surprises in kknn and is kept:

    - rows with NA vanish, from `train` and from `test`: there are then fewer predictions than
      test rows;
    - the levels of a factor in `test` stand for those in `train` one by one in order, whatever
      they are called (here with a warning; another number of levels is an error);
    - with the kernel "rectangular" and k > 1, of several classes with the most votes that one
      wins whose farthest neighbour is nearest;
    - with k equal to the number of training rows there is no further neighbour to compare
      distances to, and all kernels become flat.

    Examples
    --------
    >>> train = {"x": [1.0, 2.0, 4.0, 8.0], "y": [1.0, 2.0, 4.0, 8.0]}
    >>> fit = kknn("y ~ x", train, {"x": [3.5]}, k=2, kernel="triangular")
    >>> fit.C.tolist(), fit.fitted_values.round(3).tolist()
    ([[3, 2]], [3.333])
    """
    check_word("na_action", na_action, ("na.omit",), "kknn always leaves rows with NA out.")
    learner = as_learner(k, distance, kernel, ykernel, scale, contrasts)
    task = Task.build(formula, train, na="omit")
    learner.check(task)
    check_rows(learner.k, task.n)
    return predict_as_kknn(learner, task, new_rows(task, test))


def predict_as_kknn(learner: KNN, task: Task, new: Frame) -> Kknn:
    """The result of kknn for new rows without NA."""
    if new.n == 0:
        raise InputError("there are no test rows without NA.", given="0 rows")
    response = task.response
    answer = FittedKNN(learner, task).answer(new, na="raise")
    near, shares = answer.neighbours, answer.shares
    if shares is not None and response.kind == "ordinal":
        shares = cumsum(shares)
    return Kknn(
        fitted_values=response.labels(answer.values),
        CL=response.labels(response.values[near.rows]),
        W=near.weights,
        D=near.distances,
        C=near.rows + 1,
        prob=shares,
        response=response.kind,
        levels=response.levels,
    )


def kknn_dist(
    learn: Any, valid: Any, k: int = 10, distance: float = 2
) -> tuple[IntArray, FloatArray]:
    """The k nearest rows of each new row, counted from 1, and their distances.

    Parameters
    ----------
    learn, valid : frame or array of numbers
        Training rows and new rows; nothing is scaled.
    k : int
    distance : float
        The power of the Minkowski distance.

    Notes
    -----
    As in R: ``kknn.dist(learn, valid, k, distance)``.

    Examples
    --------
    >>> rows, distances = kknn_dist([[0.0], [1.0], [5.0]], [[0.8], [4.0]], k=2)
    >>> rows.tolist(), distances.round(1).tolist()
    ([[2, 1], [3, 2]], [[0.2, 0.8], [1.0, 3.0]])
    """
    rows, new = matrix(learn, "learn"), matrix(in_order_of(valid, learn, "valid"), "valid")
    require_columns(rows, new)
    power = float(KNN(distance=distance).distance)
    unit = np.ones(rows.shape[1])
    k = neighbours_of(k, len(rows))
    index = Index(rows, Metric(np.arange(rows.shape[1]), unit, unit, power))
    with interruptible():
        sums, near = index.scan(new, np.array([k]))
    return near[:, 0] + 1, Found(sums, near[:, 0]).distances(power)
