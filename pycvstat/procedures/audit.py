"""Leak checks: a learner must have no skill on permuted responses, and rows must not repeat."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.checks import is_whole
from pycvstat.folds import as_splitter
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Learner
from pycvstat.losses import least_constant_loss
from pycvstat.losses.table import deviation
from pycvstat.procedures.engine import run
from pycvstat.procedures.setting import Arguments, Setting, read_learner, read_setting
from pycvstat.rmath.random import as_stream
from pycvstat.verbs import Verbs

if TYPE_CHECKING:
    import pandas as pd

LEAK_LEVEL = 0.001  # one in a thousand honest learners is suspected
NO_SKILL = 1e-6  # far above what the search for the best constant leaves


@dataclass(frozen=True, eq=False)
class Audit(Verbs):
    """What the leak checks found; true when nothing was found.

    Parameters
    ----------
    skill : (times,) float64
        (baseline - estimate) / baseline on each permutation of the response; the baseline is the
        mean loss of the constant that suits all rows best (`least_constant_loss`). An honest
        learner has none on average.
    p_value : float
        One-sided t test, that the mean skill is not above 0 (a millionth: the constant is
        searched for numerically).
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

    Examples
    --------
    >>> import pycvstat as pcv
    >>> found = pcv.audit(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.KFold(5, random=1))
    >>> found.tidy()[["check", "found"]]
                                 check  found
    0      skill on permuted responses  False
    1  equal rows in training and test  False
    2    groups on both sides of a fit  False
    """

    skill: NDArray[np.float64]
    p_value: float
    duplicates: NDArray[np.int64]
    split_groups: tuple[Any, ...]
    learner: Learner
    plan: FoldPlan
    task: Task
    seed: int | None = None

    @property
    def mean_skill(self) -> float:
        """The mean over the permutations."""
        return _mean(self.skill)

    @property
    def leaks(self) -> bool:
        """Whether the learner has skill where there is none to have."""
        return self.p_value < LEAK_LEVEL

    def __bool__(self) -> bool:
        return not (self.leaks or len(self.duplicates) or self.split_groups)

    def __repr__(self) -> str:
        found = [row["finding"] for row in self._rows() if row["found"]]
        return f"Audit({self.learner.name}: {'; '.join(found) or 'nothing found'})"

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "check": "skill on permuted responses",
                "found": self.leaks,
                "finding": f"mean skill {self.mean_skill:.3g}, p {self.p_value:.3g}",
            },
            {
                "check": "equal rows in training and test",
                "found": len(self.duplicates) > 0,
                "finding": f"{len(np.unique(self.duplicates[:, 0]))} test rows repeat",
            },
            {
                "check": "groups on both sides of a fit",
                "found": len(self.split_groups) > 0,
                "finding": f"{len(self.split_groups)} groups split",
            },
        ]

    def tidy(self) -> pd.DataFrame:
        """One row per check: check, found, finding."""
        import pandas as pd

        return pd.DataFrame(self._rows())

    def glance(self) -> pd.DataFrame:
        """One row: verdict and figures."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "learner": self.learner.name,
                    "verdict": "nothing found" if self else "look at tidy()",
                    "skill": self.mean_skill,
                    "p_value": self.p_value,
                    "duplicates": len(self.duplicates),
                    "split_groups": len(self.split_groups),
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
        import pandas as pd

        data = self.task.frame.to_pandas()
        data[".row"] = self.task.rows
        twin = pd.array([None] * self.task.n, dtype="Int64")
        twin[self.duplicates[:, 0]] = self.task.rows[self.duplicates[:, 1]]
        data[".repeated_by"] = twin
        groups = self.task.groups
        data[".group_split"] = False if groups is None else np.isin(groups, self.split_groups)
        return data


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
    """Look for leaks: skill on permuted responses, repeated rows, split groups.

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
    chosen = read_learner(learner)
    grouped = arguments.get("groups") is not None
    counted = is_whole(folds)
    if counted:
        splitter: Any = as_splitter(folds, grouped=grouped)
        folds = replace(splitter, random=random)
    setting = read_setting(
        formula,
        data,
        folds=folds,
        loss=loss,
        on_error="raise",
        arguments=arguments,
        separate=False,
        beside=chosen.beside,
    )
    stream = setting.stream if counted else as_stream(random)
    baseline = _baseline(setting)
    orders = [stream.permutation(setting.task.n) for _ in range(times)]
    identity = setting.identity(chosen)
    estimates = [_shuffled(setting, chosen, order, i, identity) for i, order in enumerate(orders)]
    skill = np.array([(baseline - e) / abs(baseline) if baseline else 0.0 for e in estimates])
    return Audit(
        skill,
        _one_sided(skill),
        duplicated_rows(setting.task, setting.plan),
        split_groups(setting.task, setting.plan),
        chosen,
        setting.plan,
        setting.task,
        stream.seed,
    )


def _baseline(setting: Setting) -> float:
    response = setting.task.response
    return least_constant_loss(setting.loss, response.values, len(response.levels))


def _shuffled(
    setting: Setting,
    learner: Learner,
    order: NDArray[np.int64],
    number: int,
    identity: dict[str, Any] | None,
) -> float:
    """The learner's estimate with the responses in another order."""
    response = setting.task.response
    permuted = replace(response, values=response.values[order])
    there = replace(setting, task=replace(setting.task, response=permuted))
    outcome = run(
        there.prepare(learner),
        there.plan,
        permuted.values,
        there.loss,
        random=as_stream(1),
        keep="fold_means",
        execution=there.execution,
        identity=None if identity is None else identity | {"order": order},
        label=f"{learner.name} on shuffled responses, {number + 1}",
    )
    return float(outcome.means.estimate()[0])


def _one_sided(skill: NDArray[np.float64]) -> float:
    from scipy.stats import t

    if np.isneginf(skill).any():
        return 1.0
    skill = skill - NO_SKILL
    error = float(deviation(skill)) / np.sqrt(len(skill))
    if error == 0:
        return 0.0 if skill[0] > 0 else 1.0
    return float(t.sf(_mean(skill) / error, len(skill) - 1))


def _mean(skill: NDArray[np.float64]) -> float:
    return float((skill / len(skill)).sum())  # no sum on the way leaves the range of numbers


def duplicated_rows(task: Task, plan: FoldPlan) -> NDArray[np.int64]:
    """Pairs (test row, training row) that are equal in every variable of the formula.

    Examples
    --------
    >>> task = Task.build("y ~ x", {"x": [1., 2., 1.], "y": [0., 5., 0.]})
    >>> duplicated_rows(task, FoldPlan.from_fold_ids([1, 2, 3]))
    array([[0, 2],
           [2, 0]])
    """
    codes = (
        task.frame.to_pandas()
        .groupby(list(task.frame.names), sort=False, observed=True)
        .ngroup()
        .to_numpy()
    )
    found: dict[int, int] = {}
    for train, test in plan:
        first = {int(c): int(row) for row, c in zip(train[::-1], codes[train][::-1], strict=True)}
        for row in test:
            twin = first.get(int(codes[row]))
            if twin is not None:
                found.setdefault(int(row), twin)
    return np.array(sorted(found.items()), dtype=np.int64).reshape(-1, 2)


def split_groups(task: Task, plan: FoldPlan) -> tuple[Any, ...]:
    """Groups with rows in the training and the test part of the same fit."""
    if task.groups is None:
        return ()
    found: dict[Any, None] = {}
    for train, test in plan:
        for group in np.intersect1d(task.groups[train], task.groups[test]):
            found.setdefault(group)
    return tuple(found)
