"""HTML: a self-contained page, a piece of one for a notebook, a plain one for pandoc.

Figures are inline SVG that follows the colours of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from pycvstat.report.citations import in_text, work
from pycvstat.report.content import Document, Figure, Table
from pycvstat.report.plots import style as house

# what each colour of the house style becomes on a dark page
DARK = {
    house.INK: "#e8e6e3",
    house.FAINT: "#a3a7ab",
    house.PALE: "#454c54",
    house.BLUE: "#5cb8f0",
    house.ORANGE: "#ff9248",
    house.GREEN: "#3ccf9f",
    house.PURPLE: "#e59bc9",
    house.OCHRE: "#dcb64a",
    house.AMBER: "#d99b1c",
}
POINTS_PER_REM = 10.0  # the width of a figure on a page: letters have one size in all of them
PAGE = "#ffffff"  # backgrounds take the colour of the page


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


def _inline(figure: Figure) -> Markup:
    """The figure as an SVG element: titled, described, loading nothing."""
    text = house.picture(figure.draw, figure.size, "svg").decode("utf-8")
    return Markup(svg_element(text, f"figure-{figure.name}", figure.caption, figure.alt))


def _render(
    template: str,
    document: Document,
    figure: Callable[[Figure], Markup] = _inline,
    opened: bool = False,
    **more: Any,
) -> str:
    references = [work(key).reference() for key in document.cited()]
    found = _environment().get_template(template)
    page: str = found.render(document=document, context=Context(figure, references, opened), **more)
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

    about: dict[str, Any] = {"style": Markup(style()), "version": version("pycvstat")}
    return _render("report.html.jinja", document, opened=opened, **about)


def render_fragment(document: Document) -> str:
    """The document as a piece of HTML that brings its own small style."""
    return _render("fragment.html.jinja", document)


def render_for_word(document: Document, source: Callable[[Figure], str]) -> str:
    """The document as plain HTML for pandoc; `source` gives the file of a figure."""

    def image(figure: Figure) -> Markup:
        tag = Markup('<img src="{}" alt="{}" width="{}in">')
        return tag.format(source(figure), figure.alt, figure.size[0])

    return _render("word.html.jinja", document, image)


def widths(table: Table) -> list[float]:
    """Widths of the columns in percent of the page, by the width of their cells.

    Examples
    --------
    >>> widths(Table(("fold", "mean loss"), (("1", "2.5"),), "rr", ""))
    [10.0, 16.2]
    """
    natural = [width + 4 for width in table.widths]
    return [round(100 * width / max(80, sum(natural)), 1) for width in natural]


@cache
def style() -> str:
    """The style sheet of a page, with the colours of the figures."""
    text = files("pycvstat.report").joinpath("templates/style.css").read_text(encoding="utf-8")
    return text.replace("@light@", palette(False)).replace("@dark@", palette(True)).strip()


def variable(colour: str) -> str:
    """The CSS variable of a colour.

    Examples
    --------
    >>> variable("#0072b2")
    '--c-0072b2'
    """
    return f"--c-{colour.removeprefix('#')}"


@cache
def palette(dark: bool) -> str:
    """CSS declarations of all colours of the figures, for a light or a dark page."""
    colours = {PAGE: "var(--page)"} | (DARK if dark else {light: light for light in DARK})
    return " ".join(f"{variable(light)}: {shown};" for light, shown in colours.items())


def svg_element(text: str, name: str, caption: str, alt: str) -> str:
    """The text of an SVG file as an element for an HTML page.

    Parameters
    ----------
    text : str
        As matplotlib writes it in the house style.
    name, caption, alt : str
        Of the figure; the name makes the ids of the element unique in the page.
    """
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r'\s+xmlns(:\w+)?="[^"]*"', "", text).replace("xlink:href", "href")
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\1{name}-", text)  # unique in the page
    text = re.sub(r"#[0-9a-fA-F]{6}(?=[;\"\s])", _as_variable, text)
    found = re.search(r'viewBox="([-\d. ]+)"', text)
    assert found is not None
    box = found.group(1)
    head = (
        f'<svg role="img" aria-labelledby="{name}-title {name}-desc" viewBox="{box}" '
        f'style="max-width: {float(box.split()[2]) / POINTS_PER_REM:.1f}rem">'
        f'<title id="{name}-title">{escape(caption)}</title>'
        f'<desc id="{name}-desc">{escape(alt)}</desc>'
    )
    return head + text[text.index(">") + 1 :]


def _as_variable(found: re.Match[str]) -> str:
    colour = found.group(0).lower()
    return f"var({variable(colour)}, {colour})" if colour in (PAGE, *DARK) else colour
