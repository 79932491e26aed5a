"""Least squares without one or two folds, for every pair of folds and every repetition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pycvstat.errors import InputError
from pycvstat.folds.pairs import own_and_other_fold
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.linear.least_squares import Basis, orthonormal_basis, require_finite
from pycvstat.learners.linear.left_out import (
    KEPT_SHARE,
    LeftOut,
    dominated,
    full_residuals,
    ols_left_out_predictions,
    smallest_eigenvalue_bound,
    solve,
    well_conditioned,
)
from pycvstat.types import BoolArray, FloatArray, IntArray

_BLOCK = 2**17
"""Numbers worked on at a time: what stays in the cache."""


def least_squares_left_out(
    X: FloatArray, y: FloatArray, plan: FoldPlan, weights: FloatArray | None = None
) -> LeftOut:
    """Out-of-fold predictions of least squares for a plan, by the kernel that fits it.

    Parameters
    ----------
    X : (n, p) float64
        Design with its intercept column.
    y : (n,) float64
    plan : FoldPlan
        Every fit trains on all rows that it does not test.
    weights : (n,) float64, optional

    Returns
    -------
    LeftOut
        In the order of ``plan.rows``.

    Examples
    --------
    >>> from pycvstat.folds import NestedPairs
    >>> plan = NestedPairs(3, repeats=1, random=1).plan(4)
    >>> y = np.array([1.0, 2.0, 3.0, 6.0])
    >>> out = least_squares_left_out(np.ones((4, 1)), y, plan)
    >>> for i, (train_rows, test_rows) in enumerate(plan):
    ...     assert np.allclose(out.predictions[plan.offsets[i]], y[train_rows].mean())
    """
    if plan.kind == "nested_pairs":
        out = _pairs_left_out(X, y, plan, weights)
        if not out.refit.all():  # an aliased column, which the other kernel knows how to leave out
            return out
    return ols_left_out_predictions(X, y, plan.rows, plan.offsets, weights)


def _pairs_left_out(
    X: FloatArray, y: FloatArray, plan: FoldPlan, weights: FloatArray | None
) -> LeftOut:
    home, own, other, k = own_and_other_fold(plan)
    found = ols_pair_residuals(X, y, home.T + 1, k, weights)
    repeat = np.repeat(plan.repeat, plan.n_test)
    other = np.where(other < 0, own, other)
    residuals = found.residuals[repeat, plan.rows, other]
    begin = plan.offsets[:-1]
    refit = found.refit[plan.repeat, own[begin], other[begin]]
    refit = np.asarray(refit) | dominated(y, plan.rows, plan.offsets, weights)
    return LeftOut(y[plan.rows] - residuals, residuals, refit)


@dataclass(frozen=True, slots=True, eq=False)
class PairResiduals:
    """Residuals of rows that were left out together with one more fold.

    Parameters
    ----------
    residuals : (times, n, k) float64
        Entry (t, i, j): residual of row i, predicted without its own fold and without fold j;
        where j is its own fold, without that fold alone. NaN in fits that need a refit.
    refit : (times, k, k) bool, symmetric
        Fits whose training rows come close to losing rank.
    """

    residuals: FloatArray
    refit: BoolArray


def ols_pair_residuals(
    X: FloatArray, y: FloatArray, fold_ids: IntArray, k: int, weights: FloatArray | None = None
) -> PairResiduals:
    """Out-of-fold residuals of least squares for every fold and every pair of folds left out.

    All that the pairwise-excluded cross-validation of Bates, Hastie and Tibshirani (2024) needs:
    k (k + 1) / 2 fits per repetition, each one p x p problem in the orthonormal basis of one QR
    factorisation, solved together.

    Parameters
    ----------
    X : (n, p) float64
        Design with its intercept column.
    y : (n,) float64
    fold_ids : (n,) or (n, times) int64
        Fold of each row, 1..k.
    k : int
        Number of folds.
    weights : (n,) float64, optional

    Returns
    -------
    PairResiduals

    Examples
    --------
    >>> y = np.array([1.0, 2.0, 3.0, 6.0])
    >>> out = ols_pair_residuals(np.ones((4, 1)), y, np.array([1, 1, 2, 3]), 3)
    >>> out.residuals[0]
    array([[-3.5, -5. , -2. ],
           [-2.5, -4. , -1. ],
           [-3. ,  0. ,  1.5],
           [ 3. ,  4.5,  4. ]])
    """
    X, y = require_finite(X, y)
    ids = np.asarray(fold_ids, dtype=np.int64).reshape(len(y), -1).T - 1
    if ids.min() < 0 or ids.max() >= k:
        raise InputError("fold labels must be 1..k.", given=f"{ids.min() + 1}..{ids.max() + 1}")
    basis = orthonormal_basis(X, weights)
    times, n = ids.shape
    residuals, refit = np.full((times, n + 1, k), np.nan), np.ones((times, k, k), dtype=bool)
    if basis.clear and not basis.aliased.any():
        work = _Rows.of(basis, full_residuals(basis, X, y, weights), weights)
        places = _places(ids, k)
        method = _by_blocks if places.shape[2] < X.shape[1] else _by_columns
        length = max(1, _BLOCK // (k * k * min(X.shape[1], places.shape[2]) ** 2))
        for start in range(0, times, length):
            now = places[start : start + length]
            out, weak = method(work, now)
            out.swapaxes(2, 3)[weak] = np.nan
            residuals[np.arange(start, start + len(now))[:, None, None], now] = out
            refit[start : start + length] = weak
    return PairResiduals(residuals[:, :n], refit)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows in the orthonormal basis, with one row of zeros at the end to fill up folds."""

    Q: FloatArray
    U: FloatArray
    e: FloatArray
    se: FloatArray

    @classmethod
    def of(cls, basis: Basis, e: FloatArray, weights: FloatArray | None) -> _Rows:
        none = np.zeros((1, basis.Q.shape[1]))
        Q = np.concatenate([basis.Q, none])
        e = np.append(e, 0.0)
        if weights is None:
            return cls(Q, Q, e, e)
        return cls(Q, np.concatenate([basis.U, none]), e, e * np.sqrt(np.append(weights, 0)))


