"""The same folds gone through by NumPy, by scikit-learn, by R and by another learner of ours."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from hypothesis import assume, given, strategies as st
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

import pycvstat as pcv
from tests.differential import plain
from tests.differential.problems import SHARES, Numeric, cases, numeric_problems
from tests.properties.cases import outcome, share_of
from tests.properties.test_what_changes_nothing import separated
from tests.rscript import live_r, r_values

pytestmark = pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")

DIRECT = 1e-9  # well conditioned least squares by two algorithms, relative to the response
ITERATIVE = 1e-6  # glm() stops at a relative change of the deviance of 1e-8
SUMS = 1e-12  # the same numbers added up in another order


def close(found: Any, expected: Any, tolerance: float, size: float | None = None) -> None:
    size = max(np.abs(expected).max(), size or 0.0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * size)


def predicted(result: Any) -> np.ndarray:
    """Numbers, or the probabilities of classes."""
    predictions = result.table.predictions
    return predictions.values[0] if predictions.prob is None else predictions.prob[0]


def given_by(problem: Numeric) -> dict[str, Any]:
    weights = {} if problem.weights is None else {"weights": problem.weights}
    return {"X": problem.X, "y": problem.y, "folds": problem.folds, **weights}


KERNELS = st.sampled_from(sorted(plain.SHAPES))
WAYS = st.one_of(
    st.tuples(st.just("number"), st.just(pcv.OLS()), st.just(plain.least_squares)),
    st.tuples(st.just("weighted"), st.just(pcv.WLS()), st.just(plain.least_squares)),
    st.tuples(st.just("number"), st.just(pcv.Mean()), st.just(plain.mean)),
    st.tuples(st.just("weighted"), st.just(pcv.GLM()), st.just(plain.least_squares)),
    st.sampled_from([0.01, 0.3, 5.0]).map(
        lambda lam: ("weighted", pcv.Ridge(lam=lam), plain.ridge(lam))
    ),
    st.sampled_from([0.003, 0.1, 1.0]).map(
        lambda lam: ("number", pcv.Lasso(lam=lam), plain.lasso(lam))
    ),
    st.tuples(st.integers(1, 5), KERNELS, st.sampled_from([1.0, 2.0, 3.0]), st.booleans()).map(
        lambda how: ("number", pcv.KNN(*how), plain.neighbours(*how))
    ),
    st.just(("count", pcv.GLM("poisson"), plain.glm("poisson"))),
    st.just(("two", pcv.GLM("binomial"), plain.glm("binomial"))),
    st.just(("two", pcv.Logit(), plain.glm("binomial"))),
)  # fmt: skip


@cases("numpy")
@given(WAYS, st.data())
def test_a_plain_numpy_loop(way, data):
    kind, learner, fit = way
    weighted = kind == "weighted"
    problem = data.draw(numeric_problems("number" if kind == "weighted" else kind, weighted))
    loss = {"two": "brier", "count": "poisson"}.get(kind)
    iterates = kind in ("two", "count")
    plan = pcv.cross_validate(pcv.Mean(), **given_by(problem)).plan
    with np.errstate(all="ignore"):
        expected = plain.out_of_fold(fit, problem, plan)
    if kind == "two":  # neither separated nor of one class
        assume(np.isfinite(expected).all() and 1e-5 < expected.min() < expected.max() < 1 - 1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pcv.errors.PycvstatWarning)
        found = pcv.cross_validate(learner, **given_by(problem), loss=loss)
    ours = predicted(found)
    ours = ours[:, 1] if ours.ndim == 2 else ours
    tolerance = ITERATIVE if iterates else DIRECT
    close(ours, expected, tolerance, np.abs(problem.y).max())
    y = problem.y[plan.rows]
    losses = plain.poisson_deviance(y, expected) if loss == "poisson" else (y - expected) ** 2
    close(found.table.losses[:, 0], losses, 10 * tolerance, np.abs(y).max() ** 2)
    by_fold = [losses[a:b].mean() for a, b in pairwise(plan.offsets)]
    close(found.estimate, np.mean(by_fold), 10 * tolerance, np.abs(y).max() ** 2)
    close(found.pooled, losses.mean(), 10 * tolerance, np.abs(y).max() ** 2)


REGRESSORS = [LinearRegression(), Ridge(0.5), KNeighborsRegressor(3),
              DecisionTreeRegressor(max_depth=2, random_state=0),
              make_pipeline(StandardScaler(), KNeighborsRegressor(2))]  # fmt: skip
CLASSIFIERS = [LogisticRegression(solver="newton-cholesky"), GaussianNB(), KNeighborsClassifier(3),
               make_pipeline(StandardScaler(), LogisticRegression(C=10.0))]  # fmt: skip


@cases("sklearn")
@given(st.data())
def test_scikit_learns_own_loop(data):
    kind = data.draw(st.sampled_from(["number", "number", "two", "three"]))
    problem = data.draw(numeric_problems(kind))
    estimator = data.draw(st.sampled_from(REGRESSORS if kind == "number" else CLASSIFIERS))
    plan = pcv.cross_validate(pcv.Mean(), **given_by(problem)).plan
    assume(kind == "number" or problem.classes_are_met(plan))
    y = problem.y if kind == "number" else np.array(["a", "b", "c"])[problem.y]
    scoring = "neg_mean_squared_error" if kind == "number" else "accuracy"
    theirs = cross_validate(
        estimator, problem.X, y, cv=list(plan), scoring=scoring, return_estimator=True
    )
    errors = -theirs["test_score"] if kind == "number" else 1 - theirs["test_score"]
    found = pcv.cross_validate(estimator, X=problem.X, y=y, folds=problem.folds)
    close(found.fold_errors, errors, DIRECT, 1e-300)
    of = "predict" if kind == "number" else "predict_proba"
    fits = zip(theirs["estimator"], plan, strict=True)
    expected = np.concatenate([getattr(e, of)(problem.X[test]) for e, (_, test) in fits])
    close(predicted(found), expected, DIRECT)
    assert float(np.mean(errors)) == 0 or abs(found.estimate / np.mean(errors) - 1) < DIRECT


TUNED = [
    (KNeighborsRegressor(), {"n_neighbors": [1, 3, 5]}),
    (Ridge(), {"alpha": [0.01, 1.0, 30.0]}),
]


@cases("sklearn_tuning")
@given(st.data())
def test_a_grid_search_and_its_nested_loop(data):
    problem = data.draw(numeric_problems())
    estimator, grid = data.draw(st.sampled_from(TUNED))
    plan = pcv.cross_validate(pcv.Mean(), **given_by(problem)).plan
    scored = {"scoring": "neg_mean_squared_error", "error_score": "raise"}
    search = GridSearchCV(estimator, grid, cv=list(plan), **scored).fit(problem.X, problem.y)
    tuned = pcv.tune(estimator, grid=grid, **given_by(problem))
    errors = -search.cv_results_["mean_test_score"]
    close(tuned.tidy()["estimate"], errors, DIRECT)
    best = np.sort(errors)
    assume(best[1] - best[0] > DIRECT * best[0])
    assert dict(tuned.best) == search.best_params_
    inner = GridSearchCV(estimator, grid, cv=KFold(3), **scored)
    nested = cross_val_score(inner, problem.X, problem.y, cv=list(plan), **scored)
    ours = pcv.nested_cv(
        estimator, X=problem.X, y=problem.y, grid=grid, outer=problem.folds, inner=KFold(3)
    )
    close(ours.fold_errors, -nested, DIRECT)


class Own(RegressorMixin, BaseEstimator):
    """A user's class."""

    def fit(self, X: Any, y: Any) -> Own:
        self.beta_ = np.linalg.lstsq(plain.with_ones(X), y, rcond=None)[0]
        return self

    def predict(self, X: Any) -> Any:
        return plain.with_ones(X) @ self.beta_


