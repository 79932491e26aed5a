"""What every learner on a design matrix must do."""

from __future__ import annotations

import pickle
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor

import pycvstat as pcv
from pycvstat.data.task import Task
from pycvstat.errors import DataError, FitError, InputError, PycvstatWarning
from pycvstat.learners import as_learner
from pycvstat.learners.external.learner import FromFunctions
from pycvstat.learners.glm import GLM, Logit
from pycvstat.learners.multinomial import MNLogit
from pycvstat.learners.ols import OLS, WLS, Mean
from pycvstat.learners.penalised import ElasticNet, Lasso, Ridge
from pycvstat.learners.quantile import QuantReg
from pycvstat.learners.robust import RLM
from pycvstat.r.bridge import run

SAME = 1e-12
"""The same fit reached through the same code."""

NUMERIC = [
    OLS(),
    GLM(),
    GLM("gamma", "log"),
    RLM(),
    RLM("hampel"),
    QuantReg(0.37),
    Ridge(0.1),
    Lasso(0.1),
    ElasticNet(0.1, 0.4),
    Mean(),
]
CLASSES = [GLM("binomial"), Logit(), MNLogit(), Mean()]
WEIGHTED = [WLS(), GLM("gamma", "log"), Ridge(0.1), Lasso(0.1), QuantReg(0.51), Mean()]


