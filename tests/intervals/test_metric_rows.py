"""Intervals of metrics: one estimate everywhere, what is averaged, what is refused."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
from sklearn import metrics as sk

import pycvstat as pcv
from pycvstat.cli.parser import main
from pycvstat.errors import InputError, IntervalError, LossError, PycvstatError, PycvstatWarning
from pycvstat.intervals import METHODS
from pycvstat.intervals.of_metrics import known_of
from pycvstat.losses import Metric
from pycvstat.losses.metrics import METRICS, fold_values

SAME = 1e-12  # the same numbers summed in another order
RNG = np.random.default_rng(5)
N = 150
X, Z = RNG.normal(size=(2, N))
DATA = {"x": X, "z": Z, "y": np.where(X + RNG.normal(size=N) > 0, "yes", "no"), "v": X + Z}
FOLDS = pcv.KFold(7, random=1)  # folds of 21 and 22 rows
LOGIT = pcv.cross_validate(pcv.Logit(), "y ~ x", DATA, folds=FOLDS)
TWICE = pcv.cross_validate(
    pcv.Logit(), "y ~ x", DATA, folds=pcv.Repeated(pcv.KFold(7), 3, random=1)
)
LINE = pcv.cross_validate(pcv.OLS(), "v ~ x", DATA, folds=FOLDS)
OF_TWO = [n for n, m in METRICS.items() if m.needs in ("classes", "scores", "probabilities")]


@cache
def both():
    return pcv.compare({"x": pcv.Logit(), "z": pcv.KNN(15)}, "y ~ x + z", DATA, folds=FOLDS)


@pytest.mark.parametrize("averaging", ["folds", "pooled", "repeats"])
@pytest.mark.parametrize("name", [n for n in OF_TWO if METRICS[n].linear])
def test_one_estimate_everywhere(name, averaging):
    for result in (LOGIT, TWICE):
        found = result.metric(name, averaging).estimate
        assert result.interval(metric=name, averaging=averaging).estimate == pytest.approx(found)
        row = result.metrics([name], averaging).iloc[0]
        assert row["estimate"] == found
        assert row["averaging"] == averaging
        assert row["conf_low"] <= found <= row["conf_high"]


@pytest.mark.parametrize("averaging", ["folds", "pooled", "repeats"])
def test_what_is_averaged(averaging):
    found = TWICE.metric("mcc", averaging)
    table = TWICE.table
    y, p = table.y[table.plan.rows], table.predictions.values[0]
    part = {
        "folds": np.repeat(np.arange(21), table.plan.n_test),
        "pooled": np.zeros(len(y)),
        "repeats": np.repeat(table.plan.repeat, table.plan.n_test),
    }[averaging]
    each = [sk.matthews_corrcoef(y[part == k], p[part == k]) for k in np.unique(part)]
    assert found.estimate == pytest.approx(np.mean(each), rel=SAME)


@pytest.mark.parametrize("name", ["mcc", "auc_ovr", "calibration_slope"])
def test_the_bootstrap_averages_as_it_says(name):
    for averaging in ("pooled", "repeats"):
        asked = {"metric": name, "averaging": averaging, "draws": 100}
        found = TWICE.interval("bootstrap", **asked)
        assert found.estimate == pytest.approx(TWICE.metric(name, averaging).estimate, rel=SAME)


def test_the_pooled_auc_has_delong_s_variance():
    found = LOGIT.interval("all_pairs", metric="auc", averaging="pooled")
    y = LOGIT.table.y[LOGIT.plan.rows]
    score = LOGIT.table.predictions.prob[0, :, 1]
    won = np.sign(score[y == 1][:, None] - score[y == 0]) / 2 + 0.5
    variance = won.mean(1).var() / (y == 1).sum() + won.mean(0).var() / (y == 0).sum()
    assert found.estimate == pytest.approx(won.mean(), rel=SAME)
    assert found.std_error == pytest.approx(np.sqrt(variance), rel=SAME)


def test_the_delta_method_for_sensitivity_is_that_of_a_share_of_the_true():
    found = LOGIT.interval("all_pairs", metric="sensitivity")
    y, p = LOGIT.table.y[LOGIT.plan.rows], LOGIT.table.predictions.values[0]
    share, true = p[y == 1].mean(), (y == 1).sum()
    assert found.estimate == pytest.approx(share, rel=SAME)
    assert found.std_error == pytest.approx(np.sqrt(share * (1 - share) / true), rel=SAME)


def test_a_table_of_metrics():
    rows = LOGIT.metrics(["Accuracy", "auc", sk.log_loss, "calibration_slope"])
    assert rows.columns.tolist() == [
        "metric", "estimate", "conf_low", "conf_high", "level", "averaging", "method", "target",
        "notes",
    ]  # fmt: skip
    assert rows["metric"].tolist() == ["accuracy", "auc", "log_loss", "calibration_slope"]
    assert rows["averaging"].tolist() == ["pooled", "folds", "pooled", "pooled"]
    assert rows["method"].tolist() == ["corrected_t"] * 3 + ["bootstrap"]
    assert rows["target"].str.match(r"(ER|PQ)\(").all()


def test_classes_that_are_missing_in_a_fold():
    rare = np.where(np.arange(N) < 4, "a", "b")
    result = pcv.cross_validate(pcv.KNN(9), "y ~ x", DATA | {"y": rare}, folds=pcv.Blocks(10))
    row = result.metrics("auc").iloc[0]
    assert np.isnan(row["estimate"])
    assert row["method"] == "none"
    assert "not defined in 9 of 10 folds (fold 2, 3, 4, 5, 6, ...)" in row["notes"]
    assert result.metrics("auc", "pooled")["estimate"].between(0, 1).all()
    with pytest.raises(IntervalError, match="auc is not defined in every fold") as refused:
        result.interval(metric="auc")
    assert "averaging='pooled'" in refused.value.fix
    assert "folds=Stratified(10)" in refused.value.fix
    grouped = {"groups": np.arange(N) // 2, "folds": pcv.Grouped(10, random=1)}
    result = pcv.cross_validate(pcv.KNN(9), "y ~ x", DATA | {"y": rare}, **grouped)
    for ask in (result.interval, lambda metric: fold_values(result.table, metric)):
        with pytest.raises(PycvstatError, match="auc is not defined in every fold") as refused:
            ask(metric="auc")
        assert "folds=StratifiedGrouped(10)" in refused.value.fix


def test_a_metric_of_fits_that_all_failed_says_so():
    class Fails:
        def fit(self, X, y):
            raise ValueError("no")

        def predict(self, X):
            return np.zeros(len(X))

    with pytest.warns(PycvstatWarning):
        result = pcv.cross_validate(
            Fails(), "y ~ x", DATA | {"y": np.where(np.arange(N) % 2, "a", "b")}, folds=3,
            on_error="warn",
        )  # fmt: skip
    with pytest.raises(LossError, match="auc has nothing to measure: every fit failed"):
        result.metrics("auc")


def test_what_is_refused():
    with pytest.raises(IntervalError, match="not a smooth function of means"):
        LINE.interval("corrected_t", metric="medae", averaging="pooled")
    with pytest.raises(IntervalError, match="averaging= is of a metric"):
        LINE.interval(averaging="pooled")
    with pytest.raises(InputError, match="averaging"):
        LINE.metric("rmse", "fold")
    with pytest.raises(InputError, match="metrics is a list"):
        LINE.metrics([])
    with pytest.raises(LossError, match="no metric called"):
        LINE.metrics(["rmse", "rmsee"])
    assert LINE.metrics("medae", "pooled")["method"].tolist() == ["bootstrap"]


@pytest.mark.parametrize("averaging", ["folds", "pooled"])
@pytest.mark.parametrize("name", ["auc", "mcc", "brier", "f1", "kappa", "sensitivity"])
def test_pairs(name, averaging):
    found = both().paired("x", "z", metric=name, averaging=averaging)
    one, two = (
        pcv.losses.metrics.metric(both().tables[k], name, averaging=averaging) for k in "xz"
    )
    assert found.difference == pytest.approx(one.estimate - two.estimate, abs=SAME)
    assert 0 <= found.p_value <= 1
    assert both().pairs(metric=name, averaging=averaging)["estimate"][0] == found.difference


def test_metrics_of_several_methods():
    rows = both().metrics(["auc", "mcc"], "pooled")
    assert rows[["method", "metric"]].values.tolist() == [
        ["x", "auc"], ["x", "mcc"], ["z", "auc"], ["z", "mcc"],
    ]  # fmt: skip
    x, z = rows.loc[rows["metric"] == "mcc", "estimate"]
    assert x - z == pytest.approx(
        both().paired("x", "z", metric="mcc", averaging="pooled").difference, abs=SAME
    )


@pytest.mark.live_r
def test_the_paired_difference_of_aucs_is_that_of_proc():
    """DeLong's test; pROC divides by the number of each class less one, the interval by it."""
    from pycvstat.r.bridge import require, run

    require(["pROC"])
    found = both().paired("x", "z", metric="auc", averaging="pooled", method="all_pairs")
    y = LOGIT.table.y[both().plan.rows]
    one, two = (both().tables[k].predictions.prob[0, :, 1] for k in "xz")
    theirs = run(
        """{ a <- pROC::roc(y, one, direction = "<", quiet = TRUE)
             b <- pROC::roc(y, two, direction = "<", quiet = TRUE)
             v <- pROC::var(a) + pROC::var(b) - 2 * pROC::cov(a, b)
             test <- pROC::roc.test(a, b, method = "delong", paired = TRUE)
             c(pROC::auc(a) - pROC::auc(b), sqrt(v), test$statistic) }""",
        y=y, one=one, two=two,
    )  # fmt: skip
    difference, std_error, statistic = np.asarray(theirs)
    assert found.difference == pytest.approx(difference, abs=SAME)
    assert statistic == pytest.approx(difference / std_error, rel=SAME)
    curve = METRICS["auc"].influence(y, one) - METRICS["auc"].influence(y, two)
    n, n1 = y.size, (y == 1).sum()
    parts = [curve[y == k] * size / n for k, size in ((1, n1), (0, n - n1))]
    of_class = [part.var(ddof=1) / part.size for part in parts]
    assert np.sqrt(sum(of_class)) == pytest.approx(std_error, rel=SAME)
    divided_by_n = [part.var() / part.size for part in parts]
    assert found.std_error == pytest.approx(np.sqrt(sum(divided_by_n)), rel=SAME)


