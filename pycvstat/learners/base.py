"""The learner protocol: a recipe, the recipe prepared for one task, and a fitted model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from pycvstat.data.response import Response
from pycvstat.data.task import Task
from pycvstat.errors import Advice, AsClasses, InputError
from pycvstat.errors.checks import AsTyped, memory_for
from pycvstat.errors.names import Answering, answering, defaults_of, unknown_argument
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.in_r import LearnerInR
from pycvstat.learners.missing import NA, spread as spread
from pycvstat.losses import Loss
from pycvstat.losses.predictions import Maker, Predictions as Predictions
from pycvstat.types import BoolArray, FloatArray, IntArray
from pycvstat.verbs import FitShown

Params = Mapping[str, Any]
Which = Sequence[int] | None
"""Positions of the candidates to fit; None for all."""

WITHOUT_WEIGHTS = "leave the weights out, or use WLS, GLM, RLM, QuantReg, Ridge or Lasso"


class Learner(AsTyped, metaclass=Answering):
    """A recipe for fitting: its parameters are the fields of a frozen dataclass."""

    title: ClassVar[str] = ""
    """What it is called in a sentence; `name` where that is empty."""
    works: ClassVar[tuple[str, ...]] = ()
    """Works that it goes back to: keys of the bibliography."""
    always_told: ClassVar[tuple[str, ...]] = ()
    """Parameters that are told also where they have their usual value."""
    simpler_when_larger: ClassVar[tuple[str, ...]] = ()
    """Parameters whose larger values make a simpler fit."""
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {}
    """Between which values parameters lie, where no grid can go further."""
    kinds: ClassVar[tuple[str, ...]] = ("continuous", "nominal", "ordinal")
    """The responses that it predicts."""
    uses_weights: ClassVar[bool] = False
    uses_offset: ClassVar[bool] = False
    takes_missing: ClassVar[bool] = False
    by_products: ClassVar[bool] = False
    """Whether a fit is the same to any rows with the same cross products."""
    thresholds: ClassVar[bool] = False  # sets coefficients to 0: differences can be unstable
    refuses_aliased: ClassVar[str] = ""
    """The R function that refuses columns which others span, where it does not leave them out."""
    software: ClassVar[tuple[str, ...]] = ()
    """Keys of the packages that compute its fits beside this one, in the bibliography."""
    scales: ClassVar[bool] = False
    """Whether its parameter `scale` says that predictors are scaled, which others do otherwise."""
    instead: ClassVar[Mapping[str, str]] = {}
    """What to write for a parameter that other packages have."""

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """One that is not given data, which go to what fits it."""
        if any(np.ndim(one) for one in given[:1] if hasattr(one, "shape")):
            name, kinds = cls.__name__, ", ".join(type(one).__name__ for one in given)
            fix = (
                f'cross_validate({name}(), "y ~ .", data, folds=10), or {name}().fit("y ~ .", data)'
            )
            raise InputError("a learner takes no data.", given=f"{name}({kinds})", fix=fix)
        return super().__new__(cls)

    @property
    def name(self) -> str:
        """The name shown in tables and reports."""
        return type(self).__name__

    @property
    def citation(self) -> tuple[str, ...]:
        """Keys of the works of this learner as it is set, and of the packages that compute it."""
        return (*self.works, *self.software)

    def params(self) -> dict[str, Any]:
        """The parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def with_params(self, /, **params: Any) -> Self:
        """The same learner with some parameters replaced.

        Raises
        ------
        InputError
            A name that is not a parameter of this learner; the nearest one is suggested.
        """
        self.check_names(params)
        return replace(self, **params) if params else self  # type: ignore[type-var]

    @property
    def beside(self) -> tuple[str, ...]:
        """Names by which it may mean columns of the data besides those of the formula."""
        return ()

    @property
    def for_classes(self) -> bool:
        """Whether it predicts classes only."""
        return "continuous" not in self.kinds

    @property
    def formulas(self) -> tuple[str | None, ...]:
        """The formulas it is fitted by; None stands for that of the data."""
        return (None,)

    @property
    def usual(self) -> dict[str, Any]:
        """The values that parameters have where nothing is said."""
        return defaults_of(type(self))

    def check_names(self, params: Params) -> None:
        """Refuse a name that is not a parameter of this learner."""
        known = self.params()
        for name in (name for name in params if name not in known):
            raise unknown_argument(self.name, name, sorted(known), self.instead, what="parameter")

    def own_grid(self, task: Task) -> Sequence[Params]:
        """The candidates that the data suggest, for ``tune(grid="path")``; none by default."""
        return ()

    def maker(self, task: Task) -> Maker:
        """What is known of it beside the losses that it makes."""
        return Maker(len(task.formula.predictors))

    @property
    def base(self) -> Learner:
        """The learner that is fitted in the end: this one, unless it tunes another."""
        return self

    @property
    def candidates(self) -> Sequence[Params]:
        """The candidates that it tunes over inside every fit; none, unless it tunes."""
        return ()

    def inside(self, loss: Loss, on_error: Literal["raise", "warn"]) -> Learner:
        """The learner as part of a procedure; one that tunes takes over loss and `on_error`."""
        return self

    def check(self, task: Task) -> None:
        """Refuse a task that this learner cannot work on."""
        response = task.response
        if response.kind not in self.kinds:
            levels = f" with levels {list(response.levels[:6])}"
            given = response.name + (levels if response.levels else ", which is numeric")
            problem = f"{self.name} cannot predict a {response.kind} response."
            raise InputError(problem, given=given, fix=_advice(response, self.kinds))
        if task.formula.offsets and not self.uses_offset:
            raise InputError(f"{self.name} knows no offset.", given=task.formula.text)
        if task.weights is not None and not self.uses_weights:
            raise InputError(f"{self.name} cannot use weights.", fix=WITHOUT_WEIGHTS)
        self.check_missing(task)

    def tell(self, task: Task) -> None:
        """Say once, before the fits, what is odd about this learner on these data."""

    def check_missing(self, task: Task) -> None:
        """Refuse rows with missing predictors, unless the learner takes them."""
        if not self.takes_missing and task.incomplete:
            fix = "na='omit' leaves these rows out"
            given = f"{task.incomplete} of {task.n} rows have some"
            raise InputError(f"{self.name} takes no missing predictors.", given=given, fix=fix)

    def in_r(self, task: Task) -> LearnerInR | None:
        """The R code that fits it, for cross-checks and scripts; None where there is none."""
        return None

    @abstractmethod
    def prepare(self, task: Task, candidates: Sequence[Params] = ({},)) -> Prepared:
        """Check the learner against the task and do once what all fits share."""

    @abstractmethod
    def fit_task(self, task: Task) -> Fitted:
        """Fit on all rows of a task."""

    @answering
    def fit(
        self,
        formula: str | None = None,
        data: Any = None,
        *,
        X: Any = None,
        y: Any = None,
        weights: Any = None,
        na: Literal["raise", "omit", "pass"] = "raise",
        levels: Literal["ICU", "C"] = "ICU",
    ) -> Any:
        """Fit on all rows.

        Parameters
        ----------
        formula : str, optional
        data : frame, optional
        X, y : optional
            Instead of formula and data.
        weights : str or sequence, optional
            A column of `data` by name, or one value per row; for learners that use weights.
        na : {"raise", "omit", "pass"}
            What to do with rows that have missing values; "pass" is for learners that take them.
        levels : {"ICU", "C"}
            How words are sorted that become a factor's levels: as R does in its usual UTF-8
            sessions, or by code point, as R does in the C locale.

        Returns
        -------
        Fitted
        """
        given = {"X": X, "y": y, "weights": weights, "na": na, "levels": levels}
        own = tuple(dict.fromkeys(text for text in self.formulas if text is not None))
        given |= {"beside": self.beside, "classes": self.for_classes, "own": own}
        task = Task.build(formula, data, **given)
        with memory_for(f"{task.n} rows of {task.formula.text}"):
            return self.fit_task(task)


