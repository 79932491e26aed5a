"""Cross-validation of one learner over one fold plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pycvstat.data.partitions import is_partitioned
from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.checks import check_word
from pycvstat.errors.names import answering
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.from_table import usual_row
from pycvstat.intervals.metric_rows import confusion_rows, metric_rows
from pycvstat.learners import as_learner
from pycvstat.learners.base import Learner
from pycvstat.learners.solution import Selected
from pycvstat.losses import FoldMeans, LossTable, loss_label
from pycvstat.losses.metric import Averaging
from pycvstat.losses.metrics import Measured, MetricLike, metric
from pycvstat.losses.predictions import Predictions, centre
from pycvstat.losses.table import Sealed, of_folds
from pycvstat.procedures.burman import BiasAdjustment, bias_adjustment
from pycvstat.procedures.engine import Failure, OnError, Outcome
from pycvstat.procedures.setting import (
    Arguments,
    Setting,
    augmented,
    one_row,
    out_of_fold,
    read_setting,
)
from pycvstat.procedures.stability import Stability, stability
from pycvstat.rmath.random import Random
from pycvstat.types import FloatArray
from pycvstat.verbs import EstimateVerbs


class OfTable(EstimateVerbs):
    """What the losses of one learner say, kept by row or by fold."""

    table: LossTable | FoldMeans

    @property
    def plan(self) -> FoldPlan:
        """The fold plan."""
        return self.table.plan

    @property
    def loss(self) -> str:
        """The name of the loss."""
        return self.table.loss

    @property
    def estimate(self) -> float:
        """Mean of the fold means: every fold has the same weight."""
        return self.table.estimate().item()

    @property
    def pooled(self) -> float:
        """Mean over all tested observations: folds weigh by their size."""
        return self.table.pooled().item()

    @property
    def fold_errors(self) -> FloatArray:
        """Mean loss on the test rows of each fit."""
        return self.table.fold_means().ravel()

    def metric(self, name: MetricLike, averaging: Averaging | None = None) -> Measured:
        """A metric of the out-of-fold predictions: by fold, by repetition and pooled.

        `estimate` is the one that `averaging` names, by default as `interval` has it.
        """
        return metric(self.table, name, averaging=averaging)

    def _averages(self, level: float) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Both averages as rows, and one without limits."""
        first = usual_row(self.table, level, self.interval)
        limits = dict.fromkeys(("std_error", "conf_low", "conf_high"), np.nan)
        without = first | limits | {"method": "none", "target": "", "notes": ""}
        pooled = without | {"quantity": "mean over observations", "estimate": self.pooled}
        return [{"quantity": "mean of fold means"} | first, pooled], without


