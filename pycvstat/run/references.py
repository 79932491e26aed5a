"""What code of the user refers to, and where that cannot be seen.

Code of packages has a version. That of a script or a notebook changes without one, and so does
whatever it refers to: functions, numbers, objects, modules beside the script.
"""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dis import get_instructions
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

KEPT = {"pycvstat", "numpy", "scipy", "pandas", "statsmodels", "numba", "sklearn"}
"""Packages whose versions are part of every checkpoint."""

STANDARD = os.path.dirname(os.__file__)
DESCRIPTORS = (GetSetDescriptorType, MemberDescriptorType)

GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM")
HIDES = {"eval", "exec", "compile", "globals", "__import__", "open", "input"}
"""Functions of Python's whose results no names in the code tell."""
READS = {
    *("import_module", "reload", "__globals__", "f_globals", "environ", "environb", "getenv"),
    *("open", "read_text", "read_bytes", "load", "loadtxt", "genfromtxt", "fromfile", "memmap"),
    *("read_csv", "read_table", "read_fwf", "read_excel", "read_parquet", "read_feather"),
    *("read_pickle", "read_json", "read_hdf", "read_sql"),
    *("get_option", "geterr", "get_printoptions", "getcontext", "getlocale", "localeconv"),
}
"""What modules and paths have that looks outside of the code: other modules, variables, files,
settings."""
BY_NAME = {"getattr", "vars", "__dict__", "modules"}
"""What may take from a module of the user, or from Python's list of them, what no name tells."""


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
    module = module_name(value)
    here = sys.modules.get(module) or sys.modules.get(module.partition(".")[0])
    return module == "__main__" or not _is_installed(module, getattr(here, "__file__", None))


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


def module_name(value: Any) -> str:
    """The module that a function, a class or a module is of.

    Parameters
    ----------
    value : function, type or module
    """
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


def name_in_package(value: Any) -> str | None:
    """What the package of an object's class calls it, like ``norm`` of ``scipy.stats``.

    Parameters
    ----------
    value : object

    Examples
    --------
    >>> import numpy as np
    >>> name_in_package(np.ma.masked), name_in_package(np.ma.array([1]))
    ('masked', None)
    """
    module = type(value).__module__
    while module:
        for name, part in list(vars(sys.modules.get(module, object)).items()):
            if part is value:
                return str(name)
        module = module.rpartition(".")[0]
    return None


def references_of(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a user's function looks up by name, and what it takes from modules of the user.

    Parameters
    ----------
    function : function

    Yields
    ------
    name : str
    value : object
    """
    module, everything = module_name(function), function.__globals__
    attributes = set(_operands(function.__code__, *ATTRIBUTES))
    for name in sorted(set(_operands(function.__code__, *GLOBALS)) & everything.keys()):
        if _is_special(name):
            continue
        value = everything[name]
        yield f"{module}.{name}", value
        if isinstance(value, ModuleType) and is_users(value):
            for part in sorted(attributes & vars(value).keys()):
                yield f"{value.__name__}.{part}", vars(value)[part]


def members_of(kind: type) -> Iterator[tuple[str, Any]]:
    """What a user's class consists of: methods, data, classes it is made from.

    Parameters
    ----------
    kind : type
    """
    for name, value in sorted(vars(kind).items()):
        is_code = isinstance(value, (FunctionType, staticmethod, classmethod))
        skipped = name == "_abc_impl" or isinstance(value, DESCRIPTORS)
        if not skipped and (is_code or not _is_special(name)):
            yield f"{full_name(kind)}.{name}", value
    for base in kind.__bases__:
        if base is not object:
            yield full_name(base), base


def doubts_about(function: FunctionType) -> Iterator[str]:
    """What a user's function uses that no names in its code tell.

    Parameters
    ----------
    function : function

    Examples
    --------
    >>> list(doubts_about(lambda X, y: y.mean() * float(os.environ["SHIFT"])))
    ["it uses 'environ'"]
    """
    code, everything = function.__code__, function.__globals__
    names, attributes = set(_operands(code, *GLOBALS)), set(_operands(code, *ATTRIBUTES))
    found = [everything[name] for name in names & everything.keys()]
    called = {getattr(v, "__name__", "") for v in found if callable(v) and not is_users(v)}
    pythons = names - everything.keys()
    used = (pythons & HIDES) | (called & (READS | HIDES)) | (attributes & READS)
    used |= {"environ" for value in found if value is os.environ}
    modules = {v.__name__ for v in found if isinstance(v, ModuleType)} | set(imports_of(code))
    used |= attributes & {"options"} if "pandas" in modules else set()
    if any(isinstance(v, ModuleType) and (is_users(v) or v is sys) for v in found):
        used |= (pythons | attributes) & BY_NAME
    yield from (f"it uses {name!r}" for name in sorted(used))
    for name in sorted(_operands(code, "STORE_GLOBAL", "DELETE_GLOBAL")):
        yield f"it changes the global variable {name!r}"
    for name in sorted(set(_operands(code, "STORE_DEREF")) & set(code.co_freevars)):
        yield f"it changes {name!r} of the function around it"


def imports_of(code: CodeType) -> list[str]:
    """The modules that code imports when it runs.

    Parameters
    ----------
    code : code object
    """
    return _operands(code, "IMPORT_NAME")


def files_of(*modules: str) -> dict[str, str]:
    """Checksums of the files of the user's modules and of those of the user's that they import.

    Parameters
    ----------
    *modules : str

    Examples
    --------
    >>> files_of("numpy")
    {}
    """
    found: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        file = None if name in found else file_of(name)
        if file is not None:
            content = Path(file).read_bytes()
            found[name] = hashlib.sha256(content).hexdigest()[:16]
            waiting += _imports(content, name, file)
    return dict(sorted(found.items()))


def file_of(module: str) -> str | None:
    """The file of a module of the user; None for other modules.

    Parameters
    ----------
    module : str
    """
    with suppress(Exception):  # whatever finding and importing packages of others can raise
        for name in (module.partition(".")[0], module):  # to find a part imports the package
            here = sys.modules.get(name) or find_spec(name)
            file = getattr(here, "__file__", None) or getattr(here, "origin", None)
            if name == "__main__" or (file and _is_installed(name, file)):
                return None
        return file if file and os.path.isfile(file) else None
    return None


@lru_cache(maxsize=512)  # to parse takes long, and each fit of a module's learner asks again
def _imports(content: bytes, module: str, file: str) -> list[str]:
    """Every module that a file imports, and what may be a module in a package."""
    package = module if Path(file).stem == "__init__" else module.rpartition(".")[0]
    nodes: list[ast.AST] = []
    with suppress(SyntaxError, ValueError):  # compiled
        nodes = list(ast.walk(ast.parse(content)))
    found: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            start = [*(above if node.level else []), *filter(None, [node.module])]
            names = [".".join([*start, alias.name]) for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            found += (".".join(parts[: i + 1]) for i in range(len(parts)))
    return found


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _operands(code: CodeType, *operations: str) -> list[str]:
    """What such operations of code, and of code inside it, are about."""
    found = [one.argval for one in get_instructions(code) if one.opname in operations]
    inside = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return found + [name for part in inside for name in _operands(part, *operations)]
