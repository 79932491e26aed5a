"""boot's functions against boot in R: folds, draws, intervals and what is printed."""

import warnings

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat import r
from pycvstat.errors import PycvstatWarning
from pycvstat.r.boot import boot, boot_ci, cv_glm
from tests.rscript import live_r, r_values

CLOSE = 1e-11  # of least squares and iterated fits, relative
TEXT = (
    "text <- function(x) out(utf8ToInt(paste(capture.output(print(x)), collapse = '\\n')))\n"
    "suppressMessages(library(boot))\n"
)

# R's model, the same model here
MODELS = {
    "glm(mpg ~ wt, data = d)": (pcv.GLM(), "mpg ~ wt"),
    "glm(mpg ~ poly(hp, 3) + factor(cyl), data = d)": (
        pcv.OLS(),
        "mpg ~ poly(hp, 3) + factor(cyl)",
    ),
    "glm(am ~ wt, binomial, d)": (pcv.GLM("binomial"), "am ~ wt"),
    "glm(factor(vs) ~ mpg, binomial, d)": (pcv.Logit(), "factor(vs) ~ mpg"),
    "glm(carb ~ hp, poisson, d)": (pcv.GLM("poisson"), "carb ~ hp"),
    "glm(mpg ~ wt, data = d, weights = hp)": (pcv.WLS(), "mpg ~ wt"),
}
COSTS = {
    "": None,
    ", cost = function(y, p) mean(abs(y - p) > .5)": lambda y, p: np.mean(np.abs(y - p) > 0.5),
    ", cost = function(y, p) median(abs(y - p))": lambda y, p: np.median(np.abs(y - p)),
}


def text(codes):
    """What R printed, without the call, which is R's own."""
    return "".join(map(chr, codes.astype(int)))


