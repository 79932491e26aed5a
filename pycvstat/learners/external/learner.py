"""Estimators with scikit-learn's methods, and pairs of functions, as learners."""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from pycvstat.errors import InputError
from pycvstat.errors.names import defaults_of
from pycvstat.learners.external.fitting import Role, Wrapped
from pycvstat.losses import Loss
from pycvstat.types import FloatArray

FOR_ALL = {"base", "callback", "utils"}
"""Rooms of scikit-learn that estimators of others build on too."""


@dataclass(frozen=True, repr=False, eq=False)
class External(Wrapped):
    """An estimator with scikit-learn's ``fit(X, y)`` and ``predict(X)``, pipelines included.

    Any such object is wrapped by itself wherever a learner is expected. It gets the columns of
    R's model matrix without the intercept, and for classes the codes 0, 1, ... of the levels;
    under a loss of probabilities only its ``predict_proba`` is called, and the likeliest class is
    the prediction. With ``na="pass"`` it gets missing predictors as NaN.
    Parameters of a grid are those of ``set_params`` ("alpha", "ridge__alpha", ...). A
    ``random_state`` that is None is set, fit by fit, to a number made from the training rows, so
    that results can be repeated and do not depend on the number of workers.

    Parameters
    ----------
    estimator : object
        With fit and predict; it is copied for every fit and never changed.
    encode : bool, optional
        False: give the columns of the formula as they are, in a pandas frame with their types,
        for pipelines that encode by themselves. By default this is so when the estimator holds a
        ColumnTransformer, however deep.
    check_state : bool
        Fit the first training rows once more after all other fits, and refuse predictions that
        differ: a learner that keeps something from fit to fit gives other results in another order
        and with another number of workers. False saves that fit, and goes on; estimators that
        are scikit-learn's in all their parts keep nothing, and are not asked.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> data = {"x": [0.0, 1.0, 2.0], "y": [1.0, 3.0, 5.0]}
    >>> External(LinearRegression()).fit("y ~ x", data).predict({"x": [10.0]}).round(6)
    array([21.])
    """

    estimator: Any
    encode: bool | None = None
    takes_the_likeliest: bool = field(default=False, repr=False)
    check_state: bool = field(default=True, repr=False)

    def __post_init__(self) -> None:
        given = self.estimator
        if isinstance(given, type):
            problem = "a learner is an object, and this is a class."
            raise InputError(problem, given=given.__name__, fix=f"write {given.__name__}()")
        if not (callable(getattr(given, "fit", None)) and _predicts(given)):
            problem = "this is not a learner: it has no fit and predict."
            fix = "use pcv.KNN(), pcv.OLS(), ..., or an object with scikit-learn's fit, predict"
            raise InputError(problem, given=type(given).__name__, fix=fix)

    @property
    def name(self) -> str:
        """The name of the estimator's class, and of a pipeline's steps."""
        steps = getattr(self.estimator, "steps", None)
        name = type(self.estimator).__name__
        if not steps:
            return name
        return f"{name}({', '.join(type(step).__name__ for _, step in steps)})"

    @property
    def role(self) -> Role | None:
        """Whether it predicts classes or numbers, where it says so."""
        return _role(self.estimator)

    @property
    def usual(self) -> dict[str, Any]:
        """The values that parameters of the estimator have where nothing is said."""
        return defaults_of(type(self.estimator))

    @property
    def sees_frames(self) -> bool:
        """Whether it gets the columns as they are."""
        if self.encode is not None:
            return not self.encode
        compose = sys.modules.get("sklearn.compose")  # loaded where an estimator has one
        return compose is not None and any(
            isinstance(part, compose.ColumnTransformer) for part in self._made_of
        )

    @property
    def citation(self) -> tuple[str, ...]:
        """scikit-learn, where an estimator of it takes part."""
        kinds = {base.__module__ for part in _parts(self.estimator) for base in type(part).__mro__}
        rooms = {kind.split(".")[1] for kind in kinds if kind.startswith("sklearn.")}
        return ("pedregosa2011",) if rooms - FOR_ALL else ()

    def inside(self, loss: Loss, on_error: Literal["raise", "warn"]) -> Self:
        """The estimator as part of a procedure, which may need its probabilities only."""
        likeliest = loss.name in ("log", "brier")
        return (
            self
            if likeliest == self.takes_the_likeliest
            else replace(self, takes_the_likeliest=likeliest)
        )

    @property
    def may_keep(self) -> bool:
        """Whether it might keep something from fit to fit."""
        return self.check_state and not all(map(_keeps_nothing, self._made_of))

    def params(self) -> dict[str, Any]:
        """The parameters of the estimator, those of its parts included."""
        get = getattr(self.estimator, "get_params", None)
        return dict(get()) if callable(get) else {}

    def with_params(self, /, **params: Any) -> Self:
        """A copy of the estimator with some parameters replaced."""
        if not params:
            return self
        self.check_names(params)
        changed = _copied(self.estimator)
        changed.set_params(**params)
        return replace(self, estimator=changed)

    def fresh(self, seed: int) -> Any:
        """A copy of the estimator, its undetermined random states set."""
        states = dict.fromkeys(self._undetermined, seed)
        if self._plain is not None:
            made = object.__new__(type(self.estimator))
            vars(made).update(self._plain | states)
            return made
        made = _copied(self.estimator)
        if states:
            made.set_params(**states)
        return made

    def at_work(self) -> AbstractContextManager[None]:
        """Plain parameters that scikit-learn found sound in one fit are not checked in others."""
        if not self._sound:
            return self._proving()
        if self._plain is None:
            return nullcontext()
        checked = sys.modules["sklearn"].config_context(skip_parameter_validation=True)
        return checked  # type: ignore[no-any-return]

    @contextmanager
    def _proving(self) -> Iterator[None]:
        yield
        self._sound[:] = [True]

    @cached_property
    def _sound(self) -> list[bool]:
        return []

    @cached_property
    def _plain(self) -> dict[str, Any] | None:
        """What a copy holds, where that is plain values and scikit-learn's own in its class."""
        if not type(self.estimator).__module__.startswith("sklearn."):
            return None
        held = dict(vars(self.estimator))
        if held.keys() != self._held.keys():  # it was fitted, or told more than its parameters
            held = vars(_copied(self.estimator))
        plain = held.keys() >= self._held.keys() and all(map(_is_plain, held.values()))
        return held if plain else None

    @cached_property
    def _held(self) -> dict[str, Any]:
        return self.params()

    @cached_property
    def _made_of(self) -> list[Any]:
        return [self.estimator, *_parts([*self._held.values()])]

    @cached_property
    def _undetermined(self) -> list[str]:
        """The random states that nobody set."""
        unset = (name for name, value in self._held.items() if value is None)
        return [name for name in unset if name.rpartition("__")[2] == "random_state"]


