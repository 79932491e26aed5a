"""Splitters that test some rows only, or several times: holdout, subsampling, time, repetition."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from pycvstat.errors import Advice, FoldError
from pycvstat.errors.checks import check_word, is_whole
from pycvstat.folds.partitions import LeaveOneOut
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.problems import require_few_fits, rows_of
from pycvstat.folds.splitter import Given, Layout, RowsInR, Splitter, require_random, require_times
from pycvstat.rmath.random import Random, Stream
from pycvstat.types import IntArray

Window = Literal["expanding", "sliding"]
_ROUNDING = 1e-9  # 0.07 * 100 is 7.000000000000001


@dataclass(frozen=True, repr=False)
class Holdout(Splitter):
    """One split: shuffle, and test the last ceil(test * n) rows.

    Parameters
    ----------
    test : float or int, default 0.25
        Share of test rows, or their number.
    random : int, RRandom, numpy.random.Generator, optional
        An integer means R's ``set.seed``.

    Notes
    -----
    As in R: the course shuffles by ``sample_n(size = nrow(.))`` and takes the last quarter;
    the training rows are those of rsample's ``initial_split(prop = 1 - test)``.

    Examples
    --------
    >>> plan = Holdout(0.25, random=1).plan(10)
    >>> plan.test_rows(0)
    array([5, 7, 9])
    """

    test: float = 0.25
    random: Random = None

    def __post_init__(self) -> None:
        self._read(test=require_share(self.test, "test"), random=require_random(self.random))

    def _layout(self, given: Given, stream: Stream) -> Layout:
        size = math.ceil(rows_in_share(self.test, given.n) - _ROUNDING)
        require_both(given.n - size, size, given.n)
        return Layout("holdout", [stream.permutation(given.n)[given.n - size :]])

    def in_r(self) -> RowsInR:
        """How R makes the same rows."""
        return RowsInR("pcv_folds_holdout(n, share)", {"share": self.test})

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        return 1


@dataclass(frozen=True, repr=False)
class Subsampling(Splitter):
    """Training rows drawn without replacement, again and again; the rest is tested.

    Parameters
    ----------
    times : int
        Number of splits.
    train : float or int, default 0.9
        Share of training rows (rounded down), or their number.
    random : int, RRandom, numpy.random.Generator, optional
        An integer means R's ``set.seed``.

    Notes
    -----
    As in R: rsample's ``mc_cv(prop = train, times = times)``.

    Examples
    --------
    >>> plan = Subsampling(25, train=0.9, random=1).plan(50)
    >>> len(plan), plan.n_train[0], plan.times
    (25, np.int64(45), 25)
    """

    times: int
    train: float = 0.9
    random: Random = None

    def __post_init__(self) -> None:
        times, train = require_times(self.times, "times"), require_share(self.train, "train")
        self._read(times=times, train=train, random=require_random(self.random))

    def _layout(self, given: Given, stream: Stream) -> Layout:
        size = math.floor(rows_in_share(self.train, given.n) + _ROUNDING)
        require_both(size, given.n - size, given.n)
        require_few_fits(self.times, self.times * (given.n - size))
        everything = np.arange(given.n)
        test = [
            np.setdiff1d(everything, stream.sample(given.n, size) - 1, assume_unique=True)
            for _ in range(self.times)
        ]
        return Layout("subsampling", test, range(self.times), [0] * self.times)

    def in_r(self) -> RowsInR:
        """How R makes the same rows."""
        return RowsInR(
            "pcv_folds_subsampling(n, times, train)", {"times": self.times, "train": self.train}
        )

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        return self.times


@dataclass(frozen=True, repr=False)
class Bootstrap(Splitter):
    """Training rows drawn with replacement, as many as there are; the rows left out are tested.

    Parameters
    ----------
    times : int
        Number of resamples, B.
    random : int, RRandom, numpy.random.Generator, optional
        An integer means R's ``set.seed``.

    Notes
    -----
    As in R: the rows of caret's ``createResample(y, times)`` and rsample's ``bootstraps(data,
    times)``, and those that ``rms::validate`` draws.

    Examples
    --------
    >>> plan = Bootstrap(25, random=1).plan(6)
    >>> plan.train_rows(0), plan.test_rows(0)
    (array([0, 0, 1, 2, 3, 4]), array([5]))
    """

    times: int
    random: Random = None

    def __post_init__(self) -> None:
        times = require_times(self.times, "The number of resamples B", 2)
        self._read(times=times, random=require_random(self.random))

    def _layout(self, given: Given, stream: Stream) -> Layout:
        n = given.n
        require_few_fits(self.times, self.times * n)
        train = [stream.sample(n, n, replace=True) - 1 for _ in range(self.times)]
        return Layout("bootstrap", left_out(n, train), range(self.times), [0] * self.times, train)

    def in_r(self) -> RowsInR:
        """How R makes the same rows."""
        return RowsInR("pcv_folds_bootstrap(n, times, part)", {"times": self.times}, trains=True)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        return self.times


def left_out(n: int, drawn: Sequence[IntArray]) -> list[IntArray]:
    """The rows that each resample does not have; refused where one has them all.

    Examples
    --------
    >>> left_out(3, [np.array([0, 0, 2])])
    [array([1])]
    """
    test = [np.setdiff1d(np.arange(n), rows) for rows in drawn]
    if full := sum(not len(rows) for rows in test):
        raise FoldError(
            "Some resamples have every row, so that none is left to test.",
            given=f"{full} of {len(test)} resamples of {n} rows",
            fix=Advice("use more rows, or {folds}", folds=LeaveOneOut()),
        )
    return test


@dataclass(frozen=True, repr=False)
class TimeSeries(Splitter):
    """Train on the past, test on the next rows, and move on; rows are in order of time.

    Parameters
    ----------
    initial : int
        Rows of the first training window.
    horizon : int, default 1
        Rows tested by each fit.
    gap : int, default 0
        Rows left out between training and test rows.
    step : int, default 1
        Rows to move on by.
    window : {"expanding", "sliding"}
        Whether the training window keeps its start or its length.

    Notes
    -----
    As in R: caret's ``createTimeSlices(y, initial, horizon, fixedWindow, skip = step - 1)``;
    it has no gap.

    Examples
    --------
    >>> for train, test in TimeSeries(3, horizon=2, step=2, window="sliding").plan(8):
    ...     print(train, test)
    [0 1 2] [3 4]
    [2 3 4] [5 6]
    """

    initial: int
    horizon: int = 1
    gap: int = 0
    step: int = 1
    window: Window = "expanding"
    draws: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name, least in (("initial", 1), ("horizon", 1), ("step", 1), ("gap", 0)):
            self._read(**{name: require_times(getattr(self, name), name, least)})
        check_word("window", self.window, get_args(Window), "Unknown window.", FoldError)

    def _layout(self, given: Given, stream: Stream) -> Layout:
        ends = self._ends(given.n)
        start = self.initial if self.window == "sliding" else given.n
        rows = len(ends) * (min((ends[0] + ends[-1]) // 2, start) + self.horizon)
        require_few_fits(len(ends), rows, fix="move on in larger steps: step=")
        test = [np.arange(end + self.gap, end + self.gap + self.horizon) for end in ends]
        train = [np.arange(max(0, end - start), end) for end in ends]
        return Layout("timeseries", test, train=train)

    def _ends(self, n: int) -> range:
        """Where the training windows end."""
        ends = range(self.initial, n - self.gap - self.horizon + 1, self.step)
        if not len(ends):
            raise FoldError(
                "The windows do not fit into the data.",
                given=f"initial {self.initial} + gap {self.gap} + horizon {self.horizon} rows "
                f"of {n}",
                fix="use a smaller initial window",
            )
        return ends

    def in_r(self) -> RowsInR:
        """How R makes the same rows."""
        return RowsInR(
            "pcv_folds_timeseries(n, initial, horizon, gap, step, window, part)",
            {part.name: getattr(self, part.name) for part in fields(self)},
            trains=True,
        )

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        if X is None:
            raise FoldError("Time windows need the data to count their fits.")
        return len(self._ends(rows_of(X)))


@dataclass(frozen=True, repr=False)
class Repeated(Splitter):
    """A splitter several times over, with new draws each time.

    Parameters
    ----------
    splitter : Splitter
        One that draws, without a seed of its own.
    times : int
        Number of repetitions.
    random : int, RRandom, numpy.random.Generator, optional
        An integer means R's ``set.seed``, once before the first repetition.

    Examples
    --------
    >>> from pycvstat.folds import KFold
    >>> Repeated(KFold(3), times=2, random=1).plan(6).fold_ids
    array([[1, 3],
           [3, 1],
           [2, 1],
           [1, 2],
           [3, 3],
           [2, 2]])
    """

    splitter: Splitter
    times: int
    random: Random = None

    def __post_init__(self) -> None:
        self._read(times=require_times(self.times, "times"), random=require_random(self.random))
        if not isinstance(self.splitter, Splitter):
            raise FoldError(
                "Repeated needs a splitter.",
                given=repr(self.splitter),
                fix="Repeated(KFold(10), 5)",
            )
        if not self.splitter.draws or getattr(self.splitter, "random", None) is not None:
            fix = "give the seed to Repeated: Repeated(KFold(10), times=5, random=1)"
            given = repr(self.splitter)
            raise FoldError("Every repetition would be the same.", given=given, fix=fix)

    @property
    def column(self) -> str:
        """As the splitter that is repeated."""
        return self.splitter.column

    @property
    def stratified(self) -> bool | str:
        """As the splitter that is repeated."""
        return self.splitter.stratified

    def _layout(self, given: Given, stream: Stream) -> Layout:
        def once() -> FoldPlan:
            return self.splitter.plan(given.data, y=given.y, groups=given.groups, random=stream)

        first = once()
        require_few_fits(self.times * len(first), self.times * len(first.rows))
        plans = [first, *(once() for _ in range(self.times - 1))]
        kind = "subsampling" if plans[0].kind == "holdout" else plans[0].kind
        return Layout(
            kind,
            [rows for plan in plans for rows in plan.to_rows()],
            np.concatenate([plan.repeat + i * plan.times for i, plan in enumerate(plans)]),
            np.concatenate([plan.fold for plan in plans]),
            train=None if first.train is None else [t for plan in plans for t in plan.train or ()],
            left_out=None
            if first.left_out is None
            else [folds for plan in plans for folds in plan.left_out or ()],
        )

    def in_r(self) -> RowsInR | None:
        """How R makes the same rows, where it can make one repetition."""
        once = self.splitter.in_r()
        return None if once is None else replace(once, times=self.times * once.times)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        return self.times * self.splitter.get_n_splits(X, y, groups)


def require_share(share: Any, name: str) -> float:
    """A share strictly between 0 and 1, or a whole number of rows."""
    measured = isinstance(share, (float, np.floating))
    if is_whole(share) and share >= 1 and not (measured and share == 1):  # 1.0 is all or one row
        return int(share)
    if not (measured and 0 < share < 1):
        raise FoldError(
            f"{name} must be a share between 0 and 1, or a number of rows.", given=repr(share)
        )
    return float(share)


def rows_in_share(share: float, n: int) -> float:
    """The share as a number of rows, not rounded."""
    return share if isinstance(share, (int, np.integer)) else share * n


def require_both(train: int, test: int, n: int) -> None:
    """Both parts of a split need rows."""
    if train < 1 or test < 1:
        given = f"{n} rows, {max(train, 0)} of them for training"
        raise FoldError("Both training and test rows are needed.", given=given)
