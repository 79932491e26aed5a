"""Resamples with replacement: caret's and rms's numbers on the same draws, intervals, bad input."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat import r
from pycvstat.errors import FitError, FoldError, InputError, IntervalError, PycvstatWarning
from pycvstat.losses import LossTable
from pycvstat.procedures.setting import read_setting
from tests.rscript import live_r, r_values

CARS = pcv.data.mtcars()
SUMS, LINEAR, ITERATED = 1e-12, 1e-10, 1e-8


def cars(times=20, learner=None, formula="mpg ~ wt + hp", **more):
    folds = pcv.Bootstrap(times, random=1)
    return pcv.cross_validate(learner or pcv.OLS(), formula, CARS, folds=folds, **more)


# R 4.2.2, caret 6.0-93, rms 6.5-0, 10 resamples after set.seed(1) of mpg ~ wt + hp on mtcars
RECORDED = {
    "boot": 2.67927004365, "boot632": 2.60186247565, "optimism_boot": 2.73805608698,
    "MAE": 2.1095428235, "MAE 632": 2.03300216902, "MAE optimism": 2.07751332718,
    "R-square": 0.805535382650, "MSE": 7.337453694155,
}  # fmt: skip
DIGITS = 1e-11  # as printed


def ours(result):
    return {
        "boot": result.metric("rmse", "folds").estimate,
        "boot632": result.boot632("rmse", "folds").estimate,
        "optimism_boot": result.optimism("rmse").estimate,
        "MAE": result.metric("mae", "folds").estimate,
        "MAE 632": result.boot632("mae", "folds").estimate,
        "MAE optimism": result.optimism("mae").estimate,
        "R-square": result.optimism("r2").estimate,
        "MSE": result.optimism().estimate,
    }


def test_carets_and_rmss_numbers_recorded():
    assert ours(cars(10)) == pytest.approx(RECORDED, rel=DIGITS)


LIVE = """
options(warn = -1)
suppressMessages({library(caret); library(rms)})
set.seed(4); rows <- createResample(mtcars$mpg, 15)
got <- train(mpg ~ wt + hp, mtcars, method = "lm",
             trControl = trainControl("boot_all", 15, index = rows))$results
