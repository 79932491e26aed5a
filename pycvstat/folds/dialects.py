"""The folds that R packages make from a seed, each by its package's own rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, get_args

import numpy as np

from pycvstat.data.frame.columns import Collation
from pycvstat.errors import FoldError, warn
from pycvstat.errors.checks import check_word, shown
from pycvstat.folds.forms import are_integers, named, values_of
from pycvstat.folds.problems import require_few_fits, rows_of
from pycvstat.folds.splitter import (
    Given,
    Layout,
    RowsInR,
    Splitter,
    of_labels,
    require_enough,
    require_folds,
    require_times,
)
from pycvstat.folds.strata import caret_classes, rsample_strata
from pycvstat.rmath.random import RRandom, Stream
from pycvstat.rmath.random.generator import SampleKind
from pycvstat.types import IntArray

Draw = Callable[[Stream], IntArray]
AS_STRATA: tuple[type, ...] = (str, bool, type(None))


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an R package makes its folds.

    Parameters
    ----------
    name : str
    call : str
        The call in R, for people.
    labels : callable
        ``labels(folds, given)`` looks at an `RFolds` and at the data, and gives a function that
        draws the fold of every row, counted from 0, from a stream of random numbers.
    in_r : RowsInR
        R code of one repetition.
    least : int
        The smallest number of folds.
    strata : bool
        Whether it takes ``strata=``.
    usual : (str, str)
        The estimate of an error that its users print: the average, "pooled" or "folds", and where
        a root is taken, "", "root" (of the average) or "root by fold".
    seeds_itself : bool
        Whether a call starts from a seed of its own, so that a later one does not go on where it
        ended.

    Examples
    --------
    >>> for dialect in DIALECTS.values():
    ...     print(f"{dialect.name:<8} {dialect.call}")
    rsample  rsample::vfold_cv(data, v = k)
    caret    caret::createFolds(y, k)
    boot     boot::cv.glm(data, fit, K = k)
    cv       cv::cv(model, k = k, seed = seed)
    glmnet   glmnet::cv.glmnet(x, y, nfolds = k)
    mlr3     mlr3::rsmp("cv", folds = k)
    origami  origami::make_folds(data, V = k)
    kknn     kknn::cv.kknn(formula, data, kcv = k)
    train    caret::train(..., trControl = trainControl("cv", k))
    lecture  blocks of ceiling(n / k) rows after sample(n)
    cut      cut(seq_len(n), k) after sample(n), as e1071::tune
    pls      pls::cvsegments(n, k)
    """

    name: str
    call: str
    labels: Callable[[RFolds, Given], Draw]
    in_r: RowsInR
    least: int = 2
    strata: bool = False
    usual: tuple[str, str] = ("pooled", "")
    seeds_itself: bool = False


DIALECTS: dict[str, Dialect] = {}


def register(dialect: Dialect) -> Dialect:
    """Add a dialect, which `RFolds` then speaks; its name must be new.

    Examples
    --------
    >>> DIALECTS["caret"].in_r.needs
    'y'
    """
    if dialect.name in DIALECTS:
        raise FoldError("A dialect of this name exists.", given=dialect.name)
    DIALECTS[dialect.name] = dialect
    return dialect


