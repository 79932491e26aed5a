"""glmnet of several classes, and the area under the ROC curve: R's numbers, recorded and live."""

from __future__ import annotations

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat import r
from pycvstat.errors import FitError, PycvstatWarning
from pycvstat.learners.linear.glmnet_classes import centre
from pycvstat.r.glmnet import cv_glmnet, glmnet
from tests.rscript import live_r, r_values

CLOSE = 1e-8  # of sums in another order, through the same sweeps
BOUNDS = 20.7
"""A difference of linear predictors at which glmnet bounds a probability by 1e-9. Where that
happens to two of three classes, rounding decides whether the third is certain: then the steps are
met to 3e-7 of 460 data sets, grouped ones to `CLOSE`."""
APART = 1e-6
PRINTED = 1e-7  # of numbers recorded with seven digits after the first
IRIS = pcv.data.iris()
X, Y = IRIS.iloc[:, :4], IRIS["Species"]
TWO = X.iloc[50:], Y.iloc[50:].astype(str)

# Recorded with R 4.2.2 and glmnet 4.1-6: set.seed(1); cv.glmnet(x, iris$Species,
# family = "multinomial"): cvm and cvsd of penalties 1, 20 and 40, coefficients of virginica at
# lambda.min; set.seed(2); cv.glmnet(x[51:150, ], iris$Species[51:150], family = "binomial",
# type.measure = "auc", nfolds = 5): cvm and cvsd of penalties 1, 5, 20 and 40, without and with
# weights 1, 2, 1, 2, ...
CVM, CVSD = [2.212044914409, 0.774786639294, 0.260955220724], [
    0.00634954403134, 0.02902586272436, 0.02822080954254,
]  # fmt: skip
VIRGINICA = [-17.60271778555, 0.0, -3.33125134908, 5.11224978720, 10.09870474902]
AUC = [0.688275613276, 0.986265512266, 0.993939393939, 0.993959595960], [
    0.11554975966374, 0.01013347817287, 0.00606060606061, 0.00403540094282,
]  # fmt: skip
WEIGHTED = [0.704168350168, 0.992409571910, 0.995925925926, 0.994955026455], [
    0.11848772791229, 0.00369951836038, 0.00383561392171, 0.00311357679530,
]  # fmt: skip


def test_recorded_cross_validation_of_three_classes():
    r.set_seed(1)
    found = cv_glmnet(X, Y, family="multinomial")
    np.testing.assert_allclose(found.cvm[[0, 19, 39]], CVM, rtol=PRINTED)
    np.testing.assert_allclose(found.cvsd[[0, 19, 39]], CVSD, rtol=PRINTED)
    np.testing.assert_allclose(found.coef(s="lambda.min")["virginica"], VIRGINICA, rtol=PRINTED)
    assert found.nzero[:7].tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert found.fit_preval.shape == (150, 3, len(found.lambda_))
    assert "Measure: Multinomial Deviance" in repr(found)


@pytest.mark.parametrize(("weights", "told"), [(None, AUC), ([1, 2] * 50, WEIGHTED)])
def test_recorded_areas_under_the_curve(weights, told):
    r.set_seed(2)
    found = cv_glmnet(*TWO, weights=weights, family="binomial", type_measure="auc", nfolds=5)
    np.testing.assert_allclose(found.cvm[[0, 4, 19, 39]], told[0], rtol=PRINTED)
    np.testing.assert_allclose(found.cvsd[[0, 4, 19, 39]], told[1], rtol=PRINTED)
    assert found.cvm[found.index[0] - 1] == found.cvm.max()
    assert found.lambda_1se >= found.lambda_min
    assert "Measure: AUC" in repr(found)


