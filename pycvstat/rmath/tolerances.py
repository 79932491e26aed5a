"""How far a number may be from R's, and why: named once, for records, checks and tests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far Python and R may be apart, relative to the size of the numbers, and why.

    Examples
    --------
    >>> EXACT.relative, SUMS.relative
    (0.0, 1e-12)
    """

    relative: float
    reason: str
    of_largest: bool = False  # relative to the largest number of the quantity, not to each

    def of_the_largest(self) -> Tolerance:
        """The same for numbers that are small differences of larger ones, such as losses."""
        if self.relative == 0:
            return self
        return Tolerance(self.relative, f"{self.reason}; relative to the largest", True)


EXACT = Tolerance(0.0, "exact: drawn or chosen, not computed by rounding arithmetic")
SAME_BITS = Tolerance(0.0, "exact: the same few operations on the same numbers")
SUMS = Tolerance(1e-12, "sums in another order or precision")
QUANTILES = Tolerance(1e-10, "quantiles found by iteration")
LINEAR = Tolerance(1e-10, "direct linear algebra by another factorisation")
ITERATIVE = Tolerance(1e-6, "iterative fits that stop by their own rules")
NUMERICAL = Tolerance(1e-5, "a minimum that R finds by a quasi-Newton search")
