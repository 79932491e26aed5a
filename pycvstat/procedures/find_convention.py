"""Which folds, seed and average give a number that somebody printed?"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, get_args

import numpy as np
import pandas as pd

from pycvstat.data.task import Task
from pycvstat.errors import PycvstatWarning, warn
from pycvstat.errors.names import answering
from pycvstat.folds import DIALECTS, FoldPlan, RFolds
from pycvstat.folds.splitter import Given, require_folds
from pycvstat.learners import as_learner
from pycvstat.learners.base import Learner
from pycvstat.procedures.conventions import (
    CALLS,
    CHANGED,
    COMMON,
    FAVOURITE,
    REPEATS,
    Convention,
    Estimate,
    Printed,
    estimates,
    expected_by_chance,
    usual,
    weight,
)
from pycvstat.procedures.cross_validate import cross_validate
from pycvstat.procedures.setting import read_seeds
from pycvstat.rmath.random.generator import SampleKind
from pycvstat.types import FloatArray, IntArray

SEEDS = range(10_001)

_ROWS = 800_000  # rows of sets of folds that are evaluated at a time
_SAME = 1e-8  # by which closed forms may differ from fitting every fold: they search, no more
_COLUMNS = (
    "dialect", "seed", "sample_kind", "call", "repeats", "loss", "average", "scale", "learner",
    "value", "prior", "by_chance", "code",
)  # fmt: skip


@answering
def find_convention(
    number: Any,
    learner: Any,
    formula: str,
    data: Any,
    k: int = 10,
    seeds: int | Iterable[int] | None = None,
) -> pd.DataFrame:
    """Find the folds, the seed and the average that give a number printed elsewhere.

    Parameters
    ----------
    number : str or float
        As it was printed: text says how many digits count, "19.30" four, 19.3 three.
    learner : Learner or any object with fit and predict
    formula : str
    data : frame
    k : int, default 10
        Number of folds.
    seeds : int or iterable of int, optional
        By default 0 to 10,000 and other common ones where a closed form serves all folds (least
        squares); otherwise about 200 common ones, since every fold is fitted. Neighbours have no
        such form: kknn scales by the training rows of each fold, and which of several rows at one
        distance votes hangs on the last bit of that. 1,000 seeds of them take about 8 minutes at
        32 rows (k=5) and 17 at 400 (k=10), on one core.

    Returns
    -------
    DataFrame
        One row per convention that gives the number, the most likely first:

        dialect : a name of `pycvstat.folds.DIALECTS`, or "loo", which has no seed.
        seed, sample_kind : as in R's ``set.seed(seed, sample.kind = sample_kind)``.
        call : after how many calls on one stream; later ones are tried with common seeds only.
        repeats : how many repetitions are averaged, likewise.
        loss, average, scale : what is averaged; over fold means ("folds"), all rows ("pooled", or
        fold means weighted by their sizes, cv.glm's first delta) or adjusted (its second); "root"
        of that, "root by fold" or "root by repeat"; of classes also "right", "percent".
        learner : as given, or scaled otherwise where that is a habit.
        value : all digits.
        prior : product of weights: of a seed (half of all for the ten favourites, four tenths for
        the other common ones), of ``sample`` (0.8 of today's), of the first call (0.6), of the
        estimate that a package prints (0.6).
        by_chance : how many such rows are to be expected, by chance alone, among conventions whose
        folds are as common as these.
        code : the line that gives the number again.

        ``.attrs`` has the number, `within` (half a unit of its last digit), how many numbers were
        `tried`, how many `expected` by chance among them all, and which `seeds` were searched.

    Notes
    -----
    A number of few digits is met by chance: look at `by_chance` before you believe a row. The
    adjusted estimate, whose fits predict all rows, is tried for least squares only.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> cars = pcv.data.mtcars()
    >>> found = pcv.find_convention("3.056339", pcv.OLS(), "mpg ~ wt", cars, k=5, seeds=range(50))
    >>> found.loc[0, ["dialect", "seed", "average", "scale"]].astype(str).tolist()
    ['caret', '3', 'folds', 'root by fold']
    >>> print(found["code"][0].replace(", folds", ",\\n    folds"))
    pcv.cross_validate(pcv.OLS(), "mpg ~ wt", data,
        folds=pcv.RFolds("caret", 5, seed=3)).metric("rmse", "folds").estimate
    """
    printed, k = Printed.of(number), require_folds(k)
    chosen = as_learner(learner)
    asked = None if seeds is None else read_seeds(seeds, "range(10001)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)  # of hundreds of thousands of fits
        searches = list(_searches(printed, chosen, formula, data, k, asked))
    values = np.concatenate([part for search in searches for part in search.values])
    weights = np.concatenate([part for search in searches for part in search.weights])
    expected = expected_by_chance(values, printed)
    weights.sort()
    rows = [row for search in searches for row in search.rows]
    for row in rows:
        rarer = np.searchsorted(weights, row.pop("weight") * (1 - 1e-9))
        row["by_chance"] = expected * (1.0 - rarer / len(weights))
    found = pd.DataFrame(rows, columns=list(_COLUMNS)).sort_values(
        "prior", ascending=False, kind="stable", ignore_index=True
    )
    found["seed"] = found["seed"].astype("Int64")
    found.attrs = {
        "number": printed.value, "within": printed.within,
        "tried": len(values), "expected": expected, "seeds": searches[0].seeds,
    }  # fmt: skip
    if not rows:
        nearest = values[np.nanargmin(np.abs(values - printed.value))]
        warn(
            f"none of {len(values):,} conventions gives this number; the nearest is {nearest:.8g}.",
            given=str(number),
            fix=f"other data, formula, learner or k? Searched were {searches[0].seeds}.",
        )
    return found


@dataclass(eq=False)
class _Search:
    """One way of fitting, what was tried with it and what was met."""

    printed: Printed
    learner: Learner
    task: Task
    k: int
    source: str
    changed: bool = False
    seeds: str = "the seeds that were given"
    values: list[FloatArray] = field(default_factory=list)
    weights: list[FloatArray] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.closed = False
        self.prepared = self.learner.prepare(self.task)
        first = np.arange(self.task.n)[None] % self.k
        closed = self.prepared.left_out(first)
        if closed is not None:
            sure = self._fitted(first)["residual"]
            size = np.abs(sure).max()
            self.closed = bool((np.abs(sure - closed[0]) <= _SAME * size).all())

    def look(self, conventions: list[Convention], labels: IntArray, calls: int) -> None:
        """Evaluate sets of folds (C, n); every `calls` of them follow each other on a stream."""
        places: dict[bytes, int] = {}
        which = np.array([places.setdefault(row.tobytes(), len(places)) for row in labels])
        first = np.unique(which, return_index=True)[1]
        found = {of: values[which] for of, values in self._estimates(labels[first]).items()}
        said = np.array([weight(one) for one in conventions]) * (CHANGED if self.changed else 1)
        heaviest = np.zeros(len(first))
        np.maximum.at(heaviest, which, said)
        for estimate, values in found.items():
            self.values.append(values[first])
            self.weights.append(heaviest)
            self._meet(estimate, values, conventions)
        for times in REPEATS if calls > 1 else ():
            self._repeated(found, conventions, calls, times)

    def _repeated(
        self, found: dict[Estimate, FloatArray], single: list[Convention], calls: int, times: int
    ) -> None:
        conventions = [one._replace(repeats=times) for one in single[::calls]]
        said = np.array([weight(one) for one in conventions])
        for estimate, values in found.items():
            each = values.reshape(len(conventions), calls)[:, :times]
            met = {estimate: each.mean(1)}
            if estimate.scale == "root":
                met = {estimate: np.sqrt((each**2).mean(1))}
                if estimate.average == "pooled":
                    met[estimate._replace(scale="root by repeat")] = each.mean(1)
            for one, means in met.items():
                self.values.append(means)
                self.weights.append(said)
                self._meet(one, means, conventions)

    def _meet(self, estimate: Estimate, values: FloatArray, conventions: list[Convention]) -> None:
        for i in np.flatnonzero(self.printed.is_met(values)):
            one = conventions[i]
            itself = one.dialect in DIALECTS and DIALECTS[one.dialect].seeds_itself
            if itself and one.call > 1:
                continue
            said = weight(one) * (CHANGED if self.changed else 1)
            self.rows.append(
                {
                    **one._asdict(), **estimate._asdict(), "learner": repr(self.learner),
                    "value": float(values[i]), "prior": said * usual(one, estimate),
                    "weight": said, "code": self._code(one, estimate),
                }
            )  # fmt: skip

    def _estimates(self, labels: IntArray) -> dict[Estimate, FloatArray]:
        y, k = self.task.response.values, int(labels.max()) + 1
        out = self.prepared.left_out(labels) if self.closed else None
        if out is None:
            return estimates(self._fitted(labels), y, labels, k)
        found = estimates({"residual": out[0]}, y, labels, k)
        adjusted = found[Estimate("squared", "pooled")] - out[1]
        found[Estimate("squared", "adjusted")] = adjusted
        found[Estimate("squared", "adjusted", "root")] = np.sqrt(adjusted)
        return found

    def _fitted(self, labels: IntArray) -> dict[str, FloatArray]:
        """Losses (C, n) of every set of folds, all of them one plan of many repetitions."""
        plan = FoldPlan.from_fold_ids(labels.T)
        table = cross_validate(self.learner, data=self.task, folds=plan, progress=False).table
        of = np.repeat(plan.repeat, plan.n_test), plan.rows
        losses = np.empty(labels.shape)
        if self.task.response.levels:
            losses[of] = table.losses.ravel()
            return {table.loss: losses}
        assert table.predictions is not None
        losses[of] = table.predictions.values.ravel()
        return {"residual": self.task.response.values - losses}

    def _code(self, one: Convention, estimate: Estimate) -> str:
        kind = "" if one.sample_kind == "Rejection" else f', sample_kind="{one.sample_kind}"'
        if one.dialect not in DIALECTS:
            folds = "pcv.LeaveOneOut()"
        elif one.call == 1:
            times = "" if one.repeats == 1 else f", repeats={one.repeats}"
            folds = f'pcv.RFolds("{one.dialect}", {self.k}, seed={one.seed}{times}{kind})'
        else:
            y = f"data[{self.task.response.name!r}]"
            folds = (
                f'[pcv.RFolds("{one.dialect}", {self.k}).plan(len(data), y={y}, random=stream) '
                f"for stream in [pcv.RRandom({one.seed}{kind})] * {one.call}][-1]"
            )
        more = {"absolute": ', loss="absolute"'}.get(estimate.loss, "")
        more += ", bias_adjusted=True" if estimate.average == "adjusted" else ""
        call = f"pcv.cross_validate({self.source}, folds={folds}{more})"
        name = {"squared": "rmse"}.get(estimate.loss, estimate.loss)
        over = {"root by fold": "folds", "root by repeat": "repeats"}.get(estimate.scale)
        if over or estimate.loss.startswith("r2"):
            return f'{call}.metric("{name}", "{over or estimate.average}").estimate'
        call += {"folds": ".estimate"}.get(estimate.average, f".{estimate.average}")
        scales = {
            "root": "{} ** 0.5", "right": "1 - {}", "percent": "100 * {}",
            "percent right": "100 - 100 * {}",
        }  # fmt: skip
        return scales.get(estimate.scale, "{}").format(call)


def _searches(
    printed: Printed, learner: Learner, formula: str, data: Any, k: int, seeds: list[int] | None
) -> Iterator[_Search]:
    """The searches, done: with the learner as it is, and as other programs would scale."""
    for i, (one, task, source) in enumerate(_ways(learner, formula, data)):
        search = _Search(printed, one, task, k, source, changed=i > 0)
        if search.closed or task.n <= 1000:
            search.look([Convention("loo", None)], np.arange(task.n)[None], 1)
        calls = (*FAVOURITE, *COMMON) if search.closed else FAVOURITE
        if seeds is None:
            wanted = list(dict.fromkeys((*FAVOURITE, *COMMON, *(SEEDS if search.closed else ()))))
            which = "0 to 10,000 and other common ones" if search.closed else "common ones only"
            search.seeds = f"{len(wanted):,} seeds, {which}"
        else:
            wanted = seeds
        wanted = wanted if i == 0 or seeds is not None else list(FAVOURITE)
        often = [seed for seed in wanted if seed in calls] if i == 0 else []
        _draw(search, often, CALLS)
        _draw(search, [seed for seed in wanted if seed not in often], 1)
        yield search


def _ways(learner: Learner, formula: str, data: Any) -> Iterator[tuple[Learner, Task, str]]:
    """The learner and what others would scale otherwise, the data, and how that is typed."""
    classes = learner.for_classes
    task = Task.build(formula, data, beside=learner.beside, classes=classes)
    yield learner, task, f'pcv.{learner!r}, "{formula}", data'
    if not learner.scales:
        return
    scaled = learner.params()["scale"]
    other = learner.with_params(scale=not scaled)
    yield other, task, f'pcv.{other!r}, "{formula}", data'
    numbers = [v for v in task.formula.predictors if task.frame[v].kind == "numeric"]
    if not numbers or not isinstance(data, pd.DataFrame):
        return
    before = data.assign(**data[numbers].apply(lambda x: (x - x.mean()) / x.std()))
    plain = learner.with_params(scale=False)
    said = f"data.assign(**data[{numbers}].apply(lambda x: (x - x.mean()) / x.std()))"
    again = Task.build(formula, before, beside=learner.beside, classes=classes)
    yield plain, again, f'pcv.{plain!r}, "{formula}", {said}'


def _draw(search: _Search, seeds: list[int], calls: int) -> None:
    """Draw the folds of every dialect from every seed, in both ways of R's `sample`."""
    from pycvstat.rmath.random.compiled import started

    task = search.task
    given = Given(task.n, task.n, task.response.for_folds, None)
    known = [name for name, one in DIALECTS.items() if one.least <= search.k <= task.n]
    kinds = get_args(SampleKind)
    folds = {kind: [RFolds(d, search.k, sample_kind=kind) for d in known] for kind in kinds}
    conventions: list[Convention] = []
    drawn: list[IntArray] = []

    def evaluate() -> None:
        if drawn:
            search.look(conventions, np.stack(drawn), calls)
        conventions.clear()
        drawn.clear()

    for seed in seeds:
        for stream in started(seed):
            for one in folds[stream.sample_kind]:
                labels = islice(one.repetitions(given, stream.fork()), calls)
                for call, label in enumerate(labels, 1):
                    conventions.append(Convention(one.dialect, seed, stream.sample_kind, call))
                    drawn.append(label)
        if len(drawn) * task.n > _ROWS:
            evaluate()
    evaluate()
