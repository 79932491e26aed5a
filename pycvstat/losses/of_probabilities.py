"""Metrics of predicted probabilities and scores: functions of (y, prediction), and their records.

Of two classes the prediction is that of the second, the event; of several one column a class. The
AUC is the Mann-Whitney statistic (Hanley and McNeil 1982), its influence curve that of DeLong,
DeLong and Clarke-Pearson (1988); of several classes Hand and Till (2001). Calibration: Cox (1958).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import LossError
from pycvstat.losses.metric import Better, Metric, mean_metric
from pycvstat.losses.predictions import inside, log_inside
from pycvstat.types import FloatArray, IntArray

BINS = 10
"""Bins of equal width of the expected calibration error (Naeini et al. 2015)."""
STEPS = 50
"""The most steps of Newton that a calibration line may take."""
CLOSE = 1e-9
"""After a step of this size the next one is below rounding: the steps' sizes square."""


def counted(y: NDArray[Any], score: FloatArray) -> tuple[IntArray, IntArray]:
    """Events and all rows at or above every distinct score, from the largest score downwards.

    Examples
    --------
    >>> counted(np.array([0, 1, 1]), np.array([0.2, 0.2, 0.9]))
    (array([1, 2]), array([1, 3]))
    """
    order = np.argsort(-score, kind="stable")
    hits, ranked = (np.asarray(y) == 1)[order].cumsum(), score[order]
    last = np.append(np.flatnonzero(np.diff(ranked)), ranked.size - 1)  # of every run of ties
    return hits[last], last + 1


def roc_points(y: NDArray[Any], score: FloatArray) -> tuple[FloatArray, FloatArray]:
    """1 - specificity and sensitivity at every threshold, from (0, 0) to (1, 1).

    Examples
    --------
    >>> roc_points(np.array([0, 1, 1]), np.array([0.2, 0.2, 0.9]))
    (array([0., 0., 1.]), array([0. , 0.5, 1. ]))
    """
    hits, above = counted(y, score)
    false, true = above - hits, hits
    return np.append(0.0, false / false[-1]), np.append(0.0, true / true[-1])