@dataclass(frozen=True, repr=False, eq=False)
class FromFunctions(Wrapped):
    """A learner from two functions.

    Parameters
    ----------
    fitting : callable
        ``fitting(X, y, **params)`` returns a model of any type. X is the model matrix without the
        intercept; y holds numbers, or class codes 0, 1, ...
    predicting : callable
        ``predicting(model, X)`` returns one value per row, or class codes.
    given : mapping, optional
        Values for further arguments of `fitting`; a grid may name them too.
    check_state : bool
        Fit the first training rows once more after all other fits, and refuse predictions that
        differ: a learner that keeps something from fit to fit gives other results in another order
        and with another number of workers. False saves that fit, and goes on.

    Examples
    --------
    >>> import numpy as np
    >>> def fit(X, y, share=0.5):
    ...     return np.quantile(y, share)
    >>> def predict(model, X):
    ...     return np.full(len(X), model)
    >>> learner = FromFunctions(fit, predict)
    >>> data = {"x": [1, 2, 3], "y": [1.0, 2.0, 9.0]}
    >>> learner.with_params(share=1.0).fit("y ~ x", data).predict({"x": [4]})
    array([9.])
    """

    fitting: Callable[..., Any]
    predicting: Callable[[Any, FloatArray], Any]
    given: Mapping[str, Any] = field(default_factory=dict)
    check_state: bool = field(default=True, repr=False)

    def __post_init__(self) -> None:
        for role, function in (("fitting", self.fitting), ("predicting", self.predicting)):
            if not callable(function):
                raise InputError(
                    f"{role} must be a function.",
                    given=type(function).__name__,
                    fix="FromFunctions(fit, predict)",
                )

    @property
    def name(self) -> str:
        """The name of the fitting function."""
        return str(getattr(self.fitting, "__name__", "FromFunctions"))

    def params(self) -> dict[str, Any]:
        """The further arguments of the fitting function."""
        try:
            arguments = list(inspect.signature(self.fitting).parameters.values())[2:]
        except (TypeError, ValueError):
            arguments = []
        named = {a.name: a.default for a in arguments if a.kind != a.VAR_KEYWORD}
        return named | dict(self.given)

    def with_params(self, /, **params: Any) -> Self:
        """The same functions, with other values for the further arguments."""
        self.check_names(params)
        return replace(self, given={**self.given, **params})

    def fresh(self, seed: int) -> Any:
        """An object with fit and predict."""
        return _Functions(self.fitting, self.predicting, dict(self.given))


