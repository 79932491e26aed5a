"""cv: criteria of out-of-fold predictions, their adjustment and interval, by cv's own folds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

import numpy as np

from pycvstat.errors import InputError
from pycvstat.errors.checks import check_level, check_word, is_whole
from pycvstat.errors.names import answering
from pycvstat.folds import RFolds
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.ols import OLS
from pycvstat.r.boot.validation import measured
from pycvstat.r.cv.criteria import Criterion, mse
from pycvstat.r.cv.models import (
    ModList,
    Selection,
    Working,
    selectModelList,
    selectStepAIC,
    working,
)
from pycvstat.r.cv.results import Cv, CvList, CvModList
from pycvstat.r.session import set_seed, stream
from pycvstat.r.values import whole
from pycvstat.types import FloatArray, IntArray

INTERVAL_FROM = 400  # rows
Method = Literal["auto", "hatvalues", "Woodbury", "naive"]


@answering
def cv(
    model: Any,
    data: Any = None,
    criterion: Callable[[FloatArray, FloatArray], Any] = mse,
    k: int | Literal["loo", "n"] = 10,
    reps: int = 1,
    seed: int | None = None,
    confint: bool | None = None,
    level: float = 0.95,
    method: Method = "auto",
    meta: bool = False,
    working_model: Any = None,
    **procedure: Any,
) -> Any:
    """Cross-validate a fitted model, several, or a procedure that selects one.

    Parameters
    ----------
    model : fitted model, `models`, `selectModelList` or `selectStepAIC`
        Of `OLS` or `WLS` (in R an lm), `GLM` or `Logit` (a glm); or a procedure, with the models
        or the model that it works on as `working_model`.
    data : frame, optional
        Those that the models were fitted to.
    criterion : function of y and yhat
        `mse`, `rmse`, `medAbsErr`, `BayesRule`, or one of your own. Classes are 0 and 1.
    k : int, "loo" or "n"
    reps : int
        How often, each with a seed that the one before leads to.
    seed : int, optional
        Drawn from the session where there is none, and kept in the result.
    confint : bool, optional
        Whether to give the interval around the adjusted criterion; from 400 rows on by default.
    level : float
    method : {"auto", "hatvalues", "Woodbury", "naive"}
        How a linear model is fitted again; the numbers differ by rounding. As in R leave-one-out
        by hat values, the default, has no adjustment.
    meta : bool
        Cross-validate the choice among `models` by cross-validation.
    working_model : fitted model or `models`, optional
    **procedure
        Arguments of the procedure.

    Returns
    -------
    Cv, CvList for several replications, or CvModList for `models`

    Notes
    -----
    As in R: ``cv(model, data, criterion, k, reps, seed, ...)``. Inside `selectModelList` R calls
    ``set.seed(FALSE)`` before every inner cross-validation, which is seed 0, and so is it here.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> cars = pcv.data.mtcars()
    >>> fits = [pcv.OLS().fit(f"mpg ~ poly(wt, {d})", cars) for d in (1, 2, 3)]
    >>> print(r.cv.cv(r.cv.models(*fits), seed=2120, meta=True).summary(digits=5))
    10-Fold Cross Validation
    criterion: mse
    cross-validation criterion = 7.9597
    bias-adjusted cross-validation criterion = 9.0856
    full-sample criterion = 7.5837
    """
    check_word("method", method, ("auto", "hatvalues", "Woodbury", "naive"))
    how = How(criterion, k, reps, confint, check_level(level))
    if isinstance(model, ModList) and not meta:
        shared = drawn() if seed is None and k not in ("loo", "n") else seed
        return CvModList(
            {n: how.cross_validated(working(data, m), shared, method) for n, m in model.items()}
        )
    if isinstance(model, ModList):
        model, working_model = selectModelList, model
    if model is selectModelList or model is selectStepAIC:
        return how.of_procedure(model, working_model, data, seed, procedure)
    return how.cross_validated(working(data, model), seed, method)


def _with_scope(model: Working, data: Any, more: dict[str, Any]) -> dict[str, Any]:
    """The rows with all columns of a scope, which the formula of the model need not name."""
    if more.get("scope") is None:
        return more
    wide = model.learner.fit(more["scope"], model.task.frame if data is None else data)
    return {**more, "scope": working(data, wide)}


def drawn() -> int:
    """A seed from the session, as cv draws it."""
    return int(stream().sample(1_000_000, 1)[0])


@dataclass(frozen=True, eq=False)
class How:
    """How to cross-validate."""

    criterion: Criterion
    k: Any
    reps: int = 1
    confint: bool | None = None
    level: float = 0.95

    def cross_validated(self, model: Working, seed: int | None, method: Method = "auto") -> Any:
        """A model, refitted in every fold."""
        linear, n = isinstance(model.learner, OLS), model.task.n
        loo = self.folds(n) == n
        if not linear and method not in ("auto", "naive"):
            raise InputError(
                f"method={method!r} of a glm is approximate.", fix='method="auto" refits the model'
            )
        if method == "hatvalues" and not loo:
            raise InputError("method='hatvalues' is for leave-one-out.", given=f"k={self.k!r}")
        if linear and loo and method in ("auto", "hatvalues"):
            self.check_reps()
            yhat = model.left_out(self.plan(n))
            crit = measured(self.criterion)(model.y, yhat)
            none = np.empty(0)
            return Cv(crit, None, None, None, "n", None, "hatvalues", self.name, none, self.level)
        everything = np.arange(n)
        refit = model.updated if method == "naive" else model.refit()
        full = lambda: measured(self.criterion)(model.y, model.updated(everything))  # noqa: E731
        how = "" if method == "naive" or (not linear and method == "auto") else "Woodbury"
        how = how if linear else "exact"
        return self.repeated(model.y, seed, lambda train: (refit(train), ""), full, how)

    def of_procedure(
        self, procedure: Any, given: Any, data: Any, seed: int | None, more: dict[str, Any]
    ) -> Any:
        """A procedure that selects, in every fold and on all rows."""
        several = procedure is selectModelList
        if several != isinstance(given, ModList):
            problem = f"{procedure.__name__} works on {'models(...)' if several else 'one model'}."
            fix = f"cv({procedure.__name__}, data, working_model=...)"
            raise InputError(problem, given=f"working_model={type(given).__name__}", fix=fix)
        if several:
            of: Any = {name: working(data, fit) for name, fit in given.items()}
            first, own = next(iter(of.values())), {"k": self.k, **more}
        else:
            first = of = working(data, given)
            own = _with_scope(of, data, more)
        y = first.y

        def selected(train: IntArray) -> tuple[FloatArray, str]:
            found: Selection = procedure(of, train, self.criterion, **own)
            return found.yhat, found.selected

        names: list[str] = []

        def full() -> float:
            found: Selection = procedure(of, None, self.criterion, **own)
            names.append(found.selected)
            return found.criterion

        return self.repeated(y, seed, selected, full, "", names)

    def repeated(
        self,
        y: FloatArray,
        seed: int | None,
        refit: Callable[[IntArray], tuple[FloatArray, str]],
        full: Callable[[], float],
        method: str,
        names: list[str] | None = None,
    ) -> Any:
        """All replications; every one after the first draws its seed where the last one ended."""
        self.check_reps()
        seeds = [seed, *[None] * (self.reps - 1)]
        found = [self.once(y, own, refit, full, method, names) for own in seeds]
        return found[0] if self.reps == 1 else CvList(found[::-1])

    def once(
        self,
        y: FloatArray,
        seed: int | None,
        refit: Callable[[IntArray], tuple[FloatArray, str]],
        full: Callable[[], float],
        method: str,
        names: list[str] | None,
    ) -> Cv:
        """One replication."""
        n, measure = len(y), measured(self.criterion)
        k = self.folds(n)
        if k < n:
            seed = drawn() if seed is None else seed
            set_seed(seed)
        plan = self.plan(n)
        fits = [refit(train) for train, _ in plan]
        yhat = np.empty(n)
        for (_, test), (every, _) in zip(plan, fits, strict=True):
            yhat[test] = every[test]
        crit, on_its_own = measure(y, yhat), full()
        casewise = getattr(self.criterion, "casewise", None)
        adjusted, limits, se = None, None, np.nan
        if casewise is not None:
            on_all = np.array([measure(y, every) for every, _ in fits])
            adjusted = crit + on_its_own - float(plan.n_test @ on_all) / n
            se = float(np.std(casewise(y, yhat).astype(np.float64), ddof=1) / np.sqrt(n))
            if n >= INTERVAL_FROM if self.confint is None else self.confint:
                reach = NormalDist().inv_cdf(0.5 + self.level / 2) * se
                limits = adjusted - reach, adjusted + reach
        by_fold = np.array([measure(y[test], yhat[test]) for _, test in plan])
        selected = () if names is None else (*(told for _, told in fits), names[-1])
        ends = method, self.name, by_fold, self.level, se, selected
        return Cv(crit, adjusted, on_its_own, limits, "n" if k == n else k,
                  None if k == n else seed, *ends)  # fmt: skip

    @property
    def name(self) -> str:
        """What the criterion is called."""
        return str(getattr(self.criterion, "__name__", "criterion"))

    def folds(self, n: int) -> int:
        """The number of folds."""
        k = n if self.k in ("loo", "n") else self.k
        if not is_whole(k) or not 2 <= k <= n:
            raise InputError(
                "k must be an integer between 2 and n, or 'n' or 'loo'.", given=f"{self.k!r}, n={n}"
            )
        return int(k)

    def plan(self, n: int) -> FoldPlan:
        """The folds, drawn from the session."""
        return RFolds("cv", self.folds(n)).plan(n, random=stream())

    def check_reps(self) -> None:
        """Refuse replications that are no number, or all the same."""
        if whole(self.reps, "reps", 1) > 1 and self.k in ("loo", "n"):
            raise InputError("reps should not be > 1 for n-fold CV.", given=f"reps={self.reps}")
