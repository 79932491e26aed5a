"""Every loss and every metric: its record, its values, what its interval is made of, its edges."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from pycvstat.errors import PycvstatError
from pycvstat.losses import LOSSES, Metric, Predictions, as_loss
from pycvstat.losses.metrics import METRICS, as_metric
from pycvstat.losses.of_probabilities import precision_recall_points, roc_points
from tests.fingerprints.bits import facts

RNG = np.random.default_rng(23)
N = 60
Y = np.round(RNG.gamma(2.0, size=N) + 0.2, 1)
P = np.round(Y * RNG.gamma(4.0, 0.25, size=N) + 0.1, 1)
TWO = np.arange(N) % 3 // 2
ONE = np.round(RNG.beta(2, 2, N) * 0.7 + 0.3 * TWO, 2)
HARD = (ONE > 0.5).astype(float)
THREE = np.arange(N) % 3
MANY = RNG.dirichlet([1, 1, 1], N) * 0.6 + 0.4 * np.eye(3)[THREE]
CHOSEN = np.where(RNG.random(N) < 0.6, THREE, RNG.integers(0, 3, N)).astype(float)
SHARES = RNG.integers(0, 5, N) / 4

Rows = tuple[Any, Any]
NUMBERS: list[Rows] = [
    (Y, P), (Y[:1], P[:1]), (Y[:5], np.ones(5)), (np.ones(5), P[:5]), (np.ones(5), np.ones(5)),
    (Y, Y), (Y[:4] - 1e3, P[:4]), (Y[:5].round(), P[:5]), (Y[:5].round() - 1, P[:5] * 1e-9),
]  # fmt: skip
CLASSES: list[Rows] = [
    (TWO, HARD), (TWO, 1 - HARD), (THREE, CHOSEN), (TWO[:2], HARD[:2]), (TWO * 0, HARD),
    (TWO, HARD * 0), (THREE, CHOSEN * 0), (TWO, TWO * 1.0),
]  # fmt: skip
SCORES: list[Rows] = [
    (TWO, ONE), (TWO, ONE.round(1)), (TWO, 1 - ONE), (TWO[:3], ONE[:3]), (TWO * 0, ONE),
    (TWO, ONE * 0 + 0.3), (TWO, TWO * 1.0), (TWO, np.where(ONE > 0.5, 1.0, ONE)),
    (TWO[:6], np.array([0.1, 0.2, 0.5, 0.5, 0.5, 0.6])),
    (np.array([0, 0, 1, 1, 0, 1]), np.array([0.01, 0.999, 0.3, 0.9999, 0.001, 0.02])),
]  # fmt: skip
PROBABILITIES: list[Rows] = [*SCORES, (SHARES, ONE), (THREE, MANY), (THREE, np.eye(3)[THREE])]
GIVEN = {
    "numbers": NUMBERS, "classes": CLASSES, "scores": SCORES, "probabilities": PROBABILITIES,
}  # fmt: skip
BY_PARAMETER = (
    "tweedie(0)", "tweedie(1.5)", "tweedie(2.5)", "negative_binomial_deviance(0.7)",
    "pinball(0.8)", "f_beta(2)", "f_beta(0.5)", "precision(2)", "npv(0)", "auc(1)", "brier(2)",
    "calibration_slope(0)",
)  # fmt: skip


def _or_error(call: Callable[[], Any]) -> Any:
    """What a call returns, or the kind of its error."""
    try:
        return call()
    except (PycvstatError, IndexError, ValueError) as problem:
        return type(problem).__name__


def _delta(metric: Metric, y: Any, p: Any) -> Any:
    """What the interval is made of: columns, their function and its gradient, or influence."""
    if metric.influence is not None:
        return metric.influence(y, p)
    assert metric.smooth is not None
    columns = metric.smooth.columns(y, p, 3 if y is THREE else 2)
    m = columns.mean(axis=0)
    return [columns, metric.smooth.value(m), metric.smooth.gradient(m)]


def _metric(name: str) -> list[Any]:
    metric = as_metric(name)
    rows = GIVEN[metric.needs or "numbers"]
    with np.errstate(all="ignore"):
        values = [
            _or_error(lambda y=y, p=p, k=k: metric.value(y, p, k)) for y, p in rows for k in (2, 3)
        ]
        parts = [_or_error(lambda y=y, p=p: _delta(metric, y, p)) for y, p in rows if metric.linear]
    return [facts(metric), metric.perfect, values, parts]


def _loss(name: str) -> list[Any]:
    loss = as_loss(name)
    given: list[tuple[Any, Any, Any]] = [(y, p, None) for y, p in NUMBERS[:3]]
    given += [(TWO, HARD, np.column_stack([1 - ONE, ONE])), (THREE, CHOSEN, MANY)]
    given += [(TWO * 1.0, ONE, None), (SHARES, ONE, None), (THREE, CHOSEN, np.eye(3)[THREE])]
    found = []
    for y, p, prob in given:
        held = Predictions(p[None], None if prob is None else prob[None])
        with np.errstate(all="ignore"):
            found.append(_or_error(partial(loss.pointwise, y, held)))
    return [facts(loss), found]


CALLS: dict[str, Callable[[], Any]] = {
    **{f"metric: {name}": partial(_metric, name) for name in (*METRICS, *BY_PARAMETER)},
    **{f"loss, pointwise: {name}": partial(_loss, name)
       for name in (*LOSSES, "huber(2)", "pinball(0.8)")},
    "thresholds": lambda: [[*roc_points(*rows), *precision_recall_points(*rows)]
                           for rows in SCORES[:4]],
}  # fmt: skip
