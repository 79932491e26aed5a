"""Models and estimators that users bring, by their class and its arguments, and back.

Of statsmodels, scikit-learn and NumPy only what is listed here is ever looked up: classes whose
construction does nothing but keep its arguments, and names of types and of universal functions.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

PLAIN = {kind.__name__: kind for kind in (bool, int, float, str, object)}
ROOMS = {
    "statsmodels": ("discrete", "duration", "gam", "genmod", "miscmodels", "othermod",
                    "regression", "robust"),
    "sklearn": ("calibration", "cluster", "compose", "covariance", "cross_decomposition",
                "decomposition", "discriminant_analysis", "dummy", "ensemble",
                "feature_extraction", "feature_selection", "gaussian_process", "impute",
                "isotonic", "kernel_approximation", "kernel_ridge", "linear_model", "manifold",
                "mixture", "model_selection", "multiclass", "multioutput", "naive_bayes",
                "neighbors", "neural_network", "pipeline", "preprocessing", "random_projection",
                "semi_supervised", "svm", "tree"),
}  # fmt: skip
MODEL = "statsmodels.base.model:Model"
KINDS = {
    "statsmodels.genmod.families.family:Family",
    "statsmodels.genmod.families.links:Link",
    "statsmodels.genmod.cov_struct:CovStruct",
    "statsmodels.robust.norms:RobustNorm",
    "statsmodels.robust.scale:HuberScale",
    "sklearn.base:BaseEstimator",
    "sklearn.compose._column_transformer:make_column_selector",
    "sklearn.gaussian_process.kernels:Kernel",
    "sklearn.model_selection._split:BaseCrossValidator",
    "sklearn.model_selection._split:BaseShuffleSplit",
}
"""Bases of the classes of which there are objects."""

FILES = {"memory": None, "input": "content"}
"""Arguments by which objects read files, and the value with which they read none: what lies in a
folder of ``memory`` would be unpickled at the next fit."""

UNKNOWN = object()


def path_of(thing: Any) -> str | None:
    """The module and name of a class or a universal function; None where it is not looked up.

    Examples
    --------
    >>> path_of(np.log1p), path_of(np.number), path_of(dict)
    ('numpy:log1p', 'numpy:number', None)
    """
    module = "numpy" if isinstance(thing, np.ufunc) else getattr(thing, "__module__", None)
    path = f"{module}:{getattr(thing, '__name__', '')}"
    try:
        return path if looked_up(path) is thing else None
    except (ValueError, ImportError):
        return None


def looked_up(path: str) -> Any:
    """What a module and a name mean; anything that is not listed here is refused.

    Examples
    --------
    >>> looked_up("numpy:log1p")
    <ufunc 'log1p'>
    >>> looked_up("os:system")
    Traceback (most recent call last):
    ValueError: 'os:system' is not kept in files
    """
    module, _, name = path.partition(":")
    found: Any = None
    if module == "builtins":
        found = PLAIN.get(name)
    elif module == "numpy":
        found = vars(np).get(name)
        found = found if isinstance(found, np.ufunc) or is_class(found, np.generic) else None
    else:
        package, *rooms = module.split(".")
        if rooms and rooms[0] in ROOMS.get(package, ()) and "tests" not in rooms:
            found = vars(import_module(module)).get(name)
            ours = isinstance(found, type) and found.__module__ == module
            found = found if ours and _bases(found) & {MODEL, *KINDS} else None
    if found is None:
        raise ValueError(f"{path!r} is not kept in files")
    return found


def made(path: str, arguments: Mapping[str, Any]) -> Any:
    """An object of a class that is listed here.

    Examples
    --------
    >>> made("sklearn.linear_model._ridge:Ridge", {"alpha": 0.5})
    Ridge(alpha=0.5)
    """
    kind = looked_up(path)
    if not has_objects(kind):
        raise ValueError(f"objects of {path!r} are not kept in files")
    for name, value in arguments.items():
        if names_files(name, value):
            raise ValueError(f"{name} of {path!r} names files")
    return kind(**arguments)


def names_files(name: Any, value: Any) -> bool:
    """Whether an argument, also of a step ("ridge__alpha"), names files, or one of its values does.

    Examples
    --------
    >>> names_files("memory", "/tmp"), names_files("memory", None), names_files("alpha", "/tmp")
    (True, False, False)
    >>> names_files("pipeline__memory", [None, "/tmp"])
    True
    """
    last = name.rpartition("__")[2] if isinstance(name, str) else None
    if last not in FILES:
        return False
    if isinstance(value, (list, tuple, np.ndarray)):
        return any(names_files(last, one) for one in np.ravel(np.asarray(value, dtype=object)))
    return isinstance(value, str) and value != FILES[last]


def is_class(thing: Any, base: type) -> bool:
    """Whether it is a class built on another."""
    return isinstance(thing, type) and issubclass(thing, base)


def has_objects(kind: Any) -> bool:
    """Whether objects of a class are kept: models hold data, and are no more than named."""
    return isinstance(kind, type) and bool(_bases(kind) & KINDS)


def _bases(kind: type) -> set[str]:
    return {f"{base.__module__}:{base.__qualname__}" for base in kind.__mro__}


def arguments_of(thing: Any) -> Mapping[str, Any] | None:
    """The arguments that make the same object again; None where they are not all known.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> arguments_of(Ridge(alpha=0.5))["alpha"]
    0.5
    """
    kind = type(thing)
    if path_of(kind) is None or not has_objects(kind) or hasattr(thing, "_metadata_request"):
        return None
    if hasattr(thing, "get_params"):
        return dict(thing.get_params(deep=False))
    found = {}
    for name, parameter in inspect.signature(kind).parameters.items():
        value = getattr(thing, name, getattr(thing, f"_{name}", UNKNOWN))
        if value is UNKNOWN:
            return None
        if not (callable(value) and value is parameter.default):
            found[name] = value
    return found
