"""The parity suite by room, and its cases: what Python computes, and the R code of the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd

from pycvstat.errors import InputError
from pycvstat.folds import (
    Blocks,
    FiveByTwo,
    Grouped,
    Holdout,
    KFold,
    LeaveOneOut,
    NestedPairs,
    PairedHalves,
    Repeated,
    RFolds,
    Stratified,
    Subsampling,
)
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals import interval
from pycvstat.learners.knn import KNN
from pycvstat.losses import FoldMeans, LossTable, Predictions
from pycvstat.procedures.cross_validate import cross_validate
from pycvstat.r.bridge import available, reference
from pycvstat.r.check.call import Call, call_of
from pycvstat.r.check.case import Case
from pycvstat.r.check.checking import Against, check
from pycvstat.r.check.crosscheck import SECONDS, Crosscheck
from pycvstat.rmath import RRandom
from pycvstat.rmath.tolerances import SUMS

Room = Literal[
    "random", "folds", "neighbours", "linear", "cross_validation", "nested", "intervals", "packages"
]
ROOMS: dict[Room, str] = {
    "random": "random numbers",
    "folds": "folds",
    "neighbours": "nearest neighbours",
    "linear": "linear models",
    "cross_validation": "cross-validation",
    "nested": "nested cross-validation",
    "intervals": "intervals",
    "packages": "R packages",
}
RECORDED = "recorded/cases.json"


def run_suite(against: Against = "auto", rooms: Sequence[Room] = tuple(ROOMS)) -> Crosscheck:
    """Run the parity cases; R runs in a process of its own.

    Parameters
    ----------
    against : {"auto", "live", "recorded", "both", "record"}
        As of `check`. The recorded values are part of the package.
    rooms : sequence of str

    Returns
    -------
    Crosscheck
        With a group for every room.

    Examples
    --------
    >>> found = run_suite("recorded", ("random",))
    >>> bool(found), len(found.rows)
    (True, 65)
    """
    if unknown := [room for room in rooms if room not in ROOMS]:
        raise InputError("there is no such room.", given=unknown[0], fix=f"of {', '.join(ROOMS)}")
    every = [case for room in rooms for case in cases(room)]
    if against == "auto":
        against = "live" if available() else "recorded"
    kept = None if against == "live" else reference.path(RECORDED)  # not ours to add to, installed
    return check(every, kept, against, seconds=SECONDS, separate=True)


def cases(room: Room) -> list[Case]:
    """The cases of a room; loaded here, since they take every learner."""
    from pycvstat.r.check import model_cases

    makers: dict[Room, Callable[[], Iterable[Case]]] = {
        "random": random_numbers,
        "folds": folds,
        "neighbours": neighbours,
        "linear": model_cases.models,
        "cross_validation": model_cases.cross_validation,
        "nested": model_cases.nested,
        "intervals": intervals,
        "packages": model_cases.packages,
    }
    return [replace(case, group=ROOMS[room]) for case in makers[room]()]


DRAWS: dict[str, Callable[[RRandom], Any]] = {
    "runif(10)": lambda r: r.runif(10),
    "rnorm(10)": lambda r: r.rnorm(10),
    "rnorm(5, 3, 2)": lambda r: r.rnorm(5, 3, 2),
    "rexp(10)": lambda r: r.rexp(10),
    "sample(10)": lambda r: r.sample(10),
    "sample(1e6, 5)": lambda r: r.sample(1_000_000, 5),
    "sample(2e7, 5)": lambda r: r.sample(20_000_000, 5),
    "sample(7, 9, TRUE)": lambda r: r.sample(7, 9, replace=True),
    "sample(5, 3, prob = 1:5)": lambda r: r.sample(5, 3, prob=np.arange(1.0, 6.0)),
    "sample(5, 9, TRUE, 1:5)": lambda r: r.sample(5, 9, True, np.arange(1.0, 6.0)),
    "sample(300, 20, TRUE, 1:300)": lambda r: r.sample(300, 20, True, np.arange(1.0, 301.0)),
    "c(runif(2), rnorm(3), sample(9), rexp(1))": lambda r: np.concatenate(
        [r.runif(2), r.rnorm(3), r.sample(9), r.rexp(1)]
    ),
}
ROUNDING = """{
      suppressWarnings(set.seed(seed, sample.kind = "Rounding"))
      drawn <- sample(10)
      RNGkind(sample.kind = "Rejection")
      drawn
    }"""


def random_numbers() -> Iterator[Case]:
    """Every kind of draw after every seed."""
    seeds = (0, 1, 42, 2**31 - 1, -5)
    for seed in seeds:
        for code, draw in DRAWS.items():
            yield Case(
                f"{code}, seed {seed}",
                lambda seed, draw=draw: draw(RRandom(seed)),
                f"{{ set.seed(seed); {code} }}",
                {"seed": seed},
            )
    for seed in seeds:
        yield Case(
            f"sample(10) before R 3.6, seed {seed}",
            lambda seed: RRandom(seed, sample_kind="Rounding").sample(10),
            ROUNDING,
            {"seed": seed},
        )


SPLITTERS: dict[str, Callable[[int, int], Any]] = {
    "shuffled chunks": lambda k, seed: KFold(k, random=seed),
    "rsample vfold_cv": lambda k, seed: RFolds("rsample", k, seed=seed),
    "glmnet foldid": lambda k, seed: RFolds("glmnet", k, seed=seed),
    "caret createFolds, numeric y": lambda k, seed: RFolds("caret", k, seed=seed),
    "caret createFolds, factor y": lambda k, seed: RFolds("caret", k, seed=seed),
    "holdout": lambda k, seed: Holdout(0.25, random=seed),
}
MORE: dict[str, Callable[[int], Any]] = {
    "stratified by classes, factor y": lambda seed: Stratified(4, random=seed),
    "stratified by quantiles, numeric y": lambda seed: Stratified(4, random=seed),
    "grouped": lambda seed: Grouped(4, random=seed),
    "subsampling": lambda seed: Subsampling(4, train=0.8, random=seed),
    "repeated": lambda seed: Repeated(KFold(4), 3, random=seed),
    "nested pairs": lambda seed: NestedPairs(4, repeats=2, random=seed),
    "paired halves": lambda seed: PairedHalves(2, 2, 0.8, random=seed),
    "5x2": lambda seed: FiveByTwo(random=seed),
    "boot cv.glm": lambda seed: RFolds("boot", 4, seed=seed),
    "cv cv": lambda seed: RFolds("cv", 4, seed=seed),
    "kknn cv.kknn": lambda seed: RFolds("kknn", 4, seed=seed),
}


def _planned(splitter: Any, n: int, name: str = "") -> Call:
    y: Any = None
    if "numeric" in name:
        y = np.sin(np.arange(1, n + 1))
    if "factor" in name:
        y = pd.Categorical(np.array(["a", "b", "c", "b"])[np.arange(n) % 4])
    groups = np.arange(n) % 11 if name == "grouped" else None
    return call_of(splitter.plan(n, y=y, groups=groups), y=y)


def folds() -> Iterator[Case]:
    """Blocks, shuffled chunks, every other splitter, and the folds of packages."""
    for n, k in ((20, 4), (10, 3), (7, 7), (103, 10), (100, 8), (10, 6), (9, 6), (50, 49)):
        yield Case(f"blocks, {n} rows, {k} folds", partial(_planned, Blocks(k, as_in_r=True), n))
    for seed in (1, 7, 123):
        for name, make in SPLITTERS.items():
            for n, k in ((32, 10), (150, 7), (11, 3)):
                planned = partial(_planned, make(k, seed), n, name)
                yield Case(f"{name}, {n} rows, {k} folds, seed {seed}", planned)
        for name, of in MORE.items():
            planned = partial(_planned, of(seed), 32, name)
            yield Case(f"{name}, 32 rows, 4 folds, seed {seed}", planned)


# on columns scaled by the training rows, in which nothing ties
SEARCH = """{
  near <- FNN::get.knnx(a, b, k)
  list(rows = near$nn.index, distances = near$nn.dist,
       mean = FNN::knn.reg(a, b, y, k)$pred)
}"""


def neighbours() -> Iterator[Case]:
    """Rows, distances, means, votes and leave-one-out means for several k, by FNN and class.

    The columns come scaled; k is odd and there are two classes, so that no vote can tie.
    """
    draw = RRandom(11)
    X = draw.rnorm(360).reshape(120, 3, order="F")
    y = np.sin(X[:, 0]) + X[:, 1] ** 2 + draw.rnorm(120, sd=0.3)
    label = np.where(y > np.median(y), "b", "a").astype(object)
    scaled, spread = X / X.std(axis=0, ddof=1), X[:90].std(axis=0, ddof=1)
    given = {"a": X[:90] / spread, "b": X[90:] / spread}

    def search(k: int, **of_r: Any) -> dict[str, Any]:
        fitted = KNN(k, "rectangular").fit(X=X[:90], y=y[:90])
        found, means = fitted.neighbours(X[90:]), fitted.predict(X[90:])
        return {"rows": found.rows + 1, "distances": found.distances, "mean": means}

    def vote(k: int, **of_r: Any) -> Any:
        return KNN(k, "rectangular").fit(X=X[:90], y=label[:90]).predict(X[90:])

    def left_out(x: Any, y: Any, k: int) -> Any:
        learner = KNN(k, "rectangular", scale=False)
        return cross_validate(learner, X=x, y=y, folds=LeaveOneOut()).predictions

    for k in (1, 3, 7, 15):
        asked = {**given, "y": y[:90], "k": k}
        name = f"FNN get.knnx and knn.reg, k = {k}"
        yield Case(name, search, SEARCH, asked, SUMS, packages=("FNN",))
        asked = {**given, "y": label[:90], "k": k}
        code = "as.character(class::knn(a, b, factor(y), k))"
        yield Case(f"class knn, k = {k}", vote, code, asked, packages=("class",))
        asked, code = {"x": scaled, "y": y, "k": k}, "FNN::knn.reg(x, y = y, k = k)$pred"
        name = f"FNN knn.reg leave-one-out, k = {k}"
        yield Case(name, left_out, code, asked, SUMS, packages=("FNN",))


FOLDS = np.repeat(np.arange(6), 10)
ANYWHERE = (-np.inf, np.inf)  # so that no end is clipped


def _losses(n: int, columns: int = 1) -> Any:
    return RRandom(5).rexp(n * columns).reshape(n, columns, order="F")


def _errors() -> Any:
    return (RRandom(6).runif(60) < 0.3).astype(float)[:, None]


def _table(plan: FoldPlan, losses: Any, **more: Any) -> LossTable:
    return LossTable(plan, losses, **{"candidates": ({},) * losses.shape[1], **more})


def _holdout(losses: Any, range_: tuple[float, float] = (0.0, np.inf)) -> LossTable:
    n = len(losses)
    plan = FoldPlan.from_splits([(np.arange(n, 2 * n), np.arange(n))], 2 * n)
    return _table(plan, losses, range=range_)


def _kfold(columns: int = 1, groups: Any = None, **more: Any) -> LossTable:
    return _table(FoldPlan.from_fold_ids(FOLDS, groups=groups), _losses(60, columns), **more)


def _repeated() -> LossTable:
    plan = FoldPlan.from_fold_ids(np.column_stack([FOLDS, np.roll(FOLDS, 7)]))
    return _table(plan, _losses(120))


def _scored() -> LossTable:
    classes, score = _errors()[:, 0].astype(np.int64), _losses(60)[:, 0]
    predictions = Predictions(classes[None].astype(float), np.stack([-score, score], axis=1)[None])
    plan = FoldPlan.from_fold_ids(FOLDS)
    return _table(plan, np.zeros((60, 1)), predictions=predictions, y=classes)


def _means(plan: FoldPlan) -> FoldMeans:
    return FoldMeans(plan, _losses(len(plan)), "loss", range=ANYWHERE)


def _pairs() -> LossTable:
    plan = NestedPairs(4, repeats=3, random=5).plan(24)
    return _table(plan, _losses(len(plan.rows)))


DRAWN = {"draws": 200, "random": 3}
METHODS: dict[str, tuple[Callable[[], LossTable | FoldMeans], str, dict[str, Any]]] = {
    "holdout z": (lambda: _holdout(_losses(60)), "holdout_z", {}),
    "holdout t": (lambda: _holdout(_losses(60)), "holdout_t", {}),
    "holdout t of errors": (lambda: _holdout(_errors(), (0, 1)), "holdout_t", {}),
    "Hoeffding": (lambda: _holdout(_errors(), (0, 1)), "hoeffding", {"bounds": (0, 1)}),
    "Wilson": (lambda: _holdout(_errors(), (0, 1)), "wilson", {}),
    "Clopper-Pearson": (lambda: _holdout(_errors(), (0, 1)), "clopper_pearson", {}),
    "CLT, all pairs": (_kfold, "all_pairs", {}),
    "CLT, within folds": (_kfold, "within_fold", {}),
    "corrected t": (_kfold, "corrected_t", {}),
    "log-scale corrected t": (_kfold, "log_t", {}),
    "log-scale corrected t, repeated": (_repeated, "log_t", {}),
    "row-wise corrected t": (_kfold, "pointwise_t", {}),
    "row-wise corrected t, repeated": (_repeated, "pointwise_t", {}),
    "by cluster": (lambda: _kfold(groups=np.repeat(np.arange(12), 5)), "cluster", {}),
    "cvAUC": (_scored, "cv_auc", {}),
    "bootstrap": (_kfold, "bootstrap", DRAWN),
    "BBC-CV": (lambda: _kfold(4, range=ANYWHERE), "bbc_cv", DRAWN),
    "Tibshirani": (lambda: _kfold(4, range=ANYWHERE), "tibshirani", {}),
    "dev set": (lambda: _holdout(_losses(60, 4)), "dev_set", {"bounds": (0, 20)}),
    "5x2 t": (lambda: _means(FiveByTwo(random=1).plan(10)), "five_by_two_t", {}),
    "5x2 F": (lambda: _means(FiveByTwo(random=1).plan(10)), "five_by_two_f", {}),
    "conservative z": (
        lambda: _means(PairedHalves(inner=6, outer=4, random=1).plan(40)), "conservative_z", {},
    ),
    "NCV": (_pairs, "ncv", {}),
}  # fmt: skip


def intervals() -> Iterator[Case]:
    """Every formula at four levels, on shared losses."""

    def limits(name: str, level: float) -> Call:
        table, method, options = METHODS[name]
        return call_of(interval(table(), method=method, level=level, **options))

    for name in METHODS:
        for level in (0.8, 0.9, 0.95, 0.99):
            yield Case(f"{name}, level {level:g}", partial(limits, name, level))
