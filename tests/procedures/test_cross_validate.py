"""The engine against loops written out, boot, the averages of caret, and published numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import pycvstat as pcv
from pycvstat.errors import (
    CheckpointError,
    DataError,
    FitError,
    FoldError,
    InputError,
    LossError,
    PycvstatWarning,
)

MTCARS = pcv.data.mtcars()
# one factorisation against a refit per fold: the kernels are tested to 1e-10 on their own
KERNEL = 1e-10


def ols_by_hand(X: np.ndarray, y: np.ndarray, plan: pcv.FoldPlan) -> list[np.ndarray]:
    design = np.column_stack([np.ones(len(y)), X])
    found = []
    for train, test in plan:
        beta = np.linalg.lstsq(design[train], y[train], rcond=None)[0]
        found.append((y[test] - design[test] @ beta) ** 2)
    return found


@pytest.mark.parametrize(
    "folds",
    [
        pcv.Blocks(7),
        pcv.KFold(10, random=1),
        pcv.LeaveOneOut(),
        pcv.Holdout(0.3, random=2),
        pcv.Subsampling(6, train=0.8, random=3),
        pcv.Repeated(pcv.KFold(5), times=3, random=4),
        pcv.TimeSeries(initial=15, horizon=4),
    ],
    ids=repr,
)
def test_losses_equal_a_loop_over_the_plan(folds):
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt + hp", MTCARS, folds=folds)
    by_hand = ols_by_hand(MTCARS[["wt", "hp"]].to_numpy(), MTCARS["mpg"].to_numpy(), result.plan)
    np.testing.assert_allclose(
        result.table.losses[:, 0], np.concatenate(by_hand), rtol=KERNEL, atol=KERNEL
    )
    fold_means = [losses.mean() for losses in by_hand]
    assert result.estimate == pytest.approx(np.mean(fold_means), rel=KERNEL)
    assert result.pooled == pytest.approx(np.concatenate(by_hand).mean(), rel=KERNEL)
    np.testing.assert_allclose(result.fold_errors, fold_means, rtol=KERNEL)


@pytest.mark.parametrize("learner", [pcv.KNN(k=5), pcv.MNLogit()], ids=repr)
def test_probabilities_equal_a_loop_over_the_plan(learner):
    iris = pcv.data.iris()
    result = pcv.cross_validate(
        learner, "Species ~ Sepal.Width", iris, folds=pcv.KFold(5, random=1), loss="brier"
    )
    prob = result.table.predictions.prob
    assert prob.shape == (1, 150, 3)
    for i, (train, test) in enumerate(result.plan):
        fitted = learner.fit("Species ~ Sepal.Width", iris.iloc[train])
        np.testing.assert_allclose(
            prob[0, 30 * i : 30 * (i + 1)], fitted.predict_proba(iris.iloc[test]), atol=1e-6
        )  # iterations of the multinomial model end at 1e-8 of the deviance


def test_mtcars_under_the_folds_of_origami():
    """Published: lm(mpg ~ .), seed 1, 10 folds: pooled 14.1114; the fold mean is 14.0256."""
    result = pcv.cross_validate(
        pcv.OLS(), "mpg ~ .", MTCARS, folds=pcv.RFolds("origami", 10, seed=1)
    )
    assert round(result.pooled, 4) == 14.1114
    assert round(result.estimate, 4) == 14.0256


def test_mammals_leave_one_out_as_boot_prints_it():
    """Published in boot's help: delta 0.4918650, 0.4916571."""
    result = pcv.cross_validate(
        pcv.OLS(),
        "log(brain) ~ log(body)",
        pcv.data.mammals(),
        folds=pcv.LeaveOneOut(),
        bias_adjusted=True,
    )
    assert round(result.pooled, 7) == 0.4918650
    assert round(result.adjusted, 7) == 0.4916571


def test_a_bias_adjusted_estimate_that_was_not_asked_for_says_so():
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=pcv.Blocks(4))
    with pytest.raises(InputError, match=r"(?s)not computed.*bias_adjusted=True"):
        result.adjusted  # noqa: B018
    nested = pcv.nested_cv(pcv.KNN(), "mpg ~ wt", MTCARS, grid={"k": [1, 5]}, outer=3, inner=3)
    with pytest.raises(InputError, match=r"cross_validate\(Tuned\(\.\.\.\), \.\.\., bias_adjusted"):
        nested.adjusted  # noqa: B018
    tuned = pcv.Tuned(pcv.KNN(), {"k": [1, 5]}, inner=3)
    found = pcv.cross_validate(tuned, "mpg ~ wt", MTCARS, folds=3, bias_adjusted=True)
    assert np.isfinite(found.adjusted)


