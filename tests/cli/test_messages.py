"""Advice of the library in the words of the command line."""

from __future__ import annotations

import pickle
from argparse import Namespace
from typing import Any

import pytest

import pycvstat as pcv
from pycvstat.cli.messages import in_words
from pycvstat.cli.options import LEARNERS, folds_of, kind_of, learner_of, learner_word, word_of
from pycvstat.errors import Advice, AsClasses, FitError, InPython, Reading

CV = Namespace(folds="10", na="raise", loss=None, jobs=None, groups=None, learner="knn:k=5")
NESTED = Namespace(
    outer="10", inner="5", grid=["k=1:5"], rule="min", complexity=None, learner="knn"
)


@pytest.mark.parametrize(
    ("advice", "chosen", "python", "words"),
    [
        (Advice("{na} leaves these rows out", na="omit"), CV,
         "na='omit' leaves these rows out", "--na omit leaves these rows out"),
        (Advice("for example {grid}", grid={"k": range(1, 31)}), NESTED,
         "for example grid={'k': range(1, 31)}", "for example --grid k=1:30"),
        (Advice("{folds}, {groups}", folds=pcv.Grouped(10), groups=...), CV,
         "folds=Grouped(10), groups=...", "--folds grouped:10, --groups COLUMN"),
        (Advice("use {folds}", folds=pcv.Grouped(5)), NESTED,
         "use folds=Grouped(5)", "use --outer grouped:5"),
        (Advice("{complexity}: a larger {} is simpler", "k", complexity="-k"), NESTED,
         "complexity='-k': a larger k is simpler", "--complexity=-k: a larger k is simpler"),
        (Advice("use {}, or {}", pcv.KFold(7), pcv.Blocks(5)), CV,
         "use KFold(7), or Blocks(5)", "use --folds 7, or --folds blocks:5"),
        (Advice("make it categorical: {}", AsClasses("my y")), CV,
         "make it categorical: data['my y'].astype('category')",
         "make it categorical: --factor 'my y'"),
        (Advice("use {n_jobs}", n_jobs=-1), CV, "use n_jobs=-1", "use --jobs=-1"),
        (Advice("{kernel}", kernel="rectangular"), CV,
         "kernel='rectangular'", "--learner knn:kernel=rectangular"),
        (Advice("use {}, or {loss}", pcv.GLM("binomial"), loss="huber(1.5)"), CV,
         "use GLM(family='binomial'), or loss='huber(1.5)'",
         "use --learner glm:family=binomial, or --loss 'huber(1.5)'"),
        (Advice("{refit}", refit="all"), CV, "refit='all'", "refit='all' (in Python)"),
        (Advice("read it as missing: {}", Reading(na_values=["k.A.", "-"], decimal=",")), CV,
         "read it as missing: pd.read_csv(file, na_values=['k.A.', '-'], decimal=',')",
         "read it as missing: --na-string k.A. --na-string=- --decimal ,"),
        (Advice("use {}", Reading(parse_dates=["day"])), CV,
         "use pd.read_csv(file, parse_dates=['day'])", "use --date day"),
        (Advice("use {}", Reading(thousands="'")), CV,
         "use pd.read_csv(file, thousands=\"'\")",
         "use pd.read_csv(file, thousands=\"'\") (in Python)"),
        (Advice("{} keeps them", InPython("na='pass'")), CV,
         "na='pass' keeps them", "na='pass' (in Python) keeps them"),
        (Advice("use {folds}, or {}", pcv.LeaveOneOut(), folds=pcv.Grouped(5)).of("inner"), NESTED,
         "use inner=Grouped(5), or LeaveOneOut()", "use --inner grouped:5, or --inner loo"),
    ],
)  # fmt: skip
def test_in_words(advice: Any, chosen: Namespace, python: str, words: str) -> None:
    assert str(advice) == python
    assert in_words(advice, chosen) == words


def test_names_in_advice_are_shown_as_they_are() -> None:
    assert str(Advice("{} in the formula", "factor(`a {b}`)")) == "factor(`a {b}`) in the formula"


def test_advice_comes_back_from_a_worker() -> None:
    error = FitError("failed.", given=3, fix=Advice("use {folds}", folds=pcv.Grouped(5)))
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert in_words(again.advice, NESTED) == "use --outer grouped:5"


@pytest.mark.parametrize(
    "folds",
    [pcv.KFold(7), pcv.Blocks(5), pcv.Stratified(10), pcv.Grouped(4), pcv.LeaveOneOut(),
     pcv.Repeated(pcv.KFold(10), 5), pcv.Holdout(0.3), pcv.Subsampling(25, train=0.8),
     pcv.TimeSeries(24, horizon=6, window="sliding")],
)  # fmt: skip
def test_the_words_mean_the_folds(folds: Any) -> None:
    assert folds_of(word_of(folds) or "", None) == folds


def test_folds_without_a_word_are_left_in_python() -> None:
    assert word_of(pcv.NestedPairs(4, repeats=5)) is None
    assert word_of(pcv.Blocks(6, as_in_r=True)) is None


@pytest.mark.parametrize(
    "learner",
    [pcv.GLM("poisson"), pcv.KNN(k=3, scale=False), *(kind_of(word)() for word in LEARNERS)],
)
def test_the_words_mean_the_learner(learner: Any) -> None:
    assert learner_of(learner_word(learner)) == learner
