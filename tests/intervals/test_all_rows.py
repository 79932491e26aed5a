"""How an interval relates to the model trained on all rows."""

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError
from pycvstat.intervals.coverage import methods
from pycvstat.intervals.result import AllRows
from pycvstat.losses import Maker

CARS = pcv.data.mtcars()
MPG = "mpg ~ wt + hp"
TENFOLD = pcv.KFold(10, random=1)


@pytest.fixture(scope="module")
def result():
    return pcv.cross_validate(pcv.OLS(), MPG, CARS, folds=TENFOLD)


def test_the_exact_curve_of_least_squares_is_that_of_a_simulation():
    """Two ways: the mean over 4,000 data sets of sigma^2 (1 + x' (X'X)^-1 x)."""
    draw, p = np.random.default_rng(3), 4
    mean = {}
    for m in (15, 30):
        X = np.concatenate([np.ones((4000, m, 1)), draw.normal(size=(4000, m, p))], axis=2)
        inverse = np.linalg.inv(X.transpose(0, 2, 1) @ X)
        mean[m] = 1 + np.trace(inverse, axis1=1, axis2=2)  # over new points, whose covariance is I
    ratio = mean[30].mean() / mean[15].mean()
    error = ratio * np.hypot(*(mean[m].std() / mean[m].mean() / np.sqrt(4000) for m in mean))
    assert Maker(p, exact=True).ratio(15, 30) == pytest.approx(ratio, abs=4 * error)


def test_only_least_squares_on_all_columns_has_an_exact_curve(result):
    known = result.table.maker
    assert known == Maker(2, one_scale=True, exact=True)
    assert Maker(20, exact=True).ratio(20, 30) is None
    weighted = pcv.cross_validate(pcv.WLS(), MPG, CARS, folds=TENFOLD, weights="qsec")
    assert not weighted.table.maker.exact
    several = pcv.tune(pcv.OLS(), "mpg ~ wt", CARS, grid={"formula": ["mpg ~ wt", MPG]},
                       folds=TENFOLD)  # fmt: skip
    assert not several.table.maker.exact
    assert not pcv.cross_validate(pcv.KNN(3), MPG, CARS, folds=TENFOLD).table.maker.one_scale


def test_the_shift_of_least_squares(result):
    found = result.interval()
    used = found.all_rows
    ratio = result.table.maker.ratio(29, 32)
    assert (used.n, used.m) == (32, 29)
    assert used.shift == pytest.approx(found.estimate * (ratio - 1), rel=1e-12)
    assert used.error == pytest.approx(found.std_error * (1 - ratio), rel=1e-12)
    for said in (found.summary(), result.summary()):
        words = " ".join(said.split())
        assert words.count("The model that will be used is trained on all 32 rows") == 1
    assert found.glance()["all_rows"].item() == str(used)


def test_the_shift_of_paired_halves_starts_at_the_size_that_the_interval_names():
    """Most of its fits are to halves, and the interval is about those to all rows."""
    folds = pcv.PairedHalves(random=1)
    halves = pcv.cross_validate(pcv.OLS(), MPG, CARS, folds=folds)
    found = halves.interval()
    assert (found.method, found.target, found.all_rows.m) == ("conservative_z", "ER(29)", 29)
    ratio = halves.table.maker.ratio(29, 32)
    assert found.all_rows.shift == pytest.approx(found.estimate * (ratio - 1), rel=1e-12)


def test_the_shift_of_a_learning_curve(result):
    curve = pcv.learning_curve(pcv.OLS(), MPG, CARS, sizes=[10, 19, 28], folds=TENFOLD)
    used = result.interval(curve=curve).all_rows
    assert (used.shift, used.error) == pytest.approx(curve.shift(29, 32))
    assert "by the learning curve" in str(used)
    slopes = [np.polyfit(1 / curve.sizes, one, 1)[0] for one in curve.test]
    assert used.shift == pytest.approx(np.mean(slopes) * (1 / 32 - 1 / 29), rel=1e-9)
    absolute = pcv.learning_curve(pcv.OLS(), MPG, CARS, sizes=[10, 20], folds=TENFOLD,
                                  loss="absolute")  # fmt: skip
    with pytest.raises(InputError, match="a learning curve is of the mean loss"):
        result.interval(curve=absolute)
    one = pcv.learning_curve(pcv.OLS(), MPG, CARS, sizes=[20], folds=TENFOLD)
    with pytest.raises(InputError, match="no slope"):
        result.interval(curve=one)


@pytest.mark.parametrize("method", ["log_t", "corrected_t", "all_pairs", "bootstrap"])
def test_every_interval_says_how_it_relates_to_the_model_in_use(result, method):
    assert "trained on all 32 rows" in str(result.interval(method).all_rows)


@pytest.mark.filterwarnings("ignore:The inflation of the interval has not settled")
def test_intervals_of_other_kinds_say_so_too(result):
    holdout = pcv.cross_validate(pcv.OLS(), MPG, CARS, folds=pcv.Holdout(0.25, random=1))
    found = holdout.interval()
    assert (found.all_rows.m, found.all_rows.n) == (24, 32)
    assert "8 losses rarely show heavy tails" in found.notes[-1]
    resampled = pcv.cross_validate(pcv.OLS(), MPG, CARS, folds=pcv.Bootstrap(30, random=1))
    assert 17 <= resampled.out_of_bag().all_rows.m <= 23
    scores = pcv.intervals.corrected_t([0.2, 0.3, 0.1, 0.25, 0.15], n_train=80, n_test=20)
    assert (scores.all_rows.m, scores.all_rows.n) == (80, 100)
    both = pcv.compare({"a": pcv.OLS(), "b": pcv.Mean()}, MPG, CARS, folds=TENFOLD)
    assert both.paired("a", "b").interval.all_rows == AllRows(32, 29)
    paired = pcv.cross_validate(pcv.OLS(), MPG, CARS, folds=pcv.NestedPairs(5, 2, random=1))
    assert "the size that this is about" in str(paired.interval(bias="none").all_rows)


def test_the_table_of_methods_has_size_and_power():
    found = methods()
    assert set(found.index) == set(pcv.intervals.METHODS)
    for name in ("pointwise_t", "corrected_t", "holdout_t", "five_by_two_t", "five_by_two_f"):
        row = found.loc[name]
        assert 0 <= row["size_least"] <= row["size_most"] <= row["power_most"]
    assert found["refused"].min() >= 0


def test_a_mean_without_the_largest_tenth():
    data = CARS.assign(mpg=np.where(np.arange(32) == 3, 300.0, CARS["mpg"]))
    told = pcv.cross_validate(pcv.Mean(), MPG, data, folds=pcv.Holdout(0.5, random=2))
    trimmed = told.metric("trimmed_mse").estimate
    squares = np.sort(told.table.losses[:, 0])
    assert trimmed == pytest.approx(squares[:15].mean(), rel=1e-12)
