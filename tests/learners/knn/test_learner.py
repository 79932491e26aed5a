"""The learner KNN: regression, classes, ordered classes, folds, and input that means nothing."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.data.task import Task
from pycvstat.errors import DataError, FitError, InputError, PycvstatError, PycvstatWarning
from pycvstat.learners import knn
from pycvstat.learners.knn.distances import KERNELS
from pycvstat.learners.knn.predictions import Rows
from pycvstat.r.kknn import kknn

RNG = np.random.default_rng(1)
N = 90
DATA = pd.DataFrame(
    {
        "u": RNG.normal(size=N),
        "v": RNG.integers(0, 4, N).astype(float),
        "f": pd.Categorical(RNG.choice(["red", "green", "blue"], N)),
        "o": pd.Categorical(RNG.choice(["s", "m", "l"], N), ["s", "m", "l"], ordered=True),
        "w": RNG.choice(["p", "q"], N),
    }
)
DATA["y"] = np.round(DATA.u + DATA.v + RNG.normal(size=N), 1)
DATA["cls"] = pd.Categorical(RNG.choice(["a", "b", "c"], N))
DATA["grade"] = pd.cut(DATA.y, [-np.inf, 0, 2, 4, np.inf], labels=["D", "C", "B", "A"])
TRAIN, TEST = DATA[:70], DATA[70:]
RESPONSES = {"y": "continuous", "cls": "nominal", "grade": "ordinal"}


def formula(response: str, right: str = "u + v + f + o + w") -> str:
    return f"{response} ~ {right}"


@pytest.mark.parametrize("response", RESPONSES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_numbers_of_kknn(response: str, kernel: Any) -> None:
    for k, distance, scale in ((1, 2, True), (6, 1, False), (70, 3, True)):
        learner = pcv.KNN(k=k, kernel=kernel, distance=distance, scale=scale)
        fitted = learner.fit(formula(response), TRAIN)
        expected = kknn(
            formula(response), TRAIN, TEST, k=k, kernel=kernel, distance=distance, scale=scale
        )
        assert fitted.predict(TEST).tolist() == expected.fitted_values.tolist()
        near = fitted.neighbours(TEST)
        assert (near.rows + 1).tolist() == expected.C.tolist()
        assert near.distances.tolist() == expected.D.tolist()
        assert near.weights.tolist() == expected.W.tolist()


@pytest.mark.parametrize("response", RESPONSES)
def test_folds_are_fits_of_their_own(response: str) -> None:
    task = Task.build(formula(response), DATA)
    candidates = [{"k": k, "kernel": kernel} for kernel in ("rectangular", "inv", "rank")
                  for k in (1, 2, 5, 12, 60)]  # fmt: skip
    prepared = pcv.KNN().prepare(task, candidates)
    folds = list(pcv.KFold(3, random=1).plan(N))
    for rows, part in ((np.arange(N), folds), (np.arange(80), list(pcv.Blocks(4).plan(80)))):
        for train, test in part:
            train, test = rows[train], rows[test]
            predicted = prepared.predict(train, test)
            for i, params in enumerate(candidates):
                alone = pcv.KNN(**params).fit_task(task.take(train))
                answer = alone.answer(DATA.iloc[test])
                np.testing.assert_array_equal(predicted.values[i], answer.values)
                if answer.shares is not None and predicted.prob is not None:
                    np.testing.assert_array_equal(predicted.prob[i], answer.shares)


def test_some_of_the_candidates() -> None:
    task = Task.build("y ~ u + v", DATA)
    prepared = pcv.KNN().prepare(task, [{"k": 3}, {"k": 9}, {"k": 3, "distance": 1.0}])
    train, new = np.arange(60), np.arange(60, 90)
    every = prepared.predict(train, new).values
    np.testing.assert_array_equal(prepared.predict(train, new, [2, 0]).values, every[[2, 0]])


def test_pieces_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = pcv.KNN().prepare(Task.build("cls ~ u + v", DATA), [{"k": 4}, {"k": 7}])
    train, new = np.arange(50), np.arange(50, 90)
    whole = prepared.predict(train, new)
    monkeypatch.setattr(knn, "PORTION", 7)
    parts = list(prepared.predict_chunks(train, new))
    assert [part for part, _ in parts][-1] == slice(35, 40)
    again = prepared.predict(train, new)
    np.testing.assert_array_equal(again.values, whole.values)
    np.testing.assert_array_equal(again.prob, whole.prob)  # type: ignore[arg-type]


def test_the_textbooks_estimator() -> None:
    x = DATA[["u", "v"]].to_numpy()
    plain = pcv.KNN(k=4, scale=False, kernel="rectangular").fit("y ~ u + v", TRAIN)
    for row, predicted in zip(x[70:], plain.predict(TEST), strict=True):
        nearest = np.argsort(((x[:70] - row) ** 2).sum(axis=1), kind="stable")[:4]
        assert predicted == pytest.approx(DATA.y[nearest].mean(), rel=1e-14)


def test_terms_computed_from_data_see_training_rows_only() -> None:
    task = Task.build("y ~ poly(u, 2) + v", DATA)
    train, new = np.arange(20, 90), np.arange(20)
    predicted = pcv.KNN(k=3).prepare(task).predict(train, new).values[0]
    alone = pcv.KNN(k=3).fit("y ~ poly(u, 2) + v", DATA.iloc[train])
    np.testing.assert_allclose(predicted, alone.predict(DATA.iloc[new]), 1e-12)


def test_probabilities() -> None:
    for response in ("cls", "grade"):
        fitted = pcv.KNN(k=9, kernel="inv").fit(formula(response), TRAIN)
        prob = fitted.predict_proba(TEST)
        np.testing.assert_allclose(prob.sum(axis=1), 1, rtol=1e-14)
        labels = np.array(fitted.task.response.levels, dtype=object)
        if response == "cls":
            assert labels[prob.argmax(axis=1)].tolist() == fitted.predict(TEST).tolist()
        else:
            middle = (np.cumsum(prob, axis=1) >= 0.5 - 1e-15).argmax(axis=1)
            assert labels[middle].tolist() == fitted.predict(TEST).tolist()


def test_ties_by_row() -> None:
    data = pd.DataFrame({"x": [1.0, 0.0, 1.0, 1.0, 0.0], "y": [1.0, 2.0, 3.0, 4.0, 5.0]})
    fitted = pcv.KNN(k=2, kernel="rectangular", ties="row").fit("y ~ x", data)
    assert fitted.neighbours({"x": [1.0, 0.0]}).rows.tolist() == [[0, 2], [1, 4]]


def test_constant_columns_do_not_count() -> None:
    with_constant = pcv.KNN(k=3).fit("y ~ u + z", TRAIN.assign(z=3.0))
    expected = kknn("y ~ u + z", TRAIN.assign(z=3.0), TEST.assign(z=9.0), k=3)
    assert with_constant.predict(TEST.assign(z=9.0)).tolist() == expected.fitted_values.tolist()


def test_arrays_and_frames_are_the_same() -> None:
    X, y = DATA[["u", "v"]].to_numpy(), DATA.y.to_numpy()
    by_arrays = pcv.KNN(k=5).fit(X=X[:70], y=y[:70]).predict(X[70:])
    assert by_arrays.tolist() == pcv.KNN(k=5).fit("y ~ u + v", TRAIN).predict(TEST).tolist()


def test_new_rows_with_na_keep_their_place() -> None:
    new = TEST[["u", "v"]].copy()
    new.iloc[[0, 3], 0] = np.nan, np.inf
    fitted = pcv.KNN(k=3).fit("y ~ u + v", TRAIN)
    with pytest.warns(PycvstatWarning, match="2 of 20 rows"):
        predicted = fitted.predict(new)
    assert np.flatnonzero(np.isnan(predicted)).tolist() == [0, 3]
    complete = np.setdiff1d(np.arange(20), [0, 3])
    assert predicted[complete].tolist() == fitted.predict(new.iloc[complete]).tolist()
    with pytest.raises(DataError, match="2 of 20 rows"):
        fitted.predict(new, na="raise")
    with pytest.warns(PycvstatWarning):
        near = fitted.neighbours(new)
    assert near.rows[0].tolist() == [-1, -1, -1]
    assert np.isnan(near.distances[0]).all()
    classes = pcv.KNN(k=3).fit("cls ~ u + v", TRAIN)
    with pytest.warns(PycvstatWarning):
        assert classes.predict(new)[0] is None
    with pytest.warns(PycvstatWarning):
        assert np.isnan(classes.predict_proba(new)[3]).all()


def test_training_rows_with_na() -> None:
    gaps = TRAIN.assign(u=TRAIN.u.where(TRAIN.u > -1))
    with pytest.raises(DataError, match="missing values"):
        pcv.KNN().fit("y ~ u", gaps)
    fitted = pcv.KNN(k=2).fit("y ~ u", gaps, na="omit")
    assert fitted.task.n == int((TRAIN.u > -1).sum())


def test_one_training_row() -> None:
    with pytest.raises(FitError, match="scale=False"):
        pcv.KNN(k=1).fit("y ~ u", TRAIN[:1])
    one = pcv.KNN(k=1, scale=False).fit("y ~ u", TRAIN[:1])
    assert one.predict(TEST[:2]).tolist() == [TRAIN.y[0]] * 2


def test_pickled_between_processes() -> None:
    prepared = pcv.KNN().prepare(Task.build("y ~ u + v", DATA), [{"k": 4}])
    train, new = np.arange(50), np.arange(50, 80)
    expected = prepared.predict(train, new).values
    copy = pickle.loads(pickle.dumps(prepared))
    np.testing.assert_array_equal(copy.predict(train, new).values, expected)
    fitted = pickle.loads(pickle.dumps(pcv.KNN(k=2).fit("y ~ u", TRAIN)))
    assert len(fitted.predict(TEST)) == 20


def test_one_search_serves_every_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    original = Rows.fold

    def counting(self: Rows, *args: Any) -> Any:
        asked.append(args[0])
        return original(self, *args)

    monkeypatch.setattr(Rows, "fold", counting)
    grid = {"k": range(1, 20), "kernel": ["inv", "cos"]}
    pcv.tune(pcv.KNN(), "y ~ u + v", DATA, grid=grid, folds=pcv.Blocks(3), refit="none")
    assert asked == [(2.0, True, "kknn")] * 3


BAD: list[tuple[Callable[[], Any], type[PycvstatError], str]] = [
    (lambda: pcv.KNN(k=0), InputError, "k=0"),
    (lambda: pcv.KNN(k=2.5), InputError, r"k=2\.5"),  # type: ignore[arg-type]
    (lambda: pcv.KNN(k=True), InputError, "k=True"),
    (lambda: pcv.KNN(k="3"), InputError, "k='3'"),  # type: ignore[arg-type]
    (lambda: pcv.KNN(kernel="gausian"), InputError, "did you mean 'gaussian'"),  # type: ignore[arg-type]
    (lambda: pcv.KNN(distance=0), InputError, "distance=0"),
    (lambda: pcv.KNN(distance=np.inf), InputError, "distance=inf"),
    (lambda: pcv.KNN(ykernel=-1), InputError, "ykernel=-1"),
    (lambda: pcv.KNN(scale="no"), InputError, "scale"),  # type: ignore[arg-type]
    (lambda: pcv.KNN(ties="first"), InputError, "'kknn' or 'row'"),  # type: ignore[arg-type]
    (lambda: pcv.KNN().with_params(ks=3), InputError, "did you mean 'k'"),
    (lambda: pcv.KNN(k=71).fit("y ~ u", TRAIN), FitError, "k=71 with 70 training rows"),
    (lambda: pcv.KNN().fit("y ~ u", TRAIN[:0]), DataError, "0 rows"),
    (lambda: pcv.KNN().fit("y ~ log(v)", TRAIN), DataError, "not a finite number"),
    (lambda: pcv.KNN().fit("y ~ 1", TRAIN).predict(TEST), InputError, "without terms"),
    (lambda: pcv.KNN().fit("y ~ u + offset(v)", TRAIN), InputError, "offset"),
    (lambda: pcv.KNN(ykernel=4).fit("grade ~ u", TRAIN), InputError, "with 4 classes"),
    (lambda: pcv.KNN().prepare(Task.build("y ~ u", DATA), []), InputError, "no candidates"),
    (lambda: pcv.KNN().prepare(Task.build("y ~ u", DATA, weights="v")), InputError, "weights"),
    (lambda: pcv.KNN().fit("y ~ u", TRAIN).predict(TEST[:0]), DataError, "0 rows"),
    (lambda: pcv.KNN().fit("y ~ u", TRAIN).predict_proba(TEST), InputError, "predict()"),
    (
        lambda: pcv.KNN().fit("y ~ f", TRAIN).predict({"f": ["red", "pink"]}),
        DataError,
        "'f' has a level not seen before: 'pink'",
    ),
    (
        lambda: pcv.tune(pcv.KNN(), "y ~ u", DATA, grid={"k": []}, folds=pcv.Blocks(3)),
        InputError,
        "no values for 'k'",
    ),
    (
        lambda: pcv.tune(pcv.KNN(), "y ~ u", DATA, grid={"k": [5, 61]}, folds=pcv.Blocks(3)),
        FitError,
        "fold 1 of 3.*\n.*k=61 with 60 training rows",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), BAD)
def test_input_that_means_nothing(
    call: Callable[[], Any], error: type[PycvstatError], words: str
) -> None:
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("name", ["kernel", "ties"])
@pytest.mark.parametrize("given", [np.zeros(2), pd.NA, DATA, None, 3, "optimall"])
def test_words_that_mean_nothing_are_refused(name: str, given: Any) -> None:
    with pytest.raises(InputError, match=f"{name} must be "):
        pcv.KNN(**{name: given})
