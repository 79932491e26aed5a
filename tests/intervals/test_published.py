"""Numbers that others have published."""

import numpy as np
import pytest

from pycvstat.intervals import corrected_t, interval
from pycvstat.intervals.from_losses import from_losses
from pycvstat.intervals.hoeffding import dev_size_needed, excess_risk_bound

PRINTED = 5e-8  # the last digit printed


def test_holdout_z_of_the_mlr3inferr_readme():
    """51 of 69 correct: 0.7391304 (0.6347628, 0.8434981)."""
    accuracy = from_losses(np.repeat([1.0, 0.0], [51, 18]), n_train=139)
    found = accuracy.interval("holdout_z")
    assert found.estimate == pytest.approx(0.7391304, abs=PRINTED)
    assert found.low == pytest.approx(0.6347628, abs=PRINTED)
    assert found.high == pytest.approx(0.8434981, abs=PRINTED)


def test_wilson_without_errors():
    """No error in 40: Wald would say (0, 0)."""
    found = from_losses(np.zeros(40), n_train=60).interval()
    assert found.method == "wilson"
    assert (found.low, round(found.high, 4)) == (0.0, 0.0876)


def test_the_excess_risk_of_a_dev_set():
    """sqrt((2 / m) ln(2 |Theta| / delta)), by hand for m = 1000, 20 candidates, delta = 0.05."""
    assert excess_risk_bound(1000, 0.05, 20) == pytest.approx(np.sqrt(0.002 * np.log(800)))
    m = dev_size_needed(0.05, 0.05, 20)
    assert m == int(np.ceil(2 * np.log(800) / 0.0025))
    assert excess_risk_bound(m, 0.05, 20) <= 0.05 < excess_risk_bound(m - 1, 0.05, 20)


def test_corrected_t_by_hand():
    """Ten folds: s sqrt(1/10 + 1/9), t with 9 degrees of freedom."""
    scores = np.array([0.2, 0.3, 0.1, 0.25, 0.15, 0.3, 0.2, 0.2, 0.1, 0.2])
    found = corrected_t(scores, 90, 10)
    half = 2.2621571627982 * scores.std(ddof=1) * np.sqrt(0.1 + 1 / 9)
    assert found.high - found.estimate == pytest.approx(half, rel=1e-12)
    assert found.target == "ER(90)"


def test_table_and_scores_agree():
    losses = np.random.default_rng(1).normal(size=50) ** 2
    result = from_losses(losses, np.arange(50) % 5)
    by_table = interval(result.table, "corrected_t")
    by_scores = corrected_t(result.table.fold_means()[:, 0], 40, 10)
    assert (by_table.low, by_table.high) == (by_scores.low, by_scores.high)
