"""Advice of the library in the words of the command line."""

from __future__ import annotations

import pytest

from pycvstat.cli.speech import in_words
from pycvstat.cli.spelling import folds_of, learner_of


@pytest.mark.parametrize(
    ("python", "words"),
    [
        ("na='omit' leaves these rows out", "--na omit leaves these rows out"),
        ('for example grid={"k": range(1, 31)}', "for example --grid k=1:30"),
        ("folds=Grouped(10), groups=...", "--folds grouped:10, --groups COLUMN"),
        ('complexity="-k" (a larger k is simpler)', "--complexity=-k (a larger k is simpler)"),
        ("use KFold(7), or Blocks(5)", "use --folds 7, or --folds blocks:5"),
        ("for classes write factor(y) in the formula, or make it categorical: "
         "data['y'].astype('category')", "for classes --factor y"),
        ("make it categorical: data['a b'].astype('category')", "--factor a b"),
        ("read them as missing: pd.read_csv(file, na_values=['-', 'k.A.'], decimal=',')",
         "read them as missing: --na-string '-' --na-string 'k.A.' --decimal ,"),
        ("Repeated(KFold(10), times=5, random=1)", "--folds repeated:10x5"),
        ("inner=Holdout(0.25)", "--inner holdout:0.25"),
        ("use n_jobs=1, n_jobs=4, or n_jobs=-1", "use --jobs 1, --jobs 4, or --jobs=-1"),
        ("kernel='rectangular'", "--learner knn:kernel=rectangular"),
        ("use GLM('binomial'), or loss='squared'", "use --learner glm:binomial, or --loss squared"),
        ("loss='huber(1.345)' has lighter tails", "--loss huber(1.345) has lighter tails"),
        ("did you mean 'kernel'?", "did you mean 'kernel'?"),
        ("write g == \"a\"", "write g == \"a\""),
    ],
)  # fmt: skip
def test_in_words(python: str, words: str) -> None:
    assert in_words(python) == words


@pytest.mark.parametrize(
    "folds",
    ["KFold(7)", "Blocks(5)", "Stratified(10)", "Grouped(4)", "Repeated(KFold(10), 5)",
     "LeaveOneOut()", "Holdout(test=0.3)", "Subsampling(25, train=0.8)"],
)  # fmt: skip
def test_the_words_mean_the_folds(folds: str) -> None:
    assert str(folds_of(in_words(folds).removeprefix("--folds "), None)) == folds


@pytest.mark.parametrize("learner", ["GLM('poisson')", "OLS()", "WLS", "MNLogit()", "KNN()"])
def test_the_words_mean_the_learner(learner: str) -> None:
    made = learner_of(in_words(learner).removeprefix("--learner "))
    assert made.name == learner.partition("(")[0]