@dataclass(frozen=True, repr=False)
class RFolds(Splitter):
    """The folds of an R package after ``set.seed(seed)``, row for row.

    Parameters
    ----------
    dialect : str
        The package: a name of `pycvstat.folds.DIALECTS`, where its call in R stands.
    k : int
        Number of folds. As in R, boot may change it (with a warning), and strata smaller than K
        (rsample) or an unlucky draw (kknn) can leave folds empty: those are left out.
    seed : int, optional
        As in ``set.seed(seed)`` right before the call. Without it ``plan(data, random=r.stream())``
        goes on with the stream of `pycvstat.r.set_seed`, as scripts with one seed do.
    repeats : int, default 1
        Repetitions: ``repeats`` of rsample and mlr3, ``times`` of createMultiFolds, ``reps`` of
        cv; for the others the call repeated without a new seed.
    strata : str or bool, default False
        rsample only. ``strata=True`` stratifies by y, a name by that column of the data.
    sample_kind : {"Rejection", "Rounding"}
        "Rounding" for R before 3.6.0.
    collation : {"ICU", "C"}, optional
        How R sorts classes as words, and so which caret and rsample draw first: "a" before "B"
        (nearly every locale) or after it (C). By default as ``levels=`` of the data, else "ICU".

    Notes
    -----
    Compared row for row with rsample 1.1.1, caret 6.0-93, boot 1.3-28.1, glmnet 4.1-6, kknn 1.4.1
    and the fold code of cv 2.0.4, mlr3 1.8.0 and origami 1.0.8. ``createFolds`` fails on a
    constant y below 2, and so does this.

    Examples
    --------
    >>> RFolds("cv", 3, seed=1).plan(7).fold_ids
    array([1, 2, 3, 1, 2, 3, 1])
    """

    dialect: str
    k: int
    seed: int | None = None
    repeats: int = 1
    strata: str | bool = False
    sample_kind: SampleKind = "Rejection"
    collation: Collation | None = None

    def __post_init__(self) -> None:
        check_word("dialect", self.dialect, DIALECTS, "Unknown dialect of folds.", FoldError)
        k = require_folds(self.k, least=self._rule.least)
        self._read(k=k, repeats=require_times(self.repeats, "repeats"))
        if self.collation is not None:
            words = get_args(Collation)
            check_word("collation", self.collation, words, "Unknown collation.", FoldError)
        started = RRandom(0 if self.seed is None else self.seed, self.sample_kind)
        self._read(seed=None if self.seed is None else started.seed)
        if not isinstance(self.strata, AS_STRATA):
            problem = "strata are the response, or a column of the data by its name."
            raise FoldError(problem, given=shown(self.strata), fix='strata="group", or True')
        if self.strata and not self._rule.strata:
            having = [name for name, one in DIALECTS.items() if one.strata]
            raise FoldError(
                f"strata is an argument of {' and '.join(having)}'s folds only.",
                given=f"dialect {self.dialect!r}",
                fix=f'RFolds("{having[0]}", ..., strata=...); caret\'s always stratify by y',
            )

    @property
    def _rule(self) -> Dialect:
        return DIALECTS[self.dialect]

    @property
    def column(self) -> str:
        """The column of strata, where they are one."""
        return self.strata if isinstance(self.strata, str) else ""

    @property
    def stratified(self) -> bool | str:
        """Where the package reads y, or is asked to."""
        return self.column or self._rule.in_r.needs == "y" or bool(self.strata)

    @property
    def random(self) -> int | RRandom | None:
        """What the folds are drawn from: R's generator started from the seed."""
        if self.seed is None or self.sample_kind == "Rejection":
            return self.seed
        return RRandom(self.seed, self.sample_kind)

    def _layout(self, given: Given, stream: Stream) -> Layout:
        require_enough(self.k, given.n)
        require_few_fits(self.repeats * self.k, self.repeats * given.n)
        return of_labels(list(islice(self.repetitions(given, stream), self.repeats)))

    def repetitions(self, given: Given, stream: Stream) -> Iterator[IntArray]:
        """The fold of every row, counted from 0, of one repetition after the other."""
        draw = self._rule.labels(self, given)
        while True:
            yield draw(stream)
            if self._rule.in_r.reseeds and given.n > self.k:
                stream = RRandom(int(stream.sample(1_000_000, 1)[0]), self.sample_kind)

    def in_r(self) -> RowsInR:
        """How the package makes the same rows; by a column as strata in a course only."""
        rule = self._rule.in_r
        if self.strata:
            course = rule.course.replace("v = k", "v = k, strata = STRATA")
            rule = replace(rule, code=rule.code * (not self.column), needs="y", course=course)
        return replace(rule, reads={**rule.reads, "k": self.k}, times=self.repeats)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        if X is not None and self.seed is not None:
            return len(self.plan(rows_of(X), y=y))
        return self.k * self.repeats


