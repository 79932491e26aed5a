"""What cannot give an interval says so, and what to do."""

from dataclasses import replace

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError, IntervalError, LossError, PycvstatWarning
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals import (
    corrected_t,
    dev_size_needed,
    excess_risk_bound,
    hoeffding_radius,
    interval,
    legal_methods,
)
from pycvstat.losses import LossTable, Predictions
from tests.intervals.shared_losses import GRID, LOSSES, N, one_split, pairs_table, partition


@pytest.mark.parametrize("level", [0, 1, -0.1, 95, 1.5, np.nan, True, "0.95", None])
def test_level(level):
    with pytest.raises(InputError, match="confidence level must lie between 0 and 1"):
        interval(partition(LOSSES), level=level)
    with pytest.raises(InputError, match="confidence level"):
        corrected_t([1.0, 2.0], 9, 1, level)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_losses_that_are_not_finite(bad):
    losses = LOSSES.copy()
    losses[3] = bad
    with pytest.raises(IntervalError, match="1 of 7 fits have losses that are NaN") as refused:
        interval(partition(losses))
    assert refused.value.given == "fit 4"


def test_no_variance():
    for method in ("corrected_t", "all_pairs", "within_fold", "bootstrap", "cluster"):
        with pytest.raises(IntervalError, match="do not vary"):
            interval(partition(np.full(N, 0.1)), method)
    with pytest.raises(IntervalError, match="do not vary") as refused:
        interval(one_split(np.zeros(20)), "holdout_z")
    assert "wilson" in refused.value.fix
    with pytest.raises(IntervalError, match="do not vary"):
        corrected_t([0.3, 0.1 + 0.2, 0.3], 20, 10)  # equal but for rounding


def test_one_fold():
    with pytest.raises(IntervalError, match="one fold has no variance"):
        corrected_t([0.2], 90, 10)
    with pytest.raises(IntervalError, match="one fit has no variance between fits") as refused:
        interval(one_split(LOSSES), "corrected_t")
    assert "holdout_t" in refused.value.fix


def test_heavy_tails():
    losses = np.abs(np.random.default_rng(1).standard_cauchy(N))
    with pytest.warns(PycvstatWarning, match=r"heavy tails \(mean cube of \d"):
        interval(partition(losses))
    with pytest.warns(PycvstatWarning, match="heavy tails"):
        interval(partition(losses), "all_pairs")


@pytest.mark.parametrize(
    ("loss", "advice"),
    [
        ("squared", "loss='absolute' is another quantity with lighter tails"),
        ("log", "loss='brier' is another quantity with lighter tails"),
        ("absolute", "look at the rows with the largest losses"),
        ("mine", "look at the rows with the largest losses"),
    ],
)
def test_advice_for_heavy_tails_is_a_loss_that_the_response_has(loss, advice):
    losses = np.exp(3 * np.random.default_rng(1).normal(size=500))
    with pytest.warns(PycvstatWarning, match="heavy tails") as caught:
        interval(replace(one_split(losses), loss=loss))
    assert advice in str(caught[0].message)


def test_squared_normal_errors_are_not_heavy():
    import warnings

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for seed in range(200):
            losses = np.random.default_rng(seed).normal(size=N) ** 2
            interval(partition(losses))
        assert 2 <= len(said) <= 20  # 5 % of them, within 3 standard errors
        said.clear()
        interval(one_split(np.repeat([0.0, 1.0], [500, 3])))  # rare errors are not heavy tails
        assert not said


def test_scores():
    with pytest.raises(InputError, match="one per fit"):
        corrected_t(["a", "b"], 9, 1)
    with pytest.raises(InputError, match="one-dimensional") as refused:
        corrected_t(np.ones((2, 5)), 9, 1)
    assert "ravel" in refused.value.fix
    with pytest.raises(InputError, match="finite"):
        corrected_t([0.1, np.nan], 9, 1)
    for size in (0, -3, 2.5, np.nan, "x", [1, 2, 3]):
        with pytest.raises(InputError, match="n_train"):
            corrected_t([0.1, 0.2], size, 1)
        with pytest.raises(InputError, match="n_test"):
            corrected_t([0.1, 0.2], 9, size)


def gini(y, prediction):
    return {}["no such key"]


def test_a_metric_that_fails_names_the_fold():
    table = replace(partition(LOSSES), y=LOSSES, predictions=Predictions(LOSSES[None, :]))
    with pytest.raises(LossError, match="metric gini must return one number") as refused:
        interval(table, metric=gini)
    assert refused.value.given == "in fold 1 KeyError: 'no such key'"


