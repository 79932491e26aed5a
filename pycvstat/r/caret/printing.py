"""How R prints what train returns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pycvstat.r.caret import preprocess
from pycvstat.r.caret.methods import METHODS
from pycvstat.rmath.printing import DIGITS, WIDTH, format_numbers

if TYPE_CHECKING:
    from pycvstat.r.caret.train import Train

SHOWN = 6  # sample sizes
RULES = {"oneSE": " the one SE rule", "tolerance": " a tolerance rule"}


def printed(fit: Train) -> str:
    """As ``print(train(...))``."""
    lines = [f"{METHODS[fit.method].title} ", "", *_sizes(fit), ""]
    words = preprocess.words_of(fit.preProcess, fit.final.kept)
    lines += [wrapped(f"{words} ") if fit.preProcess else words]
    lines += [f"Resampling: {fit.control.words} "]
    if fit.control.method != "none":
        more = ["..."] if len(fit.index) >= SHOWN else []
        sizes = [str(len(rows)) for rows in fit.index[:SHOWN]]
        lines += [f"Summary of sample sizes: {', '.join([*sizes, *more])} "]
        lines += _performance(fit)
    return "\n".join(lines)


def _sizes(fit: Train) -> list[str]:
    task = fit.prepared.task
    counted = fit.by_columns and task.weights is not None  # R counts the weights among them
    n, p = str(task.n + task.omitted), str(len(task.formula.predictors) + counted)
    plural = "s" if len(p) == len(n) and p != "1" else ""  # R compares the padded word with "1"
    lines = [f"{n} samples", f"{p.rjust(len(n))} predictor{plural}"]
    if levels := task.response.levels:
        named = ", ".join(f"'{level}'" for level in levels)
        lines.append(wrapped(f"{str(len(levels)).rjust(len(n))} classes: {named} "))
    return lines


def _performance(fit: Train) -> list[str]:
    names = list(fit.bestTune)
    several = len(fit.results) > 1
    varied = [name for name in names if fit.results[name].nunique() > 1]
    constant = [name for name in names if name not in varied and name != "parameter"]
    across = " across tuning parameters" if several else ""
    lines = [f"Resampling results{across}:", "", *_table(fit, varied), ""]
    if constant:
        said = [
            f"Tuning parameter '{name}' was held constant at a value of {word(fit.bestTune[name])}"
            for name in constant
        ]
        lines.append(wrapped("\n".join(said)))
    if several:
        way = f"the {'largest' if fit.maximize else 'smallest'} value"
        way = RULES.get(fit.control.selectionFunction, way)
        lines.append(wrapped(f"{fit.metric} was used to select the optimal model using {way}."))
        values = [f"{name} = {word(fit.bestTune[name])}" for name in names]
        *most, last = values
        listed = f"{', '.join(most)} and {last}" if most else last
        s, were = ("s", "were") if most else ("", "was")
        lines.append(wrapped(f"The final value{s} used for the model {were} {listed}."))
    return lines


def _table(fit: Train, varied: list[str]) -> list[str]:
    columns = {name: _words(fit.results[name]) for name in [*varied, *fit.measures]}
    widths = {name: max(len(name), len(words[0])) for name, words in columns.items()}
    rows = [dict(zip(columns, columns, strict=True))]
    rows += [{name: words[i] for name, words in columns.items()} for i in range(len(fit.results))]
    return ["".join(f"  {row[name]:<{widths[name]}}" for name in columns) for row in rows]


def _words(column: pd.Series[Any]) -> list[str]:
    if column.dtype == bool or not pd.api.types.is_numeric_dtype(column.dtype):
        words = [word(value) for value in column]
    else:
        words = [one.strip().replace("NA", "NaN") for one in format_numbers(column)]
    width = max(map(len, words))
    return [one.ljust(width) if column.dtype == object else one.rjust(width) for one in words]


def word(value: Any) -> str:
    """A value as R's ``paste`` writes it with the digits of a session.

    Examples
    --------
    >>> word(True), word(0.10293962), word("optimal"), word(5)
    ('TRUE', '0.1029396', 'optimal', '5')
    """
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).upper()
    return value if isinstance(value, str) else format_numbers([value], DIGITS)[0]


def wrapped(text: str) -> str:
    """Text in lines of the width of a session, broken as caret does: before the word before last.

    Examples
    --------
    >>> print(wrapped("a " * 39 + "bcd efg hij"))
    a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a
     bcd efg hij
    """
    if len(text) <= WIDTH:
        return text
    spaces = [found.start() for found in re.finditer(r"\s", text[:WIDTH])]
    stop = spaces[-2] if len(spaces) > 1 else WIDTH
    return f"{text[:stop]}\n{wrapped(text[stop:])}"
