"""What many calls give at once: values, or of a refusal and of warnings the numbers and names."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from pycvstat.errors import PycvstatError

TOLD = re.compile(r"-?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?|'[^']*'|`[^`]*`|\b(?:nan|inf)\b")
PATH = re.compile(r"(?:/[\w.-]+){2,}")


def told(text: object) -> list[str]:
    """The numbers and names in a text, without paths; its words may change.

    Examples
    --------
    >>> told("'x' has 3 of 1,000 rows")
    ["'x'", '3', '1,000']
    """
    return TOLD.findall(PATH.sub("", str(text)))


def outcome(call: Callable[[], Any]) -> list[Any]:
    """The value of a call and what it warns of, or what it refuses."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        warnings.simplefilter("error", RuntimeWarning)  # of NumPy: no user is to see it
        try:
            value = ["is", call()]
        except PycvstatError as error:
            value = [type(error).__name__, told(error)]
    return [*value, *(told(one.message) for one in said)]


def outcomes(*kinds: Callable[[], Iterable[Callable[[], Any]]]) -> Callable[[], list[Any]]:
    """One call of all of them; their arguments are made when it is asked for."""
    return lambda: [outcome(call) for kind in kinds for call in [*kind()]]


def once(call: Callable[[], Any]) -> Callable[[], Any]:
    """The same call, made the first time only; every time it warns."""

    @cache
    def made() -> tuple[Any, list[Any]]:
        with warnings.catch_warnings(record=True) as said:
            return call(), said

    def known() -> Any:
        value, said = made()
        for one in said:
            warnings.warn(one.message, stacklevel=2)
        return value

    return known
