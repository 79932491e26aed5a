"""What a statsmodels model is to a learner: its class, what it cannot do, what it predicts."""

from __future__ import annotations

import difflib
import inspect
import math
import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from pycvstat.errors import InputError
from pycvstat.errors.checks import shown
from pycvstat.types import FloatArray

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


def predicts_hazards(model: Any) -> bool:
    """Whether it predicts logarithms of hazards, which no response can be compared with."""
    return "PHReg" in _ancestors(model)


def is_known(model: type) -> bool:
    """Whether it is one of statsmodels' own."""
    return model.__module__.startswith("statsmodels.")


def classes_of(model: Any, given: Mapping[str, Any]) -> float:
    """How many classes its predictions can tell apart: 0, 2, or any number.

    Models of others are taken at their word: their predictions are checked.
    """
    if OF_CLASSES & _ancestors(model) or not is_known(model):
        return math.inf
    from statsmodels.genmod.families import Binomial

    binomial = isinstance(given.get("family"), Binomial)
    return 2 if binomial or "BinaryModel" in _ancestors(model) else 0


def tells_separation(model: Any, given: Mapping[str, Any]) -> bool:
    """Whether fitted probabilities of 0 or 1 say that the classes are separated."""
    return classes_of(model, given) == 2 or "MultinomialModel" in _ancestors(model)


RANGES = {
    "BinaryModel": (0.0, 1.0, True), "Binomial": (0.0, 1.0, True),
    "BetaModel": (0.0, 1.0, False),
    "CountModel": (0.0, math.inf, True), "Poisson": (0.0, math.inf, True),
    "NegativeBinomial": (0.0, math.inf, True), "Tweedie": (0.0, math.inf, True),
    "Gamma": (0.0, math.inf, False), "InverseGaussian": (0.0, math.inf, False),
}  # fmt: skip
"""The responses of models and families: from, to, and whether these count."""


def check_range(model: Any, given: Mapping[str, Any], response: str, y: FloatArray) -> None:
    """Refuse numbers that the likelihood of a model does not know."""
    names = set() if OF_CLASSES & _ancestors(model) else _ancestors(model)
    names |= _ancestors(type(given.get("family")))
    for name in sorted(names & RANGES.keys()):
        low, high, closed = RANGES[name]
        if not (((y >= low) & (y <= high)) if closed else ((y > low) & (y < high))).all():
            known = "0 or more" if closed else "above 0"
            between = f"from 0 to 1{'' if closed else ', both excluded'}"
            problem = f"{name} takes a response {known if high == math.inf else between}."
            fix = "take a model for such numbers, or for classes smf.mnlogit with factor(y)"
            raise InputError(problem, given=f"{response} from {y.min():g} to {y.max():g}", fix=fix)


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


def passes_on(model: Any, function: Callable[..., Any]) -> bool:
    """Whether a function passes on arguments that it does not name, and somebody looks at them.

    Examples
    --------
    >>> from statsmodels.api import OLS, Logit
    >>> passes_on(OLS, OLS.fit), passes_on(Logit, Logit.fit)
    (False, True)
    """
    kinds = {p.kind for p in inspect.signature(function).parameters.values()}
    ignored = function == model.fit and "RegressionModel" in _ancestors(model)
    return inspect.Parameter.VAR_KEYWORD in kinds and not ignored


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
        problem = f"{name!r} is an argument of {model.__name__} and of its fit."
        raise InputError(problem, given=name, fix=f"write 'model__{name}' or 'fit__{name}'")
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
            problem = f"{name} is not an argument of a learner."
            fix = 'it is given beside the learner: cross_validate(learner, "y ~ x", data, ...)'
            raise InputError(problem, given=f"{name}={shown(value)}", fix=fix)
        if isinstance(value, type) and is_known(value):
            problem = f"{name} takes an object, and this is a class."
            fix = f"call it: {name}={value.__name__}()"
            raise InputError(problem, given=value.__name__, fix=fix)
        if name == "family" and isinstance(value, str):
            fix = f"for example family=sm.families.{_family_like(value)}()"
            raise InputError("family takes an object of statsmodels.", given=repr(value), fix=fix)
    check(model, model.__init__, f"{model.__name__} has", given)
    regularised = is_regularised(model, fitting)
    fit = model.fit_regularized if regularised else model.fit
    check(model, fit, f"the fit of {model.__name__} has", fitting, near=0.9)


def _family_like(word: str) -> str:
    from statsmodels.genmod import families

    known = {name.lower(): name for name in dir(families) if name[0].isupper()}
    near = difflib.get_close_matches(word.lower().replace("_", ""), known, n=1)
    return known[near[0]] if near else "Poisson"


def check_needed(model: Any, given: Mapping[str, Any]) -> None:
    """Refuse a model without an argument that it needs."""
    known = named(model.__init__)
    needed = [name for name, default in known.items() if default is inspect.Parameter.empty]
    missing = [name for name in needed if name not in given]
    if missing and given.keys() <= known.keys():
        raise InputError(
            f"{model.__name__} needs {missing[0]}.", fix=f'{missing[0]}="the name of a column"'
        )


def check(
    model: Any, function: Callable[..., Any], who: str, names: Any, near: float = 0.6
) -> None:
    """Refuse names that a function neither has nor passes on, or that are near to one it has."""
    known = of_model(model) if function == model.__init__ else named(function)
    for name in names:
        if name in known:
            continue
        meant = difflib.get_close_matches(name, list(known), n=1, cutoff=near)
        if meant or not passes_on(model, function):
            fix = f"did you mean {meant[0]!r}?" if meant else f"use one of {sorted(known)}"
            raise InputError(f"{who} no argument {name!r}.", given=name, fix=fix)


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
