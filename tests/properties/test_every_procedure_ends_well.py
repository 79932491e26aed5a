"""Procedures, intervals and formulas beyond cross-validation: sound results or our own errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import assume, given, strategies as st

import pycvstat as pcv
from pycvstat.data.formula import quote
from pycvstat.data.task import Task
from pycvstat.intervals import METHODS
from pycvstat.learners import as_learner
from tests.properties.cases import cases, check_interval, check_plan, check_result, outcome
from tests.properties.strategies import (
    ANY_FRAME,
    FOREIGN,
    LOSSES,
    MORE_FOLDS,
    MORE_LEARNERS,
    USUAL,
    formulas,
    frames,
    roles,
    sound_problems,
)


def drawn(data: Any, strategy: Any) -> Any:
    """A value of the strategy; discarded where a constructor refuses with one of our errors."""
    value = outcome(lambda: data.draw(strategy))
    assume(value is not None)
    return value


def drawn_loss(data: Any) -> Any:
    return data.draw(LOSSES) if data.draw(st.integers(0, 2)) == 0 else None


def wild(data: Any) -> tuple[pd.DataFrame, str, Any, Any, dict[str, Any]]:
    """Frame, formula, learner, folds and roles that know nothing of each other."""
    frame = data.draw(ANY_FRAME)
    names = list(frame.columns)
    response = data.draw(st.sampled_from(names))
    formula = data.draw(st.one_of(st.just(f"{quote(response)} ~ ."), formulas(names, response)))
    given = data.draw(roles(frame)) | {"na": data.draw(st.sampled_from(["raise", "omit"]))}
    return frame, formula, drawn(data, MORE_LEARNERS), drawn(data, MORE_FOLDS), given


def sound(data: Any) -> tuple[pd.DataFrame, str, Any, Any, dict[str, Any]]:
    """The same, chosen to suit each other."""
    one = data.draw(sound_problems())
    names = [name for name in one.frame.columns.tolist() if name != one.response]
    formula = data.draw(
        st.one_of(st.just(one.formula), formulas(names, one.response, ["{}"], ["{}", "({})^2"]))
    )
    return one.frame, formula, one.learner, one.folds, one.given | {"na": "omit"}


def problem(data: Any) -> tuple[pd.DataFrame, str, Any, Any, dict[str, Any]]:
    """One of either kind."""
    return sound(data) if data.draw(st.integers(0, 2)) else wild(data)


@cases("cross_validate_with_everything")
@given(st.data())
def test_cross_validate_with_everything(data):
    frame, formula, learner, folds, given = problem(data)
    loss, method = drawn_loss(data), data.draw(st.sampled_from(["auto", *METHODS]))
    level = data.draw(st.sampled_from([0.95, 0.5, 1 - 1e-12, 0.0, 1.5]))
    result = outcome(
        lambda: pcv.cross_validate(learner, formula, frame, folds=folds, loss=loss, **given),
        "cross-validation",
    )
    if result is None:
        return
    check_result(result)
    for verb in (result.tidy, result.glance, result.augment, result.summary, result._repr_html_):
        assert outcome(verb) is not None
    check_interval(outcome(lambda: result.interval(method, level)))
    for metric in ("rmse", "r2", "auc"):
        check_interval(outcome(lambda metric=metric: result.interval(metric=metric)))


@cases("fit_and_predict")
@given(st.data())
def test_fit_and_predict_with_everything(data):
    frame, formula, learner, _, given = problem(data)
    new = data.draw(st.one_of(st.just(frame), frames()))
    penalties = data.draw(st.lists(st.sampled_from([0.0, 1e-9, 0.1, 10.0, 1e300]), max_size=3))
    gcv = outcome(lambda: pcv.Ridge().gcv(formula, frame, lam=penalties))
    if gcv is not None:
        assert (gcv["gcv"] >= 0).all()
    fitted = outcome(
        lambda: as_learner(learner).fit_task(Task.build(formula, frame, **given)), "fit"
    )
    if fitted is None:
        return
    for verb in (repr, lambda fit: fit.tidy()):
        if hasattr(fitted, "tidy"):
            assert outcome(lambda verb=verb: verb(fitted)) is not None
    found = outcome(lambda: fitted.predict(new))
    if found is not None:
        assert len(found) == len(new)
    prob = outcome(lambda: fitted.predict_proba(new))
    if prob is not None:
        prob = np.asarray(prob, dtype=float)
        known = ~np.isnan(prob).any(axis=1)
        np.testing.assert_allclose(prob[known].sum(axis=1), 1.0, rtol=1e-9)
        assert (prob[known] >= 0).all()


@cases("compare")
@given(st.data())
def test_compare(data):
    frame, formula, learner, folds, given = problem(data)
    other = drawn(data, st.one_of(st.just(pcv.Mean()), MORE_LEARNERS))
    learners, loss = {"a": learner, "b<i>": other}, drawn_loss(data)
    method = data.draw(st.sampled_from(["auto", "mcnemar", "sign", "corrected_t", "nadeau"]))
    result = outcome(
        lambda: pcv.compare(learners, formula, frame, folds=folds, loss=loss, **given), "comparison"
    )
    if result is None:
        return
    for one in result.results.values():
        check_result(one)
    found = outcome(lambda: result.paired("a", "b<i>", method=method))
    if found is not None:
        assert not found.low > found.high
        assert np.isnan(found.p_value) or 0 <= found.p_value <= 1
    for verb in (result.tidy, result.glance, result.summary, result._repr_html_):
        outcome(verb)


@cases("curves_benchmarks_and_audits")
@given(st.data())
def test_curves_benchmarks_and_audits(data):
    frame, formula, learner, folds, given = problem(data)
    ks = data.draw(st.lists(st.integers(-1, 6), min_size=1, max_size=3))
    sizes = data.draw(st.lists(st.one_of(st.integers(-1, 12), st.floats(0, 1.1)), max_size=3))
    times = data.draw(st.integers(0, 2))
    curve = outcome(
        lambda: pcv.error_curve(pcv.KNN(), formula, frame, grid={"k": ks}, folds=folds, **given)
    )
    if curve is not None:
        check_plan(curve.plan)
        rows = curve.tidy()
        assert len(rows) == len(ks)
        outcome(curve.summary)
    learning = outcome(
        lambda: pcv.learning_curve(learner, formula, frame, sizes=sizes, folds=folds, **given)
    )
    if learning is not None:
        assert len(learning.tidy()) > 0
    audit = outcome(lambda: pcv.audit(learner, formula, frame, folds=folds, times=5, **given))
    if audit is not None:
        assert (audit.skill <= 1).all()  # minus infinity where the baseline's loss is next to none
        assert 0 <= audit.p_value <= 1
    benchmark = outcome(
        lambda: pcv.benchmark(
            {"knn": pcv.KNN(k=1), "other": learner}, formula, frame, random=1,
            times=times, **given,
        )
    )  # fmt: skip
    if benchmark is not None:
        for one in benchmark.results.values():
            check_plan(one.plan)


@cases("losses_of_anything_else")
@given(st.data())
def test_losses_of_anything_else(data):
    n = data.draw(st.integers(0, 20))
    values = st.one_of(
        USUAL, st.sampled_from([0.0, 1.0, 5e-324, 1e308, -1e308, 1e160, np.nan, np.inf])
    )
    losses = data.draw(
        st.one_of(
            st.lists(st.sampled_from([0.0, 1.0]), min_size=n, max_size=n),
            st.lists(values, min_size=n, max_size=n),
            st.lists(st.just(0.3), min_size=n, max_size=n),
        )
    )
    ids = data.draw(
        st.one_of(
            st.none(),
            st.lists(st.sampled_from([0, 1, 2, "a", None, np.nan]), min_size=n, max_size=n),
            st.lists(st.integers(1, 4), min_size=n, max_size=n),
            st.lists(st.integers(1, 4), max_size=20),
        )
    )
    result = outcome(
        lambda: pcv.from_losses(
            losses, ids, n_train=data.draw(st.sampled_from([None, 10, 0, 2.5])),
            bounds=data.draw(st.sampled_from([None, (0.0, 1.0), (1.0, 0.0), (0.0, np.inf)])),
            groups=data.draw(st.one_of(st.none(), st.lists(st.integers(0, 3), max_size=20))),
            loss=data.draw(st.sampled_from(["loss", "squared", "zero_one"])),
        )
    )  # fmt: skip
    if result is None:
        return
    assert np.isfinite(result.estimate)
    low, high = min(losses), max(losses)
    slack = 1e-12 * max(abs(low), abs(high))
    assert low - slack <= result.pooled <= high + slack
    level = data.draw(st.sampled_from([0.95, 0.5, 0.999999]))
    options = data.draw(st.sampled_from([{}, {}, {"bounds": (0.0, 1.0)}, {"draws": 10}]))
    for method in ("auto", *METHODS):
        found = outcome(lambda method=method: result.interval(method, level, **options))
        check_interval(found)
    outcome(result.tidy)
    outcome(result.summary)


@cases("polars")
@given(st.data())
def test_polars_frames_give_what_pandas_frames_give(data):
    frame, formula, learner, folds, given = problem(data)
    assume(not isinstance(learner, pcv.Tuned))  # draws anew where the outer folds draw nothing
    folds = pcv.KFold(max(2, folds), random=1) if isinstance(folds, int) else folds
    assume(not any(frame[name].dtype.kind == "M" for name in frame))  # another precision there
    ordered = [n for n in frame if isinstance(frame[n].dtype, pd.CategoricalDtype)]
    plain = frame.astype(dict.fromkeys(ordered, object))
    try:
        other = pl.from_pandas(plain, nan_to_null=False)
    except (pl.exceptions.PolarsError, TypeError, ValueError):
        assume(False)
    found = [
        outcome(
            lambda one=one: pcv.cross_validate(learner, formula, one, folds=folds, **given),
            "polars",
        )
        for one in (plain, other)
    ]
    assert (found[0] is None) == (found[1] is None)
    if found[0] is not None:
        np.testing.assert_array_equal(found[0].table.losses, found[1].table.losses)


@cases("foreign_estimators")
@given(ANY_FRAME, st.data())
def test_foreign_estimators(frame, data):
    response = data.draw(st.sampled_from(list(frame.columns)))
    estimator, folds = data.draw(FOREIGN), drawn(data, MORE_FOLDS)
    result = outcome(
        lambda: pcv.cross_validate(estimator, f"{quote(response)} ~ .", frame, folds=folds)
    )
    if result is not None:
        check_result(result)
