"""What glmnet is asked: its data, its settings and its call, checked where they come in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypedDict, get_args

import numpy as np

from pycvstat.data.frame import read_y
from pycvstat.errors import DataError, InputError, warn
from pycvstat.errors.checks import check_word, is_number, real_numbers
from pycvstat.learners.linear.glmnet_path import Settings
from pycvstat.r.values import names_of, numeric_columns, whole
from pycvstat.types import FloatArray

FamilyName = Literal["gaussian", "binomial", "poisson", "multinomial"]

_ELSEWHERE = ("cox", "mgaussian")
_FEW = 8  # rows of a class


class Arguments(TypedDict, total=False):
    """Arguments of glmnet that cv.glmnet passes on; see `pycvstat.r.glmnet.glmnet`."""

    family: FamilyName
    alpha: float
    nlambda: int
    lambda_min_ratio: float | None
    standardize: bool
    intercept: bool
    thresh: float
    dfmax: int | None
    pmax: int | None
    penalty_factor: Any
    maxit: int
    type_multinomial: Literal["ungrouped", "grouped"]


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """The rows of a fit.

    Parameters
    ----------
    X : (n, p) float64
    y : (n,) float64
        Classes as 0, 1, ...
    weights : (n,) float64
    names : tuple of str
        Of the predictors: V1, V2, ... where they have none.
    family : str
    classes : tuple
        Of a response of classes, that of 0 first.
    """

    X: FloatArray
    y: FloatArray
    weights: FloatArray
    names: tuple[str, ...]
    family: str
    classes: tuple[Any, ...] = ()


def data_of(x: Any, y: Any, weights: Any = None, family: Any = "gaussian") -> Data:
    """Predictors, response and weights as numbers, or R's refusal in our words."""
    _require_known(family)
    X, names = predictors(x, "x")
    if X.shape[1] < 2:
        raise DataError(
            "x should be a matrix with 2 or more columns.",
            given=f"{X.shape[1]} column{'s' * (X.shape[1] != 1)}",
            fix="use pycvstat.OLS for one predictor",
        )
    classes: tuple[Any, ...] = ()
    if family in ("binomial", "multinomial"):
        response, classes = _classes(y, len(X), family)
    else:
        response = _vector(y, "y", len(X))
    if (response == response[:1]).all():
        raise DataError(
            "y is constant: glmnet cannot standardise it.",
            given=f"{len(response)} rows of {response[0]:g}",
        )
    if family == "poisson" and (response < 0.0).any():
        raise DataError(
            "negative responses are not permitted for the Poisson family.",
            given=f"y from {response.min():g}",
        )
    w = np.ones(len(X)) if weights is None else _vector(weights, "weights", len(X))
    if (w < 0.0).any() or not w.any():
        raise DataError(
            "weights must not be negative, and some positive.",
            given=f"weights from {w.min():g} to {w.max():g}",
        )
    return Data(X, response, w, names, family, classes)


def _classes(y: Any, n: int, family: str) -> tuple[FloatArray, tuple[Any, ...]]:
    """0, 1, ... for the classes in their order, and the classes."""
    column = read_y(y)
    if len(column) != n:
        raise DataError(
            "y and x have different lengths.", given=f"{len(column)} elements for {n} rows of x"
        )
    if column.missing().any():
        raise DataError("y has missing values.", fix="leave these rows out")
    codes, words = column.as_factor()
    counts = np.bincount(codes, minlength=len(words))
    two = family == "binomial"
    if len(words) < 2 or (two and len(words) > 2) or counts.min() < 2:
        raise DataError(
            f"a {family} response has two{'' if two else ' or more'} classes, each with at least "
            "2 rows.",
            given=", ".join(f"{word}: {count}" for word, count in zip(words, counts, strict=True)),
        )
    if counts.min() < _FEW:
        rare = words[int(counts.argmin())]
        warn(f"one {family} class has fewer than {_FEW} rows.", given=f"{rare}: {counts.min()}")
    return codes.astype(np.float64), tuple(words)


def predictors(x: Any, name: str) -> tuple[FloatArray, tuple[str, ...]]:
    """A matrix of finite numbers and the names of its columns."""
    found, names = None, None
    if names_of(x) is not None:
        fix = "code it by numbers: pandas.get_dummies(x, drop_first=True, dtype=float)"
        columns = numeric_columns(x, f"{name} must be a matrix of numbers.", fix)
        names = tuple(columns)
        if names:
            found = np.column_stack(list(columns.values())).astype(np.float64)
    else:
        found = _numbers(x)
    if found is None or found.ndim != 2 or not len(found):
        raise DataError(
            f"{name} must be a matrix of numbers, with rows and columns.",
            given=type(x).__name__ if found is None else f"an array of shape {found.shape}",
            fix="give a two-dimensional array or a frame, factors coded by numbers",
        )
    missing = ~np.isfinite(found)
    if missing.any():
        raise DataError(
            f"{name} has missing or infinite values.",
            given=f"{missing.any(axis=1).sum()} of {len(found)} rows",
            fix="leave these rows out, or fill them in",
        )
    return found, names or tuple(f"V{j + 1}" for j in range(found.shape[1]))


def _numbers(values: Any) -> FloatArray | None:
    """Numbers as they are: not words that look like numbers, which R would refuse."""
    found = real_numbers(values)
    return None if found is None or np.asarray(values).dtype.kind in "US" else found


