"""Functions of scikit-learn get the labels of several classes; a class is named by its label."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

import pycvstat as pcv
from pycvstat.errors import LossError
from pycvstat.losses.metrics import as_metric

SAME = 1e-12  # the same numbers summed in another order
RNG = np.random.default_rng(8)
N = 180
X = RNG.normal(size=N)
LEVELS = ("low", "mid", "high")  # not in the order of the alphabet
WORDS = np.array(LEVELS)[np.digitize(X + RNG.normal(size=N), [-0.6, 0.7])]
DATA = {"x": X, "y": pd.Categorical(WORDS, LEVELS)}
FOLDS = pcv.KFold(5, random=1)
MANY = pcv.cross_validate(pcv.MNLogit(), "y ~ x", DATA, folds=FOLDS)
TWO = pcv.cross_validate(
    pcv.Logit(), "y ~ x", {"x": X, "y": np.where(X + RNG.normal(size=N) > 0, "yes", "no")},
    folds=FOLDS,
)  # fmt: skip
Y = WORDS[MANY.plan.rows]
P = np.array(LEVELS)[MANY.table.predictions.values[0].astype(int)]
PROB = MANY.table.predictions.prob[0]


def test_the_table_knows_the_levels():
    assert MANY.table.levels == LEVELS
    assert pcv.tune(
        pcv.MNLogit(), "y ~ x", DATA, grid=[{}], folds=FOLDS
    ).table.levels == LEVELS  # fmt: skip


@pytest.mark.parametrize(
    "function",
    [
        partial(sk.jaccard_score, average="macro"),
        partial(sk.fbeta_score, beta=2, average="macro", labels=["low", "high"]),
        partial(sk.recall_score, labels=["mid"], average="micro"),
        sk.hamming_loss,
    ],
)
def test_several_classes_are_given_by_their_labels(function):
    assert MANY.metric(function, "pooled").estimate == function(Y, P)


def test_distances_of_ordered_classes_are_in_their_order():
    found = MANY.metric(partial(sk.cohen_kappa_score, weights="quadratic"), "pooled").estimate
    codes = [np.searchsorted([0, 1, 2], [LEVELS.index(one) for one in of]) for of in (Y, P)]
    assert found == pytest.approx(sk.cohen_kappa_score(*codes, weights="quadratic"), rel=SAME)


@pytest.mark.parametrize("k", [1, 2])
def test_columns_of_probabilities_are_in_the_order_of_scikit_learn(k):
    found = MANY.metric(partial(sk.top_k_accuracy_score, k=k), "pooled").estimate
    likely = np.argsort(-PROB, axis=1)[:, :k]
    truth = np.array([LEVELS.index(one) for one in Y])
    assert found == pytest.approx((likely == truth[:, None]).any(axis=1).mean(), rel=SAME)
    summed = MANY.metric(partial(sk.log_loss, normalize=False), "pooled").estimate
    assert summed == pytest.approx(MANY.metric("log_loss").estimate * N, rel=SAME)


def test_a_class_that_a_fold_lacks_is_told():
    rare = np.where(np.arange(N) < 12, "rare", WORDS)
    found = pcv.cross_validate(pcv.KNN(9), "y ~ x", DATA | {"y": rare}, folds=pcv.Blocks(10))
    by_fold = found.metric(partial(sk.log_loss, normalize=True), "folds").by_fold
    assert np.isfinite(by_fold).all()


def test_two_classes_are_0_and_1_unless_their_labels_are_named():
    y = np.asarray(TWO.table.y)[TWO.plan.rows]
    p = TWO.table.predictions.values[0]
    seen = []

    def spy(*given):
        seen.append([np.unique(one).tolist() for one in given])
        return 0.5

    spy.__module__ = "sklearn.metrics"
    TWO.metric(spy, "pooled")
    assert seen[-1] == [[0, 1], [0, 1]]
    assert TWO.metric(partial(sk.f1_score, pos_label="yes"), "pooled").estimate == pytest.approx(
        sk.f1_score(y, p), rel=SAME
    )
    assert TWO.metric(partial(sk.f1_score, pos_label="no"), "pooled").estimate == pytest.approx(
        sk.f1_score(y, p, pos_label=0), rel=SAME
    )


@pytest.mark.parametrize("kind", ["precision", "sensitivity", "f1", "specificity", "npv"])
def test_one_class_against_the_rest_by_its_label(kind):
    by_label = MANY.metric(f"{kind}(high)")
    assert by_label.name == f"{kind}(high)"
    assert by_label.estimate == MANY.metric(f"{kind}(3)").estimate
    assert MANY.interval(metric=f"{kind}(high)").estimate == pytest.approx(by_label.estimate)
    function = {"precision": sk.precision_score, "sensitivity": sk.recall_score, "f1": sk.f1_score}
    if kind in function:
        theirs = function[kind](Y, P, labels=["high"], average="macro")
        assert by_label.estimate == pytest.approx(theirs, rel=SAME)


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("auc", sk.roc_auc_score),
        ("roc_auc", sk.roc_auc_score),
        ("average_precision", sk.average_precision_score),
        ("brier", sk.brier_score_loss),
        ("log_loss", sk.log_loss),
    ],
)
def test_probabilities_of_one_class_against_the_rest(name, theirs):
    """As scikit-learn's one-vs-rest by class; those of two classes are the metric itself."""
    at = MANY.table.levels.index("high")
    y = MANY.table.y[MANY.plan.rows] == at
    p = MANY.table.predictions.prob[0, :, at]
    found = MANY.metric(f"{name}(high)", "pooled")
    assert found.estimate == pytest.approx(theirs(y, p), rel=SAME)
    assert MANY.metric(f"{name}(3)", "pooled").estimate == found.estimate
    assert MANY.interval(metric=f"{name}(high)", averaging="pooled").low < found.estimate
    assert TWO.metric(f"{name}(2)").estimate == TWO.metric(name).estimate
    if "auc" in name:
        each = [MANY.metric(f"auc({level})").estimate for level in LEVELS]
        assert np.mean(each) == pytest.approx(MANY.metric("auc_ovr").estimate, rel=SAME)


def test_a_label_goes_before_a_place():
    codes = np.array([LEVELS.index(one) for one in WORDS]).astype(str)
    found = pcv.cross_validate(pcv.MNLogit(), "y ~ x", DATA | {"y": codes}, folds=FOLDS)
    assert found.metric("recall(1)").estimate == MANY.metric("sensitivity(mid)").estimate


def test_an_unknown_class_is_answered():
    with pytest.raises(LossError, match="'hihg' of 3 classes: low, mid, high"):
        MANY.metrics("precision(hihg)")
    with pytest.raises(LossError, match="no such class"):
        MANY.metric("precision(4)")
    with pytest.raises(LossError, match="no metric called 'precise\\(high\\)'"):
        MANY.metric("precise(high)")
    with pytest.raises(LossError, match="these classes have no labels"):
        as_metric("precision(high)").value(np.array([0, 1]), np.array([0.0, 1.0]))
    with pytest.raises(LossError, match=r"'auc_ovr' or 'auc_ovo'.*'auc\(1\)'"):
        MANY.metric("auc")
    with pytest.raises(LossError, match="'4' of 3 classes"):
        MANY.metric("auc(4)")
    with pytest.raises(LossError, match="class 4 of 3"):
        as_metric("auc(4)").value(np.array([0, 1, 2]), np.eye(3))
    with pytest.raises(LossError, match="no metric called 'auc_ovr\\(high\\)'"):
        MANY.metric("auc_ovr(high)")
