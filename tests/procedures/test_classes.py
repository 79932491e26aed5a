"""Out-of-fold classes and probabilities, row by row and as a confusion matrix."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from statsmodels.stats.proportion import proportion_confint

import pycvstat as pcv
from pycvstat.errors import IntervalError, LossError, PycvstatWarning

SAME = 1e-12  # the same numbers summed in another order
RNG = np.random.default_rng(3)
N = 90
X = RNG.normal(size=N)
WORDS = np.array(["b", "a", "c"])[np.digitize(X + RNG.normal(size=N), [-0.5, 0.8])]
TWO = np.where(X + RNG.normal(size=N) > 0.1, "no", "yes")
DATA = {"x": X, "y": WORDS, "two": TWO, "g": np.arange(N) // 3}
ONCE = pcv.cross_validate(pcv.MNLogit(), "y ~ x", DATA, folds=pcv.KFold(5, random=1))
TWICE = pcv.cross_validate(
    pcv.MNLogit(), "y ~ x", DATA, folds=pcv.Repeated(pcv.KFold(5), 2, random=1)
)


def test_a_column_of_probabilities_for_every_class():
    found = ONCE.augment()
    columns = [".prob_a", ".prob_b", ".prob_c"]
    np.testing.assert_allclose(found[columns].sum(axis=1), 1, rtol=SAME)
    table = ONCE.table
    np.testing.assert_array_equal(
        found[columns].to_numpy()[table.plan.rows], table.predictions.prob[0]
    )
    assert (
        found[columns].to_numpy().argmax(axis=1) == [*map("abc".index, found[".prediction"])]
    ).all()
    np.testing.assert_array_equal(found[".fold"], ONCE.plan.fold_ids)
    assert (found[".repeat"] == 1).all()


def test_one_row_per_test_where_rows_are_tested_twice():
    found = TWICE.augment()
    assert len(found) == 2 * N
    assert found[".repeat"].tolist() == [1] * N + [2] * N
    np.testing.assert_array_equal(found["x"], np.tile(X, 2))
    np.testing.assert_array_equal(found[".row"], np.tile(np.arange(N), 2))
    losses = found.groupby([".repeat", ".fold"])[".loss"].mean().to_numpy()
    np.testing.assert_allclose(losses, TWICE.fold_errors, rtol=SAME)
    assert (found[".loss"] == (found[".prediction"] != found["y"])).all()


def test_columns_that_are_replaced_are_named():
    data = DATA | {".prob_a": X, ".fold": X}
    found = pcv.cross_validate(pcv.MNLogit(), "y ~ x + .prob_a + .fold", data, folds=ONCE.plan)
    with pytest.warns(PycvstatWarning, match="replaces columns") as said:
        augmented = found.augment()
    assert ".prob_a, .fold" in str(said[0].message)
    np.testing.assert_array_equal(augmented[".fold"], ONCE.plan.fold_ids)


class Sometimes(GaussianNB):
    """Fails without the first row."""

    def fit(self, X, y):
        if DATA["x"][0] not in np.asarray(X):
            raise ValueError("no luck")
        return super().fit(X, y)


def once_failed(*learners):
    both = {type(one).__name__: one for one in learners}
    with pytest.warns(PycvstatWarning, match="1 fit"):
        return pcv.compare(both, "two ~ x", DATA, folds=ONCE.plan, on_error="warn")


def test_a_failed_fit_leaves_the_probabilities_of_the_others():
    (found,) = once_failed(Sometimes()).results.values()
    lost = ONCE.plan.fold_ids == ONCE.plan.fold_ids[0]
    augmented = found.augment()
    assert (augmented[".prob_yes"].isna() == lost).all()
    assert [one is None for one in found.predictions] == lost.tolist()
    assert np.isnan(found.metric("auc").by_fold).sum() == 1
    for name in ("auc", "accuracy", "brier", "mcc", sk.f1_score):
        (row,) = found.metrics(name).itertuples()
        assert np.isnan(row.estimate)
        assert "1 of 5 fits" in row.notes
    cells = found.confusion()
    assert cells["rows"].sum() == (~lost).sum()
    assert cells["conf_low"].isna().all()


def test_a_failed_method_takes_its_own_pairs_only():
    found = once_failed(Sometimes(), pcv.Logit(), pcv.Mean())
    for metric in (None, "accuracy", "auc", "mcc"):
        pairs = found.pairs(metric=metric).set_index(["a", "b"])
        lost = [one == "Sometimes" for one, _ in pairs.index]
        assert (pairs["method"] == "none").tolist() == lost
        assert (
            pairs["notes"] == "1 of 5 fits have losses that are NaN or infinite."
        ).tolist() == lost
        alone = found.paired("Logit", "Mean", metric=metric)
        assert pairs.loc[("Logit", "Mean"), "conf_low"] == alone.low
        assert pairs.loc[("Logit", "Mean"), "p_adjusted"] == alone.p_value
    rows = found.metrics(["auc", "accuracy"]).set_index(["method", "metric"])
    assert rows["estimate"].isna().tolist() == [True, True, False, False, False, False]
    with pytest.raises(IntervalError, match="fits have losses that are NaN"):
        found.paired("Sometimes", "Mean")
    found.plot("critical"), found.plot("paired")
    assert "Sometimes − Logit: 1 of 5 fits" in found.summary().replace("\n      ", " ")


def test_a_metric_that_one_method_does_not_have_is_missing_there():
    methods = {"svm": LinearSVC(), "logit": pcv.Logit(), "mean": pcv.Mean()}
    found = pcv.compare(methods, "two ~ x", DATA, folds=ONCE.plan)
    (one, *others) = found.metrics("auc").itertuples()
    assert (one.interval, one.notes) == ("none", "auc needs class probabilities.")
    assert all(np.isfinite(other.estimate) for other in others)
    assert found.pairs(metric="auc")["method"].tolist() == ["none", "none", "corrected_t"]
    with pytest.raises(LossError, match="needs class probabilities"):
        pcv.compare({"svm": methods["svm"]}, "two ~ x", DATA, folds=3).metrics("auc")


def test_rows_that_were_never_tested_stay():
    held = pcv.cross_validate(pcv.MNLogit(), "y ~ x", DATA, folds=pcv.Holdout(0.3, random=1))
    found = held.augment()
    assert len(found) == N
    tested = found[".prediction"].notna()
    assert [one is not None for one in held.predictions] == tested.tolist()
    assert held.predictions[tested].tolist() == found[".prediction"][tested].tolist()
    assert tested.sum() == len(held.plan.rows)
    assert found.loc[~tested, [".prob_a", ".repeat", ".fold", ".loss"]].isna().all(axis=None)


def test_the_confusion_matrix_with_wilson_s_limits():
    found = ONCE.confusion(level=0.9)
    y, p = (
        WORDS[ONCE.plan.rows],
        np.array(["a", "b", "c"])[ONCE.table.predictions.values[0].astype(int)],
    )
    for row in found.itertuples():
        of = y == row.observed
        hits = (p[of] == row.predicted).sum()
        assert (row.rows, row.of) == (hits, of.sum())
        low, high = proportion_confint(hits, of.sum(), alpha=0.1, method="wilson")
        assert row.share == pytest.approx(hits / of.sum(), rel=SAME)
        np.testing.assert_allclose([row.conf_low, row.conf_high], [max(low, 0), high], atol=SAME)
    assert found["method"].unique().tolist() == ["wilson"]
    assert found["target"].unique().tolist() == ["PQ(72)"]
    share = found.query("observed == 'c' and predicted == 'c'")["share"].item()
    assert share == pytest.approx(ONCE.metric("sensitivity(c)").estimate, rel=SAME)


def test_repetitions_are_averaged_in_the_confusion_matrix():
    found = TWICE.confusion()
    assert found["rows"].sum() == pytest.approx(N)
    assert found.groupby("observed")["of"].first().sum() == N
    share = found.query("observed == 'b' and predicted == 'b'")["share"].item()
    assert share == pytest.approx(TWICE.metric("sensitivity(b)", "repeats").estimate, rel=SAME)


def test_no_limits_where_rows_depend():
    found = pcv.cross_validate(
        pcv.Logit(), "two ~ x", DATA, folds=pcv.Grouped(5, random=1), groups="g"
    ).confusion()
    in_time = pcv.TimeSeries(30, horizon=10, step=10)
    others = [
        pcv.cross_validate(pcv.Logit(), "two ~ x", DATA, folds=folds).confusion()
        for folds in (in_time, pcv.Bootstrap(10, random=1))
    ]
    for cells in (found, *others):
        assert cells["conf_low"].isna().all()
        assert cells["method"].unique().tolist() == ["none"]
    with pytest.raises(pcv.errors.LossError, match="accuracy needs classes"):
        pcv.cross_validate(pcv.OLS(), "x ~ g", DATA, folds=5).confusion()


def test_strata_come_in_the_order_of_the_levels_as_from_the_splitter_itself():
    """Not in that of their names: other names of the same levels leave the folds as they are."""
    codes = np.digitize(X, [-0.5, 0.8])
    plans = []
    for levels in (["lo", "mid", "hi"], ["a", "b", "c"]):
        y = pd.Categorical.from_codes(codes, levels)
        folds = pcv.Stratified(4, random=1)
        found = pcv.cross_validate(pcv.Mean(), X={"x": X}, y=y, folds=folds)
        assert found.plan.fingerprint == folds.plan(N, y=y).fingerprint
        tuned = pcv.Tuned(pcv.KNN(), {"k": [1, 3]}, inner=folds)
        inside = pcv.cross_validate(tuned, X={"x": X}, y=y, folds=pcv.Blocks(2)).inner_plans
        plans.append([one.fingerprint for one in (found.plan, *inside)])
    assert plans[0] == plans[1]