def _vector(values: Any, name: str, n: int) -> FloatArray:
    found = _numbers(values)
    if found is not None and found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found is None or found.ndim != 1:
        raise DataError(
            f"{name} must be a vector of numbers.",
            given=type(values).__name__ if found is None else f"an array of shape {found.shape}",
            fix="code words by numbers" if found is None else None,
        )
    if len(found) != n:
        raise DataError(
            f"{name} and x have different lengths.",
            given=f"{len(found)} elements for {n} rows of x",
        )
    if not np.isfinite(found).all():
        raise DataError(
            f"{name} has missing or infinite values.",
            given=f"{(~np.isfinite(found)).sum()} of {n}",
            fix="leave these rows out",
        )
    return found


def asked(x: Any, y: Any, weights: Any, lambda_: Any, given: Arguments) -> tuple[Data, Settings]:
    """The data and the settings of a path."""
    others = dict(given)
    data = data_of(x, y, weights, others.pop("family", "gaussian"))
    return data, settings_of(data, lambda_, **others)  # type: ignore[arg-type]


def settings_of(
    data: Data, lambda_: Any = None, alpha: float = 1.0, nlambda: int = 100,
    lambda_min_ratio: float | None = None, standardize: bool = True, intercept: bool = True,
    thresh: float = 1e-7, dfmax: int | None = None, pmax: int | None = None,
    penalty_factor: Any = None, maxit: int = 100_000, type_multinomial: str = "ungrouped",
) -> Settings:  # fmt: skip
    """The settings of a path with glmnet's defaults for these data."""
    p = data.X.shape[1]
    check_word("type_multinomial", type_multinomial, ("ungrouped", "grouped"))
    if lambda_min_ratio is not None and not (
        is_number(lambda_min_ratio) and 0.0 < lambda_min_ratio < 1.0
    ):
        raise InputError(
            "lambda_min_ratio should be above 0 and less than 1.",
            given=f"lambda_min_ratio={lambda_min_ratio!r}",
        )
    if not (is_number(thresh) and thresh > 0.0):
        raise InputError("thresh must be a positive number.", given=f"thresh={thresh!r}")
    most = p + 1 if dfmax is None else whole(dfmax, "dfmax", 1)
    return Settings(
        penalty_factor=_factors(penalty_factor, p),
        lambda_=penalties(lambda_),
        alpha=_share(alpha),
        nlambda=whole(nlambda, "nlambda", 1),
        lambda_min_ratio=lambda_min_ratio,
        standardize=_yes_or_no(standardize, "standardize"),
        intercept=_yes_or_no(intercept, "intercept"),
        thresh=float(thresh),
        maxit=whole(maxit, "maxit", 1),
        dfmax=most,
        pmax=min(2 * most + 20, p) if pmax is None else whole(pmax, "pmax", 1),
        grouped=type_multinomial == "grouped",
    )


def _require_known(family: Any) -> None:
    if family not in get_args(FamilyName):
        elsewhere = f"family {family!r} is not done here with glmnet's steps."
        raise InputError(
            elsewhere if family in _ELSEWHERE else "family is not one of glmnet's.",
            given=f"family={family!r}",
            fix=f"use one of {', '.join(get_args(FamilyName))}",
        )


def penalties(lambda_: Any) -> FloatArray | None:
    """Penalties that were given, from the largest down."""
    if lambda_ is None:
        return None
    found = real_numbers(lambda_)
    if found is None or not found.size or not np.isfinite(found).all():
        raise InputError("lambda_ must be numbers, one or more.", given=f"lambda_={lambda_!r}")
    if (found < 0.0).any():
        raise InputError(
            "lambdas should be non-negative.", given=f"lambda_ with {np.ravel(found).min():g}"
        )
    return np.sort(np.ravel(found))[::-1].copy()


def _share(alpha: Any) -> float:
    if not is_number(alpha) or not np.isfinite(alpha):
        raise InputError("alpha must be a number from 0 to 1.", given=f"alpha={alpha!r}")
    if alpha > 1.0:
        warn("alpha > 1; set to 1.", given=f"alpha={alpha!r}")
    if alpha < 0.0:
        warn("alpha < 0; set to 0.", given=f"alpha={alpha!r}")
    return float(min(max(alpha, 0.0), 1.0))


def _factors(given: Any, p: int) -> FloatArray:
    if given is None:
        return np.ones(p)
    found = _vector(given, "penalty_factor", p) if np.size(given) == p else None
    if found is None or (found < 0.0).any() or not found.any():
        raise InputError(
            "penalty_factor takes one number for each predictor, not negative, some positive.",
            given=f"penalty_factor={given!r} for {p} predictors",
        )
    return np.asarray(found * p / found.sum())


def _yes_or_no(value: Any, name: str) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False.", given=f"{name}={value!r}")
    return bool(value)


def call(function: str, **given: Any) -> str:
    """The call as R writes it; arrays under the names of their arguments.

    Examples
    --------
    >>> call("glmnet", alpha=0.5, standardize=False, lambda_=[1, 2])
    'glmnet(x = x, y = y, alpha = 0.5, standardize = FALSE, lambda = lambda)'
    """
    words = {"x": "x", "y": "y"}
    for name, value in given.items():
        as_r = name.rstrip("_").replace("_", ".")
        if isinstance(value, bool):
            words[as_r] = str(value).upper()
        elif isinstance(value, str):
            words[as_r] = f'"{value}"'
        else:
            words[as_r] = f"{value:g}" if is_number(value) else as_r
    return f"{function}({', '.join(f'{name} = {word}' for name, word in words.items())})"
