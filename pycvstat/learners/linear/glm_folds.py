"""All folds of a generalised linear model at once, each through the iterations of R's glm."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pycvstat.errors import FitError
from pycvstat.learners.families import EPS, Family, Link
from pycvstat.learners.irls import AS_R, Control, Problem
from pycvstat.learners.linear.least_squares import orthonormal_basis
from pycvstat.learners.linear.left_out import KEPT_SHARE, left_out_steps, solve
from pycvstat.types import BoolArray, FloatArray, IntArray

_BLOCK = 2**16
"""Numbers per table of rows and fits worked on at a time: half a megabyte each."""

_PRODUCTS = 2**23
"""The products of all pairs of columns are kept when they are no more numbers than these."""

State = tuple[FloatArray, FloatArray]
Places = tuple[IntArray, IntArray]
Working = tuple[FloatArray, FloatArray, BoolArray]

_SPREAD = 1e-5
"""The smallest over the largest eigenvalue of a fit's normal equations in the basis of all rows at
the start; below, the fit is left to QR. The smallest must also be `KEPT_SHARE` of the information
in all rows: the weights of separated classes go to 0 together."""


@dataclass(frozen=True, slots=True, eq=False)
class LeftOutMeans:
    """Out-of-fold means of all fits.

    Parameters
    ----------
    means : (N,) float64
        In the order of the test rows; NaN in fits that need a refit.
    refit : (fits,) bool
        Fits that lose rank, leave the valid region, run to the border of the parameter space or
        do not converge.
    """

    means: FloatArray
    refit: BoolArray


def glm_left_out_means(
    X: FloatArray,
    y: FloatArray,
    family: Family,
    link: Link,
    rows: IntArray,
    offsets: IntArray,
    weights: FloatArray | None = None,
    offset: FloatArray | None = None,
    control: Control = AS_R,
) -> LeftOutMeans:
    """Predict test rows by a generalised linear model of all other rows, for many sets of rows.

    The fits go together through the iterations of R's ``glm.fit``, from its starting values to
    its test of convergence, so they end where a refit ends, also where that is short of the
    maximum. R's first weights are those of each row whatever the fold, so the first iteration is
    least squares without the test rows. Each further one is one matrix product for the normal
    equations of all fits, in the coordinates in which those of all rows at the start are the
    identity: little is lost by them.

    As in R: ``predict(glm(y ~ X - 1, family, weights = w, subset = -T), X[T, ], "response")`` for
    every set T of test rows.

    Parameters
    ----------
    X : (n, p) float64
        Design with its intercept column.
    y : (n,) float64
    family, link : Family, Link
    rows : (N,) int64
        Test rows of all fits, one fit after the other, counted from 0.
    offsets : (fits + 1,) int64
        Fit i tests ``rows[offsets[i]:offsets[i + 1]]``.
    weights, offset : (n,) float64, optional
    control : Control

    Returns
    -------
    LeftOutMeans

    Examples
    --------
    >>> from pycvstat.learners.families import LINKS, POISSON
    >>> y, rows, offsets = np.array([1.0, 2.0, 6.0]), np.arange(3), np.arange(4)
    >>> glm_left_out_means(np.ones((3, 1)), y, POISSON, LINKS["log"], rows, offsets).means.round(6)
    array([4. , 3.5, 1.5])
    """
    problem = Problem.of(X, y, family, link, weights, offset, control)
    n, fits = len(y), len(offsets) - 1
    means, refit = np.full(len(rows), np.nan), np.ones(fits, dtype=bool)
    with np.errstate(all="ignore"):
        start = _Start.of(problem, rows, offsets)
        if start is None:
            return LeftOutMeans(means, refit)
        problem = replace(problem, X=start.U)
        length = min(fits, max(1, _BLOCK // n))
        table = _Binary(problem, length) if _is_binary(problem) else _Table(problem)
        equations = _NormalEquations(start.U)
        for first in range(0, fits, length):
            block = slice(first, first + length)
            ends = offsets[first : first + length + 1]
            fit = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
            now = slice(ends[0], ends[-1])
            given = start.d[block], start.deviance[block], start.weak[block]
            means[now], refit[block] = _together(table, equations, given, fit, rows[now])
    return LeftOutMeans(means, refit)


@dataclass(frozen=True, slots=True, eq=False)
class _Start:
    """Where the first iteration leads, and the coordinates U (n, r) that it is made in.

    Coefficients d (fits, r), which fits are weak, and the deviances (fits,) before.
    """

    U: FloatArray
    d: FloatArray
    weak: BoolArray
    deviance: FloatArray

    @classmethod
    def of(cls, problem: Problem, rows: IntArray, offsets: IntArray) -> _Start | None:
        """None where the iterations cannot begin, or the rank of all rows is in doubt."""
        try:
            problem.check_response()
        except FitError:
            return None
        y, weights = problem.y, problem.weights
        eta = problem.link.link(problem.start())
        mu = problem.link.inverse(eta)
        working, pull, broken = _working(problem, eta, mu)
        usable = np.isfinite(working).all() and working.any() and problem.is_valid(eta, mu)
        if broken or not usable:
            return None
        basis = orthonormal_basis(problem.X, working, problem.control.aliased)
        if not basis.clear or basis.aliased.any():
            return None
        pull = pull + working * (eta - problem.offset)
        whole = basis.U.T @ pull
        root = np.sqrt(working)
        left = np.divide(pull, root, out=np.zeros_like(pull), where=root > 0.0) - basis.Q @ whole
        steps, weak = left_out_steps(basis.Q, left, rows, offsets)
        unit = weights * np.where(weights > 0.0, problem.family.deviance(y, mu), 0.0)
        fit = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        tested = np.bincount(fit, unit[rows], minlength=len(weak))
        return cls(basis.U, whole - steps, weak, unit.sum() - tested)


def _working(problem: Problem, eta: FloatArray, mu: FloatArray) -> Working:
    """Weights of the next least squares fits, the same times what its responses are beyond the
    predictors, and whether rows break it down."""
    slope, variance = problem.link.derivative(eta), problem.family.variance(mu)
    used = problem.weights > 0.0
    sound = used & (slope != 0.0) & np.isfinite(slope) & (variance > 0.0)
    ratio = np.divide(problem.weights * slope, variance, out=np.zeros_like(slope), where=sound)
    broken = np.asarray((used & ~sound).any(axis=-1))
    return ratio * slope, ratio * (problem.y - mu), broken


class _NormalEquations:
    """U' W U and U' v for many weights and pulls at once."""

    def __init__(self, U: FloatArray) -> None:
        self.U = U
        n, r = U.shape
        self.products = None
        if n * r * (r + 1) // 2 <= _PRODUCTS:
            self.products = np.empty((r * (r + 1) // 2, n))
            first, last = np.minimum(*np.ogrid[:r, :r]), np.maximum(*np.ogrid[:r, :r])
            self.places = first * (2 * r - first - 1) // 2 + last  # of the product of two columns
            columns, ends = np.ascontiguousarray(U.T), np.cumsum(np.arange(r, 0, -1))
            for j, end in enumerate(ends):
                np.multiply(columns[j], columns[j:], out=self.products[end - r + j : end])

    def solve(self, working: FloatArray, pull: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Steps (fits, r) for weights and pulls (fits, n), and which fits are weak."""
        if self.products is not None:
            G = (working @ self.products.T).take(self.places, axis=1)
        else:
            G = np.stack([(self.U.T * w) @ self.U for w in working])
        weak = _ill_conditioned(G)
        G[weak] = np.eye(self.U.shape[1])
        return solve(G, (pull @ self.U)[..., None])[..., 0], weak