def data(n: int = 60, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    made = pd.DataFrame({"x": rng.normal(size=n), "z": rng.uniform(1, 2, n)})
    made["f"] = rng.choice(["a", "b", "c"], n)
    made["y"] = 5 + made.x - made.z + rng.normal(size=n) * 0.3
    made["two"] = pd.Categorical(np.where(made.x + rng.normal(size=n) > 0, "yes", "no"))
    made["w"] = rng.integers(0, 3, n).astype(float)
    return made


def ids(learner: object) -> str:
    return repr(learner)


@pytest.mark.parametrize("learner", NUMERIC + CLASSES, ids=ids)
def test_prepared_fits_are_fits_on_the_training_rows(learner) -> None:
    response = "two" if learner in CLASSES[:3] else "y"
    text = f"{response} ~ x + f + poly(z, 2)"
    frame = data()
    train, new = np.arange(0, 60, 2), np.arange(1, 60, 2)
    made = learner.prepare(Task.build(text, frame)).predict(train, new)
    fitted = learner.fit(text, frame.iloc[train])
    if response == "two":
        expected = fitted.predict_proba(frame.iloc[new])
        np.testing.assert_allclose(made.prob[0], expected, rtol=SAME)
        labels = np.array(["no", "yes"], dtype=object)[made.values[0].astype(int)]
        assert labels.tolist() == fitted.predict(frame.iloc[new]).tolist()
    else:
        np.testing.assert_allclose(made.values[0], fitted.predict(frame.iloc[new]), rtol=SAME)


@pytest.mark.parametrize(
    ("learner", "candidates"),
    [
        (Ridge(), [{"lam": 0.1}, {"lam": 2.0}, {"lam": 0.1, "standardize": False}]),
        (ElasticNet(), [{"alpha": 0.0}, {"alpha": 1.0, "lam": 0.3}, {"standardize": False}]),
        (QuantReg(), [{"tau": 0.1}, {"tau": 0.9}]),
        (GLM(), [{"link": "log"}, {"family": "gamma"}]),
        (RLM(), [{"norm": "bisquare"}, {"tuning": 2.0}]),
    ],
    ids=ids,
)
def test_candidates_are_learners_with_these_parameters(learner, candidates) -> None:
    task = Task.build("y ~ x + z", data())
    train, new = np.arange(40), np.arange(40, 60)
    together = learner.prepare(task, candidates).predict(train, new).values
    some = learner.prepare(task, candidates).predict(train, new, which=[1]).values
    np.testing.assert_allclose(some[0], together[1], rtol=SAME)
    for params, values in zip(candidates, together, strict=True):
        alone = learner.with_params(**params).prepare(task).predict(train, new).values[0]
        np.testing.assert_allclose(values, alone, rtol=1e-9)  # warm starts of the lasso


@pytest.mark.parametrize("learner", WEIGHTED, ids=ids)
def test_rows_of_weight_0_play_no_part(learner) -> None:
    frame = data()
    text = "y ~ x + z"
    wild = frame.assign(y=np.where(frame.w == 0, 1e3, frame.y))
    kept = frame[frame.w > 0]
    ours = learner.fit(text, wild, weights="w").predict(frame)
    np.testing.assert_allclose(ours, learner.fit(text, kept, weights="w").predict(frame), rtol=1e-9)


@pytest.mark.parametrize("learner", [WLS(), GLM("gamma", "log"), Mean()], ids=ids)
def test_whole_weights_are_repetitions(learner) -> None:
    frame = data()
    repeated = frame.loc[frame.index.repeat(frame.w.astype(int))]
    ours = learner.fit("y ~ x + z", frame, weights="w").predict(frame)
    plain = OLS() if isinstance(learner, WLS) else learner
    np.testing.assert_allclose(ours, plain.fit("y ~ x + z", repeated).predict(frame), rtol=1e-7)


@pytest.mark.parametrize(
    "learner", [OLS(), pcv.KNN(k=3), pcv.Tuned(pcv.KNN(), {"k": [1, 3]}, inner=3),
                KNeighborsRegressor(), FromFunctions(lambda X, y: 0, lambda model, X: model)],
    ids=lambda learner: type(learner).__name__,
)  # fmt: skip
def test_learners_without_weights_refuse_them(learner) -> None:
    frame = data().drop(columns="f")
    with pytest.raises(InputError, match="cannot use weights") as caught:
        pcv.cross_validate(learner, "y ~ x", frame, folds=pcv.KFold(3, random=1), weights="w")
    assert "fold" not in caught.value.problem
    with pytest.raises(InputError, match="cannot use weights"):
        as_learner(learner).fit("y ~ x", frame, weights="w")


@pytest.mark.parametrize(
    "learner", [pcv.KNN(k=3), Logit(), MNLogit(), Mean(), GaussianNB(), OLS()], ids=ids
)
def test_words_are_classes(learner) -> None:
    """As words, as categories, and called a factor: the same classes, the same losses."""
    frame = data().assign(word=lambda d: d.two.astype(object))
    if learner == OLS():
        with pytest.raises(InputError, match="OLS cannot predict a nominal response"):
            pcv.cross_validate(learner, "word ~ x", frame, folds=3)
        return
    results = [
        pcv.cross_validate(learner, f"{y} ~ x", frame, folds=pcv.Blocks(3))
        for y in ("two", "factor(word)", "word")
    ]
    assert {result.loss for result in results} == {"zero_one"}
    assert len({result.estimate for result in results}) == 1
    assert "classes no and yes, event yes" in results[2].summary()


@pytest.mark.parametrize(
    "learner", [MNLogit(), GaussianNB(), pcv.Tuned(MNLogit(), {"tol": [1e-6]}, 3)]
)
def test_a_response_of_0_and_1_is_two_classes_for_learners_of_classes(learner) -> None:
    frame = data().assign(event=lambda d: (d.two == "yes") * 1)
    result = pcv.cross_validate(learner, "event ~ x", frame, folds=pcv.Blocks(3))
    named = pcv.cross_validate(learner, "two ~ x", frame, folds=pcv.Blocks(3))
    assert (result.loss, result.estimate) == ("zero_one", named.estimate)
    assert "classes 0 and 1, event 1" in result.summary()
    both = pcv.compare({"a": learner, "b": pcv.KNN()}, "event ~ x", frame, folds=pcv.Blocks(3))
    assert both.loss == "zero_one"
    alone = pcv.cross_validate(pcv.KNN(), "event ~ x", frame, folds=pcv.Blocks(3))
    assert alone.loss == "squared"


class Hungry(RLM):
    """A regression of more than there is memory for."""

    def solve(self, sample):
        np.empty(2**52)


@pytest.mark.parametrize("learner", [Hungry(), FromFunctions(lambda X, y: np.empty(2**52), max)])
def test_what_the_memory_does_not_suffice_for_is_said(learner) -> None:
    work, folds = ("y ~ x", data()), pcv.Blocks(3)
    calls = [
        (lambda: pcv.cross_validate(learner, *work, folds=folds), "fold 1 of 3, 40 training rows"),
        (lambda: pcv.cross_validate(learner, *work, folds=folds, n_jobs=2), "fold 1 of 3, 40"),
        (lambda: pcv.compare({"a": OLS(), "b": learner}, *work, folds=folds), "fold 1 of 3, 40"),
        (lambda: pcv.nested_cv(learner, *work, grid=[{}], outer=folds, inner=3), "inner fold 1"),
        (lambda: pcv.learning_curve(learner, *work, folds=folds, sizes=[0.5]), "20 training rows"),
        (lambda: learner.fit(*work), ""),
    ]
    for call, place in calls:
        with pytest.raises(FitError, match=r"Unable to allocate 32.0 PiB") as caught:
            call()
        assert place in str(caught.value)
        assert "fewer columns" in str(caught.value.fix)


def test_a_closed_form_that_takes_too_much_memory_is_left_for_single_fits(monkeypatch) -> None:
    whole = pcv.cross_validate(OLS(), "y ~ x", data(), folds=pcv.Blocks(3)).estimate
    monkeypatch.setattr(type(OLS().prepare(Task.build("y ~ x", data()))), "predict_plan",
                        lambda self, plan: np.empty(2**52))  # fmt: skip
    alone = pcv.cross_validate(OLS(), "y ~ x", data(), folds=pcv.Blocks(3)).estimate
    np.testing.assert_allclose(alone, whole, rtol=SAME)
    fitted = OLS().fit("y ~ x", data())
    monkeypatch.setattr(type(fitted), "answers", lambda self, new, na: np.empty(2**52))
    with pytest.raises(FitError, match=r"(?s)memory does not suffice.*predict.*32.0 PiB"):
        fitted.predict(data())


@pytest.mark.parametrize("learner", [pcv.Logit(), pcv.GLM("binomial"), pcv.KNN(), smf.logit])
def test_zeros_and_ones_that_are_numbers_are_said_to_be(learner, tmp_path) -> None:
    frame = data().assign(event=lambda d: (d.two == "yes") * 1)
    result = pcv.cross_validate(learner, "event ~ x", frame, folds=pcv.Blocks(3))
    numbers = "0 and 1 as numbers, factor(event) for classes"
    shown = " ".join(result.summary().split())
    assert f"{numbers} · squared error (of probabilities: the Brier score)" in shown
    sentence = "zeros and ones of event are numbers, so squared error is the Brier score where"
    written = result.report(tmp_path / "a.md").read_text()
    assert len(re.findall(sentence, written)) == 2  # among the data, and in the methods
    as_advised = pcv.cross_validate(learner, "factor(event) ~ x", frame, folds=pcv.Blocks(3))
    assert as_advised.loss == "zero_one"
    assert "as numbers" not in as_advised.summary()
    other = pcv.cross_validate(pcv.OLS(), "y ~ x", frame, folds=pcv.Blocks(3))
    assert "as numbers" not in other.summary()


def test_words_among_numbers_are_no_classes() -> None:
    frame = data().assign(wage=[*map(str, range(len(data()) - 1)), "k.A."])
    with pytest.raises(DataError, match="words among its numbers"):
        pcv.cross_validate(pcv.KNN(3), "wage ~ x", frame, folds=3)


@pytest.mark.parametrize("learner", NUMERIC, ids=ids)
def test_rows_with_missing_predictors_are_nan_or_refused(learner) -> None:
    fitted = learner.fit("y ~ x + f", data())
    new = {"x": [0.5, None, 1.0, float("inf")], "f": ["a", "b", None, "b"]}
    with pytest.warns(PycvstatWarning, match="3 of 4 rows have missing or infinite"):
        predicted = fitted.predict(new)
    assert np.isnan(predicted).tolist() == [False, True, True, True]
    assert predicted[0] == fitted.predict({"x": [0.5], "f": ["a"]})[0]
    with pytest.raises(DataError, match=r"(?s)3 of 4 rows.*is row 2 \(counted from 1\)"):
        fitted.predict(new, na="raise")
    with pytest.raises(InputError, match="na must be"):
        fitted.predict(new, na="omit")


def test_predictions_out_of_range_are_in_rows_of_the_new_data() -> None:
    fitted = pcv.GLM("poisson").fit("y ~ x", {"x": [0.0, 1.0, 2.0, 3.0], "y": [1, 3, 7, 20]})
    new = {"x": [None, 1.0, 1e6]}
    with (
        pytest.warns(PycvstatWarning, match="1 of 3 rows"),
        pytest.raises(FitError, match=r"(?s)1 of 3 rows, .*is row 3 \(counted from 1\)"),
    ):
        fitted.predict(new)


def test_a_missing_offset_is_a_missing_predictor() -> None:
    fitted = OLS().fit("y ~ x + offset(z)", data())
    with pytest.warns(PycvstatWarning, match="1 of 2 rows"):
        predicted = fitted.predict({"x": [0.0, 0.0], "z": [1.0, None]})
    assert np.isnan(predicted).tolist() == [False, True]


@pytest.mark.parametrize("learner", CLASSES, ids=ids)
def test_classes_of_rows_with_missing_predictors_are_none(learner) -> None:
    fitted = learner.fit("two ~ x", data())
    with pytest.warns(PycvstatWarning):
        assert fitted.predict({"x": [0.5, None]}).tolist()[1] is None
    with pytest.warns(PycvstatWarning):
        prob = fitted.predict_proba({"x": [0.5, None]})
    assert prob[0].sum() == pytest.approx(1)
    assert np.isnan(prob[1]).all()


def test_unseen_levels_and_missing_columns() -> None:
    fitted = OLS().fit("y ~ x + f", data())
    with pytest.raises(DataError, match="Column 'f' has a level not seen before: 'q'"):
        fitted.predict({"x": [1.0], "f": ["q"]})
    with pytest.raises(DataError, match="no column 'f'"):
        fitted.predict({"x": [1.0]})


@pytest.mark.parametrize("learner", NUMERIC[:-1], ids=ids)
def test_numeric_learners_refuse_classes(learner) -> None:
    with pytest.raises(InputError, match="response"):
        learner.prepare(Task.build("two ~ x", data()))


def test_learners_of_classes_refuse_numbers_and_too_many_classes() -> None:
    frame = data()
    with pytest.raises(InputError, match="MNLogit cannot predict a continuous response"):
        MNLogit().fit("y ~ x", frame)
    with pytest.raises(InputError, match="needs two classes"):
        Logit().fit("factor(f) ~ x", frame)
    with pytest.raises(InputError, match="poisson family needs a numeric response"):
        GLM("poisson").fit("two ~ x", frame)
    with pytest.raises(InputError, match="needs two classes"):
        Logit().fit("one ~ x", frame.assign(one=pd.Categorical(["k"] * 60)))


def test_offsets_weights_and_intercepts_that_a_learner_cannot_use() -> None:
    frame = data()
    for learner in (RLM(), QuantReg(), Ridge(), MNLogit()):
        response = "two" if isinstance(learner, MNLogit) else "y"
        with pytest.raises(InputError, match="knows no offset"):
            learner.fit(f"{response} ~ x + offset(z)", frame)
    for text in ("y ~ x - 1", "y ~ 1"):
        with pytest.raises(InputError, match="needs an intercept"):
            Lasso().fit(text, frame)
    with pytest.raises(InputError, match="WLS needs weights"):
        WLS().fit("y ~ x", frame)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Ridge(-1.0),
        lambda: Ridge(float("nan")),
        lambda: Lasso("1"),
        lambda: ElasticNet(1.0, 1.5),
        lambda: Lasso(1.0, standardize="yes"),
        lambda: QuantReg(1.0),
        lambda: QuantReg("0.5"),
        lambda: RLM("tukey"),
        lambda: RLM("hampel", tuning=2.0),
        lambda: RLM(maxiter=0),
        lambda: RLM(np.zeros(2)),
        lambda: RLM(tol=None),
        lambda: RLM(tol="small"),
        lambda: RLM(tuning="a"),
        lambda: OLS().fit("y ~ x + f", data()).tidy(level=None),
        lambda: OLS().fit("y ~ x + f", data()).tidy(level="0.95"),
        lambda: OLS().fit("y ~ x + f", data()).predict(data(), na=np.zeros(2)),
        lambda: OLS().with_params(self=1.0),
        lambda: GLM("binom"),
        lambda: GLM("poisson", "clog"),
        lambda: GLM("poisson", alpha=1.0),
        lambda: GLM("gamma", var_power=1.5),
        lambda: GLM("tweedie", var_power=2),
        lambda: GLM("tweedie", var_power="a"),
        lambda: GLM("negative_binomial", alpha="ML"),
        lambda: GLM("negative_binomial", alpha=-1.0),
        lambda: OLS().with_params(lam=1.0),
        lambda: Ridge().with_params(lambda_=1.0),
    ],
)
def test_parameters_that_mean_nothing_are_refused(make) -> None:
    with pytest.raises(InputError):
        make()


