"""How numbers are printed: as many digits as tell candidates apart, the same in a column.

And tidy tables as tables of a document.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.errors.checks import as_typed
from pycvstat.report.content import Table

DIGITS = 5  # significant digits of the largest number of a column
LARGE, SMALL = 1e7, 1e-4  # outside of these sizes numbers are written with an exponent
MINUS = "\N{MINUS SIGN}"
LIMITS = "limits"
MEASURES = (
    "estimate", "pooled", "std_error", "conf_low", "conf_high", "train", "test", "gap",
    "difference",
)  # fmt: skip
"""Columns in the units of the loss: they are printed with the same decimals."""


def number(value: Any, digits: int = DIGITS) -> str:
    """A number with significant digits and a true minus sign; empty for NaN.

    Examples
    --------
    >>> number(14.11144), number(0.000012345), number(12), number(-0.5), number(float("nan"))
    ('14.111', '1.2345e−05', '12', '−0.50000', '')
    """
    return aligned([value], digits)[0]


def aligned(values: Sequence[Any], digits: int = DIGITS) -> list[str]:
    """Numbers of one column with the same decimals; NaN and None are empty.

    Examples
    --------
    >>> aligned([10.0, 0.123456, None])
    ['10.000', '0.123', '']
    >>> aligned([1, 20])
    ['1', '20']
    """
    known = [v for v in values if not _missing(v)]
    whole = all(isinstance(v, numbers.Integral) for v in known)
    style = "d" if whole else _style([float(v) for v in known], digits)
    return ["" if _missing(v) else _written(int(v) if whole else float(v), style) for v in values]


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating) and math.isnan(value))


def _style(known: Sequence[float], digits: int) -> str:
    sizes = [abs(v) for v in known if math.isfinite(v)]
    largest = max(sizes, default=0.0)
    if largest == 0:
        return ".1f"
    if largest >= LARGE or largest < SMALL:
        return f".{digits - 1}e"
    return f".{max(0, digits - 1 - math.floor(math.log10(largest)))}f"


def _written(value: float, style: str) -> str:
    text = format(value, style)
    return (text.removeprefix("-") if float(text) == 0 else text).replace("-", MINUS)


def p_value(value: float) -> str:
    """A p value: three decimals, or "< 0.001".

    Examples
    --------
    >>> p_value(0.03456), p_value(1e-9), p_value(float("nan"))
    ('0.035', '< 0.001', '')
    """
    if math.isnan(value):
        return ""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def equal_p(value: float) -> str:
    """A p value with its sign, to follow the letter p.

    Examples
    --------
    >>> equal_p(0.03456), equal_p(1e-9)
    ('= 0.035', '< 0.001')
    """
    shown = p_value(value)
    return shown if shown.startswith("<") else f"= {shown}"


def percent(share: float) -> str:
    """A share as a percentage.

    Examples
    --------
    >>> percent(0.95), percent(1 / 3)
    ('95 %', '33.3 %')
    """
    return f"{100 * share:.3g} %"


def sizes(values: Any) -> str:
    """Smallest and largest of some sizes: "28" or "28 to 29".

    Examples
    --------
    >>> sizes([28, 29, 29])
    '28 to 29'
    """
    low, high = int(np.min(values)), int(np.max(values))
    return f"{low}" if low == high else f"{low} to {high}"


def capital(words: str) -> str:
    """The words with a capital first letter.

    Examples
    --------
    >>> capital("leave-one-out")
    'Leave-one-out'
    """
    return words[:1].upper() + words[1:]


def count(n: int, one: str, many: str | None = None) -> str:
    """A number of things, in singular or plural.

    Examples
    --------
    >>> count(1, "row"), count(3, "row")
    ('1 row', '3 rows')
    """
    return f"{n} {one if n == 1 else many or one + 's'}"


def listed(names: Sequence[str], limit: int = 12) -> str:
    """Names with commas and "and"; the rest of a long list is counted.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], limit=2)
    ('a, b and c', 'a, b and 2 more')
    """
    if len(names) > limit + 1:
        return f"{', '.join(names[:limit])} and {len(names) - limit} more"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def settings(params: dict[str, Any]) -> str:
    """Parameters as they would be typed: "k = 7, kernel = rectangular".

    Examples
    --------
    >>> settings({"k": 7, "lam": 0.1})
    'k = 7, lam = 0.1'
    """
    return ", ".join(f"{name} = {setting(value)}" for name, value in params.items())


def setting(value: Any) -> str:
    """One parameter value.

    Examples
    --------
    >>> setting(0.30000000000000004), setting("optimal")
    ('0.3', 'optimal')
    """
    if isinstance(value, float | np.floating):
        return f"{value:.6g}".replace("-", MINUS)
    return value if isinstance(value, str) else as_typed(value)


def table_of(
    frame: pd.DataFrame, headers: Mapping[str, str], caption: str, strong: Sequence[int] = ()
) -> Table:
    """The columns of a tidy table that have a header, formatted; empty ones are left out.

    The header of "limits" is that of both ends of an interval.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"fold": [1, 2], "estimate": [2.5, 10.0], "x": [0, 0]})
    >>> table_of(frame, {"fold": "fold", "estimate": "mean loss"}, "Folds").rows
    (('1', '2.500'), ('2', '10.000'))
    """
    ends = {LIMITS} if "conf_low" in frame.columns else set()
    there = [name for name in headers if name in {*frame.columns} | ends]
    cells = _formatted(frame, there)
    names = [name for name in there if any(cells[name]) or len(frame) == 0]
    rows = tuple(tuple(cells[name][i] for name in names) for i in range(len(frame)))
    right = [name == LIMITS or _is_number(frame[name]) for name in names]
    align = "".join("r" if one else "l" for one in right)
    return Table(tuple(headers[n] for n in names), rows, align, caption, tuple(strong))


def _formatted(frame: pd.DataFrame, names: Sequence[str]) -> dict[str, list[str]]:
    ends = ["conf_low", "conf_high"] if LIMITS in names else []
    together = [*(name for name in names if name in MEASURES), *ends]
    flat = aligned([value for name in together for value in frame[name]])
    size = len(frame)
    cells = {name: flat[i * size : (i + 1) * size] for i, name in enumerate(together)}
    if ends:
        cells[LIMITS] = _joined(*(cells[name] for name in ends))
    return cells | {name: _column(name, frame[name]) for name in names if name not in cells}


def _column(name: str, values: pd.Series[Any]) -> list[str]:
    if name.startswith("p_"):
        return [p_value(float(v)) for v in values]
    if values.dtype == bool:
        return ["yes" if v else "" for v in values]
    if _is_number(values):
        return aligned(list(values))
    return ["" if v is None or v != v else setting(v) for v in values]


def _is_number(values: pd.Series[Any]) -> bool:
    return bool(np.issubdtype(values.to_numpy().dtype, np.number))


def limits(frame: pd.DataFrame, digits: int = DIGITS) -> list[str]:
    """The limits of intervals in words; empty where there are none.

    Examples
    --------
    >>> import pandas as pd
    >>> limits(pd.DataFrame({"conf_low": [1.5, None], "conf_high": [10.0, None]}))
    ['1.500 to 10.000', '']
    """
    ends = aligned([*frame["conf_low"], *frame["conf_high"]], digits)
    return _joined(ends[: len(frame)], ends[len(frame) :])


def _joined(low: Sequence[str], high: Sequence[str]) -> list[str]:
    return [f"{a} to {b}" if a and b else "" for a, b in zip(low, high, strict=True)]


def in_unit(unit: str) -> str:
    """A unit behind the name of what is measured in it.

    Examples
    --------
    >>> in_unit("cm"), in_unit("")
    (' in cm', '')
    """
    return f" in {unit}" if unit else ""


def interval_headers(level: float) -> dict[str, str]:
    """Headers of an estimate with its interval."""
    return {"estimate": "estimate", LIMITS: f"{percent(level)} interval", "std_error": "std. error"}
