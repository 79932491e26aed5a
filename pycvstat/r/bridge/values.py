"""R values that have no plain Python form, and texts that have none in R."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pycvstat.errors import RError


@dataclass(frozen=True, slots=True, eq=False)
class RValue:
    """Something only R can hold (a function, a formula, an environment, an S4 object).

    It can be printed and handed back to R; nothing else.

    Attributes
    ----------
    r_class : tuple of str
        The R class, as ``class(x)`` gives it.
    text : str
        What R prints for it.
    """

    r_class: tuple[str, ...]
    text: str
    sexp: Any = field(repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, eq=False)
class RList:
    """An R list that has a class, or names that a dict cannot hold.

    Elements are found by name (the first of that name) or by 0-based position. Handed back to
    R it is the original list, with all its attributes.

    Attributes
    ----------
    values : tuple
        The elements.
    names : tuple of str
        Their names; "" where R has none.
    r_class : tuple of str
        The R class, as ``class(x)`` gives it; ``("list",)`` for a plain list.

    Examples
    --------
    >>> fit = RList((3.0, None), ("coef", "call"), ("lm",))
    >>> fit["coef"], fit[0], fit.r_class
    (3.0, 3.0, ('lm',))
    """

    values: tuple[object, ...]
    names: tuple[str, ...]
    r_class: tuple[str, ...]
    sexp: Any = field(default=None, repr=False)

    def __getitem__(self, key: str | int) -> object:
        if isinstance(key, int):
            return self.values[key]
        if key not in self.names:
            raise KeyError(f"{key!r}; the names are: {', '.join(self.names) or 'none'}")
        return self.values[self.names.index(key)]

    def __iter__(self) -> Iterator[object]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)


def r_text(value: object) -> str:
    """The text of a value, when R can hold it.

    Examples
    --------
    >>> r_text("a"), r_text(1)
    ('a', '1')
    """
    text = str(value)
    if "\0" in text:
        raise RError(
            "R cannot hold a text with a NUL character.",
            given=f"{text!r:.80}",
            fix="take it out: text.replace(chr(0), '')",
        )
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise RError(
                "R cannot hold a text with half of a character (a lone surrogate).",
                given=f"{text!r:.80}",
                fix='read it again with the right encoding, or with errors="replace"',
            ) from None
    return text
