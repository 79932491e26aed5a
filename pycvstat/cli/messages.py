"""Advice in the words of the command line: ``--na omit`` instead of ``na='omit'``."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from dataclasses import fields
from typing import Any

from pycvstat.cli.options import LEARNERS
from pycvstat.errors import Advice, AsClasses, Reading
from pycvstat.folds import (
    Blocks,
    Bootstrap,
    Grouped,
    Holdout,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    Repeated,
    Splitter,
    Stratified,
    StratifiedGrouped,
    Subsampling,
    TimeSeries,
)
from pycvstat.learners.base import Learner

OPTIONS = {"n_jobs": "jobs"}
READING = {"na_values": "na-string", "decimal": "decimal", "sep": "sep"} | {"parse_dates": "date"}
"""Arguments, and options of pandas, whose option here has another name."""


def tell(text: str) -> None:
    """A line for whoever waits at a terminal."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)


def in_words(advice: Advice, chosen: Namespace) -> str:
    """Arguments, folds and learners as options of this command: those that it has.

    Examples
    --------
    >>> from pycvstat.folds import Grouped
    >>> in_words(Advice("use {folds}", folds=Grouped(5)), Namespace(outer="10"))
    'use --outer grouped:5'
    >>> in_words(Advice("use {scale}", scale=False), Namespace(learner="knn:k=5"))
    'use --learner knn:scale=False'
    >>> in_words(Advice("use {refit}", refit="all"), Namespace())
    "use refit='all' (in Python)"
    """

    def argument(name: str, value: Any) -> str:
        option = OPTIONS.get(name, name)
        if option == "folds" and not hasattr(chosen, option):
            option = "outer"
        if hasattr(chosen, option):
            return _option(option.replace("_", "-"), _typed(value))
        for word in _learners(chosen):
            if name in LEARNERS[word]().params():
                return _option("learner", f"{word}:{name}={value}")
        return f"{name}={value!r} (in Python)"

    return advice.said(lambda thing: _object(thing, chosen, advice.folds), argument)


def _learners(chosen: Namespace) -> list[str]:
    """The learners that were named, without their settings."""
    given = getattr(chosen, "learner", [])
    words = [text.partition(":")[0] for text in ([given] if isinstance(given, str) else given)]
    return [word for word in words if word in LEARNERS]


def _object(thing: Any, chosen: Namespace, folds: str) -> str:
    if isinstance(thing, AsClasses):
        return _option("factor", thing.name)
    if isinstance(thing, Reading) and thing.options.keys() <= READING.keys():
        return " ".join(
            _option(READING[name], word)
            for name, value in thing.options.items()
            for word in ([value] if isinstance(value, str) else value)
        )
    if isinstance(thing, Learner) and thing.word:
        return _option("learner", learner_word(thing))
    if isinstance(thing, Splitter) and word_of(thing) is not None:
        return _option(folds if hasattr(chosen, folds) else "outer", _typed(thing))
    return f"{thing!r} (in Python)"


def _typed(value: Any) -> str:
    """A value as it is typed after an option."""
    if isinstance(value, Splitter):
        return word_of(value) or repr(value)
    if isinstance(value, dict):
        return " ".join(f"{name}={_typed(values)}" for name, values in value.items())
    if isinstance(value, range):
        return f"{value[0]}:{value[-1]}"
    return "COLUMN" if value is ... else str(value)


def _option(name: str, value: str) -> str:
    quoted = shlex.quote(value)
    return f"--{name}={quoted}" if value.startswith("-") else f"--{name} {quoted}"


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
    match folds:
        case KFold(k=k):
            return str(k)
        case Blocks(k=k, as_in_r=False):
            return f"blocks:{k}"
        case StratifiedGrouped(k=k):
            return f"stratified_grouped:{k}"
        case Stratified(k=k):
            return f"stratified:{k}"
        case Grouped(k=k):
            return f"grouped:{k}"
        case Repeated(splitter=KFold(k=k), times=times):
            return f"repeated:{k}x{times}"
        case LeaveOneOut():
            return "loo"
        case LeaveOneGroupOut():
            return "logo"
        case Bootstrap(times=times):
            return f"bootstrap:{times}"
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
    usual = type(learner)().params()
    changed = {n: v for n, v in learner.params().items() if v != usual[n]}
    settings = ",".join(f"{name}={value}" for name, value in changed.items())
    return f"{learner.word}:{settings}" if settings else learner.word