@dataclass(slots=True)
class _Functions:
    fitting: Callable[..., Any]
    predicting: Callable[[Any, FloatArray], Any]
    given: dict[str, Any]
    model: Any = None

    def fit(self, X: FloatArray, y: FloatArray) -> _Functions:
        self.model = self.fitting(X, y, **self.given)
        return self

    def predict(self, X: FloatArray) -> Any:
        return self.predicting(self.model, X)


def _parts(given: Any) -> Iterator[Any]:
    """What an estimator is made of: its parameters, what they hold, and so on."""
    yield given
    inner: Any = ()
    if isinstance(given, (list, tuple)):
        inner = given
    elif isinstance(given, Mapping):
        inner = given.values()
    elif not isinstance(given, type) and callable(getattr(given, "get_params", None)):
        inner = given.get_params().values()
    for part in inner:
        yield from _parts(part)


def _is_plain(value: Any) -> bool:
    """Whether nobody can change it in place."""
    return value is None or type(value) in (bool, int, float, str) or isinstance(value, np.generic)


def _keeps_nothing(part: Any) -> bool:
    """Whether copies of it start anew: data, and what is scikit-learn's own."""
    plain = (str, int, float, list, tuple, Mapping)
    return part is None or isinstance(part, plain) or type(part).__module__.startswith("sklearn.")


def _predicts(estimator: Any) -> bool:
    """Whether it has a ``predict``; that of some shows only after their fit."""
    if callable(getattr(estimator, "predict", None)):
        return True
    return callable(getattr(type(estimator), "predict", None)) and _role(estimator) is not None


def _copied(estimator: Any) -> Any:
    """A copy; how it is made depends on the estimator only, not on what else is imported."""
    base = sys.modules.get("sklearn.base")
    try:
        if base is not None and isinstance(estimator, base.BaseEstimator):
            return base.clone(estimator, safe=False)
        return copy.deepcopy(estimator)
    except Exception as error:
        problem = f"{type(estimator).__name__} cannot be copied, and every fold needs a fresh one."
        fix = "make it a scikit-learn BaseEstimator, or use FromFunctions(fit, predict)"
        raise InputError(problem, given=f"{type(error).__name__}: {error}", fix=fix) from error


def _role(estimator: Any) -> Role | None:
    base = sys.modules.get("sklearn.base")
    if base is not None and isinstance(estimator, base.BaseEstimator):
        said = base.get_tags(estimator).estimator_type
    else:
        said = getattr(estimator, "_estimator_type", None)
    return said if said in ("classifier", "regressor") else None