@live_r
def test_cv_glm():
    cars = pcv.data.mtcars()
    code, here = TEXT + "d <- mtcars\n", []
    chance = np.random.default_rng(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        for model, (learner, formula) in MODELS.items():
            weights = {"weights": "hp"} if "weights" in model else {}
            fit = learner.fit(formula, cars, **weights)
            for cost, ours in COSTS.items():
                seed = int(chance.integers(1, 10**6))
                code += f"set.seed({seed}); fit <- suppressWarnings({model})\n"
                r.set_seed(seed)
                for k in ("", 2.5, 5, 10, 16, 31):
                    more = f", K = {k}" if k else ""
                    code += f"v <- suppressWarnings(cv.glm(d, fit{cost}{more}))\n"
                    code += "out(v$K); out(v$delta); out(v$seed)\n"
                    here.append(cv_glm(cars, fit, cost=ours, K=k or None))
                code += "out(runif(1))\n"
                here.append(r.runif(1))
    values = r_values(code)
    for found in here:
        if isinstance(found, np.ndarray):
            np.testing.assert_array_equal(found, values.pop(0))
            continue
        assert values.pop(0) == found.K
        np.testing.assert_allclose(found.delta, values.pop(0), rtol=CLOSE)
        np.testing.assert_array_equal(found.seed, values.pop(0))


@live_r
def test_ten_calls_on_one_stream():
    """The ten K-fold errors of a polynomial of ISLR's lab, which sets one seed."""
    cars = pcv.data.mtcars()
    values = r_values(
        TEXT + "set.seed(17)\n"
        "for (i in 1:10) out(suppressWarnings("
        "cv.glm(mtcars, glm(mpg ~ poly(hp, i), data = mtcars), K = 8)$delta[1]))"
    )
    r.set_seed(17)
    for degree, value in enumerate(values, start=1):
        fit = pcv.GLM().fit(f"mpg ~ poly(hp, {degree})", cars)
        np.testing.assert_allclose(cv_glm(cars, fit, K=8).delta[0], value[0], rtol=1e-9)


STATISTICS = {
    "mean(d[i])": lambda d, rows: d[rows].mean(),
    "c(mean(d[i]), var(d[i]) / length(i))": lambda d, rows: [
        d[rows].mean(),
        d[rows].var(ddof=1) / len(rows),
    ],
    "median(d[i])": lambda d, rows: np.median(d[rows]),
    "1e-3 * mean(d[i])": lambda d, rows: 1e-3 * d[rows].mean(),
    "-1e4 * max(d[i])": lambda d, rows: -1e4 * d[rows].max(),
    "1e6 * mean(d[i])": lambda d, rows: 1e6 * d[rows].mean(),
    "log(mean(d[i]) - 1)": lambda d, rows: np.log(d[rows].mean() - 1),
}
TYPES = ("norm", "basic", "stud", "perc", "bca")


def bootstraps():
    """Random resamplings with what to ask of them."""
    chance = np.random.default_rng(7)
    for seed in range(60):
        code = chance.choice(list(STATISTICS))
        n, count = int(chance.integers(5, 40)), int(chance.choice([50, 99, 200, 399, 999]))
        some = [t for t in TYPES if chance.random() < 0.6] or ["perc"]
        if "var" not in code or "stud" not in some:
            some = [t for t in some if t != "stud"] or ["norm"]
        levels = [[0.95], [0.9, 0.95], [0.8, 0.9, 0.995]][chance.integers(3)]
        yield seed, code, n, count, some, levels


@live_r
def test_boot_and_its_intervals():
    code, here = TEXT, []
    for seed, statistic, n, count, some, levels in bootstraps():
        data = np.round(pcv.RRandom(seed).rexp(n) + 2, 6)
        kinds = ", ".join(f'"{one}"' for one in some)
        code += (
            f"set.seed({seed}); d <- round(rexp({n}) + 2, 6); set.seed({seed})\n"
            f"b <- boot(d, function(d, i) {statistic}, R = {count})\n"
            f"out(b$t0); out(b$t); out(boot.array(b, indices = TRUE)); text(b); out(runif(1))\n"
            f"ci <- tryCatch(suppressWarnings(boot.ci(b, conf = c({', '.join(map(str, levels))}),"
            f" type = c({kinds}))), error = function(e) NULL)\n"
            "out(unlist(ci[-(1:3)])); text(ci)\n"
        )
        r.set_seed(seed)
        found = boot(data, STATISTICS[statistic], R=count)
        here.append((found, r.runif(1), some, levels, statistic))
    values = r_values(code)
    compared = 0
    for found, after, some, levels, statistic in here:
        t0, t, rows, shown, then, ends, printed = values[:7]
        values = values[7:]
        np.testing.assert_array_equal(found.indices.T.ravel() + 1, rows)
        np.testing.assert_array_equal(after, then)
        np.testing.assert_allclose(found.t0, t0, rtol=1e-14)
        np.testing.assert_allclose(found.t.T.ravel(), t, rtol=1e-12, atol=1e-14)
        assert repr(found).split("Statistics")[1] == text(shown).split("Statistics")[1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PycvstatWarning)
            try:
                ci = boot_ci(found, conf=levels, type=some)
            except pcv.errors.InputError:
                assert not len(ends), (statistic, some)
                continue
        ours = np.concatenate([table.T.ravel() for table in ci.intervals.values()])
        np.testing.assert_allclose(ours, ends, rtol=1e-9)
        assert repr(ci).split("Intervals :")[1] == text(printed).split("Intervals :")[1]
        compared += 1
    assert compared > 45


@live_r
def test_frames_are_resampled_by_rows():
    values = r_values(
        TEXT + "set.seed(3); b <- boot(mtcars, function(d, i) "
        "coef(lm(mpg ~ wt, data = d[i, ])), R = 30); out(b$t)"
    )
    r.set_seed(3)
    found = boot(
        pcv.data.mtcars(),
        lambda d, rows: list(pcv.OLS().fit("mpg ~ wt", d.iloc[rows]).coefficients.values()),
        R=30,
    )
    np.testing.assert_allclose(found.t.T.ravel(), values[0], rtol=CLOSE)


@pytest.mark.live_r
def test_what_cv_glm_prints():
    (shown,) = r_values(
        TEXT + "set.seed(1); v <- cv.glm(mtcars, glm(mpg ~ wt, data = mtcars), K = 16)\n"
        "text(v[c('K', 'delta')])"
    )
    cars = pcv.data.mtcars()
    r.set_seed(1)
    assert repr(cv_glm(cars, pcv.OLS().fit("mpg ~ wt", cars), K=16)) == text(shown).rstrip("\n")
