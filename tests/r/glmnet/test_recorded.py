"""What glmnet 4.1-6 (R 4.2.2) gives of mtcars, for machines without R.

``x <- as.matrix(mtcars[, -1]); set.seed(17); g <- cv.glmnet(x, mtcars$mpg, nfolds = 5, ...)``, then
``length(g$lambda)``, ``g$index``; ``g$lambda.min``, ``g$lambda.1se``, ``g$cvm[g$index]``,
``g$cvsd[g$index]``; ``coef(g)``; ``coef(g, s = 0.3, exact = TRUE, ...)``, except where that fit
begins at the largest penalty of glmnet's own path: there the last bit decides whether a predictor
enters at once, and in R itself a penalty 1e-12 larger moves the third digit.
"""

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat import r
from pycvstat.r.glmnet import cv_glmnet, glmnet

CARS = pcv.data.mtcars()
X, Y = CARS.drop(columns="mpg"), CARS["mpg"]
DIGITS = 1e-10  # as many were recorded

RECORDED = [
    (
        {},
        (79, 37, 14),
        (0.18072037364, 1.53567758439, 7.76603281375, 9.51541742168, 1.9863576983, 2.73116391877),
        (33.4713918847, -0.833427048786, 0, -0.00588640836337, 0, -2.28781552368, 0, 0, 0, 0, 0),
        None,
    ),
    (
        {"alpha": 0.5, "standardize": False},
        (62, 53, 20),
        (9.72080000755, 209.428287511, 9.99965984267, 11.390899467, 1.4263488556, 2.38306195981),
        (27.9669505992, 0, -0.0341377496138, 0, 0, 0, 0, 0, 0, 0, 0),
        None,
    ),
    (
        {"alpha": 0.0, "weights": CARS["cyl"]},
        (100, 82, 68),
        (2.47142963282, 9.09085676885, 5.72542545147, 6.86924864172, 1.28710941095, 1.69363909169),
        (19.8566925215, -0.377151417252, -0.00506043287432, -0.00875287917543, 0.888037410895,
         -0.81146860614, 0.153220266183, 0.867266704715, 1.05496578263, 0.397399545934,
         -0.325809419412),
        (21.2095422642, -0.451534364543, -0.00173666442902, -0.00975569784883, 0.832365284137,
         -1.9105638521, 0.344981577213, 0.2717030262, 2.16245044339, 0.330099576214,
         -0.620428229858),
    ),
    (
        {"alpha": 0.9, "intercept": False, "type_measure": "mae"},
        (100, 74, 56),
        (0.257576138081, 1.37460637807, 2.21266406487, 2.51810289702, 0.336785922025,
         0.337092506356),
        (0, 0, 0, 0, 3.12592500392, -2.16610783022, 0.875962833982, 0, 0.25146658127, 0, 0),
        None,
    ),
    (
        {"lambda_": [0.02, 0.1, 0.5, 2.0]},
        (4, 3, 2),
        (0.1, 0.5, 7.78214536793, 7.81931332571, 2.00429439236, 2.08259710241),
        (35.8718093776, -0.856404089141, 0, -0.0140703537289, 0.0791612178921, -2.67165863252, 0,
         0, 0.486905483053, 0, -0.108572070447),
        (32.2751965648, -0.718519889004, 0, -0.0141110068936, 0.407651314345, -2.57042790722,
         0.0819510502132, 0.00318220719845, 1.13640029967, 0, -0.281256646595),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "places", "chosen", "at_1se", "exact"), RECORDED)
def test_cross_validations(asked, places, chosen, at_1se, exact):
    r.set_seed(17)
    found = cv_glmnet(X, Y, nfolds=5, **asked)
    at = found.index - 1
    ours = [found.lambda_min, found.lambda_1se, *found.cvm[at], *found.cvsd[at]]
    assert (len(found.lambda_), *found.index) == places
    np.testing.assert_allclose(ours, chosen, rtol=DIGITS)
    np.testing.assert_allclose(found.coef(), at_1se, rtol=DIGITS)
    if exact is not None:
        np.testing.assert_allclose(found.coef(s=0.3, exact=True), exact, rtol=DIGITS)


def test_prints_as_r():
    assert str(glmnet(X[["wt", "hp", "qsec"]], Y, nlambda=5)) == (
        "\nCall:  glmnet(x = x, y = y, nlambda = 5) \n\n"
        "  Df  %Dev Lambda\n"
        "1  0  0.00 5.1470\n"
        "2  3 82.10 0.5147\n"
        "3  3 83.46 0.0515\n"
        "4  3 83.48 0.0051\n"
        "5  3 83.48 0.0005"
    )
    r.set_seed(1)
    assert str(cv_glmnet(X[["wt", "hp", "qsec", "drat"]], Y, nfolds=5)) == (
        "\nCall:  cv.glmnet(x = x, y = y, nfolds = 5) \n\n"
        "Measure: Mean-Squared Error \n\n"
        "    Lambda Index Measure    SE Nonzero\n"
        "min 0.1807    37   7.121 1.401       4\n"
        "1se 0.8788    20   8.300 2.614       3"
    )


