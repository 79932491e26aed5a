"""Leak checks: a learner must have no skill on permuted responses, and no row or predictor may
give the response away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Unpack

import numpy as np
import pandas as pd

from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.checks import is_whole
from pycvstat.errors.names import answering
from pycvstat.folds import as_splitter
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners import as_learner
from pycvstat.learners.base import Learner
from pycvstat.losses.predictions import Predictions
from pycvstat.losses.table import naive_error
from pycvstat.procedures.engine import run
from pycvstat.procedures.leaks import (
    RARE,
    Nearest,
    duplicated_rows,
    near_copies,
    near_rows,
    nearest_rows,
    split_groups,
)
from pycvstat.procedures.setting import Arguments, Setting, read_setting, refuse_loss_weights
from pycvstat.rmath.random import as_stream
from pycvstat.types import FloatArray, IntArray
from pycvstat.verbs import Verbs

LEAK_LEVEL = 0.001  # an honest learner is suspected by one audit in a thousand, if that
UNSEEN = (
    "An audit cannot see what was done with the response before: predictors that were chosen or "
    "made with it, a learner that was told it, several predictors that give it only together. "
    "Choose and make them inside of the learner, so that every fit does it with its training rows."
)


@dataclass(frozen=True, eq=False)
class Audit(Verbs):
    """What the leak checks found; true when nothing was found.

    An audit cannot see what was done with the response before: predictors that were chosen or made
    with it, a learner that was told it.

    Parameters
    ----------
    skill : (times,) float64
        On each permutation of the response: by how much the mean loss is smaller than that of the
        same predictions for the responses of other test rows of their fit (where a fit tests one
        row: of another fit), as a share of the latter; at most 1. An honest learner has none on
        average.
    p_value : float
        One-sided t test, that the mean skill is not above 0.
    copies : tuple of str
        Predictors that alone give the response, but for a hundredth of its variance or its rows.
    duplicates : (m, 2) int64
        Pairs (test row, training row) with equal predictors and response, of the first fit in
        which they meet; rows counted from 0.
    split_groups : tuple
        Groups with rows on both sides of a fit.
    learner : Learner
    plan : FoldPlan
    task : Task
    seed : int, optional
        R's seed of the permutations.
    near : (m, 2) int64
        Pairs (test row, training row) that are not equal, and nearer than chance would have them:
        rows copied with a little noise, or measured again.
    nearest : Nearest, optional
        Risks of the responses of the nearest training rows, beside the learner's; none for classes
        and for responses of few values.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> found = pcv.audit(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.KFold(5, random=1))
    >>> found.tidy()[["check", "found"]]
                                 check  found
    0      skill on permuted responses  False
    1      near copies of the response  False
    2  equal rows in training and test  False
    3   near rows in training and test  False
    4     what nearest rows give away  False
    """

    view: ClassVar[str] = "audit"

    skill: FloatArray
    p_value: float
    copies: tuple[str, ...]
    duplicates: IntArray
    split_groups: tuple[Any, ...]
    learner: Learner
    plan: FoldPlan
    task: Task
    seed: int | None
    near: IntArray
    nearest: Nearest | None

    @property
    def mean_skill(self) -> float:
        """The mean over the permutations."""
        return _mean(self.skill)

    @property
    def leaks(self) -> bool:
        """Whether the learner has skill where there is none to have."""
        return self.p_value < LEAK_LEVEL

    def __bool__(self) -> bool:
        return not any(row["found"] for row in self._rows())

    def __repr__(self) -> str:
        found = [row["finding"] for row in self._rows() if row["found"]]
        nothing = f"nothing found by {len(self._rows())} checks"
        return f"Audit({self.learner.name}: {'; '.join(found) or nothing})"

    def _rows(self) -> list[dict[str, Any]]:
        repeated = len(np.unique(self.duplicates[:, 0]))
        rows = [
            (
                "skill on permuted responses",
                self.leaks,
                f"mean skill {self.mean_skill:.3g}, p {self.p_value:.3g}",
            ),
            (
                "near copies of the response",
                bool(self.copies),
                f"{', '.join(self.copies[:12]) or 'no predictor'} gives it away alone",
            ),
            ("equal rows in training and test", repeated > 0, f"{repeated} test rows repeat"),
            (
                "near rows in training and test",
                len(self.near) > 0,
                f"{len(self.near)} test rows are almost training rows",
            ),
        ]
        if (found := self.nearest) is not None:
            rows.append(
                (
                    "what nearest rows give away",
                    found.p_value < RARE,
                    f"mean loss {found.risk:.3g} by the response of the nearest training row, "
                    f"{found.further:.3g} of the fifth, {found.learner:.3g} of the learner, "
                    f"p {found.p_value:.3g}",
                )
            )
        if self.task.groups is not None:
            split = len(self.split_groups)
            rows.append(("groups on both sides of a fit", split > 0, f"{split} groups split"))
        return [{"check": of, "found": found, "finding": said} for of, found, said in rows]

    def tidy(self) -> pd.DataFrame:
        """One row per check that was made: check, found, finding."""
        return pd.DataFrame(self._rows())

    def glance(self) -> pd.DataFrame:
        """One row: verdict and figures; groups that are split are missing where there are none."""
        split = pd.NA if self.task.groups is None else len(self.split_groups)
        nothing = f"nothing found by {len(self._rows())} checks"
        return pd.DataFrame(
            [
                {
                    "learner": self.learner.name,
                    "verdict": nothing if self else "look at tidy()",
                    "skill": self.mean_skill,
                    "p_value": self.p_value,
                    "copies": len(self.copies),
                    "duplicates": len(self.duplicates),
                    "near": len(self.near),
                    "split_groups": split,
                    "permutations": len(self.skill),
                    "seed": self.seed,
                    "folds": self.plan.recipe,
                }
            ]
        )

    def augment(self) -> pd.DataFrame:
        """The data with .row, the training row that repeats it, and whether its group is split.

        ``.repeated_by`` is missing where no training row is equal.
        """
        data = self.task.frame.to_pandas()
        data[".row"] = self.task.rows
        twin = pd.array([None] * self.task.n, dtype="Int64")
        twin[self.duplicates[:, 0]] = self.task.rows[self.duplicates[:, 1]]
        data[".repeated_by"] = twin
        groups = self.task.groups
        data[".group_split"] = False if groups is None else np.isin(groups, self.split_groups)
        return data


@answering
def audit(
    learner: Any,
    formula: str | None = None,
    data: Any = None,
    *,
    folds: Any = 5,
    loss: Any = None,
    times: int = 50,
    random: Any = 1,
    **arguments: Unpack[Arguments],
) -> Audit:
    """Look for leaks: skill on permuted responses, copies of the response, repeated rows, groups.

    Rows repeat others where they are equal, or nearer than chance would have them.

    What was done with the response before, such as choosing predictors by it, it cannot see.

    Parameters
    ----------
    learner, formula, data, folds, loss, **arguments
        As in `cross_validate`.
    times : int
        Number of permutations of the response.
    random : int
        R's seed of the permutations, and before them of the folds where `folds` is a number.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> bool(pcv.audit(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.KFold(5, random=1)))
    True
    """
    if not is_whole(times) or times < 5:
        raise InputError("times must be a whole number, at least 5.", given=times)
    times = int(times)
    chosen = as_learner(learner)
    counted = is_whole(folds)
    if counted:
        splitter: Any = as_splitter(folds, grouped=arguments.get("groups") is not None)
        folds = replace(splitter, random=random)
    setting = read_setting([chosen], formula, data, folds, loss, arguments, separate=False)
    refuse_loss_weights(setting.task, "an audit")
    stream = setting.stream if counted else as_stream(random)
    orders = [stream.permutation(setting.task.n) for _ in range(times)]
    identity = setting.identity(chosen)
    skill = _skill([_both(setting, chosen, order, i, identity) for i, order in enumerate(orders)])
    return Audit(
        skill,
        _one_sided(skill),
        near_copies(setting.task),
        duplicated_rows(setting.task, setting.plan),
        split_groups(setting.task, setting.plan),
        chosen,
        setting.plan,
        setting.task,
        stream.seed,
        near_rows(setting.task, setting.plan),
        _nearest(setting, chosen, identity),
    )


def _nearest(setting: Setting, learner: Learner, identity: dict[str, Any] | None) -> Nearest | None:
    """Risks of the responses of nearest training rows, and of the learner."""
    rows, p = nearest_rows(setting.task, setting.plan)
    if not len(rows):
        return None
    y = setting.task.response.values
    label = f"cross-validating {learner.name}"
    table = setting.run(learner, identity=identity, label=label, check_state=False).table
    assert table is not None
    with np.errstate(all="ignore"):
        near, fifth = (
            _mean(setting.loss.pointwise(y[rows[:, 0]], Predictions(y[None, rows[:, k]])))
            for k in (1, 2)
        )
    return Nearest(near, fifth, _mean(table.losses), p)


def _both(
    setting: Setting,
    learner: Learner,
    order: IntArray,
    number: int,
    identity: dict[str, Any] | None,
) -> tuple[float, float]:
    """Mean loss with the responses in another order: of the test rows, and of their partners."""
    response = setting.task.response
    permuted = replace(response, values=response.values[order])
    there = replace(setting, task=replace(setting.task, response=permuted))
    table = run(
        there.prepare(learner),
        there.plan,
        permuted.values,
        there.loss,
        random=as_stream(1),
        execution=there.execution,
        identity=None if identity is None else identity | {"order": order},
        label=f"{learner.name} on shuffled responses, {number + 1}",
        check_state=False,  # what it keeps, the audit shows
    ).table
    assert table is not None
    assert table.predictions is not None
    partners = permuted.values[_partners(table.plan)]
    with np.errstate(all="ignore"):
        others = there.loss.pointwise(partners, table.predictions)
    return _mean(table.losses), _mean(others)


def _skill(both: list[tuple[float, float]]) -> FloatArray:
    """Differences of the two means as shares of the second, which is averaged over permutations.

    In every fit, what a learner knows leaves the order of the test responses open, so the
    differences of an honest learner have the mean 0; shares of their own second would not.
    """
    own, other = np.array(both).T
    scale = np.abs(other[np.isfinite(other)])
    with np.errstate(all="ignore"):
        share = (other - own) / _mean(scale)
    return np.asarray(np.clip(np.nan_to_num(share, nan=0.0), -1.0, 1.0))


def _partners(plan: FoldPlan) -> IntArray:
    """For every test row another one of its fit, or where it is alone of another fit."""
    if plan.n_test.max() == 1:
        return plan.rows[::-1]
    return np.concatenate([plan.test_rows(i)[::-1] for i in range(len(plan))])


def _one_sided(skill: FloatArray) -> float:
    from scipy.stats import t

    error = float(naive_error(skill))
    if error == 0:
        return 0.0 if skill.min() > 0 else 1.0
    return float(t.sf(_mean(skill) / error, len(skill) - 1))


def _mean(values: FloatArray) -> float:
    return float((values / values.size).sum())  # no sum on the way leaves the range of numbers
