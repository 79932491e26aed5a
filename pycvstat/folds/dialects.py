"""The folds that R packages make from a seed, each by its package's own rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from pycvstat.data.frame.collation import Collation
from pycvstat.errors import FoldError, warn
from pycvstat.folds.layout import require_few_fits
from pycvstat.folds.rstrata import caret_classes, rsample_strata
from pycvstat.folds.splitter import (
    Given,
    Layout,
    Splitter,
    in_chunks,
    of_labels,
    require_enough,
    require_folds,
    require_times,
)
from pycvstat.folds.vectors import are_integers, named, rows_of
from pycvstat.rmath.random import RRandom, Stream, as_stream
from pycvstat.rmath.random.generator import SampleKind

Rows = npt.NDArray[np.int64]
Dialect = Literal["rsample", "caret", "boot", "cv", "glmnet", "mlr3", "origami", "kknn"]


@dataclass(frozen=True, repr=False)
class RFolds(Splitter):
    """The folds of an R package after ``set.seed(seed)``, row for row.

    Parameters
    ----------
    dialect : str
        "rsample" (``vfold_cv``), "caret" (``createFolds``, ``createMultiFolds``; needs y),
        "boot" (``cv.glm``), "cv" (``cv(model, k, seed)``), "glmnet" (``cv.glmnet``), "mlr3"
        (``rsmp("cv")``, ``rsmp("repeated_cv")``), "origami" (``make_folds``) or "kknn"
        (``cv.kknn``).
    k : int
        Number of folds. As in R, boot may change it (with a warning), and strata smaller than K
        (rsample) or an unlucky draw (kknn) can leave folds empty: those are left out.
    seed : int, optional
        As in ``set.seed(seed)`` right before the call.
    repeats : int, default 1
        Repetitions: ``repeats`` of rsample and mlr3, ``times`` of createMultiFolds, ``reps`` of
        cv; for the others the call repeated without a new seed.
    strata : str or bool, default False
        rsample only. ``strata=True`` stratifies by y, a name by that column of the data.
    sample_kind : {"Rejection", "Rounding"}
        "Rounding" for R before 3.6.0.

    collation : {"ICU", "C"}
        How R sorts the classes as words, which decides what caret and rsample's strata draw
        first: "a" before "B" (nearly every locale) or after it (the C locale).

    Notes
    -----
    Compared row for row with rsample 1.1.1, caret 6.0-93, boot 1.3-28.1, glmnet 4.1-6, kknn 1.4.1
    and the fold code of cv 2.0.4, mlr3 1.8.0 and origami 1.0.8. ``createFolds`` fails on a
    constant y below 2, and so does this.

    Examples
    --------
    >>> RFolds("rsample", 3, seed=1).plan(7).fold_ids
    array([1, 1, 1, 2, 2, 3, 3])
    >>> RFolds("cv", 3, seed=1).plan(7).fold_ids
    array([1, 2, 3, 1, 2, 3, 1])
    """

    dialect: Dialect
    k: int
    seed: int | None = None
    repeats: int = 1
    strata: str | bool = False
    sample_kind: SampleKind = "Rejection"
    collation: Collation = "ICU"

    def __post_init__(self) -> None:
        if not isinstance(self.dialect, str) or self.dialect not in get_args(Dialect):
            raise FoldError(
                "Unknown dialect of folds.",
                given=repr(self.dialect),
                fix="use one of " + ", ".join(get_args(Dialect)),
            )
        k = require_folds(self.k, least=3 if self.dialect == "glmnet" else 2)
        self._read(k=k, repeats=require_times(self.repeats, "repeats"))
        if not isinstance(self.collation, str) or self.collation not in get_args(Collation):
            raise FoldError(
                "Unknown collation.", given=repr(self.collation), fix='use "ICU" or "C"'
            )
        started = RRandom(0 if self.seed is None else self.seed, self.sample_kind)
        self._read(seed=None if self.seed is None else started.seed)
        if self.strata and self.dialect != "rsample":
            raise FoldError(
                "strata is an argument of rsample's folds only.",
                given=f"dialect {self.dialect!r}",
                fix='RFolds("rsample", ..., strata=...), or "caret", which always stratifies by y',
            )

    @property
    def random(self) -> int | RRandom | None:
        """What the folds are drawn from: R's generator started from the seed."""
        if self.seed is None or self.sample_kind == "Rejection":
            return self.seed
        return RRandom(self.seed, self.sample_kind)

    def _layout(self, given: Given, stream: Stream) -> Layout:
        require_enough(self.k, given.n)
        require_few_fits(self.repeats * self.k, self.repeats * given.n)
        draw = _DIALECTS[self.dialect](self, given)
        labels = []
        for time in range(self.repeats):
            if self.dialect == "cv" and time and given.n > self.k:
                stream = as_stream(int(stream.sample(1_000_000, 1)[0]))  # as cv() does
            labels.append(draw(stream))
        return of_labels(labels)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        if X is not None and self.seed is not None:
            return len(self.plan(rows_of(X), y=y))
        return self.k * self.repeats


