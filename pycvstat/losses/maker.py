"""What is known of a learner that made losses, for the intervals that are read off them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Maker:
    """The learner behind a table of losses.

    Parameters
    ----------
    columns : int
        Columns of its design without the constant, or predictors of the formula.
    one_scale : bool
        Whether its errors have one scale where the noise has: those of a surface that bends are
        of several.
    exact : bool
        Whether it is least squares on all columns, whose learning curve is known.

    Examples
    --------
    >>> round(Maker(10, exact=True).ratio(90, 100), 4)
    0.986
    """

    columns: int
    one_scale: bool = False
    exact: bool = False

    def ratio(self, m: int, n: int) -> float | None:
        """Expected risk at n training rows over that at m, where it is known.

        Of least squares with a constant, normal predictors and a linear mean the expected risk is
        (1 + 1/m) (m - 2) / (m - p - 2) times the variance of the errors.
        """
        p = self.columns
        if not self.exact or m <= p + 2:
            return None
        at = [(1 + 1 / size) * (size - 2) / (size - p - 2) for size in (m, n)]
        return at[1] / at[0]
