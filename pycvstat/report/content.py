"""What a report says, apart from how it is written: sections made of a few kinds of blocks.

Every text passes `visible` when a block is made, so that no name in the data can hide, reorder
or control what is shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Cite:
    """A reference to works of the bibliography, "(Stone, 1974)"."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Something as it is typed: a formula, a recipe of folds."""

    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", visible(self.text))


Inline = str | Cite | Verbatim


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences, with citations and verbatim parts between them."""

    parts: tuple[Inline, ...]

    def __post_init__(self) -> None:
        parts = tuple(visible(part) if isinstance(part, str) else part for part in self.parts)
        object.__setattr__(self, "parts", parts)


@dataclass(frozen=True, slots=True)
class Note:
    """Something the reader must know before using a number."""

    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", visible(self.text))


@dataclass(frozen=True, slots=True)
class Headline:
    """The main number of a result and what it is."""

    value: str
    words: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", visible(self.value))
        object.__setattr__(self, "words", visible(self.words))


@dataclass(frozen=True, slots=True)
class Facts:
    """Labels and values."""

    rows: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        rows = tuple((visible(label), visible(value)) for label, value in self.rows)
        object.__setattr__(self, "rows", rows)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of formatted cells.

    Parameters
    ----------
    columns : tuple of str
    rows : tuple of tuple of str
    align : str
        One of "l" and "r" per column.
    caption : str
    strong : tuple of int
        Rows that are emphasised.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: str
    caption: str
    strong: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(visible(c) for c in self.columns))
        rows = tuple(tuple(visible(cell) for cell in row) for row in self.rows)
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "caption", visible(self.caption))


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture that is drawn when it is written.

    Parameters
    ----------
    name : str
        For file names and anchors.
    draw : callable
        ``draw(ax)`` draws on Axes.
    caption : str
        What is drawn.
    alt : str
        What it shows, in words and numbers, for readers who cannot see it.
    size : (float, float)
        Width and height in inches.
    """

    name: str
    draw: Callable[[Any], Any]
    caption: str
    alt: str
    size: tuple[float, float] = (4.6, 2.9)

    def __post_init__(self) -> None:
        object.__setattr__(self, "caption", visible(self.caption))
        object.__setattr__(self, "alt", visible(self.alt))


@dataclass(frozen=True, slots=True)
class Code:
    """A script or BibTeX, shown as it is; `title` names it."""

    text: str
    language: Literal["r", "bibtex"]
    title: str

    def __post_init__(self) -> None:
        lines = self.text.expandtabs(4).splitlines()
        object.__setattr__(self, "text", "\n".join(visible(line) for line in lines))


@dataclass(frozen=True, slots=True)
class References:
    """The list of works that the document cites, in order of their first citation."""


Block = Paragraph | Note | Headline | Facts | Table | Figure | Code | References


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its blocks; without a title the blocks stand alone."""

    title: str
    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", visible(self.title))

    @property
    def anchor(self) -> str:
        """The title as a name for links.

        Examples
        --------
        >>> Section("Data and folds", ()).anchor
        'data-and-folds'
        """
        return re.sub(r"\W+", "-", self.title.lower()).strip("-")


@dataclass(frozen=True, slots=True)
class Document:
    """A title and sections: what every renderer takes."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", visible(self.title))
        object.__setattr__(self, "subtitle", visible(self.subtitle))

    def cited(self) -> tuple[str, ...]:
        """Keys of all cited works in order of their first citation."""
        found = [
            key
            for section in self.sections
            for block in section.blocks
            if isinstance(block, Paragraph)
            for part in block.parts
            if isinstance(part, Cite)
            for key in part.keys
        ]
        return tuple(dict.fromkeys(found))


def visible(text: str) -> str:
    r"""Text with everything that would not be seen written as an escape.

    Control characters, line breaks and marks that change the direction of writing are shown as
    Python writes them.

    Examples
    --------
    >>> visible("a\x1b[31mb\nc")
    'a\\x1b[31mb\\nc'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(c) if unicodedata.category(c) in _UNSEEN else c for c in text)


_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def paragraph(*parts: Inline) -> Paragraph:
    """A paragraph of these parts; empty texts are left out.

    Examples
    --------
    >>> paragraph("Folds: ", Verbatim("KFold(10)"), ".").parts[1].text
    'KFold(10)'
    """
    return Paragraph(tuple(part for part in parts if part != ""))


def section(title: str, *blocks: Block | None) -> Section:
    """A section of the blocks that are not None."""
    return Section(title, tuple(block for block in blocks if block is not None))
