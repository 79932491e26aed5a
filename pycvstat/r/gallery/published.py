"""A published number: where it stands, the R calls that give it, our lines, and their digits."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from textwrap import dedent, indent
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.errors import InputError
from pycvstat.errors.checks import nearest
from pycvstat.errors.names import answering
from pycvstat.r.session import apart


@dataclass(frozen=True, slots=True, eq=False)
class Published:
    """Numbers that somebody published, and two ways to them.

    Parameters
    ----------
    name : str
    source : str
        Author, title, place.
    url : str
        Where they can be read.
    what : str
    numbers : tuple of str
        As printed there.
    r : str
        R calls that give them, the data under their names; written for this gallery.
    ours : callable
        Our lines: they give the numbers in the same order.
    why : str
        Where digits differ, what is known of the reason.

    Examples
    --------
    >>> from pycvstat.r import gallery
    >>> print(gallery.ENTRIES["cv-auto-loo"].r)
    fit <- lm(mpg ~ poly(horsepower, 2), data = Auto)
    mean((residuals(fit) / (1 - hatvalues(fit)))^2)
    """

    name: str
    source: str
    url: str
    what: str
    numbers: tuple[str, ...]
    r: str
    ours: Callable[[], Iterable[Any]]
    why: str = ""

    @property
    def lines(self) -> str:
        """Our lines as they are written."""
        _, _, body = inspect.getsource(self.ours).partition(":\n")
        return dedent(body)

    def run(self) -> Compared:
        """Compute the numbers; R's session here goes on as if nothing had been drawn."""
        with apart(0):
            found = np.concatenate([np.ravel(part) for part in self.ours()])
        return Compared(self, found.astype(np.float64))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Compared:
    """Published numbers and ours.

    Parameters
    ----------
    entry : Published
    values : (N,) float64
        Ours.

    Examples
    --------
    >>> from pycvstat.r import gallery
    >>> gallery.compare("origami-mtcars").tidy()[["published", "ours", "agree", "of"]]
      published     ours  agree  of
    0   14.1114  14.1114      6   6
    1   14.0256  14.0256      6   6
    """

    entry: Published
    values: np.ndarray[Any, Any]

    def __repr__(self) -> str:
        table = self.tidy()[["published", "ours", "agree", "of"]].to_string(index=False)
        entry = self.entry
        parts = [f"{entry.name}: {entry.what}", f"{entry.source}\n{entry.url}", table]
        parts += [f"Why digits differ: {entry.why}"] if entry.why else []
        parts += [f"In R:\n{indent(entry.r, '  ')}", f"Here:\n{indent(entry.lines, '  ')}"]
        return "\n\n".join(parts)

    def tidy(self) -> pd.DataFrame:
        """One row per number: as published, ours to as many decimals, and digits that agree."""
        rows = []
        for text, value in zip(self.entry.numbers, self.values, strict=True):
            places = -int(Decimal(text).as_tuple().exponent)
            agree, of = digits(text, float(value))
            ours = f"{value:.{places}f}"
            rows.append({"name": self.entry.name, "published": text, "ours": ours,
                         "agree": agree, "of": of})  # fmt: skip
        return pd.DataFrame(rows)

    @property
    def agrees(self) -> bool:
        """Whether every digit of every number does."""
        table = self.tidy()
        return bool((table["agree"] == table["of"]).all())


def digits(text: str, value: float) -> tuple[int, int]:
    """How many leading digits of a printed number a value has, and how many were printed.

    Examples
    --------
    >>> digits("19.2600", 19.26), digits("4.81", 4.7635), digits("-0.0550", -0.05497)
    ((6, 6), (2, 3), (3, 3))
    """
    printed = Decimal(text)
    of = len(printed.as_tuple().digits)
    if round(Decimal(value), -int(printed.as_tuple().exponent)) == printed:
        return of, of
    same = [d for d in range(1, of) if f"{printed:.{d - 1}e}" == f"{Decimal(value):.{d - 1}e}"]
    return max(same, default=0), of


ENTRIES: dict[str, Published] = {}


def published(
    name: str, source: tuple[str, str], what: str, numbers: str, r: str, why: str = ""
) -> Callable[[Callable[[], Iterable[Any]]], Callable[[], Iterable[Any]]]:
    """Put the function that gives these numbers into the gallery."""

    def keep(ours: Callable[[], Iterable[Any]]) -> Callable[[], Iterable[Any]]:
        entry = Published(name, *source, what, tuple(numbers.split()), dedent(r).strip(), ours, why)
        ENTRIES[name] = entry
        return ours

    return keep


@answering
def compare(name: str) -> Compared:
    """Compute the numbers of one entry and put them beside the published ones.

    Parameters
    ----------
    name : str
        Of `ENTRIES`.

    Examples
    --------
    >>> from pycvstat.r import gallery
    >>> gallery.compare("cv-auto-loo").values.round(3)
    array([19.248])
    """
    if name not in ENTRIES:
        fix = nearest(name, ENTRIES)
        raise InputError("the gallery has no such entry.", given=repr(name), fix=fix)
    return ENTRIES[name].run()


def overview(names: Iterable[str] = ()) -> pd.DataFrame:
    """Entries, computed (all by default): how many numbers, and of how many all digits agree.

    Examples
    --------
    >>> from pycvstat.r import gallery
    >>> gallery.overview(["origami-mtcars", "caret-1193"])[["name", "numbers", "agree"]]
                 name  numbers  agree
    0  origami-mtcars        2      2
    1      caret-1193        3      3
    """
    rows = []
    for found in map(compare, tuple(names) or ENTRIES):
        entry, table = found.entry, found.tidy()
        whole = int((table["agree"] == table["of"]).sum())
        rows.append({"name": entry.name, "source": entry.source, "what": entry.what,
                     "numbers": len(table), "agree": whole, "why": entry.why})  # fmt: skip
    return pd.DataFrame(rows)


def markdown() -> str:
    """The gallery as a page: every entry with its source, both columns, both pieces of code."""
    parts = []
    for entry in ENTRIES.values():
        table = entry.run().tidy()
        rows = [f"| {r.published} | {r.ours} | {r.agree} of {r.of} |" for r in table.itertuples()]
        parts += [
            f"### {entry.name}",
            f"{entry.what[0].upper()}{entry.what[1:]}. [{entry.source}]({entry.url})",
            "\n".join(["| published | ours | digits that agree |", "|---|---|---|", *rows]),
            *([f"*Why digits differ:* {entry.why}"] if entry.why else []),
            f"```r\n{entry.r}\n```",
            f"```python\n{entry.lines.rstrip()}\n```",
        ]
    return "\n\n".join(parts)
