"""HTML: a self-contained page, a piece of one for a notebook, a plain one for pandoc."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from pycvstat.report.citations import in_text, work
from pycvstat.report.content import Document, Figure, Table
from pycvstat.report.render.figures import inline_svg, palette
from pycvstat.report.render.text import natural_widths


@dataclass(frozen=True)
class Context:
    """How figures are shown, the works that are cited, whether scripts are shown at once."""

    figure: Callable[[Figure], Markup]
    references: list[str]
    open: bool = False


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("pycvstat.report"), autoescape=True, undefined=StrictUndefined
    )
    environment.globals["in_text"] = in_text
    environment.globals["kind_of"] = lambda block: type(block).__name__
    environment.globals["widths"] = widths
    return environment


def _render(template: str, document: Document, context: Context, **more: Any) -> str:
    page: str = (
        _environment().get_template(template).render(document=document, context=context, **more)
    )
    return page


def render_page(document: Document, *, opened: bool = False) -> str:
    """The document as one self-contained page.

    Parameters
    ----------
    document : Document
    opened : bool
        Show scripts and BibTeX without a click, as a printed page needs it.
    """
    from importlib.metadata import version

    context = Context(_inline, references(document), opened)
    return _render(
        "report.html.jinja", document, context, style=Markup(style()), version=version("pycvstat")
    )


def render_fragment(document: Document) -> str:
    """The document as a piece of HTML that brings its own small style."""
    return _render("fragment.html.jinja", document, Context(_inline, references(document)))


def _inline(figure: Figure) -> Markup:
    return Markup(inline_svg(figure))


def render_for_word(document: Document, source: Callable[[Figure], str]) -> str:
    """The document as plain HTML for pandoc; `source` gives the file of a figure."""

    def image(figure: Figure) -> Markup:
        tag = Markup('<img src="{}" alt="{}" width="{}in">')
        return tag.format(source(figure), figure.alt, figure.size[0])

    return _render("word.html.jinja", document, Context(image, references(document)))


def widths(table: Table) -> list[float]:
    """Widths of the columns in percent of the page, by the width of their cells.

    Examples
    --------
    >>> widths(Table(("fold", "mean loss"), (("1", "2.5"),), "rr", ""))
    [10.0, 16.2]
    """
    natural = [width + 4 for width in natural_widths(table)]
    return [round(100 * width / max(80, sum(natural)), 1) for width in natural]


def references(document: Document) -> list[str]:
    """The works that a document cites, one line each."""
    return [work(key).reference() for key in document.cited()]


@cache
def style() -> str:
    """The style sheet of a page, with the colours of the figures."""
    text = files("pycvstat.report").joinpath("templates/style.css").read_text(encoding="utf-8")
    return text.replace("@light@", palette(False)).replace("@dark@", palette(True)).strip()
