"""Every call ends in a result that keeps its promises, or in one of our own errors."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, strategies as st

import pycvstat as pcv
from pycvstat.data.formula import quote
from tests.properties.cases import cases, check_result, outcome
from tests.properties.strategies import FOLDS, LEARNERS, LOSSES, frames, sound_problems


@cases("cross_validate")
@given(frames(), st.data())
def test_cross_validate(frame, data):
    response = data.draw(st.sampled_from(list(frame.columns)))
    learner = outcome(lambda: data.draw(LEARNERS))
    assume(learner is not None)
    folds, loss = data.draw(FOLDS), data.draw(LOSSES)
    na = data.draw(st.sampled_from(["raise", "omit"]))
    result = outcome(
        lambda: pcv.cross_validate(
            learner, f"{quote(response)} ~ .", frame, folds=folds, loss=loss, na=na
        ),
        "wild cross-validation",
    )
    if result is not None:
        check_result(result)
        assert outcome(lambda: result.tidy()) is not None
        tests = np.bincount(result.plan.rows, minlength=result.task.n)
        again = tests.max() > 1  # then every test is a row
        rows = outcome(result.augment)  # it warns of a column .prediction
        assert len(rows) == (tests.sum() if again else result.task.n)
        found = outcome(lambda: result.interval())
        if found is not None and np.isfinite(found.low) and np.isfinite(found.high):
            assert found.low <= found.high


@cases("tune_and_nested")
@given(sound_problems(), st.data())
def test_tune_and_nested(problem, data):
    some = st.integers(1, 5)
    grid = {"k": data.draw(st.one_of(st.lists(some, min_size=1, max_size=3, unique=True),
                                     st.lists(some, min_size=1, max_size=3, unique=True),
                                     st.lists(st.integers(0, 8), max_size=3)))}  # fmt: skip
    learner = pcv.KNN(kernel=data.draw(st.sampled_from(["rectangular", "optimal"])))
    given = {key: value for key, value in problem.given.items() if key != "weights"}
    given["na"] = "omit"
    asked = (problem.formula, problem.frame)
    result = outcome(
        lambda: pcv.tune(learner, *asked, grid=grid, folds=problem.folds, **given), "tuning"
    )
    if result is not None:
        assert result.best in [{"k": k} for k in grid["k"]]
        assert result.estimate == np.nanmin(result.tidy()["estimate"])
        check_candidates(result, learner, asked, given)
    inner = pcv.Grouped(2, random=1) if "groups" in given else 2
    drawn = pcv.KFold(2, random=data.draw(st.integers(0, 10**6)))
    inner = data.draw(st.sampled_from([inner, inner, drawn, drawn, "dev"]))
    rule = data.draw(st.sampled_from(["min", "min", "one_se", "tolerance"]))
    nested = outcome(
        lambda: pcv.nested_cv(
            learner,
            *asked,
            grid=grid,
            outer=problem.folds,
            inner=inner,
            rule=rule,
            complexity=None if rule == "min" else "k",
            **given,
        ),
        "nested",
    )
    if nested is not None:
        check_result(nested)
        assert all(c in [{"k": k} for k in grid["k"]] for c in nested.chosen)
        check_choices(nested, learner)


def check_candidates(result, learner, asked, given):
    """The table of a tuning holds what each candidate gets by itself."""
    for c, params in enumerate(result.candidates):
        alone = pcv.cross_validate(
            learner.with_params(**params), *asked, folds=result.plan, **given
        )
        np.testing.assert_array_equal(result.table.losses[:, c], alone.table.losses[:, 0])


def check_choices(nested, learner):
    """Each outer fit is tuned on its training rows alone, and the chosen candidate is refitted."""
    for i, (train, test) in enumerate(nested.plan):
        part = nested.task.take(train)
        if part.response.levels and len(np.unique(part.response.values)) < 2:
            continue  # refused as data of its own
        tuned = pcv.tune(
            learner, data=part, grid=nested.candidates, folds=nested.inner_plans[i],
            rule=nested.tuned.rule, complexity=nested.tuned.complexity,
        )  # fmt: skip
        np.testing.assert_array_equal(tuned.means.means, nested.details[i].means)
        np.testing.assert_array_equal(tuned.tidy()["estimate"], nested.inner_curves[i])
        assert tuned.best == nested.chosen[i]
        found = tuned.learner.with_params(**tuned.best).prepare(nested.task).predict(train, test)
        part = slice(nested.plan.offsets[i], nested.plan.offsets[i + 1])
        np.testing.assert_array_equal(found.values[0], nested.table.predictions.values[0, part])
