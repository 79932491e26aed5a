"""Curves over thresholds are those of scikit-learn, and their areas the metrics."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st
from sklearn import metrics as sk

from pycvstat.losses.metrics import METRICS
from pycvstat.losses.of_probabilities import precision_recall_points, roc_points

SAME = 1e-12  # the same numbers summed in another order
ROWS = st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=40).filter(
    lambda rows: 0 < sum(y for y, _ in rows) < len(rows)
)


@given(ROWS)
def test_points_are_those_of_scikit_learn_and_areas_the_metrics(rows):
    y, score = np.array([y for y, _ in rows], int), np.array([s for _, s in rows], float)
    false, true = roc_points(y, score)
    theirs = sk.roc_curve(y, score, drop_intermediate=False)
    np.testing.assert_allclose(false, theirs[0], rtol=SAME)
    np.testing.assert_allclose(true, theirs[1], rtol=SAME)
    np.testing.assert_allclose(np.trapezoid(true, false), METRICS["auc"].value(y, score), rtol=SAME)
    recall, precision = precision_recall_points(y, score)
    theirs = sk.precision_recall_curve(y, score)
    np.testing.assert_allclose(recall[::-1], theirs[1][:-1], rtol=SAME)
    np.testing.assert_allclose(precision[::-1], theirs[0][:-1], rtol=SAME)
    area = np.diff(recall, prepend=0) @ precision
    np.testing.assert_allclose(area, METRICS["average_precision"].value(y, score), rtol=SAME)
