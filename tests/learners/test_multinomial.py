"""The multinomial logit where classes are few, missing, or separated."""

import numpy as np
import pandas as pd
import pytest

from pycvstat.data.task import Task
from pycvstat.errors import PycvstatWarning
from pycvstat.learners.glm import Logit
from pycvstat.learners.multinomial import MNLogit
from pycvstat.learners.statsmodels.multinomial import fit_multinomial, probabilities


def data(n: int = 90) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    x = rng.normal(size=n)
    codes = np.digitize(x + rng.logistic(size=n), [-0.5, 0.8])
    return pd.DataFrame({"x": x, "c": pd.Categorical.from_codes(codes, ["lo", "mid", "hi"])})


def test_two_classes_are_a_logit() -> None:
    frame = data().query("c != 'mid'").assign(c=lambda d: d.c.cat.remove_unused_categories())
    ours = MNLogit().fit("c ~ x", frame)
    logit = Logit().fit("c ~ x", frame)
    np.testing.assert_allclose(
        ours.predict_proba(frame), logit.predict_proba(frame), rtol=1e-7
    )  # glm stops earlier
    assert list(ours.tidy().term) == ["hi:(Intercept)", "hi:x"]


def test_an_intercept_gives_the_shares() -> None:
    shares = data().c.value_counts(normalize=True, sort=False)
    prob = MNLogit().fit("c ~ 1", data()).predict_proba(data().iloc[:1])
    np.testing.assert_allclose(prob[0], shares, rtol=1e-12)


def test_a_class_that_the_training_rows_lack_gets_probability_0() -> None:
    frame = data().sort_values("c", ignore_index=True)
    task = Task.build("c ~ x", frame)
    train = np.flatnonzero(frame.c != "mid")
    made = MNLogit().prepare(task).predict(train, np.arange(90))
    assert (made.prob[0][:, 1] == 0).all()
    assert set(made.values[0]) <= {0.0, 2.0}
    np.testing.assert_allclose(made.prob[0].sum(axis=1), 1)


def test_a_single_class_is_predicted_with_a_warning() -> None:
    frame = data().sort_values("c", ignore_index=True)
    task = Task.build("c ~ x", frame)
    train = np.flatnonzero(frame.c == "hi")
    with pytest.warns(PycvstatWarning, match="single class"):
        made = MNLogit().prepare(task).predict(train, np.arange(5))
    assert made.values[0].tolist() == [2.0] * 5
    assert made.prob[0].tolist() == [[0.0, 0.0, 1.0]] * 5


def test_weights_are_repetitions() -> None:
    frame = data().assign(w=lambda d: np.arange(len(d)) % 3)
    repeated = frame.loc[frame.index.repeat(frame.w)]
    weighted = MNLogit().fit("c ~ x", frame, weights="w")
    plain = MNLogit().fit("c ~ x", repeated)
    np.testing.assert_allclose(weighted.tidy().estimate, plain.tidy().estimate, rtol=1e-9)


def test_probabilities_are_computed_once_per_step(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    counted = lambda X: asked.append(1) or probabilities(X)  # noqa: E731
    monkeypatch.setattr("pycvstat.learners.statsmodels.multinomial.probabilities", counted)
    drawn = data()
    X = np.column_stack([np.ones(len(drawn)), drawn["x"]])
    fit = fit_multinomial(X, drawn["c"].cat.codes.to_numpy(np.int64))
    assert fit.converged
    assert len(asked) == 1 + fit.iterations  # no step of these is halved


def test_the_gradient_vanishes_whatever_the_units() -> None:
    rng = np.random.default_rng(3)
    X = np.column_stack([np.ones(80), 1e6 + rng.normal(size=80), 1e-4 * rng.normal(size=80)])
    codes = rng.integers(0, 3, 80)
    fit = fit_multinomial(X, codes)
    eta = np.column_stack([np.zeros(80), (X - X[0]) @ fit.coefficients.T])
    eta[:, 1:] += X[0] @ fit.coefficients.T
    prob = np.exp(eta - eta.max(axis=1, keepdims=True))
    prob /= prob.sum(axis=1, keepdims=True)
    gradient = (np.eye(3)[codes] - prob).T @ (X - X.mean(axis=0)) / X.std(axis=0).clip(1e-9)
    assert np.abs(gradient[:, 1:]).max() < 1e-6