def test_tidy_and_predictions_are_of_the_same_path():
    fit = glmnet(X, Y)
    tidy = fit.tidy()
    steps = tidy.groupby("step").size().to_numpy()
    np.testing.assert_array_equal(steps, fit.df + 1)  # the intercept with them
    products = fit.a0 + X.to_numpy(float) @ fit.beta  # other sums: R's are term by term
    np.testing.assert_allclose(fit.predict(X), products, rtol=1e-14)
    both = fit.predict(X, s=[1.0, 0.1])
    np.testing.assert_allclose(both[:, 0], fit.predict(X, s=1.0), rtol=1e-14)
    assert fit.predict(type="nonzero", s=1.5).tolist() == [1, 3, 5]
    assert fit.coef(s=1e9).equals(fit.coef(s=fit.lambda_[0]))
    found = cv_glmnet(X, Y, foldid=np.arange(32) % 4 + 1)
    assert found.tidy()["estimate"].tolist() == found.cvm.tolist()
    np.testing.assert_array_equal(found.cvup, found.cvm + found.cvsd)
    np.testing.assert_array_equal(found.cvlo, found.cvm - found.cvsd)


def test_folds_whose_variances_are_taken_off_lose_no_digits():
    far = X.assign(wt=np.where(np.arange(32) == 4, 1e9, X["wt"]))
    ids = np.arange(32) % 4 + 1
    found = cv_glmnet(far, Y, foldid=ids)
    alone = glmnet(far[ids != 1], Y[ids != 1]).predict(far[ids == 1], s=found.lambda_)
    np.testing.assert_allclose(found.fit_preval[ids == 1], alone, rtol=1e-9)


def test_a_fold_with_fewer_rows_than_predictors_has_its_own_ratio():
    chance = np.random.default_rng(1)
    x = chance.normal(size=(12, 10))
    y, ids = x[:, 0] + chance.normal(size=12), np.arange(12) % 4 + 1
    found = cv_glmnet(x, y, foldid=ids)
    alone = glmnet(x[ids != 1], y[ids != 1])
    assert alone.settings.of(9).lambda_min_ratio == 0.01
    assert found.glmnet_fit.settings.of(12).lambda_min_ratio == 1e-4
    ours = found.fit_preval[ids == 1]
    np.testing.assert_allclose(ours, alone.predict(x[ids == 1], s=found.lambda_), rtol=1e-9)


def test_many_predictors_lead_where_few_do():
    """500 predictors, of which all but 40 are constant, are solved as the 40 alone are.

    Strong rules leave out of a sweep what would change in it, so only the end of the way is one.
    """
    chance = np.random.default_rng(2)
    x = chance.normal(size=(50, 40))
    y = x[:, 0] - x[:, 1] + chance.normal(size=50)
    wide = np.column_stack([x, np.ones((50, 460))])
    ids = np.arange(50) % 5 + 1
    few = cv_glmnet(x, y, foldid=ids, lambda_min_ratio=0.01, thresh=1e-18)
    many = cv_glmnet(wide, y, foldid=ids, lambda_min_ratio=0.01, thresh=1e-18)
    near = 1e-7  # steps of 1e-9, more than a hundred of them
    np.testing.assert_allclose(many.cvm, few.cvm, rtol=near)
    np.testing.assert_allclose(many.glmnet_fit.beta[:40], few.glmnet_fit.beta, atol=near)
    assert not many.glmnet_fit.beta[40:].any()


FOUR = X[["wt", "hp", "qsec", "drat"]]


@pytest.mark.parametrize(
    ("asked", "response", "told"),
    [
        (
            {"family": "binomial"},
            "vs",
            (0.0226628464916, 0.400509598426, 0.532356201056,
             -33.4426948051, -1.58935170146, 0, 2.07231070229, 0.323318795032),
        ),
        (
            {"family": "poisson", "alpha": 0.5},
            "carb",
            (0.00745185349539, 0.418437212589, 0.520182741867,
             1.16982341827, 0.249923136807, 0.00187731917711, -0.142391409319, 0.342102883202),
        ),
    ],
)  # fmt: skip
def test_classes_and_counts(asked, response, told):
    """``set.seed(17); cv.glmnet(..., nfolds = 4)``: the least error's penalty and coefficients."""
    r.set_seed(17)
    found = cv_glmnet(FOUR, CARS[response], nfolds=4, **asked)
    ours = [found.lambda_min, *found.cvm[found.index - 1], *found.coef(s="lambda.min")]
    np.testing.assert_allclose(ours, told, rtol=1e-9)  # some hundred exponentials in each sum


def test_classes_are_predicted_under_their_names():
    words = np.where(CARS["vs"] == 1, "straight", "bent")
    fit = glmnet(FOUR, words, family="binomial")
    means = fit.predict(FOUR, s=0.02, type="response")
    assert fit.data.classes == ("bent", "straight")
    found = fit.predict(FOUR, s=0.02, type="class")
    assert found.tolist() == np.where(means > 0.5, "straight", "bent").tolist()
    assert (found == words).mean() > 0.8
