"""Losses and metrics at their borders: what they refuse, how they are named, tables that lack."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn import metrics as theirs

import pycvstat as pcv
from pycvstat.folds import FoldPlan
from pycvstat.losses import LOSSES, Loss, LossTable, Metric, Predictions, as_loss
from pycvstat.losses.functions import losses_for
from pycvstat.losses.metric import count_classes, loss_label
from pycvstat.losses.metrics import METRICS, as_metric, averaging_of, fold_values, metric
from pycvstat.losses.of_numbers import negative_binomial, tweedie
from pycvstat.losses.of_probabilities import binomial_deviances, calibration_line
from pycvstat.losses.predictions import EPSILON, Maker, inside
from pycvstat.losses.table import FoldMeans, checksum, fold_weights
from tests.fingerprints.bits import facts
from tests.fingerprints.edges import outcomes
from tests.fingerprints.of_losses import CHOSEN, HARD, MANY, ONE, SHARES, THREE, TWO, P, Y

Call = Callable[[], Any]
BORDERS = [0.0, 1.0, 0.5, -1e-9, 1 + 1e-9, 2.0, -1.0, 1.5, 1e-300, EPSILON, 1 - EPSILON]
BETWEEN = np.arange(100) / 99
PLAN = FoldPlan.from_fold_ids(1 + np.arange(60) % 4)
AGAIN = pcv.Repeated(pcv.KFold(3), 2, random=1).plan(60)
NAMES = (
    "0-1", "01", "0/1", "0-1 loss", "0/1loss", "squared", "huber", "huber(2)", "huber(0)",
    "huber(-1)", "huber(1e-9)", "huber(1e)", "huber(1-1)", "pinball", "pinball(0)", "pinball(1)",
    "pinball(0.999)", "pinball(.)", "hubr(1)", "rmse", "Squared", "", "log ", "auc",
)  # fmt: skip
METRICS_TOO = (
    "pinball(0.8)", "pinball(1)", "tweedie(0)", "tweedie(0.5)", "tweedie(1)", "tweedie(1.5)",
    "tweedie(2)", "tweedie(-1)", "tweedie(nan)", "negative_binomial_deviance(0)",
    "negative_binomial_deviance(inf)", "negative_binomial_deviance(0.7)", "f_beta(2)", "f_beta(0)",
    "f_beta(inf)", "f_beta(x)", "precision(0)", "precision(1)", "precision(2)", "precision(4)",
    "npv(b)", "PRECISION(c)", "auc(0)", "auc(1)", "auc(a)", "auc(9)", "roc_auc(2)", "brier(1)",
    "log_loss(3)", "calibration_slope(2)", "neg_brier_score", "Balanced Accuracy", "f-meas",
    "none", "", " rmse ", "rsme", "rmse(1)", "auc_ovr(1)", "f1_macro", "j index", "recall(2)",
)  # fmt: skip


def of_pairs() -> Iterator[Call]:
    """Every loss and metric of one row, at the borders of responses and predictions."""
    for y, p in product(BORDERS, BORDERS):
        one, held = np.array([y, 1.0]), Predictions(np.array([[p, 0.25]]))
        for name in (*LOSSES, "huber(1.5)", "pinball(0.8)"):
            yield partial(as_loss(name).pointwise, one, held)
        for name in ("gamma_deviance", "mape", "log_loss", "brier", "accuracy", "auc", "r2"):
            yield lambda n=name, y=one, p=held.values[0]: as_metric(n).value(y, p)
        yield lambda y=one, p=held.values[0]: tweedie(1.5)(y, p)
        yield lambda y=one, p=held.values[0]: negative_binomial(0.5)(y, p)
    for p, needs in product((0.5, np.nan, 0.2, 1.0), ("numbers", "classes", "scores", None)):
        for y in ([0.0, 1.0], [0.0, 0.5], [0.0, 2.0]):
            held = Predictions(np.array([[p, 0.75]]))
            for shares in (False, True):
                yield partial(held.given_to, "it", needs, np.array(y), 0, shares)
    for p, y in product(product((0.2, 0.7), repeat=5), product((0, 1), repeat=5)):
        yield lambda y=y, p=p: calibration_line(np.array(y), np.array(p))
    three = Predictions(np.arange(6.0).reshape(3, 2), np.arange(12.0).reshape(3, 2, 2))
    yield lambda: [[one.values, one.prob] for one in map(three.candidate, range(3))]
    yield lambda: [inside(np.array(BORDERS)), binomial_deviances(BETWEEN, BETWEEN)]


def of_classes() -> Iterator[Call]:
    """Classes with probabilities and without, two, three and one too many."""
    two, three = np.column_stack([1 - ONE, ONE])[None], MANY[None]
    held = [
        (TWO, Predictions(HARD[None])), (TWO, Predictions(HARD[None], two)),
        (THREE, Predictions(CHOSEN[None])), (THREE, Predictions(CHOSEN[None], three)),
        (THREE * 0, Predictions(CHOSEN[None] * np.nan)), (TWO, Predictions(CHOSEN[None], three)),
        (SHARES, Predictions(ONE[None])), (TWO * 1.0, Predictions(ONE[None])),
    ]  # fmt: skip
    for (y, p), name in product(held, (*LOSSES, "huber(1)")):
        yield lambda y=y, p=p, n=name: as_loss(n).pointwise(y, p)
    for (y, p), levels in product(held, ((), ("a", "b"), ("b", "c", "a"), ("1", "2", "0"))):
        table = LossTable(PLAN, np.ones((60, 1)), y=y[np.argsort(PLAN.rows)], predictions=p,
                          levels=levels)  # fmt: skip
        for name in METRICS_TOO if levels else (*METRICS_TOO, *METRICS):
            yield lambda t=table, n=name: _measured(metric(t, n))
    for border, name in product(BORDERS, ("log_loss", "brier", "auc", "accuracy")):
        held_out = Predictions(np.append(np.full(59, 0.5), border)[None])
        table = LossTable(PLAN, np.ones((60, 1)), y=TWO * 1.0, predictions=held_out)
        yield lambda t=table, n=name: metric(t, n).by_fold
    several = (None, HARD, CHOSEN, CHOSEN + 1, HARD * np.nan)
    for y, values in product((TWO, THREE, TWO * 0), several):
        codes = None if values is None else Predictions(values[None])
        yield lambda y=y, p=codes: count_classes(
            LossTable(PLAN, np.ones((60, 1)), y=y, predictions=p)
        )
    for given in ({"y": Y}, {"predictions": held[0][1]}, {}):
        lacking = partial(LossTable, PLAN, np.ones((60, 1)), **given)
        yield lambda made=lacking: metric(made(), "rmse").estimate
    for y, p in held:
        table = LossTable(PLAN, np.ones((60, 1)), y=y, predictions=p)
        yield partial(count_classes, table)
        for name in ("auc", "accuracy", "rmse", "kappa", "r2"):
            yield lambda t=table, n=name: fold_values(t, n).means
            for of in ("folds", "pooled", "repeats", "none", None):
                yield lambda t=table, n=name, of=of: metric(t, n, 0, of).estimate


def _measured(found: Any) -> list[Any]:
    return [found.name, found.by_fold, found.by_repeat, found.pooled, found.estimate,
            found.undefined]  # fmt: skip


def named() -> Iterator[Call]:
    """What is a name, what is nearest to it, and records of users and of scikit-learn."""
    for name, kind in product(NAMES, ("continuous", "nominal", "ordinal")):
        yield lambda n=name, k=kind: facts(as_loss(n, k))
        yield lambda n=name, k=kind: [loss_label(n), losses_for(k)]
    for kind in ("continuous", "nominal", "ordinal"):
        yield lambda k=kind: facts(as_loss(None, k))
        yield lambda k=kind: facts(as_loss(np.subtract, k))
    elsewhere = [n for one in METRICS.values() for n in " ".join(one.elsewhere.values()).split()]
    for name in (*METRICS_TOO, *elsewhere):
        yield lambda n=name: facts(as_metric(n))
        yield lambda n=name: facts(as_metric(n, ("a", "b", "c")))
        yield lambda n=name: [averaging_of(as_metric(n), None), as_metric(n).label]

    def bad(y: Any, p: Any) -> Any:
        raise ValueError("no.")

    users: list[Any] = [
        bad, np.subtract, lambda y, p: 1.0, lambda y, p: "a", lambda y, p: (y - p)[:1],
        lambda y, p: y * np.nan, lambda y, p: np.where(p > 0, np.nan, 1.0), np.hypot, max,
        lambda y, p: (y - p)[None],
    ]  # fmt: skip
    for function, needs in product(users, (None, "numbers", "classes", "scores", "all")):
        for y, p in ((Y, Predictions(P[None])), (TWO, Predictions(HARD[None]))):
            yield lambda f=function, n=needs, y=y, p=p: Loss.of(f, needs=n).pointwise(y, p)
            yield lambda f=function, n=needs, y=y, p=p: Metric(f, n).value(y, p.values[0])
    for one in (7, None, "squared"):
        yield lambda one=one: Loss.of(one)  # type: ignore[arg-type]
        yield lambda one=one: Metric(one)  # type: ignore[arg-type]
    yield from of_theirs()


def of_theirs() -> Iterator[Call]:
    """scikit-learn's functions and scorers, on 0 and 1, labels, and classes in their order."""
    functions = [
        theirs.f1_score, theirs.log_loss, theirs.roc_auc_score, theirs.hinge_loss,
        theirs.brier_score_loss, theirs.mean_pinball_loss, theirs.top_k_accuracy_score,
        theirs.mean_squared_error, theirs.r2_score, theirs.zero_one_loss, theirs.max_error,
        theirs.cohen_kappa_score, theirs.matthews_corrcoef, theirs.average_precision_score,
        partial(theirs.f1_score, average="macro"), partial(theirs.f1_score, average="binary"),
        partial(theirs.f1_score, pos_label=1), partial(theirs.f1_score, pos_label=0),
        partial(theirs.f1_score, pos_label="b"), partial(theirs.fbeta_score, beta=2),
        partial(theirs.cohen_kappa_score, weights="linear"),
        partial(theirs.recall_score, labels=[1, 2], average="micro"),
        partial(theirs.recall_score, labels=["c", "a"], average="macro"),
        partial(theirs.roc_auc_score, multi_class="ovr"),
        partial(theirs.roc_auc_score, multi_class="ovo", average="weighted"),
        partial(theirs.roc_auc_score, multi_class="ovr", average="micro"),
        partial(theirs.mean_pinball_loss, alpha=0.8), partial(partial(theirs.f1_score), beta=1),
        theirs.make_scorer(theirs.mean_squared_error, greater_is_better=False),
        theirs.make_scorer(theirs.f1_score, average="weighted"),
        theirs.make_scorer(_gap, response_method="predict_proba"), theirs.make_scorer(_gap),
        theirs.make_scorer(_gap, response_method="decision_function", greater_is_better=False),
        partial(_gap), _gap,
    ]  # fmt: skip
    rows = [(Y, P), (TWO, HARD), (TWO, ONE), (THREE, CHOSEN), (THREE, MANY)]
    for one in functions:
        yield lambda one=one: facts(as_metric(one))
        for levels, (y, p) in product(((), ("b", "a"), ("b", "c", "a")), rows):
            if (y is THREE) == (len(levels) == 3) and not (y is Y and levels):
                yield lambda one=one, of=levels, y=y, p=p: _digits(as_metric(one, of).value(y, p))


