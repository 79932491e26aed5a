"""Weights of losses: in the means of folds and rows, in intervals, in the choice of candidates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import pycvstat as pcv
from pycvstat.errors import DataError, InputError, IntervalError
from pycvstat.losses import LossTable

SAME = 1e-12  # the same numbers summed in another order
RNG = np.random.default_rng(12)
N = 60
X = RNG.normal(size=N)
DATA = {
    "x": X, "y": X + RNG.normal(size=N), "w": RNG.gamma(2.0, size=N), "one": np.ones(N),
    "trials": RNG.integers(1, 20, N),
}  # fmt: skip
DATA["share"] = RNG.binomial(DATA["trials"], 1 / (1 + np.exp(-X))) / DATA["trials"]
FOLDS = pcv.KFold(7, random=1)
HOLDOUT = pcv.Holdout(0.5, random=1)


def cv(**more):
    return pcv.cross_validate(pcv.OLS(), "y ~ x", DATA, folds=FOLDS, **more)


def parts(result, weights):
    plan, losses = result.plan, result.table.losses[:, 0]
    w = np.asarray(weights)[plan.rows]
    fit = np.repeat(np.arange(len(plan)), plan.n_test)
    return losses, w, fit


def test_means_of_folds_and_rows_are_weighted():
    found = cv(loss_weights="w")
    losses, w, fit = parts(found, DATA["w"])
    by_fold = [np.average(losses[fit == k], weights=w[fit == k]) for k in range(7)]
    np.testing.assert_allclose(found.fold_errors, by_fold, rtol=SAME)
    assert found.estimate == pytest.approx(np.mean(by_fold), rel=SAME)
    assert found.pooled == pytest.approx(np.average(losses, weights=w), rel=SAME)
    np.testing.assert_array_equal(found.table.losses, cv().table.losses)  # the fits have none


def test_equal_weights_change_nothing():
    found, plain = cv(loss_weights="one"), cv()
    assert found.estimate == plain.estimate
    assert found.pooled == plain.pooled
    for method in ("corrected_t", "all_pairs", "within_fold", "bootstrap"):
        one, other = found.interval(method), plain.interval(method)
        np.testing.assert_allclose([one.low, one.high], [other.low, other.high], rtol=1e-9)
    twice = pcv.Repeated(pcv.KFold(7), 2, random=1)
    found, plain = (
        pcv.cross_validate(pcv.KNN(2), "y ~ x", DATA, folds=twice, loss_weights=w).interval()
        for w in ("one", None)
    )
    assert found.method == plain.method == "log_t"
    assert found.details["ratio"] == pytest.approx(plain.details["ratio"], rel=SAME)
    assert found.details["ratio"] > 1.05 / 6  # repetitions differ, row by row
    assert found.notes == ("weights in the losses",)


def test_metrics_of_weighted_fold_means_are_refused():
    """A metric has no weights, and of means that have them it cannot be had."""
    asked = {"grid": {"lam": [0.0]}, "folds": FOLDS, "loss_weights": "w"}
    rows, means = (
        pcv.tune(pcv.Ridge(), "y ~ x", DATA, keep=keep, **asked) for keep in ("all", "fold_means")
    )
    assert rows.interval(metric="rmse").estimate == pytest.approx(
        np.sqrt(cv().pooled), rel=SAME
    )  # least squares
    with pytest.raises(IntervalError, match="only fold means were kept"):
        means.interval(metric="rmse")


def test_the_interval_of_a_ratio_of_means():
    found = cv(loss_weights="w")
    losses, w, _ = parts(found, DATA["w"])
    ratio = np.average(losses, weights=w)
    interval = found.interval("all_pairs")
    assert interval.estimate == pytest.approx(ratio, rel=SAME)
    error = np.sqrt((w**2 * (losses - ratio) ** 2).sum()) / w.sum()
    assert interval.std_error == pytest.approx(error, rel=SAME)
    usual = found.interval()
    assert usual.method == "log_t"
    assert usual.estimate == found.estimate
    assert usual.std_error == pytest.approx(found.fold_errors.std(ddof=1) * np.sqrt(1 / 7 + 1 / 5))


@pytest.mark.parametrize(("folds", "method"), [(FOLDS, "cluster"), (HOLDOUT, "holdout_t")])
def test_the_scale_of_limits_is_that_of_the_loss_whatever_the_weights(folds, method):
    """Losses linearised for weights may lie below 0; the limits are of their mean, which does not.

    Shown by a smooth path of weights: the width has no jump where the first of them goes below 0.
    """
    widths, below = [], []
    for power in np.linspace(0.0, 3.0, 31):
        data = DATA | {"w": DATA["w"] ** power}
        result = pcv.cross_validate(pcv.OLS(), "y ~ x", data, folds=folds, loss_weights="w")
        below.append(bool(result.table.linearised().losses.min() < 0))
        found = result.interval(method)
        assert found.log
        assert 0 < found.low < found.estimate
        widths.append(found.width / found.estimate)
    assert below[0] is False
    assert below[-1] is True
    steps = np.abs(np.diff(widths))
    assert steps.max() < 5 * np.median(steps)


def test_what_weights_did_is_said():
    both = pcv.cross_validate(pcv.WLS(), "y ~ x", DATA, folds=FOLDS, weights="w", loss_weights=True)
    assert both.glance()["weights"].item() == "in the fits and in the losses"
    assert "in the fits and in the losses" in " ".join(both.summary().split())
    assert "weights in the fits and in the losses" in both.interval().notes
    fits = pcv.cross_validate(pcv.WLS(), "y ~ x", DATA, folds=FOLDS, weights="w")
    assert "in the fits, not in the losses" in " ".join(fits.summary().split())
    assert cv(loss_weights="w").glance()["weights"].item() == "in the losses"
    np.testing.assert_array_equal(both.table.losses, fits.table.losses)
    metric = both.interval(metric="mae")
    assert "weights in the fits and in the losses, not in the mean absolute error" in metric.notes
    with pytest.raises(pcv.errors.RError, match="does not weigh losses"):
        both.to_r("script.R")


def test_pairs_are_weighted():
    both = pcv.compare({"ols": pcv.OLS(), "mean": pcv.Mean()}, "y ~ x", DATA, folds=FOLDS,
                       loss_weights="w")  # fmt: skip
    pair = both.paired("ols", "mean")
    assert pair.difference == pytest.approx(both.estimate["ols"] - both.estimate["mean"], rel=SAME)


@pytest.mark.parametrize("keep", ["all", "fold_means"])
def test_candidates_are_chosen_by_weighted_means(keep):
    grid = {"k": [1, 3, 9, 25]}
    found = pcv.tune(pcv.KNN(), "y ~ x", DATA, grid=grid, folds=FOLDS, loss_weights="w", keep=keep)
    alone = [
        pcv.cross_validate(pcv.KNN(k), "y ~ x", DATA, folds=FOLDS, loss_weights="w")
        for k in grid["k"]
    ]
    np.testing.assert_allclose(found.means.estimate(), [r.estimate for r in alone], rtol=SAME)
    np.testing.assert_allclose(found.means.pooled(), [r.pooled for r in alone], rtol=SAME)


def test_tuning_inside_every_fit_is_weighted():
    grid = {"k": [1, 3, 9, 25]}
    found = pcv.nested_cv(
        pcv.KNN(), "y ~ x", DATA, grid=grid, outer=FOLDS, inner=pcv.KFold(4), loss_weights="w"
    )
    part = pcv.tune(
        pcv.KNN(), data=found.task.take(found.plan.train_rows(2)), grid=grid,
        folds=found.inner_plans[2],
    )  # fmt: skip
    np.testing.assert_allclose(found.inner_curves[2], part.means.estimate(), rtol=SAME)
    plain = pcv.nested_cv(pcv.KNN(), "y ~ x", DATA, grid=grid, outer=FOLDS, inner=pcv.KFold(4))
    assert not np.allclose(found.inner_curves, plain.inner_curves)


def test_the_log_loss_of_grouped_binomials_is_that_of_their_trials():
    """A row of shares with its trials as weights counts as that many rows of 0 and 1."""
    plan = pcv.FoldPlan.from_fold_ids(np.arange(N) % 3)
    grouped = pcv.cross_validate(
        pcv.GLM("binomial"), "share ~ x", DATA, folds=plan, weights="trials", loss_weights=True,
        loss="log",
    )  # fmt: skip
    hits = np.round(DATA["share"] * DATA["trials"]).astype(int)
    rows = np.repeat(np.arange(N), DATA["trials"])
    y = np.concatenate(
        [[1.0] * h + [0.0] * (t - h) for h, t in zip(hits, DATA["trials"], strict=True)]
    )
    single = pcv.cross_validate(
        pcv.GLM("binomial"), "y ~ x", {"x": X[rows], "y": y},
        folds=pcv.FoldPlan.from_fold_ids(rows % 3), loss="log",
    )  # fmt: skip
    assert grouped.pooled == pytest.approx(single.pooled, rel=1e-8)  # coefficients of two fits
    assert grouped.estimate == pytest.approx(single.estimate, rel=1e-8)
    assert grouped.metric("brier", "pooled").estimate > 0


@given(
    st.lists(st.integers(0, 3), min_size=8, max_size=20).filter(
        lambda w: sum(w[::2]) * sum(w[1::2])
    )
)
def test_whole_weights_are_rows_that_often(weights):
    weights = np.array(weights, dtype=float)
    n, losses = len(weights), np.arange(len(weights), dtype=float)[:, None] ** 2
    plan = pcv.FoldPlan.from_fold_ids(np.arange(n) % 2)
    table = LossTable(plan, losses[plan.rows], weights=weights)
    often = np.repeat(np.arange(n), weights.astype(int))
    copies = pcv.FoldPlan.from_fold_ids(often % 2)
    again = LossTable(copies, losses[often][copies.rows])
    np.testing.assert_allclose(table.fold_means(), again.fold_means(), rtol=SAME)
    np.testing.assert_allclose(table.pooled(), again.pooled(), rtol=SAME)
    np.testing.assert_allclose(table.linearised().losses.mean(), table.pooled()[0], rtol=1e-9)


def test_what_is_refused():
    with pytest.raises(InputError, match="these have no weights"):
        cv(loss_weights=True)
    with pytest.raises(DataError, match="not in the data"):
        cv(loss_weights="v")
    zero = DATA | {"w": (np.arange(N) >= 30) * 1.0}
    with pytest.raises(DataError, match="a fold has only rows whose losses weigh nothing"):
        pcv.cross_validate(pcv.OLS(), "y ~ x", zero, folds=pcv.Blocks(4), loss_weights="w")
    with pytest.warns(pcv.errors.PycvstatWarning, match="folds of a single row"):
        pcv.cross_validate(pcv.OLS(), "y ~ x", DATA, folds=pcv.LeaveOneOut(), loss_weights="w")
    with pytest.raises(InputError, match="an error curve averages losses"):
        pcv.error_curve(pcv.KNN(), "y ~ x", DATA, grid={"k": [1]}, folds=5, loss_weights="w")
    with pytest.raises(InputError, match="the bias adjustment averages losses"):
        cv(loss_weights="w", bias_adjusted=True)
    classes = DATA | {"c": np.where(DATA["y"] > 0, "a", "b")}
    held = pcv.cross_validate(
        pcv.KNN(5), "c ~ x", classes, folds=pcv.Holdout(0.4, random=1), loss_weights="w"
    )
    assert held.interval().method == "holdout_t"
    with pytest.raises(IntervalError, match="the losses have weights"):
        held.interval("wilson")
