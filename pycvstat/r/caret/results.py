"""What train returns, printed as R prints it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from pycvstat.data.frame import read
from pycvstat.errors import InputError
from pycvstat.errors.checks import check_word
from pycvstat.learners.missing import spread, tell_missing
from pycvstat.r.caret import preprocess
from pycvstat.r.caret.control import trainControl
from pycvstat.r.caret.fits import Fits, PreparedTrain
from pycvstat.r.caret.methods import METHODS
from pycvstat.r.session import stream
from pycvstat.r.values import Factor
from pycvstat.rmath.printing import DIGITS, WIDTH, format_numbers
from pycvstat.types import BoolArray, IntArray

SHOWN = 6  # sample sizes
RULES = {"oneSE": " the one SE rule", "tolerance": " a tolerance rule"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Train:
    """What train returns.

    Parameters
    ----------
    method : str
    control : trainControl
    results : pandas.DataFrame
        One row per candidate: its parameters, the mean of each measure and its standard deviation.
    resample : pandas.DataFrame or None
        The measures of each resample, in R's order.
    pred : pandas.DataFrame or None
        The predictions of the rows that were left out, where ``savePredictions`` asks for them.
    bestTune : dict
    metric : str
    maximize : bool
    measures : tuple of str
    preProcess : tuple of str
    index : tuple of arrays
        Training rows of each resample, counted from 1.
    by_columns : bool
        Whether `x` and `y` were given, and no formula.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> r.set_seed(42)
    >>> fit = r.caret.train("mpg ~ wt + hp", pcv.data.mtcars(), method="knn",
    ...                     trControl=r.caret.trainControl("cv", number=5))
    >>> print(fit)  # doctest: +NORMALIZE_WHITESPACE
    k-Nearest Neighbors
    <BLANKLINE>
    32 samples
     2 predictor
    <BLANKLINE>
    No pre-processing
    Resampling: Cross-Validated (5 fold)
    Summary of sample sizes: 25, 24, 26, 27, 26
    Resampling results across tuning parameters:
    <BLANKLINE>
      k  RMSE      Rsquared   MAE
      5  3.160579  0.8125686  2.622905
      7  3.246721  0.7950590  2.451573
      9  3.454135  0.7620288  2.518410
    <BLANKLINE>
    RMSE was used to select the optimal model using the smallest value.
    The final value used for the model was k = 5.
    >>> fit.predict({"wt": [2.5], "hp": [100]}).round(2)
    array([21.32])
    """

    method: str
    control: trainControl
    results: pd.DataFrame
    resample: pd.DataFrame | None
    pred: pd.DataFrame | None
    bestTune: dict[str, Any]
    metric: str
    maximize: bool
    measures: tuple[str, ...]
    preProcess: tuple[str, ...]
    index: tuple[IntArray, ...]
    by_columns: bool
    prepared: PreparedTrain
    final: Fits

    def __repr__(self) -> str:
        return printed(self)

    def predict(self, newdata: Any = None, type: Literal["raw", "prob"] = "raw") -> Any:
        """Predict new rows, or those of the fit, with the final model.

        As in R: ``predict(fit, newdata, type)``, which leaves rows with missing values out; here
        they are missing, with a warning. Ties of votes are drawn from the session's stream.

        Parameters
        ----------
        newdata : frame, optional
        type : {"raw", "prob"}

        Returns
        -------
        array, Factor, or for "prob" a pandas.DataFrame with a column for each class
        """
        check_word("type", type, ("raw", "prob"))
        task, X = self.prepared.task, self.prepared.X
        levels = list(task.response.levels)
        if type == "prob" and not levels:
            raise InputError("only classification models allow probabilities.")
        if newdata is not None:
            if isinstance(newdata, np.ndarray):
                newdata = dict(zip(task.formula.predictors, newdata.T, strict=True))
            design = task.encoder().fit(task.frame).matrix(read(newdata))
            X, _ = self.prepared.without_constant(design)
        known: BoolArray = np.asarray(np.isfinite(X).all(axis=1))
        tell_missing(known, "pass")
        (found,) = self.final.predict(X[known], [stream()])
        if type == "prob":
            assert found.prob is not None
            return pd.DataFrame(spread(found.prob, known, np.nan), columns=levels)
        if not levels:
            return spread(found.values, known, np.nan)
        return Factor.of(spread(found.values, known, -1.0).astype(np.int64), levels)

    def tidy(self) -> pd.DataFrame:
        """One row per candidate: `results`."""
        return self.results


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
