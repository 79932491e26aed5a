"""Metrics and losses that are functions: of classes they say what they need, and get just that."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

import pycvstat as pcv
from pycvstat.errors import InputError, LossError
from pycvstat.losses import Loss, Metric

FOLDS = pcv.KFold(4, random=1)


@pytest.fixture(scope="module")
def two():
    draw = np.random.default_rng(1)
    x = draw.normal(size=120)
    y = np.where(x + draw.normal(size=120) > 0, "yes", "no")
    return pd.DataFrame({"x": x, "y": pd.Categorical(y)})


@pytest.fixture(scope="module")
def logit(two):
    return pcv.cross_validate(pcv.Logit(), "y ~ x", two, folds=FOLDS)


def by_fold(result, measure):
    """The mean over the folds of a measure of codes, predicted codes and probabilities."""
    table = result.table
    values = []
    for i, (_, test) in enumerate(result.plan):
        place = slice(*result.plan.offsets[i : i + 2])
        p = table.predictions
        values.append(measure(table.y[test], p.values[0, place], p.prob[0, place]))
    return pytest.approx(np.mean(values), rel=1e-12)


def test_a_function_of_classes_says_what_it_needs(logit):
    def auc(y, p):
        return roc_auc_score(y, p)

    for function in (auc, lambda y, p: 0.0):
        with pytest.raises(LossError, match=r"(?s)does not say what it needs.*losses.Metric\("):
            logit.interval(metric=function)


def test_it_gets_what_it_says(logit):
    for needs in ("probabilities", "scores"):
        found = logit.interval(metric=Metric(roc_auc_score, needs=needs))
        assert found.estimate == by_fold(logit, lambda y, c, p: roc_auc_score(y, p[:, 1]))
        assert found.estimate == pytest.approx(logit.interval(metric="auc").estimate, rel=1e-12)
    found = logit.interval(metric=Metric(accuracy_score, needs="classes"))
    assert found.estimate == by_fold(logit, lambda y, c, p: (y == c).mean())
    assert found.metric == "accuracy_score"


def test_a_function_named_as_a_metric_of_ours_is_the_user_s(logit):
    def auc(y, p):
        return float(p.mean())

    found = logit.interval(metric=Metric(auc, needs="probabilities"))
    assert found.metric == "user's auc"
    assert found.estimate == by_fold(logit, lambda y, c, p: p[:, 1].mean())


def test_probabilities_of_several_classes_are_a_matrix():
    iris = pcv.data.iris()
    result = pcv.cross_validate(pcv.KNN(15), "Species ~ .", iris, folds=FOLDS)

    def of_truth(y, p):
        assert p.shape == (len(y), 3)
        return float(p[np.arange(len(y)), y].mean())

    found = result.interval(metric=Metric(of_truth, needs="probabilities"))
    assert found.estimate == by_fold(result, lambda y, c, p: of_truth(y, p))
    with pytest.raises(LossError, match=r"needs two classes\.\n  Given: 3 classes$"):
        result.interval(metric=Metric(of_truth, needs="scores"))


def test_numbers_need_no_word(two):
    numeric = two.assign(y=(two["y"] == "yes") * 1.0)
    result = pcv.cross_validate(pcv.Logit(), "y ~ x", numeric, folds=FOLDS)
    plain = result.interval(metric=roc_auc_score)
    assert plain.estimate == pytest.approx(result.interval(metric="auc").estimate, rel=1e-12)
    assert result.interval(metric=Metric(roc_auc_score, "scores")).estimate == plain.estimate
    shares = (
        1
        - pcv.cross_validate(
            pcv.Logit(), "y ~ x", numeric, folds=FOLDS, loss="zero_one"
        ).table.losses.mean()
    )
    accuracy = result.interval(metric=Metric(accuracy_score, "classes"), averaging="pooled",
                               method="bootstrap")  # fmt: skip
    assert accuracy.estimate == result.metric("accuracy").estimate == pytest.approx(shares)
    assert "1 above one half" in result.metrics("accuracy")["notes"][0]
    cars = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=FOLDS)
    with pytest.raises(LossError, match="needs two classes"):
        cars.interval(metric=Metric(roc_auc_score, "scores"))
    with pytest.raises(LossError, match=r"(?s)accuracy_score needs classes.*factor\("):
        cars.interval(metric=Metric(accuracy_score, "classes"))


def test_a_loss_of_classes_says_what_it_needs(two, logit):
    def squared(y, p):
        return (y - p) ** 2

    with pytest.raises(LossError, match=r"(?s)squared loss does not say.*Loss.of\(function"):
        pcv.cross_validate(pcv.Logit(), "y ~ x", two, folds=FOLDS, loss=squared)
    for needs, own in (("probabilities", "brier"), ("classes", "zero_one")):
        found = pcv.cross_validate(
            pcv.Logit(), "y ~ x", two, folds=FOLDS, loss=Loss.of(squared, needs=needs)
        )
        named = pcv.cross_validate(pcv.Logit(), "y ~ x", two, folds=FOLDS, loss=own)
        np.testing.assert_allclose(found.table.losses, named.table.losses, rtol=1e-12)
    with pytest.raises(LossError, match="no meaning for a nominal response"):
        pcv.cross_validate(
            pcv.Logit(), "y ~ x", two, folds=FOLDS, loss=Loss.of(squared, needs="numbers")
        )


def test_words_that_say_nothing(logit):
    with pytest.raises(InputError, match="needs must be 'numbers'"):
        Metric(roc_auc_score, needs="prob")
    with pytest.raises(InputError, match="needs must be 'numbers'"):
        Loss.of(log_loss, needs="prob")
    with pytest.raises(LossError, match=r"a metric is a function of \(y, prediction\)"):
        Metric("auc")
