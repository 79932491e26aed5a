"""Estimators that get columns as they are: types, levels, missing values, weights, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_selector
from sklearn.ensemble import (
    HistGradientBoostingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler

import pycvstat as pcv
from pycvstat.errors import DataError, FitError, InputError
from pycvstat.learners.external.learner import External

FOLDS = pcv.KFold(4, random=1)


def sample(n: int = 120) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    whole, real = rng.integers(0, 5, n), rng.normal(size=n)
    word = rng.choice(["low", "middle", "high"], n)
    y = 0.8 * whole + real + (word == "low") + 0.5 * rng.normal(size=n)
    return pd.DataFrame(
        {
            "whole": whole,
            "nullable": pd.array(whole, dtype="Int64"),
            "single": real.astype("float32"),
            "real": real,
            "word": pd.Categorical(word, ["low", "middle", "high", "never"]),
            "flag": real > 0,
            "y": y,
            "two": pd.Categorical(np.where(y > 2, "yes", "no")),
            "w": rng.integers(1, 4, n),
        }
    )


DATA = sample()


class Spy(LinearRegression):
    """Least squares of the numbers, which keeps what it was given."""

    seen: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Spy:
        type(self).seen = X
        super().fit(X.select_dtypes("number"), y, sample_weight)
        return self

    def predict(self, X: Any) -> Any:
        return super().predict(X.select_dtypes("number"))


def test_columns_keep_their_types_and_levels() -> None:
    names = ["whole", "nullable", "single", "real", "word", "flag"]
    pcv.cross_validate(External(Spy(), encode=False), f"y ~ {' + '.join(names)}", DATA, folds=FOLDS)
    types = {name: str(t) for name, t in Spy.seen.dtypes.items()}
    assert types == {
        "whole": "int64",
        "nullable": "Int64",
        "single": "float32",
        "real": "float64",
        "word": "category",
        "flag": "bool",
    }
    assert Spy.seen["word"].cat.categories.tolist() == ["low", "middle", "high", "never"]
    given = pd.DataFrame(
        {
            "number": pd.Categorical(DATA.whole, [4, 3, 2, 1, 0, 9]),
            "share": pd.Categorical(DATA.whole / 10, ordered=True),
            "string": DATA.word.astype("string"),
            "object": DATA.word.astype(object),
            "truth": DATA.flag.astype("boolean"),
            "real": DATA.real,
            "y": DATA.y,
        }
    )
    pcv.cross_validate(External(Spy(), encode=False), "y ~ .", given, folds=FOLDS)
    assert Spy.seen.dtypes.to_dict() == given.drop(columns="y").dtypes.to_dict()
    fitted = External(Spy(), encode=False).fit("y ~ whole + real", DATA)
    assert fitted.predict(DATA.head(3)).shape == (3,)


def by_type() -> ColumnTransformer:
    return ColumnTransformer(
        [
            (
                "whole",
                OneHotEncoder(handle_unknown="ignore"),
                make_column_selector(dtype_include="int64"),
            ),
            ("real", StandardScaler(), make_column_selector(dtype_include="float64")),
        ]
    )


def loop(estimator: Any, columns: list[str], **fit: Any) -> float:
    """scikit-learn's own way over the same folds."""
    from sklearn.base import clone

    losses = []
    for train, test in FOLDS.plan(len(DATA)):
        made = clone(estimator).fit(DATA.iloc[train][columns], DATA.y.iloc[train])
        losses.append(((made.predict(DATA.iloc[test][columns]) - DATA.y.iloc[test]) ** 2).mean())
    return float(np.mean(losses))


HOLDERS = {
    "pipeline": make_pipeline(by_type(), Ridge()),
    "search": GridSearchCV(make_pipeline(by_type(), Ridge()), {"ridge__alpha": [0.1, 1.0]}, cv=3),
    "target": TransformedTargetRegressor(make_pipeline(by_type(), Ridge()), func=np.cbrt,
                                         inverse_func=lambda v: v**3),
    "voting": VotingRegressor([("a", make_pipeline(by_type(), Ridge())),
                               ("b", make_pipeline(by_type(), LinearRegression()))]),
    "stacking": StackingRegressor([("a", make_pipeline(by_type(), Ridge()))], Ridge(), cv=3),
}  # fmt: skip


