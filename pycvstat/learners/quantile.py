"""Quantile regression, as R's quantreg::rq."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pycvstat.data.task import Task
from pycvstat.errors import Advice, InputError
from pycvstat.errors.checks import is_number
from pycvstat.learners.design import DesignLearner, refuse_extreme
from pycvstat.learners.in_r import LearnerInR
from pycvstat.learners.linear.least_squares import LeastSquares, aliased_columns
from pycvstat.learners.solution import FitReport, LinearSolution, Sample, Solution
from pycvstat.rmath.tolerances import LINEAR
from pycvstat.types import FloatArray, IntArray

NOT_UNIQUE = "the quantile is not unique: other coefficients fit the training rows as well."

TINY = 2.0**-20


@dataclass(frozen=True, eq=False, kw_only=True)
class QuantileSolution(LinearSolution):
    """Coefficients of a regression quantile, of whose standard errors none is agreed on."""

    tau: float

    def results(self, sample: Sample, **covariance: Any) -> Any:
        """Of ``sm.QuantReg``."""
        from pycvstat.learners.statsmodels.results import quantile

        return quantile(sample, self.fitted.coefficients, self.tau)


@dataclass(frozen=True, repr=False)
class QuantReg(DesignLearner):
    """Linear quantile regression.

    Solved exactly by the simplex method, with the pivots of R's ``rq(method = "br")``: where the
    minimum is not unique (which is warned about) the same solution is returned. Weights multiply
    rows, as in R. Aliased columns are left out as by ``lm``; R's rq refuses them. Columns below
    1e-6 in size are fitted in a larger unit: R's rq takes pivots below 4e-11 for rounding, and
    gives a column of that size the coefficient 0. statsmodels' QuantReg ends near a vertex, up to
    1e-2 from R's predictions; the results object has its covariance, at our coefficients.

    Parameters
    ----------
    tau : float
        The quantile, between 0 and 1.

    Examples
    --------
    >>> data = {"x": [0, 1, 2, 3, 4], "y": [0.0, 1.0, 2.0, 3.0, 40.0]}
    >>> QuantReg(0.5).fit("y ~ x", data).predict({"x": [5]}).round(6)
    array([5.])

    As in R: ``quantreg::rq(formula, tau, data)``.
    """

    title: ClassVar[str] = "quantile regression"
    works: ClassVar[tuple[str, ...]] = ("koenker1978",)

    tau: float = 0.5

    uses_weights: ClassVar[bool] = True
    refuses_aliased: ClassVar[str] = "quantreg::rq"

    def __post_init__(self) -> None:
        if not is_number(self.tau) or not 0 < self.tau < 1:
            raise InputError(
                "tau must lie between 0 and 1.", given=repr(self.tau), fix=Advice("{tau}", tau=0.5)
            )

    def in_r(self, task: Task) -> LearnerInR:
        """The R code that fits it."""
        return LearnerInR(
            "pcv_learners$quantreg", "quantreg::rq", {"tau": self.tau}, ("quantreg",), LINEAR
        )

    def solve(self, sample: Sample) -> Solution:
        """Fit to a sample."""
        X, y = sample.X, sample.y
        refuse_extreme(self.name, X, sample.columns)
        if sample.weights is not None:
            X, y = X * sample.weights[:, None], y * sample.weights
        aliased = aliased_columns(X)
        scale = _unit(X[:, ~aliased])
        vertex = quantile_vertex(X[:, ~aliased] / scale, y, float(self.tau))
        coefficients = np.full(len(aliased), np.nan)
        coefficients[~aliased] = vertex.coefficients / scale
        notes = () if vertex.unique else (NOT_UNIQUE,)
        report = FitReport(sample.named(aliased), notes=notes)
        return QuantileSolution(LeastSquares(coefficients, aliased), report, tau=float(self.tau))


def _unit(X: FloatArray) -> FloatArray:
    """1 for columns of ordinary size, a power of two for tiny ones."""
    size = np.abs(X).max(axis=0, initial=0.0)
    return np.where(size < TINY, np.ldexp(1.0, np.frexp(size)[1]), 1.0)


TOLERANCE = float(np.finfo(np.float64).eps) ** (2 / 3)


@dataclass(frozen=True, slots=True, eq=False)
class Vertex:
    """A minimum of the sum of tilted absolute residuals.

    Parameters
    ----------
    coefficients : (p,) float64
    unique : bool
        False where other coefficients have the same sum.
    """

    coefficients: FloatArray
    unique: bool


def quantile_vertex(X: FloatArray, y: FloatArray, tau: float) -> Vertex:
    """Minimise sum(tau (y - Xb)+ + (1 - tau) (Xb - y)+) over b.

    Parameters
    ----------
    X : (n, p) float64
        Of full column rank.
    y : (n,) float64
    tau : float
        Between 0 and 1.

    Examples
    --------
    >>> vertex = quantile_vertex(np.ones((4, 1)), np.array([1.0, 2.0, 3.0, 4.0]), 0.5)
    >>> vertex.coefficients, vertex.unique
    (array([2.]), False)

    As in R: ``quantreg::rq.fit.br(X, y, tau)``.
    """
    tableau = _Tableau(X, y, tau)
    tableau.enter_all()
    tableau.improve()
    return Vertex(tableau.coefficients(), tableau.is_unique())


class _Tableau:
    """The simplex tableau: one row per residual, one column per coefficient, costs below.

    Attributes
    ----------
    body : (n, p + 1)
        The last column holds the residuals, kept at or above 0 by changing signs of rows.
    cost : (p,)
        Reduced costs of the columns.
    row_labels, column_labels
        1..p for coefficients, p + 1, p + 2, ... for residuals; negative when the sign changed.
    first_column : int
        Columns before it could not be exchanged.
    first_row : int
        Rows before it hold coefficients.
    """

    def __init__(self, X: FloatArray, y: FloatArray, tau: float) -> None:
        n, p = X.shape
        self.p = p
        sign = np.where(y < 0, -1.0, 1.0)
        self.body = np.column_stack([X, y]) * sign[:, None]
        self.row_labels = (sign * (p + 1 + np.arange(n))).astype(np.int64)
        self.column_labels = np.arange(1, p + 1)
        below = (self.body[:, :p] * (1 - sign)[:, None]).sum(axis=0)
        balance = (self.body[:, :p] * sign[:, None]).sum(axis=0)
        self.cost: FloatArray = below + 2 * balance * tau
        self.first_column = self.first_row = 0

    def enter_all(self) -> None:
        """First stage: every coefficient enters, the one with the largest cost first."""
        exchanged = 0
        while exchanged + self.first_column < self.p:
            columns = np.arange(self.first_column, self.p)
            columns = columns[np.abs(self.column_labels[columns]) <= self.p]
            entering = int(columns[np.argmax(np.abs(self.cost[columns]))])
            if self.cost[entering] < 0:
                self._turn(entering)
            leaving = self._leaving(entering)
            if leaving is None:
                self._set_aside(entering)
                continue
            self._exchange(leaving, entering)
            pair, back, first = [leaving, exchanged], [exchanged, leaving], self.first_column
            self.body[pair, first:] = self.body[back, first:]
            self.row_labels[pair] = self.row_labels[back]
            exchanged += 1
            self.first_row += 1

    def improve(self) -> None:
        """Second stage: residuals are exchanged until no cost is left."""
        while True:
            cost = self.cost[self.first_column :]
            gain = np.where(cost >= 0, cost, np.where(cost <= -2, -cost - 2, -np.inf))
            if not len(gain) or gain.max() <= TOLERANCE:
                return
            entering = self.first_column + int(np.argmax(gain))
            if self.cost[entering] <= 0:
                self._turn(entering)
                self.cost[entering] -= 2
            leaving = self._leaving(entering)
            if leaving is None:
                return
            self._exchange(leaving, entering)

    def coefficients(self) -> FloatArray:
        """The coefficients at the vertex; 0 for a column that could not be exchanged."""
        found = np.zeros(self.p)
        labels = self.row_labels[: self.first_row]
        found[np.abs(labels) - 1] = self.body[: self.first_row, self.p] * np.sign(labels)
        return found

    def is_unique(self) -> bool:
        """Whether every column would cost something."""
        cost = np.abs(self.cost)
        return bool(((cost > TOLERANCE) & (2 - cost > TOLERANCE)).all())

    def _turn(self, column: int) -> None:
        self.body[:, column] *= -1
        self.cost[column] *= -1
        self.column_labels[column] *= -1

    def _leaving(self, entering: int) -> int | None:
        """The row that leaves: residuals are passed through zero as long as that still pays."""
        column = self.body[self.first_row :, entering]
        rows = self.first_row + np.flatnonzero(column > TOLERANCE)
        ratios = self.body[rows, self.p] / self.body[rows, entering]
        order = np.argsort(ratios, kind="stable")
        stop = self._stop(rows[order], entering)
        near = ratios[order[: stop + 2]]
        if (near[1:] == near[:-1]).any():
            order = _taken_in_turn(ratios)
            stop = self._stop(rows[order], entering)
        self._pass(rows[order[:stop]])
        return int(rows[order[stop]]) if stop < len(order) else None

    def _stop(self, rows: IntArray, entering: int) -> int:
        """How many of the rows, taken in this order, are passed."""
        steps = np.repeat(self.body[rows, entering], 2)  # R subtracts twice: the last bit counts
        left = np.cumsum(np.concatenate([[self.cost[entering]], -steps]))[2::2]
        ends = np.flatnonzero(left <= TOLERANCE)
        return int(ends[0]) if len(ends) else len(rows)

    def _pass(self, rows: IntArray) -> None:
        """Residuals that change their sign."""
        first, p = self.first_column, self.p
        steps = np.repeat(self.body[rows, first:p], 2, axis=0)
        self.cost[first:] = np.cumsum(np.vstack([self.cost[first:], -steps]), axis=0)[-1]
        self.body[rows, first:] *= -1
        self.row_labels[rows] *= -1

    def _set_aside(self, column: int) -> None:
        """A column that no row can leave for."""
        first = self.first_column
        self.body[:, [first, column]] = self.body[:, [column, first]]
        self.cost[[first, column]] = self.cost[[column, first]]
        self.column_labels[[first, column]] = self.column_labels[[column, first]]
        self.first_column += 1

    def _exchange(self, leaving: int, entering: int) -> None:
        """Gauss-Jordan step around the pivot."""
        first, p = self.first_column, self.p
        pivot = self.body[leaving, entering]
        row = self.body[leaving, first:] / pivot
        column = self.body[:, entering].copy()
        charge = self.cost[entering]
        self.body[:, first:] -= column[:, None] * row
        self.cost[first:] -= charge * row[: p - first]
        self.body[leaving, first:] = row
        self.body[:, entering] = -column / pivot
        self.cost[entering] = -charge / pivot
        self.body[leaving, entering] = 1 / pivot
        labels = self.row_labels[leaving], self.column_labels[entering]
        self.column_labels[entering], self.row_labels[leaving] = labels


def _taken_in_turn(ratios: FloatArray) -> IntArray:
    """The order in which the smallest ratio is taken out when the last one fills its place."""
    left = ratios.copy()
    places = np.arange(len(ratios))
    taken = []
    for size in range(len(ratios), 0, -1):
        j = int(np.argmin(left[:size]))
        taken.append(int(places[j]))
        left[j], places[j] = left[size - 1], places[size - 1]
    return np.array(taken, dtype=np.int64)
