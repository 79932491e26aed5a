"""Every procedure with what it can be asked for, few rows, ties and failures; what results tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

import pycvstat as pcv
from pycvstat.procedures.conventions import Printed, estimates, expected_by_chance, of_seed
from pycvstat.procedures.find_convention import find_convention
from pycvstat.procedures.grid import as_candidates
from tests.fingerprints.edges import once, outcomes, told

Call = Callable[[], Any]
CARS, LABELS = pcv.data.mtcars()[:20].reset_index(drop=True), pcv.data.labels(36)
DATA = pd.DataFrame(
    {
        "y": np.arange(16) % 5 * 1.5 + np.arange(16) / 7,
        "x": np.repeat([1.0, 2.0, 3.0, 5.0], 4),
        "z": (np.arange(16) * 7 % 11) / 2,
        "g": np.repeat(list("abcdefgh"), 2),
        "w": 1.0 + np.arange(16) % 3,
        "c": np.where(np.arange(16) % 3 == 0, "no", "yes"),
    }
)
KNN = pcv.KNN(kernel="rectangular")
OLS, LOGIT, MEAN = pcv.OLS(), pcv.Logit(), pcv.Mean()
THREE = pcv.KFold(3, random=1)
FOLDS = {
    "two": pcv.KFold(2, random=1), "five": pcv.KFold(5, random=1),
    "holdout": pcv.Holdout(0.3, random=1),
    "one out": pcv.LeaveOneOut(), "repeated": pcv.Repeated(pcv.KFold(3), 2, random=1),
    "subsampling": pcv.Subsampling(3, train=0.6, random=1),
    "of a course": pcv.Blocks(4, as_in_r=True),
    "over time": pcv.TimeSeries(8, horizon=4, step=4),
}  # fmt: skip

USUAL = [FOLDS[name] for name in ("two", "holdout", "repeated")]


class Fails:
    """An estimator that cannot be fitted where the first response is large."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def fit(self, X: Any, y: Any) -> Fails:
        if y[0] > 2:
            raise ValueError("no fit")
        self.value_ = float(np.mean(y))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.value_)


def shown(result: Any, *more: str) -> list[Any]:
    """What a result tells: its tables to the tenth digit, its texts by their numbers."""
    tables = [result.tidy(), result.glance(), *(getattr(result, name)() for name in more)]
    return [[*map(as_text, tables)], told(result), told(result.summary())]


def as_text(table: pd.DataFrame) -> str:
    return table.round(10).to_csv(index=False).replace("-0.0,", "0.0,")


def validated() -> Iterator[Call]:
    for folds, (learner, formula) in product(
        FOLDS.values(), [(OLS, "y ~ x + z"), (MEAN, "y ~ 1"), (LOGIT, "c ~ z"), (KNN, "c ~ x + z")]
    ):
        made = partial(pcv.cross_validate, learner, formula, DATA, folds=folds)
        yield lambda made=made: shown(made(), "augment")
        if folds not in USUAL[:2]:
            continue
        for given in ({"bias_adjusted": True}, {"loss": "absolute"},
                      {"weights": "w"}, {"loss_weights": "w"}, {"groups": "g"}):  # fmt: skip
            yield lambda made=made, given=given: shown(made(**given))
    for on_error in ("raise", "nan", "skip"):
        for folds in USUAL:
            made = partial(pcv.cross_validate, Fails(), "y ~ x", DATA, on_error=on_error)
            yield lambda made=made, folds=folds: shown(made(folds=folds))


RULES: tuple[dict[str, Any], ...] = (
    {}, {"rule": "one_se", "complexity": "-k"}, {"rule": "one_se", "complexity": "k"},
    {"rule": "tolerance", "complexity": "-k", "tolerance": 0.5}, {"rule": "tolerance"},
    {"rule": "tolerance", "complexity": "-k", "tolerance": 0.0}, {"complexity": "-k"},
    {"rule": "tolerance", "complexity": "-k", "tolerance": -1.0}, {"metric": "rmse"},
    {"metric": "r2"}, {"refit": "train"}, {"keep": "fold_means"},
    {"rule": "min", "complexity": "z"}, {"loss": "absolute"},
)  # fmt: skip