HOLDERS["candidates"] = GridSearchCV(
    Pipeline([("prepare", "passthrough"), ("fit", Ridge())]), {"prepare": [by_type()]}, cv=3
)


@pytest.mark.parametrize("holder", HOLDERS)
def test_a_column_transformer_is_found_however_deep(holder: str) -> None:
    result = pcv.cross_validate(HOLDERS[holder], "y ~ whole + real", DATA, folds=FOLDS)
    assert result.estimate == pytest.approx(loop(HOLDERS[holder], ["whole", "real"]), rel=1e-9)


def test_a_calibrated_classifier_gets_frames() -> None:
    learner = CalibratedClassifierCV(make_pipeline(by_type(), LogisticRegression()), cv=3)
    result = pcv.cross_validate(learner, "two ~ whole + real", DATA, folds=FOLDS, loss="log")
    assert 0 < result.estimate < 1


MISSING = DATA.assign(real=DATA.real.where(DATA.index % 5 != 0))


def test_missing_predictors_reach_learners_that_take_them() -> None:
    learners: dict[str, Any] = {
        "boosting": HistGradientBoostingRegressor(max_iter=10, random_state=0),
        "frames": External(
            HistGradientBoostingRegressor(max_iter=10, random_state=0), encode=False
        ),
        "imputing": make_pipeline(SimpleImputer(), Ridge()),
        "functions": pcv.FromFunctions(
            lambda X, y: np.linalg.lstsq(np.nan_to_num(X), y, rcond=None)[0],
            lambda b, X: np.nan_to_num(X) @ b,
        ),
    }
    found = pcv.compare(learners, "y ~ whole + real", MISSING, folds=FOLDS, na="pass")
    assert found.task.n == len(MISSING)
    expected = []
    for train, test in found.plan:
        made = make_pipeline(SimpleImputer(), Ridge()).fit(
            MISSING.iloc[train][["whole", "real"]], MISSING.y.iloc[train]
        )
        expected.append(made.predict(MISSING.iloc[test][["whole", "real"]]))
    ours = found.results["imputing"].table.predictions.values[0]
    np.testing.assert_allclose(ours, np.concatenate(expected), rtol=1e-9)
    fitted = pcv.External(learners["boosting"]).fit("y ~ whole + real", MISSING, na="pass")
    assert np.isfinite(fitted.predict(MISSING)).all()


def test_who_takes_none_says_so_and_what_works_is_said() -> None:
    with pytest.raises(InputError, match="OLS takes no missing predictors"):
        pcv.cross_validate(pcv.OLS(), "y ~ whole + real", MISSING, folds=FOLDS, na="pass")
    with pytest.raises(DataError, match="na='pass' hands missing predictors"):
        pcv.cross_validate(Ridge(), "y ~ whole + real", MISSING, folds=FOLDS)
    gone = MISSING.assign(y=MISSING.y.where(MISSING.index != 3))
    with pytest.raises(DataError, match="1 of 120 rows have missing values"):
        pcv.cross_validate(Ridge(), "y ~ real", gone, folds=FOLDS, na="pass")
    with pytest.raises(FitError, match="Ridge failed to fit") as told:
        pcv.cross_validate(Ridge(), "y ~ whole + real", MISSING, folds=FOLDS, na="pass")
    assert "Input X contains NaN" in str(told.value)
    assert isinstance(told.value.__cause__, ValueError)
    assert "na='omit' leaves rows" in str(told.value.fix)
    with pytest.raises(FitError, match="Ridge failed to fit") as told:
        pcv.cross_validate(Ridge(alpha=-1.0), "y ~ whole", DATA, folds=FOLDS)
    assert told.value.fix is None


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(StandardScaler(), Ridge()),
        GridSearchCV(Ridge(), {"alpha": [1.0]}, cv=3),
        GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [1.0]}, cv=3),
        TransformedTargetRegressor(Ridge()),
        VotingRegressor([("a", Ridge()), ("b", "drop")]),
        StackingRegressor([("a", Ridge())], Ridge()),
    ],
    ids=["pipeline", "search", "search of a pipeline", "target", "voting", "stacking"],
)
def test_weights_reach_the_last_step(estimator: Any) -> None:
    weighted = External(estimator).fit("y ~ whole + real", DATA, weights="w").predict(DATA)
    plain = External(estimator).fit("y ~ whole + real", DATA).predict(DATA)
    repeated = DATA.loc[DATA.index.repeat(DATA.w)]
    assert np.abs(weighted - plain).max() > 1e-4
    if isinstance(estimator, TransformedTargetRegressor):
        alone = (
            Ridge().fit(repeated[["whole", "real"]], repeated.y).predict(DATA[["whole", "real"]])
        )
        np.testing.assert_allclose(weighted, alone, rtol=1e-9)


