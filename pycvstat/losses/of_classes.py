"""Metrics of predicted classes: functions of the confusion matrix, their gradients and records.

Cells are shares of rows, so that a metric is a smooth function of means. Of two classes the second
is the event. A rate is a ratio of sums of cells; of several classes it is that of one class against
the rest, or their mean ("macro"), their mean weighted by true frequency ("weighted"), or the ratio
of all sums ("micro"). A rate with nothing below its line is not defined: NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pycvstat.errors import InputError, LossError
from pycvstat.losses.metric import Metric, Smooth
from pycvstat.types import FloatArray

Matrix = FloatArray
Masks = tuple[FloatArray, FloatArray]  # what is summed above and below the line, by class
Average = str | int
AVERAGES = ("macro", "weighted", "micro")
ROUNDING = 1e-14
"""Shares of rows add up to 1 within this; one row of a billion makes a difference of 1e-9."""


def cells(y: Any, p: Any, classes: int = 0) -> FloatArray:
    """The cell of every row, true class times classes plus predicted class, as indicators.

    Examples
    --------
    >>> cells(np.array([0, 1]), np.array([1.0, 1.0]))
    array([[0., 1., 0., 0.],
           [0., 0., 0., 1.]])
    """
    y, p = np.asarray(y).astype(np.int64), np.asarray(p).astype(np.int64)
    size = max(classes, int(y.max(initial=1)) + 1, int(p.max(initial=1)) + 1)
    found = np.zeros((y.size, size * size))
    found[np.arange(y.size), y * size + p] = 1.0
    return found


def confusion(y: Any, p: Any, classes: int = 0) -> Matrix:
    """The confusion matrix in shares of rows: rows are true classes, columns predicted ones.

    Examples
    --------
    >>> confusion(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))
    array([[0.25, 0.25],
           [0.  , 0.5 ]])
    """
    return _square(cells(y, p, classes).mean(axis=0))


def _square(m: FloatArray) -> Matrix:
    size = round(m.size**0.5)
    return m.reshape(size, size)


def masks(kind: str, classes: int, beta: float = 1.0) -> Masks:
    """The cells above and below the line of a rate, shape (class, true, predicted).

    Examples
    --------
    >>> above, below = masks("precision", 2)
    >>> above[1].tolist(), below[1].tolist()
    ([[0.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]])
    """
    one = np.eye(classes)
    true = np.repeat(one[:, :, None], classes, axis=2)
    predicted = np.repeat(one[:, None, :], classes, axis=1)
    both, neither = true * predicted, (1 - true) * (1 - predicted)
    if kind == "sensitivity":
        return both, true
    if kind == "specificity":
        return neither, 1 - true
    if kind == "precision":
        return both, predicted
    if kind == "npv":
        return neither, 1 - predicted
    return (1 + beta**2) * both, beta**2 * true + predicted


def rate(c: Matrix, of: Masks, average: Average) -> tuple[float, Matrix]:
    """A rate of a confusion matrix and its gradient.

    Parameters
    ----------
    c : (L, L) float64
        Shares of rows.
    of : (above, below)
        As `masks` gives them.
    average : int, "macro", "weighted" or "micro"
        One class by its code, or how those of all are put together.

    Examples
    --------
    >>> c = np.array([[0.25, 0.25], [0.0, 0.5]])
    >>> value, gradient = rate(c, masks("precision", 2), 1)
    >>> round(value, 12), gradient.round(12)[:, 1].tolist()
    (0.666666666667, [-0.888888888889, 0.444444444444])
    """
    above, below = of
    if isinstance(average, int):
        above, below = above[average : average + 1], below[average : average + 1]
    if average == "micro":
        above, below = above.sum(axis=0)[None], below.sum(axis=0)[None]
    with np.errstate(all="ignore"):
        bottom = (below * c).sum(axis=(1, 2))
        rates = np.where(bottom > 0, (above * c).sum(axis=(1, 2)) / bottom, np.nan)
        slopes = (above - rates[:, None, None] * below) / bottom[:, None, None]
    if average != "weighted":
        return float(rates.mean()), slopes.mean(axis=0)
    share = c.sum(axis=1)
    met = share > 0  # the rate of a class without rows weighs nothing
    turned = np.where(met, rates, 0.0)[:, None] - rates[met] @ share[met]
    found = np.tensordot(share[met], slopes[met], axes=1) + turned
    return float(rates[met] @ share[met]), found


def mcc(c: Matrix) -> tuple[float, Matrix]:
    """Matthews' correlation, of several classes Gorodkin's (2004) R_K; NaN if one is constant.

    Examples
    --------
    >>> mcc(np.array([[0.5, 0.0], [0.0, 0.5]]))[0]
    1.0
    """
    true, predicted = c.sum(axis=1), c.sum(axis=0)
    a, b = 1 - predicted @ predicted, 1 - true @ true
    joint = _beyond(np.trace(c) - true @ predicted)
    if min(a, b) < ROUNDING:
        return np.nan, np.full_like(c, np.nan)
    slope = np.eye(len(c)) - predicted[:, None] - true
    size = np.sqrt(a * b)
    gradient = slope / size + joint / size**3 * (predicted * b + true[:, None] * a)
    return float(joint / size), _along(gradient, c)


def kappa(c: Matrix) -> tuple[float, Matrix]:
    """Cohen's (1960) kappa; NaN where agreement by chance is certain.

    Examples
    --------
    >>> kappa(np.array([[0.25, 0.25], [0.0, 0.5]]))[0]
    0.5
    """
    true, predicted = c.sum(axis=1), c.sum(axis=0)
    agreed, chance = np.trace(c), true @ predicted
    if 1 - chance < ROUNDING:
        return np.nan, np.full_like(c, np.nan)
    by_chance = predicted[:, None] + true
    gradient = np.eye(len(c)) / (1 - chance) - (1 - agreed) / (1 - chance) ** 2 * by_chance
    return float(_beyond(agreed - chance) / (1 - chance)), _along(gradient, c)


def _beyond(difference: float) -> float:
    """A difference of shares, exactly 0 where it is one of rounding only."""
    return difference if abs(difference) > ROUNDING else 0.0


def _along(gradient: Matrix, c: Matrix) -> Matrix:
    """The gradient of a function of shares: nothing changes when all cells grow alike."""
    return gradient - float((gradient * c).sum())


Value = Callable[[Matrix], tuple[float, Matrix]]


def of_confusion(name: str, value: Value, **more: Any) -> Metric:
    """The record of a function of the confusion matrix, which gives value and gradient.

    Examples
    --------
    >>> record = of_confusion("kappa", kappa)
    >>> record.value(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))
    0.5
    """
    smooth = Smooth(cells, lambda m: value(_square(m))[0], lambda m: value(_square(m))[1].ravel())
    given = {"range": (0.0, 1.0), "better": "larger", "averaging": "pooled"} | more
    return Metric(
        lambda y, p, classes: value(confusion(y, p, classes))[0],
        "classes",
        name,
        smooth=smooth,
        counts=True,
        **given,
    )


def _rate_of(kind: str, average: Average, beta: float = 1.0, event: bool = False) -> Value:
    def value(c: Matrix) -> tuple[float, Matrix]:
        if event and len(c) != 2:
            fix = f"metric='{kind}_macro', '{kind}_weighted', '{kind}_micro', or '{kind}(1)', "
            fix += "the first class against the rest"
            raise LossError(f"{kind} is of two classes.", given=f"{len(c)} classes", fix=fix)
        if isinstance(average, int) and average >= len(c):
            raise LossError("there is no such class.", given=f"class {average + 1} of {len(c)}")
        return rate(c, masks(kind, len(c), beta), average)

    return value


def of_class(kind: str, given: str, make: Callable[[int], Metric] | None = None) -> Metric:
    """The record of a rate, or of another metric, of one class against the rest.

    Parameters
    ----------
    kind : str
        One of `RATES`, or the name of what is made.
    given : str
        The class by its label; where none is called so by its place, counted from 1.
    make : callable, optional
        The record for the class of a place, counted from 0.

    Examples
    --------
    >>> by_place = of_class("precision", "2")
    >>> by_label = by_place.of_levels(("1", "2", "0"))
    >>> by_label.value(np.array([0, 1]), np.array([1.0, 1.0]), 3)
    0.5
    """
    name = f"{kind}({given})"

    def at(place: int) -> Metric:
        if make is not None:
            made = make(place)
            words = f"{made.label.replace('_', ' ')} ({given} against the rest)"
            return replace(made, name=name, words=words)
        return of_confusion(name, _rate_of(kind, place))

    def of_levels(levels: tuple[str, ...]) -> Metric:
        place = int(given) if given.isdigit() else 0
        if given not in levels and not 1 <= place <= len(levels):
            known = f"{len(levels)} classes: {', '.join(levels[:8])}"
            raise LossError("there is no such class.", given=f"{given!r} of {known}")
        return at(levels.index(given) if given in levels else place - 1)

    def unknown(y: Any, p: Any, classes: int) -> float:
        fix = f"{kind}(2), the second class against the rest"
        raise LossError("these classes have no labels.", given=name, fix=fix)

    if given.isdigit() and int(given) >= 1:
        return replace(at(int(given) - 1), of_levels=of_levels)
    return Metric(unknown, "classes", name, counts=True, of_levels=of_levels)


def f_beta(beta: float, average: Average | None = None) -> Metric:
    """The record of F-beta, (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP).

    Examples
    --------
    >>> f_beta(1).value(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))
    0.8
    """
    if not 0 < beta < np.inf:
        raise InputError("beta must be positive.", given=beta, fix="f_beta(2)")
    value = _rate_of("f1", 1 if average is None else average, beta, event=average is None)
    return of_confusion(f"f_beta({beta:.15g})", value)


def youden(c: Matrix) -> tuple[float, Matrix]:
    """Sensitivity + specificity - 1 (Youden 1950), of two classes.

    Examples
    --------
    >>> youden(np.array([[0.25, 0.25], [0.0, 0.5]]))[0]
    0.5
    """
    one, gradient = _rate_of("sensitivity", 1, event=True)(c)
    other, change = _rate_of("specificity", 1, event=True)(c)
    return one + other - 1, gradient + change


RATES: dict[str, dict[str, str]] = {
    "sensitivity": {
        "scikit-learn": "recall_score recall", "yardstick": "sens sensitivity recall",
        "caret": "Sensitivity Sens Recall", "Metrics": "recall",
    },
    "specificity": {"yardstick": "spec specificity", "caret": "Specificity Spec"},
    "precision": {
        "scikit-learn": "precision_score", "yardstick": "precision ppv",
        "caret": "Precision Pos_Pred_Value", "Metrics": "precision",
    },
    "npv": {"yardstick": "npv", "caret": "Neg_Pred_Value"},
    "f1": {
        "scikit-learn": "f1_score", "yardstick": "f_meas", "caret": "F1",
        "Metrics": "fbeta_score",
    },
}  # fmt: skip


def _averaged(kind: str, average: str) -> Metric:
    theirs = {"sensitivity": "recall"}.get(kind, kind)
    known = {} if kind in ("specificity", "npv") else {"scikit-learn": f"{theirs}_{average}"}
    return of_confusion(f"{kind}_{average}", _rate_of(kind, average), elsewhere=known)


PREDICTIVE = {
    "precision": "positive predictive value",
    "npv": "negative predictive value",
    "f1": "F1",
}
COVERED = {
    "sensitivity": (93, 99, 95),
    "specificity": (93, 100, 96),
    "precision": (99, 100, 100),
    "f1": (95, 99, 93),
}
CLASSES: tuple[Metric, ...] = (
    of_confusion(
        "accuracy",
        _rate_of("sensitivity", "micro"),
        covered=(97, 99, 95),
        usual=True,
        elsewhere={
            "scikit-learn": "accuracy_score", "yardstick": "accuracy", "caret": "Accuracy",
            "Metrics": "accuracy",
        },
    ),
    of_confusion(
        "balanced_accuracy",
        _rate_of("sensitivity", "macro"),
        usual=True,
        elsewhere={
            "scikit-learn": "balanced_accuracy_score", "yardstick": "bal_accuracy",
            "caret": "Balanced_Accuracy",
        },
    ),
    *(
        of_confusion(
            kind,
            _rate_of(kind, 1, event=True),
            words=PREDICTIVE.get(kind, ""),
            usual=kind != "f1",
            covered=COVERED.get(kind),
            elsewhere=known,
        )
        for kind, known in RATES.items()
    ),
    of_confusion(
        "mcc",
        mcc,
        range=(-1.0, 1.0),
        words="Matthews' correlation",
        covered=(96, 99, 95),
        elsewhere={"scikit-learn": "matthews_corrcoef", "yardstick": "mcc"},
    ),
    of_confusion(
        "kappa",
        kappa,
        range=(-1.0, 1.0),
        words="Cohen's kappa",
        usual=True,
        elsewhere={"scikit-learn": "cohen_kappa_score", "yardstick": "kap", "caret": "Kappa"},
    ),
    of_confusion(
        "youden",
        youden,
        range=(-1.0, 1.0),
        words="Youden's J",
        elsewhere={"yardstick": "j_index"},
    ),
    *(_averaged(kind, average) for kind in RATES for average in AVERAGES),
)  # fmt: skip
FAMILIES: dict[str, Callable[[float], Metric]] = {"f_beta": f_beta}
