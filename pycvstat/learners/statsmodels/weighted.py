"""statsmodels' multinomial logit with weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from statsmodels.discrete.discrete_model import MNLogit

from pycvstat.learners.multinomial import information, probabilities
from pycvstat.types import FloatArray


class WeightedMNLogit(MNLogit):  # type: ignore[misc]
    """``sm.MNLogit``, where a row counts as often as its weight says.

    Parameters
    ----------
    endog, exog
        As of ``sm.MNLogit``.
    weights : (n,) float64, optional
    """

    def __init__(
        self, endog: Any, exog: Any, weights: FloatArray | None = None, **given: Any
    ) -> None:
        super().__init__(endog, exog, **given)
        self.weights = np.ones(len(exog)) if weights is None else weights
        self._init_keys.append("weights")  # the null model has them too

    def loglike(self, params: FloatArray) -> float:
        """The weighted log-likelihood."""
        terms = np.where(self.wendog > 0, self.loglikeobs(params), 0.0)
        return float(self.weights @ terms.sum(axis=1))

    def score(self, params: FloatArray) -> FloatArray:
        """Its gradient."""
        found: FloatArray = self.weights @ self.score_obs(params)
        return found

    def hessian(self, params: FloatArray) -> FloatArray:
        """Its second derivatives."""
        at = params.reshape(self.K, -1, order="F")
        X = np.asarray(self.exog, dtype=np.float64)
        return -information(X, probabilities(X, at.T), self.weights)
