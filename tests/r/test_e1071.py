"""e1071's tune: its folds, errors and choice, against e1071 in R."""

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat import r
from pycvstat.errors import InputError
from tests.rscript import live_r, r_values

CARS = pcv.data.mtcars()
CONTROLS = [
    ("sampling = 'cross'", {}),
    ("cross = 7", {"cross": 7}),
    ("cross = 32", {"cross": 32}),
    ("sampling = 'fix', fix = 0.7", {"sampling": "fix", "fix": 0.7}),
    ("sampling = 'bootstrap', nboot = 4", {"sampling": "bootstrap", "nboot": 4}),
]
METHODS = """
suppressWarnings(suppressMessages(library(e1071)))
poly_lm <- function(formula, data, subset, degree = 1, ...) {
  d <- if (missing(subset)) data else data[subset, ]
  lm(as.formula(sprintf("mpg ~ poly(wt, %d)", degree)), d) }
logit <- function(formula, data, subset, ...) glm(formula, binomial, data[subset, ])
classes <- function(m, new) factor(predict(m, new, type = "response") > 0.5, c(FALSE, TRUE))
mtcars$am <- factor(mtcars$am == 1)
"""


@live_r
def test_errors_and_the_stream_after_them():
    code = METHODS
    for control, _ in CONTROLS:
        tuned = f"tunecontrol = tune.control({control}"
        code += f"""
        set.seed(3); t <- tune(lm, mpg ~ wt + hp, data = mtcars, {tuned}))
        out(t$best.performance); out(t$performances$dispersion); out(runif(1))
        out(length(t$train.ind)); for (i in t$train.ind) out(sort(i))
        out(utf8ToInt(paste(capture.output(print(t)), collapse = "\\n")))
        t <- tune(logit, am ~ qsec, data = mtcars, predict.func = classes,
                  {tuned}, best.model = FALSE))
        out(t$best.performance)
        """
    values = r_values(code)
    for control, given in CONTROLS:
        how = r.e1071.tune_control(**given)
        r.set_seed(3)
        found = r.e1071.tune(pcv.OLS(), "mpg ~ wt + hp", CARS, tunecontrol=how)
        np.testing.assert_allclose(found.best_performance, values.pop(0)[0], rtol=1e-12)
        spread = found.performances["dispersion"]
        np.testing.assert_allclose(spread, values.pop(0), rtol=1e-11, err_msg=control)
        assert r.runif(1) == values.pop(0), control
        assert len(found.train_ind) == values.pop(0)[0]
        for rows in found.train_ind:
            np.testing.assert_array_equal(rows, values.pop(0), control)
        shown = "".join(chr(int(code)) for code in values.pop(0))
        assert repr(found).replace("OLS", "lm") == shown
        chosen = r.e1071.tune(pcv.Logit(), "factor(am) ~ qsec", CARS, tunecontrol=how)
        np.testing.assert_allclose(chosen.best_performance, values.pop(0)[0], rtol=1e-12)


def test_candidates_vary_as_in_expand_grid_and_the_first_of_equal_ones_is_best():
    r.set_seed(1)
    ranges = {"k": [3, 5], "kernel": ["rectangular", "inv"]}
    found = r.e1071.tune(pcv.KNN(), "mpg ~ wt", CARS, ranges=ranges)
    assert found.performances["k"].tolist() == [3, 5, 3, 5]
    assert "- best parameters:\n k" in repr(found)
    r.set_seed(1)
    equal = r.e1071.tune(pcv.OLS(), "mpg ~ wt", CARS, ranges={"cov_type": ["HC0", "HC1"]})
    assert equal.best_parameters == {"cov_type": "HC0"}
    assert equal.predict(CARS[:2]).shape == (2,)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: r.e1071.tune_control("cros"), "'cross'"),
        (lambda: r.e1071.tune_control(cross=1), "cross must be a whole number, at least 2"),
        (lambda: r.e1071.tune_control(fix=1.5), "fix is a share"),
        (lambda: r.e1071.tune(pcv.KNN(), "mpg ~ wt", CARS, ranges={"K": [1]}), "'K'"),
        (lambda: r.e1071.tune(pcv.KNN(), "mpg ~ wt", CARS, ranges={}), "grid is empty"),
        (lambda: r.e1071.tune(pcv.KNN(), "mpg ~ wt", CARS, ranges=[1, 3]), "under names"),
        (
            lambda: r.e1071.tune(
                pcv.KNN(), "mpg ~ wt", CARS, tunecontrol=r.e1071.tune_control(cross=40)
            ),
            "must not exceed sampling size",
        ),
    ],
)
def test_refused(call, says):
    with pytest.raises(InputError, match=says):
        call()
