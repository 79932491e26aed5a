"""RFolds against the R packages themselves, row for row."""

import warnings

import numpy as np
import pytest

from pycvstat.errors import PycvstatWarning
from pycvstat.folds import Repeated, RFolds, Subsampling, TimeSeries
from pycvstat.rmath.arithmetic import as_character
from pycvstat.rmath.random import RRandom
from tests.rscript import live_r, r_values

SEEDS = (1, 2021, -5)
SIZES = [(20, 4), (103, 10), (10, 3), (11, 10), (57, 5), (32, 7)]
GRID = [(n, k, seed) for n, k in SIZES for seed in SEEDS]


def cases(template, grid=GRID):
    """R code for every n, K and seed of the grid."""
    return "\n".join(template.format(n=n, k=k, seed=seed) for n, k, seed in grid)


RSAMPLE = """
suppressMessages(library(rsample))
labels <- function(v, n, repeats = 1) {
  test <- lapply(v$splits, function(s) as.integer(s, data = "assessment"))
  ids <- matrix(0, n, repeats); k <- length(test) / repeats
  for (i in seq_along(test)) ids[test[[i]], (i - 1) %/% k + 1] <- (i - 1) %% k + 1
  ids
}
"""


@live_r
def test_rsample():
    code = "set.seed({seed}); out(labels(vfold_cv(data.frame(x = 1:{n}), v = {k}), {n}))"
    for (n, k, seed), ids in zip(GRID, r_values(RSAMPLE + cases(code)), strict=True):
        np.testing.assert_array_equal(RFolds("rsample", k, seed=seed).plan(n).fold_ids, ids)


@live_r
def test_rsample_repeated():
    code = (
        "set.seed({seed}); "
        "out(labels(vfold_cv(data.frame(x = 1:{n}), v = {k}, repeats = 3), {n}, 3))"
    )
    for (n, k, seed), ids in zip(GRID, r_values(RSAMPLE + cases(code)), strict=True):
        plan = RFolds("rsample", k, seed=seed, repeats=3).plan(n)
        np.testing.assert_array_equal(plan.fold_ids.T.ravel(), ids)
        again = Repeated(RFolds("rsample", k), times=3, random=seed).plan(n)
        assert again.fingerprint == plan.fingerprint


STRATA = {
    # name: R code of a variable of n = 150, and the same here from the same draws
    "classes": (
        "c('b', 'a', 'C')[sample(3, 150, TRUE)]",
        lambda r: np.array(["b", "a", "C"])[r.sample(3, 150, replace=True) - 1],
    ),
    "small class": (
        "c('b', 'a', 'C')[sample(3, 150, TRUE, prob = c(.6, .35, .05))]",
        lambda r: np.array(["b", "a", "C"])[
            r.sample(3, 150, replace=True, prob=[0.6, 0.35, 0.05]) - 1
        ],
    ),
    "many small classes": (
        "letters[sample(26, 150, TRUE)]",
        lambda r: np.array(list("abcdefghijklmnopqrstuvwxyz"))[r.sample(26, 150, replace=True) - 1],
    ),
    "few numbers": (
        "c(20000, 1e5, 150000)[sample(3, 150, TRUE)]",
        lambda r: np.array([20000.0, 100000.0, 150000.0])[r.sample(3, 150, replace=True) - 1],
    ),
    "few integers": (
        "c(20000L, 100000L, 150000L)[sample(3, 150, TRUE)]",
        lambda r: np.array([20000, 100000, 150000])[r.sample(3, 150, replace=True) - 1],
    ),
    "logical": ("runif(150) < .4", lambda r: r.runif(150) < 0.4),
    "numbers": ("rexp(150)", lambda r: r.rexp(150)),
    "numbers around 10": ("rnorm(150, 10, 3)", lambda r: r.rnorm(150, 10, 3)),
    "tied numbers": ("round(rexp(150), 1)", lambda r: np.round(r.rexp(150) * 10) / 10),
    "counts": ("sample(12, 150, TRUE)", lambda r: r.sample(12, 150, replace=True)),
    "large and negative": ("rnorm(150) * 1e6", lambda r: r.rnorm(150) * 1e6),
    "small numbers": ("rnorm(150) / 1e6", lambda r: r.rnorm(150) / 1e6),
    "few numbers, both zeros": (
        "c(-1, -0, 0, 1)[sample(4, 150, TRUE)]",
        lambda r: np.array([-1.0, -0.0, 0.0, 1.0])[r.sample(4, 150, replace=True) - 1],
    ),
    "numbers around minus zero": (
        "c(-2, -1, -0, 1, 2)[sample(5, 150, TRUE)]",
        lambda r: np.array([-2.0, -1.0, -0.0, 1.0, 2.0])[r.sample(5, 150, replace=True) - 1],
    ),
}


