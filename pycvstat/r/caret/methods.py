"""The methods that train knows: what each tunes, its candidates, and how it is fitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.frame import read
from pycvstat.errors import FitError, InputError, note
from pycvstat.learners.design import DesignLearner
from pycvstat.learners.glm import GLM
from pycvstat.learners.knn import KNN
from pycvstat.learners.knn.distances import KERNELS
from pycvstat.learners.ols import OLS
from pycvstat.learners.robust import RLM
from pycvstat.learners.solution import Outcome, Sample
from pycvstat.r.caret.nnet import max_col, multinom, shares_of
from pycvstat.r.class_ import nearest, winner
from pycvstat.r.glmnet import glmnet
from pycvstat.r.glmnet.families import most_probable
from pycvstat.r.kknn import train_kknn
from pycvstat.r.kknn.prediction import predict_as_kknn
from pycvstat.r.values import Factor, neighbours_of, squares, whole
from pycvstat.rmath.random import RRandom
from pycvstat.types import FloatArray

Tune = dict[str, Any]
Predict = Callable[[FloatArray, RRandom], Outcome]
"""Predictions of new rows, with draws where votes are tied."""

PSI = ("psi.huber", "psi.hampel", "psi.bisquare")


@dataclass(frozen=True, slots=True)
class Method:
    """A method of train.

    Parameters
    ----------
    name, title : str
        What train takes, and what it prints.
    parameters : tuple of str
        What it tunes.
    grid : callable
        ``grid(sample, length)``: the candidates where none are given.
    fit : callable
        ``fit(sample, candidates)``: a function that predicts new rows for each candidate.
    kinds : tuple of str
        The responses that it predicts.
    simplest : callable
        Candidates in the order of this are simpler first.
    together : str
        The parameter whose values come from one fit, and have one seed.
    weighs : bool
        Whether rows have weights.
    factors : bool
        Whether it takes predictors that are factors, without a formula.
    """

    name: str
    title: str
    parameters: tuple[str, ...]
    grid: Callable[[Sample, int], list[Tune]]
    fit: Callable[[Sample, Sequence[Tune]], list[Predict]]
    kinds: tuple[str, ...] = ("continuous", "nominal", "ordinal")
    simplest: Callable[[Tune], Any] = lambda tune: 0
    together: str = ""
    weighs: bool = True
    factors: bool = False


def with_constant(sample: Sample) -> Sample:
    """The sample with a column of ones before the others."""
    X = np.column_stack([np.ones(len(sample.y)), sample.X])
    return replace(sample, X=X, columns=("(Intercept)", *sample.columns), intercept=True)


def _linear(learner: DesignLearner, sample: Sample, intercept: bool = True) -> Predict:
    solution = learner.solve(with_constant(sample) if intercept else sample)
    if solution.report.aliased and learner.refuses_aliased:
        raise FitError(
            "'x' is singular: singular fits are not implemented in 'rlm'.",
            given=", ".join(solution.report.aliased),
        )

    for text in solution.report.notes:
        note(text)

    def predict(X: FloatArray, draws: RRandom) -> Outcome:
        found = solution.predict(np.column_stack([np.ones(len(X)), X]) if intercept else X, None)
        if found.prob is None:
            return found
        return Outcome((found.prob[:, 1] >= 0.5).astype(np.float64), found.prob)

    return predict


def _lm(sample: Sample, tunes: Sequence[Tune]) -> list[Predict]:
    return [_linear(OLS(), sample, bool(tune["intercept"])) for tune in tunes]


def _glm(sample: Sample, tunes: Sequence[Tune]) -> list[Predict]:
    if len(sample.levels) > 2:
        raise FitError("glm models can only use 2-class outcomes.", given=f"{len(sample.levels)}")
    return [_linear(GLM("binomial" if sample.levels else "gaussian"), sample) for _ in tunes]


def _rlm(sample: Sample, tunes: Sequence[Tune]) -> list[Predict]:
    return [
        _linear(RLM(tune["psi"].removeprefix("psi.")), sample, bool(tune["intercept"]))
        for tune in tunes
    ]


def neighbours(sample: Sample, k: int, X: FloatArray, draws: RRandom) -> Outcome:
    """The mean of the neighbours or their vote: all that are tied at the k-th distance count.

    Ties of votes are drawn among the classes, row after row; before that, knn3 draws as
    `pycvstat.r.class_.knn` does, and uses nothing of it.
    """
    k = neighbours_of(k, len(sample.y))
    near = [nearest(squared, k) for squared in squares(sample.X, X)]
    if not sample.levels:
        return Outcome(np.array([sample.y[rows].mean() for rows in near]))
    codes = sample.y.astype(np.int64)
    votes = np.array([np.bincount(codes[rows], minlength=len(sample.levels)) for rows in near])
    for row in votes:
        winner(row.tolist(), 0, 0, draws)
    chosen = [_drawn(np.flatnonzero(row == row.max()), draws) for row in votes]
    return Outcome(np.array(chosen, dtype=np.float64), votes / votes.sum(axis=1, keepdims=True))


def _drawn(tied: Any, draws: RRandom) -> int:
    return int(tied[0] if len(tied) == 1 else draws.sample(tied, 1)[0])


def weighted_neighbours(sample: Sample, tune: dict[str, Any]) -> Any:
    """A fit of ``train.kknn``, which chooses its k up to kmax, as a function of new rows."""
    names = [f"x{j + 1}" for j in range(sample.X.shape[1])]
    y: Any = sample.y
    if sample.levels:
        levels = [f"{code}" for code in range(len(sample.levels))]
        y = Factor.of(sample.y.astype(np.int64), levels).remove_unused_categories()
    data = pd.DataFrame(sample.X, columns=names).assign(y=y)
    fit = train_kknn("y ~ .", data, **tune)
    learner = KNN(fit.best_k, fit.best_kernel, distance=fit.distance)

    def predict(X: FloatArray, draws: RRandom) -> Outcome:
        found = predict_as_kknn(learner, fit.task, read(pd.DataFrame(X, columns=names)))
        if found.prob is None:
            return Outcome(found.fitted_values.astype(np.float64))
        prob = np.zeros((len(X), len(sample.levels)))
        prob[:, [int(level) for level in found.levels]] = found.prob
        return Outcome(found.fitted_values.astype(np.float64), prob)

    return predict


def _knn(sample: Sample, tunes: Sequence[Tune]) -> list[Predict]:
    return [partial(neighbours, sample, tune["k"]) for tune in tunes]


def _kknn(sample: Sample, tunes: Sequence[Tune]) -> list[Predict]:
    return [weighted_neighbours(sample, tune) for tune in tunes]


def _glmnet(sample: Sample, tunes: Sequence[Tune]) -> list[Predict]:
    (y, family), w = _response(sample), sample.weights
    alphas = dict.fromkeys(tune["alpha"] for tune in tunes)
    fits = {alpha: glmnet(sample.X, y, w, family=family, alpha=alpha) for alpha in alphas}

    def of(tune: Tune) -> Predict:
        fit = fits[tune["alpha"]]

        def predict(X: FloatArray, draws: RRandom) -> Outcome:
            link = fit.predict(X, s=tune["lambda"])
            if not sample.levels:
                return Outcome(link)
            p = fit.predict(X, s=tune["lambda"], type="response")
            if p.ndim == 2:
                return Outcome(most_probable(link[..., None])[:, 0].astype(np.float64), p)
            return Outcome((link > 0).astype(np.float64), np.column_stack([1 - p, p]))

        return predict

    return [of(tune) for tune in tunes]


def _response(sample: Sample) -> tuple[Any, Any]:
    """The response as glmnet takes it, and its family."""
    if not sample.levels:
        return sample.y, "gaussian"
    family = "binomial" if len(sample.levels) == 2 else "multinomial"
    return Factor.of(sample.y.astype(np.int64), list(sample.levels)), family


def _multinom(sample: Sample, tunes: Sequence[Tune]) -> list[Predict]:
    X = with_constant(sample).X
    seen, codes = np.unique(sample.y.astype(np.int64), return_inverse=True)
    if len(seen) < 2:
        raise FitError("need two or more classes to fit a multinom model.")

    def of(decay: float) -> Predict:
        b = multinom(X, codes, len(seen), decay, 1.0 if sample.weights is None else sample.weights)

        def predict(X: FloatArray, draws: RRandom) -> Outcome:
            prob = np.zeros((len(X), len(sample.levels)))
            shares = shares_of(np.column_stack([np.ones(len(X)), X]), b)
            prob[:, seen] = shares
            place = shares.argmax(axis=1) if len(seen) == 2 else max_col(shares, draws)
            return Outcome(seen[place].astype(np.float64), prob)

        return predict

    return [of(tune["decay"]) for tune in tunes]


def _odd(length: int) -> list[int]:
    return [5 + 2 * i for i in range(length)]


def _grid_of_glmnet(sample: Sample, length: int) -> list[Tune]:
    y, family = _response(sample)
    path = glmnet(sample.X, y, family=family, alpha=0.5, nlambda=length + 2).lambda_[1:-1]
    places = np.unique(np.round(np.linspace(0, len(path) - 1, length)).astype(np.int64))
    alphas = np.linspace(0.1, 1.0, length).tolist()
    return [{"alpha": a, "lambda": s} for s in path[places].tolist() for a in alphas]


def _grid_of_multinom(sample: Sample, length: int) -> list[Tune]:
    powers = np.linspace(-1, -4, length - 1) if length > 2 else [-1.0] * (length - 1)
    return [{"decay": 0.0}, *({"decay": 10.0**power} for power in powers)]


def _whole(name: str, given: Any) -> None:
    for value in given:
        whole(value, name, 1)


def _number(name: str, given: Any) -> None:
    if not pd.api.types.is_numeric_dtype(given.dtype) or (given < 0).any():
        raise InputError(f"{name} takes numbers, none negative.", given=f"{name}={list(given)}")


def _one_of(*words: Any) -> Callable[[str, Any], None]:
    def check(name: str, given: Any) -> None:
        unknown = [value for value in given if value not in words]
        if unknown:
            raise InputError(f"{name} is one of {', '.join(map(str, words))}.", given=unknown[0])

    return check


PARAMETERS: dict[str, Callable[[str, Any], None]] = {
    "intercept": _one_of(True, False),
    "parameter": _one_of("none"),
    "k": _whole,
    "kmax": _whole,
    "distance": _number,
    "kernel": _one_of(*KERNELS),
    "alpha": _number,
    "lambda": _number,
    "decay": _number,
    "psi": _one_of(*PSI),
}
"""What refuses wrong values of each parameter."""

METHODS: dict[str, Method] = {
    one.name: one
    for one in (
        Method(
            "lm", "Linear Regression", ("intercept",),
            lambda sample, length: [{"intercept": True}], _lm, ("continuous",), factors=True,
        ),
        Method(
            "glm", "Generalized Linear Model", ("parameter",),
            lambda sample, length: [{"parameter": "none"}], _glm, factors=True,
        ),
        Method(
            "knn", "k-Nearest Neighbors", ("k",),
            lambda sample, length: [{"k": k} for k in _odd(length)], _knn,
            simplest=lambda tune: -tune["k"], weighs=False,
        ),
        Method(
            "kknn", "k-Nearest Neighbors", ("kmax", "distance", "kernel"),
            lambda sample, length: [
                {"kmax": k, "distance": 2, "kernel": "optimal"} for k in _odd(length)
            ],
            _kknn, ("continuous", "nominal"), lambda tune: -tune["kmax"], weighs=False,
        ),
        Method(
            "glmnet", "glmnet", ("alpha", "lambda"), _grid_of_glmnet, _glmnet,
            simplest=lambda tune: (-tune["lambda"], tune["alpha"]), together="lambda",
        ),
        Method(
            "multinom", "Penalized Multinomial Regression", ("decay",), _grid_of_multinom,
            _multinom, ("nominal", "ordinal"), simplest=lambda tune: -tune["decay"], factors=True,
        ),
        Method(
            "rlm", "Robust Linear Model", ("intercept", "psi"),
            lambda sample, length: [
                {"intercept": i, "psi": psi} for psi, i in product(PSI, (True, False))
            ],
            _rlm, ("continuous",),
        ),
    )
}  # fmt: skip


def frame_of(method: Method, given: Any) -> pd.DataFrame:
    """Candidates in rows, none twice: a mapping's values are combined as ``expand.grid`` does.

    Words of a mapping keep its order, as the factors of ``expand.grid``.

    Examples
    --------
    >>> from pycvstat.r.caret.methods import METHODS
    >>> frame_of(METHODS["glmnet"], {"alpha": [0, 1], "lambda": 0.1}).values.tolist()
    [[0.0, 0.1], [1.0, 0.1]]
    """
    if isinstance(given, Mapping):
        values = {name: _listed(one) for name, one in given.items()}
        rows = [row[::-1] for row in product(*reversed(list(values.values())))]
        if not rows:
            raise InputError("tuneGrid has no candidates.", given=repr(given))
        frame = in_order([dict(zip(values, row, strict=True)) for row in rows])
    elif isinstance(given, pd.DataFrame):
        frame = given.reset_index(drop=True)
    else:
        raise InputError(
            "tuneGrid is a mapping of values or a frame of candidates.",
            given=type(given).__name__,
            fix=f"tuneGrid={{{', '.join(f'{name!r}: [...]' for name in method.parameters)}}}",
        )
    if {*frame.columns} != {*method.parameters}:
        raise InputError(
            f"the tuning parameter grid should have columns {', '.join(method.parameters)}.",
            given=", ".join(map(str, frame.columns)) or "no columns",
        )
    if frame.empty or frame.isna().any(axis=None):
        raise InputError(
            "tuneGrid has no candidates, or missing values.", given=f"{len(frame)} rows"
        )
    frame = frame[list(method.parameters)].drop_duplicates(ignore_index=True)
    for name in method.parameters:
        PARAMETERS[name](name, frame[name])
    return frame


def _listed(values: Any) -> list[Any]:
    return [values] if isinstance(values, str) or np.ndim(values) == 0 else list(values)


def in_order(tunes: list[Tune]) -> pd.DataFrame:
    """Candidates in rows, their words as categories in this order.

    Examples
    --------
    >>> in_order([{"psi": "psi.huber"}, {"psi": "psi.hampel"}])["psi"].cat.categories.tolist()
    ['psi.huber', 'psi.hampel']
    """
    frame = pd.DataFrame(tunes)
    for name in frame:
        if isinstance(frame[name].iloc[0], str):
            frame[name] = pd.Categorical(frame[name], list(dict.fromkeys(frame[name])))
    return frame


def candidates(frame: pd.DataFrame) -> list[Tune]:
    """The rows of a frame of candidates as dicts of scalars.

    Examples
    --------
    >>> candidates(pd.DataFrame({"k": [3, 5]}))
    [{'k': 3}, {'k': 5}]
    """
    return [{str(k): v for k, v in row.items()} for row in frame.astype(object).to_dict("records")]
