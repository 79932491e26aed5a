"""Stepwise selection of terms by AIC or BIC, as R's step goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import pandas as pd

from pycvstat.data.task import Task
from pycvstat.errors import FitError, InputError
from pycvstat.errors.checks import check_word
from pycvstat.learners import as_learner
from pycvstat.learners.base import Learner
from pycvstat.learners.design import DesignLearner, FittedDesign
from pycvstat.learners.in_r import LearnerInR
from pycvstat.learners.solution import (
    FitReport,
    Likelihood,
    Outcome,
    Sample,
    Selected,
    Solution,
    Step,
    Terms,
)
from pycvstat.types import BoolArray, FloatArray

Direction = Literal["both", "forward", "backward"]
Criterion = Literal["aic", "bic"]
CRITERIA = {"aic": "akaike1974", "bic": "schwarz1978"}
"""The criteria and their origins."""
WORSE = 1e-7  # a step that raises the criterion by so much is the last; R's number
MOST = 1000  # steps; R's number


@dataclass(frozen=True, slots=True)
class Scope:
    """What may be taken away and added.

    Parameters
    ----------
    variables : sequence of frozenset
        What each term multiplies.
    start : tuple of int
    backward, forward : bool
    """

    variables: Sequence[frozenset[int]]
    start: Terms
    backward: bool
    forward: bool

    def drops(self, terms: Terms) -> Terms:
        """Terms that are part of no other term of the model."""
        used = [self.variables[i] for i in terms]
        return tuple(i for i in terms if not any(self.variables[i] < other for other in used))

    def adds(self, terms: Terms) -> Terms:
        """Terms that the model lacks, without those of which a part is lacking too."""
        lacking = [i for i in range(len(self.variables)) if i not in terms]
        parts = [self.variables[i] for i in lacking]
        return tuple(i for i in lacking if not any(part < self.variables[i] for part in parts))

    def without(self, terms: Terms, i: int) -> Terms:
        """The model without a term."""
        return tuple(j for j in terms if j != i)

    def with_(self, terms: Terms, i: int) -> Terms:
        """The model with one more term, last among those of its order."""
        return tuple(sorted((*terms, i), key=lambda j: len(self.variables[j])))


def walk(
    scope: Scope, at: Callable[[Terms], Likelihood], labels: Sequence[str], k: float
) -> list[Step]:
    """From model to model, to the neighbour with the smallest criterion, until there is none.

    As in R: ``step()``: terms that cost no degree of freedom go first; where the dispersion is
    estimated, neighbours are compared at that of the model itself, so that a step can turn out to
    raise the criterion: it is the last.

    Parameters
    ----------
    scope : Scope
    at : function of the terms
        The likelihood of the model with these.
    labels : sequence of str
    k : float
        The price of a coefficient.
    """
    terms = scope.start
    here = at(terms)
    found = [_step("", terms, here, k)]
    if not np.isfinite(found[0].criterion):
        raise FitError(
            "the criterion of the first model is not finite, so no step can be compared with it.",
            given=f"deviance {here.deviance:g} of {here.n} rows, {here.rank} coefficients",
            fix="the terms fit these rows perfectly: give fewer terms, or more rows",
        )
    while len(found) <= MOST:
        change, following = _best(scope, terms, at, labels, k)
        if not change:
            break
        terms = following
        found.append(_step(change, terms, at(terms), k))
        if found[-1].criterion >= found[-2].criterion + WORSE:
            break
    return found


def _step(change: str, terms: Terms, at: Likelihood, k: float) -> Step:
    return Step(change, terms, at.deviance, at.df_residual, at.criterion(k))


def _best(
    scope: Scope, terms: Terms, at: Callable[[Terms], Likelihood], labels: Sequence[str], k: float
) -> tuple[str, Terms]:
    """The best neighbour, and what makes it; no change where the model is the best itself."""
    here = at(terms)
    moves = [(f"- {labels[i]}", scope.without(terms, i)) for i in scope.drops(terms)]
    moves = moves if scope.backward else []
    free = [move for move in moves if at(move[1]).rank == here.rank]
    if free:
        return free[-1]
    if scope.forward:
        added = [(f"+ {labels[i]}", scope.with_(terms, i)) for i in scope.adds(terms)]
        moves = moves + [move for move in added if at(move[1]).rank != here.rank]
    values = [here.beside(other, k) for other in (here, *(at(move[1]) for move in moves))]
    best = int(np.argsort(values, kind="stable")[0])
    return moves[best - 1] if best else ("", terms)


@dataclass(frozen=True, eq=False)
class StepwiseSolution(Solution):
    """The solution of the selected columns."""

    inner: Solution
    kept: BoolArray
    report: FitReport

    def of(self, sample: Sample) -> Sample:
        """The sample with the selected columns."""
        return chosen_columns(sample, self.kept)

    def predict(self, X: FloatArray, offset: FloatArray | None) -> Outcome:
        """Predict by the selected columns."""
        return self.inner.predict(X[:, self.kept], offset)

    def results(self, sample: Sample, **covariance: Any) -> Any:
        """Of the model with the selected terms, as if it had been given."""
        return self.inner.results(self.of(sample), **covariance)

    def table(self, sample: Sample, level: float) -> pd.DataFrame:
        """The coefficients of the selected terms, as if they had been given."""
        return self.inner.table(self.of(sample), level)


def chosen_columns(sample: Sample, kept: BoolArray) -> Sample:
    """The sample with some of its columns."""
    return replace(sample, X=sample.X[:, kept], columns=sample.named(kept))


class FittedStepwise(FittedDesign):
    """A fit to selected terms.

    Standard errors, tests and intervals are those of the last model as if nothing had been
    selected: too small.
    """

    report: Selected

    @property
    def formula(self) -> str:
        """The formula of the selected terms."""
        return written(self.task, self.report.steps[-1].terms)

    @cached_property
    def path(self) -> pd.DataFrame:
        """One row per step.

        As in R: ``step(...)$anova``, which does not list a last step that raised the criterion.
        """
        steps = self.report.steps
        df, deviance = (
            np.array([getattr(step, name) for step in steps], dtype=np.float64)
            for name in ("df_residual", "deviance")
        )
        return pd.DataFrame(
            {
                "step": [step.change for step in steps],
                "df": np.diff(df, prepend=np.nan),
                "deviance": np.abs(np.diff(deviance, prepend=np.nan)),
                "df_residual": df,
                "residual_deviance": deviance,
                self.learner.criterion: [step.criterion for step in steps],
            }
        )


def written(task: Task, terms: Terms) -> str:
    """The formula of a task with some of its terms, as R writes it."""
    of = task.formula
    return of.written([of.labels[i] for i in terms])


@dataclass(frozen=True, repr=False)
class Stepwise(DesignLearner):
    """A regression whose terms are selected step by step, by AIC or BIC.

    From a model one goes to the best of those with one term less or one term more, until none is
    better; interactions enter after and leave before the terms that they contain. The selection
    is part of the fit, so inside folds it is made anew on the training rows: cross-validation of a
    stepwise regression is that of the whole procedure, and is usually far from the
    cross-validation of the formula that it selected on all rows.

    Parameters
    ----------
    learner : OLS, WLS, GLM or Logit
    direction : {"both", "backward", "forward"}
        "both" and "backward" start from the whole formula, "forward" from its intercept alone.
    criterion : {"aic", "bic"}
        The price of a coefficient: 2, or the logarithm of the number of training rows.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> fitted = pcv.Stepwise(pcv.OLS(), "both").fit("mpg ~ .", pcv.data.mtcars())
    >>> fitted.formula
    'mpg ~ wt + qsec + am'
    >>> fitted.path[["step", "aic"]].round(2).tail(3).values.tolist()
    [['- drat', 62.16], ['- disp', 61.52], ['- hp', 61.31]]

    As in R: ``step(lm(formula, data), direction = "both")``; forward ``step(lm(y ~ 1, data),
    formula, direction = "forward")``; BIC with ``k = log(n)``.
    """

    fitted_class: ClassVar[type[FittedDesign]] = FittedStepwise
    always_told: ClassVar[tuple[str, ...]] = ("direction", "criterion")
    kinds: ClassVar[tuple[str, ...]] = ("continuous", "nominal")

    learner: Learner
    direction: Direction = "both"
    criterion: Criterion = "aic"

    def __post_init__(self) -> None:
        object.__setattr__(self, "learner", as_learner(self.learner))
        check_word("direction", self.direction, get_args(Direction))
        check_word("criterion", self.criterion, get_args(Criterion))
        if not (isinstance(self.learner, DesignLearner) and self.learner.has_likelihood):
            problem = "stepwise selection needs a regression with a likelihood."
            fix = "use OLS, WLS, Logit, or GLM with a family whose parameters are all known"
            raise InputError(problem, given=repr(self.learner), fix=fix)

    @property
    def regression(self) -> Any:
        """The learner that fits the selected terms."""
        return self.learner

    @property
    def name(self) -> str:
        """The regression, stepwise."""
        return f"stepwise {repr(self.learner).removesuffix('()')}"

    @property
    def citation(self) -> tuple[str, ...]:
        """The origin of the criterion, and what the regression goes back to."""
        return (CRITERIA[self.criterion], *self.learner.citation)

    @property
    def for_classes(self) -> bool:
        """Whether the regression predicts classes only."""
        return self.learner.for_classes

    def check(self, task: Task) -> None:
        """What the regression refuses; and terms whose columns depend on which others there are."""
        self.learner.check(task)
        kinds = [task.frame[name].kind for name in task.formula.predictors]
        words = sum(kind not in ("numeric", "logical") for kind in kinds)
        if not task.formula.intercept and words > 1:
            raise InputError(
                "without an intercept the columns of a factor depend on which others there are.",
                given=task.formula.text,
                fix="keep the intercept",
            )

    def solve(self, sample: Sample) -> Solution:
        """Select the terms on a sample, and fit them."""
        solved: dict[frozenset[int], tuple[Likelihood, BoolArray, Solution]] = {}

        def model(terms: Terms) -> tuple[Likelihood, BoolArray, Solution]:
            key = frozenset(terms)
            if key not in solved:
                assert sample.assign is not None
                kept = np.isin(sample.assign, [0, *(i + 1 for i in terms)])
                own = chosen_columns(sample, kept)
                solution = self.regression.solve(own)
                solved[key] = solution.likelihood(own), kept, solution
            return solved[key]

        every = tuple(range(len(sample.terms)))
        start = () if self.direction == "forward" else every
        scope = Scope(
            [frozenset(term.variables) for term in sample.terms],
            start,
            self.direction != "forward",
            self.direction != "backward",
        )
        labels = [term.label for term in sample.terms]
        k = 2.0 if self.criterion == "aic" else float(np.log((sample.prior > 0).sum()))
        steps = walk(scope, lambda terms: model(terms)[0], labels, k)
        _, kept, solution = model(steps[-1].terms)
        told = solution.report
        selected = tuple(labels[i] for i in sorted(steps[-1].terms))
        parts = told.aliased, told.converged, told.iterations, told.notes, tuple(steps), selected
        return StepwiseSolution(solution, kept, Selected(*parts))

    def in_r(self, task: Task) -> LearnerInR | None:
        """The R code that fits it."""
        found: LearnerInR | None = self.regression.in_r(task)
        if found is None:
            return None
        own = {"direction": self.direction, "bic": self.criterion == "bic"}
        says = f"step of {found.says}"
        learner = f"pcv_step({found.learner})"
        params = {**found.params, **own}
        return replace(found, learner=learner, says=says, params=params, course=())
