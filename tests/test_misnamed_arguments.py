"""Arguments under the names of other packages, and R's doubles: understood or answered."""

from __future__ import annotations

import inspect
import pydoc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError
from pycvstat.errors.names import EXAMPLES, INSTEAD, OURS

CARS = pcv.data.mtcars()
ON = ("mpg ~ wt", CARS)
BOTH = {"ols": pcv.OLS(), "mean": pcv.Mean()}
PLAN = pcv.Blocks(2).plan(10)
RESULT = pcv.cross_validate(pcv.OLS(), *ON, folds=pcv.Blocks(2))

ANSWERS: dict[str, tuple[Callable[[], Any], str]] = {
    "n_splits": (lambda: pcv.KFold(n_splits=5), "write k="),
    "n_splits again": (lambda: pcv.Subsampling(n_splits=5), "write times="),
    "B": (lambda: pcv.Bootstrap(B=25), "write times="),
    "random_state": (lambda: pcv.KFold(5, random_state=1), "write random="),
    "seed": (lambda: pcv.Holdout(0.2, seed=1), "write random="),
    "random": (lambda: pcv.RFolds("caret", 5, random=1), "write seed="),
    "shuffle": (lambda: pcv.KFold(5, shuffle=True), "KFold shuffles"),
    "n_repeats": (lambda: pcv.Repeated(pcv.KFold(5), n_repeats=3), "write times="),
    "test_size": (lambda: pcv.Holdout(test_size=0.2), "write test="),
    "lambda": (lambda: pcv.r.glmnet.glmnet(None, None, **{"lambda": 1}), "did you mean 'lambda_'"),
    "nothing": (lambda: pcv.KFold(), "missing a required argument: 'k'"),
    "too much": (lambda: pcv.KFold(5, 1, True), "too many positional arguments"),
    "twice": (lambda: pcv.KFold(5, k=5), "multiple values for argument 'k'"),
    "cv": (lambda: pcv.cross_validate(pcv.OLS(), *ON, cv=5), "write folds="),
    "cv of nested": (
        lambda: pcv.nested_cv(pcv.KNN(), *ON, grid={"k": [1]}, cv=5, inner=2),
        "write outer=",
    ),
    "folds of nested": (
        lambda: pcv.nested_cv(pcv.KNN(), *ON, grid={"k": [1]}, folds=5, inner=2),
        "write outer=",
    ),
    "no folds": (lambda: pcv.cross_validate(pcv.OLS(), *ON), r"folds=KFold\(10, random=1\)"),
    "no grid": (lambda: pcv.tune(pcv.KNN(), *ON, folds=5), r'grid=\{"k": range\(1, 31\)\}'),
    "scoring": (
        lambda: pcv.cross_validate(pcv.OLS(), *ON, folds=5, scoring="r2"),
        r"result.interval\(metric='rmse'\)",
    ),
    "param_grid": (
        lambda: pcv.tune(pcv.KNN(), *ON, param_grid={"k": [1]}, folds=5),
        "write grid=",
    ),
    "a word misspelt": (
        lambda: pcv.cross_validate(pcv.OLS(), *ON, folds=5, n_job=2),
        "did you mean 'n_jobs'",
    ),
    "verbose": (lambda: pcv.compare(BOTH, *ON, folds=5, verbose=1), "write progress="),
    "n_neighbors": (lambda: pcv.KNN(n_neighbors=5), "write k="),
    "n_neighbors of a grid": (
        lambda: pcv.tune(pcv.KNN(), *ON, grid={"n_neighbors": [1]}, folds=5),
        "here it is 'k'",
    ),
    "weights of neighbours": (lambda: pcv.KNN(weights="uniform"), "kernel='rectangular'"),
    "metric of neighbours": (lambda: pcv.KNN(metric="euclidean"), "distance=1 or distance=2"),
    "alpha of ridge": (lambda: pcv.Ridge(alpha=1.0), "write lam=, as glmnet"),
    "lambda of the lasso": (lambda: pcv.Lasso(lambda_=1.0), "write lam="),
    "l1_ratio": (lambda: pcv.ElasticNet(alpha=1.0, l1_ratio=0.5), "share of the lasso"),
    "C": (lambda: pcv.Logit(C=1.0), "there is no penalty"),
    "fit_intercept": (lambda: pcv.OLS(fit_intercept=False), "y ~ x - 1 has no intercept"),
    "sample_weight": (
        lambda: pcv.OLS().fit(*ON, sample_weight=np.ones(32)), "write weights="
    ),
    "n_iter": (lambda: pcv.RandomSearch({"k": [1]}, n_iter=3), "write n="),
    "alpha of an interval": (
        lambda: pcv.from_losses([1.0, 2, 4, 3], [1, 1, 2, 2]).interval(alpha=0.05),
        "write level=0.95, which is 1 - alpha",
    ),
    "confidence_level": (
        lambda: pcv.from_losses([1.0, 2, 4, 3], [1, 1, 2, 2]).interval(confidence_level=0.9),
        "'level'",
    ),
    "random_state of folds": (
        lambda: pcv.cross_validate(pcv.OLS(), *ON, folds=5, random_state=1),
        r"the folds draw: folds=KFold\(5, random=1\)",
    ),
    "seed of folds": (
        lambda: pcv.nested_cv(pcv.KNN(), *ON, grid={"k": [1]}, outer=5, inner=2, seed=1),
        r"the folds draw: outer=KFold\(5, random=1\)",
    ),
    "format of a report": (lambda: PLAN.report("x.html", format="md"), "the ending of the path"),
    "report to nowhere": (lambda: PLAN.report(), "missing a required argument: 'path'"),
    "crosscheck": (lambda: RESULT.crosscheck(tol=1), "crosscheck has no argument 'tol'"),
    "save": (lambda: RESULT.save(), "missing a required argument: 'path'"),
    "to_r": (lambda: RESULT.to_r(), "missing a required argument: 'path'"),
    "summary": (lambda: PLAN.summary(1), "too many positional arguments"),
    "train_sizes": (
        lambda: pcv.learning_curve(pcv.OLS(), *ON, train_sizes=[9], folds=4), "write sizes="
    ),
    "estimators": (lambda: pcv.compare(models=BOTH, folds=5), "write learners="),
    "y_true": (lambda: pcv.from_losses([1.0, 2, 3, 4], [1, 1, 2, 2], y_true=[1]), "write y="),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_a_wrong_call_is_answered(name: str) -> None:
    call, words = ANSWERS[name]
    with pytest.raises(InputError, match=words) as caught:
        call()
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_advice_names_arguments_that_exist() -> None:
    """Every word of ours is an argument of some public function or class."""
    public = [getattr(pcv, name) for name in pcv.__all__]
    known = {name for one in public if callable(one) for name in inspect.signature(one).parameters}
    known |= set(pcv.procedures.setting.Arguments.__annotations__) | {"level"}
    assert {name for ours in OURS.values() for name in ours} <= known
    assert set(EXAMPLES) <= known
    assert not set(INSTEAD) & set(OURS)


@pytest.mark.parametrize(
    "learner",
    [
        pcv.OLS,
        pcv.WLS,
        pcv.GLM,
        pcv.Logit,
        pcv.MNLogit,
        pcv.QuantReg,
        pcv.RLM,
        pcv.Ridge,
        pcv.Lasso,
        pcv.ElasticNet,
        pcv.KNN,
        pcv.External,
        pcv.Statsmodels,
    ],
)
@pytest.mark.parametrize(
    "data", [CARS, CARS["wt"], CARS.to_numpy()], ids=lambda d: type(d).__name__
)
def test_a_learner_takes_no_data(learner: Any, data: Any) -> None:
    for given in ((data,), (data, CARS)):
        with pytest.raises(InputError, match="a learner takes no data"):
            learner(*given)


def test_an_error_inside_is_not_mistaken_for_a_wrong_call() -> None:
    def fails(X: Any, y: Any) -> Any:
        raise TypeError("unexpected keyword argument of something else")

    learner = pcv.FromFunctions(fails, lambda model, X: X)
    with pytest.raises(pcv.errors.FitError, match="of something else"):
        pcv.cross_validate(learner, *ON, folds=pcv.Blocks(4))
    with pytest.raises(TypeError, match="abstract"):
        pcv.folds.Splitter()


def test_signatures_stay_as_they_are() -> None:
    assert list(inspect.signature(pcv.KFold).parameters) == ["k", "random"]
    assert str(inspect.signature(pcv.RandomSearch)).startswith("(space: 'Mapping[str, Any]', n:")
    assert "folds" in inspect.signature(pcv.cross_validate).parameters
    text = pydoc.plain(pydoc.render_doc(pcv.tune))
    assert "tune(learner: 'Any', formula: 'str | None' = None" in text
    assert "class KFold" in pydoc.plain(pydoc.render_doc(pcv.KFold))
    assert "KFold(k: 'int', random: 'Random' = None)" in pydoc.plain(pydoc.render_doc(pcv.KFold))
    assert pcv.tune.__module__ == "pycvstat.procedures.tune"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (lambda: pcv.KFold(10.0, random=1.0), "KFold(10, random=1)"),
        (lambda: pcv.Repeated(pcv.KFold(5.0), 3.0, random=2.0),
         "Repeated(KFold(5), 3, random=2)"),
        (lambda: pcv.RFolds("caret", 5.0, seed=1.0, repeats=2.0),
         "RFolds('caret', 5, seed=1, repeats=2)"),
        (lambda: pcv.Stratified(5.0, bins=3.0), "Stratified(5, bins=3)"),
        (lambda: pcv.Holdout(8.0, random=np.float64(3)), "Holdout(test=8, random=3)"),
        (lambda: pcv.Subsampling(25.0, train=0.8), "Subsampling(25, train=0.8)"),
        (lambda: pcv.TimeSeries(10.0, horizon=2.0, gap=0.0), "TimeSeries(10, horizon=2)"),
        (lambda: pcv.NestedPairs(5.0, repeats=9.0), "NestedPairs(k=5, repeats=9)"),
        (lambda: pcv.PairedHalves(5.0, 4.0), "PairedHalves(inner=5, outer=4)"),
        (lambda: pcv.RRandom(1.0), "RRandom(1)"),
    ],
)  # fmt: skip
def test_whole_numbers_of_r_are_understood(given: Callable[[], Any], meant: str) -> None:
    """Numbers typed in R without an L arrive as doubles."""
    assert repr(given()) == meant


