"""Sizes at the edges of double precision, and far from zero: right or refused."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import FitError, PycvstatError
from tests.faults.test_numerics import LINEAR, cars


def exact_neighbours(train: Any, new: Any, k: int) -> list[list[int]]:
    """The rows of the k smallest exact distances, smallest row first among equals."""
    rows = [[Fraction(float(v)) for v in row] for row in train]
    found = []
    for point in new:
        at = [Fraction(float(v)) for v in point]
        distance = [sum((a - b) ** 2 for a, b in zip(r, at, strict=True)) for r in rows]
        found.append(sorted(sorted(range(len(rows)), key=lambda i: (distance[i], i))[:k]))
    return found


@pytest.mark.parametrize("scale", [2.0**-400, 2.0**-200, 1.0, 2.0**200, 2.0**400])
@pytest.mark.parametrize("standardise", [True, False])
def test_neighbours_of_huge_and_tiny_columns(scale: float, standardise: bool) -> None:
    """A power of 2 changes no neighbour while squares stay in range; the right ones beyond it."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    learner = pcv.KNN(k=3, kernel="rectangular", scale=standardise)
    folds = pcv.KFold(5, random=1)
    base = pcv.cross_validate(learner, X=X, y=y, folds=folds)
    again = pcv.cross_validate(learner, X=X * scale, y=y, folds=folds)
    np.testing.assert_array_equal(again.table.losses, base.table.losses)
    if not standardise:
        expected = []
        for train, test in base.plan:
            for row, near in zip(test, exact_neighbours(X[train], X[test], 3), strict=True):
                expected.append((y[row] - y[train][near].mean()) ** 2)
        np.testing.assert_allclose(base.table.losses[:, 0], expected, rtol=1e-12)


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-200, 1e200, 1e307])
def test_neighbours_beyond_the_range_of_squares_are_right_or_refused(scale: float) -> None:
    """Squares of such distances underflow to equal zeros, or overflow: never a silent tie."""
    X = np.array([[1.0], [2.0], [4.0], [7.0], [11.0], [16.0]]) * scale
    y = np.arange(6.0)
    for standardise in (True, False):
        learner = pcv.KNN(k=1, kernel="rectangular", scale=standardise)
        try:
            found = pcv.cross_validate(learner, X=X, y=y, folds=pcv.LeaveOneOut())
        except PycvstatError:
            continue
        assert found.table.losses[:, 0].tolist() == [1.0] * 6, f"{scale:g} {standardise}"


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e-141, 1e141, 1e200])
def test_columns_without_squares_are_right_or_refused(size: float) -> None:
    """A predictor's unit changes nothing; where its squares are needed and lost, it is refused."""
    data = cars()
    tiny = data.assign(a=data["a"] * size)
    folds = pcv.KFold(4, random=1)
    for learner in (pcv.Ridge(0.1), pcv.Lasso(0.1), pcv.ElasticNet(0.1), pcv.QuantReg()):
        with pytest.raises(FitError, match="squares leave the range of numbers") as caught:
            pcv.cross_validate(learner, "y ~ .", tiny, folds=folds)
        assert "fold 1 of 4" in caught.value.problem
    if size > 1e-300:  # a denormal number has lost digits
        for learner in (pcv.OLS(), pcv.GLM(), pcv.RLM()):
            base = pcv.cross_validate(learner, "y ~ .", data, folds=folds).table.losses
            again = pcv.cross_validate(learner, "y ~ .", tiny, folds=folds).table.losses
            np.testing.assert_allclose(again, base, rtol=1e-8)


@pytest.mark.parametrize("size", [1e-310, 1e160, 1e300])
def test_fits_that_leave_the_range_of_numbers_are_refused(size: float) -> None:
    data = cars().assign(y=lambda d: d["y"] * size)
    for learner in (pcv.OLS(), pcv.Mean(), pcv.KNN(k=2)):
        if size > 1e150:
            with pytest.raises(PycvstatError, match=r"range of numbers|not finite"):
                pcv.cross_validate(learner, "y ~ .", data, folds=pcv.KFold(4, random=1))
        found = pcv.cross_validate(
            learner, "y ~ .", data, folds=pcv.KFold(4, random=1), loss="absolute"
        )
        plain = pcv.cross_validate(
            learner, "y ~ .", cars(), folds=pcv.KFold(4, random=1), loss="absolute"
        )
        assert found.estimate / size == pytest.approx(plain.estimate, rel=1e-9)


GRID = np.round(np.random.default_rng(3).normal(size=(40, 2)) * 1024) / 1024  # shifts are exact


@pytest.mark.parametrize("folds", [pcv.KFold(4, random=1), pcv.LeaveOneOut()], ids=repr)
@pytest.mark.parametrize("learner", [pcv.Ridge(lam=0.1), pcv.Ridge(lam=0.1, standardize=False),
                                     pcv.Lasso(lam=0.05), pcv.ElasticNet(lam=0.1, alpha=0.5)],
                         ids=repr)  # fmt: skip
