"""Curves of train and test error against loops written out; fits of curves and audits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat import rmath
from pycvstat.errors import CheckpointError, FitError, InputError, PycvstatWarning

MTCARS = pcv.data.mtcars()
FOLDS = pcv.KFold(4, random=1)
FORMULA = "mpg ~ wt + hp"


def forest() -> Any:
    """A learner that draws, and is given no seed."""
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(4)


def error_curve(learner: Any, grid: Any, **how: Any) -> np.ndarray:
    curve = pcv.error_curve(learner, FORMULA, MTCARS, grid=grid, folds=FOLDS, **how)
    return np.stack([curve.train.means, curve.test.means])


def learning_curve(learner: Any, **how: Any) -> np.ndarray:
    curve = pcv.learning_curve(
        learner, FORMULA, MTCARS, sizes=[8, 24], folds=how.pop("folds", FOLDS), **how
    )
    return np.stack([curve.train, curve.test])


def test_an_error_curve_is_a_loop_over_folds_and_candidates() -> None:
    found = error_curve(pcv.KNN(), {"k": [2, 5]})
    for i, (train, test) in enumerate(FOLDS.plan(MTCARS)):
        for c, k in enumerate((2, 5)):
            fitted = pcv.KNN(k=k).fit(FORMULA, MTCARS.iloc[train])
            for part, rows in enumerate((train, test)):
                errors = MTCARS["mpg"].iloc[rows] - fitted.predict(MTCARS.iloc[rows])
                assert found[part, i, c] == pytest.approx((errors**2).mean(), rel=1e-13)


@pytest.mark.parametrize("how", [{}, {"n_jobs": 2}, {"checkpoint": True}], ids=str)
def test_fits_of_curves_are_carried_out_as_asked(how: dict[str, Any], tmp_path: Path) -> None:
    """Also where the learner draws from NumPy's global generator."""
    how = {"checkpoint": tmp_path} if "checkpoint" in how else how
    grid = {"max_depth": [1, 3]}
    np.testing.assert_array_equal(error_curve(forest(), grid, **how), error_curve(forest(), grid))
    np.testing.assert_array_equal(learning_curve(forest(), **how), learning_curve(forest()))
    if how.get("checkpoint"):
        assert len(list(tmp_path.glob("error-curve*/task-*"))) == 4
        assert len(list(tmp_path.glob("learning-curve*/task-*"))) == 8
        with pytest.raises(CheckpointError, match=r"identity\.folds"):
            learning_curve(forest(), folds=pcv.KFold(4, random=2), **how)


@pytest.mark.parametrize("how", [{"n_jobs": 2}, {"checkpoint": True}], ids=str)
def test_an_audit_is_carried_out_as_asked(how: dict[str, Any], tmp_path: Path) -> None:
    how = {"checkpoint": tmp_path} if "checkpoint" in how else how

    def skills(**how: Any) -> Any:
        found = pcv.audit(forest(), FORMULA, MTCARS, folds=FOLDS, times=5, random=1, **how)
        return found.tidy().to_dict()

    assert skills(**how) == skills()
    if how.get("checkpoint"):
        assert len(list(tmp_path.glob("RandomForestRegressor*/task-*"))) == 5 * len(FOLDS.plan(32))


@pytest.mark.parametrize("sizes", ["a", ["a"], None, 5, [], [[5]], [0], [np.nan], [1j], {"a": 1}])
def test_sizes_that_mean_nothing_are_refused(sizes: Any) -> None:
    with pytest.raises(InputError, match="sizes must be positive numbers"):
        pcv.learning_curve(pcv.OLS(), FORMULA, MTCARS, sizes=sizes, folds=FOLDS)


def test_a_fit_that_fails_is_named() -> None:
    with pytest.raises(FitError, match=r"fold 1 of 4, 8 training rows: .*k is larger"):
        learning_curve(pcv.KNN(k=9))


def test_means_of_a_learning_curve_are_those_of_r() -> None:
    draw = np.random.default_rng(1)
    curve = pcv.learning_curve(
        pcv.Mean(), X=np.arange(60.0)[:, None], y=draw.random(60), sizes=[8, 24],
        folds=pcv.KFold(20, random=1),
    )  # fmt: skip
    for side in ("train", "test"):
        values = getattr(curve, side)
        expected = [rmath.mean(column) for column in values.T]
        assert curve.tidy()[side].tolist() == expected
    np.testing.assert_array_equal(curve.table.fold_means()[:, 1], curve.test[:, 1])


def test_a_curve_ends_at_cross_validation() -> None:
    curve = pcv.learning_curve(pcv.OLS(), FORMULA, MTCARS, sizes=[8, 16, 24], folds=FOLDS)
    whole = pcv.cross_validate(pcv.OLS(), FORMULA, MTCARS, folds=FOLDS)
    # the same rows in another order
    np.testing.assert_allclose(curve.test[:, -1], whole.fold_errors, rtol=1e-12)
    ours, theirs = (one.augment().select_dtypes("number") for one in (curve, whole))
    np.testing.assert_allclose(ours, theirs[ours.columns], rtol=1e-12)


def test_what_fits_have_to_say_is_said_once_with_their_folds() -> None:
    slow, work = pcv.GLM("poisson", maxiter=1), ("carb ~ wt", pcv.data.mtcars())
    how: Any = {"folds": pcv.KFold(4, random=1)}
    for call in (
        lambda: pcv.error_curve(slow, *work, grid=[{}], **how),
        lambda: pcv.error_curve(slow, *work, grid=[{}], n_jobs=2, **how),
        lambda: pcv.learning_curve(slow, *work, sizes=[0.5, 0.9], **how),
    ):
        with pytest.warns(PycvstatWarning, match="did not converge") as told:
            call()
        assert len(told) == 1
        assert "fold 1 of 4, fold 2 of 4" in str(told[0].message)
    with pytest.warns(PycvstatWarning, match="did not converge") as told:
        pcv.cross_validate(slow, *work, bias_adjusted=True, **how)
    assert len(told) == 2  # of the folds, and of all rows
