"""Out-of-fold classes and probabilities, row by row and as a confusion matrix."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

import pycvstat as pcv

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


def test_rows_that_were_never_tested_stay():
    held = pcv.cross_validate(pcv.MNLogit(), "y ~ x", DATA, folds=pcv.Holdout(0.3, random=1))
    found = held.augment()
    assert len(found) == N
    tested = found[".prediction"].notna()
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
    assert found["conf_low"].isna().all()
    assert found["method"].unique().tolist() == ["none"]
    with pytest.raises(pcv.errors.LossError, match="accuracy needs classes"):
        pcv.cross_validate(pcv.OLS(), "x ~ g", DATA, folds=5).confusion()