set.seed(4); v <- validate(ols(mpg ~ wt + hp, mtcars, x = TRUE, y = TRUE), B = 15)
out(unlist(got[c("RMSE", "RMSE_632", "RMSE_OptBoot", "MAE", "MAE_632", "MAE_OptBoot")]))
out(v[c("R-square", "MSE"), "index.corrected"])
two <- iris[51:150, ]
two$v <- factor(two$Species == "virginica")
fit <- lrm(v ~ Sepal.Length + Sepal.Width, two, x = TRUE, y = TRUE)
set.seed(4); v <- validate(fit, B = 15)
out(two$Sepal.Length); out(two$Sepal.Width)
out(v[c("Dxy", "B"), "index.corrected"])
"""


@live_r
def test_carets_and_rmss_numbers_live():
    linear, index, length, width, logit = r_values(LIVE)
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt + hp", CARS, folds=pcv.Bootstrap(15, random=4))
    found = list(ours(result).values())
    np.testing.assert_allclose(found[:6], linear, rtol=LINEAR)
    np.testing.assert_allclose(found[6:], index, rtol=LINEAR)
    two = pd.DataFrame({"a": length, "b": width, "v": np.repeat(["no", "yes"], 50)})
    result = pcv.cross_validate(
        pcv.Logit(), "v ~ a + b", two, folds=pcv.Bootstrap(15, random=4), loss="brier"
    )
    ours_ = [2 * result.optimism("auc").estimate - 1, result.optimism().estimate]
    np.testing.assert_allclose(ours_, logit, rtol=ITERATED)


@pytest.mark.parametrize(
    ("learner", "formula"),
    [
        (pcv.OLS(), "mpg ~ wt + hp"),
        (pcv.KNN(3), "mpg ~ ."),
        (pcv.Tuned(pcv.KNN(), {"k": [1, 5]}, inner=3), "mpg ~ wt + hp"),
        (pcv.KNN(5), "factor(cyl) ~ wt + hp"),
    ],
)
def test_left_out_rows_are_those_of_the_plain_run(learner, formula):
    """The engine over the plan itself, and over the plan that tests all rows."""
    folds = pcv.Bootstrap(8, random=3)
    plain = read_setting([learner], formula, CARS, folds, None, {}).run(learner, label="").table
    result = pcv.cross_validate(learner, formula, CARS, folds=folds)
    np.testing.assert_allclose(result.table.losses, plain.losses, rtol=SUMS)
    np.testing.assert_array_equal(result.table.predictions.values, plain.predictions.values)
    assert result.plan.fingerprint == plain.plan.fingerprint
    assert (len(result.details), len(result.everywhere.plan)) == (8, 9)


@pytest.mark.live_r
def test_r_computes_the_same_losses_of_left_out_rows():
    folds = pcv.Bootstrap(8, random=3)
    assert pcv.cross_validate(pcv.OLS(), "mpg ~ wt + hp", CARS, folds=folds).crosscheck()


def test_apparent_and_no_information_errors():
    result = cars(3)
    fit = pcv.OLS().fit("mpg ~ wt + hp", CARS)
    y, p = CARS["mpg"].to_numpy(), fit.predict(CARS)
    assert result.apparent == pytest.approx(np.mean((y - p) ** 2), rel=LINEAR)
    pairs = np.mean((y[:, None] - p) ** 2)
    assert result.no_information == pytest.approx(pairs, rel=LINEAR)
    classes = cars(40, pcv.KNN(1), "factor(am) ~ wt + hp")
    shares = np.bincount(CARS["am"]) / 32
    assert classes.apparent == 0.0
    assert classes.no_information == pytest.approx(shares @ (1 - shares), rel=SUMS)
    found = classes.boot632_plus()
    assert found.details["overfitting"] > 0
    assert found.estimate > classes.boot632().estimate == 0.632 * classes.out_of_bag().estimate


def test_intervals_are_those_of_the_literature():
    result = cars(150)
    bagged, plus = result.out_of_bag(0.9), result.boot632_plus(0.9)
    assert bagged.estimate == pytest.approx(np.mean(result.table.per_row()), rel=SUMS)
    assert plus.std_error / plus.estimate == pytest.approx(bagged.std_error / bagged.estimate)
    assert bagged.low < bagged.estimate < bagged.high
    found = result.optimism(level=0.9)
    losses = result.everywhere.losses[:, 0].reshape(151, 32)
    own = [of[train].mean() for of, (train, _) in zip(losses, result.plan, strict=False)]
    limits = np.quantile(own, [0.05, 0.95]) - found.details["optimism"]
    np.testing.assert_allclose([found.low, found.high], limits, rtol=SUMS)
    assert result.interval("auto").estimate == result.interval("out_of_bag").estimate
    assert result.interval(metric="rmse").method == "optimism"
    assert "efron1997" in bagged.cite()
    assert "noma2021" in found.cite()


def test_where_none_is_valid_there_is_none_and_it_is_said():
    result = cars(20)
    for found in (result.boot632(), result.boot632("rmse"), result.optimism()):
        assert found.without
        assert np.isnan([found.low, found.high, found.std_error]).all()
        assert found.notes
        assert "no limits" in repr(found)
        assert "no interval" in found.summary()
    with pytest.raises(IntervalError, match="corrected_t is not legal here"):
        result.interval("corrected_t")
    with pytest.raises(IntervalError, match=r"out_of_bag\(\), boot632_plus\(\) or optimism"):
        pcv.intervals.interval(result.table)


def test_every_table_has_the_interval():
    result = cars(30)
    assert result.glance()["method"].item() == "out_of_bag"
    assert result.tidy("bootstrap")["method"].tolist() == [
        "out_of_bag", ".632", ".632+", "optimism",
    ]  # fmt: skip
    compared = pcv.compare(
        {"ols": pcv.OLS(), "mean": pcv.Mean()}, "mpg ~ wt + hp", CARS,
        folds=pcv.Bootstrap(30, random=1),
    )  # fmt: skip
    assert compared["ols"].optimism().estimate == result.optimism().estimate
    assert compared.tidy()["interval"].tolist() == ["out_of_bag"] * 2


def test_of_rsamples_resamples_too(tmp_path):
    r.set_seed(1)
    result = pcv.cross_validate(
        pcv.OLS(), "mpg ~ wt + hp", CARS, folds=r.rsample.bootstraps(CARS, times=10)
    )
    assert ours(result) == pytest.approx(RECORDED, rel=DIGITS)
    again = pcv.load(result.save(tmp_path / "result.npz"))
    assert ours(again) == ours(result)
    assert isinstance(again.everywhere, LossTable)


def test_resamples_without_a_class_are_named():
    data = {"x": np.arange(20.0), "y": ["a"] * 18 + ["b"] * 2}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", PycvstatWarning)
        result = pcv.cross_validate(
            pcv.KNN(3), "y ~ x", data, folds=pcv.Bootstrap(20, random=2), loss="brier"
        )
        assert result.out_of_bag().estimate > 0
    text = str(said[0].message)
    assert re.search(r"\d of 20 resamples have no row of 'b'", text)
    assert "first resample" in text
    with pytest.raises(IntervalError, match="auc is not defined in every resample"):
        result.optimism("auc")


def test_fits_are_named_by_their_resample():
    class Fails:
        def fit(self, X, y):
            if len(np.unique(X)) < len(X):
                raise ValueError("rows twice")

        def predict(self, X):
            return np.zeros(len(X))

    data = {"x": np.arange(12.0), "y": np.arange(12.0)}
    with pytest.raises(FitError, match="resample 1"):
        pcv.cross_validate(Fails(), "y ~ x", data, folds=pcv.Bootstrap(3, random=1))
    with pytest.warns(PycvstatWarning, match="3 fits failed"):
        result = pcv.cross_validate(
            Fails(), "y ~ x", data, folds=pcv.Bootstrap(3, random=1), on_error="warn"
        )
    with pytest.raises(IntervalError, match="3 of 3 resamples"):
        result.out_of_bag()


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: pcv.Bootstrap(1), FoldError, "resamples B must be an integer >= 2"),
        (lambda: cars(5).boot632(averaging="pooled"), InputError, "averaging"),
        (lambda: cars(5).boot632("nonsense"), InputError, "no metric called"),
        (lambda: cars(5).optimism(level=2), InputError, "level"),
        (lambda: cars(5, bias_adjusted=True), FoldError, "needs a partition"),
        (lambda: cars(5, loss_weights="qsec"), InputError, "resamples are not weighted"),
    ],
)
def test_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_a_cut_is_told_of_the_interval_that_was_cut():
    rare = CARS.assign(rare=["yes"] * 2 + ["no"] * 30)
    with pytest.warns(PycvstatWarning, match="no row of 'yes'"):
        result = pcv.cross_validate(
            pcv.KNN(3), "rare ~ wt", rare, folds=pcv.Bootstrap(50, random=1)
        )
    for found in (result.out_of_bag(), result.boot632_plus()):
        assert found.clipped
        assert sum("cut at 0" in note for note in found.notes) == 1


@pytest.mark.parametrize("called", [("0", "1"), ("no", "yes")])
def test_a_class_is_named_by_its_label(called):
    """The class called 1 is the second: all rows and rows left out are of the same class."""
    frame = CARS.assign(am=[called[int(a)] for a in CARS["am"]])
    folds = pcv.Bootstrap(20, random=2)
    result = pcv.cross_validate(pcv.Logit(), "factor(am) ~ qsec", frame, folds=folds)
    metric = f"sensitivity({called[1]})"
    for method in (result.boot632, result.optimism):
        named, second = method(metric), method("sensitivity")
        assert named.metric == metric
        assert (named.estimate, named.details) == (second.estimate, second.details)


def test_estimands_of_metrics_are_called_by_their_names():
    result = pcv.cross_validate(
        pcv.Logit(), "factor(am) ~ qsec", CARS, folds=pcv.Bootstrap(20, random=2)
    )
    assert result.boot632("auc").estimand.startswith("expected AUC of the learner trained on 32")
    assert result.optimism("auc").estimand.startswith("AUC of the model trained on these 32 rows")
    assert result.optimism().estimand.startswith("risk of the model trained on these 32 rows")


def test_one_side_of_the_leave_one_out_bootstrap():
    result = cars(20)
    both = result.interval()
    upper, lower = (result.interval(side=side, level=0.975) for side in ("upper", "lower"))
    assert upper.method == "out_of_bag"
    assert (upper.low, upper.high) == (0, pytest.approx(both.high, rel=SUMS))
    assert (lower.low, lower.high) == (pytest.approx(both.low, rel=SUMS), np.inf)
    assert (upper.side, upper.clipped) == ("upper", False)