def test_arrays_and_formula_give_the_same_numbers():
    X, y = MTCARS[["wt", "hp"]], MTCARS["mpg"]
    folds = pcv.KFold(6, random=1)
    a = pcv.cross_validate(pcv.OLS(), "mpg ~ wt + hp", MTCARS, folds=folds)
    b = pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=folds)
    c = pcv.cross_validate(pcv.OLS(), X=X.to_numpy(), y=y.to_numpy(), folds=folds)
    np.testing.assert_array_equal(a.table.losses, b.table.losses)
    np.testing.assert_array_equal(a.table.losses, c.table.losses)


def test_polars_frames_are_read_as_pandas_frames():
    import polars

    frame = polars.from_pandas(MTCARS.reset_index(drop=True))
    folds = pcv.KFold(6, random=1)
    a = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=folds)
    b = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", frame, folds=folds)
    np.testing.assert_array_equal(a.table.losses, b.table.losses)


def test_a_scikit_learn_pipeline_is_fitted_inside_each_fold():
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import KFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = MTCARS[["wt", "hp", "qsec"]].to_numpy(), MTCARS["mpg"].to_numpy()
    pipeline = make_pipeline(StandardScaler(), LinearRegression())
    cv = KFold(5, shuffle=True, random_state=1)
    ours = pcv.cross_validate(pipeline, X=X, y=y, folds=cv)
    theirs = -cross_val_score(pipeline, X, y, cv=cv, scoring="neg_mean_squared_error")
    np.testing.assert_allclose(ours.fold_errors, theirs, rtol=1e-12)  # sums in another order


@given(st.integers(8, 40), st.integers(2, 6), st.integers(0, 2**31 - 1), st.integers(-30, 30))
def test_invariants_of_a_partition(n, k, seed, power):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 2)), rng.normal(size=n)
    result = pcv.cross_validate(pcv.Mean(), X=X, y=y, folds=pcv.KFold(k, random=1))
    assert sorted(result.plan.rows.tolist()) == list(range(n))
    assert all(not set(train) & set(test) for train, test in result.plan)
    assert result.estimate == pytest.approx(np.mean(result.fold_errors), rel=1e-14)
    scaled = pcv.cross_validate(pcv.Mean(), X=X, y=y * 2.0**power, folds=pcv.KFold(k, random=1))
    # a power of two scales every operation of squared error exactly
    np.testing.assert_array_equal(scaled.table.losses, result.table.losses * 4.0**power)


def test_the_same_seed_gives_the_same_result_and_none_records_one():
    a = pcv.cross_validate(pcv.Mean(), "mpg ~ 1", MTCARS, folds=pcv.KFold(4))
    b = pcv.cross_validate(pcv.Mean(), "mpg ~ 1", MTCARS, folds=pcv.KFold(4, random=a.seed))
    np.testing.assert_array_equal(a.table.losses, b.table.losses)


def test_tidy_glance_and_augment_have_the_promised_columns():
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=pcv.KFold(5, random=1))
    assert {"estimate", "std_error", "conf_low", "conf_high"} <= set(result.tidy().columns)
    assert result.tidy()["estimate"].tolist() == [result.estimate, result.pooled]
    assert len(result.glance()) == 1
    augmented = result.augment()
    assert augmented[".prediction"].notna().all()
    np.testing.assert_array_equal(augmented[".fold"], result.plan.fold_ids)
    np.testing.assert_allclose(
        augmented[".residual"] ** 2, augmented[".loss"], rtol=1e-14
    )  # the same difference, squared once more


def test_augment_of_as_many_tests_as_rows_has_the_row_of_every_test():
    """Five splits with 6 of 30 test rows: 30 tests, but of some rows several and of others none."""
    folds = pcv.Subsampling(5, train=0.8, random=1)
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS[:30], folds=folds)
    augmented = result.augment()
    assert len(augmented) == 30 > augmented[".row"].nunique()
    np.testing.assert_array_equal(np.sort(augmented[".row"]), np.sort(result.plan.rows))
    np.testing.assert_array_equal(augmented["mpg"], MTCARS["mpg"].to_numpy()[augmented[".row"]])
    np.testing.assert_allclose(
        augmented[".residual"] ** 2, augmented[".loss"], rtol=1e-14
    )  # the same difference, squared once more


class Broken:
    """A learner that goes wrong in the fold whose test rows hold row 0."""

    def __init__(self, how: str = "raise", scale: float = 1.0) -> None:
        self.how, self.scale = how, scale

    def get_params(self, deep: bool = True) -> dict[str, object]:
        return {"how": self.how, "scale": self.scale}

    def set_params(self, **params: object) -> Broken:
        self.__dict__.update(params)
        return self

    def fit(self, X, y):
        self.mean_ = float(np.mean(y))
        if self.how == "raise" and 0.0 not in np.asarray(X)[:, 0]:
            raise ValueError("no row zero")
        return self

    def predict(self, X):
        rows = np.asarray(X)[:, 0]
        value = np.full(len(rows), self.mean_)
        return np.where(rows == 0.0, np.nan, value) if self.how == "nan" else value


