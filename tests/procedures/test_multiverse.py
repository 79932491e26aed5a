"""Many ways to split: each as the plain call gives it, shares of conclusions, what is refused."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import FoldError, InputError, IntervalError
from pycvstat.folds import Layout, Splitter

CARS = pcv.data.mtcars()
BOTH = {"ols": pcv.OLS(), "knn": pcv.KNN(5)}


def test_every_split_is_the_plain_call():
    folds = [pcv.KFold(5), pcv.Repeated(pcv.KFold(4), 2), pcv.RFolds("caret", 4)]
    found = pcv.multiverse(BOTH, "mpg ~ wt + hp", CARS, folds=folds, seeds=[3, 8])
    rows = found.tidy()
    assert len(rows) == 3 * 2 * 3
    for seed in (3, 8):
        plans = (
            pcv.KFold(5, random=seed),
            pcv.Repeated(pcv.KFold(4), 2, random=seed),
            pcv.RFolds("caret", 4, seed=seed),
        )
        for given, plan in zip(folds, plans, strict=True):
            result = pcv.compare(BOTH, "mpg ~ wt + hp", CARS, folds=plan)
            part = rows[(rows["folds"] == str(given)) & (rows["seed"] == seed)]
            alone, _, both = (part.iloc[i] for i in range(3))
            pair, risk = result.paired("ols", "knn"), result["ols"].interval()
            for row, ours in ((alone, risk), (both, pair)):
                assert (row["estimate"], row["conf_low"], row["conf_high"]) == (
                    ours.estimate, ours.low, ours.high,
                )  # fmt: skip
            assert both["p_value"] == pair.p_value
            times = result.plan.times
            assert (alone["k"], alone["times"]) == (len(result.plan) // times, times)


def test_conclusions_are_those_of_the_p_values():
    found = pcv.multiverse(
        BOTH | {"mean": pcv.Mean()}, "mpg ~ drat", CARS, folds=[5, 10], seeds=range(12)
    )
    rows = found.tidy()
    pairs = rows[rows["b"] != ""]
    smaller = np.where(pairs["estimate"] < 0, pairs["a"], pairs["b"]) + " smaller"
    expected = np.where(pairs["p_value"] < 0.05, smaller, "not told apart")
    assert pairs["conclusion"].tolist() == expected.tolist()
    assert set(rows[rows["b"] == ""]["conclusion"]) == {""}
    counts = found.tidy("conclusions").query("b != ''")
    assert (counts.groupby(["folds", "a", "b"])["share"].sum().round(12) == 1).all()
    assert counts["conclusion"].nunique() >= 2
    mine = counts[
        (counts["a"] == "ols") & (counts["b"] == "mean") & (counts["folds"] == "KFold(5)")
    ]
    part = pairs[(pairs["a"] == "ols") & (pairs["b"] == "mean") & (pairs["k"] == 5)]
    assert dict(zip(mine["conclusion"], mine["splits"], strict=True)) == (
        part["conclusion"].value_counts().to_dict()
    )
    assert mine["smallest"].iloc[0] == part["estimate"].min()
    assert 0 < found.glance()["agreement"].item() < 1


def test_a_risk_against_a_value_or_nothing():
    found = pcv.multiverse(pcv.OLS(), "mpg ~ wt", CARS, folds=5, seeds=range(3), null=9.5)
    assert set(found.tidy()["conclusion"]) == {"not told apart"}
    assert found.tidy()["p_value"].between(0, 1).all()
    low = pcv.multiverse(pcv.OLS(), "mpg ~ wt", CARS, folds=5, seeds=range(3), null=60)
    assert set(low.tidy()["conclusion"]) == {"below 60"}
    nothing = pcv.multiverse(pcv.OLS(), "mpg ~ wt", CARS, folds=5, seeds=range(3))
    assert nothing.tidy()["p_value"].isna().all()
    assert nothing.tidy("conclusions")["conclusion"].tolist() == [""]
    assert np.isnan(nothing.glance()["agreement"].item())
    assert "estimates from" in nothing.summary()


def test_folds_that_draw_nothing_are_one_split():
    found = pcv.multiverse(
        BOTH, "mpg ~ wt", CARS, folds=[5, pcv.Blocks(4), pcv.LeaveOneOut()], seeds=range(4)
    )
    assert [one.seed for one in found.universes] == [0, 1, 2, 3, None, None]
    assert found.plans == ["KFold(5)", "Blocks(4)", "LeaveOneOut()"]


@dataclass(frozen=True, repr=False)
class Odd(Splitter):
    """Rows with odd numbers, then the others; has no seed, and does not say that it needs none."""

    def _layout(self, given, stream):
        return Layout("kfold", [np.arange(1, given.n, 2), np.arange(0, given.n, 2)])

    def get_n_splits(self, X=None, y=None, groups=None):
        return 2


def test_folds_of_a_user_that_have_no_seed_are_one_split():
    found = pcv.multiverse(pcv.OLS(), "mpg ~ wt", CARS, folds=[Odd()], seeds=range(3))
    assert [one.seed for one in found.universes] == [None]
    plain = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", CARS, folds=np.arange(32) % 2)
    assert found.tidy()["estimate"].tolist() == [plain.estimate]


def test_without_an_interval_there_is_no_conclusion():
    found = pcv.multiverse(
        BOTH, "mpg ~ wt", CARS, folds=[pcv.TimeSeries(20), pcv.Bootstrap(5)], seeds=[1]
    )
    assert set(found.tidy()["conclusion"]) == {"", "no interval"}
    assert found.tidy()["estimate"].notna().all()
    notes = found.tidy()["notes"][found.tidy()["method"] == "none"]
    assert notes.str.contains("resamples share most of their training rows").any()
    with pytest.raises(IntervalError, match="ncv is not legal here"):
        pcv.multiverse(BOTH, "mpg ~ wt", CARS, folds=5, seeds=[1], method="ncv")


def test_groups_weights_and_tuned_learners():
    data = CARS.assign(g=np.arange(32) // 2)
    tuned = pcv.Tuned(pcv.KNN(), {"k": [1, 5]}, inner=3)
    found = pcv.multiverse(
        {"ols": pcv.OLS(), "knn": tuned}, "mpg ~ wt", data, folds=[4], seeds=range(2), groups="g"
    )
    assert found.plans == ["Grouped(4)"]
    one = pcv.compare(
        {"ols": pcv.OLS(), "knn": tuned}, "mpg ~ wt", data,
        folds=pcv.Grouped(4, random=0), groups="g",
    )  # fmt: skip
    assert found.tidy()["estimate"].iloc[1] == one["knn"].interval().estimate


def test_the_report_asks_the_question(tmp_path):
    found = pcv.multiverse(BOTH, "mpg ~ wt", CARS, folds=[5], seeds=range(4))
    result = pcv.compare(BOTH, "mpg ~ wt", CARS, folds=pcv.KFold(5, random=0))
    text = result.report(tmp_path / "r.md", include=[found]).read_text()
    assert "## Would another split have said something else?" in text
    assert "of the splits" in text
    assert "Would another split" not in result.report(tmp_path / "s.md").read_text()
    again = pcv.load(found.save(tmp_path / "m.npz"))
    pd.testing.assert_frame_equal(again.tidy(), found.tidy())


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        ({"folds": []}, InputError, "the list of folds is empty"),
        ({"seeds": [1, 2, 1]}, InputError, "(?s)a seed is given twice.*1, 2 times"),
        ({"seeds": []}, InputError, "seeds are whole numbers, at least one"),
        ({"seeds": [1.5]}, InputError, "seeds are whole numbers"),
        ({"seeds": "ab"}, InputError, "seeds are whole numbers"),
        ({"folds": [pcv.KFold(5, random=1)]}, InputError, "(?s)a seed of their own.*leave it out"),
        ({"folds": [5, pcv.KFold(5)]}, InputError, r"(?s)given twice.*KFold\(5\)"),
        ({"folds": [1]}, FoldError, "K must be at least 2"),
        ({"null": "a"}, InputError, "null is a number"),
        ({"level": 95}, InputError, "level"),
        ({"checkpoint": "here"}, InputError, "a checkpoint holds one cross-validation"),
        ({"times": 3}, InputError, "no argument 'times'"),
    ],
)
def test_refused(asked, error, says):
    with pytest.raises(error, match=says):
        pcv.multiverse(BOTH, "mpg ~ wt", CARS, **{"folds": [5], "seeds": [1]} | asked)


def test_there_must_be_a_learner():
    with pytest.raises(InputError, match="there is no learner"):
        pcv.multiverse({}, "mpg ~ wt", CARS, folds=[5])


def test_a_single_split_is_singular():
    found = pcv.multiverse(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=5, seeds=[1])
    assert "  1 split\n" in str(found.summary())