def test_cv_auc_averages_the_curves_of_a_row():
    plan, n = TWICE.plan, N
    y, score = METRICS["auc"].rows(TWICE.table)
    curve, areas = np.zeros(n), []
    for a, b in zip(plan.offsets, plan.offsets[1:], strict=False):
        won = np.sign(score[a:b][y[a:b] == 1][:, None] - score[a:b][y[a:b] == 0]) > 0
        areas.append(won.mean())
        for k, wins in ((1, won.mean(axis=1)), (0, won.mean(axis=0))):
            among = y[a:b] == k
            share = (y == k).mean() * (b - a) * len(plan)
            curve[plan.rows[a:b][among]] += (wins - won.mean()) / share
    found = TWICE.interval("cv_auc")
    assert found.estimate == pytest.approx(np.mean(areas), rel=SAME)
    assert found.std_error == pytest.approx(np.sqrt((curve**2).sum()), rel=SAME)
    assert found.target.startswith("PQ")
    once = LOGIT.interval("cv_auc")
    assert found.std_error == pytest.approx(once.std_error, rel=0.1)  # three partitions, one law
    assert "mean AUC of the 7 models" in once.estimand


def test_pairs_of_what_has_no_derivative_are_drawn_together():
    found = both().paired("x", "z", metric="average_precision", averaging="pooled", draws=200)
    assert found.method == "bootstrap"
    rows = {k: METRICS["average_precision"].rows(both().tables[k]) for k in "xz"}
    value = METRICS["average_precision"].value
    assert found.difference == pytest.approx(value(*rows["x"]) - value(*rows["z"]), abs=SAME)
    order = np.argsort(both().plan.rows)
    y, one, two = rows["x"][0][order], rows["x"][1][order], rows["z"][1][order]
    stream = pcv.RRandom(1)
    drawn = [np.asarray(stream.sample(N, N, replace=True)) - 1 for _ in range(200)]
    differences = [value(y[d], one[d]) - value(y[d], two[d]) for d in drawn]
    np.testing.assert_allclose(
        [found.low, found.high], np.quantile(differences, [0.025, 0.975]), atol=SAME
    )
    by_name = both().paired("x", "z", metric="auc", averaging="pooled", method="bootstrap")
    delong = both().paired("x", "z", metric="auc", averaging="pooled", method="all_pairs")
    assert by_name.std_error == pytest.approx(delong.std_error, rel=0.1)  # 1000 draws: 0.022
    slopes = both().pairs(metric="calibration_slope")
    assert slopes["method"].tolist() == ["bootstrap"]
    assert slopes["p_adjusted"].isna().all()


