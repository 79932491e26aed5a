"""Regression quantiles by the simplex method of Barrodale and Roberts.

The pivots are chosen as in R's quantreg (Koenker and d'Orey 1987, AS 229, after Barrodale and
Roberts 1973), so that the same vertex is returned where the minimum is not unique.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pycvstat.types import FloatArray, IntArray

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
            entering = self._coefficient_to_enter()
            if self.cost[entering] < 0:
                self._turn(entering)
            leaving = self._leaving(entering)
            if leaving is None:
                self._set_aside(entering)
                continue
            self._exchange(leaving, entering)
            self._swap_rows(leaving, exchanged)
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

    def _coefficient_to_enter(self) -> int:
        columns = np.arange(self.first_column, self.p)
        columns = columns[np.abs(self.column_labels[columns]) <= self.p]
        return int(columns[np.argmax(np.abs(self.cost[columns]))])

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

    def _swap_rows(self, a: int, b: int) -> None:
        first = self.first_column
        self.body[[a, b], first:] = self.body[[b, a], first:]
        self.row_labels[[a, b]] = self.row_labels[[b, a]]


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
