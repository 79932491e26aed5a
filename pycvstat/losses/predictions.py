"""What a learner predicts for one fit: values, class probabilities, and its own report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Predictions of C candidates for m rows.

    Parameters
    ----------
    values : (C, m) float64
        Predicted means; for a nominal or ordinal response, class codes 0, 1, ...
    prob : (C, m, L) float64, optional
        Class probabilities, levels in the order of the response.
    detail : object, optional
        What the learner reports about this fit (a tuned learner: its tuning).

    Examples
    --------
    >>> Predictions(np.array([[1.0, 2.0]])).n_candidates
    1
    """

    values: FloatArray
    prob: FloatArray | None = None
    detail: Any = None

    @property
    def n_candidates(self) -> int:
        """Number of candidates, C."""
        return int(self.values.shape[0])

    def candidate(self, index: int) -> Predictions:
        """The predictions of one candidate, still with a leading axis of length 1."""
        prob = None if self.prob is None else self.prob[index : index + 1]
        return Predictions(self.values[index : index + 1], prob, self.detail)
