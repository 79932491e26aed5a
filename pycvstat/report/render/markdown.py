"""Markdown that GitHub, pandoc and notebooks read; names from the data stay plain text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import singledispatch

from pycvstat.report.citations import in_text, work
from pycvstat.report.content import (
    Block,
    Cite,
    Code,
    Document,
    Facts,
    Figure,
    Headline,
    Inline,
    Note,
    Paragraph,
    References,
    Table,
    Verbatim,
)


def render_markdown(document: Document, source: Callable[[Figure], str] | None = None) -> str:
    """The document as Markdown.

    Parameters
    ----------
    document : Document
    source : callable, optional
        Gives the file of a figure; without it figures are left out.
    """
    parts = [f"# {plain(document.title)}", plain(document.subtitle)]
    for section in document.sections:
        if section.title:
            parts.append(f"## {plain(section.title)}")
        parts += [block_text(block, document, source) for block in section.blocks]
    return "\n\n".join(part for part in parts if part) + "\n"


def block_text(block: Block, document: Document, source: Callable[[Figure], str] | None) -> str:
    """A block as Markdown."""
    if isinstance(block, Figure):
        return "" if source is None else _figure(block, source)
    if isinstance(block, References):
        return "\n".join(f"- {plain(work(key).reference())}" for key in document.cited())
    return _text(block)


def _figure(block: Figure, source: Callable[[Figure], str]) -> str:
    return f"![{plain(block.alt)}](<{source(block)}>)\n\n*{plain(block.caption)}*"


@singledispatch
def _text(block: Block) -> str:
    raise TypeError(type(block).__name__)


@_text.register
def _(block: Paragraph) -> str:
    return "".join(_inline(part) for part in block.parts)


@_text.register
def _(block: Note) -> str:
    return f"> **Note.** {plain(block.text)}"


@_text.register
def _(block: Headline) -> str:
    return f"**{plain(block.value)}**\n\n{plain(block.words)}"


@_text.register
def _(block: Facts) -> str:
    lines = ["| | |", "|:--|:--|"]
    return "\n".join(lines + [f"| {plain(a)} | {plain(b) or '–'} |" for a, b in block.rows])


@_text.register
def _(block: Table) -> str:
    rule = "|".join(":--" if a == "l" else "--:" for a in block.align)
    lines = [_row(block.columns), f"|{rule}|"]
    for number, row in enumerate(block.rows):
        lines.append(_row(row, bold=number in block.strong))
    table = "\n".join(lines)
    return f"{plain(block.caption)}\n\n{table}" if block.caption else table


def _row(cells: tuple[str, ...], bold: bool = False) -> str:
    shown = [f"**{plain(c)}**" if bold and c else plain(c) for c in cells]
    return f"| {' | '.join(shown)} |"


@_text.register
def _(block: Code) -> str:
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", block.text)), default=0))
    return f"**{plain(block.title)}**\n\n{fence}{block.language}\n{block.text}\n{fence}"


def _inline(part: Inline) -> str:
    if isinstance(part, Cite):
        return plain(in_text(part.keys))
    return code(part.text) if isinstance(part, Verbatim) else plain(part)


def plain(text: str) -> str:
    r"""Text in which no character means anything to Markdown or HTML.

    Examples
    --------
    >>> plain("a_b <i> | $x$")
    'a\\_b &lt;i&gt; \\| \\$x\\$'
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = re.sub(r"([\\`*_{}\[\]#|$~!])", r"\\\1", text)
    text = re.sub(r"^(\s*)([-+=])", r"\1\\\2", text)
    text = re.sub(r"^(\s*\d+)([.)])", r"\1\\\2", text)
    return re.sub(r"(?i)\b(https?|ftp|www)(:|\.)", r"\1&#8203;\2", text)


def code(text: str) -> str:
    """Text as inline code.

    Examples
    --------
    >>> code("y ~ `a b`")
    '`` y ~ `a b` ``'
    """
    ticks = "`" * (1 + max(map(len, re.findall(r"`+", text)), default=0))
    blank = " " if len(ticks) > 1 else ""
    return f"{ticks}{blank}{text}{blank}{ticks}"
