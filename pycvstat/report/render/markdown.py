"""Markdown that GitHub, pandoc and notebooks read, and the source of Quarto.

Names from the data stay plain text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from pycvstat.report.citations import work
from pycvstat.report.content import (
    Code,
    Document,
    Facts,
    Figure,
    Headline,
    Note,
    References,
    Renderer,
    Table,
)


def render_markdown(document: Document, source: Callable[[Figure], str] | None = None) -> str:
    """The document as Markdown.

    Parameters
    ----------
    document : Document
    source : callable, optional
        Gives the file of a figure; without it figures are left out.
    """
    markdown = MarkdownRenderer(document, source)
    parts = [f"# {plain(document.title)}", plain(document.subtitle)]
    parts += [part for section in document.sections for part in markdown.section(section)]
    return "\n\n".join(filter(None, parts)) + "\n"


class MarkdownRenderer(Renderer):
    """Blocks as Markdown."""

    def heading(self, title: str) -> str:
        return f"## {plain(title)}"

    def note(self, block: Note) -> str:
        return f"> **Note.** {plain(block.text)}"

    def headline(self, block: Headline) -> str:
        return f"**{plain(block.value)}**\n\n{plain(block.words)}"

    def facts(self, block: Facts) -> str:
        rows = [f"| {plain(label)} | {plain(value) or '–'} |" for label, value in block.rows]
        return "\n".join(["| | |", "|:--|:--|", *rows])

    def table(self, block: Table) -> str:
        rule = "|".join(":--" if a == "l" else "--:" for a in block.align)
        rows = [_row(row, bold=number in block.strong) for number, row in enumerate(block.rows)]
        table = "\n".join([_row(block.columns), f"|{rule}|", *rows])
        return "\n\n".join(filter(None, [plain(block.title), table, plain(block.notes)]))

    def figure(self, block: Figure) -> str:
        if self.source is None:
            return ""
        return f"![{plain(block.alt)}](<{self.source(block)}>)\n\n*{plain(block.title)}*"

    def code(self, block: Code) -> str:
        fence = "`" * max(3, 1 + _longest_ticks(block.text))
        return f"**{plain(block.title)}**\n\n{fence}{block.language}\n{block.text}\n{fence}"

    def references(self, block: References) -> str:
        return "\n".join(f"- {plain(work(key).reference())}" for key in self.document.cited())

    def plain(self, text: str) -> str:
        return plain(text)

    def verbatim(self, text: str) -> str:
        return code(text)


def _row(cells: tuple[str, ...], bold: bool = False) -> str:
    shown = [f"**{plain(c)}**" if bold and c else plain(c) for c in cells]
    return f"| {' | '.join(shown)} |"


def _longest_ticks(text: str) -> int:
    return max(map(len, re.findall(r"`+", text)), default=0)


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
    text = re.sub(r"^(\s*\d+)([.)])(?=\s|$)", r"\1\\\2", text)
    return re.sub(r"(?i)\b(https?|ftp|www)(:|\.)", r"\1&#8203;\2", text)


def code(text: str) -> str:
    """Text as inline code.

    Examples
    --------
    >>> code("y ~ `a b`")
    '`` y ~ `a b` ``'
    """
    ticks = "`" * (1 + _longest_ticks(text))
    blank = " " if len(ticks) > 1 else ""
    return f"{ticks}{blank}{text}{blank}{ticks}"


class QuartoRenderer(MarkdownRenderer):
    """Blocks as pandoc's Markdown."""

    def references(self, block: References) -> str:
        return "::: {#refs}\n:::"

    def plain(self, text: str) -> str:
        return pandoc(text)

    def cite(self, keys: tuple[str, ...]) -> str:
        return f"[{'; '.join(f'@{key}' for key in keys)}]"


def pandoc(text: str) -> str:
    r"""Text in which no character means anything to pandoc.

    Examples
    --------
    >>> pandoc("a@b^2")
    'a\\@b\\^2'
    """
    return plain(text).replace("@", "\\@").replace("^", "\\^")


def render_quarto(document: Document, source: Callable[[Figure], str], bibliography: str) -> str:
    """The document as the source of Quarto; figures and references are in files beside it."""
    quarto = QuartoRenderer(document, source)
    head = {"title": document.title, "subtitle": document.subtitle}
    head |= {"bibliography": bibliography} if bibliography else {}
    lines = [f"{name}: {json.dumps(text, ensure_ascii=False)}" for name, text in head.items()]
    parts = ["\n".join(["---", *lines, "format: html", "---"])]
    parts += [part for section in document.sections for part in quarto.section(section)]
    return "\n\n".join(filter(None, parts)) + "\n"
