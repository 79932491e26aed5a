"""The multiverse of splits: the same analysis with other seeds, numbers of folds and repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import Any, ClassVar, Unpack

import numpy as np
import pandas as pd

from pycvstat.errors import InputError, IntervalError, heard
from pycvstat.errors.checks import check_level, check_word, is_number, shown
from pycvstat.errors.names import answering
from pycvstat.folds import Splitter, as_splitter
from pycvstat.folds.fits import Scheme
from pycvstat.intervals.from_table import interval
from pycvstat.intervals.paired import paired
from pycvstat.learners import as_learner
from pycvstat.losses import LossTable
from pycvstat.procedures.setting import Arguments, Setting, draw_folds, read_seeds, read_setting
from pycvstat.types import FloatArray
from pycvstat.verbs import Verbs

NOT_TOLD, NONE = "not told apart", "no interval"
Found = tuple[float, float, float, float, str, str, str]


@dataclass(frozen=True, slots=True)
class Universe:
    """One way to split.

    Parameters
    ----------
    folds : str
        The splitter, without its seed.
    seed : int, optional
        None where nothing is drawn.
    k, times : int
        Folds, and repetitions.
    scheme : str
        What sort of plan it is, as interval methods name it.
    """

    folds: str
    seed: int | None
    k: int
    times: int
    scheme: Scheme


@dataclass(frozen=True, eq=False)
class Multiverse(Verbs):
    """Estimates, intervals and conclusions of one analysis under many ways to split.

    Parameters
    ----------
    universes : tuple of Universe
    pairs : tuple of (str, str)
        What is estimated: the risk of a method (the second name is empty), or the difference of
        two, the first minus the second.
    estimate, low, high, p_value : (U, P) float64
        By universe and pair; NaN where no interval is legal, and p values of a risk without `null`.
    method, target, said : tuple of tuple of str
        The interval methods, what they are about, and their notes, by universe and pair.
    level : float
    loss : str
    n : int
    null : float, optional
        The value that risks are compared with.
    notes : tuple of str
        What was said on the way, once each.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> both = {"ols": pcv.OLS(), "mean": pcv.Mean()}
    >>> found = pcv.multiverse(both, "mpg ~ wt", pcv.data.mtcars(), folds=[5, 10], seeds=range(4))
    >>> counts = found.tidy("conclusions")
    >>> counts[counts["b"] == "mean"][["folds", "conclusion", "share"]].values.tolist()
    [['KFold(5)', 'ols smaller', 1.0], ['KFold(10)', 'ols smaller', 1.0]]
    """

    view: ClassVar[str] = "audit"

    universes: tuple[Universe, ...]
    pairs: tuple[tuple[str, str], ...]
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    method: tuple[tuple[str, ...], ...]
    target: tuple[tuple[str, ...], ...]
    said: tuple[tuple[str, ...], ...]
    level: float
    loss: str
    n: int
    null: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def plans(self) -> list[str]:
        """The different folds."""
        return list(dict.fromkeys(one.folds for one in self.universes))

    def __repr__(self) -> str:
        return f"Multiverse({len(self.universes)} splits, {len(self.plans)} kinds of folds)"

    def conclusion(self, universe: int, pair: int) -> str:
        """What one way to split says; empty for a risk that is compared with nothing."""
        a, b = self.pairs[pair]
        null = 0.0 if b else self.null
        if null is None:
            return ""
        low, high, p = (of[universe, pair] for of in (self.low, self.high, self.p_value))
        if np.isnan(low) and np.isnan(p):
            return NONE
        told = p < 1 - self.level if not np.isnan(p) else not low <= null <= high
        if not told:
            return NOT_TOLD
        above = self.estimate[universe, pair] > null
        if b:
            return f"{b if above else a} smaller"
        return f"{'above' if above else 'below'} {null:g}"

    def tidy(self, what: str = "splits") -> pd.DataFrame:
        """One row per way to split and pair; "conclusions": how often each, by folds and pair.

        Conclusions stand beside the smallest, median and largest of all estimates of their folds.
        """
        check_word("what", what, ("splits", "conclusions"))
        rows = []
        for u, one in enumerate(self.universes):
            split = {"folds": one.folds, "k": one.k, "times": one.times, "seed": one.seed}
            for p, (a, b) in enumerate(self.pairs):
                numbers = {name: getattr(self, of)[u, p] for name, of in NUMBERS.items()}
                words = {name: getattr(self, of)[u][p] for name, of in WORDS.items()}
                told = {"level": self.level, "conclusion": self.conclusion(u, p)}
                rows.append(split | {"a": a, "b": b} | numbers | words | told)
        frame = pd.DataFrame(rows).astype({"seed": "Int64"})
        return frame if what == "splits" else self._conclusions(frame)

    def _conclusions(self, frame: pd.DataFrame) -> pd.DataFrame:
        rows = []
        for (folds, a, b), part in frame.groupby(["folds", "a", "b"], sort=False):
            estimates = part["estimate"]
            ends = {"smallest": estimates.min(), "median": estimates.median()}
            for conclusion, count in Counter(part["conclusion"]).most_common():
                share = {"splits": count, "share": count / len(part)}
                told = {"folds": folds, "a": a, "b": b, "conclusion": conclusion}
                rows.append(told | share | ends | {"largest": estimates.max()})
        return pd.DataFrame(rows)

    def glance(self) -> pd.DataFrame:
        """One row: splits, kinds of folds, seeds, and the share of the rarest agreement."""
        counts = self.tidy("conclusions").query("conclusion != ''")
        first = counts.groupby(["a", "b", "conclusion"])["splits"].sum().groupby(["a", "b"]).max()
        row = {
            "splits": len(self.universes),
            "folds": len(self.plans),
            "pairs": len(self.pairs),
            "agreement": float(first.min() / len(self.universes)) if len(first) else np.nan,
            "level": self.level,
            "loss": self.loss,
            "n": self.n,
        }
        return pd.DataFrame([row])


NUMBERS = {"estimate": "estimate", "conf_low": "low", "conf_high": "high", "p_value": "p_value"}
WORDS = {"method": "method", "target": "target", "notes": "said"}


@answering
def multiverse(
    learners: Any,
    formula: str | None = None,
    data: Any = None,
    *,
    folds: Any,
    seeds: Iterable[int] = range(50),
    loss: Any = None,
    level: float = 0.95,
    method: str = "auto",
    null: float | None = None,
    **arguments: Unpack[Arguments],
) -> Multiverse:
    """Would another split have said something else? The analysis under many seeds and folds.

    Parameters
    ----------
    learners : learner, or mapping of name to learner
        Of several the differences of all pairs are tested.
    formula, data, loss, **arguments
        As in `cross_validate`.
    folds : list of splitters or numbers of folds
        Without seeds of their own. Folds that draw nothing are one way to split.
    seeds : iterable of int
        R's seeds, each used once with every kind of folds.
    level, method
        Of the intervals.
    null : float, optional
        A value that the risk of a single learner is compared with.

    Returns
    -------
    Multiverse

    Examples
    --------
    >>> import pycvstat as pcv
    >>> found = pcv.multiverse(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), null=40,
    ...                        folds=[pcv.KFold(5), pcv.Repeated(pcv.KFold(5), 2)], seeds=range(3))
    >>> found.tidy("conclusions")[["folds", "conclusion", "splits"]].values.tolist()
    [['KFold(5)', 'below 40', 3], ['Repeated(KFold(5), 2)', 'below 40', 3]]
    """
    if arguments.get("checkpoint") is not None:
        raise InputError("a checkpoint holds one cross-validation, not a multiverse of them.")
    if null is not None and not is_number(null):
        raise InputError("null is a number.", given=shown(null))
    level = check_level(level)
    named = learners if isinstance(learners, Mapping) else {"": learners}
    read = {str(n) or as_learner(one).name: as_learner(one) for n, one in named.items()}
    if not read:
        raise InputError("there is no learner.", fix="multiverse(OLS(), ...)")
    splitters = _splitters(folds, grouped=arguments.get("groups") is not None)
    chosen = _seeds(seeds)
    setting = read_setting(list(read.values()), formula, data, splitters[0], loss, arguments)
    ways = [(one, s) for one in splitters for s in (chosen if _draws(one) else [None])]
    pairs = (*((name, "") for name in read), *combinations(read, 2))
    universes, found = [], []
    with heard() as said:
        for splitter, seed in ways:
            seeded = splitter if seed is None else _seeded(splitter, seed)
            plan, stream = draw_folds(seeded, setting.task, arguments.get("X", data))
            one = replace(setting, plan=plan, stream=stream)
            tables = {name: _losses(one, learner) for name, learner in read.items()}
            sizes = plan.folds_per_repeat, plan.times, plan.scheme
            universes.append(Universe(str(splitter), seed, *sizes))
            found.append([_told(tables, a, b, level, method, null) for a, b in pairs])
    low, high, p_value = (np.array([[each[i] for each in row] for row in found]) for i in (1, 2, 3))
    methods, targets, notes = (
        tuple(tuple(each[i] for each in r) for r in found) for i in (4, 5, 6)
    )
    return Multiverse(
        tuple(universes),
        pairs,
        np.array([[each[0] for each in row] for row in found]),
        low,
        high,
        p_value,
        methods,  # type: ignore[arg-type]
        targets,  # type: ignore[arg-type]
        notes,  # type: ignore[arg-type]
        level,
        setting.loss.name,
        setting.task.n,
        null,
        tuple(dict.fromkeys(said)),
    )


def _splitters(folds: Any, grouped: bool) -> list[Splitter]:
    several = list(folds) if isinstance(folds, list | tuple) else [folds]
    if not several:
        raise InputError(
            "the list of folds is empty.", given=repr(folds), fix="folds=[KFold(5), KFold(10)]"
        )
    read = [as_splitter(one, grouped) for one in several]
    for one in read:
        if _draws(one) and getattr(one, "random", None) is not None:
            raise InputError(
                "these folds have a seed of their own, and every seed of seeds= would be the same.",
                given=repr(one),
                fix="leave it out: folds=[KFold(5), KFold(10)], seeds=range(50)",
            )
    twice = [name for name, times in Counter(map(str, read)).items() if times > 1]
    if twice:
        raise InputError("folds are given twice.", given=twice[0])
    return read


def _draws(splitter: Splitter) -> bool:
    """Whether another seed makes other folds of it."""
    known = {part.name for part in fields(splitter)}  # type: ignore[arg-type]
    return splitter.draws and bool(known & {"random", "seed"})


def _seeded(splitter: Splitter, seed: int) -> Splitter:
    known = {part.name for part in fields(splitter)}  # type: ignore[arg-type]
    found: Splitter = replace(splitter, **{"seed" if "seed" in known else "random": seed})  # type: ignore[type-var]
    return found


def _seeds(seeds: Any) -> list[int]:
    given = read_seeds(seeds, "range(50)")
    twice = [seed for seed, times in Counter(given).items() if times > 1]
    if twice:
        problem = "a seed is given twice: the same split would count twice."
        fix = "seeds=range(50)"
        raise InputError(problem, given=f"{twice[0]}, {Counter(given)[twice[0]]} times", fix=fix)
    return given


def _losses(setting: Setting, learner: Any) -> LossTable:
    table = setting.run(learner, label=f"cross-validating {learner.name}", check_state=False).table
    assert table is not None
    return table


def _told(
    tables: Mapping[str, LossTable], a: str, b: str, level: float, method: str, null: float | None
) -> Found:
    """Estimate, limits, p value and method of a risk, or of the difference of two."""
    try:
        if b:
            pair = paired(tables[a], tables[b], names=(a, b), method=method, level=level)
            found, p = pair.interval, pair.p_value
        else:
            found = interval(tables[a], method, level)
            p = np.nan if null is None else found.p_value(null)
    except IntervalError as error:
        if method != "auto":
            raise
        means = [tables[name].estimate().item() for name in (a, b) if name]
        return means[0] - sum(means[1:]), np.nan, np.nan, np.nan, "none", "", error.problem
    words = found.method, found.target, "; ".join(found.notes)
    return found.estimate, found.low, found.high, p, *words
