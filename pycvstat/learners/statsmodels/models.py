"""What a statsmodels model is to a learner: its class, what it cannot do, what it predicts."""

from __future__ import annotations

import difflib
import inspect
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.data.formula import Encoder, parse
from pycvstat.data.frame import Column, Frame
from pycvstat.data.task import Task
from pycvstat.errors import DataError, InputError
from pycvstat.errors.checks import shown

WITHOUT_INTERCEPT = {"OrderedModel", "PHReg", "_ConditionalModel"}
"""Models with thresholds or strata in place of a constant, and those built on them."""

OF_CLASSES = {"MultinomialModel", "OrderedModel"}


def class_of(given: Any) -> Any:
    """The class of a statsmodels formula function or class; None of anything else.

    Examples
    --------
    >>> import statsmodels.formula.api as smf
    >>> class_of(smf.ols)
    <class 'statsmodels.regression.linear_model.OLS'>
    """
    base = sys.modules.get("statsmodels.base.model")
    if base is None:
        return None
    owner = getattr(given, "__self__", None) if inspect.ismethod(given) else given
    return owner if isinstance(owner, type) and issubclass(owner, base.Model) else None


def is_built(given: Any) -> bool:
    """Whether it is a model that holds its data already, or the results of its fit."""
    base = sys.modules.get("statsmodels.base.model")
    wrapper = sys.modules.get("statsmodels.base.wrapper")
    return (base is not None and isinstance(given, (base.Model, base.Results))) or (
        wrapper is not None and isinstance(given, wrapper.ResultsWrapper)
    )


def refused(given: Any) -> InputError:
    """What to write instead of a built model."""
    model = getattr(given, "model", given)
    used = [name for name in named(type(model).__init__) if getattr(model, name, None) is not None]
    arguments = [f"{name}=..." for name in used if name not in ("hasconst", "missing")]
    line = f"pcv.Statsmodels({', '.join([written(type(model)), *arguments])})"
    formula = getattr(model, "formula", None)
    return InputError(
        "a model that holds its data cannot be fitted to the training rows of a fold.",
        given=f"a {type(given).__name__} of {model.endog.shape[0]} rows",
        fix=f"write {line}{f' with the formula {formula!r}' if formula else ''}, "
        "columns of the data by name",
    )


def written(model: type) -> str:
    """The class as one writes it."""
    api = sys.modules.get("statsmodels.api")
    return f"sm.{model.__name__}" if hasattr(api, model.__name__) else model.__name__


def check_predicts_rows(model: Any) -> None:
    """Refuse models of time series, which predict times and not rows."""
    base = sys.modules["statsmodels.base.model"]
    if "TimeSeriesModel" in _ancestors(model) or model.predict in (
        base.Model.predict,
        base.LikelihoodModel.predict,
    ):
        raise InputError(
            f"{model.__name__} has no prediction for new rows.",
            given=written(model),
            fix="write what it predicts as pcv.FromFunctions(fit, predict); for forecasters with "
            "folds=pcv.TimeSeries(...)",
        )


def takes_intercept(model: Any) -> bool:
    """Whether the design has a constant column."""
    return not WITHOUT_INTERCEPT & _ancestors(model)


def is_known(model: type) -> bool:
    """Whether it is one of statsmodels' own."""
    return model.__module__.startswith("statsmodels.")


def classes_of(model: Any, given: Mapping[str, Any]) -> float:
    """How many classes its predictions can tell apart: 0, 2, or any number.

    Models of others are taken at their word: their predictions are checked.
    """
    if OF_CLASSES & _ancestors(model) or not is_known(model):
        return math.inf
    binomial = type(given.get("family")).__name__ == "Binomial"
    return 2 if binomial or "BinaryModel" in _ancestors(model) else 0


def tells_separation(model: Any, given: Mapping[str, Any]) -> bool:
    """Whether fitted probabilities of 0 or 1 say that the classes are separated."""
    return classes_of(model, given) == 2 or "MultinomialModel" in _ancestors(model)


def _ancestors(model: type) -> set[str]:
    return {base.__name__ for base in model.__mro__}


GIVEN_BY_US = ("self", "endog", "exog", "formula", "data", "params")
PLACES = ("model", "fit")


