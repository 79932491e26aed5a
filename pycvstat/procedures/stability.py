"""Relative stability: what a single training row changes, beside what varies from row to row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, compress
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pycvstat.data.task import Task
from pycvstat.errors import InputError, LossError, noted
from pycvstat.errors.checks import is_whole
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Learner
from pycvstat.losses import LossTable, as_loss
from pycvstat.procedures.setting import Setting, refuse_loss_weights
from pycvstat.rmath.random import Random, as_stream
from pycvstat.run import Execution
from pycvstat.types import FloatArray, IntArray
from pycvstat.verbs import Verbs

LIMIT = 2.0
"""By the inequality of Efron and Stein training sets bring at most half of n times `change`: from a
ratio of 2 on that can be more than the variance from row to row. Measured: least squares with 5
predictors and 100 rows 0.2 to 0.6, alone and beside the mean; two lassos with penalties of about
one over the root of n, 2 to 18, and no less with more rows."""


@dataclass(frozen=True, eq=False)
class Stability(Verbs):
    """How much the losses of methods, and their differences, hang on a single training row.

    `ratio` is n times the variance of what the replacement of one training row changes, over the
    variance of the losses from row to row. Intervals and tests from cross-validation rest on its
    being small: as n grows it must go to 0 (Bayle et al. 2020). Two methods that are stable alone
    can have a difference that is not (Bayle, Janson and Mackey 2025).

    Parameters
    ----------
    pairs : tuple of (str, str)
        The second name is empty for a method alone.
    change : (P,) float64
        Variance over test rows of the change by one replaced row.
    spread : (P,) float64
        Variance of the losses, or of their differences, within folds.
    plan : FoldPlan
    loss : str
    draws : int
        Rows that were replaced, one at a time.
    seed : int, optional

    Examples
    --------
    >>> import pycvstat as pcv
    >>> both = {"ols": pcv.OLS(), "mean": pcv.Mean()}
    >>> result = pcv.compare(both, "mpg ~ wt", pcv.data.mtcars(), folds=pcv.KFold(4, random=1))
    >>> result.stability().stable
    array([ True,  True,  True])
    """

    view: ClassVar[str] = "audit"

    pairs: tuple[tuple[str, str], ...]
    change: FloatArray
    spread: FloatArray
    plan: FoldPlan
    loss: str
    draws: int
    seed: int | None = None

    @property
    def ratio(self) -> FloatArray:
        """n times `change` over `spread`, (P,); NaN where losses do not vary."""
        with np.errstate(all="ignore"):
            return np.asarray(self.plan.n * self.change / self.spread)

    @property
    def stable(self) -> Any:
        """Whether the ratio is below 2, (P,) bool."""
        return self.ratio < LIMIT

    def __repr__(self) -> str:
        unstable = [f"{a} − {b}" if b else a for a, b in compress(self.pairs, ~self.stable)]
        return f"Stability(unstable: {', '.join(unstable) or 'none'})"

    def tidy(self) -> pd.DataFrame:
        """One row per method, then per pair: a, b, ratio, change, spread, stable."""
        numbers = {"ratio": self.ratio, "change": self.change, "spread": self.spread}
        names = pd.DataFrame(self.pairs, columns=["a", "b"])
        return names.assign(**numbers, stable=self.stable)

    def glance(self) -> pd.DataFrame:
        """One row: the largest ratio, how many are stable, rows replaced, folds, seed."""
        row = {
            "ratio": float(np.nanmax(self.ratio)),
            "stable": int(self.stable.sum()),
            "of": len(self.pairs),
            "loss": self.loss,
            "n": self.plan.n,
            "folds": self.plan.recipe,
            "draws": self.draws,
            "seed": self.seed,
        }
        return pd.DataFrame([row])


def stability(
    learners: Mapping[str, Learner],
    tables: Mapping[str, LossTable],
    task: Task,
    draws: int = 200,
    random: Random = 1,
) -> Stability:
    """Replace one training row at a time by a test row of the same fold, and refit.

    The test row that was used is not tested; the losses before are those of the tables.

    Parameters
    ----------
    learners, tables : mapping
        By name, on identical folds.
    task : Task
    draws : int
        How many rows are replaced, over all folds in turn.
    random : int, RRandom, numpy.random.Generator or None
        What they are drawn with.
    """
    first = next(iter(tables.values()))
    plan = first.plan
    _check(plan, draws)
    refuse_loss_weights(task, "stability")
    try:
        loss = as_loss(first.loss, task.response.kind)
    except LossError:
        problem = "stability refits with the loss, and a result keeps no function of yours."
        fix = "cross-validate with a loss by its name"
        raise InputError(problem, given=first.loss, fix=fix) from None
    stream = as_stream(random)
    seed = stream.seed if stream.untouched else None
    changed, places = _replaced(plan, draws, stream)
    fold, sizes = np.repeat(np.arange(draws), changed.n_test), changed.n_test
    differences, within = {}, {}
    for name, learner in learners.items():
        table = tables[name]
        setting = Setting(task, changed, loss, as_stream(1), Execution(), "raise")
        with noted():  # what these fits have to say was said
            again = setting.run(learner, label=f"replacing rows under {name}").table
        assert again is not None
        before = table.losses.ravel()[places]
        differences[name], within[name] = again.losses.ravel() - before, before

    def variance(values: FloatArray) -> float:
        sums, squares = np.bincount(fold, values), np.bincount(fold, values**2)
        return float(((squares - sums**2 / sizes) / (sizes - 1)).mean())

    pairs = (*((name, "") for name in learners), *combinations(learners, 2))
    change, spread = np.empty((2, len(pairs)))
    for i, (a, b) in enumerate(pairs):
        for into, values in ((change, differences), (spread, within)):
            into[i] = variance(values[a] - values[b] if b else values[a])
    return Stability(pairs, change, spread, plan, first.loss, draws, seed)


def _check(plan: FoldPlan, draws: Any) -> None:
    if not (is_whole(draws) and draws >= 20):
        problem = "stability needs a whole number of at least 20 replaced rows."
        raise InputError(problem, given=repr(draws), fix="draws=200")
    if plan.groups is not None:
        problem = "rows come in groups, and replacing one row says nothing about groups."
        raise InputError(problem, given=plan.recipe)
    if plan.n_test.min() < 3:
        raise InputError(
            "stability needs folds of at least 3 test rows: one takes the place of a training row.",
            given=f"{plan.recipe}, folds of {plan.n_test.min()}",
            fix="folds=KFold(10)",
        )


def _replaced(plan: FoldPlan, draws: int, stream: Any) -> tuple[FoldPlan, IntArray]:
    """A plan of fits that trade a training row for a test row, and where its losses stood."""
    splits, places = [], []
    for draw in range(draws):
        i = draw % len(plan)
        train, test = plan.pair(i)
        out, into = (stream.sample(len(rows), 1).item() - 1 for rows in (train, test))
        left = np.delete(np.arange(len(test)), into)
        splits.append((np.append(np.delete(train, out), test[into]), test[left]))
        places.append(plan.offsets[i] + left)
    changed = FoldPlan.from_splits(splits, plan.n, kind="subsampling", recipe=plan.recipe)
    return changed, np.concatenate(places)