class Candidates(tuple[dict[str, Any], ...]):
    """Parameters of candidates, with the learner that each makes: made, and so checked, once."""

    learner: Any
    learners: tuple[Any, ...]

    @classmethod
    def of(cls, learner: Any, params: Sequence[Params]) -> Candidates:
        """The candidates of a learner; those that were made of it stay as they are."""
        if isinstance(params, Candidates) and params.learner is learner:
            return params
        made = cls(params)  # type: ignore[arg-type]
        made.learner, made.learners = learner, tuple(learner.with_params(**c) for c in made)
        return made


class Prepared(ABC):
    """A learner prepared for one task: fits on some rows, predicts others.

    Attributes
    ----------
    task : Task
    candidates : tuple of mapping
    learners : tuple of Learner
        The learner with the parameters of each candidate, checked against the task.
    suspect : Learner or None
        The learner, where it might keep something from fit to fit: its first fit is then repeated
        after all others, and must predict the same.
    repeated : tuple of int
        The candidates of that fit.
    """

    candidates: tuple[Params, ...]
    learners: tuple[Any, ...] = ()
    suspect: Learner | None = None
    repeated: tuple[int, ...] = (0,)

    def __init__(self, learner: Any, task: Task, candidates: Sequence[Params] = ({},)) -> None:
        self.task, self.candidates = task, tuple(candidates)
        self.learners = Candidates.of(learner, candidates).learners
        for one in self.learners:
            one.check(task)
        learner.tell(task)

    def maker(self) -> Maker | None:
        """What is known of the learner beside its losses."""
        return self.learners[0].maker(self.task) if self.learners else None

    def chosen(self, which: Which) -> Sequence[Any]:
        """The learners of the candidates asked for."""
        return self.learners if which is None else [self.learners[i] for i in which]

    @abstractmethod
    def predict(
        self, train: IntArray, new: IntArray, which: Which = None, context: Any = None
    ) -> Predictions:
        """Fit each candidate on the rows `train` and predict the rows `new`.

        Parameters
        ----------
        train, new : int64 arrays
            Rows of the task, 0-based, ascending.
        which : sequence of int, optional
            Positions in `candidates` to fit; all by default.
        context : object, optional
            What `begin` drew for this fit.

        Returns
        -------
        Predictions
            One row per candidate asked for.
        """

    def predict_chunks(
        self, train: IntArray, new: IntArray, which: Which = None, context: Any = None
    ) -> Iterator[tuple[slice, Predictions]]:
        """`predict` in pieces of `new`, for learners that can keep memory small that way."""
        yield slice(None), self.predict(train, new, which, context)

    def begin(self, plan: FoldPlan, random: Any) -> Sequence[Any]:
        """Draw whatever the fits of `plan` need from the stream `random`, fit by fit.

        Called once before any fit is dispatched, so that results cannot depend on the number of
        workers. One entry per fit, and last one for a fit to all rows; None from learners that
        draw nothing.
        """
        return (None,) * (len(plan) + 1)

    def left_out(self, labels: IntArray) -> tuple[FloatArray, FloatArray] | None:
        """Where a closed form has them, residuals (C, n) of fold labels (C, n) from 0, and what
        Burman's adjustment takes from each pooled mean square (C,)."""
        return None

    def predict_plan(self, plan: FoldPlan) -> Predictions | None:
        """All fits of the plan at once, where one factorisation gives them; else None.

        The columns are in the order of ``plan.rows``; the detail, if any, has an entry per fit:
        what the learners report of it.
        """
        return None


