"""The table of losses, one for every (fit, row, candidate), and its checksum."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pycvstat import rmath
from pycvstat.errors.checks import check_numbers, check_shape
from pycvstat.folds.plan import FoldPlan
from pycvstat.losses.predictions import Maker, Predictions
from pycvstat.rmath.sums import means_between
from pycvstat.types import FloatArray, IntArray

PIECE = 4096  # rows that are copied at once


def checksum(arrays: Sequence[Any]) -> str:
    """SHA-256 of arrays, whatever their layout in memory.

    Examples
    --------
    >>> x = np.array([[1.0], [2.0]])
    >>> checksum([x]) == checksum([np.asfortranarray(x)])
    True
    >>> checksum([x]) == checksum([x * (1 + 1e-15)])
    False
    """
    digest = hashlib.sha256()
    for array in arrays:
        known = np.empty(0) if array is None else np.atleast_1d(array)
        digest.update(f"{known.shape}{known.dtype.kind}".encode())
        for start in range(0, len(known), PIECE):
            piece = known[start : start + PIECE]
            plain = piece.dtype.kind in "biuf"
            digest.update(piece.tobytes() if plain else repr(piece.tolist()).encode())
    return digest.hexdigest()


def of_folds(plan: Any) -> list[Any]:
    """The rows of a fold plan, and what it says of itself."""
    said = plan.n, plan.recipe, plan.seed, repr(plan.splitter), plan.stratified, plan.left_out
    arrays = plan.rows, plan.offsets, plan.repeat, plan.fold, *(plan.train or ())
    return [*arrays, np.array([str(one) for one in said], object)]


class Sealed:
    """Numbers with a seal: `dataclasses.replace` keeps it, so other numbers no longer fit it.

    What makes other numbers on purpose says ``seal=""``. Saved results keep it.
    """

    stored: ClassVar[str]
    """What they are called where a cross-check looks at them."""

    def _numbers(self) -> Sequence[Any]:
        """The numbers; of a table with its folds and their seed."""
        held, p, plan = vars(self), vars(self).get("predictions"), vars(self)["plan"]
        predicted = () if p is None else (p.values, p.prob)
        words = "loss", "range", "candidates", "weighted", "levels"
        folds = [*of_folds(plan), np.array([str(held.get(name)) for name in words], object)]
        names = "losses", "means", "y", "weights", "sizes"
        parts = held.get("parts", {}).values()
        return [*folds, *map(held.get, names), *predicted, *parts]

    def __post_init__(self, seal: str) -> None:
        object.__setattr__(self, "seal", seal or checksum(self._numbers()))

    @property
    def intact(self) -> bool:
        """Whether the numbers are those that were computed."""
        known: str = vars(self)["seal"]
        return known == checksum(self._numbers())

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return sum(np.size(array) for array in self._numbers() if array is not None)


def _unchangeable(array: FloatArray) -> FloatArray:
    """The same numbers, which cannot be changed in place under what was made of them."""
    view = array.view()
    view.flags.writeable = False
    return view


class Averaged(Sealed):
    """Losses of the fits of a plan, which have two means."""

    plan: FoldPlan

    @abstractmethod
    def fold_means(self) -> FloatArray:
        """Mean loss by fit and candidate, shape (fits, C)."""

    @abstractmethod
    def _weights(self) -> FloatArray | None:
        """What the folds weigh in `pooled`, where that is not their number of rows."""

    def estimate(self) -> FloatArray:
        """Mean of the fold means by candidate: every fold has the same weight."""
        return np.asarray(rmath.mean(self.fold_means(), axis=0))

    def pooled(self) -> FloatArray:
        """Mean over all tested observations by candidate: folds weigh by their size."""
        sizes = self.plan.n_test if (known := self._weights()) is None else known
        sums = self.fold_means() * sizes[:, None].astype(np.longdouble)
        return np.asarray(rmath.column_sums(sums) / sizes.sum(), dtype=np.float64)

    def by_fit(self) -> pd.DataFrame:
        """One row per fit: repeat, fold, sizes, and the mean loss of the first candidate."""
        return self.plan.sizes().assign(estimate=self.fold_means()[:, 0])

    def total(self) -> FloatArray:
        """The sum of all losses by candidate; infinite where it leaves the range of numbers."""
        with np.errstate(all="ignore"):
            return np.asarray(self.plan.n_test @ self.fold_means())


@dataclass(frozen=True, eq=False, repr=False)
class FoldMeans(Averaged):
    """Mean losses by fit and candidate: what tuning keeps.

    Parameters
    ----------
    plan : FoldPlan
    means : (fits, C) float64
        Mean loss over the test rows of each fit; NaN where the fit failed.
    loss : str
    candidates : tuple of dict
    weighted : bool
        Whether weights entered the fits.
    better : {"smaller", "larger"}
        Which way is better: of losses smaller, of the values of a metric either.
    sizes : (fits,) float64, optional
        What the folds weigh in `pooled`, where that is not their number of rows.
    parts : dict of (fits, J) float64
        Fold means of what smooth metrics are made of, by the name of the metric, where these were
        kept too.
    maker : Maker, optional
        What is known of the learner.

    Examples
    --------
    >>> plan = FoldPlan.from_fold_ids([1, 1, 2])
    >>> means = FoldMeans(plan, np.array([[1.0], [4.0]]), "squared")
    >>> means.estimate(), means.pooled()
    (array([2.5]), array([2.]))
    """

    stored: ClassVar[str] = "stored fold means"

    plan: FoldPlan
    means: FloatArray
    loss: str
    candidates: tuple[dict[str, Any], ...] = ({},)
    range: tuple[float, float] = (0.0, np.inf)
    weighted: bool = False
    better: Literal["smaller", "larger"] = "smaller"
    sizes: FloatArray | None = None
    parts: dict[str, FloatArray] = field(default_factory=dict)
    maker: Maker | None = None
    seal: InitVar[str] = ""

    def __post_init__(self, seal: str) -> None:
        check_shape("means", self.means, len(self.plan), len(self.candidates))
        for name, part in self.parts.items():
            check_shape(name, part, len(self.plan), *part.shape[1:])
        super().__post_init__(seal)

    def __repr__(self) -> str:
        fits, candidates = self.means.shape
        return f"<FoldMeans {self.loss}: {fits} fits, {candidates} columns>"

    def fold_means(self) -> FloatArray:
        """Mean loss by fit and candidate, shape (fits, C)."""
        return self.means

    def _weights(self) -> FloatArray | None:
        return self.sizes

    def tidy(self) -> pd.DataFrame:
        """One row per (fit, candidate): repeat, fold, size, parameters, mean loss."""
        each, count = self.plan.sizes().drop(columns="n_train"), self.means.shape[1]
        columns: dict[Any, Any] = {name: np.repeat(each[name].to_numpy(), count) for name in each}
        columns |= parameter_columns(self.candidates, len(self.plan))
        return pd.DataFrame(columns | {"loss": self.means.ravel()})

    def std_error(self) -> FloatArray:
        """Standard deviation of the fold means (ddof 1) over sqrt(fits): the naive one."""
        return naive_error(self.means)


@dataclass(frozen=True, eq=False, repr=False)
class LossTable(Averaged):
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
        Whether weights entered the fits.
    levels : tuple of str
        The classes, where they have names.
    weights : (n,) float64, optional
        Weights of the losses of the rows.
    maker : Maker, optional
        What is known of the learner.

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

    stored: ClassVar[str] = "stored losses and predictions"

    plan: FoldPlan
    losses: FloatArray
    loss: str = "loss"
    range: tuple[float, float] = (0.0, np.inf)
    candidates: tuple[dict[str, Any], ...] = ({},)
    predictions: Predictions | None = None
    y: NDArray[Any] | None = None
    weighted: bool = False
    levels: tuple[str, ...] = ()
    weights: FloatArray | None = None
    maker: Maker | None = None
    seal: InitVar[str] = ""

    def __post_init__(self, seal: str) -> None:
        rows, candidates = len(self.plan.rows), len(self.candidates)
        check_shape("losses", self.losses, rows, candidates)
        check_shape("y", self.y, self.plan.n)
        check_shape("weights", self.weights, self.plan.n)
        check_numbers("y", self.y)
        if (p := self.predictions) is not None:
            check_shape("predictions", p.values, candidates, rows)
            classes = () if p.prob is None else p.prob.shape[2:3]
            check_shape("prob", p.prob, candidates, rows, *classes)
            prob = None if p.prob is None else _unchangeable(p.prob)
            kept = replace(p, values=_unchangeable(p.values), prob=prob)
            object.__setattr__(self, "predictions", kept)
        object.__setattr__(self, "losses", _unchangeable(self.losses))
        super().__post_init__(seal)

    def __repr__(self) -> str:
        rows, candidates = self.losses.shape
        fits = len(self.plan)
        return f"<LossTable {self.loss}: {rows} rows in {fits} fits, {candidates} columns>"

    def fold_means(self) -> FloatArray:
        """Mean loss by fit and candidate, shape (fits, C)."""
        return self._fold_means.copy()

    @cached_property
    def _fold_means(self) -> FloatArray:
        if self.weights is None:
            return means_between(self.plan.offsets, self.losses)
        weights = self.weights[self.plan.rows][:, None]
        sums = means_between(self.plan.offsets, weights * self.losses)
        return sums / means_between(self.plan.offsets, weights)

    def means(self) -> FoldMeans:
        """The fold means as a table of their own."""
        of = self.loss, self.candidates, self.range, self.weighted
        return FoldMeans(self.plan, self.fold_means(), *of, sizes=self._weights())

    def _weights(self) -> FloatArray | None:
        return None if self.weights is None else fold_weights(self.plan, self.weights)

    def linearised(self) -> LossTable:
        """Losses without weights, of which the weighted mean is the mean, with its variance.

        r + w (L - r) / mean(w): the delta method for the ratio r of the means of w L and w.
        """
        if self.weights is None:
            return self
        weights, centre = self.weights[self.plan.rows], self.pooled()
        around = (self.losses - centre) * (weights / weights.mean())[:, None]
        return replace(self, losses=centre + around, weights=None, seal="")

    def per_row(self) -> FloatArray:
        """Mean loss of each row over its tests, shape (n, C); NaN if it was never tested."""
        rows, means = self.tested_rows()
        by_row = np.full((self.plan.n, self.losses.shape[1]), np.nan)
        by_row[rows] = means
        return by_row

    def tested_rows(self) -> tuple[IntArray, FloatArray]:
        """The rows that were tested, ascending, and the mean loss of each, shape (rows, C)."""
        return self._tested

    @cached_property
    def _tested(self) -> tuple[IntArray, FloatArray]:
        plan = self.plan
        if plan.n > 8 * len(plan.rows):  # few of many rows: not one number for each
            rows, tests = np.unique(plan.rows, return_counts=True)
        else:
            rows = np.flatnonzero(counts := np.bincount(plan.rows))
            tests = counts[rows]
        narrow = plan.rows.astype(np.min_scalar_type(plan.n))  # few bytes are sorted by counting
        losses = self.losses[np.argsort(narrow, kind="stable")]
        if len(rows) < len(losses):
            losses = means_between(np.append(0, tests.cumsum()), losses)
        return rows, _unchangeable(losses)

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
        count = self.losses.shape[1]
        fit = np.repeat(np.arange(len(self.plan)), self.plan.n_test)
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


def is_weighed(table: Table) -> bool:
    """Whether losses have weights of their own."""
    return (table.weights if isinstance(table, LossTable) else table.sizes) is not None


def fold_weights(plan: FoldPlan, weights: FloatArray) -> FloatArray:
    """The sum of the weights of the tested rows of every fit.

    Examples
    --------
    >>> fold_weights(FoldPlan.from_fold_ids([1, 1, 2]), np.array([1.0, 2.0, 4.0]))
    array([3., 4.])
    """
    return np.add.reduceat(weights[plan.rows], plan.offsets[:-1])


def naive_error(values: FloatArray) -> FloatArray:
    """Standard deviation (ddof 1) over the root of their number by column, of any size.

    Examples
    --------
    >>> naive_error(np.array([[1.0, 1e-300], [3.0, 3e-300]])) / [1.0, 1e-300]
    array([1., 1.])
    """
    if len(values) < 2:
        return np.full(values.shape[1:], np.nan)
    power = np.frexp(np.abs(values).max(axis=0))[1]  # exact: a power of two
    spread = np.ldexp(np.ldexp(values, -power).std(axis=0, ddof=1), power)
    return np.asarray(spread / np.sqrt(len(values)))


def parameter_columns(candidates: Sequence[dict[str, Any]], times: int) -> dict[str, list[Any]]:
    """Parameter columns for `times` runs through the candidates."""
    names = list(dict.fromkeys(name for c in candidates for name in c))
    return {name: [c.get(name) for c in candidates] * times for name in names}
