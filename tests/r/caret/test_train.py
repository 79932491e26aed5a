"""train: seeds, resamples, candidates, choice, prints and the stream after it, against caret."""

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat import r
from pycvstat.errors import PycvstatError, PycvstatWarning
from pycvstat.r.caret import preprocess
from tests.r.caret import made
from tests.rscript import live_r, r_values

# of 130 these tell every rule of ties, merges, grids and choice from its neighbours
SEEDS = (1, 3, 9, 16, 20, 21, 24, 26, 31, 33, 36, 39, 40, 61, 99, 102, 106, 109, 115, 1094)
SEEDS += (2001, 2025, 2039, 2042, 2051, 2057, 2067, 2129)  # weights, predictions, x and y
RTOL = 1e-10  # of direct linear algebra; the iterations of glm, multinom and rlm are R's own


@pytest.mark.slow
@live_r
def test_calls_made_at_random():
    values = r_values(made.HELPERS + "".join(map(made.in_r, SEEDS)))
    differ = {seed: said for seed in SEEDS if (said := made.compare(seed, values, RTOL))}
    assert not differ, "\n".join(f"{seed}: {'; '.join(said)}" for seed, said in differ.items())
    assert not values


CARS = pcv.data.mtcars()
IRIS = pcv.data.iris()
HOLES = CARS["wt"].where(CARS["wt"] > 2)
CV = r.caret.trainControl("cv", number=3)


def cars(form="mpg ~ wt + hp", data=CARS, **more):
    r.set_seed(1)
    return r.caret.train(form, data, **{"trControl": CV, **more})


def test_the_caller_goes_on_from_the_last_seed():
    r.set_seed(1)
    r.caret.train("mpg ~ wt", CARS, method="lm", trControl=r.caret.trainControl("LOOCV"))
    assert r.runif(1).round(7) == 0.2870988  # R 4.2, caret 6.0-93


def test_seeds_and_rows_that_are_given():
    index = {"a": np.arange(1, 21), "b": np.arange(5, 33)}
    how = r.caret.trainControl(index=index, seeds=[[1], [2], 6])
    fit = cars(method="lm", trControl=how)
    assert fit.resample["Resample"].tolist() == ["a", "b"]
    assert r.runif(1).round(7) == 0.6062683  # set.seed(6)


def test_a_metric_that_is_not_measured_gives_way_with_a_warning():
    with pytest.warns(PycvstatWarning, match="RMSE will be used instead"):
        fit = cars(metric="foo", method="knn")
    assert (fit.metric, fit.maximize) == ("RMSE", False)


@pytest.mark.parametrize(
    ("form", "data", "metric"),
    [("mpg ~ wt", CARS, "Accuracy"), ("mpg ~ wt", CARS, "Kappa"),
     ("Species ~ .", IRIS, "RMSE"), ("Species ~ .", IRIS, "Rsquared")],
)  # fmt: skip
@pytest.mark.parametrize("method", ["cv", "none"])
def test_a_metric_of_the_other_kind_is_refused(form, data, metric, method):
    how = r.caret.trainControl(method, number=3)
    with pytest.raises(PycvstatError, match=f"metric {metric} is not applicable"):
        r.caret.train(form, data, method="knn", metric=metric, tuneGrid={"k": [5]}, trControl=how)


def test_steps_that_take_nothing_out_are_printed_as_none():
    assert "\nPre-processing:  (None) \n" in repr(cars(method="lm", preProcess=["zv", "nzv"]))
    assert "\nNo pre-processing\n" in repr(cars(method="lm"))


def test_equal_rows_have_equal_components_and_so_no_distance():
    X = np.random.default_rng(1).normal(size=(40, 5)).round(1)
    _, change = preprocess.learned(("pca", "center", "scale"), X, list("abcde"))
    trained = change(X)
    for i, row in enumerate(X):
        assert (change(row[None]) == trained[i]).all()


def test_rows_left_out_are_counted_among_the_samples_as_in_r():
    holes = CARS.assign(hp=CARS["hp"].where(CARS["cyl"] > 4))
    fit = cars("mpg ~ wt + hp", holes, method="lm", na_action="na.omit")
    assert "\n32 samples\n" in repr(fit)
    assert sum(map(len, fit.index)) == 2 * (CARS["cyl"] > 4).sum()
    x, y = holes[["wt", "hp"]], CARS["mpg"]
    with pytest.raises(PycvstatError, match="with x and y caret keeps rows"):
        r.caret.train(x=x, y=y, method="lm", na_action="na.omit")


def test_a_summary_of_the_users_own():
    def worst(data, lev, model):
        return {"Worst": max(abs(data["obs"] - data["pred"]))}

    how = r.caret.trainControl("cv", number=3, summaryFunction=worst)
    with pytest.warns(PycvstatWarning, match="Worst will be used instead"):
        assert cars(metric="RMSE", method="lm", trControl=how).metric == "Worst"
    fit = cars(method="lm", trControl=how, maximize=False)
    assert list(fit.results) == ["intercept", "Worst", "WorstSD"]


def test_predictions_of_rows_and_of_class_probabilities():
    fit = cars("Species ~ .", IRIS, method="multinom", tuneGrid={"decay": 0.1})
    assert list(fit.predict(IRIS[:2])) == ["setosa"] * 2
    shares = fit.predict(IRIS, type="prob")
    assert list(shares) == ["setosa", "versicolor", "virginica"]
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (fit.predict() == fit.predict(IRIS)).all()


