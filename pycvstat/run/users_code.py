"""What code of the user refers to.

Code of packages has a version. That of a script or a notebook changes without one, and so does
whatever it refers to: functions, numbers, objects, modules beside the script. All of them are
what the work is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

from pycvstat.run.changes import READS, Key, codes

Reference = tuple[str, Any, Key | None]
"""A name, what it stands for, and the variable that it is, if it is one."""

KEPT = {"pycvstat", "numpy", "scipy", "pandas", "statsmodels", "numba", "sklearn"}
"""Packages whose versions are part of every checkpoint."""

STANDARD = os.path.dirname(os.__file__)
DESCRIPTORS = (GetSetDescriptorType, MemberDescriptorType)


def is_users(value: Any) -> bool:
    """Whether a function, a class or a module comes from no installed package.

    Parameters
    ----------
    value : function, type or module

    Examples
    --------
    >>> import numpy as np
    >>> is_users(np.mean), is_users(dict), is_users(os)
    (False, False, False)
    """
    module = _module_name(value)
    here = sys.modules.get(module) or sys.modules.get(module.partition(".")[0])
    file = getattr(here, "__file__", None)
    return module == "__main__" or not _is_installed(module, file)


def _is_installed(module: str, file: str | None) -> bool:
    top = module.partition(".")[0]
    if top == "pycvstat" or not file:
        return top == "pycvstat" or top in sys.stdlib_module_names
    places = os.path.normpath(file).split(os.sep)
    packages = "site-packages" in places or "dist-packages" in places
    return packages or file.startswith(STANDARD + os.sep)


def is_of_package(function: FunctionType) -> bool:
    """Whether a function is what a package calls so, and not made while running.

    Parameters
    ----------
    function : function

    Examples
    --------
    >>> import numpy as np
    >>> is_of_package(np.linalg.norm), is_of_package(lambda x: x)
    (True, False)
    """
    found: Any = sys.modules.get(function.__module__)
    if found is None or is_users(found):
        return False
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is function


def _module_name(value: Any) -> str:
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, FunctionType):  # a wrapper takes the name of what it wraps
        return str(value.__globals__.get("__name__") or "__main__")
    return str(getattr(value, "__module__", None) or "__main__")


def full_name(value: Any) -> str:
    """Module and name of a function, a class or a module.

    The version follows when the package has one and is not among those that every checkpoint
    notes.

    Parameters
    ----------
    value : function, type or module

    Examples
    --------
    >>> import numpy as np
    >>> full_name(np.ndarray)
    'numpy.ndarray'
    """
    if isinstance(value, ModuleType):
        module = name = value.__name__
    else:
        module = str(getattr(value, "__module__", None))
        name = f"{module}.{value.__qualname__}"
    top = module.partition(".")[0]
    version = getattr(sys.modules.get(top), "__version__", None)
    known = top in KEPT or top in sys.stdlib_module_names or not isinstance(version, str)
    return name if known else f"{name} {version}"


def globals_of(function: FunctionType) -> Iterator[Reference]:
    """What a user's function looks up by name, and the modules that it imports.

    Parameters
    ----------
    function : function
    """
    module, everything = str(function.__globals__.get("__name__")), function.__globals__
    for name in sorted(_operands(function.__code__, *READS)):
        if name in everything and not _is_special(name):
            yield f"{module}.{name}", everything[name], ("global", module, name)
    for name in sorted(_operands(function.__code__, "IMPORT_NAME")):
        imported = _imported(name)
        if imported is not None:
            yield f"import {name}", imported, None


def _imported(name: str) -> ModuleType | None:
    """A module of the user that a function imports when it runs."""
    from importlib import import_module
    from importlib.util import find_spec

    with suppress(Exception):  # the function will say so itself
        top = find_spec(name.partition(".")[0])
        if top and not _is_installed(name, top.origin):
            return import_module(name)
    return None


def attributes_of(module: ModuleType, code: CodeType | None) -> Iterator[Reference]:
    """What code takes from a user's module; everything in it when that cannot be told.

    Parameters
    ----------
    module : module
    code : code object or None
    """
    wanted = _operands(code, "LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM") if code else set()
    own = {name: value for name, value in vars(module).items() if not _is_special(name)}
    for name in sorted(wanted & own.keys() or own.keys()):
        yield f"{module.__name__}.{name}", own[name], None


def members_of(kind: type) -> Iterator[Reference]:
    """What a user's class consists of: methods, data, classes it is made from.

    Parameters
    ----------
    kind : type
    """
    for name, value in sorted(vars(kind).items()):
        is_code = isinstance(value, (FunctionType, staticmethod, classmethod))
        skipped = name == "_abc_impl" or isinstance(value, DESCRIPTORS)
        if not skipped and (is_code or not _is_special(name)):
            yield f"{full_name(kind)}.{name}", value, None
    for base in kind.__bases__:
        if base is not object:
            yield full_name(base), base, None


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _operands(code: CodeType, *operations: str) -> set[str]:
    """What such operations of code, and of code inside it, are about."""
    from dis import get_instructions

    return {
        one.argval
        for part in codes(code)
        for one in get_instructions(part)
        if one.opname in operations
    }
