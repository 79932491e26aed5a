"""The bias of cross-validation that trains on fewer rows, adjusted for (Burman 1989)."""

from __future__ import annotations

from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pycvstat.errors import FoldError, noted
from pycvstat.procedures.setting import Setting, refuse_loss_weights
from pycvstat.run import Execution, run_tasks

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


def bias_adjustment(setting: Setting, result: CVResult, label: str) -> BiasAdjustment:
    """Burman's adjustment: every fold's model and the full model on all rows.

    Under the label of the run its fits draw from the global generators what they drew there.
    """
    plan = setting.plan
    refuse_loss_weights(setting.task, "the bias adjustment")
    if not plan.is_partition:
        problem = "bias adjustment needs a partition: every row tested once per repeat."
        raise FoldError(problem, given=plan.recipe, fix="folds=KFold(10, random=1)")
    prepared, y = setting.prepare(result.learner), setting.task.response.values
    contexts = prepared.begin(plan, deepcopy(setting.stream))  # the inner folds of the run itself
    everything = np.arange(plan.n)
    trained = [*(train for train, _ in plan), everything]

    def error_on_all(_: None, i: int) -> float:
        with noted() if i < len(plan) else nullcontext():  # what these fits have to say was said
            p = prepared.predict(trained[i], everything, None, contexts[i])
        return float(setting.loss.pointwise(y, p).mean())

    fits, here = range(len(trained)), Execution()
    *on_all, full = run_tasks(error_on_all, None, fits, execution=here, identity={}, label=label)
    share = plan.n_test / plan.n_test.sum()
    return BiasAdjustment(result.pooled, full, float(share @ np.asarray(on_all)))
