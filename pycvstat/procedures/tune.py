"""Tuning: the engine over a grid, then a rule picks a candidate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Unpack, get_args

import numpy as np
import pandas as pd

from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.checks import check_word
from pycvstat.errors.names import answering
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.confidence_set import ConfidenceSet, confidence_set
from pycvstat.learners import as_learner
from pycvstat.learners.base import Fitted, Learner
from pycvstat.losses import FoldMeans, LossTable
from pycvstat.losses.metrics import MetricLike, as_metric, fold_values
from pycvstat.losses.table import parameter_columns
from pycvstat.procedures.engine import Failure, Keep, OnError, describe
from pycvstat.procedures.grid import as_candidates, own_grid
from pycvstat.procedures.selection import (
    Choice,
    Complexity,
    Rule,
    RuleName,
    Standing,
    choose,
    needs_one_split,
    read_rule,
    standing,
)
from pycvstat.procedures.setting import KEEP_LIMIT, Arguments, augmented, one_row, read_setting
from pycvstat.rmath.random import Random
from pycvstat.verbs import EstimateVerbs

Refit = Literal["all", "train", "none"]


@dataclass(frozen=True, eq=False)
class TuneResult(EstimateVerbs):
    """Cross-validated losses of every candidate, and the choice.

    Parameters
    ----------
    means : FoldMeans
        Mean loss, or the value of the metric, by fold and candidate.
    table : LossTable or None
        Every loss, when kept.
    choice : Choice
    rule : Rule
    task : Task
    learner : Learner
    refit : {"all", "train", "none"}
    failures : tuple of Failure
    seed : int, optional
    metric : str
        The name of the metric by which it was chosen; empty where that is the mean loss.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.tune(pcv.KNN(kernel="rectangular"), "mpg ~ .", pcv.data.mtcars(),
    ...                   grid={"k": [1, 3, 9]}, folds=pcv.Blocks(4))
    >>> result.tidy()[["k", "estimate", "chosen"]].round(3)
       k  estimate  chosen
    0  1    14.567    True
    1  3    16.051   False
    2  9    14.875   False
    """

    view: ClassVar[str] = "tuning"
    counterpart: ClassVar[str] = "procedures_in_r.tuning"
    scripted: ClassVar[bool] = True

    means: FoldMeans
    table: LossTable | None
    choice: Choice
    rule: Rule
    task: Task
    learner: Learner
    refit: Refit = "all"
    failures: tuple[Failure, ...] = ()
    seed: int | None = None
    metric: str = ""

    def __post_init__(self) -> None:
        self.choice.check(len(self.candidates))

    def __repr__(self) -> str:
        return f"TuneResult({self.learner.name}, {self.plan.recipe}: best {describe(self.best)})"

    @property
    def plan(self) -> FoldPlan:
        """The fold plan."""
        return self.means.plan

    @property
    def candidates(self) -> tuple[dict[str, Any], ...]:
        """The parameters of every candidate."""
        return self.means.candidates

    @property
    def best(self) -> dict[str, Any]:
        """Parameters of the chosen candidate."""
        return self.candidates[self.choice.index]

    @property
    def tied(self) -> list[dict[str, Any]]:
        """All candidates that share the smallest estimate exactly."""
        return [self.candidates[c] for c in self.choice.tied]

    @property
    def estimate(self) -> float:
        """Estimate of the chosen candidate: as a risk of the tuned learner it is too small."""
        return float(self.means.estimate()[self.choice.index])

    @property
    def pooled(self) -> float:
        """The same, averaged over observations."""
        return float(self.means.pooled()[self.choice.index])

    @answering
    def confidence_set(
        self, level: float = 0.95, *, draws: int = 1000, random: Random = 1
    ) -> ConfidenceSet:
        """The candidates that are not shown to be worse than another (Lei 2020), by mean loss.

        Parameters
        ----------
        level : float
        draws : int
            Draws of the multiplier bootstrap.
        random : int, RRandom, numpy.random.Generator or None
            What they are drawn with.
        """
        table = self.means if self.table is None else self.table
        return confidence_set(table, level, draws, random)

    @cached_property
    def standing(self) -> Standing:
        """How sure the choice is: the edge of the grid, ties, the lead over the runner-up."""
        sign = 1.0 if self.means.better == "smaller" else -1.0
        return standing(self.choice, self.means.means, self.candidates, self.learner, sign)

    @cached_property
    def model(self) -> Fitted:
        """The chosen candidate, refitted as `refit` says."""
        if self.refit == "none":
            raise InputError("nothing was refitted.", given="refit='none'", fix="refit='all'")
        task = self.task
        if self.refit == "train":
            ((train, _),) = self.plan
            task = task.take(train)
        return self.learner.with_params(**self.best).fit_task(task)

    def predict(self, new: Any) -> Any:
        """Predict new rows by the chosen candidate."""
        return self.model.predict(new)

    def tidy(self) -> pd.DataFrame:
        """One row per candidate: parameters, estimate, pooled, std_error, chosen."""
        columns: dict[str, Any] = parameter_columns(self.candidates, 1)
        columns |= {
            "estimate": self.means.estimate(),
            "pooled": self.means.pooled(),
            "std_error": self.means.std_error(),
            "chosen": np.arange(len(self.candidates)) == self.choice.index,
        }
        return pd.DataFrame(columns)

    def glance(self) -> pd.DataFrame:
        """One row: learner, rule, chosen parameters, its estimate, ties, sizes."""
        row: dict[str, Any] = {"learner": self.learner.name}
        row["metric" if self.metric else "loss"] = self.means.loss
        row |= {f"best_{name}": value for name, value in self.best.items()}
        row |= {
            "estimate": self.estimate,
            "pooled": self.pooled,
            "rule": self.rule.name,
            "tied": len(self.choice.tied),
            "candidates": len(self.candidates),
        }
        counts = {"fits": len(self.plan), "failed": len(self.failures)}
        return one_row(row, self.task, self.plan, self.seed, **counts)

    def augment(self) -> pd.DataFrame:
        """The data with out-of-fold predictions of the chosen candidate."""
        return augmented(self.task, self.losses().select(self.choice.index))

    def losses(self) -> LossTable:
        """Every loss, or an error that says how to keep them."""
        if self.table is None:
            given = f"{self.task.n} rows, {len(self.candidates)} candidates"
            raise InputError("only fold means were kept.", given=given, fix='tune(..., keep="all")')
        return self.table


@answering
def tune(
    learner: Any,
    formula: str | None = None,
    data: Any = None,
    *,
    grid: Any = None,
    folds: Any,
    loss: Any = None,
    metric: MetricLike | None = None,
    rule: RuleName = "min",
    complexity: Complexity | None = None,
    tolerance: float = 0.03,
    refit: Refit = "all",
    keep: Literal["auto", "all", "fold_means"] = "auto",
    on_error: OnError = "raise",
    **arguments: Unpack[Arguments],
) -> TuneResult:
    """Choose parameters by cross-validation, or by a development set (``folds=Holdout(0.2)``).

    Parameters
    ----------
    learner, formula, data, folds, loss, on_error, **arguments
        As in `cross_validate`; or a list or dict of learners, such as `Model`, to choose among.
    metric : str, Metric or function, optional
        Instead of the mean loss: the candidate with the best mean of the metric's fold values, the
        largest where larger is better. As in R: caret's ``metric=``.
    grid : mapping of lists, list of mappings, RandomSearch, QuasiRandomSearch or "path"
        The parameters of the candidates. ``"formula"`` is one of every learner: candidates with a
        formula of the same response.
        "path": glmnet's own path of penalties on all rows, for ridge, lasso and elastic net. As in
        R: ``cv.glmnet``, whose `cvm` on the same folds is then `pooled`.
    rule, complexity, tolerance
        How the candidate is chosen; see `Rule`. Ties go to the simplest candidate when an order
        is given, else to the first; `tied` reports them.
    refit : {"all", "train", "none"}
        What `model` is fitted on: all rows, the training part of a development-set split, nothing.
    keep : {"auto", "all", "fold_means"}
        Keep every loss or only fold means; "auto" keeps all up to 4 million losses.

    Returns
    -------
    TuneResult

    Examples
    --------
    >>> import pycvstat as pcv
    >>> data = {"x": [1., 2., 3., 4., 5., 6.], "y": [1., 4., 9., 16., 25., 36.]}
    >>> result = pcv.tune(pcv.KNN(kernel="rectangular"), "y ~ x", data,
    ...                   grid={"k": [1, 2, 3]}, folds=pcv.LeaveOneOut())
    >>> result.best, round(result.estimate, 3)
    ({'k': 2}, 45.75)
    """
    own = isinstance(grid, str) and grid == "path"
    candidates = as_candidates([{}] if own else grid, as_learner(learner))
    chosen = candidates.learner
    setting = read_setting(candidates.learners, formula, data, folds, loss, arguments, on_error)
    if own:
        candidates = as_candidates(own_grid(chosen, setting.task), chosen)
    selection = read_rule(rule, complexity, tolerance, chosen, candidates)
    check_word("refit", refit, get_args(Refit))
    if refit == "train" and len(setting.plan) != 1:
        raise needs_one_split(setting.plan.recipe, "folds")
    check_word("keep", keep, ("auto", "all", "fold_means"))
    if keep == "auto":
        small = len(setting.plan.rows) * len(candidates) <= KEEP_LIMIT
        keep = "all" if small else "fold_means"
    read = None if metric is None else as_metric(metric)
    kept: Keep = keep if read is None else "all"  # a metric reads predictions
    outcome = setting.run(chosen, candidates, keep=kept, label=f"tuning {chosen.name}")
    means, table = outcome.means, outcome.table
    if read is not None and table is not None:
        means, table = fold_values(table, read), table if keep == "all" else None
    return TuneResult(
        means,
        table,
        choose(means, selection),
        selection,
        setting.task,
        chosen,
        refit,
        outcome.failures,
        outcome.seed,
        "" if read is None else read.name,
    )
