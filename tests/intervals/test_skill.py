"""Skill: the part of the way from the mean's metric to perfect predictions."""

from __future__ import annotations

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.intervals.metric_rows import usual_metrics
from pycvstat.losses.metrics import METRICS

SAME = 1e-12  # the same numbers summed in another order
RNG = np.random.default_rng(6)
N = 100
X = RNG.normal(size=N)
DATA = {"x": X, "v": X + RNG.normal(size=N), "y": np.where(X + RNG.normal(size=N) > 0, "b", "a")}
FOLDS = pcv.Stratified(5, random=1)


@pytest.mark.parametrize(
    ("learner", "formula", "names"),
    [
        (pcv.OLS(), "v ~ x", ["rmse", "mae", "r2", "medae"]),
        (pcv.Logit(), "y ~ x", ["accuracy", "auc", "brier", "log_loss", "specificity"]),
    ],
)
def test_the_baseline_is_the_mean_cross_validated_on_the_same_folds(learner, formula, names):
    found = pcv.cross_validate(learner, formula, DATA, folds=FOLDS)
    rows = found.metrics(names, baseline=True).set_index("metric")
    mean = pcv.cross_validate(pcv.Mean(), formula, DATA, folds=FOLDS)
    assert found.plan.fingerprint == mean.plan.fingerprint
    for name in names:
        base, value = mean.metric(name).estimate, found.metric(name).estimate
        assert rows.loc[name, "baseline"] == pytest.approx(base, rel=SAME)
        perfect = 1.0 if METRICS[name].better == "larger" else 0.0
        skill = (value - base) / (perfect - base) if base != perfect else np.nan
        assert rows.loc[name, "skill"] == pytest.approx(skill, rel=SAME, nan_ok=True)
    own = mean.metrics(names, baseline=True)["skill"].dropna()
    np.testing.assert_allclose(own, 0, atol=SAME)


def test_the_skill_of_squares_is_r2_against_the_training_means():
    found = pcv.cross_validate(pcv.OLS(), "v ~ x", DATA, folds=FOLDS)
    y, p = DATA["v"], np.empty(N)
    p[found.plan.rows] = found.table.predictions.values[0]
    means = np.empty(N)
    for train, test in found.plan:
        means[test] = y[train].mean()
    skill = found.metrics("mse", baseline=True)["skill"].item()
    assert skill == pytest.approx(1 - ((y - p) ** 2).sum() / ((y - means) ** 2).sum(), rel=SAME)


def test_no_skill_where_the_mean_is_perfect_or_no_way_is_better():
    same = DATA | {"v": np.full(N, 2.0)}
    found = pcv.cross_validate(pcv.KNN(3), "v ~ x", same, folds=FOLDS)
    assert np.isnan(found.metrics("rmse", baseline=True)["skill"].item())


def test_reports_show_the_usual_metrics_with_skill(tmp_path):
    logit = pcv.cross_validate(pcv.Logit(), "y ~ x", DATA, folds=FOLDS)
    assert usual_metrics(logit.table)[-3:] == ["log_loss", "brier", "auc"]
    hard = pcv.cross_validate(pcv.KNN(5), "y ~ x", DATA, folds=FOLDS)
    assert "accuracy" in usual_metrics(hard.table)
    page = logit.report(tmp_path / "a.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith("| AUC"))
    assert "folds" in row
    skill = logit.metrics("auc", baseline=True)["skill"].item()
    assert f"{skill:.4f}" in row
    for name in ("roc", "precision_recall", "calibration"):
        assert (tmp_path / "a_files" / f"{name}.svg").exists()
    assert "| yes" not in page
    assert "observed | predicted" in page
