"""Every loss and metric by name keeps the contract."""

from __future__ import annotations

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import IntervalError
from pycvstat.losses import LOSSES, Predictions
from pycvstat.losses.metrics import METRICS
from tests.losses.contract import loss_keeps, metric_keeps

RNG = np.random.default_rng(4)
CLASSES = RNG.integers(0, 3, 40)
PROB = RNG.dirichlet([1, 1, 1], (2, 40))
TWO = np.where(np.arange(60) % 2, "yes", "no")
X = RNG.normal(size=60) + (TWO == "yes")
MEANS = np.exp(0.3 * X) * RNG.gamma(8.0, size=60)


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name: str) -> None:
    loss = LOSSES[name]
    if "nominal" in loss.for_kinds:
        loss_keeps(loss, CLASSES, Predictions(PROB.argmax(axis=2).astype(float), PROB))
    if loss.for_kinds == ("continuous",) or name == "absolute":
        loss_keeps(loss, RNG.gamma(2.0, size=40), Predictions(RNG.gamma(2.0, size=(2, 40))))


@pytest.mark.filterwarnings("ignore:The losses have heavy tails")  # gamma errors
@pytest.mark.parametrize("name", METRICS)
def test_metrics(name: str) -> None:
    numbers = METRICS[name].needs == "numbers"
    y, learner = (MEANS, pcv.GLM("gamma", link="log")) if numbers else (TWO, pcv.Logit())
    data = {"x": X, "y": y}
    result = pcv.cross_validate(learner, "y ~ x", data, folds=pcv.KFold(4, random=2))
    if name == "calibration_error":  # a draw has fewer different rows and so larger gaps
        with pytest.raises(IntervalError, match="all on one side of this metric"):
            result.interval(metric=name)
    else:
        metric_keeps(METRICS[name], result)
