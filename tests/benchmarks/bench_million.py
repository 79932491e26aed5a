"""One million rows

Each in a process of its own, whose memory beyond the data is the peak while it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.benchmarks.line import Line, Work, in_a_new_process

ROWS = 1_000_000


def problem(n: int, p: int = 10) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] - X[:, 1] / 2 + rng.normal(size=n)


def least_squares(n: int) -> Work:
    import pycvstat as pcv

    X, y = problem(n)
    folds = pcv.KFold(10, random=1)
    return lambda: float(pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=folds).estimate)


def least_squares_there(n: int) -> Work:
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import KFold, cross_val_score

    X, y = problem(n)
    folds = KFold(10, shuffle=True, random_state=1)
    score = "neg_mean_squared_error"
    return lambda: float(-cross_val_score(LinearRegression(), X, y, cv=folds, scoring=score).mean())


def logistic(n: int) -> Work:
    import pycvstat as pcv

    X, y = problem(n)
    folds = pcv.KFold(10, random=1)
    return lambda: float(
        pcv.cross_validate(pcv.Logit(), X=X, y=(y > 0) * 1.0, folds=folds).estimate
    )


def logistic_there(n: int) -> Work:
    import statsmodels.api as sm

    X, y = problem(n)
    design, event = np.column_stack([np.ones(n), X]), (y > 0) * 1.0
    return lambda: sm.GLM(event, design, family=sm.families.Binomial()).fit()


def neighbours(n: int) -> Work:
    import pycvstat as pcv

    X, y = problem(n, 3)
    folds = pcv.KFold(10, random=1)
    learner = pcv.KNN(kernel="rectangular")
    grid = {"k": range(1, 31)}
    return lambda: pcv.tune(learner, X=X, y=y, grid=grid, folds=folds, keep="fold_means")


def neighbours_there(n: int) -> Work:
    from scipy.spatial import cKDTree

    X, _ = problem(n, 3)

    def work() -> None:
        fold = np.random.default_rng(2).permutation(n) % 10
        for i in range(10):
            test, tree = X[fold == i], cKDTree(X[fold != i])
            for start in range(0, len(test), 16384):
                tree.query(test[start : start + 16384], 30)

    return work


for _one in (least_squares, least_squares_there, logistic, logistic_there,
             neighbours, neighbours_there):  # fmt: skip
    _one.warm = (2000,)  # type: ignore[attr-defined]


def lines() -> Iterator[Line]:
    once = {"agree": None, "runs": 1, "their_runs": 1}
    yield Line("OLS, 10 folds, p = 10", in_a_new_process(least_squares, ROWS), "scikit-learn",
               in_a_new_process(least_squares_there, ROWS), seconds=1.2, agree=None, runs=3,
               their_runs=1)  # fmt: skip
    yield Line("logistic, 10 folds, p = 10", in_a_new_process(logistic, ROWS),
               "one fit of statsmodels to all rows", in_a_new_process(logistic_there, ROWS),
               **once)  # fmt: skip
    yield Line("kNN, k = 1..30, 10 folds, 200,000 rows, d = 3",
               in_a_new_process(neighbours, ROWS // 5), "bare searches of cKDTree",
               in_a_new_process(neighbours_there, ROWS // 5), share=1.15, **once)  # fmt: skip
