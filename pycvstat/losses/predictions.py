"""What a learner says of rows, in the form that a loss needs, and what is known of it itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import FitError, LossError
from pycvstat.types import FloatArray

Needs = Literal["numbers", "classes", "probabilities", "scores"]
EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Predictions:
    """Predictions of C candidates for m rows.

    Parameters
    ----------
    values : (C, m) float64
        Predicted means; for a nominal or ordinal response, class codes 0, 1, ...
    prob : (C, m, L) float64, optional
        Class probabilities, levels in the order of the response.
    detail : object, optional
        What the learner reports about this fit (a tuned learner: its tuning).

    Examples
    --------
    >>> Predictions(np.array([[1.0, 2.0]])).n_candidates
    1
    """

    values: FloatArray
    prob: FloatArray | None = None
    detail: Any = None

    def __repr__(self) -> str:
        return f"<Predictions of {self.values.shape[1]} rows, {self.n_candidates} candidates>"

    @property
    def n_candidates(self) -> int:
        """Number of candidates, C."""
        return int(self.values.shape[0])

    def candidate(self, index: int) -> Predictions:
        """The predictions of one candidate, still with a leading axis of length 1."""
        prob = None if self.prob is None else self.prob[index : index + 1]
        return Predictions(self.values[index : index + 1], prob, self.detail)

    def given_to(
        self, name: str, needs: Needs | None, y: NDArray[Any], candidate: int, shares: bool = False
    ) -> FloatArray:
        """The prediction in the form that a function of (y, prediction) needs.

        Of classes these are codes; or probabilities, of two classes that of the second, of
        several all, shape (m, L); or scores, that of the second of two classes. Numbers 0 and 1
        are two classes, predicted as the second above one half, as for the 0-1 loss; with `shares`
        numbers between them are shares of events. A function that does not say what it needs gets
        numbers only.

        Examples
        --------
        >>> two = Predictions(np.array([[1.0]]), np.array([[[0.2, 0.8]]]))
        >>> two.given_to("log loss", "probabilities", np.array([0]), 0)
        array([0.8])
        """
        if not np.issubdtype(y.dtype, np.integer):
            values = np.asarray(self.values[candidate])
            two = np.isin(y, (0.0, 1.0)).all() or (shares and ((y >= 0) & (y <= 1)).all())
            if two and needs == "classes":
                return np.where(np.isnan(values), np.nan, values > 0.5)
            if two or needs in ("numbers", None):
                return values
            count = "two " if needs == "scores" else ""
            fix = "factor(...) around the response in the formula, where it is 0 and 1"
            raise LossError(f"{name} needs {count}classes.", given="a numeric response", fix=fix)
        if needs == "classes":
            return np.asarray(self.values[candidate])
        if needs is None:
            raise does_not_say(name, "Metric")
        if needs == "numbers":
            raise LossError(f"{name} has no meaning for classes.", given=name, fix="use 'auc'")
        if self.prob is None and np.isnan(self.values[candidate]).all():
            problem = f"{name} has nothing to measure: every fit failed."
            raise LossError(problem, given="no predictions")
        if self.prob is None:
            raise LossError(f"{name} needs class probabilities.", given="predicted classes only")
        classes = self.prob.shape[2]
        if needs == "scores" and classes != 2:
            of_all = f"'{name}_ovr' or '{name}_ovo', of all classes, or " * (name == "auc")
            advice = f"metric={of_all}'{name}(1)', the first class against the rest"
            ours = name in ("auc", "average_precision")
            given = f"{classes} classes"
            raise LossError(f"{name} needs two classes.", given=given, fix=advice if ours else None)
        which = (candidate, slice(None), 1) if classes == 2 else candidate
        return np.asarray(self.prob[which])


def centre(y: FloatArray, weights: FloatArray, classes: int) -> tuple[float, FloatArray | None]:
    """What is predicted without predictors: the weighted mean; or the code of the most frequent
    class, and the shares of all.

    Examples
    --------
    >>> centre(np.array([0.0, 1.0, 1.0]), np.ones(3), 2)
    (1.0, array([0.33333333, 0.66666667]))
    """
    if not 0 < weights.sum() < np.inf:
        raise FitError("the weights of the training rows have no finite sum above 0.")
    if not classes:
        return float(np.average(y, weights=weights)), None
    counts = np.bincount(y.astype(np.int64), weights=weights, minlength=classes)
    shares = counts / counts.sum()
    return float(np.argmax(shares)), shares


def does_not_say(name: str, maker: str) -> LossError:
    """The error for a function that would be given codes of classes in silence."""
    return LossError(
        f"{name} does not say what it needs of classes: predicted classes or probabilities.",
        given="a function of (y, prediction), and a response of classes",
        fix=f"pycvstat.losses.{maker}(function, needs='probabilities'), or needs='classes'",
    )


def inside(p: FloatArray) -> FloatArray:
    """Probabilities kept the epsilon of doubles from 0 and 1, as in scikit-learn and yardstick.

    Examples
    --------
    >>> inside(np.array([0.0, 0.5]))
    array([2.22044605e-16, 5.00000000e-01])
    """
    return np.asarray(np.clip(p, EPSILON, 1 - EPSILON, dtype=np.float64))


def log_inside(p: FloatArray) -> FloatArray:
    """Their logarithms.

    Examples
    --------
    >>> log_inside(np.array([0.0, 0.5])).round(6)
    array([-36.043653,  -0.693147])
    """
    return np.asarray(np.log(inside(p)))


@dataclass(frozen=True, slots=True)
class Maker:
    """The learner behind a table of losses.

    Parameters
    ----------
    columns : int
        Columns of its design without the constant, or predictors of the formula.
    one_scale : bool
        Whether its errors have one scale where the noise has: those of a surface that bends are
        of several.
    exact : bool
        Whether it is least squares on all columns, whose learning curve is known.

    Examples
    --------
    >>> round(Maker(10, exact=True).ratio(90, 100), 4)
    0.986
    """

    columns: int
    one_scale: bool = False
    exact: bool = False

    def ratio(self, m: int, n: int) -> float | None:
        """Expected risk at n training rows over that at m, where it is known, if `exact`.

        Of least squares with a constant, normal predictors and a linear mean the expected risk is
        (1 + 1/m) (m - 2) / (m - p - 2) times the variance of the errors.
        """
        p = self.columns
        if m <= p + 2:
            return None
        at = [(1 + 1 / size) * (size - 2) / (size - p - 2) for size in (m, n)]
        return at[1] / at[0]