def _ill_conditioned(G: FloatArray) -> BoolArray:
    """Which matrices (fits, p, p) have eigenvalues further apart than `_SPREAD` allows."""
    diagonal = np.diagonal(G, axis1=1, axis2=2)
    around = np.abs(G).sum(axis=2) - diagonal  # Gershgorin's circles hold the eigenvalues
    highest, lowest = (diagonal + around).max(axis=1), (diagonal - around).min(axis=1)
    weak = ~(lowest > np.maximum(_SPREAD * highest, KEPT_SHARE))
    unsure = weak & np.isfinite(highest)
    if unsure.any():
        values = np.linalg.eigvalsh(G[unsure])
        weak[unsure] = values[:, 0] < np.maximum(_SPREAD * values[:, -1], KEPT_SHARE)
    return np.asarray(weak)


class _Table:
    """All rows under the coefficients of several fits: predictors and means (fits, n).

    Test rows have R's first ones, which are valid everywhere, and no weight.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.first = problem.link.link(problem.start())
        self.first_mean = problem.link.inverse(self.first)

    def moved(
        self, d: FloatArray, tested: Places
    ) -> tuple[State, FloatArray, BoolArray, BoolArray]:
        """Where coefficients (fits, r) lead, deviances, which are valid, which are at the border.

        At the border means are 0 or 1 to rounding, of which R warns.
        """
        problem = self.problem
        eta = d @ problem.X.T + problem.offset
        mu = problem.link.inverse(eta)
        eta[tested], mu[tested] = self.first[tested[1]], self.first_mean[tested[1]]
        unit = problem.family.deviance(problem.y, mu)
        unit[tested] = 0.0
        unit[:, problem.weights == 0.0] = 0.0
        deviance = unit @ problem.weights
        valid = np.isfinite(deviance)
        if not problem.is_valid(eta, mu):
            valid &= [problem.is_valid(*one) for one in zip(eta, mu, strict=True)]
        return (eta, mu), deviance, valid, _at_border(problem.family, mu)

    def working(self, state: State, tested: Places) -> Working:
        """As `_working`, of training rows only."""
        working, pull, broken = _working(self.problem, *state)
        working[tested] = pull[tested] = 0.0
        working[broken] = self.problem.weights
        return working, pull, broken


class _Binary(_Table):
    """The same of classes 0 and 1 under the logit, in memory that is used again.

    One exponential per row, e = exp(-eta) for class 1 and exp(eta) for class 0: then 1 / (1 + e)
    is the probability of the class that is there, and the weight is e / (1 + e)^2.
    """

    FARTHEST, WRONG = 30.0, 15.0
    """Predictors beyond these are left to refits: where R's logit ends; and, of the class that is
    not there, where R's 1 - mean has lost the digits that its test of convergence reads."""

    def __init__(self, problem: Problem, fits: int) -> None:
        self.problem = problem
        self.sign = 2.0 * problem.y - 1.0
        self.turned = -(problem.X * self.sign[:, None]).T
        self.shift = -self.sign * problem.offset if problem.offset.any() else None
        self.weighted = bool((problem.weights != 1.0).any())
        self.room = np.empty((2, fits, len(problem.y)))

    def moved(
        self, d: FloatArray, tested: Places
    ) -> tuple[State, FloatArray, BoolArray, BoolArray]:
        """As of any table; the state is e, and room for as many numbers."""
        e, logs = self.room[:, : len(d)]
        np.matmul(d, self.turned, out=e)
        if self.shift is not None:
            e += self.shift
        e[tested] = 0.0
        valid = (e.max(axis=1) <= self.WRONG) & (e.min(axis=1) >= -self.FARTHEST)
        e[tested] = -np.inf
        np.exp(e, out=e)
        np.log(np.add(e, 1.0, out=logs), out=logs)
        return (e, logs), 2.0 * (logs @ self.problem.weights), valid, ~valid

    def working(self, state: State, tested: Places) -> Working:
        """As of any table; test rows have e = 0."""
        e, whole = state
        e /= np.add(e, 1.0, out=whole)
        if self.weighted:
            e *= self.problem.weights
        working = np.divide(e, whole, out=whole)
        return working, np.multiply(e, self.sign, out=e), np.zeros(len(e), dtype=bool)