def test_penalised_slopes_far_from_zero(learner: Any, folds: Any) -> None:
    """The means of shifted columns are no numbers: what is left of them is taken out again."""
    data = pd.DataFrame(GRID, columns=["a", "b"]).assign(y=lambda d: np.sin(3 * d["a"]) + d["b"])
    base = pcv.cross_validate(learner, "y ~ .", data, folds=folds).table.losses
    for shift in (2.0**20, 2.0**40):
        far = data.assign(a=data["a"] + shift)
        again = pcv.cross_validate(learner, "y ~ .", far, folds=folds).table.losses
        np.testing.assert_allclose(again, base, rtol=1e-7, atol=1e-9)  # coordinate descent
        fitted = learner.fit("y ~ .", far).predict(far)
        np.testing.assert_allclose(fitted, learner.fit("y ~ .", data).predict(data), rtol=1e-7)


@pytest.mark.parametrize("power", [-20, -36, -38, -60, -100])
def test_regression_quantiles_of_tiny_columns(power: int) -> None:
    """R's rq gives columns of 1e-11 the coefficient 0."""
    data = cars()
    for learner in (pcv.QuantReg(), pcv.QuantReg(0.8)):
        base = learner.fit("y ~ .", data).tidy()["estimate"]
        tiny = data.assign(a=np.ldexp(data["a"], power))
        again = learner.fit("y ~ .", tiny).tidy()["estimate"]
        np.testing.assert_allclose(again * [1.0, 2.0**power, 1.0], base, rtol=LINEAR)


@pytest.mark.parametrize("factor", [4.0**-500, 4.0**500])
def test_penalised_fits_know_only_ratios_of_weights(factor: float) -> None:
    data, weights = cars(), np.tile([1.0, 2.0, 0.5, 0.0], 6)
    for learner in (pcv.Ridge(lam=0.1), pcv.Lasso(lam=0.1)):
        for folds in (pcv.KFold(4, random=1), pcv.Predefined([1, 2, 3] * 8)):
            one, other = (
                pcv.cross_validate(learner, "y ~ .", data, folds=folds, weights=w).table.losses
                for w in (weights, weights * factor)
            )
            assert one.tolist() == other.tolist()
        largest = np.full(24, np.finfo(np.float64).max)
        assert learner.fit("y ~ .", data, weights=largest).predict(data) == pytest.approx(
            learner.fit("y ~ .", data).predict(data), rel=LINEAR
        )


EDGE = [
    pcv.OLS(), pcv.Ridge(), pcv.Lasso(lam=0.1), pcv.RLM(), pcv.QuantReg(), pcv.GLM(),
    pcv.GLM(link="inverse"), pcv.GLM("gamma"), pcv.GLM("poisson"),
]  # fmt: skip


@pytest.mark.parametrize("folds", [pcv.KFold(4, random=1), pcv.LeaveOneOut()], ids=repr)
@pytest.mark.parametrize("learner", EDGE, ids=repr)
def test_sums_beyond_the_largest_number_are_refused(learner: Any, folds: Any) -> None:
    """Each response is a number, their sum is none (R: lm() gives NaN, glm() stops)."""
    top = np.finfo(np.float64).max
    data = cars().assign(y=lambda d: top * (0.5 + 0.5 / (1 + d["y"] ** 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(PycvstatError, match=r"range|not finite|valid|broke down"):
            pcv.cross_validate(learner, "y ~ .", data, folds=folds)


def test_predictions_that_are_not_numbers_are_refused() -> None:
    tiny = {"x": np.array([1.0, 2.0, 3.0, 5.0, 9.0]) * 5e-324, "y": [1.0, 3.0, 2.0, 4.0, 2.0]}
    with pytest.raises(FitError, match="not finite"):  # R: NaN
        pcv.OLS().fit("y ~ x", tiny)


def test_standard_errors_of_tiny_and_huge_columns() -> None:
    """A power of 2 in a column changes its row of the table by that power, and nothing else."""
    data = cars()
    base = pcv.OLS().fit("y ~ .", data).tidy()
    for power in (-1000, -600, 600, 1000):
        again = pcv.OLS().fit("y ~ .", data.assign(a=np.ldexp(data["a"], power))).tidy()
        np.testing.assert_allclose(again["statistic"], base["statistic"], rtol=LINEAR)
        np.testing.assert_allclose(
            np.ldexp(again["std_error"][1], power), base["std_error"][1], rtol=LINEAR
        )


@pytest.mark.parametrize("losses", [[1e308, 1e308], [0.0, 1e308], [1e308, -1e308], [1e200, 1e201]])
def test_intervals_of_losses_beyond_the_range_of_squares_are_refused(losses: list[float]) -> None:
    with pytest.raises(PycvstatError, match="range of numbers"):
        pcv.from_losses(losses, [1, 2]).interval()
