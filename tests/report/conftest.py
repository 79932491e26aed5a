"""Results of every kind, small, made once; names that try to break what is written."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat import r
from pycvstat.r.check.call import compare_values
from pycvstat.r.check.cases import run_suite
from pycvstat.r.check.crosscheck import Crosscheck
from pycvstat.rmath.tolerances import EXACT, SUMS
from pycvstat.simulate import bias_variance, sine, theorem_1, tuning_quantities

HOSTILE = (
    "<script>alert(1)</script>",
    "a\"b' $x$ \\input{evil} %#&_^~{}",
    "变量\u202e|`*_[x](http://evil.example)\n\x1b[31m",
)
LEVELS = ("<b>x</b>", "$\\alpha$ & %", 'z"|`')
RESPONSE = "y & <i>"


def hostile_data() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    data = pd.DataFrame({name: rng.normal(size=60) for name in HOSTILE})
    data[RESPONSE] = pd.Categorical(np.array(LEVELS)[rng.integers(0, 3, 60)])
    return data


def _hostile() -> Any:
    return pcv.cross_validate(
        pcv.KNN(k=5), f"`{RESPONSE}` ~ .", hostile_data(), folds=pcv.KFold(5, random=1)
    )


def _hostile_comparison() -> Any:
    learners = {name: pcv.KNN(k=k) for k, name in enumerate(HOSTILE, start=3)}
    return pcv.compare(learners, f"`{RESPONSE}` ~ .", hostile_data(), folds=pcv.KFold(5, random=1))


def _cars(learner: Any, folds: Any, **more: Any) -> Any:
    return pcv.cross_validate(learner, "mpg ~ wt + hp", pcv.data.mtcars(), folds=folds, **more)


def _nested() -> Any:
    found = pcv.nested_cv(
        pcv.KNN(kernel="rectangular"),
        "y ~ .",
        pcv.data.waves(80),
        grid={"k": range(1, 13)},
        outer=pcv.KFold(6, random=2),
        inner=pcv.KFold(4),
    )
    _ = found.retuned  # asked for, so that reports show it
    return found


def _partitioned() -> Any:
    frame = pytest.importorskip("dask.dataframe").from_pandas(pcv.data.mtcars(), npartitions=3)
    return pcv.cross_validate(pcv.OLS(), "mpg ~ wt", frame, folds=pcv.KFold(5, random=1))


def _tune(**more: Any) -> Any:
    settings = {"grid": {"k": range(1, 13)}, "folds": pcv.KFold(5, random=1)} | more
    return pcv.tune(pcv.KNN(kernel="rectangular"), "y ~ .", pcv.data.waves(80), **settings)


def _compare() -> Any:
    learners = {"ols": pcv.OLS(), "mean": pcv.Mean(), "knn": pcv.KNN(k=5)}
    return pcv.compare(learners, "mpg ~ wt", pcv.data.mtcars(), folds=pcv.KFold(8, random=1))


def _curve() -> Any:
    return pcv.error_curve(
        pcv.KNN(kernel="rectangular"),
        "y ~ .",
        pcv.data.waves(80),
        grid={"k": range(1, 31, 4)},
        folds=pcv.KFold(5, random=1),
    )


def _learning() -> Any:
    return pcv.learning_curve(
        pcv.KNN(k=3), "y ~ .", pcv.data.waves(80), sizes=[10, 30, 60], folds=pcv.KFold(4, random=1)
    )


def _labels() -> Any:
    return pcv.cross_validate(
        pcv.Logit(), "y ~ x1 + x2", pcv.data.labels(120), folds=pcv.KFold(5, random=1), loss="log"
    )


def _quantities() -> Any:
    return tuning_quantities(
        sine(),
        pcv.KNN(kernel="rectangular"),
        {"k": [1, 5]},
        40,
        outer=pcv.Blocks(4),
        inner=pcv.Blocks(4),
        replications=20,
    )


def _crosscheck() -> Any:
    rows = (
        compare_values("folds", [1, 2, 3], [1, 2, 3], EXACT),
        compare_values("estimate", [1.0], [1.0 + 1e-9], SUMS),
    )
    return Crosscheck(rows, "R 4.2.2", ("A named difference.",))


LOSSES = {"a": [0.5, 1.0, 2.0, 1.5, 0.5, 1.0], "b": [0.4, 1.2, 2.5, 1.0, 0.9, 1.1]}


def _resamples() -> Any:
    r.set_seed(1)
    return r.rsample.bootstraps(40, times=5)


MAKERS: dict[str, Callable[[], Any]] = {
    "cv": lambda: _cars(pcv.OLS(), pcv.KFold(10, random=1)),
    "repeated": lambda: _cars(pcv.OLS(), pcv.Repeated(pcv.KFold(5), 3, random=1)),
    "leave-one-out": lambda: _cars(pcv.OLS(), pcv.LeaveOneOut(), bias_adjusted=True),
    "holdout": lambda: _cars(pcv.OLS(), pcv.Holdout(0.3, random=1)),
    "nested pairs": lambda: _cars(pcv.OLS(), pcv.NestedPairs(4, repeats=5, random=1)),
    "bootstrap": lambda: _cars(pcv.OLS(), pcv.Bootstrap(100, random=1)),
    "classes": _labels,
    "partitioned": _partitioned,
    "tune": _tune,
    "tune one_se": lambda: _tune(rule="one_se", complexity="-k"),
    "tune dev set": lambda: _tune(
        grid={"k": [1, 5, 9], "kernel": ["rectangular", "optimal"]},
        folds=pcv.Holdout(0.25, random=1),
    ),
    "nested": _nested,
    "compare": _compare,
    "error curve": _curve,
    "learning curve": _learning,
    "interval": lambda: result("cv").interval(),
    "paired": lambda: result("compare").paired("ols", "mean"),
    "confidence set": lambda: result("tune").confidence_set(),
    "confidence set of methods": lambda: result("compare").confidence_set(),
    "stability": lambda: result("compare").stability(draws=20),
    "multiverse": lambda: pcv.multiverse(
        {"ols": pcv.OLS(), "knn": pcv.KNN(5)},
        "mpg ~ wt",
        pcv.data.mtcars(),
        folds=[5, pcv.Repeated(pcv.KFold(5), 2)],
        seeds=range(5),
    ),
    "multiverse of one": lambda: pcv.multiverse(
        pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=5, seeds=range(5)
    ),
    "losses": lambda: pcv.from_losses(LOSSES["a"], [1, 1, 2, 2, 3, 3]),
    "losses of two": lambda: pcv.from_losses(LOSSES, [1, 1, 2, 2, 3, 3]),
    "plan": lambda: pcv.KFold(5, random=1).plan(40),
    "resamples of rsample": _resamples,
    "crosscheck": _crosscheck,
    "audit": lambda: pcv.audit(
        pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.KFold(4, random=1), times=5
    ),
    "coverage": lambda: pcv.simulate.coverage("ols", sets=50, random=1),
    "agreement": lambda: theorem_1(sine(), pcv.Mean(), 8, replications=30),
    "bias and variance": lambda: bias_variance(
        sine(), pcv.KNN(kernel="rectangular"), 40, grid={"k": [1, 5, 20]}, replications=20
    ),
    "tuning quantities": _quantities,
    "parity": lambda: run_suite("recorded", ("random",)),
    "side by side": lambda: pcv.etable([result("cv"), result("compare")]),
    "hostile": _hostile,
    "hostile comparison": _hostile_comparison,
}


@cache
def result(name: str) -> Any:
    """A result by name, made when first asked for."""
    return MAKERS[name]()


@cache
def page_text(name: str) -> str:
    """The HTML report of a result, written when first asked for."""
    from pycvstat.report.assemble import full
    from pycvstat.report.render.html import render_page

    return render_page(full(result(name)))


@pytest.fixture(params=MAKERS)
def any_result(request: pytest.FixtureRequest) -> Any:
    """Every kind of result in turn."""
    return result(request.param)


@pytest.fixture
def need() -> Callable[[str, str | None, str], None]:
    """Skip a test whose program is absent, unless its variable says that it is required."""

    def check(what: str, found: str | None, variable: str) -> None:
        if found is None and os.environ.get(variable) == "required":
            pytest.fail(f"{variable}=required, and there is no {what}")
        if found is None:
            pytest.skip(f"no {what} here: install it ({variable}=required asks for it)")

    return check
