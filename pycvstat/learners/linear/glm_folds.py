"""All folds of a generalised linear model at once, each through the iterations of R's glm."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pycvstat.errors import FitError
from pycvstat.learners.families import EPS, Family, Link
from pycvstat.learners.irls import AS_R, Control, Problem, Walk
from pycvstat.learners.linear.least_squares import Basis, orthonormal_basis
from pycvstat.learners.linear.left_out import KEPT_SHARE, smallest_eigenvalue_bound, solve
from pycvstat.types import BoolArray, FloatArray, IntArray

_BLOCK = 2**16
"""Numbers per table of rows and fits worked on at a time: half a megabyte stays in the cache."""

_PRODUCTS = 2**23
"""The products of all pairs of columns are kept when they are no more numbers than these."""

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
    maximum. Each iteration is one matrix product for the normal equations of all fits, in the
    coordinates in which those of all rows at the start are the identity: little is lost by them.

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
    basis = _basis(problem)
    if basis is None:
        return LeftOutMeans(means, refit)
    problem = replace(problem, X=basis.U)
    equations = _NormalEquations(basis.U)
    length = max(1, _BLOCK // n)
    for start in range(0, fits, length):
        stop = min(start + length, fits)
        ends = offsets[start : stop + 1]
        test = rows[ends[0] : ends[-1]]
        fit = np.repeat(np.arange(stop - start), np.diff(ends))
        with np.errstate(all="ignore"):
            mean, failed = _together(problem, equations, test, fit, stop - start)
        mean[failed[fit]] = np.nan
        means[ends[0] : ends[-1]], refit[start:stop] = mean, failed
    return LeftOutMeans(means, refit)


def _basis(problem: Problem) -> Basis | None:
    """Coordinates in which the normal equations of all rows at the start are the identity."""
    with np.errstate(all="ignore"):
        try:
            walk = Walk(problem, problem.start())
        except FitError:
            return None
        working = problem.weights * walk.weights(walk.mu)
        if not np.isfinite(working).all():
            return None
        basis = orthonormal_basis(problem.X, working, problem.control.aliased)
    return basis if basis.clear and not basis.aliased.any() else None


class _NormalEquations:
    """U' W U and U' W z for many weights at once."""

    def __init__(self, U: FloatArray) -> None:
        self.U = U
        self.pairs = np.triu_indices(U.shape[1])
        size = U.shape[0] * len(self.pairs[0])
        self.products = U[:, self.pairs[0]] * U[:, self.pairs[1]] if size <= _PRODUCTS else None

    def solve(self, working: FloatArray, response: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Coefficients (fits, p) for weights and responses (fits, n), and which fits are weak."""
        p = self.U.shape[1]
        G = np.empty((len(working), p, p))
        if self.products is not None:
            packed = working @ self.products
            G[:, self.pairs[0], self.pairs[1]] = G[:, self.pairs[1], self.pairs[0]] = packed
        else:
            for i, w in enumerate(working):
                G[i] = (self.U.T * w) @ self.U
        weak = _ill_conditioned(G)
        G[weak] = np.eye(p)
        right = (working * response) @ self.U
        return solve(G, right[..., None])[..., 0], weak


def _ill_conditioned(G: FloatArray) -> BoolArray:
    """Which matrices (fits, p, p) have eigenvalues further apart than `_SPREAD` allows."""
    trace = np.trace(G, axis1=1, axis2=2)
    weak = ~(np.isfinite(trace) & (trace > 0.0))
    G[weak] = np.eye(G.shape[1])
    sign, log_determinant = np.linalg.slogdet(G)
    bound = smallest_eigenvalue_bound(log_determinant, trace, G.shape[1])
    unsure = ~weak & ~((sign > 0) & (bound > np.maximum(_SPREAD * trace, KEPT_SHARE)))
    if unsure.any():
        values = np.linalg.eigvalsh(G[unsure])
        weak[unsure] = values[:, 0] < np.maximum(_SPREAD * values[:, -1], KEPT_SHARE)
    return np.asarray(weak)