def test_weights_are_refused_where_one_of_several_takes_none() -> None:
    several = VotingRegressor([("a", Ridge()), ("b", KNeighborsRegressor())])
    with pytest.raises(InputError, match="VotingRegressor cannot use weights"):
        pcv.cross_validate(several, "y ~ real", DATA, folds=FOLDS, weights="w")


def test_estimators_whose_predict_shows_after_the_fit() -> None:
    stacking = StackingRegressor([("a", Ridge())])
    for learner in (
        stacking,
        make_pipeline(StandardScaler(), stacking),
        GridSearchCV(stacking, {"a__alpha": [1.0]}, cv=3),
        StackingClassifier([("a", LogisticRegression())]),
    ):
        response = "two" if isinstance(learner, StackingClassifier) else "y"
        result = pcv.cross_validate(learner, f"{response} ~ real", DATA, folds=FOLDS)
        assert np.isfinite(result.estimate)
    for wrong in (make_pipeline(StandardScaler()), object(), Ridge):
        with pytest.raises(InputError, match="learner"):
            External(wrong)


def test_weights_go_to_the_last_step_of_a_pipeline() -> None:
    """The first takes none; two ways: the squares as a column of the data."""
    steps = External(make_pipeline(PolynomialFeatures(2), LinearRegression()))
    found = steps.fit("y ~ real", DATA, weights="w").predict(DATA)
    squares = pcv.WLS().fit("y ~ poly(real, 2)", DATA, weights="w").predict(DATA)
    np.testing.assert_allclose(found, squares, rtol=1e-9)


def test_routed_metadata() -> None:
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        estimator = make_pipeline(scaler, Ridge().set_fit_request(sample_weight=True))
        routed = External(estimator).fit("y ~ whole + real", DATA, weights="w").predict(DATA)
    steps = make_pipeline(StandardScaler(), Ridge())
    named = External(steps).fit("y ~ whole + real", DATA, weights="w").predict(DATA)
    np.testing.assert_allclose(routed, named, rtol=1e-12)


class Probabilities(LogisticRegression):
    """Of which the classes are never asked."""

    def predict(self, X: Any) -> Any:
        raise AssertionError("predict was called")


@pytest.mark.parametrize("loss", ["log", "brier"])
def test_predict_is_not_called_where_probabilities_suffice(loss: str) -> None:
    ours = pcv.cross_validate(Probabilities(), "two ~ real", DATA, folds=FOLDS, loss=loss)
    usual = pcv.cross_validate(LogisticRegression(), "two ~ real", DATA, folds=FOLDS, loss=loss)
    assert ours.estimate == usual.estimate
    assert ours.predictions.tolist() == usual.predictions.tolist()
    with pytest.raises(FitError, match="predict was called"):
        pcv.cross_validate(Probabilities(), "two ~ real", DATA, folds=FOLDS)


def test_the_telling_line_of_a_search_is_its_last() -> None:
    broken = GridSearchCV(Ridge(), {"alpha": [-1.0, "much"]}, cv=3)
    with pytest.raises(FitError) as told:
        pcv.cross_validate(broken, "y ~ real", DATA, folds=FOLDS)
    assert "Got 'much' instead" in str(told.value)
    assert "-1.0" not in str(told.value)
    assert "fits failed" in str(told.value.__cause__)