def _gap(y: Any, p: Any) -> float:
    return float(np.mean(np.asarray(y) - np.asarray(p).ravel()[: len(y)]))


def _digits(value: float) -> float:
    """As many digits as versions of scikit-learn agree on."""
    return float(f"{value:.10g}")


def tables() -> Iterator[Call]:
    """Tables of fits that failed, of rows tested twice or never, weighted, of few fits."""
    losses = np.column_stack([Y - P, np.abs(Y - P)])
    holdout = pcv.Holdout(3, random=1).plan(60)
    for plan in (PLAN, AGAIN, holdout, FoldPlan.from_fold_ids([1] * 30 + [2] * 30)):
        some = losses[plan.rows]
        failed = np.where(plan.fold.repeat(plan.n_test)[:, None] == 0, np.nan, some)
        asked = product((some, failed, some * 1e300), (None, 1 + np.arange(60.0)), (True, False))
        for values, weights, kept in asked:
            given = {"candidates": ({"k": 1}, {"k": 2, "a": "x"}), "weights": weights}
            given["loss"] = "squared" if kept else "loss"
            held = Predictions(values.T)
            made = partial(LossTable, plan, values, y=Y, predictions=held, **given)
            yield lambda made=made: _of_table(made())
            yield lambda made=made: _of_table(made().select(1))
            yield lambda made=made: _of_table(made().linearised())
            yield lambda made=made: _of_means(made().means())
            for name in ("mse", "rmse", "r2", "medae", "mae"):
                yield lambda made=made, n=name: _measured(metric(made(), n, 1))
                yield lambda made=made, n=name: _measured(metric(made().means(), n))
                if as_metric(name).smooth is not None:
                    yield lambda made=made, n=name: _parts(as_metric(n), made())
                    yield lambda made=made, n=name: _parts(as_metric(n), made().means())
                yield lambda made=made, n=name: _measured(metric(made().select(0).means(), n))
    for n in (1, 2, 479, 480, 481, 2000):  # few of many rows
        plan = FoldPlan.from_rows([np.arange(30), np.arange(30, 60)], n=n + 60)
        yield lambda plan=plan: LossTable(plan, losses).tested_rows()
    shapes: list[dict[str, Any]] = [
        {"y": Y[:5]}, {"y": np.append(Y[:59], np.nan)}, {"weights": Y[:5]},
        {"predictions": Predictions(P[None, :5])}, {"candidates": ()},
        {"predictions": Predictions(P[None], MANY[None, :5])},
    ]  # fmt: skip
    for given in shapes:
        yield lambda given=given: LossTable(PLAN, losses[:, :1], **given).size
    yield lambda: FoldMeans(PLAN, losses[:4, :1], "squared", parts={"a": losses[:3]}).size
    yield lambda: [fold_weights(AGAIN, Y), [checksum([Y, None, np.array(["a"])])]]
    for times in (1e200, 1e-200, 0.0):
        yield lambda times=times: FoldMeans(PLAN, times * losses[:4, :1], "squared").std_error()
    for columns, m in product((1, 3), (3, 4, 5, 6, 50)):
        yield lambda p=columns, m=m: Maker(p, exact=True).ratio(m, 60)
    yield lambda: [Maker(1).one_scale, Maker(1).exact]


@np.errstate(all="ignore")
def _parts(read: Metric, table: LossTable | FoldMeans) -> Any:
    return read.parts(table)


def _of_table(table: LossTable) -> list[Any]:
    whole = table.tidy()
    counted = [table.size, len(table.plan), table.intact]
    whole = [whole, table.by_fit(), table.losses.flags.writeable]
    return [whole, table.per_row(), *table.tested_rows(), table.total(), *counted]


def _of_means(means: FoldMeans) -> list[Any]:
    summed = [means.estimate(), means.pooled(), means.total(), means.std_error()]
    return [means.tidy(), *summed, means.size, means.weighted]


CALLS: dict[str, Call] = {
    "edges: pairs of responses and predictions": outcomes(of_pairs),
    "edges: classes and probabilities": outcomes(of_classes),
    "edges: names of losses": outcomes(named),
    "edges: tables of losses": outcomes(tables),
}
