"""glmnet's functions against glmnet in R, at its own threshold and at a tight one."""

import numpy as np
import pytest

from pycvstat import r
from pycvstat.r.glmnet import cv_glmnet, glmnet
from tests.r.glmnet.made import fitted
from tests.rscript import live_r

CLOSE = 1e-8
"""Of sums in another order, through up to some thousand sweeps. One sweep more or less changes
1e-4, so that this holds only where every sweep is the same."""

MAXIT = 100_000  # glmnet's default

EARLY = pytest.mark.filterwarnings(
    "ignore:one binomial class has fewer",
    "ignore:glmnet's path ends early",
    "ignore:grouped=False is",
)
"""R warns of the same, and does the same."""

PATH = """
f <- do.call(glmnet, c(list(m$x, m$y), m$asked))
out(f$lambda); out(as.vector(coef(f))); out(f$dev.ratio); out(c(f$nulldev, f$npasses)); out(f$df)
"""


def check_path(made):
    lambda_, coefficients, explained, (null, passes), df = made.told
    fit = glmnet(made.x, made.y, **made.asked)
    assert len(fit.lambda_) == len(lambda_), str(made)
    np.testing.assert_allclose(fit.lambda_, lambda_, rtol=CLOSE)
    ours = fit.coef().to_numpy().T.ravel()
    size = max(1.0, np.abs(made.y).max())
    np.testing.assert_allclose(ours, coefficients, rtol=CLOSE, atol=CLOSE * size, err_msg=str(made))
    np.testing.assert_allclose(fit.dev_ratio, explained, rtol=CLOSE, atol=1e-14)
    np.testing.assert_allclose(fit.nulldev, null, rtol=CLOSE)
    # a path that is given up has one sweep more or less than maxit in its count
    assert min(fit.npasses, MAXIT) == min(passes, MAXIT)
    assert fit.df.tolist() == df.tolist()


@live_r
@EARLY
def test_paths_of_few_predictors():
    for made in fitted(range(1, 201), PATH, 5):
        check_path(made)


@live_r
@EARLY
@pytest.mark.slow
def test_paths_of_many_predictors():
    for made in fitted(range(1, 31), PATH, 5, tall=False):
        check_path(made)


CROSS_VALIDATION = """
k <- sample(3:10, 1); set.seed(seed)
g <- suppressWarnings(do.call(cv.glmnet, c(list(m$x, m$y, nfolds = k,
  type.measure = c("mse", "mae")[seed %% 2 + 1], grouped = seed %% 3 > 0), m$asked)))
out(k); out(g$lambda); out(g$cvm); out(g$cvsd); out(g$nzero); out(c(g$lambda.min, g$lambda.1se))
out(as.vector(coef(g))); out(predict(g, m$x, s = "lambda.min"))
"""


def check_cross_validation(made, seed):
    k, lambda_, cvm, cvsd, nzero, chosen, coefficients, predictions = made.told
    r.set_seed(seed)
    found = cv_glmnet(
        made.x, made.y, nfolds=int(k[0]), type_measure=("mse", "mae")[seed % 2],
        grouped=seed % 3 > 0, **made.asked,
    )  # fmt: skip
    size = max(1.0, np.abs(made.y).max())
    assert found.nzero.tolist() == nzero.tolist()
    np.testing.assert_allclose(found.lambda_, lambda_, rtol=CLOSE)
    np.testing.assert_allclose(found.cvm, cvm, rtol=CLOSE, err_msg=str(made))
    np.testing.assert_allclose(found.cvsd, cvsd, rtol=CLOSE, err_msg=str(made))
    np.testing.assert_allclose([found.lambda_min, found.lambda_1se], chosen, rtol=CLOSE)
    np.testing.assert_allclose(found.coef(), coefficients, rtol=CLOSE, atol=CLOSE * size)
    ours = found.predict(made.x, s="lambda.min")
    np.testing.assert_allclose(ours, predictions, rtol=CLOSE, atol=CLOSE * size)


@live_r
@EARLY
def test_cross_validations_of_few_predictors():
    for seed, made in enumerate(fitted(range(1, 61), CROSS_VALIDATION, 8), 1):
        check_cross_validation(made, seed)


@live_r
@EARLY
@pytest.mark.slow
def test_cross_validations_of_many_predictors():
    for seed, made in enumerate(fitted(range(1, 7), CROSS_VALIDATION, 8, tall=False), 1):
        check_cross_validation(made, seed)


@live_r
@EARLY
@pytest.mark.parametrize("family", ["binomial", "poisson"])
def test_paths_of_classes_and_counts(family):
    for made in fitted(range(1, 61), PATH, 5, family=family):
        check_path(made)


@live_r
@EARLY
@pytest.mark.slow
@pytest.mark.parametrize("family", ["binomial", "poisson"])
def test_paths_of_classes_and_counts_with_many_predictors(family):
    for made in fitted(range(1, 9), PATH, 5, tall=False, family=family):
        check_path(made)


MEASURES = {"binomial": ("default", "class", "mse", "mae"), "poisson": ("default", "mse", "mae")}
OTHER_FAMILIES = """
ids <- rep(1:4, length = length(m$y))
g <- do.call(cv.glmnet, c(list(m$x, m$y, foldid = ids, type.measure = "{measure}"), m$asked))
out(g$lambda); out(g$cvm); out(g$cvsd); out(c(g$lambda.min, g$lambda.1se)); out(as.vector(coef(g)))
out(predict(g, m$x, type = "response")); out(utf8ToInt(g$name))
"""


@live_r
@EARLY
@pytest.mark.parametrize(
    ("family", "measure"), [(family, one) for family in MEASURES for one in MEASURES[family]]
)
def test_cross_validations_of_classes_and_counts(family, measure):
    code = OTHER_FAMILIES.format(measure=measure)
    for made in fitted(range(301, 309), code, 7, family=family):
        lambda_, cvm, cvsd, chosen, coefficients, means, name = made.told
        ids = np.arange(len(made.y)) % 4 + 1
        found = cv_glmnet(made.x, made.y, foldid=ids, type_measure=measure, **made.asked)
        assert found.name == "".join(map(chr, name.astype(int)))
        np.testing.assert_allclose(found.lambda_, lambda_, rtol=CLOSE)
        np.testing.assert_allclose(found.cvm, cvm, rtol=CLOSE, err_msg=str(made))
        np.testing.assert_allclose(found.cvsd, cvsd, rtol=CLOSE, err_msg=str(made))
        np.testing.assert_allclose([found.lambda_min, found.lambda_1se], chosen, rtol=CLOSE)
        np.testing.assert_allclose(found.coef(), coefficients, rtol=CLOSE, atol=CLOSE)
        ours = found.predict(made.x, type="response")
        np.testing.assert_allclose(ours, means, rtol=CLOSE, atol=CLOSE)