def test_parameters_come_back() -> None:
    assert ElasticNet(2.0, 0.1).params() == {"lam": 2.0, "alpha": 0.1, "standardize": True}
    assert ElasticNet().with_params(lam=3.0) == ElasticNet(3.0)
    assert Logit().params() == {"tol": 1e-8, "maxiter": 25}
    with pytest.raises(InputError, match="did you mean 'lam'"):
        Ridge().with_params(lamb=1.0)


@pytest.mark.parametrize("learner", NUMERIC, ids=ids)
def test_learners_and_prepared_tasks_travel_to_workers(learner) -> None:
    prepared = learner.prepare(Task.build("y ~ x + f", data()))
    copied = pickle.loads(pickle.dumps(prepared))
    train, new = np.arange(30), np.arange(30, 60)
    assert (
        copied.predict(train, new).values.tolist() == prepared.predict(train, new).values.tolist()
    )


@pytest.mark.parametrize(
    ("learner", "refuses"), [(OLS(), ""), (RLM(), "MASS::rlm"), (QuantReg(), "quantreg::rq")]
)
def test_what_r_does_with_columns_that_others_span(learner, refuses) -> None:
    frame = data().assign(v=lambda d: np.where(d.index < 50, 2 * d.x, 3 * d.x))
    fitted = learner.fit("y ~ x + v", frame.iloc[:50])
    with pytest.warns(PycvstatWarning, match="on which 10 predictions depend") as told:
        fitted.predict(frame)
    said = str(told[0].message)
    assert "by the rule of R's lm they are left out" in said
    assert (f"where {refuses} refuses such a fit" in said) == bool(refuses)
    assert "stops with an error" not in said