def _places(ids: IntArray, k: int) -> IntArray:
    """Rows of each fold (times, k, size of the largest), filled up with row n."""
    times, n = ids.shape
    labels = (ids + k * np.arange(times)[:, None]).ravel()
    sizes = np.bincount(labels, minlength=times * k)
    order = np.argsort(labels, kind="stable")
    places = np.full((times * k, sizes.max()), n)
    within = np.arange(times * n) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    places[labels[order], within] = order % n
    return places.reshape(times, k, -1)


def _by_columns(work: _Rows, places: IntArray) -> tuple[FloatArray, BoolArray]:
    """Residuals (times, k, m, k) by one r x r problem per pair: few columns, large folds."""
    times, k, _ = places.shape
    QT = work.Q[places].swapaxes(2, 3)
    r = QT.shape[2]
    squares = QT @ QT.swapaxes(2, 3)
    products = (QT @ work.se[places][..., None])[..., 0]
    first, second = np.triu_indices(k, 1)
    kept = np.eye(r) - squares
    both, weak_pairs = _solved(
        kept[:, first] - squares[:, second], products[:, first] + products[:, second]
    )
    alone, weak_alone = _solved(kept, products)
    step = np.empty((times, k, k, r))
    step[:, np.arange(k), np.arange(k)] = alone
    step[:, first, second] = step[:, second, first] = both
    residuals = work.e[places][..., None] + work.U[places] @ step.swapaxes(2, 3)
    return residuals, _symmetric(weak_alone, weak_pairs)


def _solved(kept: FloatArray, target: FloatArray) -> tuple[FloatArray, BoolArray]:
    kept, weak = well_conditioned(kept)
    return solve(kept, target[..., None])[..., 0], weak