DATA = {"X": np.arange(12.0)[:, None], "y": np.arange(12.0)}


@pytest.mark.parametrize(("how", "words"), [("raise", "no row zero"), ("nan", "not finite")])
def test_a_failed_fit_names_the_fold(how, words):
    with pytest.raises(FitError, match=f"(?s)fold 1 of 3.*{words}"):
        pcv.cross_validate(Broken(how), **DATA, folds=pcv.Blocks(3))


@pytest.mark.parametrize("how", ["raise", "nan"])
def test_a_failed_fit_may_count_as_nan_and_is_shown(how):
    with pytest.warns(PycvstatWarning, match="1 fits? failed"):
        result = pcv.cross_validate(Broken(how), **DATA, folds=pcv.Blocks(3), on_error="warn")
    assert len(result.failures) == 1
    assert result.failures[0].where == "fold 1 of 3"
    assert np.isnan(result.fold_errors).tolist() == [True, False, False]
    assert np.isnan(result.estimate)
    assert int(result.glance()["failed"].iloc[0]) == 1


def failing(X, y):
    raise RuntimeError("first\nsecond line matters: k=3")


def test_all_lines_of_a_failure_are_kept():
    learner = pcv.FromFunctions(failing, lambda model, X: X[:, 0])
    with pytest.warns(PycvstatWarning, match="3 fits failed"):
        result = pcv.cross_validate(learner, **DATA, folds=pcv.Blocks(3), on_error="warn")
    (failure, *_) = result.failures
    assert "\n" not in failure.reason
    assert failure.details == "RuntimeError: first\nsecond line matters: k=3"


def test_intervals_of_a_comparison_are_those_of_its_results():
    both = pcv.compare([pcv.OLS(), pcv.Mean()], "mpg ~ hp", MTCARS, folds=pcv.KFold(4, random=1))
    asked = {"metric": "rmse", "averaging": "folds", "side": "upper", "level": 0.9}
    for name, one in both.interval(**asked).items():
        again = both[name].interval(**asked)
        assert (
            (one.low, one.high) == (again.low, again.high) == (0, both.interval(name, **asked).high)
        )


def test_intervals_say_that_weights_are_in_the_fits_only():
    said = "weights in the fits, not in the losses"
    data = MTCARS.assign(w=np.arange(1.0, 33.0))
    for weights in ("w", None):
        both = {"line": pcv.WLS() if weights else pcv.OLS(), "mean": pcv.Mean()}
        result = pcv.compare(both, "mpg ~ hp", data, weights=weights, folds=pcv.Blocks(4))
        told = [
            result.interval("line").notes,
            result["line"].interval(metric="rmse").notes,
            result["line"].tidy()["notes"][0],
            result.paired("line", "mean").interval.notes,
        ]
        assert [said in notes for notes in told] == [bool(weights)] * 4