def tuned() -> Iterator[Call]:
    for folds, given in product(USUAL, RULES):
        made = partial(pcv.tune, KNN, "y ~ x + z", DATA, grid={"k": [1, 2, 3, 5]}, folds=folds)
        yield lambda made=made, given=given: _tuned(made(**given))
    grids: tuple[Any, ...] = (
        {"k": []}, {"k": [1]}, {}, {"k": [1, 1]}, {"k": [0]}, {"k": [100]}, {"q": [1]}, {"k": 3},
        {"k": range(1, 4), "kernel": ["rectangular", "inv"]}, [{"k": 1}, {"k": 2, "distance": 1}],
        pcv.RandomSearch({"k": [1, 2, 3]}, 2, random=1),
        pcv.RandomSearch({"k": [1, 2]}, 5, random=1),
        pcv.QuasiRandomSearch({"k": [1, 2, 3]}, 4), "path", None, {"formula": ["y ~ x", "y ~ z"]},
    )  # fmt: skip
    for grid in grids:
        yield lambda grid=grid: [str(one) for one in as_candidates(grid, KNN)]
        yield lambda grid=grid: shown(pcv.tune(KNN, "y ~ x", DATA, grid=grid, folds=FOLDS["two"]))
    for lam in ([0.1, 1.0], "path", [0.0], [-1.0]):
        for learner in (pcv.Ridge(), pcv.Lasso()):
            made = partial(pcv.tune, learner, "mpg ~ wt + hp", CARS, grid={"lam": lam})
            made = partial(made, grid="path") if lam == "path" else made
            yield lambda made=made: shown(made(folds=FOLDS["five"]))


def _tuned(result: Any) -> list[Any]:
    return [shown(result), result.best]


def nested() -> Iterator[Call]:
    for outer, inner in product(("two", "holdout", "repeated"), (2, "dev", FOLDS["holdout"])):
        for given in RULES[:6]:
            made = partial(pcv.nested_cv, KNN, "y ~ x + z", DATA, grid={"k": [1, 2, 4]}, **given)
            yield lambda made=made, o=outer, i=inner: _nested(made(outer=FOLDS[o], inner=i))


def _nested(result: Any) -> list[Any]:
    finals = [str(result.final(policy)) for policy in ("retune", "vote", "median")]
    return [shown(result), finals, result.chosen_index, result.tied, result.min_cv]


def compared() -> Iterator[Call]:
    learners = {"line": OLS, "mean": MEAN, "near": KNN.with_params(k=2)}
    for folds, loss in product(FOLDS.values(), (None, "absolute")):
        made = once(partial(pcv.compare, learners, "y ~ x", DATA, folds=folds, loss=loss))
        yield lambda made=made: _compared(made())
        yield lambda made=made: as_text(made().pairs())
        yield lambda made=made: shown(made().confidence_set(draws=100))
        yield lambda made=made: shown(made().stability(draws=5))
    for validation, test, times in product((0.2, 0.5, 0.0, 1.0), (0.2, 0.5), (0, 1, 3)):
        asked = {"validation": validation, "test": test, "times": times, "random": 1}
        made = partial(pcv.benchmark, {"near": (KNN, {"k": [1, 3]}), "line": OLS}, "y ~ x", DATA)
        yield lambda made=made, asked=asked: shown(made(**asked))


def _compared(result: Any) -> list[Any]:
    return [shown(result), result.best, told(result.paired("line", "mean"))]