class Fitted(FitShown, ABC):
    """A fitted model.

    Attributes
    ----------
    learner : Learner
    task : Task
        The training rows.
    """

    counterpart: ClassVar[str] = "procedures_in_r.fit"

    learner: Any
    task: Task

    def __repr__(self) -> str:
        return f"{self.learner!r} fitted to {self.task.n} rows of {self.task.formula.text}"

    @abstractmethod
    def answers(self, new: Any, na: NA) -> tuple[NDArray[Any], FloatArray | None, BoolArray]:
        """Predict the rows without a missing predictor.

        Returns
        -------
        values : (m,) numbers or class codes
        prob : (m, L) class probabilities, or None
        known : (n,) bool
            Which m of the new rows they are.
        """

    @answering
    def predict(self, new: Any, na: NA = "pass") -> NDArray[Any]:
        """Predict new rows: numbers, or class labels.

        Parameters
        ----------
        new : frame
            With the columns of the formula's right side.
        na : {"pass", "raise"}
            Rows with a missing predictor give NaN (None among labels) with a warning, or an
            error.

        Returns
        -------
        (n,) array
            As in R: ``predict(fit, new, type = "response")``; ``predict`` of a kknn leaves rows
            with NA out.
        """
        values, _, known = self.answers(new, na)
        if not self.task.response.levels:
            return spread(values, known, np.nan)
        return spread(self.task.response.labels(values), known, None)

    @answering
    def predict_proba(self, new: Any, na: NA = "pass") -> FloatArray:
        """The class probabilities of new rows (n, L), classes in the order of the levels."""
        _, prob, known = self.answers(new, na)
        if prob is None:
            problem = f"{self.learner.name} gives no class probabilities."
            fix = "use predict()"
            raise InputError(problem, given=f"a {self.task.response.kind} response", fix=fix)
        return spread(prob, known, np.nan)


def _advice(response: Response, kinds: Sequence[str]) -> Advice:
    from pycvstat.learners.multinomial import MNLogit

    if "continuous" in kinds and response.levels:
        return Advice("use a classifier such as {}, or make the response numeric", MNLogit())
    return Advice("make it categorical: {}", AsClasses(response.name))
