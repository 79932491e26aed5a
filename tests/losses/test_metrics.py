"""RMSE, R squared and AUC against their definitions, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from pycvstat import rmath
from pycvstat.errors import LossError
from pycvstat.folds import FoldPlan
from pycvstat.losses import FoldMeans, LossTable, Predictions
from pycvstat.losses.metrics import Measured, metric
from pycvstat.losses.of_numbers import r2, r2_correlation
from pycvstat.losses.of_probabilities import auc

PLAN = FoldPlan.from_fold_ids([1, 2, 1, 2, 1, 2])
Y = np.array([0, 1, 1, 0, 0, 1])
PROB = np.array([
    [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.7, 0.3], [0.5, 0.5], [0.1, 0.9]],
    [[0.1, 0.9], [0.7, 0.3], [0.6, 0.4], [0.2, 0.8], [0.4, 0.6], [0.8, 0.2]],
])  # fmt: skip


def table(y, values, prob=None):
    values = np.asarray(values, dtype=float)
    predictions = Predictions(values[:, PLAN.rows], None if prob is None else prob[:, PLAN.rows])
    return LossTable(
        PLAN, np.zeros((6, len(values))), candidates=({"k": 1}, {"k": 2})[: len(values)],
        predictions=predictions, y=np.asarray(y),
    )  # fmt: skip


def pairs_won(y, score):
    """The share of pairs of a 1 and a 0 in which the 1 has the higher score; ties are half."""
    ones, zeros = score[y == 1], score[y == 0]
    won = np.sign(ones[:, None] - zeros[None, :])
    return (won.mean() + 1) / 2


@pytest.mark.parametrize("candidate", [0, 1])
def test_auc_is_the_share_of_pairs_won_by_the_second_class(candidate):
    found = metric(table(Y, [[0] * 6] * 2, PROB), "auc", candidate)
    score = PROB[candidate, :, 1]
    odd, even = np.arange(0, 6, 2), np.arange(1, 6, 2)
    assert found.by_fold.tolist() == [pairs_won(Y[rows], score[rows]) for rows in (odd, even)]
    assert found.pooled == pairs_won(Y, score)


def test_auc_of_numbers_0_and_1_reads_the_prediction():
    score = np.array([0.3, 0.2, 0.9, 0.9, 0.1, 0.5])
    assert metric(table(Y.astype(float), [score]), "auc").pooled == pairs_won(Y, score)


def test_auc_needs_both_classes():
    assert np.isnan(auc(np.array([1, 1]), np.array([0.1, 0.2])))
    assert np.isnan(auc(np.array([0, 0]), np.array([0.1, 0.2])))


def test_candidates_keep_their_predictions_and_probabilities():
    whole = Predictions(np.arange(12.0).reshape(2, 6), PROB)
    for c in (0, 1):
        one = whole.candidate(c)
        assert one.values.tolist() == [whole.values[c].tolist()]
        assert one.prob.tolist() == [PROB[c].tolist()]
        assert one.n_candidates == 1
    chosen = table(Y, [[0] * 6, [1] * 6], PROB).select(1)
    assert chosen.predictions.values.tolist() == [[1.0] * 6]
    assert chosen.candidates == ({"k": 2},)


def test_what_has_no_variation_has_no_share_of_it():
    x = np.array([1.0, 2.0, 4.0])
    same = np.ones(3)
    assert np.isnan(r2(same, x))
    assert np.isnan(r2_correlation(same, x))
    assert np.isnan(r2_correlation(x, same))


THREE = np.full((1, 6, 3), 1 / 3)


@pytest.mark.parametrize(
    ("made", "name", "words"),
    [
        (lambda: table(Y, [[0] * 6], THREE), "auc", "needs two classes"),
        (lambda: table(Y, [[0] * 6], THREE[:, :, :1]), "auc", "needs two classes"),
        (lambda: table(Y, [[0] * 6]), "auc", "needs class probabilities"),
        (lambda: table([0.0, 0.5, 1, 1, 0, 0], [[0] * 6]), "auc", "needs two classes"),
        (lambda: table(Y, [[0] * 6], PROB[:1]), "rmse", "no meaning for classes"),
        (lambda: LossTable(PLAN, np.zeros((6, 1))), "rmse", "needs predictions"),
        (lambda: table(Y, [[0] * 6]), "ruc", "no metric called 'ruc'"),
    ],
)
def test_what_metrics_refuse(made, name, words):
    with pytest.raises(LossError, match=words):
        metric(made(), name)


def test_standard_error_of_fold_means():
    plan = FoldPlan.from_fold_ids([1, 2, 3])
    losses = np.array([[1.0, 2.0], [3.0, 2.0], [8.0, 2.0]])
    means = FoldMeans(plan, losses, "squared", ({"k": 1}, {"k": 5}))
    np.testing.assert_allclose(means.std_error(), [np.sqrt(13.0 / 3), 0.0], rtol=1e-15)
    two = FoldMeans(FoldPlan.from_fold_ids([1, 2]), np.array([[1.0], [4.0]]), "squared")
    np.testing.assert_allclose(two.std_error(), [1.5], rtol=1e-15)
    alone = FoldPlan.from_splits([([0], [1])], 2)
    assert np.isnan(FoldMeans(alone, np.array([[1.0]]), "squared").std_error()).all()


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e200, 1e307])
def test_standard_errors_of_numbers_without_squares(size):
    means = FoldMeans(PLAN, np.array([[1.0], [4.0]]) * size, "squared")
    np.testing.assert_allclose(
        means.std_error(), [1.5 * size], rtol=1e-3 if size < 1e-300 else 1e-15
    )


def test_fold_means_as_rows():
    plan = FoldPlan.from_rows([[0, 1], [2], [1], [0, 2]], n=3)
    rows = FoldMeans(plan, np.arange(8.0).reshape(4, 2), "squared", ({"k": 1}, {"k": 5})).tidy()
    assert rows.columns.tolist() == ["repeat", "fold", "n_test", "k", "loss"]
    assert rows["fold"].tolist() == np.repeat(plan.fold + 1, 2).tolist()
    assert rows["repeat"].tolist() == np.repeat(plan.repeat + 1, 2).tolist()
    assert rows["n_test"].tolist() == [2, 2, 1, 1, 1, 1, 2, 2]
    assert rows["k"].tolist() == [1, 5] * 4
    assert rows["loss"].tolist() == list(range(8))


def test_one_candidate_of_three_is_the_one_in_the_middle():
    losses = np.arange(18.0).reshape(6, 3)
    three = LossTable(PLAN, losses, candidates=({"k": 1}, {"k": 2}, {"k": 3}))
    chosen = three.select(1)
    assert chosen.losses.tolist() == losses[:, 1:2].tolist()
    assert chosen.candidates == ({"k": 2},)
    assert chosen.estimate().tolist() == [three.estimate()[1]]


def test_one_nearest_name_is_suggested():
    with pytest.raises(LossError) as caught:
        metric(table(Y.astype(float), [[0] * 6]), "r2_corelation")
    assert caught.value.fix == "did you mean 'r2_correlation'?"
    with pytest.raises(LossError) as caught:
        metric(table(Y.astype(float), [[0] * 6]), "zzz")
    assert caught.value.fix.startswith("use one of mse, rmse, mae, medae, trimmed_mse, mape, r2, ")


def test_the_estimate_of_a_metric_is_r_s_mean_of_the_folds():
    draw = np.random.default_rng(1)
    samples = [draw.random(9) for _ in range(50)]
    found = [Measured("rmse", values, values[:1], 0.0).estimate for values in samples]
    assert found == [rmath.mean(values) for values in samples]
    assert found != [values.mean() for values in samples]  # the bits can tell
