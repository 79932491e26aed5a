"""Linear learners against LAPACK, scikit-learn and statsmodels on the same work.

    python tests/benchmarks/bench_linear.py [repetitions]

Each pair is run in alternating order, after one run that is not counted; medians are compared.
Beside the ratio of wall clock times, with its range over the repetitions (the noise of the
machine), stands the ratio of processor seconds, which other work on the machine spoils less.
Every pair is checked to have computed the same. Numerical libraries have one thread throughout:
with more, LAPACK's times on these sizes are those of its waiting.
"""

from __future__ import annotations

import statistics
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import statsmodels.api as sm
from scipy import linalg
from sklearn.linear_model import LassoCV, LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import pycvstat as pcv
from pycvstat.errors import PycvstatWarning
from pycvstat.intervals.ncv import ncv, pieces_of
from pycvstat.learners.linear.elastic_net import elastic_net_slopes
from pycvstat.learners.linear.left_out import ols_left_out_predictions
from pycvstat.losses import LossTable

Work = Callable[[], Any]


@dataclass(frozen=True)
class Pair:
    """Ours and a peer's way to the same numbers."""

    name: str
    ours: Work
    peer: Work
    goal: float | None = None  # times as fast as the peer
    agreement: float | None = 1e-9  # relative
    fewer: int = 1  # the peer is so slow that it gets the share 1 / fewer of the repetitions


def regression(n: int = 5000, p: int = 20) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] - X[:, 1] / 2 + rng.normal(size=n)


def kernel() -> Pair:
    X, y = regression()
    design = np.column_stack([np.ones(len(y)), X])
    rows, offsets = np.arange(len(y)), np.arange(len(y) + 1)
    return Pair(
        "leave-one-out kernel, plain LAPACK fit (scipy.linalg.lstsq)",
        lambda: ols_left_out_predictions(design, y, rows, offsets),
        lambda: linalg.lstsq(design, y),
        goal=0.5,
        agreement=None,
    )


def least_squares() -> list[Pair]:
    X, y = regression()

    def ours(folds: Any) -> float:
        return pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=folds).estimate

    def peer(folds: Any) -> float:
        score = "neg_mean_squared_error"
        return float(-cross_val_score(LinearRegression(), X, y, cv=folds, scoring=score).mean())

    ten = KFold(10, shuffle=True, random_state=1)
    return [
        Pair("OLS, 10 folds", lambda: ours(ten), lambda: peer(ten), 5),
        Pair("OLS, leave-one-out", lambda: ours(pcv.LeaveOneOut()),
             lambda: peer(LeaveOneOut()), 300, fewer=3),
    ]  # fmt: skip


def ridge() -> Pair:
    X, y = regression()
    grid, folds = np.geomspace(1e-3, 1, 100), KFold(10, shuffle=True, random_state=1)

    def peer() -> Any:
        # the same penalties up to the scale of y, which glmnet and we take from each fold
        alphas = {"ridge__alpha": grid * len(y) * 0.9 / y.std()}
        steps = make_pipeline(StandardScaler(), Ridge())
        found = GridSearchCV(steps, alphas, cv=folds, scoring="neg_mean_squared_error").fit(X, y)
        return -found.cv_results_["mean_test_score"]

    def ours() -> Any:
        found = pcv.tune(pcv.Ridge(), X=X, y=y, grid={"lam": grid}, folds=folds)
        return found.tidy()["estimate"].to_numpy()

    return Pair("ridge, 100 penalties, 10 folds (GridSearchCV)", ours, peer, 20, 1e-3, fewer=3)


def ridge_alone() -> Pair:
    """Without standardisation: GridSearchCV over Ridge alone."""
    X, y = regression()
    grid, folds = np.geomspace(1e-3, 1, 100), KFold(10, shuffle=True, random_state=1)

    def peer() -> Any:
        alphas = {"alpha": grid * len(y) * 0.9 / y.std()}
        found = GridSearchCV(Ridge(), alphas, cv=folds, scoring="neg_mean_squared_error")
        return -found.fit(X, y).cv_results_["mean_test_score"]

    def ours() -> Any:
        learner = pcv.Ridge(standardize=False)
        found = pcv.tune(learner, X=X, y=y, grid={"lam": grid}, folds=folds)
        return found.tidy()["estimate"].to_numpy()

    return Pair("the same, not standardised", ours, peer, 20, 1e-3, fewer=3)