FITS = """
suppressMessages(library(glmnet))
for (seed in 1:{seeds}) {{
  set.seed(seed); n <- sample(60:150, 1); p <- sample(2:9, 1); K <- sample(2:5, 1)
  x <- matrix(rnorm(n * p), n) %*% diag(exp(rnorm(p)), p); y <- sample(rep_len(1:K, n))
  x[, 1] <- x[, 1] + y * runif(1, 0, if (seed %in% c(33, 38, 39)) 9 else 2)
  x[, 2] <- x[, 2] - (y == K)
  w <- if (seed %% 3 == 0) runif(n) else rep(1, n)
  alpha <- c(1, .5, 0, .9)[seed %% 4 + 1]; standardize <- seed %% 5 > 0
  factor <- if (seed %in% seq(6, 30, 6)) rep(c(1, 0, 2), length = p) else rep(1, p)
  grouped <- if (seed %% 3 == 1) "grouped" else "ungrouped"
  intercept <- seed %% 7 > 0; thresh <- if (seed %% 2) 1e-7 else 1e-12
  f <- glmnet(x, factor(y), "multinomial", w, alpha = alpha, standardize = standardize,
    intercept = intercept, thresh = thresh, penalty.factor = factor, type.multinomial = grouped)
  out(dim(x)); out(x); out(y); out(w); out(c(alpha, standardize, intercept, thresh))
  out(f$lambda); out(f$a0); out(unlist(lapply(f$beta, as.matrix))); out(f$dev.ratio)
  out(c(f$nulldev, f$npasses)); out(f$df)
  s <- exp(mean(log(range(f$lambda))))
  if (seed %% 3 == 1) out(unlist(predict(f, s = s, type = "nonzero")))
  out(predict(f, x[1:5, ], s = s, type = "response")); out(predict(f, x[1:5, ], s = s))
  measure <- c("deviance", "class", "mse", "mae")[seed %% 4 + 1]; set.seed(seed)
  g <- suppressWarnings(cv.glmnet(x, factor(y), w, family = "multinomial", nfolds = 5,
    alpha = alpha, standardize = standardize, type.measure = measure,
    penalty.factor = factor, type.multinomial = grouped))
  out(g$cvm); out(g$cvsd); out(c(g$lambda.min, g$lambda.1se)); out(g$nzero)
}}
"""
MEASURES = ("deviance", "class", "mse", "mae")


@pytest.mark.slow
@live_r
@pytest.mark.filterwarnings("ignore:glmnet's path ends early", "ignore:grouped=False is")
def test_paths_and_cross_validations_are_those_of_r():
    seeds = 40
    told = iter(r_values(FITS.format(seeds=seeds)))
    for seed in range(1, seeds + 1):
        shape = next(told).astype(int)
        x = next(told).reshape(shape[::-1]).T
        y, w, (alpha, standardize, intercept, thresh) = next(told), next(told), next(told)
        asked = {"alpha": alpha, "standardize": bool(standardize)}
        asked["type_multinomial"] = "grouped" if seed % 3 == 1 else "ungrouped"
        asked["penalty_factor"] = (
            np.resize([1, 0, 2], x.shape[1]) if seed in range(6, 31, 6) else None
        )
        weights = None if seed % 3 else w
        fit = glmnet(
            x, y, weights, family="multinomial", intercept=bool(intercept), thresh=thresh, **asked
        )
        lambda_, a0, beta = next(told), next(told), next(told)
        np.testing.assert_allclose(fit.lambda_, lambda_, rtol=CLOSE, err_msg=str(seed))
        bounded = np.ptp(fit.predict(x), axis=1).max() > BOUNDS
        close = APART if bounded and seed % 3 != 1 else CLOSE
        size = np.abs(beta).max()
        np.testing.assert_allclose(fit.a0.T.ravel(), a0, rtol=close, atol=close * size)
        ours = np.stack([each.T for each in fit.beta.values()]).ravel()
        np.testing.assert_allclose(ours, beta, rtol=close, atol=close * size, err_msg=str(seed))
        np.testing.assert_allclose(fit.dev_ratio, next(told), rtol=close, atol=1e-13)
        null, passes = next(told)
        assert fit.npasses == passes
        assert fit.nulldev == pytest.approx(null, rel=CLOSE)
        assert fit.df.tolist() == next(told).tolist()
        s = float(np.exp(np.log(lambda_[[0, -1]]).mean()))
        if seed % 3 == 1:
            assert fit.predict(s=s, type="nonzero").tolist() == next(told).tolist()
        for kind in ("response", "link"):
            found = fit.predict(x[:5], s=s, type=kind)
            np.testing.assert_allclose(found.T.ravel(), next(told), rtol=10 * close, atol=close)
        r.set_seed(seed)
        cv = cv_glmnet(
            x, y, weights, family="multinomial", nfolds=5, type_measure=MEASURES[seed % 4], **asked
        )
        np.testing.assert_allclose(cv.cvm, next(told), rtol=APART, err_msg=str(seed))
        np.testing.assert_allclose(cv.cvsd, next(told), rtol=APART, atol=APART)
        np.testing.assert_allclose([cv.lambda_min, cv.lambda_1se], next(told), rtol=CLOSE)
        assert cv.nzero.tolist() == next(told).tolist()


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 0.9, 1.0])
def test_the_centre_is_where_the_penalty_is_least(alpha):
    rng = np.random.default_rng(3)
    for _ in range(50):
        b = np.where(rng.random(5) < 0.4, 0.0, rng.normal(size=5))
        at = np.append(np.linspace(b.min(), b.max(), 4001), b)[:, None]
        penalty = (alpha * np.abs(b - at) + (1 - alpha) / 2 * (b - at) ** 2).sum(1)
        found = centre(b, alpha)
        here = (alpha * np.abs(b - found) + (1 - alpha) / 2 * (b - found) ** 2).sum()
        assert here <= penalty.min() + 1e-12


