"""A Monte Carlo mean with its standard error, and the difference of two in standard errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class MonteCarlo:
    """A mean over independent replications.

    Examples
    --------
    >>> MonteCarlo.of([1.0, 2.0, 3.0]).mean
    2.0
    """

    mean: float
    std_error: float
    replications: int

    @classmethod
    def of(cls, values: ArrayLike) -> MonteCarlo:
        """Mean and standard error of replications."""
        x = np.asarray(values, dtype=np.float64)
        error = float(x.std(ddof=1) / np.sqrt(x.size)) if x.size > 1 else np.nan
        return cls(float(x.mean()), error, x.size)