def test_delong_is_named_where_the_variance_is_theirs():
    for found in (
        LOGIT.interval(metric="auc", averaging="pooled"),
        both().paired("x", "z", metric="auc", averaging="pooled").interval,
    ):
        assert any("DeLong" in note for note in found.notes)
        assert "delong1988" in found.citation
    assert "Clarke-Pearson" in LOGIT.interval(metric="auc", averaging="pooled").cite()
    assert "delong1988" not in LOGIT.interval(metric="auc").citation


def test_intervals_are_named_by_their_metric():
    assert LOGIT.interval(metric="auc").estimand.startswith("expected AUC of the learner trained")
    assert "; mean of its values by test fold" in LOGIT.interval(metric="auc").estimand
    pooled = LOGIT.interval(metric="log_loss").estimand
    assert pooled.startswith("expected log loss of the learner")
    assert "; of all held-out predictions together" in pooled
    rmse = LINE.interval(metric="rmse").estimand
    assert rmse.startswith("square root of the expected squared error of the learner")
    difference = both().paired("x", "z", metric="auc").interval.estimand
    assert difference.startswith("difference, x minus z, of the expected AUC of the learner")


def test_methods_of_equal_classes_differ_in_probabilities():
    """Pairs are equal where the metric is, not where the losses are: here all predict no event."""
    few = DATA | {"y": np.where(X + 2 * Z > 2.5, "yes", "no")}
    models = {"x": pcv.Model(pcv.KNN(75), "y ~ x"), "mean": pcv.Model(pcv.Mean(), "y ~ x")}
    both = pcv.compare(models, data=few, folds=pcv.Stratified(5, random=1))
    assert both.estimate["x"] == both.estimate["mean"]
    (row,) = both.pairs(metric="auc").to_dict("records")
    assert row["estimate"] == both.paired("x", "mean", metric="auc").estimate > 0.05
    with pytest.warns(pcv.errors.PycvstatWarning, match="the same balanced accuracy in every"):
        (row,) = both.pairs(metric="balanced_accuracy").to_dict("records")
    assert (row["metric"], row["method"], row["estimate"]) == ("balanced_accuracy", "none", 0.0)