def test_covariances_that_cannot_be_made_are_refused() -> None:
    with pytest.raises(InputError, match="did you mean 'HC3'"):
        OLS(cov_type="HC9")
    with pytest.raises(InputError, match="cov_type='cluster' needs groups"):
        OLS(cov_type="cluster")
    with pytest.raises(InputError, match="cov_kwds must be a mapping"):
        WLS(cov_type="cluster", cov_kwds="g")
    fitted = OLS("hac-panel", {"maxlags": 1}).fit("y ~ x", data())
    with pytest.raises(FitError, match="statsmodels does not make this covariance"):
        fitted.tidy()


def test_levels_that_a_fold_lacks() -> None:
    frame = data().assign(f=["a"] * 30 + ["b"] * 29 + ["c"])
    task = Task.build("y ~ x + f", frame)
    train, new = np.arange(59), np.array([58, 59])
    with pytest.warns(PycvstatWarning, match="do not determine the coefficients of fc, on which 1"):
        made = OLS().prepare(task).predict(train, new)
    with pytest.warns(
        PycvstatWarning, match=r"R stops with an error \(factor f has new levels c\)"
    ):
        OLS().prepare(task).predict(train, new)
    # as R's predict(lm(..., xlev frozen)): the coefficient is NA and plays no part
    plain = OLS().fit("y ~ x + f", frame.iloc[train]).coefficients
    assert made.values[0][1] == pytest.approx(
        plain["(Intercept)"] + plain["x"] * frame.x.iloc[59], rel=SAME
    )
    assert made.detail[0].aliased == ("fc",)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing to say where no prediction depends on it
        OLS().prepare(task).predict(train, np.array([58]))