def test_two_classes_have_the_probabilities_of_both_families():
    one = glmnet(*TWO, family="binomial", lambda_=[0.1, 0.05], thresh=1e-14, alpha=0.0)
    two = glmnet(*TWO, family="multinomial", lambda_=[0.2, 0.1], thresh=1e-14, alpha=0.0)
    first, second = one.predict(TWO[0], type="response"), two.predict(TWO[0], type="response")
    # a slope is shared by two classes: half of it each, squared, is half of its penalty
    np.testing.assert_allclose(first, second[:, 1], atol=1e-6)


def test_what_a_fit_of_classes_hands_out():
    fit = glmnet(X, Y, family="multinomial", lambda_=[0.1, 0.01])
    assert list(fit.coef()) == list(fit.beta) == ["setosa", "versicolor", "virginica"]
    assert fit.predict(X, s=0.01, type="class")[[0, 60, 149]].tolist() == list(fit.beta)
    np.testing.assert_allclose(fit.predict(X, type="response").sum(1), 1.0)
    assert set(fit.tidy()["class"]) == set(fit.beta)
    assert fit.predict(type="nonzero", s=0.1)["setosa"].tolist() == [3]
    np.testing.assert_allclose(fit.a0.sum(0), 0.0, atol=1e-12)


@pytest.mark.filterwarnings("ignore:one (bi|multi)nomial class has fewer")
def test_folds_that_classes_do_not_fit_are_said():
    few = ["a"] * 20 + ["b"] * 20 + ["c"] * 2
    folds = np.tile([1, 2, 3], 14)
    folds[-2:] = 1
    with pytest.raises(FitError, match="1 or 0 rows"):
        cv_glmnet(X.iloc[:42], few, family="multinomial", foldid=folds)
    blocks, thirds = np.repeat([0, 1, 1], 20), np.repeat([1, 2, 3], 20)
    for one in (0, 1):  # rows of the rare class that the second and third folds hold
        blocks[40 : 40 + one] = 0
        with pytest.raises(FitError, match="1 or 0 rows"):  # as R, where the first fold is left out
            cv_glmnet(X.iloc[:60], blocks, family="binomial", foldid=thirds)
    with pytest.raises(FitError, match="all rows have the same response"):
        cv_glmnet(X.iloc[:60], np.repeat([0, 1, 1], 20), family="poisson", foldid=thirds)
    with pytest.warns(PycvstatWarning, match="rows per fold"):
        cv_glmnet(TWO[0][::3], TWO[1][::3], family="binomial", type_measure="auc", nfolds=5)
    with pytest.raises(FitError, match="one class only"):
        cv_glmnet(*TWO, family="binomial", type_measure="auc", foldid=np.repeat([1, 2, 3, 4], 25))