def test_whole_numbers_of_r_give_the_same_results() -> None:
    whole, double = (
        pcv.nested_cv(
            pcv.KNN(), "mpg ~ wt", CARS, grid={"k": [two(1), two(3)]}, outer=two(4), inner=two(3),
            n_jobs=two(1),
        )
        for two in (int, float)
    )  # fmt: skip
    assert whole.plan.n_test.tolist() == double.plan.n_test.tolist()
    assert [c["k"] for c in double.candidates] == [1, 3]
    losses = np.array([1.0, 2, 4, 3])
    assert pcv.from_losses(losses, n_train=8.0).plan.n_train.tolist() == [8]
    found = pcv.cross_validate(pcv.OLS(), *ON, folds=pcv.KFold(5, random=1))
    lows = [found.interval("bootstrap", draws=two(200)).low for two in (int, float)]
    assert lows[0] == lows[1]
    search = pcv.RandomSearch({"k": [1, 2, 3]}, n=2.0, random=1.0)
    assert search.candidates() == pcv.RandomSearch({"k": [1, 2, 3]}, n=2, random=1).candidates()
    audits = [pcv.audit(pcv.OLS(), *ON, folds=two(4), times=two(5)) for two in (int, float)]
    assert audits[0].p_value == audits[1].p_value


def test_half_numbers_are_not() -> None:
    for wrong in (lambda: pcv.KFold(2.5), lambda: pcv.Holdout(1.0), lambda: pcv.RRandom(1.5)):
        with pytest.raises(InputError):
            wrong()


def test_comparisons_take_metrics_as_losses_made_elsewhere_do() -> None:
    both = pcv.compare(BOTH, *ON, folds=pcv.KFold(10, random=1))
    found = both.paired("ols", "mean", metric="rmse")
    tables = {name: table.losses[:, 0] for name, table in both.tables.items()}
    assert found.interval.metric == "rmse"
    again = pcv.from_losses(
        {n: v[np.argsort(both.plan.rows)] for n, v in tables.items()}, both.plan, loss="squared"
    )
    assert again.paired("ols", "mean", metric="rmse").low == pytest.approx(found.low, rel=1e-12)
    assert both.pairs(metric="rmse")["estimate"].tolist() == [found.difference]
