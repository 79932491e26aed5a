"""What boot refuses, and what of its input a user can plausibly get wrong."""

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat import r
from pycvstat.errors import InputError, PycvstatWarning
from pycvstat.r.boot import boot, boot_ci, cv_glm

CARS = pcv.data.mtcars()
FIT = pcv.OLS().fit("mpg ~ wt", CARS)


def resampled(statistic=lambda d, rows: d[rows].mean(), data=(1.0, 2.0, 4.0, 7.0), count=50):
    r.set_seed(1)
    return boot(data, statistic, R=count)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: cv_glm(CARS, FIT, K=33), "K outside allowable range"),
        (lambda: cv_glm(CARS, FIT, K=1), "K outside allowable range"),
        (lambda: cv_glm(CARS, FIT, K="10"), "K outside allowable range"),
        (lambda: cv_glm(CARS, FIT, K=float("nan")), "K outside allowable range"),
        (lambda: cv_glm(CARS, pcv.OLS()), "needs a fitted model"),
        (lambda: cv_glm(CARS[:30], FIT), "not the rows that the model was fitted to"),
        (lambda: cv_glm(CARS.assign(wt=np.nan), FIT), "NA in every row"),
        (lambda: cv_glm(CARS.assign(wt=CARS["wt"].where(CARS["cyl"] > 4)), FIT), "missing"),
        (lambda: cv_glm(CARS.drop(columns="wt"), FIT), "no column 'wt'"),
        (lambda: cv_glm(CARS, FIT, cost="mse"), "cost is a function"),
        (lambda: cv_glm(CARS, FIT, cost=lambda y, p: (y - p) ** 2), "one number"),
        (lambda: cv_glm(CARS, FIT, cost=lambda y: 1.0), "cost failed"),
        (
            lambda: cv_glm(
                pcv.data.iris(), pcv.MNLogit().fit("Species ~ Sepal.Width", pcv.data.iris())
            ),
            "numbers or two classes",
        ),
        (lambda: cv_glm(CARS, FIT, k=10), "no argument 'k'"),
        (lambda: boot([1.0, 2.0], np.mean, R=1), "R is the number of resamples"),
        (lambda: boot([1.0, 2.0], np.mean, R=9.5), "R is the number of resamples"),
        (lambda: boot([1.0, 2.0], "mean", R=9), "statistic is a function"),
        (lambda: boot([], lambda d, i: 1.0, R=9), "no rows"),
        (lambda: boot(5.0, lambda d, i: 1.0, R=9), "no rows"),
        (lambda: boot([1.0, 2.0], lambda d, i: d[i + 1].mean(), R=9), "statistic failed"),
        (lambda: boot([1.0, 2.0], lambda d, i: "a", R=9), "must give a number"),
        (lambda: boot([1.0, 2.0, 3.0], lambda d, i: np.unique(d[i]), R=9), "as many numbers"),
        (lambda: boot_ci(FIT), "needs what boot returns"),
        (lambda: boot_ci(resampled(), type="BCa"), "type must be"),
        (lambda: boot_ci(resampled(), conf=95), "between 0 and 1"),
        (lambda: boot_ci(resampled(), type="perc", index=2), "index counts"),
        (lambda: boot_ci(resampled(), type="perc").bca, "not asked for"),
        (lambda: boot_ci(resampled(lambda d, rows: 1.0), type="perc"), "All values of t are equal"),
        (lambda: boot_ci(resampled(data=np.arange(60.0)), type="bca"), "adjustment 'a' is NA"),
        (
            lambda: boot_ci(resampled(lambda d, rows: -len(set(rows))), type="bca"),
            "adjustment 'w' is infinite",
        ),
        (lambda: boot_ci(resampled(), type="stud", var_t0=1.0, var_t=[1.0]), "var_t is a variance"),
    ],
)
def test_refused(call, says):
    with pytest.raises(InputError, match=says):
        call()


def test_a_changed_k_is_said_as_r_says_it():
    with pytest.warns(PycvstatWarning, match=r"'K' has been set to 11\.000000"):
        assert cv_glm(CARS, FIT, K=10).K == 11


def test_a_fold_that_drew_no_rows_leaves_no_error():
    cars = CARS[:21]
    r.set_seed(1)  # with R 4.2, boot 1.3-28: NaN NaN; with the seed 2 11.11498 11.00018
    with pytest.warns(PycvstatWarning, match="a fold drew no rows"):
        found = cv_glm(cars, pcv.OLS().fit("mpg ~ wt", cars), K=10)
    assert np.isnan(found.delta).all()
    r.set_seed(2)
    found = cv_glm(cars, pcv.OLS().fit("mpg ~ wt", cars), K=10)
    assert found.delta.round(5).tolist() == [11.11498, 11.00018]


def test_all_types_are_without_the_studentised_where_there_is_no_variance():
    with pytest.warns(PycvstatWarning, match="bootstrap variances needed"):
        found = boot_ci(resampled(count=199), conf=0.8)
    assert list(found.intervals) == ["norm", "basic", "perc", "bca"]
    with pytest.warns(PycvstatWarning, match="extreme order statistics"):
        boot_ci(resampled(count=9), type="perc")


def test_data_and_rows_of_the_caller_stay_as_they_are():
    def greedy(data, rows):
        rows[:] = 0
        return data[rows].mean()

    found = resampled(greedy)
    assert found.indices.max() == 3


def test_tables():
    found = resampled(lambda d, rows: [d[rows].mean(), d[rows].var() / 4], count=199)
    assert found.tidy()["term"].tolist() == ["t1*", "t2*"]
    rows = boot_ci(found, conf=[0.8, 0.9]).tidy()
    assert rows["type"].unique().tolist() == ["norm", "basic", "stud", "perc", "bca"]
    assert (rows["conf_low"] < rows["conf_high"]).all()
    assert cv_glm(CARS, FIT).tidy()["estimate"].round(4).tolist() == [10.2507, 10.2249]
