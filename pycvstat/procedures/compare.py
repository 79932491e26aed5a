"""Several learners on identical folds: nested K1-K2 for J methods, benchmarks, paired tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import pandas as pd

from pycvstat.data.task import Task
from pycvstat.errors import InputError, warn
from pycvstat.errors.checks import check_word, is_number, shown
from pycvstat.errors.names import answering
from pycvstat.folds import Holdout, Subsampling
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.from_table import usual_row
from pycvstat.intervals.paired import Paired
from pycvstat.learners.models import named
from pycvstat.losses import LossTable
from pycvstat.procedures.cross_validate import CVResult, cross_validated
from pycvstat.procedures.engine import OnError
from pycvstat.procedures.setting import Arguments, beside, one_row, read_setting
from pycvstat.procedures.stability import Stability, stability
from pycvstat.procedures.tuned import Tuned
from pycvstat.rmath.random import Random
from pycvstat.verbs import CompareVerbs


@dataclass(frozen=True, eq=False)
class Comparison(CompareVerbs):
    """Cross-validated risks of several learners on the same folds.

    Parameters
    ----------
    results : dict of CVResult
        By the name of the method.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.compare({"ols": pcv.OLS(), "mean": pcv.Mean()}, "mpg ~ wt", pcv.data.mtcars(),
    ...                      folds=pcv.Blocks(4))
    >>> result
    Comparison('ols', 'mean': best 'ols')
    >>> result["ols"].estimate == result.estimate["ols"]
    True
    """

    view: ClassVar[str] = "comparison"
    scripted: ClassVar[bool] = True
    more_tables: ClassVar[tuple[str, ...]] = ("folds", "losses", "pairs")

    results: dict[str, CVResult]

    def __repr__(self) -> str:
        return f"Comparison({', '.join(map(repr, self.results))}: best {self.best!r})"

    def __getitem__(self, name: str) -> CVResult:
        self._named(name)
        return self.results[name]

    @property
    def tables(self) -> dict[str, LossTable]:
        """The losses by method."""
        return {name: r.table for name, r in self.results.items()}

    @property
    def _first(self) -> CVResult:
        return next(iter(self.results.values()))

    @property
    def plan(self) -> FoldPlan:
        """The fold plan, the same for all."""
        return self._first.plan

    @property
    def task(self) -> Task:
        """The data."""
        return self._first.task

    @property
    def loss(self) -> str:
        """The name of the loss, the same for all."""
        return self._first.loss

    @property
    def estimate(self) -> dict[str, float]:
        """Mean of fold means by method."""
        return {name: r.estimate for name, r in self.results.items()}

    @property
    def pooled(self) -> dict[str, float]:
        """Mean over observations by method."""
        return {name: r.pooled for name, r in self.results.items()}

    @property
    def best(self) -> str:
        """The method with the smallest estimate (ties to the first)."""
        usable = {n: e for n, e in self.estimate.items() if e == e}
        if not usable:
            raise InputError("every method failed in some fold.", given=", ".join(self.results))
        return min(usable, key=lambda name: usable[name])

    @answering
    def stability(self, draws: int = 200, random: Random = 1) -> Stability:
        """How much losses and differences hang on one training row: `draws` refits of each."""
        learners = {name: one.learner for name, one in self.results.items()}
        return stability(learners, self.tables, self.task, draws, random)

    @answering
    def paired(self, a: str, b: str, **asked: Any) -> Paired:
        """Difference of two methods (a minus b) on identical folds: interval and p value.

        Warns where both set coefficients to 0 by a threshold, as lassos do: their differences are
        relatively unstable, so that intervals and tests can fail; `stability` measures it.

        Parameters
        ----------
        a, b : str
        **asked
            method, level, metric, as of an interval.
        """
        found = super().paired(a, b, **asked)
        if all(self.results[name].learner.base.thresholds for name in (a, b)):
            warn(
                "differences of two learners that set coefficients to 0 by a threshold can be "
                "relatively unstable: their intervals and p values can be wrong (Bayle, Janson "
                "and Mackey 2025).",
                given=f"{a} and {b}",
                fix="stability() measures what a single training row changes",
            )
        return found

    @answering
    def interval(
        self, name: str | None = None, *, method: str = "auto", level: float = 0.95, **options: Any
    ) -> Any:
        """The interval of one method, or a dict of all; options as of its own result."""
        if name is not None:
            return self[name].interval(method, level, **options)
        return {n: r.interval(method, level, **options) for n, r in self.results.items()}

    def tidy(self, what: str = "estimate", level: float = 0.95) -> pd.DataFrame:
        """One row per method; "folds": per method and fold; "pairs": per pair.

        Limits stand beside their level, interval (the method of the limits), target and notes.
        """
        check_word("what", what, ("estimate", "folds", "losses", "pairs"))
        if what == "pairs":
            return self.pairs(level=level)
        if what in ("folds", "losses"):
            parts = {name: r.tidy(what) for name, r in self.results.items()}
            return pd.concat(parts, names=["method"]).reset_index(level=0).reset_index(drop=True)
        rows = [
            {"method": name, "learner": r.learner.name}
            | _renamed(usual_row(r.table, level, r.interval))
            | {"pooled": r.pooled, "failed": len(r.failures), "best": name == self.best}
            for name, r in self.results.items()
        ]
        return pd.DataFrame(rows)

    def glance(self) -> pd.DataFrame:
        """One row: the best method, sizes, folds."""
        best = self.best
        row = {
            "methods": len(self.results),
            "best": best,
            "estimate": self.estimate[best],
            "pooled": self.pooled[best],
            "loss": self.loss,
        }
        made = one_row(row, self.task, self.plan, self._first.seed, fits=len(self.plan))
        return made.assign(fingerprint=self.plan.fingerprint)

    def augment(self) -> pd.DataFrame:
        """The data with one column of out-of-fold predictions per method, as `predictions`."""
        found = {f".prediction_{name}": one.predictions for name, one in self.results.items()}
        return beside(self.task.frame.to_pandas(), found)


def _renamed(row: dict[str, Any]) -> dict[str, Any]:
    return {("interval" if key == "method" else key): value for key, value in row.items()}


@answering
def compare(
    learners: Mapping[str, Any] | Sequence[Any],
    formula: str | None = None,
    data: Any = None,
    *,
    folds: Any,
    loss: Any = None,
    on_error: OnError = "raise",
    **arguments: Unpack[Arguments],
) -> Comparison:
    """Cross-validate several learners on the same folds.

    With tuned learners this is nested K1-K2 cross-validation for J methods: the same outer folds,
    and inner folds drawn from the same state, for every method.

    Parameters
    ----------
    learners : mapping of name to learner
        Each may have a formula of its own, by `Model`; learners in a list are called as they are
        typed.
    formula, data, folds, loss, on_error, **arguments
        As in `cross_validate`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import pycvstat as pcv
    >>> data = pcv.data.mtcars()
    >>> comparison = pcv.compare({"ols": pcv.OLS(), "mean": pcv.Mean()}, "mpg ~ wt + hp", data,
    ...                          folds=pcv.KFold(10, random=1))
    >>> comparison.best
    'ols'
    """
    read = named(learners)
    setting = read_setting(list(read.values()), formula, data, folds, loss, arguments, on_error)
    # before any runs: what a user's code does must not change what a checkpoint is about
    identities = {name: setting.identity(learner) for name, learner in read.items()}
    results = {}
    for name, learner in read.items():
        label = f"cross-validating {name}"
        results[name] = cross_validated(setting, learner, label, identity=identities[name])
    return Comparison(results)


@answering
def benchmark(
    methods: Mapping[str, Any] | Sequence[Any],
    formula: str | None = None,
    data: Any = None,
    *,
    validation: float = 0.2,
    test: float = 0.2,
    times: int = 1,
    random: Any = None,
    loss: Any = None,
    **arguments: Unpack[Arguments],
) -> Comparison:
    """Compare methods by train, validation and test sets, over random splits.

    1. Split the data into training, validation and test rows.
    2. For each method and candidate, train on the training rows and measure the error on the
       validation rows.
    3. For each method pick the candidate with the smallest error.
    4. Retrain on training and validation rows and compare the methods on the test rows.

    Repeat `times` times and average.

    In the terms of this package it is `compare` of tuned learners over subsampling, with a
    development set inside; all methods see the same splits.

    Parameters
    ----------
    methods : mapping of name to learner or (learner, grid)
        A learner without a grid has nothing to tune: it is trained on training and validation
        rows. Each may have a formula of its own, by `Model`.
    formula, data, loss, **arguments
        As in `cross_validate`.
    validation, test : float
        Shares of all rows.
    times : int
        Number of random splits.
    random : int, optional
        R's seed.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.benchmark(
    ...     {"knn": (pcv.KNN(kernel="rectangular"), {"k": range(1, 8)}), "ols": pcv.OLS()},
    ...     "mpg ~ wt + hp", pcv.data.mtcars(), times=5, random=1)
    >>> result.plan.recipe
    'Subsampling(5, train=0.8, random=1)'
    """
    for name, share in (("validation", validation), ("test", test)):
        if not (is_number(share) and 0 < share < 1):
            words = f"the share of {name} rows must lie between 0 and 1."
            raise InputError(words, given=shown(share))
    if validation + test >= 1:
        raise InputError(
            "no training rows are left.", given=f"validation={validation}, test={test}"
        )
    development = Holdout(test=validation / (1 - test))

    def learner(method: Any) -> Any:
        if not isinstance(method, tuple):
            return method
        if len(method) != 2:
            raise InputError(
                "a method is a learner, or a learner and its grid.",
                given=f"a tuple of {len(method)}",
                fix='{"knn": (KNN(), {"k": range(1, 31)})}',
            )
        return Tuned(method[0], method[1], inner=development)

    learners: Any = methods
    if isinstance(methods, Mapping):
        learners = {name: learner(method) for name, method in methods.items()}
    elif isinstance(methods, Sequence) and not isinstance(methods, str):
        learners = [learner(method) for method in methods]
    folds = Subsampling(times, train=round(1 - test, 12), random=random)
    return compare(learners, formula, data, folds=folds, loss=loss, **arguments)
