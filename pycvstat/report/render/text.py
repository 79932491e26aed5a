"""Plain text for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from pycvstat.report.content import (
    Block,
    Document,
    Facts,
    Headline,
    Note,
    Paragraph,
    Renderer,
    Table,
    width,
)

WIDTH = 80
GAP = "  "
NARROWEST = 8  # a column of text is not shortened below this


def render_text(document: Document) -> str:
    """The document as lines of at most 80 columns; figures and scripts are left out."""
    head = _lines(wrapped(document.title) + wrapped(document.subtitle))
    text = TextRenderer(document)
    parts = ("\n".join(filter(None, text.section(s))) for s in document.sections)
    return "\n\n".join([head, *filter(None, parts)])


class TextRenderer(Renderer):
    """Blocks as lines of at most 80 columns."""

    def heading(self, title: str) -> str:
        return _lines(wrapped(title))

    def paragraph(self, block: Paragraph) -> str:
        return _lines(wrapped(super().paragraph(block)))

    def note(self, block: Note) -> str:
        return _lines(wrapped(f"Note: {block.text}", later="      "))

    def headline(self, block: Headline) -> str:
        return _lines(wrapped(block.value, GAP, GAP) + wrapped(block.words, GAP, GAP))

    def facts(self, block: Facts) -> str:
        label_width = min(24, max(width(label) for label, _ in block.rows))
        lines: list[str] = []
        for label, value in block.rows:
            first = GAP + padded(shortened(label, label_width), label_width) + GAP
            lines += wrapped(value or "-", first, " " * len(first))
        return _lines(lines)

    def table(self, block: Table) -> str:
        lines = wrapped(block.caption)
        for columns in chunks(block):
            lines += table_lines(block, columns)
        return _lines(lines + wrapped(block.notes, GAP, GAP))

    def nothing(self, block: Block) -> str:
        return ""

    figure = code = references = nothing


def _lines(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def chunks(table: Table) -> list[list[int]]:
    """The columns of a table in groups that fit the width; the first column leads each group."""
    natural = zip(table.widths, table.align, strict=True)
    widths = [min(w, NARROWEST) if a == "l" else w for w, a in natural]
    groups: list[list[int]] = [[0]]
    for column in range(1, len(widths)):
        used = sum(widths[c] + len(GAP) for c in groups[-1])
        if used + len(GAP) + widths[column] > WIDTH and len(groups[-1]) > 1:
            groups.append([0])
        groups[-1].append(column)
    return groups


def table_lines(table: Table, columns: Sequence[int]) -> list[str]:
    """The header and rows of some columns."""
    natural = table.widths
    widths = fitted([natural[c] for c in columns], [table.align[c] for c in columns])

    def line(row: Sequence[str]) -> str:
        cells = [
            padded(shortened(row[c], w), w, right=table.align[c] == "r")
            for c, w in zip(columns, widths, strict=True)
        ]
        return (GAP + GAP.join(cells)).rstrip()

    return [line(table.columns), *(line(row) for row in table.rows)]


def fitted(widths: Sequence[int], align: Sequence[str]) -> list[int]:
    """Widths that fit the page: the widest columns of text give way first, then all."""
    result = list(widths)
    while sum(result) + len(GAP) * len(result) > WIDTH:
        texts = [i for i, a in enumerate(align) if a == "l" and result[i] > NARROWEST]
        result[max(texts or range(len(result)), key=lambda i: result[i])] -= 1
    return result


def wrapped(text: str, first: str = "", later: str = "") -> list[str]:
    """Text in lines of at most 80 columns; empty text has no line.

    Examples
    --------
    >>> wrapped("a note", first="- ")
    ['- a note']
    """
    lines: list[str] = []
    words: list[str] = []
    for word in (piece for long in text.split() for piece in broken(long, WIDTH - len(later))):
        if words and width(" ".join([first, *words, word])) > WIDTH:
            lines.append(first + " ".join(words))
            first, words = later, []
        words.append(word)
    return [*lines, first + " ".join(words)] if words else lines


def broken(word: str, columns: int) -> list[str]:
    """A word in pieces of at most so many columns."""
    pieces: list[str] = []
    while width(word) > columns:
        size = next(i for i in range(1, len(word) + 1) if width(word[: i + 1]) > columns)
        pieces.append(word[:size])
        word = word[size:]
    return [*pieces, word]


def shortened(text: str, columns: int) -> str:
    """The text in at most so many columns, with an ellipsis where it is cut.

    Examples
    --------
    >>> shortened("abcdefgh", 5)
    'abcd…'
    """
    if width(text) <= columns:
        return text
    while width(text) > columns - 1:
        text = text[:-1]
    return text + "…"


def padded(text: str, columns: int, right: bool = False) -> str:
    """The text filled with blanks to so many columns."""
    blanks = " " * (columns - width(text))
    return blanks + text if right else text + blanks
