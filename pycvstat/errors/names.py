"""Arguments under the names of other packages: an error of ours says what to write here."""

from __future__ import annotations

import difflib
import inspect
from abc import ABCMeta
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, wraps
from typing import Any, TypeVar, get_args, get_type_hints

from pycvstat.errors import InputError
from pycvstat.errors.checks import short_of_memory

F = TypeVar("F", bound=Callable[..., Any])

ELSEWHERE = {
    "k": "n_splits n_folds nfolds folds K v number n_neighbors neighbors",
    "fold_ids": "foldid folds",
    "folds": "cv resampling resamples trControl foldid",
    "outer": "cv folds outer_cv",
    "inner": "inner_cv",
    "times": "n_splits number n_repeats repeats B n_boot n_bootstraps",
    "repeats": "n_repeats times",
    "random": "random_state rng seed",
    "seed": "random_state random",
    "test": "test_size",
    "train": "train_size prop p",
    "initial": "initial_train_size",
    "learner": "estimator model",
    "learners": "estimators models learner",
    "methods": "estimators models learner",
    "grid": "param_grid param_distributions params tuneGrid",
    "n": "n_iter",
    "sizes": "train_sizes",
    "weights": "sample_weight",
    "groups": "group",
    "progress": "verbose",
    "n_jobs": "n_workers cores",
    "task_limit": "timeout",
    "lam": "alpha lambda_ lambd penalty",
    "level": "alpha conf_level confidence_level",
    "alpha": "l1_ratio mixture",
    "tau": "quantile q",
    "norm": "M",
    "y": "y_true",
    "predictions": "y_pred",
}
"""What it is here -> what scikit-learn, statsmodels, caret, tidymodels and glmnet call it."""

OURS: dict[str, list[str]] = {}
for _ours, _theirs in ELSEWHERE.items():
    for _name in _theirs.split():
        OURS.setdefault(_name, []).append(_ours)

DRAWS = ("random", *ELSEWHERE["random"].split())
"""What starts random draws, here and elsewhere."""

INSTEAD: dict[str, str] = {
    "scoring": "loss= is what is averaged; result.interval(metric='rmse') has metrics",
    "metric": "loss= is what is averaged; result.interval(metric='rmse') has metrics",
    "shuffle": "KFold shuffles; Blocks keeps the rows in order",
    "stratify": "folds=Stratified(5)",
    "fit_intercept": "the formula says it: y ~ x - 1 has no intercept",
    "refit": "compare tuned learners: Tuned(learner, grid, inner)",
    "na_action": "na='omit' or na='raise'",
    "subset": "give the rows: data[condition]",
    "format": "the ending of the path decides, as in report.html",
}
"""What has no argument of its own."""

EXAMPLES: dict[str, str] = {
    "folds": "folds=10, or folds=KFold(10, random=1)",
    "outer": "outer=10, or outer=KFold(10, random=1)",
    "inner": "inner=5, or inner='dev'",
    "grid": 'grid={"k": range(1, 31)}',
    "sizes": "sizes=[50, 100, 200]",
}
"""How an argument is written that is missing."""


def unknown_argument(
    owner: str,
    name: str,
    known: Collection[str],
    instead: Mapping[str, str] | None = None,
    what: str = "argument",
) -> InputError:
    """The error for an argument that is not known: what it is called here, or the nearest name.

    Parameters
    ----------
    owner : str
        Whose argument it would be.
    name : str
    known : collection of str
        The arguments that there are.
    instead : mapping, optional
        What the owner says to names of other packages.
    what : str
        What arguments are called there.

    Examples
    --------
    >>> print(unknown_argument("KFold", "n_splits", ["k", "random"]))
    KFold has no argument 'n_splits'.
      Given: n_splits
      Do this: write k=
    """
    said = {**INSTEAD, **(instead or {})}.get(name)
    ours = next((one for one in OURS.get(name, ()) if one in known), None)
    near = [f"{name}_"] if f"{name}_" in known else difflib.get_close_matches(name, known, n=1)
    if said is not None:
        pass
    elif name == "alpha" and ours == "level":
        said = "write level=0.95, which is 1 - alpha"
    elif ours is not None:
        said = f"write {ours}=" if what == "argument" else f"here it is {ours!r}"
    elif name in DRAWS and "folds" in known:
        said = "the folds draw: folds=KFold(5, random=1)"
    elif name in DRAWS and "outer" in known:
        said = "the folds draw: outer=KFold(5, random=1)"
    elif near:
        said = f"did you mean {near[0]!r}?"
    fix = said or (f"use one of {', '.join(known)}" if known else f"it has no {what}s")
    return InputError(f"{owner} has no {what} {name!r}.", given=name, fix=fix)