def of_own_functions(formula: str) -> list[Any]:
    tuned = {"formula": [formula]}
    return [pcv.GLM(), smf.ols, sm.OLS, pcv.Statsmodels(smf.glm), pcv.Statsmodels(smf.wls),
            LinearRegression(), Own(), pcv.Ridge(lam=0.0), pcv.Lasso(lam=0.0),
            pcv.ElasticNet(lam=0.0, alpha=0.5), pcv.Model(pcv.OLS(), formula),
            pcv.Tuned(pcv.OLS(), tuned, inner=pcv.Blocks(2))]  # fmt: skip


def of_events(formula: str) -> list[Any]:
    return [pcv.GLM("binomial"), pcv.MNLogit(), pcv.Statsmodels(smf.logit, fit={"disp": 0}),
            pcv.Statsmodels(smf.glm, family=sm.families.Binomial())]  # fmt: skip


@cases("same_model")
@given(st.data())
def test_one_model_by_many_names(data):
    kind = data.draw(st.sampled_from(["number", "number", "two"]))
    problem = data.draw(numeric_problems(kind))
    formula = "y ~ " + " + ".join(problem.names)
    others = of_own_functions(formula) if kind == "number" else of_events(formula)
    which = data.draw(st.integers(0, len(others) - 1))
    first = pcv.OLS() if kind == "number" else pcv.Logit()
    how: dict[str, Any] = {"folds": problem.folds} | ({"loss": "brier"} if kind == "two" else {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pcv.errors.PycvstatWarning)
        result = pcv.cross_validate(first, formula, problem.frame, **how)
        expected = predicted(result)
        assume(kind == "number" or problem.classes_are_met(result.plan))
        assume(not separated(result))
        found = predicted(pcv.cross_validate(others[which], formula, problem.frame, **how))
    if found.ndim != expected.ndim:
        found = np.column_stack([1 - found, found]) if found.ndim == 1 else found[:, 1]
    tolerance = ITERATIVE if kind == "two" else DIRECT
    close(found, expected, tolerance, np.abs(problem.y).max())


BATCH = 10
LEVELS = ["lo", "mid", "hi"]
RIGHT = ["x0 + g", "x0 * g", "x0", "poly(x0, 2)", "I(x0^2) + g", "0 + g + x0", "x0 %in% g"]
MODELS = {
    "lm": (pcv.OLS(), "lm(f, d[train, ], weights = w)", "number"),
    "poisson": (pcv.GLM("poisson"), "glm(f, poisson, d[train, ], weights = w)", "count"),
    "binomial": (pcv.GLM("binomial"), "glm(f, binomial, d[train, ], weights = w)", "two"),
}  # fmt: skip


@st.composite
def mixed_problems(draw: Any) -> tuple[Any, ...]:
    """A model, and data with a factor, an ordered one, missing values, weights."""
    name = draw(st.sampled_from(sorted(MODELS)))
    problem = draw(numeric_problems(MODELS[name][2], None))
    n = len(problem.y)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    frame = problem.frame.assign(
        g=pd.Categorical.from_codes(
            rng.permutation(np.arange(n) % 3), LEVELS, ordered=draw(st.booleans())
        )
    )
    right = draw(st.sampled_from(RIGHT))
    if draw(st.booleans()):
        frame.loc[rng.choice(n, 2, replace=False), "x0"] = np.nan
    return name, frame, f"y ~ {right}", draw(st.integers(2, 4)), problem.weights


def in_r(batch: list[Any], results: list[Any]) -> Iterator[np.ndarray]:
    with TemporaryDirectory() as place:
        code = ["options(warn = -1)"]
        for i, ((name, frame, formula, _, weights), found) in enumerate(
            zip(batch, results, strict=True)
        ):
            kept = frame.assign(w=1.0 if weights is None else weights).dropna()
            kept.to_csv(file := Path(place, f"{i}.csv"), index=False)  # shortest digits: exact
            ordered = str(frame["g"].cat.ordered).upper()
            code += [
                f'd <- read.csv("{file.as_posix()}")',
                f'd$g <- factor(d$g, c("lo", "mid", "hi"), ordered = {ordered})',
                f"f <- {formula}",
            ]
            for train, test in found.plan:
                code += [
                    f"train <- c({','.join(map(str, train + 1))}); w <- d$w[train]",
                    f"test <- c({','.join(map(str, test + 1))})",
                    f'out(predict({MODELS[name][1]}, d[test, ], type = "response"))',
                ]
        values = iter(r_values("\n".join(code)))
        for found in results:
            yield np.concatenate([next(values) for _ in found.plan])


def levels_are_seen(frame: pd.DataFrame, found: Any) -> bool:
    """Whether all levels that are tested were trained on; elsewhere R stops."""
    kept = frame.dropna()["g"].to_numpy()
    return all(set(kept[test]) <= set(kept[train]) for train, test in found.plan)


@live_r
@share_of(SHARES["live_r"] / BATCH)
@given(st.lists(mixed_problems(), min_size=BATCH, max_size=BATCH))
def test_a_loop_in_r(batch):
    results = []
    for name, frame, formula, k, weights in batch:
        learner = pcv.WLS() if name == "lm" and weights is not None else MODELS[name][0]
        given: dict[str, Any] = {} if weights is None else {"weights": weights}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pcv.errors.PycvstatWarning)
            given |= {"folds": pcv.Blocks(k), "loss": "brier" if name == "binomial" else None}
            call = partial(pcv.cross_validate, learner, formula, frame, na="omit", **given)
            results.append(outcome(call))
    sound = [
        i
        for i, one in enumerate(results)
        if one is not None and not separated(one) and levels_are_seen(batch[i][1], one)
    ]
    batch, results = [batch[i] for i in sound], [results[i] for i in sound]
    for (name, *_), found, theirs in zip(batch, results, in_r(batch, results), strict=True):
        ours = predicted(found)
        ours = ours[:, 1] if ours.ndim == 2 else ours
        close(ours, theirs, DIRECT if name == "lm" else ITERATIVE)
