"""Figures as inline SVG that follows the colours of the page, or as files."""

from __future__ import annotations

import re
from functools import cache
from html import escape

from pycvstat.report.content import Figure
from pycvstat.report.plots import style
from pycvstat.report.plots.style import Format, picture

# what each colour of the house style becomes on a dark page
DARK = {
    style.INK: "#e8e6e3",
    style.FAINT: "#a3a7ab",
    style.PALE: "#454c54",
    style.BLUE: "#5cb8f0",
    style.ORANGE: "#ff9248",
    style.GREEN: "#3ccf9f",
    style.PURPLE: "#e59bc9",
    style.OCHRE: "#dcb64a",
    style.AMBER: "#d99b1c",
}
POINTS_PER_REM = 10.0  # the width of a figure on a page: letters have one size in all of them
PAGE = "#ffffff"  # backgrounds take the colour of the page


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
    page = f"{variable(PAGE)}: var(--page); "
    return page + " ".join(
        f"{variable(light)}: {DARK[light] if dark else light};" for light in DARK
    )


def inline_svg(figure: Figure) -> str:
    """The figure as an SVG element for an HTML page: titled, described, loading nothing."""
    text = figure_bytes(figure, "svg").decode("utf-8")
    return svg_element(text, f"figure-{figure.name}", figure.caption, figure.alt)


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
    text = _own_names(text, name)
    text = re.sub(r"#[0-9a-fA-F]{6}(?=[;\"\s])", _as_variable, text)
    box = _view_box(text)
    head = (
        f'<svg role="img" aria-labelledby="{name}-title {name}-desc" viewBox="{box}" '
        f'style="max-width: {float(box.split()[2]) / POINTS_PER_REM:.1f}rem">'
        f'<title id="{name}-title">{escape(caption)}</title>'
        f'<desc id="{name}-desc">{escape(alt)}</desc>'
    )
    return head + text[text.index(">") + 1 :]


def _view_box(text: str) -> str:
    found = re.search(r'viewBox="([-\d. ]+)"', text)
    assert found is not None
    return found.group(1)


def _own_names(text: str, prefix: str) -> str:
    """Ids and references to them, made unique to this figure."""
    text = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', text)
    text = re.sub(r'href="#([^"]+)"', rf'href="#{prefix}-\1"', text)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", text)


def _as_variable(found: re.Match[str]) -> str:
    colour = found.group(0).lower()
    return f"var({variable(colour)}, {colour})" if colour in (PAGE, *DARK) else colour


def figure_bytes(figure: Figure, form: Format) -> bytes:
    """The figure as the bytes of a file."""
    return picture(figure.draw, figure.size, form)
