"""What intervals say about themselves, and from where on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError, IntervalError, PycvstatWarning
from pycvstat.folds import FoldPlan
from pycvstat.intervals import interval
from pycvstat.intervals.bootstrap import bootstrap_rows
from pycvstat.intervals.cluster import cluster_robust
from pycvstat.intervals.coverage import errors_of, few_losses, kurtosis, warn_heavy_tails
from pycvstat.intervals.cv_auc import _fold
from pycvstat.intervals.from_losses import from_losses
from pycvstat.intervals.independent import proportion
from pycvstat.intervals.legal import check_finite, check_size
from pycvstat.intervals.limits import symmetric
from pycvstat.intervals.metric_rows import confusion_rows
from pycvstat.intervals.nadeau_bengio import corrected_t_limits
from pycvstat.intervals.ncv import Pieces, monte_carlo_error
from pycvstat.intervals.result import AllRows
from pycvstat.losses import FoldMeans, LossTable, Metric, Predictions
from pycvstat.rmath.random import as_stream

SCORES = np.array([1.0, 2.0, 4.0, 3.0])


def test_groups_that_count_as_few_are_named() -> None:
    losses = np.sin(np.arange(60.0)) + 2
    assert cluster_robust(losses, np.arange(60) % 12, 0.95).notes == ()
    (few,) = cluster_robust(losses, np.arange(60) % 10, 0.95).notes
    assert few == "10 groups that count as 10 equal ones: expect it to be too short"
    (uneven,) = cluster_robust(losses, np.maximum(np.arange(60) - 40, 0), 0.95).notes
    assert uneven.startswith("20 groups that count as 2.")


def test_groups_that_differ_by_rounding_have_no_variance() -> None:
    """Of the same losses in another order, 400 each: their sums differ, in last digits."""
    draw = np.random.default_rng(1)
    own = draw.gamma(2.0, size=400)
    losses, groups = (
        np.concatenate([draw.permutation(own) for _ in range(6)]),
        np.arange(2400) // 400,
    )
    assert np.ptp(np.bincount(groups, losses - losses.mean())) > 0
    with pytest.raises(IntervalError, match="groups do not vary"):
        cluster_robust(losses, groups, 0.95)


def test_limits_of_a_logarithm_stay_numbers() -> None:
    found = symmetric(1.0, 1e6, 0.95, log=True)
    assert (found.low, found.high) == (1 / math.exp(700.0), math.exp(700.0))


def test_more_than_three_tenths_is_a_large_test_share() -> None:
    assert corrected_t_limits(SCORES, 0.3, 0.95).notes == ()
    (note,) = corrected_t_limits(SCORES, 0.5, 0.95).notes
    assert note.endswith("here 0.67")


@pytest.mark.parametrize("size", [1e-60, 1.0, 1e60, 1e290])
def test_kurtosis_has_no_unit(size: float) -> None:
    expected = float(((SCORES - 2.5) ** 4).mean() / ((SCORES - 2.5) ** 2).mean() ** 2)
    np.testing.assert_allclose(kurtosis(SCORES * size), expected, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_kurtosis_of_what_has_none() -> None:
    assert np.isnan(kurtosis(np.ones(4)))
    assert np.isnan(kurtosis(np.array([1.0, np.inf])))


def test_losses_too_small_for_squares_are_refused() -> None:
    check_size(np.array([0.0, 0.0]))
    check_size(np.array([-1e-140, 0.0]))
    for tiny in (9e-141, 5e-324, -9e-141):
        with pytest.raises(IntervalError, match="leave the range of numbers"):
            check_size(np.array([tiny, 0.0]))


def test_fits_without_a_number_are_named_ten_at_most() -> None:
    plan = FoldPlan.from_fold_ids(np.arange(12) + 1)
    losses = np.ones((12, 1))
    losses[1:] = np.nan
    with pytest.raises(IntervalError) as caught:
        check_finite(LossTable(plan, losses))
    assert caught.value.given == "fit 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ..."
    losses[1] = 1.0
    with pytest.raises(IntervalError) as caught:
        check_finite(LossTable(plan, losses))
    assert caught.value.given == "fit 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"


def test_proportions_end_at_0_and_1() -> None:
    for n in range(1, 60):
        for level in (0.5, 0.95, 0.999):
            for method in ("wilson", "beta"):
                assert proportion(0, n, level, method).low == 0.0
                assert proportion(n, n, level, method).high == 1.0
                assert proportion(n // 2, n, level, method).low >= 0


def test_monte_carlo_error_is_half_the_way_between_both_ends() -> None:
    a = np.array([[3.0, 3.0, 3.2, 2.8], [3.4, 3.0, 3.0, 3.0], [2.9, 3.1, 3.3, 3.0]])
    pieces = Pieces(a, np.zeros((3, 4)), 0.0, 3.0, 0.0, 8)
    mse = a.mean(axis=1)
    error = mse.std(ddof=1) / np.sqrt(3)
    scale = 3.0 / np.sqrt(8 * 3 // 4)
    low, high = (np.sqrt(mse.mean() + s * error) / scale for s in (-1, 1))
    assert 1 < low < high < np.sqrt(4)
    np.testing.assert_allclose(monte_carlo_error(pieces), (high - low) / 2, rtol=1e-14)


def test_an_inflation_below_one_is_one_however_the_repetitions_fall() -> None:
    a = np.array([[3.0, 3.0, 3.2, 2.8], [3.4, 3.0, 3.0, 3.0], [2.9, 3.1, 3.3, 3.0]])
    mse = a.mean(axis=1)
    high = np.sqrt(mse.mean() + mse.std(ddof=1) / np.sqrt(3))
    for ratio, error in ((0.9, 0.0), (1.005, 0.005 / 2)):  # of the higher end to the scale
        pieces = Pieces(a, np.zeros((3, 4)), 0.0, float(high / ratio * np.sqrt(6)), 0.0, 8)
        assert monte_carlo_error(pieces) == pytest.approx(error, abs=1e-14)  # rounding


def test_draws_without_a_value_are_left_out_and_counted() -> None:
    """A median that one row in 40 spoils where it is drawn first."""
    x, values = np.arange(40.0), []

    def median(rows: Any) -> float:
        values.append(np.nan if rows[0] == 7 else np.median(x[rows]))
        return float(values[-1])

    limits = bootstrap_rows(40, median, 0.9, 200, as_stream(1))
    left = int(np.isnan(values).sum())
    assert 0 < left <= 10
    assert limits.notes == (f"{left} draws left out, in which the metric is not defined",)
    kept = np.array(values[:-1])[~np.isnan(values[:-1])]  # the last is the estimate
    np.testing.assert_array_equal([limits.low, limits.high], np.quantile(kept, [0.05, 0.95]))


def test_metrics_of_a_users_own_read_class_codes_where_they_say_so() -> None:
    """The share of errors as a metric by fold is the mean 0-1 loss by fold."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=60)
    data = pd.DataFrame(
        {"x": x, "y": pd.Categorical(np.where(x + rng.normal(size=60) > 0, "b", "a"))}
    )
    found = pcv.cross_validate(pcv.KNN(k=5), "y ~ x", data, folds=pcv.KFold(5, random=1))

    def errors(y, prediction):
        return np.mean(y != prediction)

    own = found.interval("corrected_t", metric=Metric(errors, needs="classes"))
    plain = found.interval("corrected_t")
    np.testing.assert_allclose([own.low, own.high], [plain.low, plain.high], rtol=1e-12)