def test_aliased_columns_have_no_coefficient() -> None:
    frame = data().assign(twice=lambda d: 2 * d.x)
    fitted = OLS().fit("y ~ twice + x + z", frame)
    assert fitted.report.aliased == ("x",)
    table = fitted.tidy().set_index("term")
    assert table.loc["x"].isna().all()
    assert not table.drop("x").isna().any(axis=None)
    with pytest.warns(PycvstatWarning, match="coefficients of x"):
        fitted.predict({"x": [1.0], "twice": [5.0], "z": [1.0]})


def test_nearly_aliased_columns_are_kept_by_glm_and_left_out_by_lm() -> None:
    """R's tolerances: 1e-7 for lm, 1e-11 for glm."""
    frame = data().assign(near=lambda d: d.x + 1e-8 * d.z**3)
    assert OLS().fit("y ~ x + near", frame).report.aliased == ("near",)
    assert GLM().fit("y ~ x + near", frame).report.aliased == ()


def test_separated_classes_are_warned_about() -> None:
    frame = {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "y": ["a", "a", "a", "b", "b", "b"]}
    for learner in (Logit(), MNLogit()):
        with pytest.warns(PycvstatWarning, match="numerically 0 or 1"):
            fitted = learner.fit("factor(y) ~ x", frame)
        assert fitted.report.notes
        with pytest.warns(PycvstatWarning, match="numerically 0 or 1"):
            learner.prepare(Task.build("factor(y) ~ x", frame)).predict(np.arange(6), np.array([0]))


