"""Procedures with learners that draw or keep state, with metrics, groups, words and resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np

import pycvstat as pcv
from pycvstat.learners.external.learner import External
from pycvstat.procedures.conventions import ROUNDING, Printed
from pycvstat.procedures.partitioned import _refuse_large
from tests.fingerprints.edges import once, outcome, outcomes, told
from tests.fingerprints.of_procedures_edges import (
    CARS,
    DATA,
    FOLDS,
    KNN,
    LOGIT,
    MEAN,
    OLS,
    RULES,
    THREE,
    Call,
    shown,
)


class Draws:
    """An estimator that draws from NumPy's global generator."""

    def __init__(self, size: float = 1.0) -> None:
        self.size = size

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"size": self.size}

    def set_params(self, size: float) -> Draws:
        self.size = size
        return self

    def fit(self, X: Any, y: Any) -> Draws:
        self.value_ = float(np.mean(y)) + self.size * np.random.normal()
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.value_)


class Counts:
    """An estimator that knows the rows it was fitted on, and of others how many fits there were."""

    fits: ClassVar[int] = 0

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def fit(self, X: Any, y: Any) -> Counts:
        type(self).fits += 1
        self.known_ = {row.tobytes(): value for row, value in zip(X, y, strict=True)}
        return self

    def predict(self, X: Any) -> Any:
        return np.array([self.known_.get(row.tobytes(), self.fits) for row in X])


def near(given: Any = 2) -> Any:
    """Neighbours tuned on inner folds that are drawn as the procedure goes on."""
    return pcv.Tuned(KNN, {"k": [1, 2, 3]}, inner=pcv.KFold(given))


def everything(learner: Any, **more: Any) -> Iterator[Call]:
    """Every procedure that takes a learner."""
    given = ("y ~ x + z", DATA)
    for folds in (THREE, FOLDS["repeated"]):
        for asked in ({}, {"bias_adjusted": True}):
            yield lambda f=folds, a=asked: shown(
                pcv.cross_validate(learner, *given, folds=f, **a, **more)
            )
        yield lambda f=folds: _audited(pcv.audit(learner, *given, folds=f, times=5, **more))
        yield lambda f=folds: shown(
            pcv.compare({"one": learner, "mean": MEAN}, *given, folds=f, **more)
        )
        yield lambda f=folds: shown(
            pcv.learning_curve(learner, *given, sizes=[4, 8], folds=f, **more)
        )
        yield lambda f=folds: shown(pcv.error_curve(learner, *given, grid=[{}], folds=f, **more))
    yield lambda: _audited(pcv.audit(learner, *given, folds=3, times=5, random=2, **more))
    yield lambda: shown(
        pcv.cross_validate(learner, *given, folds=pcv.Bootstrap(5, random=1), **more)
    )
    yield lambda: shown(
        pcv.multiverse({"one": learner, "mean": MEAN}, *given, folds=[2, 3], seeds=range(2), **more)
    )
    both = {"one": learner, "mean": MEAN}
    yield lambda: shown(pcv.compare(both, *given, folds=THREE).stability(draws=20, **more))
    yield lambda: shown(
        pcv.benchmark(both, *given, validation=0.2, test=0.2, times=2, random=1, **more)
    )


def _audited(found: Any) -> list[Any]:
    return [shown(found), found.skill, found.p_value, found.near, found.duplicates]


def drawing() -> Iterator[Call]:
    yield from everything(Draws())
    yield from everything(near())
    grid = {"size": [0.5, 1.0, 2.0]}
    for folds in (THREE, FOLDS["holdout"]):
        yield lambda f=folds: shown(pcv.tune(Draws(), "y ~ x", DATA, grid=grid, folds=f))
        yield lambda f=folds: shown(pcv.error_curve(Draws(), "y ~ x", DATA, grid=grid, folds=f))
        yield lambda f=folds: shown(
            pcv.nested_cv(Draws(), "y ~ x", DATA, grid=grid, outer=THREE, inner=f)
        )


def keeping_state() -> Iterator[Call]:
    for call in (*everything(Counts()), *everything(External(Counts(), check_state=False))):
        yield partial(_counted, call)


def _counted(call: Call) -> Any:
    Counts.fits = 0
    return [call(), Counts.fits]


def kept() -> Iterator[Call]:
    """What is kept of work, how many fits the same call makes again, and what other work may do."""
    counts = External(Counts(), check_state=False)
    given = {"formula": "y ~ x + z", "folds": THREE}
    procedures: dict[str, Callable[..., Any]] = {
        "cross-validation": partial(pcv.cross_validate, **given),
        "tuning": partial(pcv.tune, grid=[{}], **given),
        "nested": partial(
            pcv.nested_cv, formula="y ~ x", grid=[{}], outer=THREE, inner=pcv.Blocks(2)
        ),
        "error curve": partial(pcv.error_curve, grid=[{}], **given),
        "learning curve": partial(pcv.learning_curve, sizes=[4, 8], **given),
        "audit": partial(pcv.audit, times=5, **given),
        "bootstrap": partial(pcv.cross_validate, formula="y ~ x", folds=pcv.Bootstrap(3, random=1)),
    }
    others: tuple[dict[str, Any], ...] = (
        {}, {"data": DATA.assign(y=DATA["z"])}, {"loss": "absolute"}, {"formula": "y ~ z"},
    )  # fmt: skip
    for call, learner, other in product(procedures.values(), (counts, OLS), others):
        yield partial(_kept, partial(call, learner), other)