@cache
def named(function: Callable[..., Any]) -> Mapping[str, Any]:
    """The arguments that a function of a model class names, with their defaults.

    Examples
    --------
    >>> def fit(self, endog, q=0.5, **further): ...
    >>> named(fit)
    {'q': 0.5}
    """
    found = inspect.signature(function).parameters.values()
    plain = [p for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return {p.name: p.default for p in plain if p.name not in GIVEN_BY_US}


def open_ended(function: Callable[..., Any]) -> bool:
    """Whether a function passes on arguments that it does not name."""
    return any(p.kind == p.VAR_KEYWORD for p in inspect.signature(function).parameters.values())


@cache
def of_model(model: Any) -> Mapping[str, Any]:
    """The arguments of a model class, and those that only its formula function has."""
    return {**named(model.from_formula), **named(model.__init__)}


def of_regularised(model: Any) -> Mapping[str, Any]:
    """The arguments of ``fit_regularized``; none where a model has no such fit."""
    return named(model.fit_regularized) if hasattr(model, "fit_regularized") else {}


def is_regularised(model: Any, fitting: Mapping[str, Any]) -> bool:
    """Whether the arguments ask for ``fit_regularized``: one of them only it knows.

    Examples
    --------
    >>> from statsmodels.api import OLS
    >>> is_regularised(OLS, {"alpha": 0.1}), is_regularised(OLS, {"cov_type": "HC3"})
    (True, False)
    """
    return bool(set(fitting) & set(of_regularised(model)) - set(named(model.fit)))


def place_of(model: Any, name: str, fitting: Mapping[str, Any], all_names: Any) -> tuple[str, str]:
    """Where an argument of a grid belongs, "model" or "fit", and its name there.

    Parameters
    ----------
    model : class
    name : str
        As statsmodels calls it; ``model__name`` or ``fit__name`` where both have it.
    fitting : mapping
        The arguments of the fit so far.
    all_names : collection of str
        All that the grid names: a penalty among them makes the fit a regularised one.
    """
    place, _, rest = name.partition("__")
    if rest and place in PLACES:
        return place, rest
    in_fit = name in fitting or name in named(model.fit) or name in of_regularised(model)
    in_model = name in of_model(model)
    if in_model and in_fit:
        raise InputError(
            f"{name!r} is an argument of {model.__name__} and of its fit.",
            given=name,
            fix=f"write 'model__{name}' or 'fit__{name}'",
        )
    if in_model or in_fit:
        return ("model", name) if in_model else ("fit", name)
    regularised = is_regularised(model, {**fitting, **dict.fromkeys(all_names)})
    fit = model.fit_regularized if regularised else model.fit
    check(model, fit, f"{model.__name__} and its fit have", [name])
    raise InputError(
        f"{model.__name__} and its fit name no argument {name!r}, and may ignore it in silence.",
        given=name,
        fix=f"write 'fit__{name}' for what its fit passes on, to an optimiser",
    )


def check_arguments(model: Any, given: Mapping[str, Any], fitting: Mapping[str, Any]) -> None:
    """Refuse arguments of a model and its fit from which nothing can be made, before any work."""
    for name, value in given.items():
        if name in GIVEN_BY_US:
            raise InputError(
                f"{name} is not an argument of a learner.",
                given=f"{name}={shown(value)}",
                fix='it is given beside the learner: cross_validate(learner, "y ~ x", data, ...)',
            )
        if isinstance(value, type) and is_known(value):
            raise InputError(
                f"{name} takes an object, and this is a class.",
                given=value.__name__,
                fix=f"call it: {name}={value.__name__}()",
            )
        if name == "family" and isinstance(value, str):
            raise InputError(
                "family takes an object of statsmodels.",
                given=repr(value),
                fix=f"for example family=sm.families.{_family_like(value)}()",
            )
    check(model, model.__init__, f"{model.__name__} has", given)
    regularised = is_regularised(model, fitting)
    fit = model.fit_regularized if regularised else model.fit
    check(model, fit, f"the fit of {model.__name__} has", fitting, near=0.9)


def _family_like(word: str) -> str:
    from statsmodels.genmod import families

    known = {name.lower(): name for name in dir(families) if name[0].isupper()}
    near = difflib.get_close_matches(word.lower().replace("_", ""), known, n=1)
    return known[near[0]] if near else "Poisson"


def check_complete(model: Any, given: Mapping[str, Any], frame: Frame) -> None:
    """Refuse a model without an argument that it needs, or with a column that is not there."""
    if all(name in named(model.__init__) for name in given):
        for name, default in named(model.__init__).items():
            if default is inspect.Parameter.empty and name not in given:
                raise InputError(
                    f"{model.__name__} needs {name}.", fix=f'{name}="the name of a column"'
                )
    for name, value in given.items():
        columns = [value] if is_column(model, name, value) and not is_formula(value) else []
        for column in value if is_list_of_columns(value) else columns:
            taken(frame, name, column)


def check(
    model: Any, function: Callable[..., Any], who: str, names: Any, near: float = 0.6
) -> None:
    """Refuse names that a function neither has nor passes on, or that are near to one it has."""
    known = of_model(model) if function == model.__init__ else named(function)
    for name in names:
        if name in known:
            continue
        meant = difflib.get_close_matches(name, list(known), n=1, cutoff=near)
        if meant or not open_ended(function):
            raise InputError(
                f"{who} no argument {name!r}.",
                given=name,
                fix=f"did you mean {meant[0]!r}?" if meant else f"use one of {sorted(known)}",
            )


def is_column(model: Any, name: str, value: Any) -> bool:
    """Whether an argument names a column: a text, where the default is not one of its words.

    Examples
    --------
    >>> from statsmodels.miscmodels.ordinal_model import OrderedModel
    >>> is_column(OrderedModel, "offset", "e"), is_column(OrderedModel, "distr", "logit")
    (True, False)
    """
    words = isinstance(of_model(model).get(name), str)
    return isinstance(value, str) and not (words or name.endswith("_formula"))


Reader = Callable[[Frame], NDArray[Any]]
IN_COVARIANCES = ("groups", "time")
WORD = re.compile(r"[^\W\d][\w.]*")


def is_formula(value: Any) -> bool:
    """Whether an argument is a one-sided formula, such as "~ x + z"."""
    return isinstance(value, str) and value.lstrip().startswith("~")


def names_in(model: Any, given: Mapping[str, Any], fitting: Mapping[str, Any]) -> Iterator[str]:
    """Names that may be columns of the data; words of formulas that are not are no harm."""
    for name, value in given.items():
        if is_formula(value) or name.endswith("_formula"):
            texts = value.values() if isinstance(value, Mapping) else [value]
            yield from (word for text in texts for word in WORD.findall(str(text)))
        elif is_column(model, name, value):
            yield value
        elif is_list_of_columns(value):
            yield from value
    yield from columns_of_covariance(fitting.get("cov_kwds"))


def columns_of_covariance(kwds: Mapping[str, Any] | None) -> Iterator[str]:
    """Names of columns among the arguments of a robust covariance."""
    for name, value in (kwds or {}).items():
        if name in IN_COVARIANCES and isinstance(value, str):
            yield value


def is_list_of_columns(value: Any) -> bool:
    """Whether an argument is a list of names."""
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)


