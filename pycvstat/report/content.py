"""What a report says, apart from how it is written: sections made of a few kinds of blocks.

Every text passes `visible` when a block is made, so that no name in the data can hide, reorder
or control what is shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal


class Written:
    """What is read by somebody: all texts in its fields are made `visible`."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, field.name, _seen(getattr(self, field.name)))


def _seen(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return tuple(map(_seen, value))
    return visible(value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Cite:
    """A reference to works of the bibliography, "(Stone, 1974)"."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verbatim(Written):
    """Something as it is typed: a formula."""

    text: str


Inline = str | Cite | Verbatim


@dataclass(frozen=True, slots=True)
class Paragraph(Written):
    """Sentences, with citations and verbatim parts between them."""

    parts: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Note(Written):
    """Something the reader must know before using a number."""

    text: str


@dataclass(frozen=True, slots=True)
class Headline(Written):
    """The main number of a result and what it is."""

    value: str
    words: str


@dataclass(frozen=True, slots=True)
class Facts(Written):
    """Labels and values."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Table(Written):
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
    notes : str
        What stands below it.
    number : int
        In a document; 0 where tables are not counted.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: str
    caption: str
    strong: tuple[int, ...] = ()
    notes: str = ""
    number: int = 0

    @property
    def title(self) -> str:
        """The number and the caption."""
        return _titled("Table", self.number, self.caption)

    @property
    def widths(self) -> list[int]:
        """The width of the widest cell of each column."""
        cells = [self.columns, *self.rows]
        return [max(width(row[c]) for row in cells) for c in range(len(self.columns))]


@dataclass(frozen=True, slots=True)
class Figure(Written):
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
    number : int
        In a document; 0 where figures are not counted.
    folded : bool
        Whether a page shows it after a click.
    """

    name: str
    draw: Callable[[Any], Any]
    caption: str
    alt: str
    size: tuple[float, float] = (4.6, 2.9)
    number: int = 0
    folded: bool = False

    @property
    def title(self) -> str:
        """The number and the caption."""
        return _titled("Figure", self.number, self.caption)


def _titled(what: str, number: int, caption: str) -> str:
    return f"{what} {number}. {caption}".strip() if number else caption


@dataclass(frozen=True, slots=True)
class Code:
    """A script or BibTeX, shown as it is; `title` names it."""

    text: str
    language: Literal["r", "python", "bibtex"]
    title: str

    def __post_init__(self) -> None:
        lines = self.text.expandtabs(4).splitlines()
        object.__setattr__(self, "text", "\n".join(map(visible, lines)))


@dataclass(frozen=True, slots=True)
class References:
    """The list of works that the document cites, in order of their first citation."""


Block = Paragraph | Note | Headline | Facts | Table | Figure | Code | References


@dataclass(frozen=True, slots=True)
class Section(Written):
    """A heading and its blocks; without a title the blocks stand alone."""

    title: str
    blocks: tuple[Block, ...]

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
class Document(Written):
    """A title and sections: what every renderer takes."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]

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
    return "".join(
        c.encode("unicode_escape").decode("ascii") if unicodedata.category(c) in _UNSEEN else c
        for c in text
    )


_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def width(text: str) -> int:
    """Columns that a text takes in a terminal.

    Examples
    --------
    >>> width("abc"), width("回归")
    (3, 4)
    """
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def paragraph(*parts: Inline) -> Paragraph:
    """A paragraph of these parts; empty texts are left out.

    Examples
    --------
    >>> paragraph("Formula: ", Verbatim("y ~ x"), ".").parts[1].text
    'y ~ x'
    """
    return Paragraph(tuple(part for part in parts if part != ""))


def section(title: str, *blocks: Block | None) -> Section:
    """A section of the blocks that are not None."""
    return Section(title, tuple(block for block in blocks if block is not None))


class Renderer:
    """Writes documents: a format says how a heading, a text and each kind of block are written.

    Parameters
    ----------
    document : Document
    source : callable, optional
        Gives the file of a figure; without it figures are left out.
    """

    def __init__(self, document: Document, source: Callable[[Figure], str] | None = None) -> None:
        self.document, self.source = document, source

    def section(self, section: Section) -> list[str]:
        """The heading of a section, if it has one, and its blocks."""
        title = [self.heading(section.title)] if section.title else []
        return title + [self.block(block) for block in section.blocks]

    def block(self, block: Block) -> str:
        """A block, by the method that bears the name of its kind."""
        method: Callable[[Block], str] = getattr(self, type(block).__name__.lower())
        return method(block)

    def paragraph(self, block: Paragraph) -> str:
        """The parts one after the other."""
        return "".join(map(self.inline, block.parts))

    def inline(self, part: Inline) -> str:
        """Text, something verbatim, or works as they are cited."""
        if isinstance(part, Cite):
            return self.cite(part.keys)
        return self.verbatim(part.text) if isinstance(part, Verbatim) else self.plain(part)

    def heading(self, title: str) -> str:
        """The title of a section."""
        return self.plain(title)

    def plain(self, text: str) -> str:
        """Text, of which no character has a meaning in the format."""
        return text

    def verbatim(self, text: str) -> str:
        """Text as it is typed."""
        return self.plain(text)

    def cite(self, keys: tuple[str, ...]) -> str:
        """Works as they are cited."""
        from pycvstat.report.citations import in_text

        return self.plain(in_text(keys))