@live_r
def test_rsample_strata():
    grid = [(kind, seed, k, repeats) for kind in STRATA for seed in SEEDS for k in (3, 10)
            for repeats in (1, 2)]  # fmt: skip
    code = "\n".join(
        f"set.seed(99); d <- data.frame(y = {STRATA[kind][0]}); set.seed({seed}); "
        f"out(labels(suppressWarnings(vfold_cv(d, v = {k}, repeats = {repeats}, strata = y)), "
        f"150, {repeats}))"
        for kind, seed, k, repeats in grid
    )
    for (kind, seed, k, repeats), ids in zip(grid, r_values(RSAMPLE + code), strict=True):
        data = {"y": STRATA[kind][1](RRandom(99))}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PycvstatWarning)
            plan = RFolds("rsample", k, seed=seed, repeats=repeats, strata="y").plan(data)
        np.testing.assert_array_equal(plan.fold_ids.T.ravel(), ids, kind)


@live_r
@pytest.mark.parametrize("size", [20, 39, 60, 79])
def test_rsample_strata_of_few_rows(size):
    (ids,) = r_values(
        RSAMPLE + f"set.seed(3); d <- data.frame(y = rnorm({size})); set.seed(4)\n"
        f"out(labels(suppressWarnings(vfold_cv(d, v = 4, strata = y)), {size}))"
    )
    y = RRandom(3).rnorm(size)
    with pytest.warns(PycvstatWarning, match="rsample"):
        plan = RFolds("rsample", 4, seed=4, strata=True).plan(size, y=y)
    np.testing.assert_array_equal(plan.fold_ids, ids)


@live_r
def test_rsample_classes_of_exactly_a_tenth():
    (ids,) = r_values(
        RSAMPLE + "d <- data.frame(y = rep(letters[1:10], 4)); set.seed(5)\n"
        "out(labels(vfold_cv(d, v = 4, strata = y), 40))"
    )
    plan = RFolds("rsample", 4, seed=5, strata=True).plan(40, y=list("abcdefghij") * 4)
    np.testing.assert_array_equal(plan.fold_ids, ids)


CARET = "suppressMessages(library(caret))\n"


@live_r
@pytest.mark.parametrize(("collation", "locale"), [("ICU", "C.UTF-8"), ("C", "C")])
def test_caret(collation, locale):
    grid = [(kind, seed, k) for kind in STRATA for seed in SEEDS for k in (2, 3, 10, 40, 70, 100)]
    code = "\n".join(
        f"set.seed(99); y <- {STRATA[kind][0]}; set.seed({seed}); "
        f"out(createFolds(y, k = {k}, list = FALSE))"
        for kind, seed, k in grid
    )
    for (kind, seed, k), ids in zip(grid, r_values(CARET + code, locale), strict=True):
        y = STRATA[kind][1](RRandom(99))
        plan = RFolds("caret", k, seed=seed, collation=collation).plan(150, y=y)
        np.testing.assert_array_equal(label_of_rows(plan), ids, kind)


@live_r
def test_caret_with_letters_beyond_ascii():
    (ids,) = r_values(
        CARET + "y <- c('z', '\\u00f8', 'p', '\\u00df')[rep(1:4, 1:4 * 9)]; set.seed(3); "
        "out(createFolds(y, k = 5, list = FALSE))"
    )
    plan = RFolds("caret", 5, seed=3).plan(90, y=np.repeat(list("zøpß"), [9, 18, 27, 36]))
    np.testing.assert_array_equal(label_of_rows(plan), ids)


def label_of_rows(plan):
    """The package's own labels, also where some fold is empty."""
    ids = np.empty(plan.n, dtype=int)
    ids[plan.rows] = np.repeat(plan.fold, plan.n_test) + 1
    return ids


@live_r
def test_caret_factor_repeated_and_leave_one_out():
    species = np.repeat(["setosa", "versicolor", "virginica"], 50)
    values = r_values(
        CARET + "set.seed(7); f <- createMultiFolds(iris$Species, k = 10, times = 3)\n"
        "for (i in seq_along(f)) out(setdiff(1:150, f[[i]]))\n"
        "set.seed(7); out(createFolds(rnorm(12), k = 12, list = FALSE))\n"
        "set.seed(7); out(createFolds(rep(5, 12), k = 3, list = FALSE))"
    )
    plan = RFolds("caret", 10, seed=7, repeats=3).plan(150, y=species)
    assert plan.times == 3
    for rows in plan.to_rows(first=1):
        np.testing.assert_array_equal(rows, values.pop(0))
    loo = RFolds("caret", 12, seed=7).plan(12, y=np.arange(12.0))
    np.testing.assert_array_equal(loo.fold_ids, values.pop(0))
    constant = RFolds("caret", 3, seed=7).plan(12, y=np.full(12, 5.0))
    np.testing.assert_array_equal(constant.fold_ids, values.pop(0))


