"""Quarto source: Markdown with a head, citations that pandoc reads, references by BibTeX."""

from __future__ import annotations

import json
from collections.abc import Callable

from pycvstat.report.content import Document, Figure, References
from pycvstat.report.render.markdown import MarkdownRenderer, plain


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
