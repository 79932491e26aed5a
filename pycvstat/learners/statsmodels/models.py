"""What a statsmodels model is to a learner: its class, what it cannot do, what it predicts."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Mapping
from typing import Any

from pycvstat.errors import InputError
from pycvstat.learners.statsmodels.arguments import named

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


def _ancestors(model: type) -> set[str]:
    return {base.__name__ for base in model.__mro__}
