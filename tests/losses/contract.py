"""What every loss and every metric keeps, ours and a user's own, on some responses."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import pycvstat as pcv
from pycvstat.losses import Loss, Metric, Predictions
from pycvstat.losses.metric import count_classes

SAME = 1e-12  # the same numbers summed in another order


def loss_keeps(loss: Loss, y: np.ndarray, predictions: Predictions) -> None:
    """One number per candidate and row, in the range, each from its own row."""
    found = loss.pointwise(y, predictions)
    assert found.shape == predictions.values.shape
    low, high = loss.range
    assert (found >= low).all()
    assert (found <= high).all()
    order = np.argsort(y, kind="stable")[::-1]
    prob = None if predictions.prob is None else predictions.prob[:, order]
    again = loss.pointwise(y[order], Predictions(predictions.values[:, order], prob))
    np.testing.assert_array_equal(again, found[:, order])


def metric_keeps(metric: Metric, result: pcv.CVResult) -> None:
    """One number per fold, in the range, whatever the order of the rows; with an interval."""
    y, p = metric.rows(result.table)
    classes = count_classes(result.table)
    low, high = metric.range
    for a, b in pairwise(result.plan.offsets):
        value = metric.value(y[a:b], p[a:b], classes)
        assert low <= value <= high
        turned = metric.value(y[a:b][::-1], p[a:b][::-1], classes)
        np.testing.assert_allclose(turned, value, rtol=SAME)
    found = result.interval(metric=metric)
    assert low <= found.low <= found.estimate <= found.high <= high
    np.testing.assert_allclose(result.metric(metric).estimate, found.estimate, rtol=SAME)
    assert metric.name in found.metric
