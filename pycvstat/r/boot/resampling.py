"""boot: a statistic of the data, and of rows drawn from them with replacement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pycvstat.data.frame import read
from pycvstat.errors import InputError, PycvstatError, telling
from pycvstat.errors.checks import is_whole, real_numbers
from pycvstat.errors.names import answering
from pycvstat.r.session import stream
from pycvstat.rmath.printing import table
from pycvstat.rmath.sums import mean, sd
from pycvstat.types import FloatArray, IntArray

Statistic = Callable[..., Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Boot:
    """What boot returns.

    Parameters
    ----------
    t0 : (p,) float64
        The statistic of the data.
    t : (R, p) float64
        The statistic of every resample.
    R : int
    indices : (R, n) int64
        The rows of every resample, counted from 0; in R ``boot.array(b, indices = TRUE) - 1``.
    statistic : callable
    seed : (626,) int32
        R's ``.Random.seed`` before the draws.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> def means(data, rows):
    ...     return data[["mpg", "wt"]].to_numpy()[rows].mean(axis=0)
    >>> r.set_seed(1)
    >>> r.boot.boot(pcv.data.mtcars(), means, R=200)
    <BLANKLINE>
    ORDINARY NONPARAMETRIC BOOTSTRAP
    <BLANKLINE>
    <BLANKLINE>
    Call:
    boot(data, statistic = means, R = 200)
    <BLANKLINE>
    <BLANKLINE>
    Bootstrap Statistics :
        original      bias    std. error
    t1* 20.09062  0.08984375   0.9930003
    t2*  3.21725 -0.01662281   0.1630633
    """

    t0: FloatArray
    t: FloatArray
    R: int
    indices: IntArray
    statistic: Statistic
    seed: NDArray[np.int32]

    def __repr__(self) -> str:
        summary = self.tidy()
        columns = {
            "original": summary["statistic"],
            " bias  ": summary["bias"],
            " std. error": summary["std_error"],
        }
        called = getattr(self.statistic, "__name__", type(self.statistic).__name__)
        return (
            "\nORDINARY NONPARAMETRIC BOOTSTRAP\n\n\nCall:\n"
            f"boot(data, statistic = {called}, R = {self.R})\n\n\nBootstrap Statistics :\n"
            + table(columns, list(summary["term"]))
        )

    def tidy(self) -> pd.DataFrame:
        """One row per statistic: its value, bias and standard error, as ``broom::tidy``.

        Resamples without a finite value are left out.

        Examples
        --------
        >>> from pycvstat import r
        >>> r.set_seed(1)
        >>> r.boot.boot([1.0, 2.0, 4.0], lambda data, rows: data[rows].mean(), R=5).tidy()
          term  statistic      bias  std_error
        0  t1*   2.333333 -0.066667   0.760117
        """
        finite = [column[np.isfinite(column)] for column in self.t.T]
        return pd.DataFrame(
            {
                "term": [f"t{j + 1}*" for j in range(len(self.t0))],
                "statistic": self.t0,
                "bias": [mean(t) - t0 for t, t0 in zip(finite, self.t0, strict=True)],
                "std_error": [sd(t) for t in finite],
            }
        )


@answering
def boot(data: Any, statistic: Statistic, R: int, **more: Any) -> Boot:
    """Resample the rows of the data with replacement.

    Parameters
    ----------
    data : frame, array or sequence
        A sequence is handed to `statistic` as an array.
    statistic : callable
        ``statistic(data, rows)`` with rows counted from 0: one number, or several.
    R : int
        Number of resamples, at least 2.
    **more
        Further arguments of `statistic`.

    Returns
    -------
    Boot

    Notes
    -----
    As in R: ``boot(data, statistic, R)``, with its draws; there rows count from 1.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.boot.boot([1.0, 2.0, 4.0], lambda data, rows: data[rows].mean(), R=3).t.round(3).tolist()
    [[2.333], [2.333], [2.333]]
    """
    if not is_whole(R) or R < 2:
        raise InputError(
            "R is the number of resamples, a whole number from 2 on.", given=f"R={R!r}"
        )
    if not callable(statistic):
        raise InputError(
            "statistic is a function of the data and the rows.",
            given=repr(statistic),
            fix="boot(data, lambda data, rows: data[rows].mean(), R=999)",
        )
    data, n = _rows(data)
    seed = stream().state
    drawn = stream().sample(n, n * int(R), replace=True) - 1
    indices = drawn.reshape(n, int(R)).T

    def value(rows: IntArray) -> FloatArray:
        return _value(statistic, data, rows, more)

    t0 = value(np.arange(n))
    t = [value(rows.copy()) for rows in indices]
    if any(len(one) != len(t0) for one in t):
        raise InputError(
            "statistic must give as many numbers for every resample as for the data.",
            given=f"{len(t0)} for the data, {min(map(len, t))} to {max(map(len, t))} for resamples",
        )
    return Boot(t0, np.array(t), int(R), indices, statistic, seed)


def _rows(data: Any) -> tuple[Any, int]:
    """The data as the statistic gets them, and the number of their rows."""
    if hasattr(data, "columns") or isinstance(data, dict):
        n = read(data).n
    else:
        data = data if hasattr(data, "shape") else np.asarray(data)
        n = len(data) if np.ndim(data) else 0
    if n < 1:
        raise InputError("the data have no rows to resample.", given=type(data).__name__)
    return data, n


def _value(statistic: Statistic, data: Any, rows: IntArray, more: dict[str, Any]) -> FloatArray:
    try:
        found = statistic(data, rows, **more)
    except PycvstatError:
        raise
    except Exception as error:
        fix = "it gets the data and rows counted from 0, as in data.iloc[rows] or data[rows]"
        raise InputError("statistic failed.", given=telling(error), fix=fix) from error
    numbers = real_numbers(found)
    if numbers is None or numbers.ndim > 1 or not numbers.size:
        raise InputError(
            "statistic must give a number, or a vector of them.", given=type(found).__name__
        )
    return np.atleast_1d(numbers)
