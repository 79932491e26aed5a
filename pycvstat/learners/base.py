"""The learner protocol: a recipe, the recipe prepared for one task, and a fitted model."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import InputError
from pycvstat.losses.predictions import Predictions
from pycvstat.verbs import Checked

if TYPE_CHECKING:
    from pycvstat.folds.plan import FoldPlan
    from pycvstat.task import Task

Params = Mapping[str, Any]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

__all__ = ["Fitted", "Learner", "Params", "Predictions", "Prepared"]


class Learner(ABC):
    """A recipe for fitting: its parameters are the fields of a frozen dataclass."""

    @property
    def name(self) -> str:
        """The name shown in tables and reports."""
        return type(self).__name__

    def params(self) -> dict[str, Any]:
        """The parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def with_params(self, **params: Any) -> Self:
        """The same learner with some parameters replaced.

        Raises
        ------
        InputError
            A name that is not a parameter of this learner; the nearest one is suggested.
        """
        known = self.params()
        for name in params:
            if name not in known:
                near = difflib.get_close_matches(name, list(known), n=1)
                raise InputError(
                    f"{self.name} has no parameter {name!r}.",
                    given=name,
                    fix=f"did you mean {near[0]!r}?"
                    if near
                    else f"use one of {sorted(known)}"
                    if known
                    else "leave the grid out: it has none",
                )
        return replace(self, **params)  # type: ignore[type-var]

    @abstractmethod
    def prepare(self, task: Task, candidates: Sequence[Params] = ({},)) -> Prepared:
        """Check the learner against the task and do once what all fits share."""

    @abstractmethod
    def fit_task(self, task: Task) -> Fitted:
        """Fit on all rows of a task."""

    def fit(
        self, formula: str | None = None, data: Any = None, *, X: Any = None, y: Any = None
    ) -> Fitted:
        """Fit on all rows of the data, given as formula and frame or as X and y."""
        from pycvstat.task import Task

        return self.fit_task(Task.build(formula, data, X=X, y=y))


class Prepared(ABC):
    """A learner prepared for one task: fits on some rows, predicts others."""

    candidates: tuple[Params, ...]

    @abstractmethod
    def predict(
        self,
        train: IntArray,
        new: IntArray,
        which: Sequence[int] | None = None,
        context: Any = None,
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
        self,
        train: IntArray,
        new: IntArray,
        which: Sequence[int] | None = None,
        context: Any = None,
    ) -> Iterator[tuple[slice, Predictions]]:
        """`predict` in pieces of `new`, for learners that can keep memory small that way."""
        yield slice(None), self.predict(train, new, which, context)

    def begin(self, plan: FoldPlan, random: Any) -> Sequence[Any]:
        """Draw whatever the fits of `plan` need from the stream `random`, fit by fit.

        Called once before any fit is dispatched, so that results cannot depend on the number of
        workers. Learners that draw nothing return one None per fit.
        """
        return (None,) * len(plan)

    def predict_plan(self, plan: FoldPlan) -> Predictions | None:
        """All fits of the plan at once, where one factorisation gives them; else None.

        The columns are in the order of ``plan.rows``.
        """
        return None


class Fitted(Checked, ABC):
    """A fitted model."""

    @abstractmethod
    def predict(self, new: Any) -> Any:
        """Predict new rows; rows with missing predictors give NaN."""