def answering(function: F) -> F:
    """Answer a call with wrong arguments by an error of ours; the signature stays as it is.

    Arguments that come by ``**arguments: Unpack[...]`` are checked before anything is done.

    Examples
    --------
    >>> @answering
    ... def tune(learner, *, grid, folds):
    ...     return learner
    >>> tune("knn", param_grid={"k": [1]}, folds=5)
    Traceback (most recent call last):
    pycvstat.errors.InputError: tune has no argument 'param_grid'.
      Given: param_grid
      Do this: write grid=
    """

    @wraps(function)
    def called(*args: Any, **given: Any) -> Any:
        names, closed = _arguments(function)
        if closed and any(name not in names for name in given):
            raise _refusal(function, args, given)
        try:
            return function(*args, **given)
        except MemoryError as error:
            raise short_of_memory(f"{function.__qualname__}()", error) from error
        except TypeError as error:
            if not _at_the_call(error):
                raise
            raise _refusal(function, args, given) from None

    return called  # type: ignore[return-value]


class Answering(ABCMeta):
    """The class of classes that answer a call with wrong arguments, as `answering` functions do.

    Such a class may say in `instead` what to write for an argument of another package.
    """

    instead: Mapping[str, str] = {}

    def __call__(cls, *args: Any, **given: Any) -> Any:
        """Make one."""
        try:
            return super().__call__(*args, **given)
        except TypeError as error:
            if cls.__abstractmethods__ or not _at_the_call(error):
                raise
            raise _refusal(cls, args, given, cls.instead) from None

    @property
    def __signature__(cls) -> inspect.Signature:
        """That of making one, for help() and editors."""
        own = inspect.signature(cls.__init__)  # type: ignore[misc]
        return own.replace(parameters=list(own.parameters.values())[1:])


@cache
def _arguments(function: Callable[..., Any]) -> tuple[tuple[str, ...], bool]:
    """The names of all arguments, and whether there are no others."""
    names, closed = [], True
    for name, one in inspect.signature(function).parameters.items():
        if one.kind is not one.VAR_KEYWORD:
            names.append(name)
        elif "Unpack" in str(one.annotation):
            names += get_args(get_type_hints(function)[name])[0].__annotations__
        else:
            closed = False
    return tuple(name for name in names if name != "self"), closed


def _at_the_call(error: TypeError) -> bool:
    """Whether nothing of what was called has run: its arguments do not fit."""
    return error.__traceback__ is not None and error.__traceback__.tb_next is None


def _refusal(
    function: Callable[..., Any],
    args: Sequence[Any],
    given: Mapping[str, Any],
    instead: Mapping[str, str] | None = None,
) -> InputError:
    """What is wrong with a call: a name that is not known, or arguments missing or too many."""
    names, closed = _arguments(function)
    if closed and (unknown := [name for name in given if name not in names]):
        return unknown_argument(function.__name__, unknown[0], names, instead)
    try:
        inspect.signature(function).bind(*args, **given)
        problem = "these arguments do not fit"
    except TypeError as misfit:
        problem = str(misfit)
    missing = problem.rpartition(" ")[2].strip("'")
    return InputError(f"{function.__name__}: {problem}.", fix=EXAMPLES.get(missing))


def defaults_of(kind: Any) -> dict[str, Any]:
    """The defaults of the arguments of a class or function; none where it has no signature.

    Examples
    --------
    >>> defaults_of(lambda x, k=7: x)["k"]
    7
    """
    try:
        parameters = inspect.signature(kind).parameters
        return {name: of.default for name, of in parameters.items()}
    except (TypeError, ValueError):
        return {}