def test_one_split_of_one_candidate_is_no_dev_set() -> None:
    plan = FoldPlan.from_splits([([0, 1, 2], [3])], 4)
    with pytest.raises(IntervalError) as caught:
        interval(FoldMeans(plan, np.array([[2.5]]), "squared"))
    assert "dev set" not in str(caught.value)


def test_methods_without_names_are_numbered_from_1() -> None:
    losses = np.column_stack([np.arange(6.0), np.arange(6.0) ** 2])
    assert list(from_losses(losses, [1, 1, 2, 2, 3, 3]).names) == ["method 1", "method 2"]


def test_an_interval_keeps_the_table_it_is_about_unless_it_is_of_a_metric() -> None:
    table = LossTable(FoldPlan.from_fold_ids([1, 1, 2, 2, 3, 3]), np.arange(6.0)[:, None] ** 2)
    assert interval(table).source is not None
    squared = LossTable(table.plan, table.losses, "squared")
    assert interval(squared, metric="rmse").source is None


def test_columns_of_losses_are_repetitions_where_fold_ids_are() -> None:
    ids = np.array([[1, 2], [1, 1], [2, 2], [2, 1]])
    found = from_losses(np.arange(8.0).reshape(4, 2), ids)
    assert list(found.names) == ["losses"]
    assert found.plan.times == 2


@pytest.mark.parametrize(("n", "said"), [(29, True), (30, False)])
def test_below_thirty_losses_of_a_test_set_heavy_tails_are_rarely_seen(n: int, said: bool) -> None:
    table = LossTable(pcv.Holdout(n, random=1).plan(90), np.arange(n)[:, None] + 1.0)
    assert few_losses(table).startswith("29 losses rarely show") == said


