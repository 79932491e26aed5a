"""rsample's splits, row for row, against rsample in R."""

import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat import r
from pycvstat.errors import InputError, PycvstatWarning
from pycvstat.r.rsample import (
    bootstraps,
    group_vfold_cv,
    initial_split,
    initial_time_split,
    mc_cv,
    nested_cv,
    rolling_origin,
    vfold_cv,
)
from tests.rscript import live_r, r_values

ROWS = """
suppressMessages(library(rsample))
options(warn = -1)
# purrr composes a message, which nobody hears, at every call of what it has newer functions for
assignInNamespace("signal_stage", function(...) NULL, "lifecycle")
sides <- function(s) {
  out(length(s$splits))
  for (one in s$splits) {
    out(sort(as.integer(one, data = "analysis"))); out(as.integer(one, data = "assessment"))
  }
}
"""
# R code of a variable of n rows, the same from the same draws
STRATA = {
    "sample(c('b', 'a', 'C'), n, TRUE)": lambda r, n: r.sample(["b", "a", "C"], n, True),
    "sample(c('b', 'a', 'C'), n, TRUE, prob = c(.7, .2, .1))": lambda r, n: r.sample(
        ["b", "a", "C"], n, True, [0.7, 0.2, 0.1]
    ),
    "sample(4, n, TRUE)": lambda r, n: r.sample(4, n, True),
    "rexp(n)": lambda r, n: r.rexp(n),
    "rnorm(n) > 1": lambda r, n: r.rnorm(n) > 1,
    "round(rexp(n), 1)": lambda r, n: np.round(r.rexp(n) * 10) / 10,
}


def cases():
    """Random calls: R code and the same call here."""
    chance = np.random.default_rng(11)
    for seed in range(160):
        n = int(chance.choice([9, 20, 47, 100, 163]))
        name = chance.choice(list(STRATA))
        strata = chance.random() < 0.6
        breaks, pool = int(chance.choice([2, 3, 4, 7])), float(chance.choice([0.05, 0.1, 0.25]))
        settings = {"strata": "y", "breaks": breaks, "pool": pool} if strata else {}
        in_r = f", strata = y, breaks = {breaks}, pool = {pool}" if strata else ""
        prop, times = float(chance.choice([0.5, 0.29, 0.75, 0.8])), int(chance.integers(1, 6))
        v, repeats = int(chance.integers(2, 9)), int(chance.integers(1, 4))
        groups = int(chance.integers(v + 1, 9 + v))
        balance = str(chance.choice(["groups", "observations"]))
        calls = {
            f"vfold_cv(d, {v}, {repeats}{in_r})": partial(
                vfold_cv, v=v, repeats=repeats, **settings
            ),
            f"mc_cv(d, {prop}, {times}{in_r})": partial(mc_cv, prop=prop, times=times, **settings),
            f"bootstraps(d, {times}{in_r})": partial(bootstraps, times=times, **settings),
            f"group_vfold_cv(d, g, {v}, {repeats}, balance = '{balance}')": partial(
                group_vfold_cv, group="g", v=v, repeats=repeats, balance=balance
            ),
        }
        if n == 9:  # a resample may have all rows
            calls = {code: call for code, call in calls.items() if not code.startswith("boot")}
        yield seed, n, name, groups, calls


def frame(seed, n, name, groups):
    stream = pcv.RRandom(seed)
    y = STRATA[name](stream, n)
    return pd.DataFrame({"y": y, "g": (np.arange(n) * 7) % groups})


@pytest.mark.slow
@live_r
def test_plans():
    code = ROWS
    for seed, n, name, groups, calls in cases():
        code += f"n <- {n}; set.seed({seed}); d <- data.frame(y = {name})\n"
        code += f"d$g <- ((seq_len(n) - 1) * 7) %% {groups}; set.seed({seed})\n"
        code += "\n".join(f"sides(tryCatch({one}, error = function(e) list()))" for one in calls)
        code += "\nout(runif(1))\n"
    values = r_values(code)
    compared = 0
    for seed, n, name, groups, calls in cases():
        data = frame(seed, n, name, groups)
        r.set_seed(seed)
        for said, call in calls.items():
            fits = int(values.pop(0)[0])
            if not fits:
                with pytest.raises(InputError):
                    call(data)
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PycvstatWarning)
                plan = call(data)
            assert len(plan) == fits, (seed, said)
            for train, test in plan:
                np.testing.assert_array_equal(train + 1, values.pop(0), f"{seed} {said}")
                np.testing.assert_array_equal(test + 1, np.sort(values.pop(0)), f"{seed} {said}")
            compared += 1
        np.testing.assert_array_equal(r.runif(1), values.pop(0), f"{seed}")
    assert compared > 540