def _shuffled_labels(n: int, k: int) -> Draw:
    """Labels 1..K recycled to n, then shuffled."""
    recycled = np.arange(n) % k
    return lambda stream: recycled[stream.permutation(n)]


def _rsample(folds: RFolds, given: Given) -> Draw:
    if not folds.strata:
        return _shuffled_labels(given.n, folds.k)
    named_by = folds.column or given.y
    integers = are_integers(named(named_by, given.data, "strata"))
    strata = values_of(named_by, given.data, "strata") if folds.column else given.response

    def draw(stream: Stream) -> IntArray:
        labels = np.empty(given.n, dtype=np.int64)
        for rows in rsample_strata(strata, integers, folds.collation or "ICU", stream):
            labels[rows] = _shuffled_labels(len(rows), folds.k)(stream)
        return labels

    return draw


def _caret(folds: RFolds, given: Given) -> Draw:
    """Each class on its own: whole rounds of labels, spare labels at random, shuffled."""
    k = folds.k
    if k == given.n:
        return lambda stream: np.arange(k)
    words = folds.collation or "ICU"
    classes = given.once((k, words), lambda: caret_classes(given.response, k, words))
    parts = [(rows, np.arange(len(rows)) % k, len(rows) % k) for rows in classes]

    def draw(stream: Stream) -> IntArray:
        labels = np.empty(given.n, dtype=np.int64)
        for rows, dealt, spares in parts:
            if spares:
                dealt[-spares:] = stream.sample(k, spares) - 1
            labels[rows] = dealt if len(rows) < k else dealt[stream.permutation(len(rows))]
        return labels

    return draw


