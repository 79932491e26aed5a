"""Relative stability: the measurement done by hand, lassos flagged, least squares passing."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError, PycvstatWarning
from pycvstat.procedures.stability import _replaced

REFITS = 1e-8


def sparse(n=200, seed=200):
    rng = np.random.default_rng(seed)
    data = pd.DataFrame(rng.normal(size=(n, 5)), columns=list("abcde"))
    return data.assign(y=data["a"] + 0.5 * data["b"] + rng.normal(size=n))


def compared(learners, n=200, **more):
    folds = more.pop("folds", pcv.KFold(10, random=1))
    return pcv.compare(learners, "y ~ .", sparse(n), folds=folds, **more)


@pytest.mark.parametrize("seed", [2, 3, 5, 6])
def test_lassos_are_stable_alone_and_not_beside_each_other(seed):
    """Bayle, Janson and Mackey (2025): penalties of the order of one over the root of n."""
    data, root = sparse(seed=seed), np.sqrt(200)
    learners = {"small": pcv.Lasso(0.5 / root), "larger": pcv.Lasso(0.6 / root)}
    found = pcv.compare(learners, "y ~ .", data, folds=pcv.KFold(10, random=1)).stability()
    assert found.pairs == (("small", ""), ("larger", ""), ("small", "larger"))
    assert found.stable.tolist() == [True, True, False]
    assert "small − larger" in repr(found)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_least_squares_pass(seed):
    data = sparse(seed=seed)
    for other in (pcv.Mean(), pcv.Ridge(0.1)):
        found = pcv.compare(
            {"ols": pcv.OLS(), "other": other}, "y ~ .", data, folds=pcv.KFold(10, random=1)
        ).stability()
        assert found.stable.all()


def test_the_ratio_of_least_squares_falls_with_n():
    few, many = (
        compared({"ols": pcv.OLS(), "mean": pcv.Mean()}, n).stability().ratio for n in (100, 800)
    )
    assert (many < few / 3).all()


def test_the_measurement_by_hand():
    data = sparse(60)
    learners = {"ols": pcv.OLS(), "knn": pcv.KNN(5)}
    result = pcv.compare(learners, "y ~ .", data, folds=pcv.KFold(4, random=2))
    found = result.stability(draws=20, random=3)
    changed, _ = _replaced(result.plan, 20, pcv.RRandom(3))
    change, spread = [], []
    for draw, (train, test) in enumerate(changed):
        usual = result.plan.train_rows(draw % 4)
        assert len(set(train) - set(usual)) == len(set(usual) - set(train)) == 1
        assert set(result.plan.test_rows(draw % 4)) - set(test) == set(train) - set(usual)

        def losses(learner, rows, test=test):
            fit = learner.fit("y ~ .", data.iloc[rows].reset_index(drop=True))
            return (data["y"].to_numpy()[test] - fit.predict(data.iloc[test])) ** 2

        before = losses(learners["ols"], usual) - losses(learners["knn"], usual)
        after = losses(learners["ols"], train) - losses(learners["knn"], train)
        change.append(np.var(after - before, ddof=1))
        spread.append(np.var(before, ddof=1))
    np.testing.assert_allclose(found.change[2], np.mean(change), rtol=REFITS)
    np.testing.assert_allclose(found.spread[2], np.mean(spread), rtol=REFITS)
    np.testing.assert_allclose(found.ratio, 60 * found.change / found.spread)


def test_paired_warns_of_two_lassos_only():
    tuned = pcv.Tuned(pcv.ElasticNet(), {"lam": [0.1, 0.2]}, inner=3)
    learners = {"lasso": pcv.Lasso(0.1), "net": tuned, "ols": pcv.OLS(), "ridge": pcv.Ridge(0.1)}
    result = compared(learners, 80)
    with pytest.warns(PycvstatWarning, match=r"(?s)relatively unstable.*lasso and net.*stability"):
        result.paired("lasso", "net")
    with warnings.catch_warnings():
        warnings.simplefilter("error", PycvstatWarning)
        result.paired("ols", "ridge")
        result.paired("lasso", "ols")


def test_of_one_learner(tmp_path):
    result = pcv.cross_validate(pcv.OLS(), "y ~ .", sparse(), folds=pcv.KFold(10, random=1))
    found = result.stability()
    assert found.tidy()[["a", "b", "stable"]].values.tolist() == [["OLS", "", True]]
    assert found.glance()["draws"].item() == 200
    again = pcv.load(found.save(tmp_path / "stability.npz"))
    np.testing.assert_array_equal(again.ratio, found.ratio)
    assert "bayle2025" in found.cite()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: compared({"a": pcv.OLS()}, folds=pcv.LeaveOneOut()).stability(), "at least 3"),
        (
            lambda: compared({"a": pcv.OLS()}, loss=lambda y, p: (y - p) ** 4).stability(),
            "keeps no function of yours",
        ),
        (lambda: compared({"a": pcv.OLS()}).stability(draws=3), "at least 20 replaced rows"),
        (
            lambda: compared({"a": pcv.OLS()}, groups=np.arange(200) // 4).stability(),
            "identical folds|come in groups|groups",
        ),
    ],
)
def test_refused(call, says):
    with pytest.raises(InputError, match=says):
        call()