def test_names_and_options():
    with pytest.raises(IntervalError) as refused:
        interval(partition(LOSSES), "corected_t")
    assert refused.value.fix == "did you mean 'corrected_t'?"
    with pytest.raises(IntervalError, match="no interval method 'nested_cv'"):
        interval(partition(LOSSES), "nested_cv")
    with pytest.raises(InputError, match="method must be a name"):
        interval(partition(LOSSES), 3)
    with pytest.raises(InputError, match="log_t has no option 'bounds'"):
        interval(partition(LOSSES), bounds=(0, 1))
    with pytest.raises(InputError, match="did you mean 'draws'"):
        interval(partition(LOSSES), "bootstrap", draw=100)
    with pytest.raises(InputError, match="at least 100 draws"):
        interval(partition(LOSSES), "bootstrap", draws=99)
    with pytest.raises(InputError, match="bias must be"):
        interval(pairs_table(), "ncv", bias=np.zeros(2))
    with pytest.raises(InputError, match="bias must be"):
        interval(pairs_table(), "ncv", bias="both")
    with pytest.raises(LossError, match="gini needs predictions"):
        interval(partition(LOSSES), metric=gini)
    with pytest.raises(LossError, match="did you mean 'rmse'"):
        interval(partition(LOSSES), metric="rmsee")


def test_bounds():
    with pytest.raises(IntervalError, match="needs a bounded loss") as refused:
        interval(one_split(LOSSES), "hoeffding")
    assert "bounds=(lo, hi)" in refused.value.fix
    with pytest.raises(IntervalError, match="losses lie outside the bounds"):
        interval(one_split(LOSSES), "hoeffding", bounds=(0, 1))
    with pytest.raises(IntervalError, match="losses lie outside the bounds"):
        interval(one_split(GRID), "dev_set", bounds=(0, 0.5))
    for bounds in ((1, 0), (0, np.inf), (0, 0), 3, "ab", (0, 1, 2)):
        with pytest.raises(InputError, match="bounds must be"):
            interval(one_split(LOSSES), "hoeffding", bounds=bounds)


def test_finite_class():
    for m, delta, size in ((0, 0.05, 3), (10, 0, 3), (10, 1, 3), (10, 0.05, 0), (2.5, 0.05, 1),
                           ("a", 0.05, 1), (10, "a", 1), (10, 0.05, np.nan)):  # fmt: skip
        with pytest.raises(InputError):
            hoeffding_radius(m, delta, size)
        with pytest.raises(InputError):
            excess_risk_bound(m, delta, size)
    for excess in (0, -1, np.nan, np.inf, "a"):
        with pytest.raises(InputError, match="excess risk must be positive"):
            dev_size_needed(excess, 0.05, 3)


def test_ncv_that_has_not_settled():
    with pytest.warns(PycvstatWarning, match=r"has not settled.*after 4 repetitions"):
        interval(pairs_table(repeats=4))
    with pytest.warns(PycvstatWarning, match="from a single repetition"):
        interval(pairs_table(repeats=1))
    with pytest.raises(IntervalError, match="at least 2 rows"):
        interval(pairs_table(n=5, folds=5))


def test_one_group_and_one_row_folds():
    losses = LOSSES[:6, None]
    plan = FoldPlan.from_fold_ids([1, 1, 2, 2, 3, 3], groups=np.zeros(6))
    with pytest.raises(IntervalError, match="at least two groups"):
        interval(LossTable(plan, losses), "cluster")
    uneven = FoldPlan.from_fold_ids([1, 1, 2, 2, 2, 3])
    with pytest.raises(IntervalError, match="at least 2 test rows in every fold"):
        interval(LossTable(uneven, losses), "within_fold")


def test_rmse_of_other_losses():
    with pytest.raises(LossError, match="rmse is a function of the squared loss"):
        interval(partition(LOSSES, loss="absolute"), metric="rmse")
    with pytest.raises(LossError, match="predictions"):
        interval(partition(LOSSES, loss="squared"), metric="r2")
    with pytest.raises(IntervalError, match="this table holds losses only"):
        interval(partition(LOSSES), "cv_auc")


def test_the_auc_of_a_fold_of_one_class_is_refused():
    data = pcv.data.labels(40)
    ids = np.arange(40) % 3 + 1
    ids[data["y"].to_numpy().argsort(kind="stable")[-2:]] = 4  # two rows of the last class
    result = pcv.cross_validate(pcv.Logit(), "y ~ x1 + x2", data, folds=ids, loss="log")
    with pytest.raises(IntervalError, match=r"(?s)needs both classes.*2 rows of one class"):
        result.interval("cv_auc")


@pytest.mark.parametrize("losses", [LOSSES, [1.0, 2.0], pcv.data.mtcars()])
def test_losses_without_folds_are_no_table(losses):
    for call in (interval, legal_methods):
        with pytest.raises(InputError, match=r"(?s)table of losses, with its folds.*from_losses"):
            call(losses)