def precision_recall_points(y: NDArray[Any], score: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sensitivity (recall) and precision at every threshold, the largest score first.

    Examples
    --------
    >>> precision_recall_points(np.array([0, 1, 1]), np.array([0.2, 0.5, 0.9]))
    (array([0.5, 1. , 1. ]), array([1.        , 1.        , 0.66666667]))
    """
    hits, above = counted(y, score)
    return hits / hits[-1], hits / above


def auc(y: NDArray[Any], score: FloatArray) -> float:
    """Area under the ROC curve, ties counting one half; NaN when a class is absent.

    Examples
    --------
    >>> auc(np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8]))
    0.75
    """
    from scipy.stats import rankdata

    positive = np.asarray(y) == 1
    n1, n0 = int(positive.sum()), int((~positive).sum())
    if n1 == 0 or n0 == 0:
        return np.nan
    ranks = rankdata(score)
    return float((ranks[positive].sum() - n1 * (n1 + 1) / 2) / (n1 * n0))


def auc_influence(y: NDArray[Any], score: FloatArray) -> FloatArray:
    """The influence of every row on the AUC: its placement about it, over the share of its class.

    Examples
    --------
    >>> auc_influence(np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8]))
    array([ 0.5, -0.5, -0.5,  0.5])
    """
    from scipy.stats import rankdata

    positive = np.asarray(y) == 1
    n1, n0 = int(positive.sum()), int((~positive).sum())
    if n1 == 0 or n0 == 0:
        return np.full(positive.size, np.nan)
    among = rankdata(score)
    placed = np.empty(positive.size)
    placed[positive] = (among[positive] - rankdata(score[positive])) / n0
    placed[~positive] = 1 - (among[~positive] - rankdata(score[~positive])) / n1
    share = np.where(positive, n1, n0) / positive.size
    return np.asarray((placed - auc(y, score)) / share)


def one_vs_rest(y: NDArray[Any], p: FloatArray, weighted: bool = False) -> float:
    """Mean AUC of every class against the rest, equally or weighted by frequency.

    Examples
    --------
    >>> one_vs_rest(np.array([0, 1, 2]), np.eye(3))
    1.0
    """
    p = _columns(p)
    areas = np.array([auc(y == k, p[:, k]) for k in range(p.shape[1])])
    shares = np.bincount(np.asarray(y, dtype=np.int64), minlength=areas.size) / len(p)
    return float(areas @ shares) if weighted else float(areas.mean())


def one_vs_one(y: NDArray[Any], p: FloatArray, weighted: bool = False) -> float:
    """Mean AUC of all pairs of classes, each scored by both columns: Hand and Till's M.

    Examples
    --------
    >>> one_vs_one(np.array([0, 1, 2]), np.eye(3))
    1.0
    """
    p = _columns(p)
    areas, shares = [], []
    for a, b in combinations(range(p.shape[1]), 2):
        of = (y == a) | (y == b)
        both = auc(y[of] == a, p[of, a]), auc(y[of] == b, p[of, b])
        areas.append(sum(both) / 2)
        shares.append(of.mean())
    return float(np.average(areas, weights=shares)) if weighted else float(np.mean(areas))


def _columns(p: FloatArray) -> FloatArray:
    """One column a class, also of two classes."""
    return p if p.ndim == 2 else np.column_stack([1 - p, p])


def average_precision(y: NDArray[Any], score: FloatArray) -> float:
    """Sum over thresholds of the rise in recall times precision; NaN without the event.

    Examples
    --------
    >>> round(average_precision(np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])), 6)
    0.833333
    """
    hits, above = counted(y, score)
    if hits[-1] == 0:
        return np.nan
    return float(np.diff(hits, prepend=0) @ (hits / above) / hits[-1])


def log_losses(y: NDArray[Any], p: FloatArray) -> FloatArray:
    """Minus the log of the probability of the truth, kept 2.2e-16, the epsilon, from 0 and 1.

    Of shares of events, as of grouped binomials, that of an event and of its absence by their
    shares: the mean over the trials of a row.

    Examples
    --------
    >>> log_losses(np.array([1]), np.array([0.25])).round(6)
    array([1.386294])
    >>> log_losses(np.array([0.75]), np.array([0.5])).round(6)
    array([0.693147])
    """
    if p.ndim == 1:
        return np.asarray(-(y * log_inside(p) + (1 - y) * log_inside(1 - p)))
    return -log_inside(_columns(p)[np.arange(len(p)), np.asarray(y, dtype=np.int64)])


def binomial_deviances(y: NDArray[Any], p: FloatArray) -> FloatArray:
    """Unit deviances of the binomial law: twice the log loss, of shares about that of the truth.

    As in R: ``binomial()$dev.resids(y, p, 1)``.

    Examples
    --------
    >>> binomial_deviances(np.array([1.0, 0.5]), np.array([0.25, 0.5])).round(6)
    array([2.772589, 0.      ])
    """
    with np.errstate(all="ignore"):
        own = np.where((y > 0) & (y < 1), y * np.log(y) + (1 - y) * np.log(1 - y), 0.0)
    return np.maximum(2 * (log_losses(y, p) + own), 0.0)


def brier_losses(y: NDArray[Any], p: FloatArray) -> FloatArray:
    """(y - p)^2 of two classes; of several the sum over classes.

    Examples
    --------
    >>> brier_losses(np.array([1]), np.array([0.75]))
    array([0.0625])
    """
    if p.ndim == 1:
        return np.asarray((y - p) ** 2)
    return np.asarray(((np.eye(p.shape[1])[np.asarray(y, dtype=np.int64)] - p) ** 2).sum(axis=1))


def calibration_line(y: NDArray[Any], p: FloatArray) -> tuple[float, float]:
    """Intercept and slope of the logistic regression of y on the logit of p (Cox 1958).

    As in R: ``coef(glm(y ~ qlogis(p), binomial))``. NaN where one class is absent, the predictions
    are constant, or the classes are separated.

    Examples
    --------
    >>> a, b = calibration_line(np.array([0, 1, 0, 1]), np.array([0.2, 0.2, 0.8, 0.8]))
    >>> abs(a) < 1e-12, abs(b) < 1e-12
    (True, True)
    """
    logit = _logit(y, p, "the calibration line")
    if np.ptp(y) == 0 or np.ptp(logit) == 0:
        return np.nan, np.nan
    low, high = logit[y < 1], logit[y > 0]
    if low.max() <= high.min() or high.max() <= low.min():
        return np.nan, np.nan
    found = _newton(np.column_stack([np.ones(len(p)), logit]), np.asarray(y, float), 0.0)
    return float(found[0]), float(found[1])


def calibration_in_the_large(y: NDArray[Any], p: FloatArray) -> float:
    """Intercept of that regression with the slope held at 1: 0 where mean risk is right.

    As in R: ``coef(glm(y ~ 1, binomial, offset = qlogis(p)))``.

    Examples
    --------
    >>> abs(calibration_in_the_large(np.array([0, 1]), np.array([0.5, 0.5]))) < 1e-12
    True
    """
    logit = _logit(y, p, "calibration in the large")
    if np.ptp(y) == 0:
        return np.nan
    return float(_newton(np.ones((len(p), 1)), np.asarray(y, float), logit)[0])


def _logit(y: NDArray[Any], p: FloatArray, name: str) -> FloatArray:
    if p.ndim == 2:
        fix = "metric='calibration_slope(1)', the first class against the rest"
        raise LossError(f"{name} is of two classes.", given=f"{p.shape[1]} classes", fix=fix)
    p = inside(p)
    return np.asarray(np.log(p / (1 - p)))


def _newton(x: FloatArray, y: FloatArray, offset: Any) -> FloatArray:
    """Coefficients of a logistic regression; NaN where they have no finite maximum."""
    found, likelihood = np.zeros(x.shape[1]), -np.inf
    step = found
    for _ in range(STEPS):
        eta = x @ (found + step) + offset
        reached = float((y * eta - np.logaddexp(0, eta)).sum())
        if reached < likelihood - 1e-9 * (1 + abs(likelihood)):
            step = step / 2
            continue
        converged = abs(step).max() <= CLOSE * (1 + abs(found).max()) and likelihood > -np.inf
        found, likelihood = found + step, reached
        if converged:
            return found
        mu = 1 / (1 + np.exp(-eta))
        weight = mu * (1 - mu)
        try:
            step = np.linalg.solve((x * weight[:, None]).T @ x, x.T @ (y - mu))
        except np.linalg.LinAlgError:
            break
    return np.full(x.shape[1], np.nan)


def calibration_error(y: NDArray[Any], p: FloatArray) -> float:
    """Expected calibration error: mean distance of frequency and probability over ten bins.

    Of two classes the event's; of several that of the predicted class.

    Examples
    --------
    >>> calibration_error(np.array([0, 1, 1, 1]), np.array([0.5, 0.5, 1.0, 1.0]))
    0.0
    """
    hit, sure = np.asarray(y, float), p
    if p.ndim == 2:
        hit, sure = (p.argmax(axis=1) == y).astype(float), p.max(axis=1)
    bins = np.minimum((sure * BINS).astype(np.int64), BINS - 1)
    gaps = np.bincount(bins, hit - sure, BINS)
    return float(np.abs(gaps).sum() / len(sure))


def against_rest(of_two: Metric, place: int) -> Metric:
    """The record of a metric of two classes, for the class of a place against the rest.

    Examples
    --------
    >>> against_rest(OF_EVENT["auc"], 2).value(np.array([0, 1, 2]), np.eye(3))
    1.0
    """

    def turned(function: Any) -> Any:
        def of_one(y: Any, p: Any, *more: Any) -> Any:
            p = _columns(p)
            if place >= p.shape[1]:
                given = f"class {place + 1} of {p.shape[1]}"
                raise LossError("there is no such class.", given=given)
            return function((np.asarray(y) == place).astype(np.int64), p[:, place], *more)

        return of_one

    smooth, curve = of_two.smooth, of_two.influence
    return replace(
        of_two,
        function=turned(of_two.function),
        needs="probabilities",
        smooth=smooth and replace(smooth, columns=turned(smooth.columns), loss=""),
        influence=curve and turned(curve),
        shares=False,
        covered=None,
    )


def _area(name: str, function: Callable[..., float], theirs: str) -> Metric:
    given: dict[str, Any] = {"better": "larger", "elsewhere": {"scikit-learn": theirs}}
    return Metric(function, "probabilities", name, (0.0, 1.0), **given)


def _calibration(name: str, of: Callable[..., float], better: Better, **more: Any) -> Metric:
    more |= {"better": better, "shares": True, "averaging": "pooled"}
    return Metric(of, "probabilities", name, **more)


PROBABILITIES: tuple[Metric, ...] = (
    mean_metric(
        "log_loss",
        log_losses,
        "probabilities",
        loss="log",
        usual=True,
        covered=(94, 100, 98),
        shares=True,
        elsewhere={
            "scikit-learn": "neg_log_loss", "yardstick": "mn_log_loss", "caret": "logLoss",
            "Metrics": "logLoss ll",
        },
    ),
    mean_metric("binomial_deviance", binomial_deviances, "probabilities", shares=True),
    mean_metric(
        "brier",
        brier_losses,
        "probabilities",
        loss="brier",
        words="Brier score",
        covered=(96, 99, 97),
        usual=True,
        shares=True,
        range=(0.0, 2.0),
        elsewhere={"scikit-learn": "brier_score_loss neg_brier_score", "yardstick": "brier_class"},
    ),
    Metric(
        auc,
        "scores",
        range=(0.0, 1.0),
        influence=auc_influence,
        citation=("delong1988",),
        better="larger",
        words="AUC",
        covered=(96, 98, 96),
        usual=True,
        elsewhere={
            "scikit-learn": "roc_auc_score roc_auc", "yardstick": "roc_auc", "caret": "ROC",
            "Metrics": "auc",
        },
    ),
    _area("auc_ovr", one_vs_rest, "roc_auc_ovr"),
    _area("auc_ovr_weighted", lambda y, p: one_vs_rest(y, p, True), "roc_auc_ovr_weighted"),
    _area("auc_ovo", one_vs_one, "roc_auc_ovo"),
    _area("auc_ovo_weighted", lambda y, p: one_vs_one(y, p, True), "roc_auc_ovo_weighted"),
    Metric(
        average_precision,
        "scores",
        range=(0.0, 1.0),
        better="larger",
        elsewhere={"scikit-learn": "average_precision_score", "yardstick": "average_precision"},
    ),
    _calibration("calibration_intercept", lambda y, p: calibration_line(y, p)[0], "nearer 0"),
    _calibration("calibration_slope", lambda y, p: calibration_line(y, p)[1], "nearer 1"),
    _calibration("calibration_in_the_large", calibration_in_the_large, "nearer 0"),
    _calibration("calibration_error", calibration_error, "smaller", range=(0.0, 1.0)),
)  # fmt: skip
OF_EVENT: dict[str, Metric] = {
    one.name: one for one in PROBABILITIES if not one.name.startswith("auc_")
}
"""Those of two classes, which can be of one class against the rest."""
