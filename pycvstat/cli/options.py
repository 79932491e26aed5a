"""How learners, grids and folds are spelled on the command line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np

import pycvstat
from pycvstat.errors import InputError
from pycvstat.errors.checks import nearest
from pycvstat.errors.names import unknown_argument
from pycvstat.folds import (
    DIALECTS,
    Blocks,
    Bootstrap,
    Grouped,
    Holdout,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    Repeated,
    RFolds,
    Splitter,
    Stratified,
    StratifiedGrouped,
    Subsampling,
    TimeSeries,
)
from pycvstat.learners.base import Learner

OFFERED = "KNN OLS WLS GLM Logit MNLogit RLM QuantReg Ridge Lasso ElasticNet Mean"
LEARNERS = {name.lower(): name for name in OFFERED.split()}
"""The word for a learner -> its class, which is loaded where it is used."""


def value_of(text: str) -> Any:
    """A number, a truth value, or text.

    Examples
    --------
    >>> value_of("3"), value_of("0.5"), value_of("true"), value_of("optimal")
    (3, 0.5, True, 'optimal')
    """
    lower = text.lower()
    if lower in ("true", "false"):
        return lower == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def values_of(text: str) -> list[Any]:
    """Values of a grid: ``1:30``, ``1:30:2``, ``0.1,1,10``, ``log:0.001:10:20``, or formulas.

    Examples
    --------
    >>> values_of("1:4"), values_of("1:9:4"), values_of("a,b")
    ([1, 2, 3, 4], [1, 5, 9], ['a', 'b'])
    >>> values_of("log:0.1:10:3"), values_of("y ~ x,y ~ poly(x, 2)")
    ([0.1, 1.0, 10.0], ['y ~ x', 'y ~ poly(x, 2)'])
    """
    if "~" in text:  # commas between formulas stand outside parentheses
        return [part.strip() for part in re.split(r",(?![^()]*\))", text)]
    if text.startswith("log:"):
        low, high, count = _numbers(text[4:], text, 3)
        if low <= 0 or high <= 0:
            raise InputError("a logarithmic range needs positive ends.", given=text)
        if count < 1:
            raise InputError("a range needs at least one value.", given=text)
        _refuse_too_many(count, text)
        return [float(f"{v:.12g}") for v in np.geomspace(low, high, int(count))]
    if ":" in text:
        parts = _numbers(text, text, 2, 3)
        if any(p != int(p) for p in parts):
            raise InputError(
                "a range goes in whole steps.", given=text, fix="list values: 0.1,0.5,1"
            )
        first, last, step = (int(p) for p in (*parts, 1)[:3])
        if step == 0:
            raise InputError("a range cannot go in steps of 0.", given=text, fix="write 1:30:2")
        _refuse_too_many((last - first) // step + 1, text)
        return list(range(first, last + (1 if step > 0 else -1), step))
    return [value_of(part) for part in text.split(",") if part]


def _numbers(text: str, given: str, *counts: int) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(":")]
    except ValueError:
        numbers = []
    if len(numbers) not in counts or not np.isfinite(numbers).all():
        fix = "write 1:30, 1:30:2, 0.1,1,10 or log:0.001:10:20"
        raise InputError("this is not a range of values.", given=given, fix=fix)
    return numbers


def _refuse_too_many(count: float, given: str) -> None:
    from pycvstat.procedures.grid import refuse_too_many

    wider = "take wider steps: 1:1000:10, or log:0.001:10:20"
    refuse_too_many(count, f"{given}, which has {count:,.0f}", wider)


def kind_of(word: str) -> type[Learner]:
    """The class of a learner that is offered."""
    kind: type[Learner] = getattr(pycvstat, LEARNERS[word])
    return kind


def is_offered(learner: Learner) -> bool:
    """Whether the command line has a word for a learner.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> is_offered(pcv.KNN(5)), is_offered(pcv.Stepwise(pcv.OLS()))
    (True, False)
    """
    name = type(learner).__name__
    return LEARNERS.get(name.lower()) == name


def learner_of(text: str) -> Learner:
    """A learner by its name, with settings: ``knn``, ``knn:k=7,kernel=optimal``.

    Examples
    --------
    >>> learner_of("knn:k=5").params()["k"]
    5
    """
    name, _, settings = text.partition(":")
    if name not in LEARNERS:
        near, model = nearest(name, LEARNERS), name.startswith(("sm.", "smf."))
        fix = f"{near}, or give {name} to cross_validate (in Python)" if model else near
        raise InputError(f"there is no learner called {name!r}.", given=text, fix=fix)
    if name == "glm" and settings and "=" not in settings:
        settings = f"family={settings}"
    kind = kind_of(name)
    chosen = _pairs(settings, text)
    known = [f.name for f in fields(kind)]  # type: ignore[arg-type]
    for given in chosen:
        if given not in known:
            raise unknown_argument(name, given, known, kind.instead, what="parameter")
    return kind(**chosen)


def labels_of(texts: Sequence[str]) -> dict[str, str]:
    """What to call each of several learners: by its name, or in full where that is not enough.

    Examples
    --------
    >>> labels_of(["ols", "knn:k=5", "knn:k=9"])
    {'ols': 'ols', 'knn:k=5': 'knn:k=5', 'knn:k=9': 'knn:k=9'}
    """
    names = [text.partition(":")[0] for text in texts]
    if twice := [text for text in texts if texts.count(text) > 1]:
        fix = "give other settings: --learner knn:k=5 --learner knn:k=9"
        raise InputError("the same learner is compared twice.", given=twice[0], fix=fix)
    return {
        text: name if names.count(name) == 1 else text
        for text, name in zip(texts, names, strict=True)
    }


def split_names(text: str) -> list[str]:
    """Names between commas.

    Examples
    --------
    >>> split_names("accuracy, auc,f_beta(2)")
    ['accuracy', 'auc', 'f_beta(2)']
    """
    return [name.strip() for name in text.split(",") if name.strip()]


def unescaped(text: str) -> str:
    r"""Text with signs such as ``\t`` for those that cannot be typed.

    Examples
    --------
    >>> unescaped(r"\t"), unescaped("§"), unescaped(r"\x")
    ('\t', '§', '\\x')
    """
    try:
        return text.encode("latin-1", "backslashreplace").decode("unicode_escape")
    except UnicodeDecodeError:
        return text


def _pairs(settings: str, given: str) -> dict[str, Any]:
    pairs: dict[str, Any] = {}
    for part in settings.split(","):
        if not part:
            continue
        name, equal, value = part.partition("=")
        if not equal:
            raise InputError("a setting is written name=value.", given=given, fix="knn:k=7")
        pairs[name.strip()] = value_of(value.strip())
    return pairs


def grid_of(parts: list[str]) -> dict[str, list[Any]]:
    """A grid from ``name=values`` words.

    Examples
    --------
    >>> grid_of(["k=1:3", "kernel=optimal,inv"])
    {'k': [1, 2, 3], 'kernel': ['optimal', 'inv']}
    """
    grid: dict[str, list[Any]] = {}
    for part in parts:
        name, equal, values = part.partition("=")
        if not equal or not values:
            raise InputError("a grid is written name=values.", given=part, fix="--grid k=1:30")
        if name.strip() in grid:
            raise InputError(
                f"the values of {name.strip()!r} are given twice.", given=part, fix="k=1:5,9"
            )
        grid[name.strip()] = values_of(values.strip())
    _refuse_too_many(math.prod(map(len, grid.values())), " ".join(parts))
    return grid


def folds_of(text: str, seed: int | None, *, grouped: bool = False) -> Any:
    """Folds from words: ``10``, ``blocks:8``, ``repeated:10x5``, ``loo``, ``caret:10``, ...

    A number alone keeps groups together where rows belong to some, as it does in Python.

    Examples
    --------
    >>> folds_of("blocks:8", None), folds_of("10", 1), folds_of("10", 1, grouped=True)
    (Blocks(8), KFold(10, random=1), Grouped(10, random=1))
    >>> folds_of("bootstrap:200", 1), folds_of("stratified_grouped:5", 1), folds_of("logo", 1)
    (Bootstrap(200, random=1), StratifiedGrouped(5, random=1), LeaveOneGroupOut())
    >>> folds_of("time:24,horizon=6,step=6", None)
    TimeSeries(24, horizon=6, step=6)
    """
    kind, _, rest = text.partition(":")
    if kind.isdigit():
        kind, rest = "grouped" if grouped else "kfold", kind
    if kind in DIALECTS:
        return RFolds(kind, _count(rest, text), seed=seed)
    if isinstance(value_of(text), float):
        raise InputError("a number of folds is whole.", given=text, fix="--folds 10")
    if kind not in FOLDS:
        raise InputError(
            "these folds are not known.", given=text, fix=nearest(kind, (*FOLDS, *DIALECTS))
        )
    return FOLDS[kind](rest, text, seed)


def _counted(kind: Any, rest: str, text: str, seed: int | None) -> Splitter:
    size = _count(rest or "25" * (kind is Bootstrap), text)
    made: Splitter = kind(size) if kind is Blocks else kind(size, random=seed)
    return made


def _repeated(rest: str, text: str, seed: int | None) -> Splitter:
    folds, _, times = rest.partition("x")
    return Repeated(KFold(_count(folds, text)), times=_count(times or "10", text), random=seed)


def _subsampling(rest: str, text: str, seed: int | None) -> Splitter:
    times, _, train = rest.partition(":")
    return Subsampling(_count(times or "25", text), train=_share(train or "0.9", text), random=seed)


def _time(rest: str, text: str, seed: int | None) -> Splitter:
    initial, _, more = rest.partition(",")
    settings = _pairs(more, text)
    known = [field.name for field in fields(TimeSeries)]
    for name in settings:
        if name not in known:
            raise unknown_argument("time", name, known, {}, what="setting")
    return TimeSeries(_count(initial, text, "time:24,horizon=6"), **settings)


COUNTED: dict[str, Any] = {
    "kfold": KFold, "blocks": Blocks, "bootstrap": Bootstrap,
    "stratified_grouped": StratifiedGrouped, "stratified": Stratified, "grouped": Grouped,
}  # fmt: skip
"""Folds of which a number says all."""
FOLDS: dict[str, Callable[[str, str, int | None], Splitter]] = {
    **{word: partial(_counted, kind) for word, kind in COUNTED.items()},
    "repeated": _repeated,
    "loo": lambda rest, text, seed: LeaveOneOut(),
    "logo": lambda rest, text, seed: LeaveOneGroupOut(),
    "holdout": lambda rest, text, seed: Holdout(_share(rest or "0.25", text), random=seed),
    "subsampling": _subsampling,
    "time": _time,
}


def _count(word: str, text: str, example: str = "kfold:10") -> int:
    if not word.isdigit():
        raise InputError("a number is missing.", given=text, fix=f"for example {example}")
    return int(word)


def _share(word: str, text: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise InputError(
            "a share is missing.", given=text, fix="for example holdout:0.25"
        ) from None


def word_of(folds: Splitter) -> str | None:
    """Folds as they are said to the command line; None where it has no word for them.

    Examples
    --------
    >>> word_of(Grouped(5)), word_of(Repeated(KFold(10), 5)), word_of(Subsampling(25, train=0.8))
    ('grouped:5', 'repeated:10x5', 'subsampling:25:0.8')
    >>> word_of(StratifiedGrouped(5)), word_of(Bootstrap(25)), word_of(LeaveOneGroupOut())
    ('stratified_grouped:5', 'bootstrap:25', 'logo')
    >>> word_of(TimeSeries(24, step=6))
    'time:24,step=6'
    """
    kind = next((word for word, kind in COUNTED.items() if kind is type(folds)), None)
    if kind is not None and not getattr(folds, "as_in_r", False):
        size = getattr(folds, "times" if kind == "bootstrap" else "k")
        return str(size) if kind == "kfold" else f"{kind}:{size}"
    match folds:
        case Repeated(splitter=KFold(k=k), times=times):
            return f"repeated:{k}x{times}"
        case LeaveOneOut():
            return "loo"
        case LeaveOneGroupOut():
            return "logo"
        case Holdout(test=share):
            return f"holdout:{share}"
        case Subsampling(times=times, train=share):
            return f"subsampling:{times}:{share}"
        case TimeSeries(initial=first):
            more = [f",{f.name}={value}" for f in fields(folds) if f.name != "initial"
                    and (value := getattr(folds, f.name)) != f.default]  # fmt: skip
            return f"time:{first}{''.join(more)}"
    return None


def learner_word(learner: Learner) -> str:
    """A learner as it is said to the command line.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> learner_word(pcv.GLM("poisson")), learner_word(pcv.KNN(k=5, ties="row"))
    ('glm:family=poisson', 'knn:k=5,ties=row')
    """
    word, usual = type(learner).__name__.lower(), type(learner)().params()
    changed = {n: v for n, v in learner.params().items() if v != usual[n]}
    settings = ",".join(f"{name}={value}" for name, value in changed.items())
    return f"{word}:{settings}" if settings else word
