"""The bias of cross-validation that trains on fewer rows, adjusted for (Burman 1989)."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pycvstat.errors import FoldError, noted
from pycvstat.procedures.setting import Setting, refuse_loss_weights

if TYPE_CHECKING:
    from pycvstat.procedures.cross_validate import CVResult


@dataclass(frozen=True, slots=True)
class BiasAdjustment:
    """The pieces of Burman's adjustment.

    Parameters
    ----------
    pooled : float
        The cross-validation estimate, mean over observations.
    full : float
        Training error of the model fitted on all rows.
    folds_on_all : float
        Mean over folds, weighted by fold size, of the error of each fold's model on all rows.
    """

    pooled: float
    full: float
    folds_on_all: float

    @property
    def adjusted(self) -> float:
        """pooled + full - folds_on_all.

        Examples
        --------
        >>> BiasAdjustment(3.0, 2.0, 2.5).adjusted
        2.5
        """
        return self.pooled + self.full - self.folds_on_all


def bias_adjustment(setting: Setting, result: CVResult) -> BiasAdjustment:
    """Burman's adjustment: every fold's model and the full model on all rows."""
    plan = setting.plan
    refuse_loss_weights(setting.task, "the bias adjustment")
    if not plan.is_partition:
        problem = "bias adjustment needs a partition: every row tested once per repeat."
        raise FoldError(problem, given=plan.recipe, fix="folds=KFold(10, random=1)")
    prepared, y = setting.prepare(result.learner), setting.task.response.values
    contexts = prepared.begin(plan, deepcopy(setting.stream))  # the inner folds of the run itself
    everything = np.arange(plan.n)

    def error_on_all(train: np.ndarray, context: object) -> float:
        p = prepared.predict(train, everything, None, context)
        return float(setting.loss.pointwise(y, p).mean())

    with noted():  # what these fits have to say was said
        on_all = [error_on_all(plan.train_rows(i), contexts[i]) for i in range(len(plan))]
    share = plan.n_test / plan.n_test.sum()
    full = error_on_all(everything, contexts[-1])
    return BiasAdjustment(result.pooled, full, float(share @ np.asarray(on_all)))