def _is_binary(problem: Problem) -> bool:
    logit = problem.family.name == "binomial" and problem.link.name == "logit"
    return logit and bool(np.isin(problem.y, (0.0, 1.0)).all())


def _together(
    table: _Table, equations: _NormalEquations, start: Working, fit: IntArray, test: IntArray
) -> tuple[FloatArray, BoolArray]:
    """Means (N,) of the test rows of all fits, and the fits that failed (fits,)."""
    problem, (d, before, lost) = table.problem, start
    means, failed = np.full(len(test), np.nan), np.ones(len(d), dtype=bool)
    alive, place = np.arange(len(d)), np.arange(len(test))
    for _ in range(problem.control.maxiter):
        state, deviance, valid, border = table.moved(d, (fit, test))
        sound = valid & ~lost
        change = np.abs(deviance - before) / (0.1 + np.abs(deviance))
        ended = sound & (change < problem.control.tol)
        inside = ended & ~border
        if inside.any():
            failed[alive[inside]] = False
            told = inside[fit]
            eta = np.einsum("ij,ij->i", d[fit[told]], problem.X[test[told]])
            means[place[told]] = problem.link.inverse(eta + problem.offset[test[told]])
        going = sound & ~ended
        if not going.any():
            break
        if not going.all():
            left = going[fit]
            place, test, fit = place[left], test[left], (np.cumsum(going) - 1)[fit[left]]
            alive, d, deviance = alive[going], d[going], deviance[going]
            state = state[0][going], state[1][going]
        working, pull, broken = table.working(state, (fit, test))
        step, weak = equations.solve(working, pull)
        d, before, lost = d + step, deviance, weak | broken
    return means, failed


def _at_border(family: Family, mu: FloatArray) -> BoolArray:
    if family.name not in ("binomial", "poisson"):
        return np.zeros(len(mu), dtype=bool)
    low = np.asarray(mu.min(axis=1) < 10 * EPS)
    return low if family.name == "poisson" else low | (mu.max(axis=1) > 1 - 10 * EPS)