def boot_folds(n: int, k: int) -> int:
    """The number of folds nearest to `k` that is round(n / j) for some j, as cv.glm takes it.

    Examples
    --------
    >>> boot_folds(32, 10)
    11
    """
    possible = np.array(list(dict.fromkeys(round(n / j) for j in range(1, n // 2 + 1))))
    return int(possible[np.argmin(np.abs(possible - k))])


def _boot(folds: RFolds, given: Given) -> Draw:
    """n of the K * ceil(n / K) labels, K as `boot_folds` says."""
    n = given.n
    k = given.once(("boot", folds.k), lambda: boot_folds(n, folds.k))
    if k != folds.k:
        warn(f"boot's cv.glm changes K from {folds.k} to {k} for {n} rows.")
    labels = np.tile(np.arange(k), -(-n // k))
    return lambda stream: labels[stream.sample(len(labels), n) - 1]


def _cv(folds: RFolds, given: Given) -> Draw:
    """Permuted rows in chunks; leave-one-out is not shuffled."""
    chunks = np.sort(np.arange(given.n) % folds.k)
    return (lambda stream: chunks) if given.n == folds.k else _along(chunks)


def _plain(folds: RFolds, given: Given) -> Draw:
    return _shuffled_labels(given.n, folds.k)


def _origami(folds: RFolds, given: Given) -> Draw:
    """Leave-one-out is not shuffled."""
    return (lambda stream: np.arange(given.n)) if given.n == folds.k else _plain(folds, given)


def _kknn(folds: RFolds, given: Given) -> Draw:
    """Every row draws its label."""
    return lambda stream: stream.sample(folds.k, given.n, replace=True) - 1


def _train(folds: RFolds, given: Given) -> Draw:
    """As caret, from a seed that is drawn first."""
    draw, started = _caret(folds, given), list[RRandom]()

    def labels(stream: Stream) -> IntArray:
        if not started:
            seed = int(stream.sample(2**31 - 1, 1)[0])
            like = type(stream) if isinstance(stream, RRandom) else RRandom
            started.append(like(seed, folds.sample_kind))
        return draw(started[0])

    return labels


def _along(label: IntArray) -> Draw:
    """Shuffled rows that get these labels in turn."""

    def draw(stream: Stream) -> IntArray:
        labels = np.empty(len(label), dtype=np.int64)
        labels[stream.permutation(len(label))] = label
        return labels

    return draw


def _lecture(folds: RFolds, given: Given) -> Draw:
    return _along(np.arange(given.n) // -(-given.n // folds.k))


def _cut(folds: RFolds, given: Given) -> Draw:
    """Intervals of equal length, closed on the right."""

    def interval_of_each() -> IntArray:
        ends = np.linspace(1, given.n, folds.k + 1)[1:-1]
        return np.searchsorted(ends, np.arange(1, given.n + 1))

    return _along(given.once(("cut", folds.k), interval_of_each))


def _pls(folds: RFolds, given: Given) -> Draw:
    return _along(np.arange(given.n) % folds.k)


RECYCLED = "split(1:n, sample(rep(1:k, length.out = n)))"
SHUFFLED = RowsInR("sample(rep(seq(k), length = n))", course=RECYCLED)
BUT_ONE_BY_ONE = RowsInR("if (n == k) seq_len(n) else sample(rep(seq(k), length = n))")
RSAMPLE = RowsInR(
    "pcv_folds_rsample(n, k, y)",
    packages=("rsample",),
    course="lapply(rsample::vfold_cv(data, v = k)$splits, rsample::complement)",
)
CARET = RowsInR(
    "caret::createFolds(y, k, list = FALSE)",
    needs="y",
    packages=("caret",),
    course="caret::createFolds(RESPONSE, k)",
)
BOOT = RowsInR(
    "pcv_folds_boot(n, k)",
    course="split(1:n, sample(rep(1:k, length.out = k * ceiling(n / k)), n))",
)
CV = RowsInR("pcv_folds_cv(n, k)", reseeds=True)
KKNN = RowsInR("pcv_folds_kknn(n, k)", course="split(1:n, sample(k, n, replace = TRUE))")
TRAIN = RowsInR(
    "{ if (!started) set.seed(sample.int(.Machine$integer.max, 1)); started <<- TRUE\n"
    "caret::createFolds(y, k, list = FALSE) }",
    reads={"started": False},
    needs="y",
    packages=("caret",),
)
LECTURE, CUT = (
    RowsInR(f"pcv_folds_along({labels})", course=f"split(sample(n), {labels})")
    for labels in ("ceiling(1:n / ceiling(n / k))", "base::cut(1:n, k, labels = FALSE)")
)
PLS = RowsInR("pls::cvsegments(n, k)", packages=("pls",), course="pls::cvsegments(n, k)")
BY_FOLD = ("folds", "root by fold")
for one in (
    Dialect("rsample", "rsample::vfold_cv(data, v = k)", _rsample, RSAMPLE, 2, True, BY_FOLD),
    Dialect("caret", "caret::createFolds(y, k)", _caret, CARET, usual=BY_FOLD),
    Dialect("boot", "boot::cv.glm(data, fit, K = k)", _boot, BOOT),
    Dialect("cv", "cv::cv(model, k = k, seed = seed)", _cv, CV, seeds_itself=True),
    Dialect("glmnet", "glmnet::cv.glmnet(x, y, nfolds = k)", _plain, SHUFFLED, least=3),
    Dialect("mlr3", 'mlr3::rsmp("cv", folds = k)', _plain, SHUFFLED, usual=("folds", "")),
    Dialect("origami", "origami::make_folds(data, V = k)", _origami, BUT_ONE_BY_ONE),
    Dialect("kknn", "kknn::cv.kknn(formula, data, kcv = k)", _kknn, KKNN),
    Dialect(
        "train",
        'caret::train(..., trControl = trainControl("cv", k))',
        *(_train, TRAIN, 2, False, BY_FOLD, True),
    ),
    Dialect("lecture", "blocks of ceiling(n / k) rows after sample(n)", _lecture, LECTURE),
    Dialect("cut", "cut(seq_len(n), k) after sample(n), as e1071::tune", _cut, CUT),
    Dialect("pls", "pls::cvsegments(n, k)", _pls, PLS, usual=("pooled", "root")),
):
    register(one)