@live_r
def test_initial_splits():
    code, here = ROWS, []
    for seed, n, name, groups, _ in cases():
        more = ", strata = y, breaks = 3, pool = .2" if seed % 2 else ""
        code += f"n <- {n}; set.seed({seed}); d <- data.frame(y = {name}); set.seed({seed})\n"
        code += f"s <- initial_split(d, .8{more}); out(s$in_id)\n"
        code += "for (part in list(training(s), testing(s))) out(as.integer(rownames(part)))\n"
        code += "s <- initial_time_split(d, .29); out(s$in_id)\n"
        here.append((seed, frame(seed, n, name, groups)))
    values = r_values(code)
    for seed, data in here:
        r.set_seed(seed)
        more = {"strata": "y", "breaks": 3, "pool": 0.2} if seed % 2 else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PycvstatWarning)
            split = initial_split(data, 0.8, **more)
        np.testing.assert_array_equal(split.in_id, values.pop(0))
        np.testing.assert_array_equal(split.training().index + 1, values.pop(0))
        np.testing.assert_array_equal(split.testing().index + 1, values.pop(0))
        np.testing.assert_array_equal(initial_time_split(data, 0.29).in_id, values.pop(0))


@live_r
def test_nested_splits():
    code = (
        ROWS
        + """
    set.seed(7); d <- data.frame(y = rexp(150)); set.seed(8)
    one <- nested_cv(d, vfold_cv(v = 3, repeats = 2), bootstraps(times = 4))
    outer <- mc_cv(d, times = 3)
    two <- nested_cv(d, outer, vfold_cv(v = 5, strata = y))
    odd <- nested_cv(d, bootstraps(times = 2), mc_cv(times = 2))
    for (s in list(one, two, odd)) { sides(s); for (inner in s$inner_resamples) sides(inner) }
    out(runif(1))
    """
    )
    values = r_values(code)
    r.set_seed(7)
    data = pd.DataFrame({"y": r.rexp(150)})
    r.set_seed(8)
    made = [nested_cv(data, lambda d: vfold_cv(d, v=3, repeats=2), partial(bootstraps, times=4))]
    made.append(nested_cv(data, mc_cv(data, times=3), partial(vfold_cv, v=5, strata="y")))
    with pytest.warns(PycvstatWarning, match="bootstrapping as the outer resample is dangerous"):
        made.append(nested_cv(data, partial(bootstraps, times=2), partial(mc_cv, times=2)))
    for nested in made:
        for plan in (nested.splits, *nested.inner_resamples):
            assert values.pop(0)[0] == len(plan)
            for train, test in plan:
                np.testing.assert_array_equal(train + 1, values.pop(0))
                np.testing.assert_array_equal(test + 1, np.sort(values.pop(0)))
    assert r.runif(1) == values.pop(0)


@live_r
def test_rolling_origin():
    grid = [(20, 5, 1, 0, True), (20, 5, 2, 3, False), (31, 10, 4, 1, True), (8, 4, 4, 0, False)]
    code = ROWS + "\n".join(
        f"sides(rolling_origin(data.frame(x = 1:{n}), {initial}, {assess}, {'FT'[c]}, {skip}))"
        for n, initial, assess, skip, c in grid
    )
    values = r_values(code)
    for n, initial, assess, skip, cumulative in grid:
        plan = rolling_origin(n, initial, assess, cumulative, skip)
        assert values.pop(0)[0] == len(plan)
        for train, test in plan:
            np.testing.assert_array_equal(train + 1, values.pop(0))
            np.testing.assert_array_equal(test + 1, values.pop(0))