def lasso() -> Pair:
    X, y = regression()
    lam = np.abs((X - X.mean(axis=0)).T @ y).max() / len(y) * np.geomspace(1.0, 1e-4, 100)
    ids = np.random.default_rng(2).permutation(np.arange(len(y)) % 10)
    tests = [np.flatnonzero(ids == f) for f in range(10)]
    splits = [(np.flatnonzero(ids != f), test) for f, test in enumerate(tests)]

    def ours() -> Any:
        fits = elastic_net_slopes(X, y, lam, 1.0, tests, standardize=False)
        return np.mean(
            [((fit.predict(X[test]) - y[test]) ** 2).mean(axis=1)
             for fit, test in zip(fits, tests, strict=True)], axis=0,
        )  # fmt: skip

    def peer() -> Any:
        return LassoCV(alphas=lam, cv=splits, tol=1e-10).fit(X, y).mse_path_.mean(axis=1)

    return Pair("lasso kernel, 100 penalties, 10 folds (LassoCV)", ours, peer, agreement=1e-6)


def pairwise(repeats: int = 200) -> Pair:
    X, y = regression(100, 20)
    design = np.column_stack([np.ones(len(y)), X])
    folds = pcv.NestedPairs(10, repeats=repeats, random=1)

    def ours() -> Any:
        found = pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=folds).interval("ncv")
        return found.low, found.high

    def peer() -> Any:
        plan, losses = folds.plan(len(y)), []
        for train, test in plan:
            fit = sm.OLS(y[train], design[train]).fit()
            losses.append((y[test] - fit.predict(design[test])) ** 2)
        limits = ncv(pieces_of(LossTable(plan, np.concatenate(losses)[:, None])), 0.95)
        return limits.low, limits.high

    return Pair(
        f"interval from pairs of folds, {repeats} repetitions (statsmodels refits)",
        ours,
        peer,
        30,
        fewer=3,
    )


def logistic() -> list[Pair]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1000, 10))
    y = (rng.random(1000) < 1 / (1 + np.exp(-X[:, 0]))).astype(float)
    design = np.column_stack([np.ones(len(y)), X])

    def ours(folds: Any) -> Any:
        found = pcv.cross_validate(pcv.GLM("binomial"), X=X, y=y, folds=folds)
        return found.table.predictions.values[0]

    def peer(folds: Any) -> Any:
        family, out = sm.families.Binomial(), []
        for train, test in folds.plan(len(y)):
            fit = sm.GLM(y[train], design[train], family=family).fit()
            out.append(fit.predict(design[test]))
        return np.concatenate(out)

    ten, loo = pcv.KFold(10, random=1), pcv.LeaveOneOut()
    return [
        Pair("logistic, 10 folds (statsmodels refits)", lambda: ours(ten), lambda: peer(ten),
             agreement=1e-6),
        Pair("logistic, leave-one-out", lambda: ours(loo), lambda: peer(loo),
             agreement=1e-6, fewer=3),
    ]  # fmt: skip


def timed(work: Work) -> tuple[float, float]:
    """Wall clock and processor seconds."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def measured(pair: Pair, repetitions: int) -> float:
    """Print one line; the ratio of the medians of wall clock times."""
    ours, theirs = pair.ours(), pair.peer()
    if pair.agreement is not None:
        np.testing.assert_allclose(ours, theirs, rtol=pair.agreement)
    times: dict[str, list[tuple[float, float]]] = {"ours": [], "peer": []}
    for turn in range(repetitions):
        works = [("ours", pair.ours), ("peer", pair.peer)]
        for who, work in works if turn % 2 else reversed(works):
            if who == "ours" or turn < max(1, repetitions // pair.fewer):
                times[who].append(timed(work))
    (a, a_used), (b, b_used) = (
        (statistics.median(wall), statistics.median(used))
        for wall, used in (zip(*times[who], strict=True) for who in ("ours", "peer"))
    )
    walls = {who: [wall for wall, _ in times[who]] for who in times}
    low = min(walls["peer"]) / max(walls["ours"])
    high = max(walls["peer"]) / min(walls["ours"])
    goal = "" if pair.goal is None else f", goal {pair.goal:g}"
    print(
        f"{pair.name}:\n    {1e3 * a:9.2f} ms, peer {1e3 * b:10.2f} ms: {b / a:7.2f} times as fast "
        f"({low:.2f} to {high:.2f}{goal}); processor {b_used / a_used:.2f}"
    )
    return b / a


def peak_of_leave_one_out(n: int) -> float:
    """Megabytes (2^20) allocated at most by the kernel beyond the data."""
    X, y = regression(n)
    tracemalloc.start()
    ols_left_out_predictions(X, y, np.arange(n), np.arange(n + 1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def main(repetitions: int = 7) -> dict[str, float]:
    warnings.simplefilter("ignore", PycvstatWarning)
    threadpool_limits(1)
    pairs = [kernel(), *least_squares(), ridge(), ridge_alone(), lasso(), pairwise(), *logistic()]
    ratios = {pair.name: measured(pair, repetitions) for pair in pairs}
    for n in (5000, 50000):
        print(f"leave-one-out kernel, n = {n}: {peak_of_leave_one_out(n):.1f} MiB beyond the data")
    return ratios


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