def _kept(call: Callable[..., Any], other: dict[str, Any]) -> list[Any]:
    found: list[Any] = []
    with TemporaryDirectory() as folder:
        for asked in ({}, other):
            Counts.fits = 0
            made = outcome(partial(call, **{"data": DATA} | asked, checkpoint=folder))
            found += [told(repr(made[1])) if made[0] == "is" else made[0], Counts.fits]
            found += [len(list(Path(folder).rglob("task-*")))]
    return found


def by_metric() -> Iterator[Call]:
    for metric, rule in product(("rmse", "r2", "mae", "none"), RULES[:5]):
        made = partial(pcv.tune, KNN, "y ~ x + z", DATA, grid={"k": [1, 2, 3, 5]}, **rule)
        yield lambda m=metric, made=made: _stands(made(metric=m, folds=THREE))
    for metric in ("auc", "accuracy", "log_loss", "brier"):
        made = partial(pcv.tune, KNN, "c ~ x + z", DATA, grid={"k": [3, 4, 5]}, metric=metric)
        yield lambda made=made: _stands(made(folds=pcv.KFold(2, random=3)))
        nested = partial(pcv.nested_cv, KNN, "c ~ x + z", DATA, grid={"k": [2, 3]}, metric=metric)
        made = once(partial(nested, outer=THREE, inner=THREE))
        yield lambda made=made: [shown(made()), list(made().chosen)]


def _stands(result: Any) -> list[Any]:
    one = result.standing
    numbers = [dict(one.edge), one.tied, one.runner_up, one.lead, one.noise, one.close]
    return [shown(result), numbers, one.within_noise, result.best, result.tied]


def over_words() -> Iterator[Call]:
    """Advice where candidates have no order, or several parameters."""
    for grid, rule in product(
        ({"kernel": ["inv", "rank"]}, {"distance": [1, 2], "k": [1, 2]}, {"distance": [1.0, 2.0]},
         {"scale": [True, False], "distance": [1, 2]}),
        ("one_se", "tolerance"),
    ):  # fmt: skip
        yield lambda g=grid, r=rule: pcv.tune(KNN, "y ~ x", DATA, grid=g, folds=3, rule=r)
    for sizes, folds in product(([4], [4, 8], [4, 6, 9]), (THREE, FOLDS["holdout"])):
        made = once(partial(pcv.learning_curve, OLS, "y ~ x", DATA, sizes=sizes, folds=folds))
        yield lambda made=made: [*made().shift(9, 16), *made().shift(4, 9)]
        whole = partial(pcv.cross_validate, OLS, "y ~ x", DATA, folds=folds)
        yield lambda made=made, whole=whole: told(whole().interval(curve=made()).all_rows)
    for n, k, q, count in product((62, 63, 64, 65), (7,), (7, 8), (1, 2**16, 2**16 + 1)):
        plan = pcv.Blocks(k).plan(n)
        yield partial(_refuse_large, plan, q, count)


def resampled() -> Iterator[Call]:
    classes = DATA.assign(c=np.where(np.arange(16) < 3, "no", "yes"))
    for times, (learner, formula) in product((5, 99, 100), [(OLS, "y ~ x"), (LOGIT, "c ~ x")]):
        made = partial(pcv.cross_validate, learner, formula, classes)
        made = once(partial(made, folds=pcv.Bootstrap(times, random=1)))
        yield lambda made=made: [_every(made()), made().no_information, made().apparent]
    for metric in ("rmse", "mae", "r2"):
        folds = pcv.Bootstrap(100, random=2)
        made = once(partial(pcv.cross_validate, OLS, "y ~ x", DATA, folds=folds))
        for name in (".632", "optimism", "auto", ".632+"):
            yield lambda made=made, n=name, m=metric: told(made().interval(n, metric=m))
    yield lambda: told(pcv.audit(LOGIT, "c ~ x + z", classes, folds=2, times=5))


def _every(result: Any) -> list[Any]:
    made = [partial(result.interval, name) for name in ("out_of_bag", ".632", ".632+", "optimism")]
    found = [one() for one in made]
    return [
        [one.low, one.high, one.estimate, one.std_error, one.details, told(one.notes), told(one)]
        for one in found
    ]


def printed() -> Iterator[Call]:
    for number in ("0", "0.00", "12"):
        one = Printed.of(number)
        off = one.within * (1 + ROUNDING * np.array([-1, 0, 1, 2.0]))
        yield lambda one=one, off=off: [one.is_met(one.value + off), one.is_met(one.value - off)]
    for k, seeds, data in product((2, 5), ([1, 17], [42]), (CARS, CARS[:9])):
        made = once(partial(pcv.find_convention, "9.99", OLS, "mpg ~ wt", data, k, seeds))
        yield lambda made=made: [made().attrs["tried"], made().attrs["expected"]]
        made = partial(pcv.find_convention, "2", KNN, "mpg ~ wt + hp", data, k, seeds)
        yield lambda made=made: made().astype({"seed": "float64"})


CALLS: dict[str, Call] = {
    "edges: learners that draw": outcomes(drawing),
    "edges: learners that keep state": outcomes(keeping_state),
    "edges: what is kept": outcomes(kept),
    "edges: tuned by metrics": outcomes(by_metric),
    "edges: advice and sizes": outcomes(over_words),
    "edges: estimates from resamples": outcomes(resampled),
    "edges: conventions": outcomes(printed),
}