@pytest.mark.parametrize(("times", "shape"), [(1, "(4,)"), (2, "(4, 2)")])
def test_predictions_of_another_shape_are_told_the_one_of_the_folds(times: int, shape: str) -> None:
    ids = np.column_stack([[1, 1, 2, 2], [1, 2, 1, 2]])[:, :times]
    losses = {"a": np.arange(4.0 * times).reshape(4, times)}
    with pytest.raises(InputError) as caught:
        from_losses(losses, ids, y=np.arange(4) % 2, predictions=np.ones((3, 2)))
    assert f"shape {shape}" in str(caught.value)


@pytest.mark.parametrize(("ties", "of_a_tie"), [("below", 0.0), ("half", 0.5)])
def test_the_influence_on_an_auc_counts_pairs(ties: Any, of_a_tie: float) -> None:
    """Of a positive row the share of negative ones below it; scores of three values, many tied."""
    draw = np.random.default_rng(1)
    positive, score = draw.random(30) < 0.4, draw.integers(0, 3, 30).astype(float)
    high, low = score[positive, None], score[None, ~positive]
    won = (high > low) + of_a_tie * (high == low)
    area, curve = _fold(positive, score, (2.0, 3.0), ties)
    np.testing.assert_allclose(curve[positive], 2.0 * (won.mean(axis=1) - area), rtol=1e-13)
    np.testing.assert_allclose(curve[~positive], 3.0 * (won.mean(axis=0) - area), rtol=1e-13)


@pytest.mark.parametrize(
    ("folds", "once"),
    [(pcv.Holdout(0.5, random=1), True), (pcv.KFold(3, random=1), True),
     (pcv.Repeated(pcv.KFold(3), 2, random=1), False), (pcv.Subsampling(2, random=1), False)],
)  # fmt: skip
def test_losses_of_rows_that_are_tested_once_are_read_where_they_are(
    folds: Any, once: bool
) -> None:
    plan = folds.plan(12)
    losses = np.random.default_rng(1).random((len(plan.rows), 2)) + np.array([1.0, 0.0])
    table = LossTable(plan, losses, candidates=({"k": 1}, {"k": 2}))
    found = errors_of(table)
    assert np.shares_memory(found, table.losses) == once
    np.testing.assert_array_equal(np.sort(found), np.sort(table.tested_rows()[1][:, 1]))


@pytest.mark.parametrize("predicted", [True, False])
@pytest.mark.parametrize(("loss", "named"), [("squared", ["absolute"]), ("other", [])])
def test_lighter_tails_are_those_of_another_loss_or_metric(
    loss: str, named: list[str], predicted: bool
) -> None:
    plan = FoldPlan.from_fold_ids(np.arange(30) % 3)
    values = np.append(np.zeros(29), 9.0)
    given = {"predictions": Predictions(values[None]), "y": values} if predicted else {}
    with pytest.warns(PycvstatWarning) as caught:
        warn_heavy_tails(LossTable(plan, values[:, None], loss, (0.0, np.inf), **given))
    said = str(caught[0].message)
    assert ("trimmed_mse" in said) == (predicted and loss == "squared")
    assert ("are other quantities" in said) == (predicted and loss == "squared")
    assert ("is another quantity" in said) == (not predicted and loss == "squared")
    assert ("look at the rows" in said) == (loss == "other")
    assert all(name in said for name in named)


@pytest.mark.parametrize(
    ("follows", "how"),
    [(0.34, "hardly follows"), (-0.34, "hardly follows"), (0.35, "follows in part"),
     (-0.36, "follows in part"), (1.0, "follows in part")],
)  # fmt: skip
def test_below_a_correlation_of_035_an_estimate_hardly_follows(follows: float, how: str) -> None:
    assert how in str(AllRows(9, 8, follows=follows, where="there"))


@pytest.mark.parametrize(("shift", "way"), [(-0.1, "lower"), (0.0, "lower"), (0.1, "higher")])
def test_the_risk_at_all_rows_is_lower_or_higher(shift: float, way: str) -> None:
    assert f"{way}, by the curve" in str(AllRows(9, 8, shift, 0.1, "by the curve"))


@pytest.mark.parametrize("times", [3, 6, 10, 49])
def test_a_row_that_is_tested_often_counts_once_among_those_of_its_class(times: int) -> None:
    """Shares of a sixth add up to 1 but for their rounding: of a single row, all that there are."""
    plan = pcv.Repeated(pcv.KFold(2), times, random=1).plan(6)
    y = np.array([0, 1, 1, 1, 1, 1])
    code = y[plan.rows]
    errors = np.zeros((len(code), 1))
    table = LossTable(
        plan, errors, "zero_one", (0.0, 1.0), predictions=Predictions(code[None] * 1.0), y=y,
        levels=("a", "b"),
    )  # fmt: skip
    found = confusion_rows(table)
    assert found["of"].tolist() == [1, 1, 5, 5]
    np.testing.assert_allclose(found["share"], [1, 0, 0, 1], rtol=1e-14)  # sums of shares
    assert (found["conf_high"] <= 1).all()
