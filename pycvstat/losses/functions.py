"""Loss functions: one number per prediction."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import Advice, InputError, LossError, telling
from pycvstat.errors.checks import check_word, is_number, kind_of, nearest, real_numbers
from pycvstat.losses.metric import loss_label
from pycvstat.losses.predictions import EPSILON, Needs, Predictions, does_not_say, log_inside
from pycvstat.types import FloatArray

Pointwise = Callable[[NDArray[Any], Predictions], FloatArray]

_ANY = ("continuous", "nominal", "ordinal")
_KINDS: dict[Needs | None, tuple[str, ...]] = {
    None: ("continuous",),
    "numbers": ("continuous",),
    "classes": ("nominal", "ordinal"),
    "probabilities": _ANY,
    "scores": _ANY,
}
"""Kinds of response that a function can measure, by what it needs."""


@dataclass(frozen=True, slots=True, repr=False)
class Loss:
    """A loss with its name and range.

    Parameters
    ----------
    name : str
        Shown in every table.
    pointwise : callable
        ``pointwise(y, predictions) -> (C, m)``, y of shape (m,).
    range : (float, float)
        Smallest and largest possible loss.
    for_kinds : tuple of str
        Kinds of response the loss has a meaning for.
    lighter : str
        A loss for the same responses with lighter tails; empty where there is none.
    words : str
        What sentences call it, where its name and "loss" do not say it well.
    in_r : str
        R code of it, of ``y`` and ``p``, where that is short.

    Examples
    --------
    >>> double = Loss("double", lambda y, p: 2 * np.abs(y - p.values))
    >>> double, double.pointwise(np.array([1.0, 2.0]), Predictions(np.array([[1.5, 2.0]])))
    (Loss('double'), array([[1., 0.]]))
    """

    name: str
    pointwise: Pointwise
    range: tuple[float, float] = (0.0, np.inf)
    for_kinds: tuple[str, ...] = _ANY
    lighter: str = ""
    words: str = ""
    in_r: str = ""

    def __repr__(self) -> str:
        return f"Loss({self.name!r})"

    @classmethod
    def of(cls, function: Callable[..., Any], *, needs: Needs | None = None) -> Loss:
        """The loss of a function of (y, prediction), which gives one number per row.

        Parameters
        ----------
        function : callable
        needs : {"numbers", "classes", "probabilities", "scores"}, optional
            Which prediction of classes it takes; as of `Metric`.

        Examples
        --------
        >>> loss = Loss.of(lambda y, p: (y - p) ** 2, needs="probabilities")
        >>> two = Predictions(np.array([[1.0]]), np.array([[[0.25, 0.75]]]))
        >>> loss.pointwise(np.array([1]), two)
        array([[0.0625]])
        """
        if not callable(function):
            raise LossError(
                "a loss is a name or a function of (y, prediction).", given=type(function).__name__
            )
        if needs is not None:
            check_word("needs", needs, get_args(Needs))
        name = getattr(function, "__name__", "loss")

        def pointwise(y: NDArray[Any], p: Predictions) -> FloatArray:
            given = [p.given_to(f"the loss {name}", needs, y, c) for c in range(p.n_candidates)]
            return np.stack([_checked(_called(function, y, v, name), y, name) for v in given])

        named = "user loss" if name == "<lambda>" else name
        return cls(named, pointwise, (-np.inf, np.inf), _KINDS[needs])

    def check(self, kind: str) -> None:
        """Refuse a response that the loss has no meaning for."""
        if kind not in self.for_kinds:
            problem = f"the {loss_label(self.name)} has no meaning for a {kind} response."
            fix = f"use one of {', '.join(repr(n) for n in losses_for(kind))}"
            raise LossError(problem, given=f"loss={self.name!r}", fix=fix)


def _squared(y: NDArray[Any], p: Predictions) -> FloatArray:
    difference: FloatArray = p.values - y
    np.multiply(difference, difference, out=difference)
    return difference


def _absolute(y: NDArray[Any], p: Predictions) -> FloatArray:
    difference: FloatArray = p.values - y
    np.abs(difference, out=difference)
    return difference


def _zero_one(y: NDArray[Any], p: Predictions) -> FloatArray:
    if np.issubdtype(y.dtype, np.integer):
        return np.asarray(p.values != y, dtype=np.float64)
    _need_zero_one(y, "zero_one")
    return np.asarray((p.values > 0.5) != (y > 0.5), dtype=np.float64)


def _log(y: NDArray[Any], p: Predictions) -> FloatArray:
    if not np.issubdtype(y.dtype, np.integer) and _of_shares(y, p):
        return -(y * log_inside(p.values) + (1 - y) * log_inside(1 - p.values))
    return -log_inside(_probability_of_truth(y, p, "log"))


def _brier(y: NDArray[Any], p: Predictions) -> FloatArray:
    if not np.issubdtype(y.dtype, np.integer) or _prob(p, "brier").shape[2] == 2:
        return (1.0 - _probability_of_truth(y, p, "brier")) ** 2
    prob = _prob(p, "brier")
    truth = np.eye(prob.shape[2])[y]
    return np.asarray(((prob - truth) ** 2).sum(axis=2))


def _probability_of_truth(y: NDArray[Any], p: Predictions, name: str) -> FloatArray:
    if np.issubdtype(y.dtype, np.integer):
        index = np.broadcast_to(y, p.values.shape)[..., None]
        return np.take_along_axis(_prob(p, name), index, axis=2)[..., 0]
    _need_zero_one(y, name)
    if ((p.values < 0) | (p.values > 1)).any():
        raise LossError(
            f"the {loss_label(name)} needs predicted probabilities, from 0 to 1.",
            given=f"predictions from {p.values.min():g} to {p.values.max():g}",
            fix=Advice("use a learner of probabilities, or {loss}", loss="squared"),
        )
    return np.where(y > 0.5, p.values, 1.0 - p.values)


def _of_shares(y: NDArray[Any], p: Predictions) -> bool:
    """Whether responses and predictions are shares of events, as of grouped binomials."""
    return all(((part >= 0) & (part <= 1)).all() for part in (y, p.values))


def _prob(p: Predictions, name: str) -> FloatArray:
    if p.prob is None:
        raise LossError(
            f"the {loss_label(name)} needs class probabilities; this learner gives classes only.",
            fix=Advice("use {loss}, or a learner with predict_proba", loss="zero_one"),
        )
    return p.prob


def _need_zero_one(y: NDArray[Any], name: str) -> None:
    if not np.isin(y, (0.0, 1.0)).all():
        raise LossError(
            f"the {loss_label(name)} on a numeric response needs y in 0 and 1.",
            given=f"y from {y.min():g} to {y.max():g}",
            fix=Advice("make the response categorical, or use {loss}", loss="squared"),
        )


def huber(delta: float = 1.345) -> Loss:
    """Huber's loss: squared (halved) up to `delta`, linear beyond.

    Examples
    --------
    >>> huber(1.0).pointwise(np.array([0.0]), Predictions(np.array([[3.0]])))
    array([[2.5]])
    """
    if not (is_number(delta) and 0 < delta < np.inf):
        raise InputError("delta must be positive.", given=delta)

    def pointwise(y: NDArray[Any], p: Predictions) -> FloatArray:
        size: FloatArray = np.abs(p.values - y)
        return np.where(size <= delta, 0.5 * size**2, delta * (size - 0.5 * delta))

    return Loss(f"huber({delta:.15g})", pointwise, for_kinds=("continuous",))


def pinball(tau: float = 0.5) -> Loss:
    """The quantile loss at `tau`.

    Examples
    --------
    >>> pinball(0.75).pointwise(np.array([2.0]), Predictions(np.array([[0.0]])))
    array([[1.5]])
    """
    if not (is_number(tau) and 0 < tau < 1):
        raise InputError("tau must lie between 0 and 1.", given=tau, fix="use pinball(0.5)")

    def pointwise(y: NDArray[Any], p: Predictions) -> FloatArray:
        residual: FloatArray = np.asarray(y - p.values)
        return np.maximum(tau * residual, (tau - 1) * residual)

    return Loss(f"pinball({tau:.15g})", pointwise, for_kinds=("continuous",))


def _poisson(y: NDArray[Any], p: Predictions) -> FloatArray:
    if (y < 0).any():
        raise LossError("the Poisson deviance needs y >= 0.", given=f"smallest y {y.min():g}")
    mean = p.values
    if (mean <= 0).any():
        raise LossError(
            "the Poisson deviance needs positive predictions.",
            given=f"smallest prediction {mean.min():g}",
            fix=Advice("use a Poisson regression, or {loss}", loss="squared"),
        )
    ratio = np.where(y > 0, y / mean, 1.0)
    deviance = 2.0 * (y * np.log(ratio) - (y - mean))
    return np.maximum(deviance, 0.0)  # rounding makes it negative where y and mean agree


LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        Loss(
            "squared",
            _squared,
            for_kinds=("continuous",),
            lighter="absolute",
            in_r="(y - p)^2",
            words="squared error",
        ),
        Loss(
            "absolute",
            _absolute,
            for_kinds=("continuous", "ordinal"),
            words="absolute error",
            in_r="abs(y - p)",
        ),
        Loss("zero_one", _zero_one, (0.0, 1.0), words="0-1 loss", in_r="y != p"),
        Loss("log", _log, (0.0, float(-np.log(EPSILON))), lighter="brier"),
        Loss("brier", _brier, (0.0, 2.0), words="Brier score"),
        Loss(
            "poisson",
            _poisson,
            for_kinds=("continuous",),
            lighter="absolute",
            words="Poisson deviance",
        ),
    )
}
DEFAULT = {"continuous": "squared", "nominal": "zero_one", "ordinal": "absolute"}
_FAMILIES = {"huber": huber, "pinball": pinball}
_METRICS = {"rmse": "squared", "r2": "squared", "auc": "log"}
"""Metrics of the table, and a loss from which each is computed."""


def losses_for(kind: str) -> list[str]:
    """The names of the losses that have a meaning for a kind of response.

    Examples
    --------
    >>> losses_for("nominal")
    ['zero_one', 'log', 'brier']
    """
    names = [name for name, loss in LOSSES.items() if kind in loss.for_kinds]
    return names + (list(_FAMILIES) if kind == "continuous" else [])


def as_loss(given: str | Loss | Callable[..., Any] | None, kind: str = "continuous") -> Loss:
    """The loss that is meant by a name, a `Loss`, a function of (y, prediction), or None.

    None means squared error for numbers, 0-1 for classes, absolute difference of ranks for
    ordered classes (kknn's choices).

    Examples
    --------
    >>> as_loss("absolute").name, as_loss("pinball(0.9)").name, as_loss("0-1").name
    ('absolute', 'pinball(0.9)', 'zero_one')
    >>> as_loss(lambda y, p: (y - p) ** 4).pointwise(
    ...     np.array([1.0]), Predictions(np.array([[3.0]])))
    array([[16.]])
    """
    if given is None:
        given = DEFAULT[kind]
    if isinstance(given, str):
        given = _by_name(given)
    if not isinstance(given, Loss):
        given = Loss.of(given)
        if kind != "continuous":
            raise does_not_say(f"the {loss_label(given.name)}", "Loss.of")
    given.check(kind)
    return given


def _by_name(name: str) -> Loss:
    family = re.fullmatch(r"(huber|pinball)(?:\(([\d.e+-]+)\))?", name)
    if family is not None:
        make = _FAMILIES[family[1]]
        return make() if family[2] is None else make(_parameter(name, family[2]))
    if name in _METRICS:
        raise LossError(
            f"{name} is a metric of the table of losses, not a loss of single predictions.",
            given=name,
            fix=Advice("{loss}, and {metric} of its interval", loss=_METRICS[name], metric=name),
        )
    if name.replace(" ", "").removesuffix("loss") in ("0-1", "01", "0/1"):
        name = "zero_one"
    if name not in LOSSES:
        fix = nearest(name, [*LOSSES, *_FAMILIES])
        raise LossError(f"there is no loss called {name!r}.", given=name, fix=fix)
    return LOSSES[name]


def _parameter(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise LossError(
            f"there is no loss called {name!r}.", given=name, fix="write a number: 'huber(1.5)'"
        ) from None


def _called(function: Any, y: NDArray[Any], prediction: FloatArray, name: str) -> Any:
    try:
        return function(y, prediction)
    except Exception as error:  # whatever a user's function can raise
        raise LossError(f"the loss {name} failed.", given=telling(error)) from error


def _checked(values: Any, y: NDArray[Any], name: str) -> FloatArray:
    result = real_numbers(values)
    if result is None:
        raise LossError(f"the loss {name} must return real numbers.", given=kind_of(values))
    if result.shape != y.shape:
        problem = f"the loss {name} must return one number per prediction."
        fix = "return an array of losses, not their mean"
        raise LossError(problem, given=f"shape {result.shape} for {y.size} predictions", fix=fix)
    if np.isnan(result).any():
        given = f"{int(np.isnan(result).sum())} of {y.size} are NaN"
        raise LossError(f"the loss {name} must return numbers.", given=given)
    return result