@live_r
def test_boot():
    # cv.glm keeps its folds to itself: the cost function is told the response, here the row
    grid = [(n, k, seed) for n, k in [*SIZES, (50, 13), (8, 8), (100, 60)] for seed in SEEDS]
    code = """
    set.seed({seed}); d <- data.frame(y = 1:{n}); rows <- list()
    fit <- glm(y ~ 1, data = d)
    keep <- function(y, yhat) {{ rows[[length(rows) + 1]] <<- y; 0 }}
    invisible(suppressWarnings(boot::cv.glm(d, fit, cost = keep, K = {k})))
    ids <- numeric({n}); test <- Filter(function(r) length(r) < {n}, rows)
    for (i in seq_along(test)) ids[test[[i]]] <- i
    out(ids)
    """
    for (n, k, seed), ids in zip(grid, r_values(cases(code, grid)), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PycvstatWarning)
            plan = RFolds("boot", k, seed=seed).plan(n)
        np.testing.assert_array_equal(plan.fold_ids, ids)


@live_r
def test_glmnet():
    code = """
    set.seed(1); x <- matrix(rnorm({n} * 2), {n}); y <- rnorm({n}); set.seed({seed})
    out(suppressWarnings(cv.glmnet(x, y, nfolds = {k}, keep = TRUE))$foldid)
    """
    values = r_values("suppressMessages(library(glmnet))\n" + cases(code))
    for (n, k, seed), ids in zip(GRID, values, strict=True):
        np.testing.assert_array_equal(RFolds("glmnet", k, seed=seed).plan(n).fold_ids, ids)


@live_r
def test_courses_older_than_r_3_6():
    (ids,) = r_values(
        'suppressWarnings(RNGkind(sample.kind = "Rounding")); set.seed(10)\n'
        "out(caret::createFolds(iris$Sepal.Length, k = 5, list = FALSE)); "
    )
    (y,) = r_values("out(iris$Sepal.Length)")
    plan = RFolds("caret", 5, seed=10, sample_kind="Rounding").plan(150, y=y)
    np.testing.assert_array_equal(plan.fold_ids, ids)


@live_r
def test_subsampling_is_mc_cv():
    values = r_values(
        "set.seed(3); m <- rsample::mc_cv(data.frame(x = 1:41), prop = .75, times = 4)\n"
        "for (s in m$splits) out(sort(as.integer(s)))"
    )
    plan = Subsampling(4, train=0.75, random=3).plan(41)
    for i, train in enumerate(values):
        np.testing.assert_array_equal(plan.train_rows(i) + 1, train)


@live_r
@pytest.mark.parametrize(("window", "fixed"), [("sliding", "TRUE"), ("expanding", "FALSE")])
def test_time_series_is_create_time_slices(window, fixed):
    values = r_values(
        CARET + f"s <- createTimeSlices(1:23, 5, horizon = 3, fixedWindow = {fixed}, skip = 1)\n"
        "for (i in seq_along(s$train)) { out(s$train[[i]]); out(s$test[[i]]) }"
    )
    plan = TimeSeries(5, horizon=3, step=2, window=window).plan(23)
    assert len(values) == 2 * len(plan)
    for train, test in plan:
        np.testing.assert_array_equal(train + 1, values.pop(0))
        np.testing.assert_array_equal(test + 1, values.pop(0))


@live_r
def test_numbers_as_words_as_in_r():
    r = RRandom(1)
    given = [0, 1e5, 123456, 0.1, 1 / 3, 1e-5, 1e15, 1e22, -2.5e-10, 100]
    numbers = [*given, *np.exp(r.rnorm(300, 0, 15)), *np.round(r.runif(100) * 1e6)]
    (codes,) = r_values(
        "set.seed(1); a <- exp(rnorm(300, 0, 15)); b <- round(runif(100) * 1e6)\n"
        "x <- c(0, 1e5, 123456, .1, 1 / 3, 1e-5, 1e15, 1e22, -2.5e-10, 100, a, b)\n"
        "out(unlist(lapply(as.character(x), function(s) c(utf8ToInt(s), 0))))"
    )
    words = "".join(map(chr, codes.astype(int))).split("\0")[:-1]
    assert [as_character(number) for number in numbers] == words
