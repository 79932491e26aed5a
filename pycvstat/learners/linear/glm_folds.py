"""All folds of a generalised linear model at once, each through the iterations of R's glm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pycvstat.errors import FitError
from pycvstat.learners.families import EPS, Family, Link
from pycvstat.learners.irls import AS_R, Control, fit_glm
from pycvstat.learners.linear.least_squares import Basis, orthonormal_basis
from pycvstat.learners.linear.left_out import KEPT_SHARE, smallest_eigenvalue_bound, solve
from pycvstat.types import BoolArray, FloatArray, IntArray

_BLOCK = 2**16
"""Numbers per table of rows and fits worked on at a time: half a megabyte stays in the cache."""

_PRODUCTS = 2**23
"""The products of all pairs of columns are kept when they are no more numbers than these."""

_SPREAD = 1e-5
"""The smallest over the largest eigenvalue of a fit's normal equations in the basis of the fit to
all rows; below, the fit is left to QR. The smallest must also be `KEPT_SHARE` of the information
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


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    U: FloatArray
    y: FloatArray
    weights: FloatArray
    offset: FloatArray
    family: Family
    link: Link


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
    coordinates in which those of the fit to all rows are the identity: little is lost by them.

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
    n, fits = len(y), len(offsets) - 1
    weights = np.ones(n) if weights is None else weights
    offset = np.zeros(n) if offset is None else offset
    with np.errstate(all="ignore"):
        basis = _basis(X, y, family, link, weights, offset, control)
    means, refit = np.full(len(rows), np.nan), np.ones(fits, dtype=bool)
    if basis is None:
        return LeftOutMeans(means, refit)
    model = _Model(basis.U, y, weights, offset, family, link)
    equations = _NormalEquations(basis.U)
    length = max(1, _BLOCK // n)
    for start in range(0, fits, length):
        stop = min(start + length, fits)
        ends = offsets[start : stop + 1]
        test = rows[ends[0] : ends[-1]]
        fit = np.repeat(np.arange(stop - start), np.diff(ends))
        with np.errstate(all="ignore"):
            mean, failed = _together(model, equations, test, fit, stop - start, control)
        mean[failed[fit]] = np.nan
        means[ends[0] : ends[-1]], refit[start:stop] = mean, failed
    return LeftOutMeans(means, refit)


def _basis(
    X: FloatArray,
    y: FloatArray,
    family: Family,
    link: Link,
    weights: FloatArray,
    offset: FloatArray,
    control: Control,
) -> Basis | None:
    """Coordinates in which the normal equations of the fit to all rows are the identity."""
    try:
        full = fit_glm(X, y, family, link, weights, offset, control)
    except FitError:
        return None
    if full.fitted.aliased.any() or not full.converged or full.at_boundary:
        return None
    basis = orthonormal_basis(X, full.working_weights, control.aliased)
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


@dataclass(slots=True)
class _Fits:
    """Where the fits of one block are: arrays (fits, n)."""

    prior: FloatArray
    tested: BoolArray
    eta: FloatArray
    mu: FloatArray
    deviance: FloatArray

    def keep(self, which: BoolArray) -> _Fits:
        return _Fits(
            self.prior[which],
            self.tested[which],
            self.eta[which],
            self.mu[which],
            self.deviance[which],
        )


def _together(
    model: _Model,
    equations: _NormalEquations,
    test: IntArray,
    fit: IntArray,
    count: int,
    control: Control,
) -> tuple[FloatArray, BoolArray]:
    """Means (N,) of the test rows of `count` fits, and the fits that failed (count,)."""
    means, failed = np.full((count, len(model.y)), np.nan), np.ones(count, dtype=bool)
    alive = np.arange(count)
    state = _started(model, test, fit, count)
    for _ in range(control.maxiter):
        before = state.deviance
        state, sound = _iterated(model, equations, state)
        change = np.abs(state.deviance - before) / (0.1 + np.abs(state.deviance))
        ended = sound & (change < control.tol)
        inside = ended & ~_at_border(model.family, state)
        means[alive[inside]], failed[alive[inside]] = state.mu[inside], False
        going = sound & ~ended
        if not going.any():
            break
        state, alive = state.keep(going), alive[going]
    return means[fit, test], failed


def _started(model: _Model, test: IntArray, fit: IntArray, count: int) -> _Fits:
    """R's starting values, which are those of each row whatever the fold."""
    shape = (count, len(model.y))
    tested = np.zeros(shape, dtype=bool)
    tested[fit, test] = True
    prior = np.where(tested, 0.0, model.weights)
    eta = model.link.link(model.family.start(model.y, model.weights))
    mu = model.link.inverse(eta)
    deviance = prior @ np.where(model.weights > 0, model.family.deviance(model.y, mu), 0.0)
    return _Fits(prior, tested, np.broadcast_to(eta, shape), np.broadcast_to(mu, shape), deviance)


def _iterated(model: _Model, equations: _NormalEquations, state: _Fits) -> tuple[_Fits, BoolArray]:
    """One iteration of all fits, and which of them went well."""
    slope, variance = model.link.derivative(state.eta), model.family.variance(state.mu)
    used = (state.prior > 0.0) & (slope != 0.0)
    broken = (used & ~(np.isfinite(slope) & (variance > 0.0))).any(axis=1) | ~used.any(axis=1)
    gap = np.divide(model.y - state.mu, slope, out=np.zeros_like(slope), where=used)
    working = np.divide(
        state.prior * slope**2, variance, out=np.zeros_like(slope), where=used & (variance > 0.0)
    )
    working[broken] = model.weights
    response = np.where(used, state.eta - model.offset + gap, 0.0)
    d, weak = equations.solve(working, response)
    eta = d @ model.U.T + model.offset
    mu = model.link.inverse(eta)
    unit = np.where(state.prior > 0.0, model.family.deviance(model.y, mu), 0.0)
    deviance = np.einsum("ij,ij->i", state.prior, unit)
    moved = _Fits(state.prior, state.tested, eta, mu, deviance)
    return moved, ~broken & ~weak & np.isfinite(deviance) & _valid(model, moved)


def _valid(model: _Model, state: _Fits) -> BoolArray:
    """Which fits have valid predictors and means in all their training rows."""
    if model.link.valid(state.eta) and model.family.valid_mean(state.mu):
        return np.ones(len(state.eta), dtype=bool)
    return np.array(
        [
            model.link.valid(eta[train]) and model.family.valid_mean(mu[train])
            for eta, mu, train in zip(state.eta, state.mu, ~state.tested, strict=True)
        ]
    )


def _at_border(family: Family, state: _Fits) -> BoolArray:
    """Which fits have means of 0 or 1 to rounding, of which R warns."""
    if family.name not in ("binomial", "poisson"):
        return np.zeros(len(state.mu), dtype=bool)
    low = np.where(state.tested, np.inf, state.mu).min(axis=1) < 10 * EPS
    if family.name == "poisson":
        return np.asarray(low)
    return np.asarray(low | (np.where(state.tested, -np.inf, state.mu).max(axis=1) > 1 - 10 * EPS))