def readers(model: Any, given: Mapping[str, Any], task: Task, train: Frame) -> dict[str, Reader]:
    """For each argument made of columns how it is made from a frame.

    Parameters
    ----------
    model : class
    given : mapping
        The arguments of the model.
    task : Task
    train : Frame
        The training rows, from which terms such as scale() take their numbers.
    """
    found: dict[str, Reader] = {}
    for name, value in given.items():
        if name.endswith("_formula"):
            continue
        if is_formula(value):
            found[name] = _design(value, task, train)
        elif is_column(model, name, value):
            found[name] = _one(name, value)
        elif is_list_of_columns(value):
            found[name] = _several(name, value)
    return found


def _one(name: str, column: str) -> Reader:
    return lambda frame: plain(taken(frame, name, column))


def _several(name: str, columns: list[str]) -> Reader:
    return lambda frame: np.column_stack([plain(taken(frame, name, c)) for c in columns])


def _design(text: str, task: Task, train: Frame) -> Reader:
    """R's model matrix of a one-sided formula, levels frozen as those of the predictors."""
    source = task.frame if task.origin is None else task.origin
    left = task.formula.text.partition("~")[0]
    formula = parse(f"{left} {text}", source.names)
    encoder = Encoder(formula, source).fit(train)
    return lambda frame: encoder.matrix(frame).X


def taken(frame: Frame, name: str, column: str) -> Column:
    """The column that an argument names."""
    if column not in frame.names:
        raise DataError(
            f"{name} is missing: the data have no column {column!r}.",
            given=f"{name}={column!r}",
            fix=f"{name}= takes the name of a column, or an object of statsmodels",
        )
    return frame[column]


def plain(column: Column) -> NDArray[Any]:
    """Numbers, or labels."""
    if column.kind in ("factor", "ordered"):
        labels = np.array([*column.levels, None], dtype=object)
        return np.asarray(labels[column.values])
    return np.asarray(column.values)


def refuse_values(given: Mapping[str, Any], n: int) -> None:
    """One value per row cannot follow the rows into the folds; a column's name can."""
    for name, value in given.items():
        several = hasattr(value, "__len__") and not isinstance(value, (str, Mapping))
        if several and not is_list_of_columns(value) and len(value) == n:
            raise InputError(
                f"{name} holds one value per row, and folds need the column's name.",
                given=type(value).__name__,
                fix=f"put it into the data and write {name}='...'",
            )


def with_columns(kwds: Mapping[str, Any], frame: Frame) -> dict[str, Any]:
    """Arguments of a robust covariance, its groups and times read from the frame."""
    return {
        name: plain(taken(frame, name, value))
        if name in IN_COVARIANCES and isinstance(value, str)
        else value
        for name, value in kwds.items()
    }
