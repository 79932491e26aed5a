"""How what an interval is about relates to the model that will be used: trained on all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from pycvstat.errors import InputError
from pycvstat.intervals.method import Limits
from pycvstat.intervals.simulated import nearest
from pycvstat.losses import LossTable, Table

EXACT = "as that of least squares with normal predictors and a linear mean"


class Curve(Protocol):
    """A learning curve."""

    loss: str

    def shift(self, m: int, n: int) -> tuple[float, float]:
        """Risk at n training rows less that at m, and its standard error."""


@dataclass(frozen=True, slots=True)
class AllRows:
    """The model trained on all rows, beside what an interval is about.

    Parameters
    ----------
    n, m : int
        All rows, and those that the models of the interval were trained on.
    shift, error : float, optional
        Expected risk at n rows less that at m, and its standard error, where they are known.
    by : str
        How they are known.
    follows : float, optional
        The correlation of the estimate and the model's own risk over data sets.
    where : str
        Where that was simulated.

    Examples
    --------
    >>> print(AllRows(100, 90, -0.3, 0.1, "by the learning curve", 0.05, "OLS, n = 100, p = 10"))
    The model that will be used is trained on all 100 rows: its expected risk is 0.3 ± 0.1 lower, \
by the learning curve; its own risk R(100) hardly follows the estimate from data set to data set \
(correlation 0.05 in the nearest simulation: OLS, n = 100, p = 10).
    """

    n: int
    m: int
    shift: float | None = None
    error: float = 0.0
    by: str = ""
    follows: float | None = None
    where: str = ""

    def __str__(self) -> str:
        start = f"The model that will be used is trained on all {self.n} rows"
        return f"{start}: {self.moved}{self.own}."

    @property
    def moved(self) -> str:
        """How its expected risk differs."""
        if self.m == self.n:
            return "the size that this is about"
        if self.shift is None:
            return "its expected risk is usually a little better (a learning curve says how much)"
        way = "lower" if self.shift <= 0 else "higher"
        return f"its expected risk is {abs(self.shift):.2g} ± {self.error:.1g} {way}, {self.by}"

    @property
    def own(self) -> str:
        """How the estimate follows its own risk."""
        if self.follows is None:
            return ""
        how = "hardly follows" if abs(self.follows) < 0.35 else "follows in part"
        return (
            f"; its own risk R({self.n}) {how} the estimate from data set to data set (correlation "
            f"{self.follows:.2f} in the nearest simulation: {self.where})"
        )


def all_rows(
    table: Table, limits: Limits, size: str, curve: Curve | None = None, mean_loss: bool = True
) -> AllRows:
    """What is known of the model trained on all rows.

    Parameters
    ----------
    table : LossTable or FoldMeans
    limits : Limits
    size : str
        The training size that the interval is about.
    curve : LearningCurve, optional
        From which the shift is taken.
    mean_loss : bool
        Whether the interval is about the mean of these losses, and no metric or difference.
    """
    n = table.plan.n
    m = n if size == str(n) else round(float(table.plan.n_train.mean()))
    known: dict[str, Any] = {}
    if mean_loss and (near := nearest(table)):
        known |= {"follows": near[0].follows, "where": near[0].setting}
    ratio = table.maker and table.maker.ratio(m, n) if isinstance(table, LossTable) else None
    if curve is not None:
        if curve.loss != table.loss or not mean_loss:
            raise InputError(
                "a learning curve is of the mean loss.",
                given=f"a curve of {curve.loss}, an interval of {table.loss}",
                fix=f"learning_curve(..., loss={table.loss!r})",
            )
        shift, error = curve.shift(m, n)
        known |= {"shift": shift, "error": error, "by": "by the learning curve"}
    elif ratio and mean_loss and table.loss == "squared":
        known |= {"shift": limits.estimate * (ratio - 1), "by": EXACT}
        known |= {"error": limits.std_error * abs(ratio - 1)}
    return AllRows(n, m, **known)
