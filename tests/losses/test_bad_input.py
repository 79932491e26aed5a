"""Whatever the predictions, every metric is a number, a named NaN, or an error of ours."""

from __future__ import annotations

import warnings
from functools import cache, partial

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

import pycvstat as pcv
from pycvstat.errors import InputError, IntervalError, LossError, PycvstatError, PycvstatWarning
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals import bootstrap
from pycvstat.losses import LossTable, Metric
from pycvstat.losses.metrics import METRICS

RNG = np.random.default_rng(1)
N = 90
X = RNG.normal(size=N)
DATA = pd.DataFrame(
    {
        "x": X,
        "y": np.where(X + RNG.normal(size=N) > 0, "yes", "no"),
        "rare": np.where(np.arange(N) < 4, "a", "b"),
        "apart": np.where(X > 0, "p", "q"),
        "many": np.array(list("abc"))[np.where(np.arange(N) < 3, 2, X > 0)],
        "zeros": np.abs(X) * (np.arange(N) > 0),
        "same": 3.0,
        "twice": 2 * X,
    }
)
FOLDS = pcv.Blocks(6)
CASES = {
    "one class missing in most folds": (pcv.KNN(5), "rare ~ x", FOLDS),
    "a class of several missing": (pcv.KNN(5), "many ~ x", FOLDS),
    "constant predictions of classes": (pcv.Mean(), "y ~ x", FOLDS),
    "constant predictions of numbers": (pcv.Mean(), "zeros ~ x", FOLDS),
    "perfect separation": (pcv.Logit(), "apart ~ x", FOLDS),
    "perfect classes": (pcv.KNN(1), "apart ~ x", FOLDS),
    "perfect numbers": (pcv.OLS(), "twice ~ x", FOLDS),
    "a constant response": (pcv.OLS(), "same ~ x", FOLDS),
    "probabilities outside 0 to 1": (pcv.OLS(), "I((y == 'yes') * 1) ~ x", FOLDS),
    "zeros in the response": (pcv.OLS(), "zeros ~ x", FOLDS),
    "folds of one row": (pcv.Logit(), "y ~ x", pcv.LeaveOneOut()),
    "a single split": (pcv.Logit(), "y ~ x", pcv.Holdout(0.3, random=1)),
    "splits that are no partition": (pcv.Logit(), "y ~ x", pcv.Subsampling(5, random=1)),
}
SLOW = {name for name, metric in METRICS.items() if not metric.linear}  # a bootstrap of each


@cache
def made(name):
    learner, formula, folds = CASES[name]
    data = DATA
    if formula.startswith("I("):
        formula, data = "one ~ x", DATA.assign(one=(DATA["y"] == "yes") * 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        return pcv.cross_validate(learner, formula, data, folds=folds)


@pytest.mark.parametrize("averaging", [None, "folds", "pooled", "repeats"])
@pytest.mark.parametrize("name", CASES)
def test_every_metric_ends_well(name, averaging, monkeypatch):
    limits = bootstrap.bootstrap_rows

    def of_few(n, value_of, level, draws, random):
        return limits(n, value_of, level, draws // 10, random)

    monkeypatch.setattr(bootstrap, "bootstrap_rows", of_few)
    numbers = 0
    for metric in METRICS:
        if metric in SLOW and averaging in ("pooled", "repeats"):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", PycvstatWarning)
            try:
                (row,) = made(name).metrics([metric], averaging).itertuples()
            except PycvstatError:
                continue
        assert np.isfinite(row.estimate) or row.notes, metric
        if row.method != "none":
            assert row.conf_low <= row.estimate <= row.conf_high, metric
        numbers += np.isfinite(row.estimate)
    assert numbers > 3


def test_a_missing_class_is_named_with_its_fold_and_pooled_where_that_is_right():
    found = made("one class missing in most folds")
    row = found.metrics("auc").iloc[0]
    assert np.isnan(row["estimate"])
    assert "not defined in 5 of 6 folds (fold 2, 3, 4, 5, 6)" in row["notes"]
    assert np.isfinite(found.metrics("auc", "pooled")["estimate"][0])
    for name in ("accuracy", "brier", "log_loss", "sensitivity", "mcc"):
        assert found.metric(name).averaging == "pooled"
        assert np.isfinite(found.metric(name).estimate)
    with pytest.raises(IntervalError, match=r"(?s)not defined in every fold.*averaging='pooled'"):
        found.interval(metric="auc")


def test_kappa_and_mcc_of_constant_classes_are_nan_and_named():
    rows = pcv.cross_validate(pcv.Mean(), "y ~ x", DATA, folds=pcv.Stratified(5)).metrics(
        ["kappa", "mcc", "precision", "npv"], "folds"
    )
    assert rows.set_index("metric").loc["kappa", "estimate"] == 0  # no better than chance
    assert np.isnan(rows.set_index("metric").loc["mcc", "estimate"])
    assert rows["notes"][1].startswith("mcc is not defined in every fold")


def test_probabilities_outside_their_range_and_zeros_are_answered():
    outside = made("probabilities outside 0 to 1")
    with pytest.raises(LossError, match=r"(?s)needs predicted probabilities, from 0 to 1.*Logit"):
        outside.metrics("brier")
    assert np.isfinite(outside.metrics("auc")["estimate"][0])
    with pytest.raises(LossError, match="mape divides by the response, which is 0"):
        made("zeros in the response").metrics("mape")


@pytest.mark.parametrize(
    "function",
    [
        partial(sk.roc_auc_score, max_fpr=0.3), partial(sk.log_loss, normalize=False),
        sk.d2_log_loss_score, partial(sk.f1_score, pos_label="a"),
        partial(sk.precision_score, labels=["a"], average="micro"), sk.jaccard_score,
        partial(sk.average_precision_score, pos_label=1), sk.dcg_score,
    ],
)  # fmt: skip
def test_functions_of_scikit_learn_warn_of_nothing(function):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = made("one class missing in most folds").metric(function, "folds")
        except LossError:
            return
    assert found.by_fold.shape == (6,)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda y, p: 1 / 0, "ZeroDivisionError"),
        (lambda y, p: p, "TypeError"),
        (lambda y, p: "a", "ValueError"),
        (lambda y: 0.0, "TypeError"),
    ],
)
def test_functions_of_one_s_own_that_fail_are_named(function, said):
    with pytest.raises(LossError, match="own must return one number") as failed:
        made("constant predictions of classes").metrics([Metric(function, "classes", "own")])
    assert said in failed.value.given


def test_losses_in_a_list_of_another_shape_are_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"losses must have the shape \(3, 1\)"):
        LossTable(FoldPlan.from_fold_ids([1, 1, 2]), [0.5, 1.5, 4.0], "squared")  # type: ignore[arg-type]