def test_neighbours_beyond_the_rows_are_all_rows():
    with pytest.warns(PycvstatWarning) as said:
        fit = cars(method="knn", tuneGrid={"k": [30]})
    assert "k = 30 exceeds number" in str(said[0].message)
    np.testing.assert_allclose(fit.results["RMSE"], 6.0, atol=0.5)  # of the mean of all


ONE = IRIS[:51].assign(Species=IRIS["Species"][:51].astype(str))


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
def test_a_class_with_one_row_is_measured_where_it_can_be():
    fit = cars("Species ~ .", ONE, method="knn")
    assert fit.results["Kappa"].tolist() == [0, 0, 0]
    assert round(fit.results["Accuracy"][0], 7) == 0.9814815  # R 4.2, caret 6.0-93


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
def test_classes_that_no_fit_predicts_have_no_accuracy():
    with pytest.raises(PycvstatError, match="all the Accuracy metric values are missing"):
        cars("Species ~ .", IRIS, method="glm")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: cars(method="svm"), "no method 'svm'"),
        (lambda: cars(method="knn", tuneGrid={"K": [3]}), "should have columns k"),
        (lambda: cars(method="glmnet", tuneGrid={"alpha": [1]}), "columns alpha, lambda"),
        (lambda: cars(method="knn", tuneGrid={"k": [0, 2]}), "k must be a whole number"),
        (lambda: cars(method="knn", tuneGrid={"k": []}), "no candidates"),
        (lambda: cars(method="knn", tuneGrid=[3]), "mapping of values"),
        (lambda: cars(method="glmnet", tuneGrid={"alpha": 1, "lambda": -1}), "none negative"),
        (lambda: cars(method="rlm", tuneGrid={"intercept": True, "psi": "huber"}), "psi is one"),
        (lambda: cars(method="multinom"), "wrong model type for regression"),
        (lambda: cars("Species ~ .", IRIS, method="lm"), "wrong model type for classification"),
        (lambda: cars("Species ~ .", IRIS[:50], method="knn"), "has no data|single class"),
        (lambda: cars("mpg ~ cyl", method="glmnet"), "2 or more columns"),
        (lambda: cars(method="knn", preProcess=["BoxCox"]), "pre-processing"),
        (lambda: cars(method="knn", preProcess=["range", "scale"]), "put into a range"),
        (lambda: cars(method="knn", tuneLength=0), "tuneLength must be a whole number"),
        (lambda: cars(method="knn", trControl="cv"), "what trainControl"),
        (lambda: cars(method="knn", trControl=r.caret.trainControl("none")), "only one model"),
        (lambda: cars(data=CARS.assign(wt=np.nan), method="lm"), "NA in every row"),
        (lambda: cars("mpg ~ wt", CARS.assign(wt=HOLES), method="lm"), 'na_action="na.omit"'),
        (lambda: cars(trControl=r.caret.trainControl("cv", seeds=[1, 2])), "list of length 11"),
        (
            lambda: cars(method="lm", trControl=r.caret.trainControl("cv", 2, seeds=[1, 2, 2**31])),
            "seed",
        ),
        (lambda: r.caret.trainControl("foo"), "Not a recognized resampling method"),
        (lambda: r.caret.trainControl(selectionFunction="foo"), "selectionFunction"),
        (lambda: r.caret.trainControl(summaryFunction="two"), "function of"),
        (lambda: r.caret.trainControl("LGOCV", p=2), "p is a share"),
        (lambda: r.set_seed(2**31), "seed"),
        (
            lambda: cars(
                "factor(am) ~ wt",
                method="glm",
                trControl=r.caret.trainControl("cv", 2, classProbs=True),
            ),
            "valid name of an R variable",
        ),
        (
            lambda: cars(
                "Species ~ .",
                IRIS,
                method="knn",
                trControl=r.caret.trainControl("cv", summaryFunction=r.caret.twoClassSummary),
            ),
            "for two classes",
        ),
        (lambda: r.caret.train(x=IRIS, y=CARS["mpg"], method="lm"), "length|rows"),
        (lambda: r.caret.train(IRIS, np.arange(150), method="knn"), "a matrix of numbers"),
        (lambda: r.caret.train(IRIS, np.arange(150), "lm", preProcess="scale"), "preProcess takes"),
        (lambda: r.caret.train(x=IRIS, method="lm"), "belong together"),
        (lambda: cars(method="lm", weights=[1, 2]), "weights"),
        (lambda: r.caret.trainControl(savePredictions="best"), "savePredictions must be"),
        (lambda: cars(method="lm").predict(CARS, type="prob"), "only classification"),
    ],
)
def test_refused(call, says):
    with pytest.raises(PycvstatError, match=says):
        call()


@pytest.mark.parametrize("data", [CARS, "lm", {"obs": [1.0], "pred": [1.0]}])
def test_a_summary_is_of_observed_and_predicted_values(data):
    with pytest.raises(PycvstatError, match="columns obs and pred"):
        r.caret.defaultSummary(data)
    with pytest.raises(PycvstatError, match="columns obs and pred"):
        r.caret.twoClassSummary(data, ["a", "b"])