def _by_blocks(work: _Rows, places: IntArray) -> tuple[FloatArray, BoolArray]:
    """The same by m x m blocks of the hat matrix: z = (I - H_TT)^-1 e_T with T two folds.

    With A = I - H, folds i and j: z_j = (A_jj - A_ji A_ii^-1 A_ij)^-1 (e_j - A_ji A_ii^-1 e_i) and
    z_i = A_ii^-1 (e_i - A_ij z_j).
    """
    times, k, m = places.shape
    Q, s = work.Q[places], work.se[places]
    flat = Q.reshape(times, k * m, -1)
    hat = (flat @ flat.swapaxes(1, 2)).reshape(times, k, m, k, m).swapaxes(2, 3)
    own, weak_own = well_conditioned(np.eye(m) - hat[:, np.arange(k), np.arange(k)])
    inverse = np.linalg.inv(own)
    alone = (inverse @ s[..., None])[..., 0]
    first, second = np.triu_indices(k, 1)
    cross = hat[:, first, second]
    through = inverse[:, first] @ cross
    schur = own[:, second] - cross.swapaxes(2, 3) @ through
    weak = weak_own[:, first] | weak_own[:, second] | _weak_pairs(own, cross, schur, first, second)
    schur[weak] = np.eye(m)
    right = s[:, second] + (alone[:, first, None] @ cross)[:, :, 0]
    z_second = solve(schur, right[..., None])
    z = np.empty((times, k, k, m))
    z[:, np.arange(k), np.arange(k)] = alone
    z[:, first, second] = alone[:, first] + (through @ z_second)[..., 0]
    z[:, second, first] = z_second[..., 0]
    return _residuals(work, places, z), _symmetric(weak_own, weak)


def _weak_pairs(
    own: FloatArray, cross: FloatArray, schur: FloatArray, first: IntArray, second: IntArray
) -> BoolArray:
    """Which pairs keep less than `KEPT_SHARE`, decided as in `well_conditioned`."""
    m = own.shape[-1]
    signs, logs = np.linalg.slogdet(own)
    sign, log_determinant = np.linalg.slogdet(schur)
    traces = np.trace(own, axis1=-2, axis2=-1)
    bound = smallest_eigenvalue_bound(
        log_determinant + logs[:, first], traces[:, first] + traces[:, second], 2 * m
    )
    weak = ~((sign > 0) & (signs[:, first] > 0) & (bound > KEPT_SHARE))
    if weak.any():
        at, pair = np.nonzero(weak)
        block = cross[at, pair]  # with the other sign, the eigenvalues are the same
        whole = np.block(
            [[own[at, first[pair]], block], [block.swapaxes(1, 2), own[at, second[pair]]]]
        )
        weak[at, pair] = np.linalg.eigvalsh(whole)[:, 0] < KEPT_SHARE
    return np.asarray(weak)


def _residuals(work: _Rows, places: IntArray, z: FloatArray) -> FloatArray:
    """Residuals (times, k, m, k) from z (times, k, k, m): fold, the other fold, row."""
    if work.U is work.Q:  # without weights
        return z.swapaxes(2, 3)
    own = z @ work.Q[places]
    step = own + own.swapaxes(1, 2)
    step[:, np.arange(z.shape[1]), np.arange(z.shape[1])] /= 2.0
    return work.e[places][..., None] + work.U[places] @ step.swapaxes(2, 3)


def _symmetric(alone: BoolArray, pairs: BoolArray) -> BoolArray:
    """(times, k, k) from the diagonal (times, k) and the part above it."""
    k = alone.shape[1]
    first, second = np.triu_indices(k, 1)
    out = np.empty((len(alone), k, k), dtype=bool)
    out[:, np.arange(k), np.arange(k)] = alone
    out[:, first, second] = out[:, second, first] = pairs
    return out
