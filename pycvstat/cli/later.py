"""A module that other packages import and that no command uses."""

from __future__ import annotations

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec


def load_later(package: str, name: str) -> None:
    """Put off what a module of a package does until somebody asks something of it.

    SciPy takes all names of NumPy, so that NumPy's reader of Fortran is loaded too: a twentieth of
    the time that a command takes.

    Examples
    --------
    >>> load_later("xml", "sax")
    >>> import xml
    >>> xml.sax.make_parser.__name__
    'make_parser'
    """
    whole = f"{package}.{name}"
    spec = find_spec(whole)
    if whole in sys.modules or spec is None or spec.loader is None:
        return
    spec.loader = LazyLoader(spec.loader)
    module = sys.modules[whole] = module_from_spec(spec)
    spec.loader.exec_module(module)
    setattr(sys.modules[package], name, module)