class _Fits(NamedTuple):
    """Where the fits of one block are: arrays (fits, n), and the deviances (fits,)."""

    prior: FloatArray
    tested: BoolArray
    eta: FloatArray
    mu: FloatArray
    deviance: FloatArray


def _together(
    problem: Problem, equations: _NormalEquations, test: IntArray, fit: IntArray, count: int
) -> tuple[FloatArray, BoolArray]:
    """Means (N,) of the test rows of `count` fits, and the fits that failed (count,)."""
    means, failed = np.full((count, len(problem.y)), np.nan), np.ones(count, dtype=bool)
    alive = np.arange(count)
    state = _started(problem, test, fit, count)
    for _ in range(problem.control.maxiter):
        before = state.deviance
        state, sound = _iterated(problem, equations, state)
        change = np.abs(state.deviance - before) / (0.1 + np.abs(state.deviance))
        ended = sound & (change < problem.control.tol)
        inside = ended & ~_at_border(problem.family, state)
        means[alive[inside]], failed[alive[inside]] = state.mu[inside], False
        going = sound & ~ended
        if not going.any():
            break
        state, alive = _Fits._make(part[going] for part in state), alive[going]
    return means[fit, test], failed


def _started(problem: Problem, test: IntArray, fit: IntArray, count: int) -> _Fits:
    """R's starting values, which are those of each row whatever the fold."""
    shape, weights = (count, len(problem.y)), problem.weights
    tested = np.zeros(shape, dtype=bool)
    tested[fit, test] = True
    prior = np.where(tested, 0.0, weights)
    eta = problem.link.link(problem.start())
    mu = problem.link.inverse(eta)
    deviance = prior @ np.where(weights > 0, problem.family.deviance(problem.y, mu), 0.0)
    return _Fits(prior, tested, np.broadcast_to(eta, shape), np.broadcast_to(mu, shape), deviance)


def _iterated(
    problem: Problem, equations: _NormalEquations, state: _Fits
) -> tuple[_Fits, BoolArray]:
    """One iteration of all fits, and which of them went well."""
    working, response, broken = _working(problem, state)
    working[broken] = problem.weights
    d, weak = equations.solve(working, response)
    eta = d @ problem.X.T + problem.offset
    mu = problem.link.inverse(eta)
    unit = np.where(state.prior > 0.0, problem.family.deviance(problem.y, mu), 0.0)
    deviance = np.einsum("ij,ij->i", state.prior, unit)
    moved = state._replace(eta=eta, mu=mu, deviance=deviance)
    return moved, ~broken & ~weak & np.isfinite(deviance) & _valid(problem, moved)


def _working(problem: Problem, state: _Fits) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Weights and responses of the next least squares fits, and which of these break down."""
    slope, variance = problem.link.derivative(state.eta), problem.family.variance(state.mu)
    used = state.prior > 0
    sound = used & (slope != 0) & np.isfinite(slope) & (variance > 0)
    gap = np.divide(problem.y - state.mu, slope, out=np.zeros_like(slope), where=sound)
    working = np.divide(state.prior * slope**2, variance, out=np.zeros_like(slope), where=sound)
    response = np.where(used, state.eta - problem.offset + gap, 0.0)
    return working, response, np.asarray((used & ~sound).any(axis=-1))


def _valid(problem: Problem, state: _Fits) -> BoolArray:
    """Which fits have valid predictors and means in all their training rows."""
    if problem.is_valid(state.eta, state.mu):
        return np.ones(len(state.eta), dtype=bool)
    fits = zip(state.eta, state.mu, ~state.tested, strict=True)
    return np.array([problem.is_valid(eta[train], mu[train]) for eta, mu, train in fits])


def _at_border(family: Family, state: _Fits) -> BoolArray:
    """Which fits have means of 0 or 1 to rounding, of which R warns."""
    if family.name not in ("binomial", "poisson"):
        return np.zeros(len(state.mu), dtype=bool)
    low = np.where(state.tested, np.inf, state.mu).min(axis=1) < 10 * EPS
    if family.name == "poisson":
        return np.asarray(low)
    return np.asarray(low | (np.where(state.tested, -np.inf, state.mu).max(axis=1) > 1 - 10 * EPS))
