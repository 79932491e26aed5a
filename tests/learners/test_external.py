"""scikit-learn's estimators, pipelines, and functions as learners."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import (
    Lasso as TheirLasso,
    LinearRegression,
    LogisticRegression,
    Ridge as TheirRidge,
    SGDRegressor,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeRegressor

import pycvstat as pcv
from pycvstat.data.task import Task
from pycvstat.errors import FitError, InputError, PycvstatWarning
from pycvstat.learners import as_learner
from pycvstat.learners.external.learner import External, FromFunctions
from pycvstat.learners.ols import OLS
from pycvstat.learners.penalised import Lasso, Ridge
from pycvstat.run.reproducible import inside_worker


def data(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    made = pd.DataFrame({"x": rng.normal(size=n), "z": rng.uniform(1, 2, n)})
    made["f"] = rng.choice(["a", "b", "c"], n)
    made["y"] = 5 + made.x - made.z + (made.f == "b") + rng.normal(size=n) * 0.3
    made["c"] = pd.Categorical(np.where(made.x > 0.3, "hi", np.where(made.x < -0.3, "lo", "mid")))
    made["w"] = rng.uniform(0.5, 2, n)
    return made


TRAIN, NEW = np.arange(40), np.arange(40, 60)


def predicted(learner: object, text: str, **task: object) -> np.ndarray:
    return (
        as_learner(learner).prepare(Task.build(text, data(), **task)).predict(TRAIN, NEW).values[0]
    )


def test_an_estimator_sees_the_model_matrix() -> None:
    text = "y ~ x * f + poly(z, 2)"
    np.testing.assert_allclose(
        predicted(LinearRegression(), text), predicted(OLS(), text), rtol=1e-10
    )
    without = LinearRegression(fit_intercept=False)
    np.testing.assert_allclose(
        predicted(without, "y ~ 0 + f + x"), predicted(OLS(), "y ~ 0 + f + x"), rtol=1e-10
    )


def test_penalties_in_the_units_of_scikit_learn() -> None:
    """The mapping that the documentation of Ridge and Lasso promises."""
    frame, lam = data().iloc[TRAIN], 0.3
    theirs = make_pipeline(StandardScaler(), TheirLasso(lam, tol=1e-14, max_iter=100_000))
    np.testing.assert_allclose(
        predicted(theirs, "y ~ x + z"), predicted(Lasso(lam), "y ~ x + z"), rtol=1e-9
    )
    alpha = len(frame) * lam / frame.y.std(ddof=0)
    theirs = make_pipeline(StandardScaler(), TheirRidge(alpha))
    np.testing.assert_allclose(
        predicted(theirs, "y ~ x + z"), predicted(Ridge(lam), "y ~ x + z"), rtol=1e-9
    )


def test_pipelines_and_their_parameters() -> None:
    learner = as_learner(make_pipeline(StandardScaler(), TheirRidge()))
    assert learner.name == "Pipeline(StandardScaler, Ridge)"
    assert learner.params()["ridge__alpha"] == 1.0
    task = Task.build("y ~ x + z", data())
    grid = [{"ridge__alpha": 0.1}, {"ridge__alpha": 100.0}]
    values = learner.prepare(task, grid).predict(TRAIN, NEW).values
    for params, row in zip(grid, values, strict=True):
        alone = make_pipeline(StandardScaler(), TheirRidge(params["ridge__alpha"]))
        np.testing.assert_allclose(row, predicted(alone, "y ~ x + z"), rtol=1e-12)
    assert learner.params()["ridge__alpha"] == 1.0
    with pytest.raises(InputError, match="did you mean 'ridge__alpha'"):
        learner.prepare(task, [{"ridge__alfa": 1.0}])


def test_a_column_transformer_gets_the_columns_as_they_are() -> None:
    encode = make_column_transformer((OneHotEncoder(drop="first"), ["f"]), remainder="passthrough")
    pipeline = make_pipeline(encode, LinearRegression())
    np.testing.assert_allclose(
        predicted(pipeline, "y ~ x + f"), predicted(OLS(), "y ~ x + f"), rtol=1e-10
    )
    fitted = as_learner(pipeline).fit("y ~ x + f", data())
    with pytest.warns(PycvstatWarning, match="1 of 2 rows"):
        made = fitted.predict({"x": [0.0, None], "f": ["a", "b"]})
    assert np.isnan(made).tolist() == [False, True]
    with pytest.raises(InputError, match="selects columns itself"):
        predicted(pipeline, "y ~ log(z) + f")


def test_encode_can_be_chosen() -> None:
    class Columns(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            self.seen_ = list(X.columns)
            return super().fit(X[["x"]], y)

        def predict(self, X):
            return super().predict(X[["x"]])

    fitted = External(Columns(), encode=False).fit("y ~ x + f", data())
    assert fitted.estimator.seen_ == ["x", "f"]


def test_classes_and_their_probabilities() -> None:
    learner = as_learner(LogisticRegression(C=10.0))
    fitted = learner.fit("c ~ z + x", data())
    prob = fitted.predict_proba(data())
    assert prob.shape == (60, 3)
    plain = LogisticRegression(C=10.0).fit(data()[["z", "x"]].to_numpy(), data().c.cat.codes)
    np.testing.assert_allclose(prob, plain.predict_proba(data()[["z", "x"]].to_numpy()), rtol=1e-9)
    assert set(fitted.predict(data())) <= {"hi", "lo", "mid"}
    assert as_learner(SVC()).prepare(Task.build("c ~ x", data())).predict(TRAIN, NEW).prob is None
    with pytest.raises(InputError, match="no class probabilities"):
        as_learner(SVC()).fit("c ~ x", data()).predict_proba(data())


def test_a_class_that_the_training_rows_lack() -> None:
    task = Task.build("c ~ x", data())
    train = np.flatnonzero(data().c != "lo")
    made = as_learner(KNeighborsClassifier(3)).prepare(task).predict(train, NEW)
    assert (made.prob[0][:, 1] == 0).all()
    np.testing.assert_allclose(made.prob[0].sum(axis=1), 1)
    assert set(made.values[0]) <= {0.0, 2.0}


@pytest.mark.parametrize("estimator", [RandomForestRegressor(5), RandomForestClassifier(5)])
def test_random_states_depend_on_the_training_rows_only(estimator) -> None:
    response = "c" if isinstance(estimator, RandomForestClassifier) else "y"
    task = Task.build(f"{response} ~ x + z", data())
    prepared = as_learner(estimator).prepare(task)
    first, again = (prepared.predict(TRAIN, NEW).values.tolist() for _ in range(2))
    assert first == again
    fixed = type(estimator)(5, random_state=7)
    x = data()[["x", "z"]].to_numpy()
    direct = type(estimator)(5, random_state=7).fit(x[TRAIN], task.response.values[TRAIN])
    ours = as_learner(fixed).prepare(task).predict(TRAIN, NEW).values[0]
    assert ours.tolist() == direct.predict(x[NEW]).tolist()


def test_the_given_estimator_is_never_fitted() -> None:
    estimator = LinearRegression()
    as_learner(estimator).fit("y ~ x", data())
    assert not hasattr(estimator, "coef_")


def test_weights_reach_the_last_step() -> None:
    pipeline = make_pipeline(StandardScaler(), LinearRegression())
    from pycvstat.learners.ols import WLS

    np.testing.assert_allclose(
        predicted(pipeline, "y ~ x + z", weights="w"),
        predicted(WLS(), "y ~ x + z", weights="w"),
        rtol=1e-10,
    )
    with pytest.raises(InputError, match="cannot use weights"):
        predicted(KNeighborsClassifier(), "c ~ x", weights="w")


def test_roles_are_checked() -> None:
    with pytest.raises(InputError, match="predicts classes, and the response is continuous"):
        predicted(LogisticRegression(), "y ~ x")
    with pytest.raises(InputError, match="predicts numbers, and the response is nominal"):
        predicted(LinearRegression(), "c ~ x")
    with pytest.raises(InputError, match="knows no offset"):
        predicted(LinearRegression(), "y ~ x + offset(z)")
    with pytest.raises(InputError, match="write LinearRegression"):
        as_learner(LinearRegression)
    with pytest.raises(InputError, match="not a learner"):
        as_learner("ols")


class Breaks:
    """An estimator that fails in a way of its own."""

    def __init__(self, how: str) -> None:
        self.how = how

    def fit(self, X, y):
        if self.how == "fit":
            raise RuntimeError("too few rows\nand more")
        return self

    def predict(self, X):
        if self.how == "predict":
            raise KeyError("lost")
        return {
            "shape": np.zeros(len(X) + 1),
            "words": ["a"] * len(X),
            "column": np.zeros((len(X), 1)),
            "class": np.full(len(X), 7.0),
        }[self.how]


@pytest.mark.parametrize(
    ("how", "text", "words"),
    [
        ("fit", "y ~ x", "RuntimeError: too few rows"),
        ("predict", "y ~ x", "KeyError: 'lost'"),
        ("shape", "y ~ x", "shape (21,) for 20 rows"),
        ("words", "y ~ x", "did not return numbers"),
        ("class", "c ~ x", "did not return class codes"),
    ],
)
def test_failures_are_told_in_our_words(how: str, text: str, words: str) -> None:
    with pytest.raises(FitError) as caught:
        predicted(Breaks(how), text)
    assert words in str(caught.value)
    assert "Breaks" in str(caught.value)


class Shaped(Breaks):
    """One whose probabilities have a shape of their own."""

    def predict(self, X):
        return np.zeros(len(X))

    def predict_proba(self, X):
        m = len(X)
        shapes = {"two": (m, 2), "one": (m, 1), "five": (m, 5), "fewer": (m - 1, 3), "flat": (m,)}
        return np.ones(shapes[self.how])


@pytest.mark.parametrize("loss", ["zero_one", "brier"])
@pytest.mark.parametrize("how", ["two", "one", "five", "fewer", "flat"])
def test_probabilities_of_the_wrong_shape_are_refused(how: str, loss: str) -> None:
    with pytest.raises(FitError, match=r"fold 1 of 3.*Shaped returned probabilities of the wrong"):
        pcv.cross_validate(Shaped(how), "c ~ x", data(), folds=pcv.Blocks(3), loss=loss)


def test_a_column_of_predictions_is_a_vector() -> None:
    assert predicted(Breaks("column"), "y ~ x").shape == (20,)


def quantile_fit(X, y, share=0.5):
    return np.quantile(y, share)


def quantile_predict(model, X):
    return np.full(len(X), model)


def test_functions() -> None:
    learner = FromFunctions(quantile_fit, quantile_predict)
    assert learner.name == "quantile_fit"
    assert learner.params() == {"share": 0.5}
    task = Task.build("y ~ x", data())
    grid = [{"share": 0.0}, {"share": 1.0}]
    values = learner.prepare(task, grid).predict(TRAIN, NEW).values
    assert values[:, 0].tolist() == [data().y[:40].min(), data().y[:40].max()]
    with pytest.raises(InputError, match="did you mean 'share'"):
        learner.prepare(task, [{"shares": 0.2}])
    with pytest.raises(InputError, match="must be a function"):
        FromFunctions(quantile_fit, 3)


class Constant:
    """Not of scikit-learn, with something that is no parameter."""

    def __init__(self) -> None:
        self.value: Any = 0.0

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def set_params(self, **params: Any) -> Constant:
        return self

    def fit(self, X: Any, y: Any) -> Constant:
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.value)


def test_copies_do_not_depend_on_what_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    estimator = Constant()
    estimator.value = 7.0
    with_it = as_learner(estimator).fresh(1).value
    monkeypatch.delitem(sys.modules, "sklearn.base")
    assert as_learner(estimator).fresh(1).value == with_it == 7.0


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeRegressor(max_depth=np.int64(3)),
        TheirLasso(random_state=4),
        make_pipeline(StandardScaler(), TheirLasso()),
        TheirLasso().fit(np.ones((3, 1)), [1.0, 2.0, 3.0]),
    ],
    ids=["tree", "seeded", "pipeline", "fitted"],
)
def test_a_copy_is_a_clone_with_its_random_states_set(estimator: Any) -> None:
    learner, cloned = as_learner(estimator), clone(estimator)
    unset = [n for n, v in cloned.get_params().items() if n.endswith("random_state") and v is None]
    cloned.set_params(**dict.fromkeys(unset, 7))
    first, second = learner.fresh(7), learner.fresh(7)
    first.fit(np.arange(6.0)[:, None], np.arange(6.0))
    for copied in (second, learner.fresh(7)):
        assert type(copied) is type(cloned)
        assert repr(vars(copied)) == repr(vars(cloned))


def test_a_learner_is_read_anew_for_every_call() -> None:
    X, y = np.arange(20.0)[:, None], np.arange(20.0) ** 2
    learner = External(TheirLasso(alpha=1.0))

    def estimates(used: Any) -> list[float]:
        task, rows = Task.build(X=X, y=y), np.arange(20)
        fitted = used.prepare(task).predict(rows[:15], rows[15:]).values[0]
        found = pcv.cross_validate(used, X=X, y=y, folds=pcv.Blocks(4))
        return [found.estimate, *fitted, *used.fit(X=X, y=y).predict({"x1": [3.0]})]

    before = estimates(learner)
    learner.estimator.set_params(alpha=50.0)
    assert estimates(learner) == estimates(External(TheirLasso(alpha=50.0))) != before


def test_a_pipeline_whose_steps_have_changed_takes_weights_still() -> None:
    pipeline = make_pipeline(StandardScaler(), SGDRegressor())
    learner = External(pipeline)
    first = predicted(learner, "y ~ x", weights="w")
    pipeline.steps[-1] = ("line", LinearRegression())
    then = predicted(learner, "y ~ x", weights="w")
    assert then.tolist() == predicted(pipeline, "y ~ x", weights="w").tolist() != first.tolist()


def test_what_cannot_be_copied_is_named() -> None:
    estimator = Constant()
    estimator.value = (step for step in range(3))
    with pytest.raises(InputError, match="Constant cannot be copied"):
        as_learner(estimator).fresh(1)


class Grows:
    """An estimator that counts its fits in its class."""

    fits = 0

    def fit(self, X: Any, y: Any) -> Grows:
        type(self).fits += 1
        self.mean = y.mean() + self.fits
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean)


GENERATOR = np.random.default_rng(1)


def from_a_generator(X: Any, y: Any) -> Any:
    return GENERATOR.normal()


def from_a_default(X: Any, y: Any, kept: list[int] = []) -> Any:  # noqa: B006
    kept.append(1)
    return float(len(kept))


def from_nowhere(X: Any, y: Any) -> Any:
    return np.random.default_rng().normal()


def from_numpy(X: Any, y: Any) -> Any:
    return np.random.normal()


def constant(fit: Any, **settings: Any) -> pcv.FromFunctions:
    return pcv.FromFunctions(fit, lambda m, X: np.full(len(X), m), **settings)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("fit", [from_a_generator, from_a_default, from_nowhere, Grows])
def test_a_learner_that_keeps_something_from_fit_to_fit_is_refused(
    fit: Any, n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKERS", "new")  # or two of different pasts may agree by chance
    how: Any = {"folds": pcv.KFold(4, random=1), "n_jobs": n_jobs}
    learner = Grows() if fit is Grows else constant(fit)
    work = ("mpg ~ wt", pcv.data.mtcars())
    with pytest.raises(FitError, match=r"1 of 4.*something else.*to the same rows") as caught:
        pcv.cross_validate(learner, *work, **how)
    assert ", then " in str(caught.value)
    assert "check_state=False" in str(caught.value.fix)
    with pytest.raises(FitError, match="something else"):
        pcv.nested_cv(learner, *work, grid=[{}], outer=how["folds"], inner=3, n_jobs=n_jobs)
    unchecked = (
        pcv.External(learner, check_state=False)
        if fit is Grows
        else constant(fit, check_state=False)
    )
    pcv.cross_validate(unchecked, *work, **how)


class Tires(Grows):
    """An estimator that predicts something else from its fourth fit on, wherever that is."""

    fits = 0

    def fit(self, X: Any, y: Any) -> Tires:
        if inside_worker():
            time.sleep(0.05)  # both are to get some fits
        super().fit(X, y)
        self.mean = y.mean() + 100.0 * (self.fits > 3)
        return self


@pytest.mark.parametrize(
    ("procedure", "more", "n_jobs"),
    [
        (pcv.cross_validate, {}, 1),
        (pcv.cross_validate, {}, 2),
        (pcv.error_curve, {"grid": [{}]}, 1),
        (pcv.learning_curve, {"sizes": [0.5]}, 1),
    ],
)
def test_what_shows_only_after_some_fits_is_refused(
    procedure: Any, more: dict[str, Any], n_jobs: int
) -> None:
    Tires.fits = 0  # in this process; others are asked once
    with pytest.raises(FitError, match=r"fold 1 of 32.*something else .* after all other fits"):
        procedure(
            Tires(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.LeaveOneOut(), n_jobs=n_jobs, **more
        )


def test_the_check_of_state_costs_one_fit_and_changes_nothing() -> None:
    fits: list[int] = []

    def counted(X: Any, y: Any) -> Any:
        fits.append(len(y))
        return np.random.normal()

    def losses(check: bool) -> Any:
        fits.clear()
        learner = constant(counted, check_state=check)
        data, folds = pcv.data.mtcars(), pcv.KFold(4, random=1)
        return pcv.cross_validate(learner, "mpg ~ wt", data, folds=folds).table.losses.tobytes()

    assert losses(True) == losses(False)
    assert len(fits) == 4
    losses(True)
    assert len(fits) == 5


def test_all_of_a_foreign_error_is_kept(tmp_path: Path) -> None:
    from sklearn.linear_model import Lasso
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(Lasso(), {"alpha": [-1, -2, -3]}, cv=3)
    told = []
    for n_jobs in (1, 2):
        with pytest.raises(FitError) as caught:
            pcv.cross_validate(
                search, "mpg ~ wt", pcv.data.mtcars(), folds=pcv.KFold(4, random=1), n_jobs=n_jobs
            )
        assert "The 'alpha' parameter of Lasso must be" in str(caught.value.given)
        assert isinstance(caught.value.__cause__, ValueError)
        assert "All the 9 fits failed." in str(caught.value.__cause__)
        told.append(str(caught.value.__cause__))
    assert told[0] == told[1]
    assert "model_selection" in caught.value.__cause__.__notes__[0]  # type: ignore[union-attr]


def test_failures_that_count_as_nan_say_why() -> None:
    def broken(X: Any, y: Any) -> Any:
        raise ValueError("\nit is singular\nsee the manual")

    with pytest.warns(PycvstatWarning, match="broken failed to fit. ValueError: it is singular"):
        result = pcv.cross_validate(
            constant(broken),
            "mpg ~ wt",
            pcv.data.mtcars(),
            folds=pcv.KFold(4, random=1),
            on_error="warn",
        )
    assert result.failures[0].reason == "broken failed to fit. ValueError: it is singular"


def test_columns_are_as_they_are_for_a_kind_of_column_transformer():
    from sklearn.compose import ColumnTransformer

    class Ours(ColumnTransformer):
        pass

    steps = Ours([("x", "passthrough", ["x"])])
    assert External(make_pipeline(steps, TheirLasso())).sees_frames
    assert not External(make_pipeline(StandardScaler(), TheirLasso())).sees_frames


@pytest.mark.parametrize("step", ["fit", "predict"])
def test_ctrl_c_in_code_compiled_by_numba_is_no_failed_fit(step: str) -> None:
    class Interrupted(Constant):
        def _stop(self, *_: Any) -> Any:
            try:
                raise SystemError("a result with an exception set") from KeyboardInterrupt()
            except SystemError as error:
                raise SystemError("a result with an exception set") from error

    setattr(Interrupted, step, Interrupted._stop)
    data = pcv.data.waves(20, random=1)
    with pytest.raises(KeyboardInterrupt):
        pcv.cross_validate(Interrupted(), "y ~ .", data, folds=pcv.KFold(5), on_error="warn")