def with_na() -> pd.DataFrame:
    return MTCARS.assign(wt=MTCARS["wt"].where(MTCARS["cyl"] != 4))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: pcv.cross_validate(pcv.OLS(), "y ~ wt", MTCARS, folds=5), InputError, "y"),
        (lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", with_na(), folds=5), DataError,
         "wt: 11"),
        (lambda: pcv.cross_validate(pcv.WLS(), "mpg ~ wt", MTCARS, folds=5,
                                    weights=[np.nan, *range(1, 32)]), DataError, "weights: 1"),
        (lambda: pcv.cross_validate(pcv.KNN(3), "a ~ wt", folds=5, data=MTCARS.assign(
            a=pd.Categorical(["u"] * 32, ["u", "v"]))), DataError, "single class"),
        (lambda: pcv.nested_cv(pcv.KNN(3), "a ~ wt", MTCARS.assign(a=True), grid={"k": [1, 2]},
                               outer=5, inner=3), DataError, "single class"),
        (lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ a", MTCARS.assign(a=np.nan), folds=5),
         DataError, "NA in every row"),
        (lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=100), FoldError, "100"),
        (lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=5,
                                    loss=lambda y, p: 0.0), LossError, "fold 1 of 5"),
        (lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=5, loss="log"),
         LossError, "0 and 1"),
        (lambda: pcv.cross_validate(pcv.OLS, "mpg ~ wt", MTCARS, folds=5), InputError,
         "this is a class"),
        (lambda: pcv.cross_validate("ols", "mpg ~ wt", MTCARS, folds=5), InputError,
         "not a learner"),
        (lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=5, njobs=2), InputError,
         "njobs"),
        (lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", folds=5), InputError, "data are"),
        (lambda: pcv.cross_validate(pcv.OLS(), MTCARS, MTCARS["mpg"], folds=5), InputError,
         "must be text"),
        (lambda: pcv.cross_validate(pcv.OLS(), X=DATA["X"], y=[1.0], folds=5), DataError,
         "same number of rows"),
        (lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=5, on_error="skip"),
         InputError, "on_error"),
        (lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=5, on_error=MTCARS),
         InputError, "on_error"),
        (lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=5, on_error=pd.NA),
         InputError, "on_error"),
        (lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=5, na=np.zeros(2)),
         InputError, "na must be 'raise', 'omit' or 'pass'"),
        (lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=5, na=pd.NA),
         InputError, "na must be 'raise', 'omit' or 'pass'"),
        (lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=5).tidy(np.zeros(2)),
         InputError, "what must be"),
        (lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=5).metric([]),
         LossError, "no metric"),
        (lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=5,
                                    loss=lambda y, p: (y - p) * 1j), LossError, "real numbers"),
    ],
)  # fmt: skip
def test_bad_input_is_explained(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_warning_of_failed_fits_names_the_first():
    with pytest.warns(PycvstatWarning, match="4 fits failed") as told:
        pcv.cross_validate(
            pcv.KNN(25), "mpg ~ wt", MTCARS, folds=pcv.KFold(4, random=1), on_error="warn"
        )
    assert "first in fold 1 of 4: k is larger" in str(told[0].message)


def test_rows_are_left_out_for_their_weights_and_their_response():
    data = {"y": [np.nan, 2.0, 3.0, 5.0, 4.0, 6.0], "x": [1.0, 2.0, 3.0, 4.0, 5.0, 7.0]}
    weights = [1.0, 2.0, np.nan, 1.0, 1.0, 3.0]  # a vector without a name, beside a column y
    result = pcv.cross_validate(
        pcv.WLS(), "y ~ x", data, weights=weights, na="omit", folds=pcv.LeaveOneOut()
    )
    assert result.task.rows.tolist() == [1, 3, 4, 5]


def test_incomplete_rows_are_left_out_when_asked():
    result = pcv.cross_validate(
        pcv.OLS(), "mpg ~ wt", with_na(), folds=pcv.KFold(5, random=1), na="omit"
    )
    assert result.task.n == 21
    complete = pcv.cross_validate(
        pcv.OLS(), "mpg ~ wt", with_na().dropna(), folds=pcv.KFold(5, random=1)
    )
    np.testing.assert_array_equal(result.table.losses, complete.table.losses)


@pytest.mark.parametrize("learner", [pcv.OLS(), pcv.Ridge(), pcv.KNN(k=3)], ids=repr)
def test_a_checkpoint_of_other_data_is_refused_by_every_learner(learner, tmp_path):
    """Also by those that have all folds at once, and nothing to keep."""

    def estimate(data):
        folds = pcv.KFold(4, random=1)
        return pcv.cross_validate(
            learner, "mpg ~ wt", data, folds=folds, checkpoint=tmp_path
        ).estimate

    assert estimate(MTCARS) == estimate(MTCARS)
    with pytest.raises(CheckpointError, match=r"identity\.data"):
        estimate(MTCARS.assign(wt=MTCARS["wt"] + 1))


def test_numbers_of_a_result_cannot_be_changed_in_place() -> None:
    found = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=5)
    for array in (found.table.losses, found.table.predictions.values):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


class Drawn:
    """Predicts one number, drawn from NumPy's global generator."""

    def get_params(self, deep=True):
        return {}

    def fit(self, X, y):
        self.value_ = np.random.normal()
        return self

    def predict(self, X):
        return np.full(len(X), self.value_)


def test_the_bias_adjustment_is_of_the_fits_that_were_made():
    """Of a learner that draws, too: the model of a fold on all rows is the one that tested it."""
    data = {"x": np.arange(12.0), "y": np.arange(12.0) % 5}
    state = np.random.get_state()[1].tolist()
    first, again = (
        pcv.cross_validate(Drawn(), "y ~ x", data, folds=pcv.Blocks(4), bias_adjusted=True)
        for _ in range(2)
    )
    assert np.random.get_state()[1].tolist() == state
    assert first.bias == again.bias
    drawn = first.predictions[:, None]  # of equal folds: each counts as often
    assert first.bias.folds_on_all == pytest.approx(((data["y"] - drawn) ** 2).mean(), rel=1e-13)
