"""The cases of the parity suite: what Python computes, and the R code of the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pycvstat.r.check.call import Call, Quantity
from pycvstat.rmath.tolerances import EXACT, Tolerance

Cases = dict[str, Callable[[], Call]]


def beside(
    ours: Any,
    code: str,
    tolerance: Tolerance = EXACT,
    *,
    packages: tuple[str, ...] = (),
    files: tuple[str, ...] = (),
    **values: Any,
) -> Call:
    """A call of R for one value, or for several by name.

    Parameters
    ----------
    ours : value or mapping
        With a mapping the code makes a list of the same names.
    code : str
    tolerance : Tolerance
    packages, files : tuple of str
    **values
        What the code uses.

    Examples
    --------
    >>> beside(1.5, "mean(x)", x=[1, 2]).code
    'list(value = mean(x))'
    """
    if isinstance(ours, Mapping):
        parts = [Quantity(name, name, value, tolerance) for name, value in ours.items()]
        return Call(code, values, parts, files=files, packages=packages)
    part = Quantity("value", "", ours, tolerance)
    return Call(f"list(value = {code})", values, [part], files=files, packages=packages)
