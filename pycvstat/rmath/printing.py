"""How R prints numbers: `format`, vectors, and tables of columns, to the digits of a session."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pycvstat.types import FloatArray

DIGITS, WIDTH = 7, 80  # R's getOption("digits") and getOption("width")


def rounded(values: FloatArray, decimals: int) -> FloatArray:
    """The nearer of the two numbers of so many decimals, as R rounds since 4.0.

    As in R: ``round(values, decimals)``.

    Examples
    --------
    >>> rounded(np.array([195.975, 0.15, 2.5]), 2).tolist()
    [195.98, 0.15, 2.5]
    """
    scale = 10.0**decimals
    low, high = np.floor(values * scale), np.ceil(values * scale)
    below, above = values - low / scale, high / scale - values
    down = (below < above) | ((below == above) & (low % 2 == 0))
    return np.where(down, low, high) / scale


def format_numbers(values: Any, digits: int = DIGITS) -> list[str]:
    """Numbers in one form and width, with as few digits as show each to `digits` of them.

    As in R: ``format(values, digits = digits)``.

    Examples
    --------
    >>> format_numbers([3.14159265, 100.0, float("nan")])
    ['  3.141593', '100.000000', '        NA']
    >>> format_numbers([1e-10, 1.0]), format_numbers([1e5, 123456.0])
    (['1e-10', '1e+00'], ['100000', '123456'])
    """
    numbers = np.ravel(np.asarray(values, dtype=np.float64)) + 0.0
    finite = [_scientific(x, digits) for x in numbers.tolist() if math.isfinite(x)]
    decimals = max((max(0, sig - 1 - power) for sig, power in finite), default=0)
    sig = max((sig for sig, _ in finite), default=1)
    fixed = [_word(x, f".{decimals}f") for x in numbers.tolist()]
    science = [_word(x, f".{sig - 1}e") for x in numbers.tolist()]
    chosen = science if _longest(fixed) > _longest(science) else fixed
    width = _longest(chosen)
    return [word.rjust(width) for word in chosen]


def _scientific(x: float, digits: int) -> tuple[int, int]:
    """How many digits show x to `digits`, and its power of 10."""
    mantissa, power = f"{x:.{digits - 1}e}".split("e")
    shown = mantissa.lstrip("-").replace(".", "").rstrip("0")
    return max(len(shown), 1), int(power)


def _word(x: float, form: str) -> str:
    if math.isfinite(x):
        return f"{x:{form}}"
    return "NA" if math.isnan(x) else "Inf" if x == math.inf else "-Inf"


def _longest(words: Sequence[str]) -> int:
    return max(map(len, words), default=0)


def vector(values: Any, digits: int = DIGITS) -> str:
    """A vector as R prints it, each line with the number of its first element.

    As in R: ``print(values)``.

    Examples
    --------
    >>> print(vector([9.986091, 9.920506]))
    [1] 9.986091 9.920506
    """
    words = format_numbers(values, digits)
    mark = len(f"[{len(words)}]")
    per_line = (WIDTH - mark) // (_longest(words) + 1)  # no number is half a line long
    starts = range(0, len(words), per_line)
    return "\n".join(
        " ".join([f"[{start + 1}]".rjust(mark), *words[start : start + per_line]])
        for start in starts
    )


def table(columns: dict[str, Any], rows: Sequence[str], digits: int = DIGITS) -> str:
    """Columns of numbers under their names, each in its own form, beside the names of the rows.

    As in R: ``print`` of a matrix with names.

    Examples
    --------
    >>> print(table({"a": [1.5, 22.0], "b": [1e-8, 3.0]}, ["x", "y"]))
         a     b
    x  1.5 1e-08
    y 22.0 3e+00
    """
    side = _longest(rows)
    lines = ["".rjust(side), *(row.ljust(side) for row in rows)]
    for name, values in columns.items():
        words = format_numbers(values, digits)
        width = max(len(name), _longest(words))
        added = [name, *words]
        lines = [f"{line} {word.rjust(width)}" for line, word in zip(lines, added, strict=True)]
    return "\n".join(lines)