def test_responses_outside_a_family_name_the_values() -> None:
    with pytest.raises(FitError) as caught:
        GLM("gamma").fit("y ~ x", {"x": [1, 2, 3], "y": [1.0, 0.0, 2.0]})
    assert "does not fit the gamma family" in caught.value.problem
    assert caught.value.given == "values from 0 to 2"


def test_no_training_rows() -> None:
    prepared = OLS().prepare(Task.build("y ~ x", data()))
    with pytest.raises(FitError, match="no training rows"):
        prepared.predict(np.array([], dtype=int), np.array([0]))


def test_tables_have_one_row_per_coefficient() -> None:
    columns = ["term", "estimate", "std_error", "statistic", "p_value", "conf_low", "conf_high"]
    for learner in [*NUMERIC, WLS()]:
        table = learner.fit("y ~ x + f", data(), weights=None if learner != WLS() else "w").tidy()
        assert list(table.columns) == columns
        rows = 1 if learner == Mean() else 4
        assert len(table) == rows
    narrow, wide = (OLS().fit("y ~ x", data()).tidy(level) for level in (0.5, 0.99))
    assert (narrow.conf_low > wide.conf_low).all()
    with pytest.raises(InputError, match="level"):
        OLS().fit("y ~ x", data()).tidy(95)


def test_mean_of_numbers_and_classes() -> None:
    frame = {"y": [1.0, 2.0, 6.0], "c": pd.Categorical(["b", "a", "b"]), "w": [1.0, 0.0, 1.0]}
    assert Mean().fit("y ~ 1", frame, weights="w").predict({"y": [0.0]}).tolist() == [3.5]
    table = Mean().fit("y ~ 1", frame).tidy()
    plain = OLS().fit("y ~ 1", frame).tidy()
    pd.testing.assert_frame_equal(table, plain)
    weighted = Mean().fit("c ~ y", frame | {"w": [1.0, 3.0, 1.0]}, weights="w")
    assert weighted.predict({"y": [0.0]}).tolist() == ["a"]
    fitted = Mean().fit("c ~ y", frame)
    assert fitted.predict({"y": [0.0]}).tolist() == ["b"]
    assert fitted.predict_proba({"y": [0.0]}).tolist() == [[1 / 3, 2 / 3]]


