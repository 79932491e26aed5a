"""Tuning and nested cross-validation against loops that only know how to fit and predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import FitError, FoldError, InputError, PycvstatWarning
from pycvstat.learners.knn import PORTION

MTCARS = pcv.data.mtcars().reset_index(drop=True)
LAMBDAS = [0.01, 0.1, 1.0, 10.0]
GRID = {"lam": LAMBDAS}
FORMULA = "mpg ~ wt + hp + qsec"
# folds of the shortcut against refits of the same objective
REFIT = 1e-8


def error(lam: float, train: np.ndarray, test: np.ndarray) -> float:
    model = pcv.Ridge(lam=lam).fit(FORMULA, MTCARS.iloc[train])
    predicted = np.asarray(model.predict(MTCARS.iloc[test]))
    return float(np.mean((MTCARS["mpg"].to_numpy()[test] - predicted) ** 2))


def curve(rows: np.ndarray, plan: pcv.FoldPlan) -> np.ndarray:
    return np.mean(
        [[error(lam, rows[train], rows[test]) for lam in LAMBDAS] for train, test in plan], axis=0
    )


def test_tune_is_a_loop_over_candidates_and_folds():
    result = pcv.tune(pcv.Ridge(), FORMULA, MTCARS, grid=GRID, folds=pcv.KFold(5, random=1))
    by_hand = curve(np.arange(32), result.plan)
    np.testing.assert_allclose(result.tidy()["estimate"], by_hand, rtol=REFIT)
    assert result.best == {"lam": LAMBDAS[int(np.argmin(by_hand))]}
    assert result.tidy()["chosen"].sum() == 1
    assert result.estimate == result.tidy()["estimate"].min()


def test_a_development_set_may_keep_the_fit_on_its_training_part():
    folds = pcv.Holdout(0.25, random=3)
    result = pcv.tune(pcv.Ridge(), FORMULA, MTCARS, grid=GRID, folds=folds, refit="train")
    train = result.plan.train_rows(0)
    expected = pcv.Ridge(**result.best).fit(FORMULA, MTCARS.iloc[train]).predict(MTCARS)
    np.testing.assert_allclose(result.predict(MTCARS), expected, rtol=1e-12)
    everything = pcv.tune(pcv.Ridge(), FORMULA, MTCARS, grid=GRID, folds=folds)
    expected = pcv.Ridge(**result.best).fit(FORMULA, MTCARS).predict(MTCARS)
    np.testing.assert_allclose(everything.predict(MTCARS), expected, rtol=1e-12)


def nested_by_hand(outer: pcv.FoldPlan, inner_plans) -> tuple[list[float], list[float]]:
    chosen, errors = [], []
    for (train, test), inner in zip(outer, inner_plans, strict=True):
        lam = LAMBDAS[int(np.argmin(curve(train, inner)))]
        chosen.append(lam)
        errors.append(error(lam, train, test))
    return chosen, errors


def test_nested_is_algorithm_1():
    result = pcv.nested_cv(
        pcv.Ridge(), FORMULA, MTCARS, grid=GRID, outer=pcv.Blocks(4), inner=pcv.Blocks(3)
    )
    plans = [pcv.Blocks(3).plan(len(train)) for train, _ in result.plan]
    chosen, errors = nested_by_hand(result.plan, plans)
    assert result.chosen["lam"] == chosen
    np.testing.assert_allclose(result.fold_errors, errors, rtol=REFIT)
    assert result.estimate == pytest.approx(np.mean(errors), rel=REFIT)
    assert result.inner_curves.shape == (4, len(LAMBDAS))


def test_inner_folds_are_drawn_after_the_outer_ones_from_the_same_stream():
    result = pcv.nested_cv(
        pcv.Ridge(), FORMULA, MTCARS, grid=GRID, outer=pcv.KFold(4, random=7), inner=pcv.KFold(3)
    )
    rng = pcv.RRandom(7)
    outer = pcv.KFold(4).plan(32, random=rng)
    assert outer.fingerprint == result.plan.fingerprint
    plans = [pcv.KFold(3).plan(len(train), random=rng) for train, _ in outer]
    assert [p.fingerprint for p in plans] == [p.fingerprint for p in result.inner_plans]
    chosen, errors = nested_by_hand(outer, plans)
    assert result.chosen["lam"] == chosen
    np.testing.assert_allclose(result.fold_errors, errors, rtol=REFIT)
    last = pcv.KFold(3).plan(32, random=rng)
    assert result.retuned.plan.fingerprint == last.fingerprint


def test_an_inner_seed_of_its_own_is_used_and_continued():
    def run():
        outer, inner = pcv.KFold(4, random=7), pcv.KFold(3, random=2)
        return pcv.nested_cv(pcv.Ridge(), FORMULA, MTCARS, grid=GRID, outer=outer, inner=inner)

    rng = pcv.RRandom(2)
    result = run()
    plans = [pcv.KFold(3).plan(len(train), random=rng) for train, _ in result.plan]
    assert [p.fingerprint for p in plans] == [p.fingerprint for p in result.inner_plans]
    np.testing.assert_array_equal(result.table.losses, run().table.losses)


def test_the_cheap_variant_uses_a_share_one_over_k_minus_1():
    result = pcv.nested_cv(
        pcv.Ridge(), FORMULA, MTCARS, grid=GRID, outer=pcv.KFold(4, random=1), inner="dev"
    )
    assert [int(p.n_test[0]) for p in result.inner_plans] == [8, 8, 8, 8]  # 24 rows, a third
    chosen, errors = nested_by_hand(result.plan, result.inner_plans)
    assert result.chosen["lam"] == chosen
    np.testing.assert_allclose(result.fold_errors, errors, rtol=REFIT)


def test_repeated_nested_selection_and_final_policies():
    result = pcv.nested_cv(
        pcv.Ridge(), FORMULA, MTCARS, grid=GRID,
        outer=pcv.Repeated(pcv.KFold(4), times=3, random=1), inner=pcv.KFold(3),
    )  # fmt: skip
    assert len(result.chosen) == 12
    selection = result.selection()
    assert selection["times"].sum() == 12
    winner = selection.loc[selection["times"].idxmax(), "lam"]
    assert result.final("vote") == {"lam": winner}
    assert result.final("none") is None
    median = np.median(result.chosen["lam"])
    assert abs(result.final("median")["lam"] - median) == min(abs(v - median) for v in LAMBDAS)
    assert result.final("retune") == result.retuned.best
    assert result.min_cv == result.retuned.estimate
    assert result.interval().estimate == pytest.approx(result.estimate)


def test_the_smallest_estimate_is_that_of_no_rule():
    """A wide tolerance chooses another candidate than the one with the smallest estimate."""
    result = pcv.nested_cv(
        pcv.Ridge(), FORMULA, MTCARS, grid=GRID, outer=4, inner=pcv.KFold(3, random=7),
        rule="tolerance", tolerance=1.0, complexity="-lam",
    )  # fmt: skip
    assert result.min_cv == result.retuned.tidy()["estimate"].min() < result.retuned.estimate


def test_nested_is_cross_validation_of_a_tuned_learner():
    outer, inner = pcv.KFold(4, random=7), pcv.KFold(3)
    nested = pcv.nested_cv(pcv.Ridge(), FORMULA, MTCARS, grid=GRID, outer=outer, inner=inner)
    tuned = pcv.Tuned(pcv.Ridge(), GRID, inner)
    plain = pcv.cross_validate(tuned, FORMULA, MTCARS, folds=outer)
    several = pcv.compare({"tuned": tuned, "ols": pcv.OLS()}, FORMULA, MTCARS, folds=outer)
    np.testing.assert_array_equal(plain.table.losses, nested.table.losses)
    np.testing.assert_array_equal(several["tuned"].table.losses, nested.table.losses)


def test_what_a_tuned_learner_has_of_its_own_is_kept_inside_a_procedure():
    data, grid = pcv.data.mtcars(), pcv.RandomSearch({"k": [1, 2, 3, 30]}, 20)
    learner = pcv.Tuned(pcv.KNN(), grid, inner=pcv.KFold(3), loss="absolute", on_error="warn")
    with pytest.warns(PycvstatWarning, match="inner fits failed"):
        result = pcv.cross_validate(learner, "mpg ~ wt", data, folds=pcv.KFold(4, random=1))
    assert result.learner is learner  # candidates that were drawn without a seed are drawn once
    assert result.loss == "squared"
    absolute = pcv.Tuned(pcv.KNN(), learner.candidates, pcv.KFold(3), loss="absolute")
    with pytest.raises(FitError, match="k is larger"):
        pcv.cross_validate(absolute, "mpg ~ wt", data, folds=pcv.KFold(4, random=1))
    with pytest.warns(PycvstatWarning):
        outer = pcv.cross_validate(
            absolute, "mpg ~ wt", data, folds=pcv.KFold(4, random=1), on_error="warn"
        )
    for own, taken_over in zip(result.details, outer.details, strict=True):
        np.testing.assert_array_equal(own.means, taken_over.means)
    with pytest.raises(InputError, match="on_error"):
        pcv.Tuned(pcv.KNN(), grid, inner=3, on_error="skip")


def test_choices_among_tied_candidates_hang_on_the_same_bits_everywhere():
    draw = np.random.default_rng(1)
    data = pd.DataFrame({"x": draw.integers(0, 3, 60), "y": draw.integers(0, 4, 60)})
    learner, grid = pcv.KNN(kernel="rectangular"), {"k": [1, 5, 3, 2, 4, 6, 7]}
    for seed in range(10):
        nested = pcv.nested_cv(
            learner, "y ~ x", data, grid=grid, outer=pcv.KFold(6, random=seed), inner=5
        )
        curve = pcv.error_curve(learner, "y ~ x", data, grid=grid, folds=nested.inner_plan)
        assert curve.best == nested.retuned.best
        np.testing.assert_array_equal(curve.test.means, nested.retuned.means.means)
        np.testing.assert_array_equal(curve.table.fold_means(), curve.test.means)
        for i, (train, _) in enumerate(nested.plan):
            part = nested.task.take(train)
            kept = [
                pcv.tune(learner, data=part, grid=grid, folds=nested.inner_plans[i], keep=keep)
                for keep in ("all", "fold_means")
            ]
            for tuned in kept:
                np.testing.assert_array_equal(tuned.means.means, nested.details[i].means)
                assert tuned.best == nested.chosen[i]
                np.testing.assert_array_equal(tuned.tidy()["estimate"], nested.inner_curves[i])


def test_means_of_folds_that_are_predicted_in_pieces():
    n = 2 * (PORTION + 1)
    X = np.random.default_rng(1).normal(size=(n, 1))
    asked = {"X": X, "y": X[:, 0] ** 2, "grid": {"k": [1, 3]}, "folds": pcv.Blocks(2)}
    learner = pcv.KNN(kernel="rectangular")
    all_, means = (pcv.tune(learner, **asked, keep=keep) for keep in ("all", "fold_means"))
    np.testing.assert_array_equal(all_.means.means, means.means.means)


def test_rules_are_used_inside():
    simple = pcv.nested_cv(
        pcv.Ridge(), FORMULA, MTCARS, grid=GRID, outer=pcv.KFold(4, random=7), inner=pcv.KFold(5),
        rule="one_se", complexity="-lam",
    )  # fmt: skip
    plain = pcv.nested_cv(
        pcv.Ridge(), FORMULA, MTCARS, grid=GRID, outer=pcv.KFold(4, random=7), inner=pcv.KFold(5)
    )
    assert all(a >= b for a, b in zip(simple.chosen["lam"], plain.chosen["lam"], strict=True))
    assert simple.chosen["lam"] != plain.chosen["lam"]


def test_benchmark_is_train_validation_test_with_retraining():
    result = pcv.benchmark(
        {"ridge": (pcv.Ridge(), GRID), "ols": pcv.OLS()}, FORMULA, MTCARS,
        validation=0.25, test=0.25, times=3, random=5,
    )  # fmt: skip
    one = result["ridge"]
    chosen, errors = nested_by_hand(one.plan, one.inner_plans)
    np.testing.assert_allclose(one.fold_errors, errors, rtol=REFIT)
    assert [LAMBDAS[d.choice.index] for d in one.details] == chosen
    assert one.plan.fingerprint == result["ols"].plan.fingerprint
    assert {len(test) for _, test in one.plan} == {8}


def test_saved_results_come_back_to_the_last_bit(tmp_path):
    result = pcv.nested_cv(
        pcv.Ridge(), FORMULA, MTCARS, grid=GRID, outer=pcv.KFold(4, random=7), inner=pcv.KFold(3)
    )
    again = pcv.load(result.save(tmp_path / "nested.npz"))
    np.testing.assert_array_equal(again.table.losses, result.table.losses)
    assert again.chosen["lam"] == result.chosen["lam"]
    assert again.min_cv == result.min_cv
    assert again.summary() == result.summary()


class Fussy:
    """Fails for one value of its parameter."""

    def __init__(self, size: int = 1) -> None:
        self.size = size

    def get_params(self, deep: bool = True) -> dict[str, object]:
        return {"size": self.size}

    def set_params(self, **params: object) -> Fussy:
        self.__dict__.update(params)
        return self

    def fit(self, X, y):
        if self.size == 2:
            raise RuntimeError("two is too many")
        self.mean_ = np.mean(y) + self.size
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def test_a_failing_candidate_is_named_or_left_out_but_never_ranked():
    data = {"X": np.arange(12.0)[:, None], "y": np.arange(12.0)}
    with pytest.raises(FitError, match=r"(?s)fold 1 of 3.*size=2.*two is too many"):
        pcv.tune(Fussy(), **data, grid={"size": [1, 2, 3]}, folds=3)
    with pytest.warns(PycvstatWarning, match="3 fits failed"):
        result = pcv.tune(Fussy(), **data, grid={"size": [2, 1]}, folds=3, on_error="warn")
    assert result.best == {"size": 1}
    assert result.tidy()["estimate"].isna().tolist() == [True, False]
    with pytest.warns(PycvstatWarning, match="2 inner fits failed"):
        nested = pcv.nested_cv(
            Fussy(), **data, grid={"size": [2, 1]}, outer=3, inner=2, on_error="warn"
        )
    assert nested.chosen["size"] == [1, 1, 1]


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: pcv.tune(pcv.Ridge(), FORMULA, MTCARS, grid={"lambda": [1]}, folds=5),
         InputError, "no parameter 'lambda'"),
        (lambda: pcv.tune(pcv.Ridge(), FORMULA, MTCARS, grid={}, folds=5), InputError, "empty"),
        (lambda: pcv.tune(pcv.Ridge(), FORMULA, MTCARS, grid={"lam": []}, folds=5), InputError,
         "no values"),
        (lambda: pcv.tune(pcv.Ridge(), FORMULA, MTCARS, grid={1: [1]}, folds=5), InputError,
         "by name"),
        (lambda: pcv.tune(pcv.KNN(), FORMULA, MTCARS, grid={"k": range(10**12)}, folds=5),
         InputError, "more values of 'k'"),
        (lambda: pcv.tune(pcv.KNN(), FORMULA, MTCARS, folds=5,
                          grid={"k": range(1, 999), "distance": range(1, 999)}),
         InputError, "996,004 combinations"),
        (lambda: pcv.RandomSearch({"k": [1]}, n=10**12).candidates(), InputError,
         "at most 100,000 candidates"),
        (lambda: pcv.tune(pcv.Mean(), FORMULA, MTCARS, grid={"k": [1]}, folds=5), InputError,
         "it has no parameters"),
        (lambda: pcv.tune(pcv.Ridge(), FORMULA, MTCARS, grid=GRID, folds=5, refit="train"),
         InputError, "refit='train'"),
        (lambda: pcv.tune(pcv.Ridge(), FORMULA, MTCARS, grid=GRID, folds=5, rule="1se"),
         InputError, "no rule"),
        (lambda: pcv.tune(pcv.Ridge(), FORMULA, MTCARS, grid={"self": [1]}, folds=5), InputError,
         "no parameter 'self'"),
        (lambda: pcv.tune(pcv.Ridge(), FORMULA, MTCARS, grid=GRID, folds=5, keep=MTCARS),
         InputError, "keep must be"),
        (lambda: pcv.tune(pcv.Ridge(), FORMULA, MTCARS, grid=GRID, folds=5, refit=np.zeros(2)),
         InputError, "refit must be"),
        (lambda: pcv.Tuned(pcv.Ridge(), GRID, 3, refit=MTCARS), InputError, "refit must be"),
        (lambda: pcv.nested_cv(pcv.Ridge(), FORMULA, MTCARS, grid=GRID, outer=3,
                               inner=3).final(MTCARS), InputError, "policy must be"),
        (lambda: pcv.nested_cv(pcv.Ridge(), FORMULA, MTCARS, grid=GRID, outer=3,
                               inner=3).tidy([]), InputError, "what must be"),
        (lambda: pcv.compare({"a": pcv.OLS()}, FORMULA, MTCARS, folds=3).tidy("fold"),
         InputError, "did you mean 'folds'"),
        (lambda: pcv.compare({"a": pcv.OLS()}, FORMULA, MTCARS, folds=3).paired(["a"], "a"),
         InputError, "no method called"),
        (lambda: pcv.nested_cv(pcv.Ridge(), FORMULA, MTCARS, grid=GRID, outer=4, inner=30),
         FoldError, "inner folds of fold 1 of 4"),
        (lambda: pcv.nested_cv(pcv.Ridge(), FORMULA, MTCARS, grid=GRID, outer=2, inner="dev"),
         InputError, "K >= 3"),
        (lambda: pcv.nested_cv(pcv.Ridge(), FORMULA, MTCARS, grid=GRID, outer=4, inner="cv"),
         InputError, "'dev'"),
        (lambda: pcv.tune(pcv.Tuned(pcv.Ridge(), GRID, 3), FORMULA, MTCARS, grid=GRID, folds=3),
         InputError, "no parameter 'lam'"),
        (lambda: pcv.benchmark({"ols": pcv.OLS()}, FORMULA, MTCARS, validation=0.6, test=0.6),
         InputError, "no training rows"),
    ],
)  # fmt: skip
def test_bad_input_is_explained(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


@dataclass(frozen=True, repr=False)
class Counted(pcv.KNN):
    """A kNN that writes down every one that is made."""

    made: ClassVar[list[int]] = []

    def __post_init__(self) -> None:
        super().__post_init__()
        self.made.append(self.k)


@pytest.mark.parametrize("procedure", ["tune", "nested", "curve"])
def test_every_candidate_of_a_grid_is_made_once(procedure: str) -> None:
    learner, data = Counted(kernel="rectangular"), pcv.data.mtcars()
    Counted.made.clear()
    grid = {"k": [1, 3, 5]}
    if procedure == "tune":
        pcv.tune(learner, "mpg ~ wt", data, grid=grid, folds=pcv.Blocks(4), refit="none")
    elif procedure == "nested":
        pcv.nested_cv(learner, "mpg ~ wt", data, grid=grid, outer=pcv.Blocks(4), inner=2)
    else:
        pcv.error_curve(learner, "mpg ~ wt", data, grid=grid, folds=pcv.Blocks(4))
    assert sorted(Counted.made) == [1, 3, 5]


@pytest.mark.parametrize(
    "learner", [pcv.Lasso(), pcv.ElasticNet(alpha=0.5), pcv.Ridge()], ids=lambda one: one.name
)
def test_path_is_that_of_cv_glmnet(learner):
    """The same folds and penalties: glmnet's steps stop where theirs must, ours at the optimum."""
    cars = pcv.data.mtcars()
    X, ids = cars.drop(columns="mpg"), np.arange(32) % 4
    found = pcv.tune(learner, "mpg ~ .", cars, grid="path", folds=ids)
    lam = pcv.r.glmnet.glmnet(X, cars["mpg"], alpha=learner.alpha).lambda_
    assert np.array_equal([one["lam"] for one in found.candidates], lam)
    theirs = pcv.r.glmnet.cv_glmnet(
        X, cars["mpg"], alpha=learner.alpha, lambda_=lam, foldid=ids + 1, thresh=1e-22, maxit=10**7
    )
    np.testing.assert_allclose(found.means.pooled(), theirs.cvm, rtol=1e-9)
    assert found.best["lam"] == theirs.lambda_min
    one_se = pcv.tune(learner, "mpg ~ .", cars, grid="path", folds=ids, rule="one_se",
                      complexity="-lam")  # fmt: skip
    assert one_se.best["lam"] == theirs.lambda_1se


def test_path_is_for_tune_and_penalties_only():
    cars = pcv.data.mtcars()
    with pytest.raises(InputError, match="OLS has no path"):
        pcv.tune(pcv.OLS(), "mpg ~ .", cars, grid="path", folds=3)
    with pytest.raises(InputError, match="a grid of tune"):
        pcv.nested_cv(pcv.Lasso(), "mpg ~ .", cars, grid="path", outer=3, inner=3)
    with pytest.raises(InputError, match=r"(?s)a grid is a mapping.*Given: str"):
        pcv.nested_cv(pcv.Lasso(), "mpg ~ .", cars, grid="lam", outer=3, inner=3)
