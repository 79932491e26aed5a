"""A splitter: a recipe for folds that becomes a plan on given data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from pycvstat.data.frame import Column
from pycvstat.errors import Advice, FoldError
from pycvstat.errors.checks import AsTyped, is_whole, shown
from pycvstat.errors.names import Answering
from pycvstat.folds.fits import Kind, partition_kind
from pycvstat.folds.forms import values_of
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.problems import require_few, rows_of
from pycvstat.rmath.random import Random, RRandom, Stream, as_stream
from pycvstat.types import IntArray


@dataclass(frozen=True)
class Given:
    """The data that a plan is made for: number of rows, and on demand y and groups."""

    data: Any
    n: int
    y: Any
    groups: Any
    _made: dict[Any, Any] = field(default_factory=dict, repr=False)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What is made of these data once, for all plans of theirs."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    @cached_property
    def response(self) -> Column:
        """The response, needed by splitters that stratify."""
        if self.y is None:
            raise FoldError("This splitter needs the response.", fix="pass y= to plan()")
        return values_of(self.y, self.data, "y")

    @cached_property
    def group_labels(self) -> Column | None:
        """The groups, if any."""
        return None if self.groups is None else values_of(self.groups, self.data, "groups")


@dataclass(frozen=True)
class Layout:
    """The rows of all fits, as a splitter lays them out.

    Parameters
    ----------
    kind : str
        What sort of plan this is.
    test : list of array of int
        Test rows of each fit; or, with `sizes`, of several fits one after the other.
    repeat, fold : sequence of int, optional
        One repetition with folds 0, 1, ... by default.
    train : list of array of int, optional
        Training rows where they are not the rest.
    left_out : list of tuple of int, optional
        Folds that each fit excludes.
    sizes : array of int, optional
        Number of test rows of each fit.
    """

    kind: Kind
    test: Sequence[IntArray]
    repeat: Sequence[int] | IntArray | None = None
    fold: Sequence[int] | IntArray | None = None
    train: Sequence[IntArray] | None = None
    left_out: Sequence[tuple[int, ...]] | None = None
    sizes: IntArray | None = None


@dataclass(frozen=True, slots=True)
class RowsInR:
    """The same rows in R.

    Parameters
    ----------
    code : str
        R code of one repetition: a list of the test rows of each fold, or the fold label of every
        row. It reads the number of rows as ``n``, and by name what else it needs; the functions of
        `folds.R` are there. Empty where only a course could write it.
    reads : mapping
        Numbers and words that it reads by name.
    times : int
        Repetitions; the seed is set once, before the first.
    reseeds : bool
        Whether every further repetition starts from a seed that is drawn.
    needs : {"", "y", "group", "y group"}
        What else it reads: the response, or the number of each row's group.
    packages : tuple of str
        R packages it needs.
    trains : bool
        Whether it gives training rows that are not the rest where ``part`` is "train".
    course : str
        A list of the test rows of each fold, as a course would write it, the response as
        ``RESPONSE``, the name of the column of strata as ``STRATA``; empty where no course would.

    Examples
    --------
    >>> from pycvstat.folds import KFold, Repeated
    >>> in_r = Repeated(KFold(5), 3, random=1).in_r()
    >>> in_r.code, in_r.reads, in_r.times
    ('pcv_folds_kfold(n, k)', {'k': 5}, 3)
    """

    code: str
    reads: Mapping[str, Any] = field(default_factory=dict)
    times: int = 1
    reseeds: bool = False
    needs: Literal["", "y", "group", "y group"] = ""
    packages: tuple[str, ...] = ()
    trains: bool = False
    course: str = ""


class Splitter(AsTyped, metaclass=Answering):
    """What all splitters share. A subclass says how rows are laid out, in `_layout`.

    Splitters also work as scikit-learn's ``cv=``.
    """

    draws: ClassVar[bool] = True
    """Whether this splitter needs random numbers."""

    @property
    def stratified(self) -> bool | str:
        """Whether all folds have equal shares of the response, or of strata that were given."""
        return False

    @property
    def column(self) -> str:
        """The column of the data that it knows by name only; empty where there is none."""
        return ""

    def _read(self, **checked: Any) -> None:
        """Keep arguments as they were read."""
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @abstractmethod
    def _layout(self, given: Given, stream: Stream) -> Layout:
        """Lay out the rows of all fits."""

    @abstractmethod
    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""

    def in_r(self) -> RowsInR | None:
        """How R makes the same rows, for cross-checks; None where it cannot."""
        return None

    def plan(
        self, data: Any, *, y: Any = None, groups: Any = None, random: Random = None
    ) -> FoldPlan:
        """Make the plan for these data.

        Parameters
        ----------
        data : frame, array, sequence or int
            The data, or their number of rows.
        y : sequence or str, optional
            The response, or its column: used by splitters that stratify. Row labels of pandas
            must be those of `data`.
        groups : sequence or str, optional
            The group of each row, or their column.
        random : int, RRandom, numpy.random.Generator or None
            What to draw from when the splitter has no seed of its own. A stream that was
            started from the splitter's own seed is continued.

        Returns
        -------
        FoldPlan

        Examples
        --------
        >>> from pycvstat.folds import KFold
        >>> KFold(3, random=1).plan(10).fold_ids
        array([1, 2, 2, 1, 2, 3, 1, 3, 1, 3])
        """
        if not is_dataclass(type(self)):
            problem, name = "a splitter of your own is a dataclass.", type(self).__name__
            raise FoldError(problem, given=name, fix=f"@dataclass(frozen=True) above class {name}")
        n = require_few(rows_of(data))
        if n < 1:
            raise FoldError("There are no rows to split.", given=f"{n} rows")
        given = Given(data, n, y, groups)
        stream = self._stream(random)
        fresh = self.draws and stream.untouched
        layout = self._layout(given, stream)
        if not isinstance(layout, Layout):
            raise FoldError(
                f"_layout of {type(self).__name__} must return a Layout, the rows of all fits.",
                given=shown(layout),
                fix='return Layout("kfold", [rows of the first fold, rows of the second, ...])',
            )
        drawn = fresh and not stream.untouched
        return self._planned(given, layout, stream.seed if drawn else None)

    def _planned(self, given: Given, layout: Layout, seed: int | None) -> FoldPlan:
        sizes = [len(rows) for rows in layout.test] if layout.sizes is None else layout.sizes
        fits = len(sizes)
        labels = given.group_labels
        return FoldPlan(
            given.n,
            np.concatenate(layout.test),
            np.concatenate([[0], np.cumsum(sizes)]),
            np.zeros(fits, dtype=np.int64) if layout.repeat is None else np.array(layout.repeat),
            np.arange(fits) if layout.fold is None else np.array(layout.fold),
            layout.kind,
            repr(self),
            None if layout.train is None else tuple(layout.train),
            None if layout.left_out is None else tuple(layout.left_out),
            None if labels is None else group_array(labels),
            seed,
            None if self.in_r() is None else self,
            self.stratified,
        )

    def _stream(self, random: Random) -> Stream:
        if not self.draws:
            return RRandom(0)  # nothing is drawn
        own = getattr(self, "random", None)
        if own is None:
            return as_stream(random)
        stream = as_stream(own)
        if isinstance(random, RRandom) and isinstance(stream, RRandom):
            same = (random.seed, random.sample_kind) == (stream.seed, stream.sample_kind)
            return random if same else stream
        return stream

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """The (train, test) pairs by position, for use as scikit-learn's ``cv=``.

        Examples
        --------
        >>> from pycvstat.folds import Blocks
        >>> list(Blocks(2).split([5, 6, 7]))
        [(array([2]), array([0, 1])), (array([0, 1]), array([2]))]
        """
        return iter(self.plan(rows_of(X), y=_unlabelled(y), groups=_unlabelled(groups)))


def _unlabelled(values: Any) -> Any:
    return values.reset_index(drop=True) if isinstance(values, pd.Series) else values


def group_array(column: Column) -> npt.NDArray[Any]:
    """Groups as a plain array: numbers stay numbers, everything else is words."""
    return column.values.copy() if column.kind == "numeric" else column.labels().copy()


def require_folds(k: Any, least: int = 2) -> int:
    """A number of folds, as given by the user."""
    if not is_whole(k):
        raise FoldError("The number of folds K must be an integer.", given=repr(k))
    if k < least:
        raise FoldError(
            f"K must be at least {least}.", given=int(k), fix="use 5 or 10 folds, or one split"
        )
    return int(k)


def require_times(times: Any, name: str, least: int = 1) -> int:
    """A count, as given by the user."""
    if not is_whole(times) or times < least:
        raise FoldError(f"{name} must be an integer >= {least}.", given=repr(times))
    return int(times)


def require_random(random: Any) -> Random:
    """Something to draw from, or None."""
    if random is not None:
        as_stream(random)
    return int(random) if is_whole(random) else random


def require_enough(k: int, n: int, fix: str | None = None) -> None:
    """Refuse more folds than rows."""
    if k > n:
        from pycvstat.folds.partitions import LeaveOneOut

        fewer = Advice("use fewer folds, or {}", LeaveOneOut())
        raise FoldError(
            "There are more folds than rows: every fold needs at least one row.",
            given=f"K = {k}, {n} rows", fix=fix or fewer,
        )  # fmt: skip


def of_labels(labels: Sequence[IntArray]) -> Layout:
    """The layout of fold labels counted from 0, one vector per repetition; empty folds drop."""
    test, repeat, fold = [], [], []
    for time, label in enumerate(labels):
        order = np.argsort(label, kind="stable")
        present, starts = np.unique(label[order], return_index=True)
        test += np.split(order, starts[1:])
        repeat += [time] * len(present)
        fold += present.tolist()
    return partition(test, repeat, fold)


def partition(
    test: Sequence[IntArray],
    repeat: Sequence[int] | IntArray | None = None,
    fold: Sequence[int] | IntArray | None = None,
) -> Layout:
    """The layout of folds that test every row once."""
    return Layout(partition_kind(np.array([len(rows) for rows in test])), test, repeat, fold)


def as_splitter(folds: Any, grouped: bool = False) -> Splitter:
    """A splitter from anything that says how to fold.

    Parameters
    ----------
    folds : Splitter, int, FoldPlan, scikit-learn splitter, list of (train, test) pairs, fold ids
        An integer K means ``KFold(K)``; a vector holds one fold label per row.
    grouped : bool
        Whether rows belong to groups: then an integer K means ``Grouped(K)``.

    Returns
    -------
    Splitter

    Examples
    --------
    >>> as_splitter(10)
    KFold(10)
    >>> as_splitter([1, 2, 1, 2])
    Predefined([1, 2, 1, 2])
    >>> as_splitter([([0, 1], [2]), ([2], [0, 1])]).plan(3).fold_ids
    array([2, 2, 1])
    """
    from pycvstat.folds import Grouped, KFold
    from pycvstat.folds.predefined import brought

    if isinstance(folds, Splitter):
        return folds
    if isinstance(folds, type) and (issubclass(folds, Splitter) or hasattr(folds, "split")):
        raise FoldError(
            "This is a kind of splitter, not a splitter.",
            given=folds.__name__, fix=f"call it: {folds.__name__}(...)",
        )  # fmt: skip
    if isinstance(folds, (int, float, np.number)):
        return Grouped(folds) if grouped else KFold(folds)  # type: ignore[arg-type]
    return brought(folds)