@pytest.mark.parametrize("name", ["brier", "mcc", "auc", "accuracy"])
@pytest.mark.parametrize("averaging", ["folds", "pooled"])
def test_weights_of_losses_are_not_in_metrics(name, averaging):
    data = DATA | {"w": np.exp(Z)}
    weighed = pcv.cross_validate(pcv.Logit(), "y ~ x", data, folds=FOLDS, loss_weights="w")
    found = weighed.interval(metric=name, averaging=averaging)
    asked = LOGIT.interval(metric=name, averaging=averaging)
    same = [(one.estimate, one.low, one.high) for one in (found, asked)]
    assert same[0] == pytest.approx(same[1], rel=SAME)
    assert any("weights in the losses, not in the" in note for note in found.notes)


def test_a_function_of_one_s_own_on_one_split():
    one = pcv.cross_validate(pcv.OLS(), "v ~ x", DATA, folds=pcv.Holdout(0.4, random=1))
    found = one.interval(metric=Metric(lambda y, p: np.quantile(abs(y - p), 0.9), name="q90"))
    assert found.method == "bootstrap"
    assert found.low < found.estimate < found.high


def test_on_the_command_line(tmp_path, capsys):
    import pandas as pd

    path = tmp_path / "d.csv"
    pd.DataFrame(DATA).to_csv(path, index=False)
    words = ["cv", str(path), "y ~ x", "--learner", "logit", "--factor", "y", "--folds", "5"]
    asked = ["--seed", "1", "--metrics", "accuracy,auc, brier", "--averaging", "pooled"]
    assert main([*words, *asked, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["metrics"]
    assert [row["metric"] for row in rows] == ["accuracy", "auc", "brier"]
    assert main([*words, *asked]) == 0
    assert "brier" in capsys.readouterr().out
    inside = ["--grid", "k=3,9", "--outer", "4", "--inner", "3", "--seed", "1"]
    asked = ["--metric", "auc", "--metrics", "auc,mcc", "--loss-weights", "v", "--json"]
    data = pd.DataFrame(DATA | {"v": np.abs(X) + 1})
    data.to_csv(path, index=False)
    named = ["nested", str(path), "y ~ x", "--learner", "knn", "--factor", "y", *inside, *asked]
    assert main(named) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["averaging"] for row in found["metrics"]] == ["folds", "pooled"]
    assert found["glance"]["weights"] == "in the losses"
    assert main([*named[:-1], "--metric", "aucc"]) == 1
    assert "did you mean 'auc'" in capsys.readouterr().err
    assert main([*words, "--metrics", "acuracy"]) == 1
    assert "did you mean 'accuracy'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "said"), [("rmse", " 99 % on 10 folds"), ("accuracy", " 97 to 99 % on 10 folds")]
)
def test_what_covered_is_told_as_a_range_or_as_a_number(name: str, said: str) -> None:
    known = known_of(
        METRICS[name],
        METRICS[name].averaging,
        METHODS["corrected_t"],
        pcv.KFold(10, random=1).plan(40),
    )
    assert said in known
    assert "99 to 99" not in known
