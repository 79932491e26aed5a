"""kknn: predict test rows from training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from pycvstat.data.frame import Frame
from pycvstat.data.response import Kind
from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.learners.knn.learner import KNN, FittedKNN, check_rows
from pycvstat.r.kknn.arguments import match_kernel, new_rows
from pycvstat.rmath.sums import cumsum
from pycvstat.types import FloatArray, IntArray


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
    learner = KNN(
        k=k,
        distance=distance,
        kernel=match_kernel(kernel),
        ykernel=0 if ykernel is None else ykernel,
        scale=scale,
    )
    task = Task.build(formula, train, na="omit")
    learner.check(task)
    check_rows([learner], task.n)
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