def test_gcv_of_ridge_is_that_of_its_fits() -> None:
    data, lam = pcv.data.mtcars(), np.array([0.0, 0.1, 2.0])
    found = Ridge().gcv("mpg ~ wt + hp + factor(cyl)", data, lam=lam)
    y, X = data["mpg"].to_numpy(), Task.build("mpg ~ wt + hp + factor(cyl)", data).design().X[:, 1:]
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for value, gcv in found.itertuples(index=False):
        fit = Ridge(lam=value).fit("mpg ~ wt + hp + factor(cyl)", data)
        penalty = len(y) * value / y.std() * np.eye(Z.shape[1])
        df = 1 + np.trace(Z @ np.linalg.solve(Z.T @ Z + penalty, Z.T))
        rss = ((y - fit.predict(data)) ** 2).sum()
        assert gcv == pytest.approx(len(y) * rss / (len(y) - df) ** 2, rel=1e-10)  # rounding
    with pytest.raises(InputError, match="lam must be a number"):
        Ridge().gcv("mpg ~ wt", data, lam=[-1.0])
    with pytest.raises(FitError, match="constant"):
        Ridge().gcv("y ~ x", {"x": [1.0, 2.0, 3.0], "y": [1.0, 1.0, 1.0]}, lam=[1.0])


@pytest.mark.live_r
def test_gcv_against_lm_ridge() -> None:
    data, lam = pcv.data.mtcars(), np.array([0.01, 0.1, 2.0])
    n, scale = len(data), data["mpg"].std(ddof=0)
    code = """function(data, k) {
      f <- MASS::lm.ridge(mpg ~ wt + hp + qsec, data, lambda = k)
      fitted <- cbind(1, as.matrix(data[, c("wt", "hp", "qsec")])) %*% t(coef(f))
      list(f$GCV, colSums((data$mpg - fitted)^2)) }"""
    theirs, rss = (np.asarray(part) for part in run(code, data=data, k=n * lam / scale))
    df = n + 1 - np.sqrt(rss / theirs)  # which counts the intercept
    ours = Ridge().gcv("mpg ~ wt + hp + qsec", data, lam=lam)["gcv"]
    assert ours.to_numpy() == pytest.approx(n * rss / (n - df) ** 2, rel=1e-10)  # rounding


def test_many_columns_for_the_rows_are_said_once() -> None:
    rng = np.random.default_rng(1)
    wide = pd.DataFrame(rng.normal(size=(30, 17)), columns=[f"v{i}" for i in range(17)])
    with pytest.warns(PycvstatWarning, match="OLS has 17 columns to fit to 20 rows") as told:
        pcv.cross_validate(OLS(), "v0 ~ .", wide, folds=3)
    assert len(told) == 1
    pcv.cross_validate(Lasso(), "v0 ~ .", wide, folds=3)
    pcv.cross_validate(OLS(), "v0 ~ v1 + v2 + v3", wide, folds=3)


def test_learners_without_results_of_statsmodels_say_so() -> None:
    with pytest.raises(InputError, match="statsmodels has no results for this learner"):
        _ = Mean().fit("y ~ x", data()).results


@pytest.mark.parametrize(("link", "weights"), [("inverse", None), ("log", [1e-300, 1e-300])])
def test_where_no_row_informs_about_coefficients_the_iterations_break_down(
    link: str, weights: list[float] | None
) -> None:
    """Working weights that vanish; R has no fit then either."""
    tiny = pd.DataFrame({"y": [1e-300, 2e-300], "x": [0.0, 1.0]})
    learner = GLM(link=link)
    with pytest.raises(FitError, match="no row informs about the coefficients"):
        learner.fit("y ~ x", tiny, weights=weights)
    with pytest.raises(FitError, match=r"fold 1 of 2.*no row informs about the coefficients"):
        pcv.cross_validate(learner, "y ~ 1", tiny, weights=weights, folds=2)


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
@pytest.mark.parametrize("learner", [OLS(), RLM()])
@pytest.mark.parametrize(
    "columns",
    [
        {"v0": [1e-323, 5e-324], "v1": [2e-310, -2e-310]},
        {f"v{j}": [0.0, 5e-324 * (-1) ** j] for j in range(4)},
    ],
)
def test_what_is_said_of_columns_left_out_holds_for_the_smallest_numbers(
    learner: Any, columns: dict[str, list[float]]
) -> None:
    tiny = pd.DataFrame(columns).assign(y=2.0)
    fitted = learner.fit("y ~ .", tiny)
    np.testing.assert_allclose(fitted.predict(tiny), 2.0, rtol=1e-15)
    with pytest.warns(PycvstatWarning, match="do not determine the coefficients of v"):
        fitted.predict(tiny.assign(v1=[7.0, 5e-324]))