def curves() -> Iterator[Call]:
    for folds in USUAL:
        made = partial(pcv.error_curve, KNN, "y ~ x + z", DATA, grid={"k": [1, 2, 4]}, folds=folds)
        yield lambda made=made: shown(made(), "augment")
        for sizes in ([3, 6], [0.5, 1.0], [6, 3], [3], [0], [1000], [3, 3], [0.001], [], [4.5]):
            asked = {"sizes": sizes, "folds": folds}
            yield lambda asked=asked: shown(
                pcv.learning_curve(OLS, "y ~ x", DATA, **asked), "augment"
            )
    for seeds, splits in product(
        (range(2), [1], [], [1, 1]), ([2, 3], [pcv.KFold(3)], [pcv.Blocks(2)], 3)
    ):
        for null, method in ((None, "auto"), (2.0, "all_pairs")):
            asked = {"folds": splits, "seeds": seeds, "null": null, "method": method}
            yield lambda asked=asked: shown(pcv.multiverse(OLS, "y ~ x", DATA, **asked))
            yield lambda asked=asked: shown(pcv.multiverse([OLS, MEAN], "y ~ x", DATA, **asked))


def resampled() -> Iterator[Call]:
    for times, (learner, formula) in product(
        (2, 10, 30), [(OLS, "y ~ x"), (LOGIT, "c ~ z"), (KNN, "y ~ x")]
    ):
        folds = pcv.Bootstrap(times, random=1)
        made = once(partial(pcv.cross_validate, learner, formula, DATA, folds=folds))
        yield lambda made=made: shown(made())
        yield lambda made=made: as_text(made().tidy("bootstrap"))
        for metric in (None, "rmse", "accuracy"):
            yield lambda made=made, metric=metric: told(made().interval(metric=metric))


def audited() -> Iterator[Call]:
    copied = pd.concat([DATA, DATA[:4]], ignore_index=True)
    for data, folds, times in product((DATA, copied), (2, FOLDS["five"]), (4, 5)):
        for learner, formula in ((OLS, "y ~ x + z"), (KNN, "c ~ x + z")):
            made = partial(pcv.audit, learner, formula, data, folds=folds, times=times)
            yield lambda made=made: _audited(made())


def _audited(found: Any) -> list[Any]:
    return [shown(found), found.skill, found.p_value]


def traced() -> Iterator[Call]:
    for number in ("19.30", 19.3, "1e2", "abc", None, "12", "0.0", float("nan"), True, "-3.50"):
        yield lambda number=number: [Printed.of(number).value, Printed.of(number).within]
    for seed in (
        None,
        0,
        1,
        2,
        3,
        5,
        17,
        42,
        99,
        100,
        101,
        123,
        500,
        1000,
        1234,
        2021,
        9999,
        10_000,
    ):
        yield partial(of_seed, seed)
    draw = np.random.default_rng(1)
    for n, k in ((7, 2), (12, 5)):
        labels = draw.integers(0, k, (3, n))
        rows = {"residual": draw.normal(size=(3, n)), "zero_one": draw.integers(0, 2, (3, n)) * 1.0}
        found = partial(estimates, rows, draw.normal(size=n), labels, k)
        yield lambda found=found: [[str(name), value] for name, value in found().items()]
    for values in (
        np.linspace(0, 1, 999),
        np.array([]),
        np.array([np.nan, 0.5]),
        np.ones(50) * 0.5,
    ):
        for number in ("0.5", "0.500", "7"):
            yield partial(expected_by_chance, values, Printed.of(number))
    right = str(
        round(
            pcv.cross_validate(OLS, "mpg ~ wt", CARS, folds=pcv.RFolds("boot", 5, seed=3)).pooled, 4
        )
    )
    for number, seeds, k in product((right, "9.99", "1e9"), (None, range(5), [3]), (2, 5)):
        made = partial(
            find_convention, number, OLS, "mpg ~ wt", CARS, k, range(9) if seeds is None else seeds
        )
        yield lambda made=made: as_text(made())


CALLS: dict[str, Call] = {
    "edges: cross-validation": outcomes(validated),
    "edges: tuning": outcomes(tuned),
    "edges: nested cross-validation": outcomes(nested),
    "edges: comparisons": outcomes(compared),
    "edges: curves and multiverses": outcomes(curves),
    "edges: resamples": outcomes(resampled),
    "edges: audits": outcomes(audited),
    "edges: printed numbers": outcomes(traced),
}
