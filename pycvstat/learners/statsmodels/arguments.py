"""Which argument goes to a statsmodels model, its fit or its regularised fit: by signature."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from pycvstat.errors import InputError

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


def check(model: Any, function: Callable[..., Any], who: str, names: Any) -> None:
    """Refuse names that a function neither has nor passes on, or that are near to one it has."""
    known = of_model(model) if function == model.__init__ else named(function)
    for name in names:
        near = [] if name in known else difflib.get_close_matches(name, list(known), n=1)
        if near or not (name in known or open_ended(function)):
            raise InputError(
                f"{who} no argument {name!r}.",
                given=name,
                fix=f"did you mean {near[0]!r}?" if near else f"use one of {sorted(known)}",
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
