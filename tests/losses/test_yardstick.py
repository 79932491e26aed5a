"""The definitions of yardstick and Metrics, written out from their documentation.

yardstick is no package of Debian, so its formulas stand here, each computed from counts and sums
alone; Metrics is compared live. Where a definition differs from ours, that is said and checked.
"""

from __future__ import annotations

import numpy as np
import pytest

from pycvstat.losses.metrics import METRICS, as_metric

SAME = 1e-12  # the same numbers summed in another order
RNG = np.random.default_rng(23)
N = 140
Y = RNG.gamma(3.0, size=N)
P = Y * RNG.gamma(9.0, 1 / 9, size=N)
TRUE = RNG.integers(0, 2, N)
PROB = np.clip(RNG.beta(2, 2, N) * 0.6 + 0.3 * TRUE, 0.02, 0.98)
HARD = (PROB > 0.5).astype(float)
TP, FP = ((HARD == 1) & (TRUE == 1)).sum(), ((HARD == 1) & (TRUE == 0)).sum()
FN, TN = ((HARD == 0) & (TRUE == 1)).sum(), ((HARD == 0) & (TRUE == 0)).sum()
SENS, SPEC, PPV, NPV = TP / (TP + FN), TN / (TN + FP), TP / (TP + FP), TN / (TN + FN)
CHANCE = ((TP + FP) * (TP + FN) + (TN + FN) * (TN + FP)) / N**2
WON = np.sign(PROB[TRUE == 1][:, None] - PROB[TRUE == 0]) / 2 + 0.5
BELOW = (Y - Y.mean()) @ (Y - Y.mean())

YARDSTICK = {
    "accuracy": (TP + TN) / N,
    "bal_accuracy": (SENS + SPEC) / 2,
    "sens": SENS,
    "spec": SPEC,
    "ppv": PPV,
    "npv": NPV,
    "f_meas": 2 * PPV * SENS / (PPV + SENS),
    "j_index": SENS + SPEC - 1,
    "mcc": (TP * TN - FP * FN) / np.sqrt(1.0 * (TP + FP) * (TP + FN) * (TN + FP) * (TN + FN)),
    "kap": ((TP + TN) / N - CHANCE) / (1 - CHANCE),
    "mn_log_loss": -np.log(np.where(TRUE == 1, PROB, 1 - PROB)).mean(),
    "roc_auc": WON.mean(),
    "rmse": np.sqrt(((Y - P) ** 2).mean()),
    "mae": np.abs(Y - P).mean(),
    "rsq_trad": 1 - ((Y - P) ** 2).sum() / BELOW,
    "rsq": np.corrcoef(Y, P)[0, 1] ** 2,
}
"""Of two classes with event_level = "second"."""


@pytest.mark.parametrize("name", YARDSTICK)
def test_definitions_of_yardstick(name):
    metric = as_metric(name)
    y, p = {"numbers": (Y, P), "classes": (TRUE, HARD)}.get(metric.needs, (TRUE, PROB))
    assert metric.value(y, p) == pytest.approx(YARDSTICK[name], rel=SAME)


def test_every_name_of_yardstick_is_compared_or_differs():
    """Lin's ccc by n, not n - 1; the Brier score as the mean of (y - p)^2, yardstick's too."""
    known = {n for m in METRICS.values() for n in m.elsewhere.get("yardstick", "").split()}
    synonyms = {"recall", "sensitivity", "specificity", "precision"}
    elsewhere = {"average_precision", "brier_class", "ccc"}
    assert known - synonyms - elsewhere == set(YARDSTICK)
    unbiased = 2 * np.cov(Y, P)[0, 1]
    unbiased /= Y.var(ddof=1) + P.var(ddof=1) + (Y.mean() - P.mean()) ** 2
    assert as_metric("ccc").value(Y, P) == pytest.approx(unbiased, rel=2 / N)
    classes = np.eye(2)[TRUE] - np.column_stack([1 - PROB, PROB])
    half = (classes**2).sum(axis=1).mean() / 2  # yardstick divides the sum over classes by two
    assert as_metric("brier_class").value(TRUE, PROB) == pytest.approx(half, rel=SAME)
    order, hits = np.argsort(-PROB), 0
    area = 0.0
    for rank, row in enumerate(order, 1):  # no ties here
        hits += TRUE[row]
        area += TRUE[row] * hits / rank / TRUE.sum()
    assert as_metric("average_precision").value(TRUE, PROB) == pytest.approx(area, rel=SAME)


@pytest.mark.live_r
def test_as_in_metrics():
    from pycvstat.r.bridge import require, run

    require(["Metrics"])
    found = run(
        """{ library(Metrics)
             list(mse = mse(y, p), rmse = rmse(y, p), mae = mae(y, p), mdae = mdae(y, p),
                  mape = mape(y, p), accuracy = accuracy(t, h), recall = recall(t, h),
                  precision = precision(t, h), fbeta_score = fbeta_score(t, h), auc = auc(t, q),
                  logLoss = logLoss(t, q)) }""",
        y=Y, p=P, t=TRUE.astype(float), h=HARD, q=PROB,
    )  # fmt: skip
    known = {n for m in METRICS.values() for n in m.elsewhere.get("Metrics", "").split()}
    assert known - {"ll"} == set(found)
    for name, value in found.items():
        metric = as_metric(name)
        y, p = {"numbers": (Y, P), "classes": (TRUE, HARD)}.get(metric.needs, (TRUE, PROB))
        assert metric.value(y, p) == pytest.approx(np.asarray(value).item(), rel=SAME), name