@pytest.mark.parametrize("learner", [Ridge(0.1), Lasso(0.1), ElasticNet(0.1, 0.5)])
def test_statsmodels_has_no_summary_of_penalised_fits(learner: Any) -> None:
    fitted = learner.fit("mpg ~ wt", pcv.data.mtcars())
    with pytest.raises(InputError, match=r"no summary of this fit(.|\n)*use tidy\(\)"):
        fitted.summary()


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
def test_results_that_statsmodels_cannot_compute_are_refused() -> None:
    huge = pd.DataFrame({"x": np.arange(8.0) * 1e160, "y": [1e300, 2e300] * 4})
    fitted = RLM().fit("y ~ x", huge)
    assert np.isfinite(fitted.predict(huge)).all()
    with pytest.raises(FitError, match="statsmodels has no results of this fit"):
        fitted.summary()


@pytest.mark.parametrize("unit", [2e307, 1e-300])
def test_units_of_columns_do_not_matter_to_multinomial_fits(unit: float) -> None:
    iris = pcv.data.iris().rename(columns={"Sepal.Length": "x"})[["x", "Species"]]
    plain = MNLogit().fit("Species ~ x", iris)
    other = iris.assign(x=iris["x"] * unit)
    probabilities = MNLogit().fit("Species ~ x", other).predict_proba(other)
    np.testing.assert_allclose(probabilities, plain.predict_proba(iris), rtol=1e-9)  # Newton's end


@pytest.mark.parametrize("column", ["x", "y"])
@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_a_path_of_penalties_needs_columns_with_squares(column: str, unit: float) -> None:
    """Of such a response glmnet makes a path of NaN, or calls it constant."""
    extreme = data().assign(**{column: lambda d: d[column] * unit})
    with pytest.raises(FitError, match=f"squares leave the range of numbers.*\n.*{column}, with"):
        pcv.tune(Lasso(), "y ~ x", extreme, grid="path", folds=pcv.Blocks(3))


@pytest.mark.parametrize("learner", [OLS(), GLM(), RLM(), Logit(), MNLogit()])
def test_powers_beyond_the_range_of_numbers_are_refused(learner: Any) -> None:
    rows = pd.DataFrame({"x": [0.0] * 11 + [1e300], "y": [1.0, 0.0] * 6, "c": [*"ab"] * 6})
    response = "c" if isinstance(learner, Logit | MNLogit) else "y"
    with pytest.raises(InputError, match="infinite or missing values"):
        learner.fit(f"{response} ~ poly(x, 2, raw = TRUE)", rows)


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
def test_second_derivatives_that_have_no_inverse_leave_a_table() -> None:
    rows = pd.DataFrame({
        "c": [*"bccbccaa"], "g": [*"uvuuvvvv"],
        "x": [-1e7, -20.0, 3e4, 3e7, -300.0, 0.0, 200.0, -3e6],
    })  # fmt: skip
    fitted = MNLogit().fit("c ~ I(x^2) + g", rows)
    table = fitted.tidy()
    assert table["term"].tolist()[:2] == ["b:(Intercept)", "b:I(x^2)"]
    estimates = fitted.results.params.to_numpy().T.ravel()
    np.testing.assert_array_equal(table["estimate"], estimates)
    seconds = fitted.results.mle_retvals["Hessian"]
    np.testing.assert_array_equal(seconds, -fitted.results.model.hessian(estimates) / 8)
