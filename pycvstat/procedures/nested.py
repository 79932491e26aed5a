"""Nested cross-validation: cross-validation of a learner that tunes itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Unpack, get_args, overload

import numpy as np
import pandas as pd

from pycvstat import rmath
from pycvstat.errors import InputError
from pycvstat.errors.checks import check_word
from pycvstat.errors.names import answering
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Fitted
from pycvstat.losses.metrics import MetricLike, as_metric
from pycvstat.losses.table import of_folds, parameter_columns
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.engine import OnError
from pycvstat.procedures.selection import Complexity, RuleName, Standing, Tuning, standing
from pycvstat.procedures.setting import Arguments, read_setting
from pycvstat.procedures.tune import TuneResult
from pycvstat.procedures.tuned import Tuned
from pycvstat.types import FloatArray, IntArray

Final = Literal["retune", "vote", "median", "none"]


@dataclass(frozen=True, repr=False)
class Chosen(Sequence[dict[str, Any]]):
    """Chosen parameters, one mapping per outer fit; a name gives that parameter's column.

    Examples
    --------
    >>> chosen = Chosen(({"k": 3}, {"k": 5}))
    >>> chosen[0], chosen["k"]
    ({'k': 3}, [3, 5])
    """

    rows: tuple[dict[str, Any], ...]

    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[dict[str, Any]]: ...
    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    def __getitem__(self, key: int | slice | str) -> Any:
        if isinstance(key, str):
            return [row.get(key) for row in self.rows]
        return self.rows[key]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return repr(list(self.rows))


@dataclass(frozen=True, eq=False, repr=False)
class NestedResult(CVResult):
    """The cross-validated risk of a tuned learner, with everything its tuning found.

    `estimate` estimates the risk of the *tuned procedure* at the outer training size. It is not
    the smallest risk over the grid, which no procedure attains; see `min_cv` for the smallest
    cross-validation estimate and its bias.

    Parameters
    ----------
    inner_plan : FoldPlan
        The inner folds on all rows, for the final tuning.
    inner_loss : str or function
        What tuning minimises.
    on_error : {"raise", "warn"}
        What happened to candidates that fail, and happens to them in tuning on all rows.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.nested_cv(pcv.KNN(kernel="rectangular"), "mpg ~ .", pcv.data.mtcars(),
    ...                        grid={"k": [1, 3, 9]}, outer=pcv.Blocks(4), inner=pcv.Blocks(3))
    >>> result.chosen["k"]
    [1, 1, 3, 3]
    """

    view: ClassVar[str] = "nested"

    learner: Tuned
    details: tuple[Tuning | None, ...] = ()
    inner_plan: FoldPlan | None = None
    inner_loss: Any = None
    on_error: OnError = "raise"

    subject: ClassVar[str] = "the tuned procedure"
    _learner: ClassVar[str] = "Tuned(...), "
    more_tables: ClassVar[tuple[str, ...]] = (*CVResult.more_tables, "inner", "selection")

    def __post_init__(self, seal: str) -> None:
        super().__post_init__(seal)
        if len(self.details) != len(self.plan):
            raise InputError("every outer fit reports its tuning.", given=len(self.details))

    def _numbers(self) -> list[Any]:
        last = () if self.inner_plan is None else of_folds(self.inner_plan)
        said = np.array([str(self.inner_loss), repr(self.learner.inner)], object)
        return [*super()._numbers(), *last, said]

    def __repr__(self) -> str:
        return f"NestedResult({self.learner.name}, {self.plan.recipe}: {self.estimate:.6g})"

    @property
    def tuned(self) -> Tuned:
        """The tuned learner."""
        return self.learner

    @property
    def candidates(self) -> tuple[dict[str, Any], ...]:
        """The candidates of the grid."""
        return self.tuned.candidates

    @property
    def chosen_index(self) -> IntArray:
        """Position of the chosen candidate by outer fit; -1 where the fit failed."""
        return np.array([-1 if d is None else d.choice.index for d in self.details])

    @property
    def chosen(self) -> Chosen:
        """Chosen parameters by outer fit."""
        return Chosen(tuple(self.candidates[c] if c >= 0 else {} for c in self.chosen_index))

    @property
    def tied(self) -> list[list[dict[str, Any]]]:
        """All candidates with the smallest inner estimate, by outer fit."""
        found = [() if d is None else d.choice.tied for d in self.details]
        return [[self.candidates[c] for c in tied] for tied in found]

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """How sure the choices are, by outer fit that did not fail."""
        by = self.tuned.metric
        larger = by is not None and as_metric(by).better == "larger"
        of = self.candidates, self.tuned.learner, -1.0 if larger else 1.0
        return tuple(standing(d.choice, d.means, *of) for d in self.details if d is not None)

    @property
    def inner_curves(self) -> FloatArray:
        """Inner estimate (mean of inner fold means), shape (outer fits, candidates)."""
        empty = np.full(len(self.candidates), np.nan)
        return np.stack([empty if d is None else rmath.mean(d.means, axis=0) for d in self.details])

    def selection(self) -> pd.DataFrame:
        """How often each candidate was chosen: parameters, times, share."""
        index = self.chosen_index
        times = np.bincount(index[index >= 0], minlength=len(self.candidates))
        columns: dict[str, Any] = parameter_columns(self.candidates, 1)
        return pd.DataFrame(columns | {"times": times, "share": times / max(times.sum(), 1)})

    @cached_property
    def retuned(self) -> TuneResult:
        """Tuning on all rows with the inner splitter; computed when first asked for."""
        loss, on_error = self.inner_loss, self.on_error
        return self.tuned.tune(self.task, self.inner_plan, loss=loss, on_error=on_error)

    @property
    def is_retuned(self) -> bool:
        """Whether the tuning on all rows was asked for."""
        return "retuned" in vars(self)

    @property
    def min_cv(self) -> float:
        """Smallest cross-validation estimate on all rows: underestimates the tuned risk.

        Whatever the rule chose; of a metric that is larger for better candidates the largest.
        """
        best, *_ = self.retuned.choice.tied
        return float(self.retuned.means.estimate()[best])

    def final(self, policy: Final = "retune") -> dict[str, Any] | None:
        """Parameters for the final fit.

        Parameters
        ----------
        policy : {"retune", "vote", "median", "none"}
            Tune again on all rows; the most frequent choice (ties to the first in the grid); the
            median of each parameter (the grid value nearest to it, the smaller on a tie); nothing.
        """
        check_word("policy", policy, get_args(Final))
        if policy == "retune":
            return self.retuned.best
        if policy == "vote":
            index = self.chosen_index
            return self.candidates[int(np.bincount(index[index >= 0]).argmax())]
        if policy == "median":
            if any(one.keys() != self.candidates[0].keys() for one in self.candidates):
                raise InputError(
                    "candidates with different parameters have no median.",
                    given=", ".join(parameter_columns(self.candidates, 1)),
                    fix="use policy='retune' or policy='vote'",
                )
            return _median(self.chosen, self.candidates)
        return None

    def fit(self, policy: Final = "retune") -> Fitted:
        """The learner with the final parameters, fitted on all rows."""
        params = self.final(policy)
        if params is None:
            raise InputError("the policy 'none' fits nothing.", fix="use policy='retune'")
        return self.tuned.learner.with_params(**params).fit_task(self.task)

    def tidy(self, what: str = "estimate", level: float = 0.95) -> pd.DataFrame:
        """As for cross-validation; "folds" with chosen parameters, "inner", "selection"."""
        check_word("what", what, ("estimate", *self.more_tables))
        if what == "folds":
            table = super().tidy("folds")
            for name, values in parameter_columns(list(self.chosen), 1).items():
                table[f"chosen_{name}"] = values
            return table
        if what == "selection":
            return self.selection()
        if what == "inner":
            count = len(self.candidates)
            fit = np.repeat(np.arange(len(self.plan)), count)
            columns: dict[str, Any] = {
                "repeat": self.plan.repeat[fit] + 1,
                "fold": self.plan.fold[fit] + 1,
            }
            columns |= parameter_columns(self.candidates, len(self.plan))
            columns["estimate"] = self.inner_curves.ravel()
            columns["chosen"] = np.tile(np.arange(count), len(self.plan)) == np.repeat(
                self.chosen_index, count
            )
            return pd.DataFrame(columns)
        return super().tidy(what, level)


def _median(chosen: Chosen, candidates: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name in candidates[0]:
        values = [row[name] for row in chosen if row]
        grid = list(dict.fromkeys(c[name] for c in candidates))
        if all(isinstance(v, int | float) for v in grid):
            middle = float(np.median(values))
            result[name] = min(grid, key=lambda v: (abs(v - middle), v))
        else:
            result[name] = max(values, key=values.count)
    return result


@answering
def nested_cv(
    learner: Any,
    formula: str | None = None,
    data: Any = None,
    *,
    grid: Any = None,
    outer: Any,
    inner: Any,
    loss: Any = None,
    rule: RuleName = "min",
    complexity: Complexity | None = None,
    tolerance: float = 0.03,
    metric: MetricLike | None = None,
    on_error: OnError = "raise",
    **arguments: Unpack[Arguments],
) -> NestedResult:
    """Nested cross-validation: tune inside every outer training part, test on the outer fold.

    Parameters
    ----------
    learner, formula, data, loss, on_error, **arguments
        As in `cross_validate`.
    grid, rule, complexity, tolerance, metric
        As in `tune`: what the inner folds choose by. The outer estimate is the mean loss;
        ``result.metrics(["auc"])`` has outer metrics.
    outer, inner : splitter, plan, int
        ``inner="dev"`` is the cheap variant: a development set of a share 1/(K-1) of the outer
        training part. ``outer=Repeated(...)`` repeats the whole procedure.

    Returns
    -------
    NestedResult
        estimate, chosen, fold_errors, inner_curves, predictions, selection(), from one pass.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> data = pcv.data.mtcars()
    >>> result = pcv.nested_cv(pcv.KNN(kernel="rectangular"), "mpg ~ .", data,
    ...                        grid={"k": range(1, 9)}, outer=pcv.Blocks(6), inner=pcv.Blocks(4))
    >>> result.chosen["k"], round(result.estimate, 3)
    ([7, 6, 2, 4, 1, 6], 17.827)
    """
    tuned = Tuned(learner, grid, inner, rule, complexity, tolerance, metric=metric)
    setting = read_setting([tuned], formula, data, outer, loss, arguments, on_error, "outer")
    outcome = setting.run(tuned, label=f"nested cross-validation of {tuned.learner.name}")
    return NestedResult.made(
        setting,
        tuned,
        outcome,
        inner_plan=outcome.inner_plan,
        inner_loss=loss if callable(loss) else setting.loss.name,
        on_error=on_error,
    )
