"""Leak checks: a learner must have no skill on permuted responses, and no row or predictor may
give the response away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.checks import is_whole
from pycvstat.errors.names import answering
from pycvstat.folds import as_splitter
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners import as_learner
from pycvstat.learners.base import Learner
from pycvstat.losses.table import deviation
from pycvstat.procedures.engine import run
from pycvstat.procedures.setting import Arguments, Setting, read_setting
from pycvstat.rmath.random import as_stream
from pycvstat.types import FloatArray, IntArray
from pycvstat.verbs import Verbs

if TYPE_CHECKING:
    import pandas as pd

COPY = 0.01  # what a near copy leaves unexplained: of the variance, or of the rows
FEW = 10  # rows below which a correlation of 0.995 can be chance
RARE = 0.001  # how probable an order of classes may be by chance, all predictors together
LEAK_LEVEL = 0.001  # an honest learner is suspected by one audit in a thousand, if that
UNSEEN = (
    "An audit cannot see what was done with the response before: predictors that were chosen or "
    "made with it, a learner that was told it. Choose and make them inside of the learner, so that "
    "every fit does it with its training rows."
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

    Examples
    --------
    >>> import pycvstat as pcv
    >>> found = pcv.audit(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.KFold(5, random=1))
    >>> found.tidy()[["check", "found"]]
                                 check  found
    0      skill on permuted responses  False
    1      near copies of the response  False
    2  equal rows in training and test  False
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
        return not (self.leaks or self.copies or len(self.duplicates) or self.split_groups)

    def __repr__(self) -> str:
        found = [row["finding"] for row in self._rows() if row["found"]]
        return f"Audit({self.learner.name}: {'; '.join(found) or 'nothing found'})"

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
        ]
        if self.task.groups is not None:
            split = len(self.split_groups)
            rows.append(("groups on both sides of a fit", split > 0, f"{split} groups split"))
        return [dict(zip(("check", "found", "finding"), row, strict=True)) for row in rows]

    def tidy(self) -> pd.DataFrame:
        """One row per check that was made: check, found, finding."""
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
                    "copies": len(self.copies),
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
    )


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
        share = (other - own) / (_mean(scale) if scale.any() else 1.0)
    return np.asarray(np.clip(np.nan_to_num(share, nan=0.0), -1.0, 1.0))


def _partners(plan: FoldPlan) -> IntArray:
    """For every test row another one of its fit, or where it is alone of another fit."""
    if plan.n_test.max() == 1:
        return plan.rows[::-1]
    return np.concatenate([plan.test_rows(i)[::-1] for i in range(len(plan))])


def _one_sided(skill: FloatArray) -> float:
    from scipy.stats import t

    error = float(deviation(skill)) / np.sqrt(len(skill))
    if error == 0:
        return 0.0 if skill[0] > 0 else 1.0
    return float(t.sf(_mean(skill) / error, len(skill) - 1))


def _mean(values: FloatArray) -> float:
    return float((values / values.size).sum())  # no sum on the way leaves the range of numbers


def duplicated_rows(task: Task, plan: FoldPlan) -> IntArray:
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


def near_copies(task: Task) -> tuple[str, ...]:
    """Predictors that alone give the response, but for a hundredth of its variance or its rows.

    A response of numbers: by their correlation, of values or of ranks. Classes: by the most
    frequent class of each of few values, or where the classes follow one another in the order of
    the predictor. Nothing is said where chance could do that.

    Examples
    --------
    >>> y = [3., 1., 4., 1.5, 5., 9., 2., 6., 5.5, 3.5]
    >>> near_copies(Task.build("y ~ .", {"log_y": np.log(y), "x": range(10), "y": y}))
    ('log_y',)
    """
    names = task.formula.predictors
    response = task.response
    if not response.levels:
        return tuple(
            name for name in names if _correlated(task.frame[name].values, response.values)
        )
    counts = np.bincount(response.values)
    if _by_chance(counts[counts > 0]) * len(names) > RARE:
        return ()
    return tuple(name for name in names if _tells_classes(task, name))


def _correlated(x: NDArray[Any], y: FloatArray) -> bool:
    from scipy.stats import rankdata

    if x.dtype != np.float64 or len(y) < FEW or np.ptp(x) == 0 or np.ptp(y) == 0:
        return False
    with np.errstate(all="ignore"):  # squares of huge values overflow: then the ranks decide
        r = [np.corrcoef(a, b)[0, 1] for a, b in ((x, y), (rankdata(x), rankdata(y)))]
    return bool(np.nanmax(np.square(r)) > 1 - COPY)


def _by_chance(counts: IntArray) -> float:
    """How probable it is that the classes of rows in random order follow one another."""
    from scipy.special import gammaln

    orders = gammaln(counts + 1).sum() + gammaln(len(counts) + 1)
    return float(np.exp(orders - gammaln(counts.sum() + 1)))


def _tells_classes(task: Task, name: str) -> bool:
    import pandas as pd

    x, y, slack = task.frame[name].values, task.response.values, COPY * task.n
    values, levels = pd.factorize(x, sort=False)
    if 1 < len(levels) <= task.n / 5:
        return bool(task.n - pd.crosstab(values, y).max(axis=1).sum() <= slack)
    if x.dtype != np.float64:
        return False
    ties = np.random.default_rng(1).permutation(task.n)  # whatever the order of the rows tells
    ordered = y[np.lexsort((ties, x))]
    changes = np.count_nonzero(ordered[1:] != ordered[:-1])
    return bool(changes <= len(np.unique(y)) - 1 + slack)