@dataclass(frozen=True, eq=False)
class CVResult(Sealed, OfTable):
    """The cross-validated risk of one learner.

    Parameters
    ----------
    table : LossTable
        Every loss and out-of-fold prediction.
    task : Task
    learner : Learner
    details : tuple
        What the learner reported fit by fit.
    failures : tuple of Failure
    seed : int, optional
        The seed of the draws, R's ``set.seed``.
    bias : BiasAdjustment, optional
    inner_plans : tuple of FoldPlan
        The folds inside each fit of a tuned learner; their rows count within its training rows.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4))
    >>> result
    CVResult(OLS, Blocks(4): squared loss 9.83473)
    >>> result.tidy("folds")["estimate"].round(3).tolist()
    [5.953, 3.532, 23.243, 6.611]
    """

    view: ClassVar[str] = "risk"
    counterpart: ClassVar[str] = "procedures_in_r.cross_validation"
    stored: ClassVar[str] = "stored inner folds"

    table: LossTable
    task: Task
    learner: Learner
    details: tuple[Any, ...] = ()
    failures: tuple[Failure, ...] = ()
    seed: int | None = None
    bias: BiasAdjustment | None = None
    inner_plans: tuple[FoldPlan, ...] = ()
    seal: InitVar[str] = ""

    def _numbers(self) -> list[Any]:
        """Those of the folds inside; the table has a seal of its own."""
        return [part for plan in self.inner_plans for part in of_folds(plan)]

    more_tables: ClassVar[tuple[str, ...]] = ("folds", "losses")
    scripted: ClassVar[bool] = True
    _learner: ClassVar[str] = ""  # what cross_validate gets that gives this result again

    def __repr__(self) -> str:
        return (
            f"CVResult({self.learner.name}, {self.plan.recipe}: "
            f"{loss_label(self.table.loss)} {self.estimate:.6g})"
        )

    @classmethod
    def made(cls, setting: Setting, learner: Learner, outcome: Outcome, **more: Any) -> Self:
        """The result of a run that kept every loss."""
        assert outcome.table is not None
        return cls(
            outcome.table,
            setting.task,
            learner,
            outcome.details,
            outcome.failures,
            outcome.seed,
            inner_plans=outcome.inner_plans,
            **more,
        )

    @property
    def adjusted(self) -> float:
        """Bias-adjusted estimate (Burman 1989, as boot's second delta); pooled.

        Raises
        ------
        InputError
            It was not asked for: it takes one more fit.
        """
        if self.bias is None:
            raise InputError(
                "the bias-adjusted estimate was not computed.",
                given="bias_adjusted=False",
                fix=f"cross_validate({self._learner}..., bias_adjusted=True), which takes one more "
                "fit",
            )
        return self.bias.adjusted

    @cached_property
    def predictions(self) -> NDArray[Any]:
        """Out-of-fold prediction of each row (classes as labels), averaged over repeats."""
        return self.task.response.labels(out_of_fold(self.table))

    @answering
    def metrics(
        self,
        names: Sequence[MetricLike] | MetricLike,
        averaging: Averaging | None = None,
        level: float = 0.95,
        method: str = "auto",
        baseline: bool = False,
    ) -> pd.DataFrame:
        """Several metrics with intervals, one row each; no interval without its averaging.

        Parameters
        ----------
        names : list of names, metrics or functions
            As of `interval`: ours, or those of scikit-learn, yardstick and caret.
        averaging : {"folds", "pooled", "repeats"}, optional
            The same for all; each metric's own default otherwise.
        level, method
            As of `interval`.
        baseline : bool
            Also the metric of `Mean` on the same folds, and skill: the part of the way from there
            to perfect predictions.

        Returns
        -------
        DataFrame
            metric, estimate, conf_low, conf_high, level, averaging, method, target, notes.
        """
        beside = self._baseline if baseline else None
        return metric_rows(self.table, names, averaging, level, method, beside)

    def _baseline(self) -> LossTable:
        """Predictions of the mean, or of the shares of the classes, on the same folds."""
        y, levels, plan = self.task.response.values, self.task.response.levels, self.plan
        weights = np.ones(len(y)) if self.task.weights is None else self.task.weights
        fits = [centre(y[train].astype(float), weights[train], len(levels)) for train, _ in plan]
        each = np.repeat(np.arange(len(plan)), plan.n_test)
        values = np.array([value for value, _ in fits])[each]
        prob = np.array([shares for _, shares in fits])[each][None] if levels else None
        predicted = Predictions(values[None], prob)
        return LossTable(
            plan, np.abs(y[plan.rows] - values)[:, None], predictions=predicted, y=y, levels=levels
        )

    @property
    def selected(self) -> list[tuple[str, ...]]:
        """The terms that were selected in every fit, where that is what the learner does."""
        fits = [one for one in self.details if isinstance(one, tuple) and len(one) == 1]
        return [fit.selected for (fit,) in fits if isinstance(fit, Selected)]

    @answering
    def stability(self, draws: int = 200, random: Random = 1) -> Stability:
        """How much losses hang on one training row: `draws` refits with a row replaced."""
        name = self.learner.name
        return stability({name: self.learner}, {name: self.table}, self.task, draws, random)

    def tidy(self, what: str = "estimate", level: float = 0.95) -> pd.DataFrame:
        """One row per quantity, per fold (``"folds"``) or per loss (``"losses"``).

        Limits stand beside their level, method, target and notes.
        """
        check_word("what", what, ("estimate", *self.more_tables))
        if what == "folds":
            chosen = [" + ".join(one) or "1" for one in self.selected]
            return self.table.by_fit().assign(**({"selected": chosen} if chosen else {}))
        if what == "losses":
            return self.table.tidy()
        rows, without = self._averages(level)
        if self.bias is not None:
            rows.append(without | {"quantity": "bias-adjusted", "estimate": self.adjusted})
        return pd.DataFrame(rows)

    def glance(self, level: float = 0.95) -> pd.DataFrame:
        """One row: learner, loss, estimates, interval, sizes, seed."""
        row: dict[str, Any] = {"learner": self.learner.name, "loss": self.table.loss}
        row |= usual_row(self.table, level, self.interval)
        del row["metric"]  # the loss
        row["pooled"] = self.pooled
        counts = {"fits": len(self.plan), "failed": len(self.failures)}
        made = one_row(row, self.task, self.plan, self.seed, **counts)
        return made.assign(fingerprint=self.plan.fingerprint)

    def augment(self) -> pd.DataFrame:
        """The data with out-of-fold predictions, probabilities of classes, folds and losses.

        Columns .row, .prediction, .residual or .prob_<class>, .repeat, .fold, .loss: one row per
        row of the data, and where rows are tested several times one per test. Columns of the data
        with these names are replaced, and a warning says so.
        """
        return augmented(self.task, self.table)

    def confusion(self, level: float = 0.95) -> pd.DataFrame:
        """The out-of-fold confusion matrix, one row per cell, with Wilson intervals by class.

        Parameters
        ----------
        level : float
            Confidence level.

        Returns
        -------
        DataFrame
            observed, predicted, rows (of the observed class that are predicted so, on average over
            repetitions), of (rows of the observed class), share, conf_low, conf_high, level,
            method, target. Errors of different folds are dependent, which Wilson's interval does
            not count; ``interval(metric="sensitivity")`` is about the expected share. Of groups,
            time series, resamples with replacement and where fits failed there are no limits.

        Examples
        --------
        >>> import pycvstat as pcv
        >>> folds = pcv.KFold(4, random=1)
        >>> result = pcv.cross_validate(pcv.Logit(), "am ~ wt", pcv.data.mtcars(), folds=folds)
        >>> result.confusion()[["observed", "predicted", "rows", "of"]].values.tolist()
        [['0', '0', 18.0, 19], ['0', '1', 1.0, 19], ['1', '0', 2.0, 13], ['1', '1', 11.0, 13]]
        """
        return confusion_rows(self.table, level)


