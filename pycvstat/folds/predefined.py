"""Folds that a user brings: ids, plans, lists of rows, scikit-learn's splitters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from pycvstat.data.frame import in_rows_of, row_labels
from pycvstat.errors import FoldError, InputError
from pycvstat.errors.checks import as_typed
from pycvstat.folds.fits import Kind
from pycvstat.folds.forms import layout_of_ids
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.splitter import Given, Layout, Splitter, group_array, partition
from pycvstat.rmath.random import Random, Stream


def brought(folds: Any) -> Splitter:
    """The splitter of a plan, of a splitter of scikit-learn, of pairs of rows or of fold ids."""
    if isinstance(folds, FoldPlan):
        return Planned(folds)
    if hasattr(folds, "split") and hasattr(folds, "get_n_splits"):
        return Foreign(folds)
    values = list(folds) if hasattr(folds, "__next__") else folds
    if isinstance(values, (str, bytes, dict)) or not hasattr(values, "__len__"):
        raise FoldError(
            "This does not say how to fold.",
            given=repr(folds),
            fix="pass a splitter such as KFold(10), a number of folds, a FoldPlan, "
            "a scikit-learn splitter, (train, test) pairs or fold ids",
        )
    pairs = isinstance(values, (list, tuple)) and len(values) > 0 and hasattr(values[0], "__len__")
    return Pairs(tuple(values)) if pairs and not isinstance(values[0], str) else Predefined(values)


@dataclass(frozen=True, repr=False, eq=False)
class Predefined(Splitter):
    """Folds that were made elsewhere, as one label per row.

    Parameters
    ----------
    ids : sequence, shape (n,) or (n, times)
        Fold labels of any type, none missing. Row labels of pandas must be those of the data.

    Examples
    --------
    >>> Predefined([1, 2, 2, 1]).plan(4).to_rows()
    [array([0, 3]), array([1, 2])]
    """

    ids: Any
    draws: ClassVar[bool] = False

    def __post_init__(self) -> None:
        layout_of_ids(self.ids)

    def _layout(self, given: Given, stream: Stream) -> Layout:
        ids = in_rows_of(row_labels(given.data), self.ids, "the fold ids")
        rows, offsets, repeat, fold, n = layout_of_ids(ids)
        if n != given.n:
            problem = "Fold ids need one label per row."
            fix = "make the ids for exactly these data"
            raise FoldError(problem, given=f"{n} labels for {given.n} rows", fix=fix)
        return partition(np.split(rows, offsets[1:-1]), repeat, fold)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        return len(layout_of_ids(self.ids)[3])


@dataclass(frozen=True, repr=False, eq=False)
class Planned(Splitter):
    """A plan that was made before, for data of the same size.

    Parameters
    ----------
    made : FoldPlan
        The plan.
    """

    made: FoldPlan
    draws: ClassVar[bool] = False

    def plan(
        self, data: Any, *, y: Any = None, groups: Any = None, random: Random = None
    ) -> FoldPlan:
        """The plan itself; groups are added when it has none."""
        given = Given(data, self._size(data), y, groups)
        labels = given.group_labels
        if labels is None or self.made.groups is not None:
            return self.made
        return replace(self.made, groups=group_array(labels))

    def _size(self, data: Any) -> int:
        self.made.split(data)
        return self.made.n

    def _layout(self, given: Given, stream: Stream) -> Layout:
        return layout_of(self.made)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits."""
        return len(self.made)

    def __repr__(self) -> str:
        return self.made.recipe


@dataclass(frozen=True, repr=False, eq=False)
class Pairs(Splitter):
    """A list of (train rows, test rows) pairs.

    Parameters
    ----------
    pairs : tuple of pairs of sequences of int
        Rows counted from 0.
    """

    pairs: tuple[Any, ...]
    draws: ClassVar[bool] = False

    def _layout(self, given: Given, stream: Stream) -> Layout:
        return layout_of(FoldPlan.from_splits(self.pairs, given.n))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits."""
        return len(self.pairs)


@dataclass(frozen=True, repr=False)
class Foreign(Splitter):
    """A splitter of scikit-learn, or anything with its ``split`` and ``get_n_splits``.

    Parameters
    ----------
    splitter : object
        It draws as it likes: give it its own ``random_state``.
    """

    splitter: Any
    draws: ClassVar[bool] = False

    @property
    def stratified(self) -> bool:
        """As scikit-learn's names say."""
        return self._is("Stratified")

    def _is(self, word: str) -> bool:
        """Whether its class, or a public one that it is made of, has a word in its name."""
        names = (base.__name__ for base in type(self.splitter).__mro__)
        return any(word in name for name in names if not name.startswith("_"))

    def _layout(self, given: Given, stream: Stream) -> Layout:
        y = None if given.y is None else group_array(given.response)
        groups = group_array(given.group_labels) if self._wants_groups(given) else None  # type: ignore[arg-type]
        try:
            splits = list(self.splitter.split(np.zeros((given.n, 1)), y, groups))
            return layout_of(FoldPlan.from_splits(splits, given.n, kind=self._kind()))
        except InputError:
            raise
        except Exception as error:
            raise FoldError(
                f"{type(self.splitter).__name__} could not split these data.", given=error
            ) from error

    def _wants_groups(self, given: Given) -> bool:
        """Splitters of scikit-learn warn about groups that they do not use."""
        of_sklearn = type(self.splitter).__module__.startswith("sklearn.")
        return given.groups is not None and (not of_sklearn or self._is("Group"))

    def _kind(self) -> Kind | None:
        if self._is("TimeSeriesSplit"):
            return "timeseries"
        return "subsampling" if self._is("ShuffleSplit") else None

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits."""
        return int(self.splitter.get_n_splits(X, y, groups))

    def __repr__(self) -> str:
        return as_typed(self.splitter)


def layout_of(plan: FoldPlan) -> Layout:
    """The rows of a plan, to be planned again."""
    return Layout(plan.kind, plan.to_rows(), plan.repeat, plan.fold, plan.train, plan.left_out)
