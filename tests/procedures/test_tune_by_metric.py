"""Candidates chosen by a metric: the best mean of its fold values, whichever way is better."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.cli.parser import main
from pycvstat.errors import LossError
from pycvstat.losses import FoldMeans, Metric
from pycvstat.procedures.selection import Rule, choose
from pycvstat.report.views.nested import NestedView

RNG = np.random.default_rng(11)
N = 120
X = RNG.normal(size=N)
DATA = {"x": X, "y": np.where(X + RNG.normal(size=N) > 0, "yes", "no"), "v": X + RNG.normal(size=N)}
GRID = {"k": [1, 5, 15, 40]}
FOLDS = pcv.Stratified(5, random=1)


def tuned(metric, formula="y ~ x", **more):
    return pcv.tune(pcv.KNN(), formula, DATA, grid=GRID, folds=FOLDS, metric=metric, **more)


@pytest.mark.parametrize(("metric", "pick"), [("auc", np.argmax), ("log_loss", np.argmin)])
def test_the_best_mean_of_folds(metric, pick):
    found = tuned(metric)
    alone = [
        pcv.cross_validate(pcv.KNN(k), "y ~ x", DATA, folds=FOLDS).metric(metric, "folds").estimate
        for k in GRID["k"]
    ]
    np.testing.assert_array_equal(found.tidy()["estimate"], alone)
    assert found.best == {"k": GRID["k"][pick(alone)]}
    assert found.metric == metric
    assert found.glance()["metric"].tolist() == [metric]


def test_rules_where_larger_is_better():
    plan = pcv.FoldPlan.from_fold_ids([1, 2, 3])
    values = np.array([[0.9, 0.84, 0.5], [0.8, 0.80, 0.5], [0.7, 0.70, 0.5]])
    candidates = ({"k": 1}, {"k": 5}, {"k": 9})
    means = FoldMeans(plan, values, "auc", candidates, (0.0, 1.0), better="larger")
    assert choose(means).index == 0
    one_se = choose(means, Rule("one_se", "-k"))
    assert one_se.index == 1
    assert one_se.limit == pytest.approx(0.8 - 0.1 / np.sqrt(3))
    assert choose(means, Rule("tolerance", "-k", 0.01)).index == 0
    assert choose(means, Rule("tolerance", "-k", 0.05)).index == 1


@pytest.mark.live_r
@pytest.mark.parametrize(
    ("response", "metric"),
    [
        *(("v", name) for name in ("rmse", "r2", "r2_correlation", "mae")),
        *(("one", name) for name in ("auc", "accuracy", "kappa", "balanced_accuracy", "mse")),
    ],
)
def test_r_chooses_the_same_candidate(response, metric):
    data = DATA | {"one": (DATA["y"] == "yes") * 1.0}
    check = pcv.tune(
        pcv.Ridge(), f"{response} ~ x + I(x^2)", data, grid={"lam": [0.01, 9.0, 900.0]},
        folds=FOLDS, metric=metric, rule="one_se", complexity="-lam",
    ).crosscheck()  # fmt: skip
    assert check, check


def test_nested_by_a_metric_is_tuning_of_every_training_part_by_it():
    found = pcv.nested_cv(
        pcv.KNN(), "y ~ x", DATA, grid=GRID, outer=FOLDS, inner=pcv.KFold(4), metric="auc",
        rule="one_se", complexity="-k",
    )  # fmt: skip
    for i, plan in enumerate(found.inner_plans):
        part = pcv.tune(
            pcv.KNN(), data=found.task.take(found.plan.train_rows(i)), grid=GRID, folds=plan,
            metric="auc", rule="one_se", complexity="-k",
        )  # fmt: skip
        np.testing.assert_array_equal(found.inner_curves[i], part.means.estimate())
        assert found.chosen[i] == part.best
    assert found.loss == "zero_one"
    assert found.retuned.metric == "auc"
    words = " ".join(found.summary().split())
    assert "AUC, larger is better" in words
    assert "one naive standard error of the largest estimate" in words
    assert "and the largest estimate" in NestedView(found).pictures["tuning"].caption
    assert found.min_cv == found.retuned.means.estimate().max()
    both = pcv.compare(
        {"auc": pcv.Tuned(pcv.KNN(), GRID, pcv.KFold(4), metric="auc"), "one": pcv.KNN(1)},
        "y ~ x", DATA, folds=FOLDS,
    )  # fmt: skip
    assert both.paired("auc", "one", metric="auc").difference > 0


def test_an_inner_fold_of_one_class_is_named():
    rare = DATA | {"y": np.where(np.arange(N) < 6, "a", "b")}
    with pytest.raises(LossError, match=r"auc is not defined in every fold"):
        pcv.nested_cv(
            pcv.KNN(), "y ~ x", rare, grid=GRID, outer=pcv.KFold(3, random=1),
            inner=pcv.KFold(10), metric="auc",
        )  # fmt: skip
    with pytest.raises(LossError, match="no metric called"):
        pcv.Tuned(pcv.KNN(), GRID, 5, metric="aucc")


@pytest.mark.live_r
def test_r_nests_by_the_metric():
    check = pcv.nested_cv(
        pcv.Ridge(), "v ~ x", DATA, grid={"lam": [0.01, 1.0, 30.0]}, outer=pcv.KFold(3, random=1),
        inner=pcv.KFold(4), metric="r2",
    ).crosscheck()  # fmt: skip
    assert check, check


def test_a_report_says_largest():
    found = tuned("auc", rule="one_se", complexity="-k")
    words = " ".join(found.summary().split())
    assert "one naive standard error of the largest estimate" in words
    assert "tends to be too large" in words
    found.plot("curve")


def test_what_is_refused():
    with pytest.raises(LossError, match="calibration_slope does not say that larger"):
        tuned("calibration_slope")
    with pytest.raises(LossError, match="does not say that larger"):
        tuned(Metric(lambda y, p: 0.0, "classes"))
    rare = DATA | {"y": np.where(np.arange(N) < 3, "a", "b")}
    with pytest.raises(LossError, match="auc is not defined in every fold"):
        pcv.tune(pcv.KNN(), "y ~ x", rare, grid=GRID, folds=pcv.Blocks(5), metric="auc")
    with pytest.raises(LossError, match="no metric called"):
        tuned("aucc")


def test_it_is_saved_and_asked_for_on_the_command_line(tmp_path, capsys):
    found = tuned("auc")
    again = pcv.load(found.save(tmp_path / "tuned.npz"))
    assert (again.metric, again.means.better, again.best) == ("auc", "larger", found.best)
    pd.DataFrame(DATA).to_csv(tmp_path / "d.csv", index=False)
    words = ["tune", str(tmp_path / "d.csv"), "y ~ x", "--learner", "knn", "--factor", "y"]
    asked = ["--grid", "k=1,15", "--folds", "stratified:5", "--seed", "1", "--metric", "roc_auc"]
    assert main([*words, *asked, "--json"]) == 0
    glance = json.loads(capsys.readouterr().out)["glance"]
    assert (glance["metric"], glance["best_k"]) == ("auc", 15)


def test_predictions_are_kept_where_asked_for():
    assert tuned("rmse", "v ~ x", keep="fold_means").table is None
    assert tuned("rmse", "v ~ x").table.loss == "squared"
