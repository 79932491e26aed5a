"""What cv returns, printed as R prints it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from pycvstat.rmath.printing import format_numbers
from pycvstat.types import FloatArray

DIGITS = 7


@dataclass(frozen=True, eq=False, repr=False)
class Cv:
    """What cv returns.

    Parameters
    ----------
    crit : float
        The criterion of the out-of-fold predictions of all rows together.
    adj_crit : float or None
        Adjusted for the bias of the smaller training sets, where the criterion is a mean of losses
        by case; so are confint and se.
    full_crit : float or None
        Of the model that is fitted to all rows.
    confint : (lower, upper) or None
    k : int or "n"
    seed : int or None
    method, criterion : str
    by_fold : (k,) float64
        The criterion fold by fold.
    level, se : float
    selected : tuple of str
        What was selected in each fold, where something was, and last on all rows.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> r.cv.cv(pcv.OLS().fit("mpg ~ wt", pcv.data.mtcars()), k=5, seed=1)
    cross-validation criterion (mse) = 9.866026
    """

    crit: float
    adj_crit: float | None
    full_crit: float | None
    confint: tuple[float, float] | None
    k: int | Literal["n"]
    seed: int | None
    method: str
    criterion: str
    by_fold: FloatArray
    level: float = 0.95
    se: float = np.nan
    selected: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"cross-validation criterion ({self.criterion}) = {_number(self.crit)}"

    def summary(self, digits: int = DIGITS) -> str:
        """As R's ``summary`` prints it, with ``options(digits = digits)``."""
        lines = [f"{self.k}-Fold Cross Validation"]
        lines += [f"method: {self.method}"] if self.method else []
        lines += [f"criterion: {self.criterion}"]
        lines += [f"cross-validation criterion = {_number(self.crit, digits)}"]
        if self.adj_crit is not None:
            words = "bias-adjusted cross-validation criterion"
            lines.append(f"{words} = {_number(self.adj_crit, digits)}")
        if self.confint is not None:
            low, high = (_number(limit, digits) for limit in self.confint)
            words = f"{round(100 * self.level)}% CI for bias-adjusted CV criterion"
            lines.append(f"{words} = ({low}, {high})")
        if self.full_crit is not None:
            lines.append(f"full-sample criterion = {_number(self.full_crit, digits)}")
        return "\n".join(lines)

    def tidy(self) -> pd.DataFrame:
        """One row: the criteria, the limits, k and the seed."""
        low, high = self.confint or (np.nan, np.nan)
        row = {"criterion": self.criterion, "crit": self.crit, "adj_crit": self.adj_crit}
        row |= {"full_crit": self.full_crit, "conf_low": low, "conf_high": high}
        return pd.DataFrame([row | {"k": self.k, "seed": self.seed}])


class CvList(tuple[Cv, ...]):
    """Replications; as in R the last one that was computed is the first.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> found = r.cv.cv(pcv.OLS().fit("mpg ~ wt", pcv.data.mtcars()), k=5, reps=3, seed=1)
    >>> len(found), found[-1].seed, round(found.crit, 5)
    (3, 1, 10.20717)
    """

    @property
    def crit(self) -> float:
        """The mean criterion."""
        return float(np.mean([one.crit for one in self]))

    @property
    def sd(self) -> float:
        """The standard deviation of the criteria."""
        return float(np.std([one.crit for one in self], ddof=1))

    def __repr__(self) -> str:
        lines = [f"cross-validation criterion ({self[0].criterion})"]
        lines += [f"Replicate {i}: {_number(one.crit)}" for i, one in enumerate(self, start=1)]
        return "\n".join([*lines, f"Average: {_number(self.crit)}"])

    def tidy(self) -> pd.DataFrame:
        """One row per replication."""
        return pd.concat([one.tidy() for one in self], ignore_index=True)


class CvModList(dict[str, Any]):
    """The cross-validations of several models, by their names.

    Examples
    --------
    >>> CvModList(a=1)["a"]
    1
    """

    def __repr__(self) -> str:
        return "\n\n".join(f"Model {name}:\n{one!r}" for name, one in self.items())


def _number(x: float, digits: int = DIGITS) -> str:
    return format_numbers([x], digits)[0]
