"""What learners predict, and the table of losses: one for every (fit, row, candidate)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from pycvstat import rmath
from pycvstat.errors import LossError
from pycvstat.errors.checks import check_numbers, check_shape
from pycvstat.folds.plan import FoldPlan
from pycvstat.types import FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

Needs = Literal["numbers", "classes", "probabilities", "scores"]

TOGETHER = 16384  # rows of a fold whose losses are held together to average them
SHORT = 100  # rows of folds that are averaged together


def _unchangeable(array: FloatArray) -> FloatArray:
    """The same numbers, which cannot be changed in place under what was made of them."""
    view = array.view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Predictions:
    """Predictions of C candidates for m rows.

    Parameters
    ----------
    values : (C, m) float64
        Predicted means; for a nominal or ordinal response, class codes 0, 1, ...
    prob : (C, m, L) float64, optional
        Class probabilities, levels in the order of the response.
    detail : object, optional
        What the learner reports about this fit (a tuned learner: its tuning).

    Examples
    --------
    >>> Predictions(np.array([[1.0, 2.0]])).n_candidates
    1
    """

    values: FloatArray
    prob: FloatArray | None = None
    detail: Any = None

    def __repr__(self) -> str:
        return f"<Predictions of {self.values.shape[1]} rows, {self.n_candidates} candidates>"

    @property
    def n_candidates(self) -> int:
        """Number of candidates, C."""
        return int(self.values.shape[0])

    def candidate(self, index: int) -> Predictions:
        """The predictions of one candidate, still with a leading axis of length 1."""
        prob = None if self.prob is None else self.prob[index : index + 1]
        return Predictions(self.values[index : index + 1], prob, self.detail)

    def given_to(
        self, name: str, needs: Needs | None, y: NDArray[Any], candidate: int, shares: bool = False
    ) -> FloatArray:
        """The prediction in the form that a function of (y, prediction) needs.

        Of classes these are codes; or probabilities, of two classes that of the second, of
        several all, shape (m, L); or scores, that of the second of two classes. Numbers 0 and 1
        are two classes, predicted as the second above one half, as for the 0-1 loss; with `shares`
        numbers between them are shares of events. A function that does not say what it needs gets
        numbers only.

        Examples
        --------
        >>> two = Predictions(np.array([[1.0]]), np.array([[[0.2, 0.8]]]))
        >>> two.given_to("log loss", "probabilities", np.array([0]), 0)
        array([0.8])
        """
        if not np.issubdtype(y.dtype, np.integer):
            values = np.asarray(self.values[candidate])
            two = np.isin(y, (0.0, 1.0)).all() or (shares and ((y >= 0) & (y <= 1)).all())
            if two and needs == "classes":
                return np.where(np.isnan(values), np.nan, values > 0.5)
            if two or needs in ("numbers", None):
                return values
            count = "two " if needs == "scores" else ""
            fix = "factor(...) around the response in the formula, where it is 0 and 1"
            raise LossError(f"{name} needs {count}classes.", given="a numeric response", fix=fix)
        if needs == "classes":
            return np.asarray(self.values[candidate])
        if needs is None:
            raise does_not_say(name, "Metric")
        if needs == "numbers":
            raise LossError(f"{name} has no meaning for classes.", given=name, fix="use 'auc'")
        if self.prob is None:
            raise LossError(f"{name} needs class probabilities.", given="predicted classes only")
        classes = self.prob.shape[2]
        if needs == "scores" and classes != 2:
            fix = f"metric='{name}_ovr' or '{name}_ovo', of all classes" if name == "auc" else ""
            raise LossError(f"{name} needs two classes.", given=f"{classes} classes", fix=fix)
        which = (candidate, slice(None), 1) if classes == 2 else candidate
        return np.asarray(self.prob[which])


def does_not_say(name: str, maker: str) -> LossError:
    """The error for a function that would be given codes of classes in silence."""
    return LossError(
        f"{name} does not say what it needs of classes: predicted classes or probabilities.",
        given="a function of (y, prediction), and a response of classes",
        fix=f"pycvstat.losses.{maker}(function, needs='probabilities'), or needs='classes'",
    )


@dataclass(frozen=True, eq=False, repr=False)
class FoldMeans:
    """Mean losses by fit and candidate: what tuning keeps.

    Parameters
    ----------
    plan : FoldPlan
    means : (fits, C) float64
        Mean loss over the test rows of each fit; NaN where the fit failed.
    loss : str
    candidates : tuple of dict
    weighted : bool
        Whether weights entered the fits; they never enter the losses.
    better : {"smaller", "larger"}
        Which way is better: of losses smaller, of the values of a metric either.

    Examples
    --------
    >>> plan = FoldPlan.from_fold_ids([1, 1, 2])
    >>> means = FoldMeans(plan, np.array([[1.0], [4.0]]), "squared")
    >>> means.estimate(), means.pooled()
    (array([2.5]), array([2.]))
    """

    plan: FoldPlan
    means: FloatArray
    loss: str
    candidates: tuple[dict[str, Any], ...] = ({},)
    range: tuple[float, float] = (0.0, np.inf)
    weighted: bool = False
    better: Literal["smaller", "larger"] = "smaller"

    def __post_init__(self) -> None:
        check_shape("means", self.means, len(self.plan), len(self.candidates))

    def __repr__(self) -> str:
        fits, candidates = self.means.shape
        return f"<FoldMeans {self.loss}: {fits} fits, {candidates} columns>"

    def fold_means(self) -> FloatArray:
        """Mean loss by fit and candidate, shape (fits, C)."""
        return self.means

    def estimate(self) -> FloatArray:
        """Mean of the fold means by candidate: every fold has the same weight."""
        return np.asarray(rmath.mean(self.fold_means(), axis=0))

    def pooled(self) -> FloatArray:
        """Mean over all tested observations by candidate: folds weigh by their size."""
        sums = self.fold_means() * self.plan.n_test[:, None].astype(np.longdouble)
        return np.asarray(rmath.column_sums(sums) / self.plan.n_test.sum(), dtype=np.float64)

    def total(self) -> FloatArray:
        """The sum of all losses by candidate; infinite where it leaves the range of numbers."""
        with np.errstate(all="ignore"):
            return np.asarray(self.plan.n_test @ self.fold_means())

    def std_error(self) -> FloatArray:
        """Standard deviation of the fold means (ddof 1) over sqrt(fits): the naive one."""
        means = self.fold_means()
        if len(means) < 2:
            return np.full(means.shape[1], np.nan)
        return np.asarray(deviation(means) / np.sqrt(len(means)))


@dataclass(frozen=True, eq=False, repr=False)
class LossTable:
    """Every loss, keyed by fit, row and candidate.

    Parameters
    ----------
    plan : FoldPlan
        Its ``rows`` and ``offsets`` key the first axis of `losses`.
    losses : (N, C) float64
        N = ``len(plan.rows)``; NaN where the fit failed.
    loss : str
        The name of the loss.
    range : (float, float)
        Smallest and largest possible loss.
    candidates : tuple of dict
        Parameters of each candidate.
    predictions : Predictions, optional
        Out-of-fold predictions: values (C, N), prob (C, N, L).
    y : (n,) array, optional
        The response, codes for classes.
    weighted : bool
        Whether weights entered the fits; they never enter the losses.
    levels : tuple of str
        The classes, where they have names.

    Examples
    --------
    >>> plan = FoldPlan.from_fold_ids([1, 1, 2])
    >>> table = LossTable(plan, np.array([[0.5], [1.5], [4.0]]), "squared")
    >>> table.tidy()
       repeat  fold  row  loss
    0       1     1    0   0.5
    1       1     1    1   1.5
    2       1     2    2   4.0
    """

    plan: FoldPlan
    losses: FloatArray
    loss: str = "loss"
    range: tuple[float, float] = (0.0, np.inf)
    candidates: tuple[dict[str, Any], ...] = ({},)
    predictions: Predictions | None = None
    y: NDArray[Any] | None = None
    weighted: bool = False
    levels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        rows, candidates = len(self.plan.rows), len(self.candidates)
        check_shape("losses", self.losses, rows, candidates)
        check_shape("y", self.y, self.plan.n)
        check_numbers("y", self.y)
        if (p := self.predictions) is not None:
            check_shape("predictions", p.values, candidates, rows)
            classes = () if p.prob is None else p.prob.shape[2:3]
            check_shape("prob", p.prob, candidates, rows, *classes)
            prob = None if p.prob is None else _unchangeable(p.prob)
            kept = replace(p, values=_unchangeable(p.values), prob=prob)
            object.__setattr__(self, "predictions", kept)
        object.__setattr__(self, "losses", _unchangeable(self.losses))

    def __repr__(self) -> str:
        rows, candidates = self.losses.shape
        return f"<LossTable {self.loss}: {rows} rows in {self.n_fits} fits, {candidates} columns>"

    @property
    def n_fits(self) -> int:
        """Number of fits."""
        return len(self.plan)

    def fold_means(self) -> FloatArray:
        """Mean loss by fit and candidate, shape (fits, C)."""
        return self._fold_means.copy()

    @cached_property
    def _fold_means(self) -> FloatArray:
        return means_between(self.plan.offsets, self.losses)

    def means(self) -> FoldMeans:
        """The fold means as a table of their own."""
        return replace(self._means, means=self.fold_means())

    @cached_property
    def _means(self) -> FoldMeans:
        of = self.loss, self.candidates, self.range, self.weighted
        return FoldMeans(self.plan, self._fold_means, *of)

    def estimate(self) -> FloatArray:
        """Mean of the fold means by candidate: every fold has the same weight."""
        return self._means.estimate()

    def pooled(self) -> FloatArray:
        """Mean over all tested observations by candidate: folds weigh by their size."""
        return self._means.pooled()

    def per_row(self) -> FloatArray:
        """Mean loss of each row over its tests, shape (n, C); NaN if it was never tested."""
        rows, means = self.tested_rows()
        by_row = np.full((self.plan.n, self.losses.shape[1]), np.nan)
        by_row[rows] = means
        return by_row

    def tested_rows(self) -> tuple[IntArray, FloatArray]:
        """The rows that were tested, ascending, and the mean loss of each, shape (rows, C)."""
        rows, tests = np.unique(self.plan.rows, return_counts=True)
        losses = self.losses[np.argsort(self.plan.rows, kind="stable")]
        if len(rows) == len(losses):
            return rows, losses
        return rows, means_between(np.append(0, tests.cumsum()), losses)

    def select(self, index: int) -> LossTable:
        """The table of one candidate."""
        chosen = None if self.predictions is None else self.predictions.candidate(index)
        return replace(
            self,
            losses=self.losses[:, index : index + 1],
            candidates=(self.candidates[index],),
            predictions=chosen,
        )

    def tidy(self) -> pd.DataFrame:
        """One row per (fit, row, candidate): repeat, fold, row, parameters, loss."""
        import pandas as pd

        count = self.losses.shape[1]
        fit = np.repeat(np.arange(self.n_fits), self.plan.n_test)
        columns: dict[str, Any] = {
            "repeat": np.repeat(self.plan.repeat[fit] + 1, count),
            "fold": np.repeat(self.plan.fold[fit] + 1, count),
            "row": np.repeat(self.plan.rows, count),
        }
        columns |= parameter_columns(self.candidates, len(fit))
        if self.predictions is not None:
            columns["prediction"] = self.predictions.values.T.ravel()
        columns["loss"] = self.losses.ravel()
        return pd.DataFrame(columns)


Table = LossTable | FoldMeans


def mean_of(pieces: Iterable[FloatArray], n: int) -> FloatArray:
    """Mean of every column of n rows that come piece by piece, shape (C,): R's to the last bit.

    Which of two candidates has the smaller mean can hang on the last bit, so there is one way to
    it, whether all losses are kept or only means, on all rows or inside an outer fold. As in R:
    ``mean``; beyond 16384 rows ``colMeans``, for which they need not be held together.

    Examples
    --------
    >>> mean_of([np.array([[1.0], [2.0]]), np.array([[6.0]])], 3).tolist()
    [3.0]
    """
    if n <= TOGETHER:
        return np.asarray(rmath.mean(np.concatenate(list(pieces)), axis=0))
    total: Any = None
    for piece in pieces:
        total = rmath.column_sums(piece, total)
        del piece  # before the next one is made
    return np.asarray(total / n, dtype=np.float64)


def means_between(offsets: IntArray, losses: FloatArray) -> FloatArray:
    """`mean_of` the rows from each offset to the next, shape (parts, C); short parts together.

    Examples
    --------
    >>> means_between(np.array([0, 2, 3]), np.array([[1.0], [2.0], [4.0]])).tolist()
    [[1.5], [4.0]]
    """
    sizes, count = np.diff(offsets), losses.shape[1]
    found = np.empty((len(sizes), count))
    for part in np.flatnonzero(sizes > SHORT):
        found[part] = mean_of([losses[offsets[part] : offsets[part + 1]]], sizes[part])
    for size in np.unique(sizes[sizes <= SHORT]):
        parts = np.flatnonzero(sizes == size)
        rows = offsets[parts] + np.arange(size)[:, None]
        columns = losses[rows].reshape(size, -1)  # one for every part and candidate
        found[parts] = mean_of([columns], size).reshape(-1, count)
    return found


def deviation(values: FloatArray) -> FloatArray:
    """Standard deviation (ddof 1) by column, also where squares leave the range of numbers.

    Examples
    --------
    >>> deviation(np.array([[1.0, 1e-300], [3.0, 3e-300]])) / [1.0, 1e-300]
    array([1.41421356, 1.41421356])
    """
    power = np.frexp(np.abs(values).max(axis=0))[1]  # exact: a power of two
    return np.asarray(np.ldexp(np.ldexp(values, -power).std(axis=0, ddof=1), power))


def mean_rows(means: FoldMeans) -> pd.DataFrame:
    """One row per (fit, candidate): repeat, fold, sizes, parameters, mean loss."""
    import pandas as pd

    plan, count = means.plan, means.means.shape[1]
    of_fits = {"repeat": plan.repeat + 1, "fold": plan.fold + 1, "n_test": plan.n_test}
    columns: dict[str, Any] = {name: np.repeat(of, count) for name, of in of_fits.items()}
    columns |= parameter_columns(means.candidates, len(plan))
    return pd.DataFrame(columns | {"loss": means.means.ravel()})


def parameter_columns(candidates: Sequence[dict[str, Any]], times: int) -> dict[str, list[Any]]:
    """Parameter columns for `times` runs through the candidates."""
    names = list(dict.fromkeys(name for c in candidates for name in c))
    return {name: [c.get(name) for c in candidates] * times for name in names}