DATA = pd.DataFrame({"y": np.arange(40.0), "g": np.arange(40) % 5, "m": [None] * 3 + ["a"] * 37})


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: vfold_cv(DATA, v=1), "v must be a whole number greater than 1"),
        (lambda: vfold_cv(DATA, v=2.5), "v must be a whole number"),
        (lambda: vfold_cv(DATA, v="5"), "v must be a whole number greater than 1"),
        (lambda: vfold_cv(DATA, v=41), "number of rows is less than v"),
        (lambda: vfold_cv(DATA, v=40, repeats=2), "identical resamples"),
        (lambda: vfold_cv(DATA, repeats=0), "repeats must be a whole number, at least 1"),
        (lambda: vfold_cv(DATA, strata="z"), "names no column"),
        (lambda: vfold_cv(DATA, strata=DATA["y"]), "the name of a column"),
        (lambda: vfold_cv(DATA, strata="m"), "must not be missing"),
        (lambda: vfold_cv(DATA, strata="g", pool=10), "pool is a share"),
        (lambda: vfold_cv(DATA[:1]), "at least 2 rows"),
        (lambda: mc_cv(DATA, prop=1), "prop must be a number between 0 and 1"),
        (lambda: mc_cv(DATA, prop="a"), "prop must be a number between 0 and 1"),
        (lambda: mc_cv(DATA, times=0), "times must be a whole number"),
        (lambda: initial_split(DATA, prop=0.001), "At least one row"),
        (lambda: initial_time_split(DATA, prop=0.001), "At least one row"),
        (lambda: bootstraps(DATA[:2], times=50), "have every row"),
        (lambda: group_vfold_cv(DATA, "z"), "names no column"),
        (lambda: group_vfold_cv(DATA, "g", v=6), "number of groups is less than v"),
        (lambda: group_vfold_cv(DATA, "g", repeats=2), "identical resamples"),
        (lambda: group_vfold_cv(DATA, "g", v=2, balance="rows"), "balance must be"),
        (lambda: rolling_origin(DATA, initial=40), "do not fit into the data"),
        (lambda: rolling_origin(DATA, skip=-1), "skip must be a whole number"),
        (lambda: vfold_cv(DATA, k=5), "no argument 'k'"),
        (lambda: nested_cv(DATA, 5, vfold_cv), "outside is a plan of the data"),
        (lambda: nested_cv(DATA, vfold_cv, 5), "inside a function of training rows"),
    ],
)
def test_refused(call, says):
    with pytest.raises(InputError, match=re.escape(says)):
        call()


def test_strata_of_too_few_rows_are_said():
    with pytest.warns(PycvstatWarning, match="2 quantile groups"):
        vfold_cv(DATA, v=2, strata="y")
    with pytest.warns(PycvstatWarning, match="does not stratify"):
        vfold_cv(DATA, v=2, strata="y", breaks=1)


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
def test_a_quantile_group_between_equal_values_is_no_stratum():
    y = np.repeat([0.0, 1, 2, 3, 4, 5], [12, 29, 26, 15, 5, 3])  # quartiles 1, 2 and 2.75
    r.set_seed(1)
    # R 4.2, rsample 1.1.1
    assert initial_split({"y": y}, 0.1, strata="y").in_id.tolist() == [1, 4, 34, 39, 52, 64, 81, 85]


def test_plans_know_their_seed_groups_and_call():
    r.set_seed(4)
    plan = vfold_cv(DATA, v=4)
    assert (plan.seed, plan.recipe, plan.kind) == (4, "vfold_cv(v=4, repeats=1)", "kfold")
    assert vfold_cv(DATA, v=4).seed is None
    assert plan.fingerprint == pcv.RFolds("rsample", 4, seed=4).plan(DATA).fingerprint
    grouped = group_vfold_cv(DATA, "g", v=2)
    assert grouped.check() == ()
    assert len(grouped.groups) == 40


def test_every_learner_trains_on_repeated_rows():
    cars = pcv.data.mtcars()
    r.set_seed(1)
    plan = bootstraps(cars, times=3)
    for learner in (pcv.OLS(), pcv.GLM(), pcv.KNN(3), pcv.Ridge(lam=0.1)):
        result = pcv.cross_validate(learner, "mpg ~ wt + hp", cars, folds=plan)
        for i, (train, test) in enumerate(plan):
            fit = learner.fit("mpg ~ wt + hp", cars.iloc[train].reset_index(drop=True))
            error = np.mean((fit.predict(cars.iloc[test]) - cars["mpg"].iloc[test]) ** 2)
            np.testing.assert_allclose(result.fold_errors[i], error, rtol=1e-10)
    with pytest.raises(InputError):
        result.interval("corrected_t")
