"""Advice in the words of the command line: ``--na omit`` instead of ``na='omit'``."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from typing import Any

from pycvstat.cli.options import LEARNERS, is_offered, kind_of, learner_word, word_of
from pycvstat.errors import Advice, AsClasses, Reading
from pycvstat.folds import Splitter
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
            if name in kind_of(word)().params():
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
    if isinstance(thing, Learner) and is_offered(thing):
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
