"""The fast fits of the simulations against fits one at a time."""

import numpy as np
import pytest

from pycvstat.folds import FiveByTwo, KFold, NestedPairs, PairedHalves, Repeated, Subsampling
from pycvstat.simulate.fitters import (
    Fitter,
    LeastSquares,
    Logistic,
    NearestNeighbours,
    OnColumns,
    TunedRidge,
    masks_of,
)

EXACT = 1e-9  # other factorisations of the same well-conditioned problems
DRAW = np.random.default_rng(1)
N, D, SETS = 42, 3, 3
X, Y = DRAW.normal(size=(SETS, N, D)), DRAW.normal(size=(SETS, N))
CLASSES = (DRAW.random((SETS, N)) < 1 / (1 + np.exp(-X[..., 0]))).astype(float)
PLANS = [
    KFold(5),
    Repeated(KFold(4), times=3),
    Subsampling(4, train=0.8),
    NestedPairs(4, repeats=2),
    PairedHalves(inner=2, outer=2),
    FiveByTwo(),
]


@pytest.mark.parametrize("splitter", PLANS, ids=repr)
def test_least_squares(splitter):
    plan = splitter.plan(N, random=1)
    found = LeastSquares().out_of_fold(X, Y, plan)
    for s in range(SETS):
        design = np.column_stack([np.ones(N), X[s]])
        expected = [
            design[test] @ np.linalg.lstsq(design[train], Y[s][train], rcond=None)[0]
            for train, test in plan
        ]
        np.testing.assert_allclose(found[s], np.concatenate(expected), rtol=EXACT, atol=EXACT)
    slow = Fitter.out_of_fold(LeastSquares(), X, Y, plan)
    np.testing.assert_allclose(found, slow, rtol=EXACT, atol=EXACT)


def test_least_squares_close_to_losing_rank():
    """A predictor that is constant outside one fold has to be fitted anew."""
    plan = KFold(5).plan(N, random=1)
    nearly = X.copy()
    nearly[:, :, 2] = 1e-4 * X[:, :, 2]
    nearly[:, plan.test_rows(0), 2] = X[:, plan.test_rows(0), 2]
    found = LeastSquares().out_of_fold(nearly, Y, plan)
    assert np.isfinite(found).all()
    slow = Fitter.out_of_fold(LeastSquares(), nearly, Y, plan)
    np.testing.assert_allclose(found, slow, rtol=1e-6, atol=1e-6)


def test_nearest_neighbours():
    plan = Repeated(KFold(4), times=2).plan(N, random=1)
    found = NearestNeighbours(3).out_of_fold(X, Y, plan)
    expected = []
    for train, test in plan:
        for i in test:
            near = np.argsort(((X[0][train] - X[0][i]) ** 2).sum(axis=1))[:3]
            expected.append(Y[0][train][near].mean())
    np.testing.assert_allclose(found[0], expected, rtol=1e-12)


def test_logistic_is_at_its_maximum():
    masks = masks_of(KFold(4).plan(N, random=1))
    fitter = Logistic(ridge=0.5)
    p = fitter.predict(X[0], CLASSES[0], masks, X[0])
    design = np.column_stack([np.ones(N), X[0]])
    for probability, mask in zip(p, masks, strict=True):
        beta = np.linalg.lstsq(design, np.log(probability / (1 - probability)), rcond=None)[0]
        gradient = design[mask].T @ (CLASSES[0] - probability)[mask] - 0.5 * beta
        np.testing.assert_allclose(gradient, 0, atol=1e-8)


def test_tuned_ridge():
    grid, mask = (0.1, 3.0, 50.0), np.arange(N) % 6 != 0

    def ridge(train, lam, at):
        centre, top = X[0][train].mean(axis=0), Y[0][train].mean()
        A = (X[0][train] - centre).T @ (X[0][train] - centre) + lam * np.eye(D)
        slopes = np.linalg.solve(A, (X[0][train] - centre).T @ (Y[0][train] - top))
        return top + (at - centre) @ slopes

    rows = np.flatnonzero(mask)
    errors = np.zeros(3)
    for fold in range(4):
        held = rows[np.arange(rows.size) % 4 == fold]
        rest = np.setdiff1d(rows, held)
        errors += [((ridge(rest, g, X[0][held]) - Y[0][held]) ** 2).sum() for g in grid]
    expected = ridge(rows, grid[int(errors.argmin())], X[1])
    found = TunedRidge(grid, folds=4).predict(X[0], Y[0], mask[None, :], X[1])
    np.testing.assert_allclose(found[0], expected, rtol=EXACT)


def test_on_columns():
    plan = KFold(4).plan(N, random=1)
    found = OnColumns(LeastSquares(), (1,)).out_of_fold(X, Y, plan)
    np.testing.assert_array_equal(found, LeastSquares().out_of_fold(X[..., [1]], Y, plan))
    masks = masks_of(plan)
    np.testing.assert_array_equal(
        OnColumns(LeastSquares(), (1,)).predict(X[0], Y[0], masks, X[1]),
        LeastSquares().predict(X[0][:, [1]], Y[0], masks, X[1][:, [1]]),
    )