Draw = Callable[[Stream], Rows]


def _shuffled_labels(n: int, k: int) -> Draw:
    """Labels 1..K recycled to n, then shuffled."""
    recycled = np.arange(n) % k
    return lambda stream: recycled[stream.permutation(n)]


def _rsample(folds: RFolds, given: Given) -> Draw:
    if not folds.strata:
        return _shuffled_labels(given.n, folds.k)
    by = given if folds.strata is True else replace(given, y=folds.strata)
    integers = are_integers(named(by.y, by.data, "strata"))

    def draw(stream: Stream) -> Rows:
        labels = np.empty(given.n, dtype=np.int64)
        for rows in rsample_strata(by.response, integers, folds.collation, stream):
            labels[rows] = _shuffled_labels(len(rows), folds.k)(stream)
        return labels

    return draw


def _caret(folds: RFolds, given: Given) -> Draw:
    """Each class on its own: whole rounds of labels, spare labels at random, shuffled."""
    k = folds.k
    if k == given.n:
        return lambda stream: np.arange(k)
    classes = caret_classes(given.response, k, folds.collation)

    def draw(stream: Stream) -> Rows:
        labels = np.empty(given.n, dtype=np.int64)
        for rows in classes:
            rounds, spares = divmod(len(rows), k)
            if rounds == 0:
                labels[rows] = stream.sample(k, spares) - 1
                continue
            extra = stream.sample(k, spares) - 1 if spares else np.empty(0, dtype=np.int64)
            dealt = np.concatenate([np.tile(np.arange(k), rounds), extra])
            labels[rows] = dealt[stream.permutation(len(dealt))]
        return labels

    return draw


def _boot(folds: RFolds, given: Given) -> Draw:
    """n of the K * ceil(n / K) labels, with K the nearest that is round(n / j) for some j."""
    n = given.n
    possible = np.array(list(dict.fromkeys(round(n / j) for j in range(1, n // 2 + 1))))
    k = int(possible[np.argmin(np.abs(possible - folds.k))])
    if k != folds.k:
        warn(f"boot's cv.glm changes K from {folds.k} to {k} for {n} rows.")
    labels = np.tile(np.arange(k), -(-n // k))
    return lambda stream: labels[stream.sample(len(labels), n) - 1]


def _cv(folds: RFolds, given: Given) -> Draw:
    """Permuted rows in chunks; leave-one-out is not shuffled."""
    n, k = given.n, folds.k

    def draw(stream: Stream) -> Rows:
        labels = np.empty(n, dtype=np.int64)
        order = stream.permutation(n) if n > k else np.arange(n)
        for fold, rows in enumerate(in_chunks(order, k)):
            labels[rows] = fold
        return labels

    return draw


def _origami(folds: RFolds, given: Given) -> Draw:
    """Shuffled labels; leave-one-out is not shuffled."""
    if given.n == folds.k:
        return lambda stream: np.arange(given.n)
    return _shuffled_labels(given.n, folds.k)


def _kknn(folds: RFolds, given: Given) -> Draw:
    """Every row draws its label."""
    return lambda stream: stream.sample(folds.k, given.n, replace=True) - 1


def _plain(folds: RFolds, given: Given) -> Draw:
    return _shuffled_labels(given.n, folds.k)


_DIALECTS: dict[str, Callable[[RFolds, Given], Draw]] = {
    "rsample": _rsample,
    "caret": _caret,
    "boot": _boot,
    "cv": _cv,
    "glmnet": _plain,
    "mlr3": _plain,
    "origami": _origami,
    "kknn": _kknn,
}
