"""Models of statsmodels and estimators of scikit-learn come back from files as they went."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from statsmodels.miscmodels.ordinal_model import OrderedModel

import pycvstat as pcv
from pycvstat.errors import InputError
from pycvstat.run.records import KINDS, Encoder, decode, looked_up, made

DATA = pcv.data.mtcars().assign(w=lambda d: d.wt.round(), g=lambda d: np.arange(len(d)) % 4)
GLM = pcv.Statsmodels(
    smf.glm, family=sm.families.NegativeBinomial(alpha=0.5), exposure="wt", fit={"maxiter": 50}
)
GEE = pcv.Statsmodels(smf.gee, groups="g", cov_struct=sm.cov_struct.Exchangeable())
PROBIT = sm.families.Binomial(link=sm.families.links.Probit())
SELECTING = make_pipeline(
    make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include=object)),
        (FunctionTransformer(np.log1p), make_column_selector(dtype_include=np.number)),
        remainder=StandardScaler(),
    ),
    GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=KFold(2)),
)
BROUGHT: list[tuple[Any, str]] = [
    (smf.ols, "mpg ~ wt"),
    (GLM, "carb ~ hp"),
    (GEE, "mpg ~ wt"),
    (pcv.Statsmodels(smf.rlm, M=sm.robust.norms.Hampel(a=1.5)), "mpg ~ wt"),
    (pcv.Statsmodels(smf.glm, family=PROBIT), "am ~ wt"),
    (pcv.Statsmodels(OrderedModel, distr="logit"), "factor(gear) ~ wt"),
    (SELECTING, "mpg ~ wt + hp"),
    (RandomForestRegressor(n_estimators=3), "mpg ~ wt"),
    (HistGradientBoostingRegressor(max_iter=2), "mpg ~ wt"),
    (GaussianProcessRegressor(RBF(2.0) + WhiteKernel()), "mpg ~ wt"),
    (LogisticRegression(), "factor(am) ~ wt"),
]


@pytest.mark.parametrize(("learner", "formula"), BROUGHT)
def test_results_with_models_of_others(learner: Any, formula: str, tmp_path: Path) -> None:
    """A result from a file says and predicts what the one that was saved does."""
    folds = pcv.KFold(3, random=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = pcv.cross_validate(learner, formula, DATA, folds=folds)
        again = pcv.load(result.save(tmp_path / "a.npz"))
        assert again.summary() == result.summary()
        assert repr(again.learner) == repr(result.learner)
        ours, theirs = (one.learner.fit(formula, DATA).predict(DATA) for one in (again, result))
    assert np.array_equal(ours, theirs)


@pytest.mark.parametrize(
    "procedure",
    [
        lambda: pcv.tune(
            smf.rlm, "mpg ~ wt", DATA, folds=pcv.Blocks(3),
            grid={"M": [sm.robust.norms.HuberT(2.0), sm.robust.norms.TukeyBiweight()]},
        ),
        lambda: pcv.compare({"a": smf.ols, "b": Ridge()}, "mpg ~ wt", DATA, folds=pcv.Blocks(3)),
        lambda: pcv.nested_cv(
            Ridge(), "mpg ~ wt", DATA, grid={"alpha": [0.1, 1.0]},
            outer=pcv.Blocks(3), inner=pcv.Blocks(2),
        ),
    ],
)  # fmt: skip
def test_procedures(procedure: Callable[[], Any], tmp_path: Path) -> None:
    result = procedure()
    assert pcv.load(result.save(tmp_path / "a.npz")).summary() == result.summary()


def test_every_base_is_there_today() -> None:
    """A base that was renamed would refuse what it should keep."""
    for base in KINDS:
        if not base.startswith("sklearn.base"):
            assert looked_up(base)


def mean(X: Any, y: Any) -> float:
    return float(np.mean(y))


def constant(model: float, X: Any) -> Any:
    return np.full(len(X), model)


class Mine(Ridge):
    """An estimator whose code is not in any package."""


@pytest.mark.parametrize(
    ("learner", "where"),
    [
        (pcv.FromFunctions(mean, constant), "fitting of FromFunctions is builtins.function"),
        (pcv.External(Mine()), "estimator of External is tests.run.test_brought.Mine"),
        (Ridge(random_state=np.random.RandomState(1)), "random_state of Ridge is numpy.random"),
        (make_pipeline(FunctionTransformer(mean), Ridge()), "func of FunctionTransformer is"),
        (pcv.Statsmodels(smf.ols, hasconst=pd.NA), "['hasconst'] of Statsmodels is pandas"),
    ],
)
def test_what_cannot_be_kept_is_named(learner: Any, where: str) -> None:
    with pytest.raises(InputError, match="cannot be kept") as caught:
        Encoder().encode({"learner": learner})
    assert where in str(caught.value)


@pytest.mark.parametrize(
    "arguments",
    [
        ["object", "sklearn.pipeline:Pipeline", [["steps", ["list", []]], ["memory", "/tmp"]]],
        ["object", "sklearn.feature_extraction.text:CountVectorizer", [["input", "filename"]]],
        ["dict", [["reduce__memory", ["list", [None, "/tmp"]]]]],
        ["dict", [["memory", ["objects", [1], ["/tmp"]]]]],
    ],
)
def test_a_folder_of_pickles_is_not_taken_from_a_file(arguments: list[Any]) -> None:
    with pytest.raises(ValueError, match="names files"):
        decode(arguments, [])


def test_a_folder_of_pickles_is_not_written_to_a_file(tmp_path: Path) -> None:
    cached = make_pipeline(StandardScaler(), Ridge(), memory=str(tmp_path))
    for value in (pcv.External(cached), {"pipeline__memory": ["/tmp"]}):
        with pytest.raises(InputError, match=r"(?s)names files.*memory=") as caught:
            Encoder().encode(value)
        assert "memory=None" in str(caught.value.fix)


def test_a_column_may_be_called_memory(tmp_path: Path) -> None:
    data = DATA.assign(memory=np.where(DATA.wt > 3, "good", "bad"), input=DATA.hp)
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ memory + input", data, folds=pcv.Blocks(4))
    assert pcv.load(result.save(tmp_path / "a.npz")).estimate == result.estimate


def test_the_advice_works(tmp_path: Path) -> None:
    result = pcv.cross_validate(
        pcv.FromFunctions(mean, constant), "mpg ~ wt", DATA, folds=pcv.Blocks(3)
    )
    with pytest.raises(InputError, match=r"report.*tidy") as caught:
        result.save(tmp_path / "a.npz")
    assert not list(tmp_path.iterdir())
    assert caught.value.fix
    result.report(tmp_path / "result.html")
    result.tidy().to_csv(tmp_path / "result.csv")


@pytest.mark.parametrize(
    "path",
    [
        "os:system", "builtins:eval", "builtins:dict", "numpy:load", "numpy:memmap",
        "subprocess:run", "statsmodels.iolib.foreign:StataReader",
        "statsmodels.sandbox.nonparametric:kernels",
        "sklearn.utils._testing:TempMemmap", "sklearn.datasets:load_files",
        "sklearn.tests.test_base:MyEstimator", "sklearn.linear_model.tests.test_ridge:Ridge",
        "sklearn.linear_model:Ridge", "sklearn.svm._classes:nothing", "sklearn.base:clone",
        "joblib:Memory", "pickle:loads",
    ],
)  # fmt: skip
def test_files_name_nothing_else(path: str) -> None:
    with pytest.raises((ValueError, ImportError)):
        decode(["object", path, []], [])
    with pytest.raises((ValueError, ImportError)):
        decode(["name", path], [])


def test_models_are_named_and_not_made() -> None:
    model = "statsmodels.regression.linear_model:OLS"
    assert looked_up(model) is sm.OLS
    with pytest.raises(ValueError, match="are not kept"):
        made(model, {"endog": [1.0]})