@answering
def cross_validate(
    learner: Any,
    formula: str | None = None,
    data: Any = None,
    *,
    folds: Any,
    loss: Any = None,
    on_error: OnError = "raise",
    bias_adjusted: bool = False,
    **arguments: Unpack[Arguments],
) -> CVResult:
    """Cross-validate a learner and keep every loss.

    Parameters
    ----------
    learner : Learner or any object with fit and predict
    formula, data : str and frame
        R's formula and a pandas or polars frame (or a dict of columns). Of a dask frame partitions
        are read one at a time and only summed, for OLS; see `PartitionedResult`.
    folds : splitter, plan, int, or scikit-learn splitter
        An int K means ``KFold(K)``.
    loss : str or function, optional
        Squared error for numbers, 0-1 for classes, absolute rank difference for ordered classes
        by default; a function of (y, prediction) gives one loss per row, of classes as
        ``losses.Loss.of(f, needs="probabilities")`` or "classes".
    on_error : {"raise", "warn"}
        A failed fit raises, or counts as NaN and is shown.
    bias_adjusted : bool
        Also compute Burman's bias-adjusted estimate (one more fit).
    **arguments
        X, y, weights, loss_weights, groups, na, levels: the data by other means; weights enter the
        fits, and loss_weights (True: the same) the means of losses. n_jobs, client, checkpoint,
        progress, task_limit: how the work is done.

    Returns
    -------
    CVResult
        Of a dask frame a `PartitionedResult`.

    Notes
    -----
    As in R: ``boot::cv.glm`` gives `pooled` and, with ``bias_adjusted=True``, `adjusted`;
    caret and tidymodels give `estimate`.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> data = {"x": [1., 2., 3., 4., 5., 6.], "y": [1., 2., 3., 4., 5., 9.]}
    >>> result = pcv.cross_validate(pcv.OLS(), "y ~ x", data, folds=pcv.Blocks(3))
    >>> result.fold_errors.round(3)
    array([4.005, 0.611, 4.5  ])
    >>> round(result.estimate, 3), len(result.plan)
    (3.039, 3)
    """
    chosen = as_learner(learner)
    if is_partitioned(data):
        from pycvstat.procedures.partitioned import cross_validate_partitions

        asked = {"bias_adjusted": bias_adjusted or None, **arguments}
        asked |= {} if on_error == "raise" else {"on_error": on_error}
        summed: Any = cross_validate_partitions(chosen, formula, data, folds, loss, asked)
        return summed  # type: ignore[no-any-return]
    setting = read_setting([chosen], formula, data, folds, loss, arguments, on_error)
    label = f"cross-validating {chosen.name}"
    found = cross_validated(setting, chosen, label)
    return replace(found, bias=bias_adjustment(setting, found, label)) if bias_adjusted else found


def cross_validated(setting: Setting, learner: Learner, label: str, **more: Any) -> CVResult:
    """One learner in a setting; resamples with replacement also give what is made of them."""
    if setting.plan.kind == "bootstrap":
        from pycvstat.procedures.bootstrapped import bootstrapped

        return bootstrapped(setting, learner, label, **more)
    return CVResult.made(setting, learner, setting.run(learner, label=label, **more))
