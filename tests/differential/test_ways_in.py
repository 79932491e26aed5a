"""The same data handed over in other ways, or under other names: the same bits, or our error."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.metrics import make_scorer
from sklearn.tree import DecisionTreeRegressor

import pycvstat as pcv
from pycvstat.errors import PycvstatError, PycvstatWarning
from pycvstat.losses.metrics import METRICS
from tests.differential.problems import Numeric, cases, numeric_problems
from tests.properties.cases import outcome
from tests.properties.strategies import Problem, sound_problems

pytestmark = pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")

LEARNERS = st.sampled_from(
    [pcv.OLS(), pcv.Mean(), pcv.GLM(), pcv.KNN(3), pcv.KNN(2, "inv", 1), pcv.Ridge(lam=0.1),
     pcv.Lasso(lam=0.1), pcv.RLM(), LinearRegression(), DecisionTreeRegressor(max_depth=2)]
)  # fmt: skip
KNNS = {"a": pcv.KNN(1), "b": pcv.KNN(3)}


def bits(result: Any) -> list[bytes]:
    """The losses of a result of any procedure."""
    if result is None:
        return []
    tables = getattr(result, "tables", None)
    tables = [result.table] if tables is None else [*tables.values()]
    return [table.losses.tobytes() for table in tables]


def procedures(learner: Any, folds: Any) -> dict[str, Any]:
    grid = {"k": [1, 3]}
    return {
        "cross_validate": lambda *a, **k: pcv.cross_validate(learner, *a, folds=folds, **k),
        "tune": lambda *a, **k: pcv.tune(pcv.KNN(), *a, grid=grid, folds=folds, keep="all", **k),
        "compare": lambda *a, **k: pcv.compare(KNNS, *a, folds=folds, **k),
        "nested_cv": lambda *a, **k: pcv.nested_cv(
            pcv.KNN(), *a, grid=grid, outer=folds, inner=pcv.Blocks(2), **k
        ),
    }


def done(data: Any, problem: Any) -> Any:
    """A procedure, cross-validation more often than others."""
    learner = data.draw(LEARNERS)
    name = data.draw(st.sampled_from(["cross_validate"] * 3 + ["tune", "compare", "nested_cv"]))
    return procedures(learner, problem.folds)[name]


@cases("formula_and_arrays")
@given(numeric_problems(), st.data())
def test_formula_and_arrays(problem: Numeric, data: Any) -> None:
    call, frame = done(data, problem), problem.frame
    ways = {
        "all columns": lambda: call("y ~ " + " + ".join(problem.names), frame),
        "a dict": lambda: call("y ~ .", dict(frame.items())),
        "X and y": lambda: call(X=frame[problem.names], y=frame["y"]),
        "arrays": lambda: call(X=problem.X, y=problem.y),
        "columns in memory": lambda: call(X=np.asfortranarray(problem.X), y=list(problem.y)),
        "float by column": lambda: call("y ~ .", pl.from_pandas(frame)),
    }
    way = data.draw(st.sampled_from(sorted(ways)))
    assert bits(ways[way]()) == bits(call("y ~ .", frame))


def as_polars(frame: pd.DataFrame) -> pl.DataFrame:
    plain = frame.astype({n: object for n in frame if frame[n].dtype == "category"})
    made = pl.from_pandas(plain, nan_to_null=False)
    return made.with_columns(
        pl.col(n).cast(pl.Enum(list(frame[n].cat.categories)))
        for n in frame
        if frame[n].dtype == "category"
    )


@cases("polars")
@given(sound_problems(), st.data())
def test_polars(problem: Problem, data: Any) -> None:
    """Enums stand for categories; those of pandas may be ordered, and then it is another model."""
    frame, given = problem.frame, dict(problem.given)
    assume(not any(getattr(frame[n].dtype, "ordered", False) for n in frame))
    name = next((n for n in ("groups", "weights") if n in given), None)
    other = outcome(lambda: as_polars(frame))
    if name is not None and data.draw(st.booleans()):
        given[name] = pl.Series(given[name])
    how = {"folds": problem.folds, "na": "omit"}
    first, second = (
        outcome(
            lambda d=d, g=g: pcv.cross_validate(problem.learner, problem.formula, d, **how, **g)
        )
        for d, g in ((frame, problem.given), (other, given))
    )
    assert bits(first) == bits(second)


@cases("row_labels")
@given(numeric_problems(weighted=None), st.data())
def test_labels_that_were_shuffled_with_their_rows(problem: Numeric, data: Any) -> None:
    """What stands beside X is found by its labels."""
    n = len(problem.y)
    order = np.array(data.draw(st.permutations(range(n))))
    labels = pd.Index([f"row {i}" for i in order])
    X = pd.DataFrame(problem.X, columns=problem.names, index=labels)
    beside = {"y": pd.Series(problem.y, labels)}
    if problem.weights is not None:
        beside["weights"] = pd.Series(problem.weights, labels)
    call = procedures(pcv.WLS(), problem.folds)["cross_validate"]
    if problem.weights is None:
        call = done(data, problem)
    moved = not (np.diff(order) == 1).all()
    shuffled = {name: one.iloc[order] for name, one in beside.items()}
    first = call(X=X, **beside)
    with pytest.warns(PycvstatWarning, match="by their labels") if moved else nullcontext():
        assert bits(call(X=X, **shuffled)) == bits(first)
    assert bits(call(X=problem.X, **{k: v.to_numpy() for k, v in beside.items()})) == bits(first)


@cases("renaming")
@given(sound_problems(kinds=["factor", "ordered", "smooth", "logical"]), st.data())
def test_levels_under_other_names_in_the_same_order(problem: Problem, data: Any) -> None:
    frame = problem.frame.copy()
    names = st.lists(
        st.text('abcé`" 1', min_size=1, max_size=4), min_size=4, max_size=4, unique=True
    )
    for name in frame:
        if isinstance(frame[name].dtype, pd.CategoricalDtype):
            new = data.draw(names)[: len(frame[name].cat.categories)]
            frame[name] = frame[name].cat.rename_categories(new)
    columns = dict(
        zip(
            frame, data.draw(st.permutations([f"c{j}" for j in range(frame.shape[1])])), strict=True
        )
    )
    renamed = replace(
        problem, frame=frame.rename(columns=columns), response=columns[problem.response]
    )
    results = [
        outcome(lambda p=p: pcv.cross_validate(p.learner, p.formula, p.frame, folds=p.folds,
                                               na="omit", **p.given), "levels")
        for p in (problem, renamed)
    ]  # fmt: skip
    assert bits(results[0]) == bits(results[1])


def misspelt(data: Any, name: str) -> str:
    """A letter doubled, dropped, added or swapped with its neighbour."""
    i = data.draw(st.integers(0, len(name) - 1))
    wrong = data.draw(
        st.sampled_from([name[:i] + name[i] + name[i:], name[:i] + name[i + 1 :], name + "q",
                         name[:i] + name[i + 1 : i + 2] + name[i] + name[i + 2 :]])
    )  # fmt: skip
    assume(wrong and wrong != name and not wrong[:1].isdigit())
    return wrong


def cv(*given: Any, **how: Any) -> Any:
    how = {"folds": pcv.Blocks(3)} | how
    data = pcv.data.mtcars() if len(given) < 2 else given[1]
    return pcv.cross_validate(pcv.KNN(2), given[0], data, **how)


NAMED = {
    "mileage": lambda name: cv(f"{name} ~ wt", renamed("mpg", "mileage")),
    "horses": lambda name: cv(f"mpg ~ wt + {name}", renamed("hp", "horses")),
    "times": lambda name: cv("mpg ~ wt", renamed("carb", "times"), weights=name),
    "herd": lambda name: cv("mpg ~ wt", renamed("cyl", "herd"), groups=name),
    "logarithm": lambda name: cv(f"mpg ~ {name}(wt)"),
    "squared": lambda name: cv("mpg ~ wt", loss=name),
    "raise": lambda name: cv("mpg ~ wt", na=name),
    "holdouts": lambda name: pcv.RFolds(name, 3),
    "rmse": lambda name: cv("mpg ~ wt").metric(name),
    "log_t": lambda name: cv("mpg ~ wt").interval(name),
    "estimate": lambda name: cv("mpg ~ wt").tidy(name),
    "optimal": lambda name: pcv.KNN(3, kernel=name),
    "binomial": lambda name: pcv.GLM(name),
    "kernel": lambda name: pcv.tune(pcv.KNN(), "mpg ~ wt", pcv.data.mtcars(), grid={name: ["inv"]},
                                    folds=pcv.Blocks(3)),
    "one_se": lambda name: pcv.tune(pcv.KNN(), "mpg ~ wt", pcv.data.mtcars(), grid={"k": [1, 2]},
                                    folds=pcv.Blocks(3), rule=name, complexity="-k"),
    "groups": lambda name: cv("mpg ~ wt", **{name: list(range(32))}),
    "folds": lambda name: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), **{name: 3}),
    "second": lambda name: compared().paired("first", name),
}  # fmt: skip


def compared() -> Any:
    learners = {"first": pcv.KNN(1), "second": pcv.KNN(3)}
    return pcv.compare(learners, "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(3))


ALSO_RIGHT = {"log_t": {"t"}, "rmse": {"mse"}, "holdouts": set()}


def renamed(old: str, new: str) -> pd.DataFrame:
    return pcv.data.mtcars().rename(columns={old: new})


@cases("misspelt")
@given(st.sampled_from(sorted(NAMED)), st.data())
def test_a_misspelt_name(name: str, data: Any) -> None:
    wrong = misspelt(data, name)
    assume(wrong not in ALSO_RIGHT.get(name, ()) and wrong not in METRICS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        with pytest.raises(PycvstatError) as caught:
            NAMED[name](wrong)
    assert wrong in str(caught.value)


@cases("metrics")
@given(st.data())
def test_a_metric_by_name_by_function_and_as_a_scorer(data: Any) -> None:
    from sklearn import metrics as theirs

    kind = data.draw(st.sampled_from(["number", "two", "three"]))
    problem = data.draw(numeric_problems(kind))
    of_classes = ["classes", "scores", "probabilities"]
    needs = {"number": ["numbers"], "two": of_classes, "three": ["classes"]}
    known = {
        one.name: one.elsewhere["scikit-learn"].split()
        for one in METRICS.values()
        if one.needs in needs[kind] and one.elsewhere.get("scikit-learn", "").strip()
        and one.name.endswith(("_macro", "_micro", "_weighted")) == (kind == "three")
    }  # fmt: skip
    name = data.draw(st.sampled_from(sorted(known)))
    y = problem.y if kind == "number" else np.array(["a", "b", "c"])[problem.y]
    learner = pcv.KNN(3) if kind == "three" else pcv.OLS() if kind == "number" else pcv.Logit()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        found = outcome(lambda: pcv.cross_validate(learner, X=problem.X, y=y, folds=problem.folds))
    assume(found is not None)
    expected = outcome(lambda: found.metric(name))
    for other in known[name]:
        function = getattr(theirs, other, None)
        ways = [other]
        if function is not None:
            ways += [function, lambda y, p, f=function: f(y, p)] if kind == "number" else [function]
            if METRICS[name].needs == "numbers":
                ways.append(make_scorer(function))
        if other in theirs.get_scorer_names():
            ways.append(theirs.get_scorer(other))
        for way in ways:
            again = outcome(lambda way=way: found.metric(way))
            assert (again is None) == (expected is None), (name, way)
            if again is not None:
                np.testing.assert_allclose(again.by_fold, expected.by_fold, rtol=1e-9, atol=1e-12)
                np.testing.assert_allclose(again.pooled, expected.pooled, rtol=1e-9, atol=1e-12)
