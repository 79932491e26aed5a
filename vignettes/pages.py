"""A Sphinx extension: vignettes as notebooks, their list with questions, pictures in the page.

A vignette is a percent-format source. A cell may begin with `#| caption:` and `#| alt:`, the words
under and instead of a picture, each going on in further `#|` lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jupytext
from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from sphinx.application import Sphinx
from sphinx.directives.other import TocTree
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

from pycvstat.report.render.html import palette, svg_element

LOGGER = getLogger(__name__)
HEAD = re.compile(r"# %% \[markdown\]\n# # (?P<title>.+)\n#\n# \*(?P<question>[^*]+\?)\*\n")
FIRST = "import shown\nshown.set_up(get_ipython().display_formatter.formatters)"
COLOURS = (
    f"<style>:root {{ --page: var(--pst-color-background); {palette(False)} }}"
    f"html[data-theme=dark] {{ {palette(True)} }}</style>"
)


def notebook(text: str) -> NotebookNode:
    """A percent-format source as the notebook that is run and shown."""
    read = jupytext.reads(text, fmt="py:percent")
    read.metadata["kernelspec"] = {
        "name": "vignette",
        "display_name": "Python",
        "language": "python",
    }
    for cell in read.cells:
        if cell.cell_type == "code":
            code, options = split_options(cell.source)
            cell.source = code.replace("  # fmt: skip", "")
            cell.metadata["mystnb"] = _of_myst(options)
    read.cells.insert(0, new_code_cell(FIRST, metadata={"tags": ["remove-cell"]}))
    return read


def split_options(cell: str) -> tuple[str, dict[str, str]]:
    """The code of a cell, and its options.

    >>> split_options("#| caption: one\\n#|   two\\n#| alt: three\\nx = 1")
    ('x = 1', {'caption': 'one two', 'alt': 'three'})
    """
    lines = cell.splitlines()
    first = next((i for i, line in enumerate(lines) if not line.startswith("#|")), len(lines))
    options: dict[str, str] = {}
    name = ""
    for line in lines[:first]:
        text = line.removeprefix("#|").strip()
        if found := re.match(r"(caption|alt): *", text):
            name, text = found.group(1), text[found.end() :]
        options[name] = f"{options.get(name, '')} {text}".strip()
    return "\n".join(lines[first:]), options


def _of_myst(options: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "caption" in options:
        found["figure"] = {"caption": options["caption"]}
    if "alt" in options:
        found["image"] = {"alt": options["alt"]}
    return found


class Vignettes(TocTree):
    """The sources in reading order, each with the question that it answers."""

    def run(self) -> list[nodes.Node]:
        lines = []
        for name in self.content:
            path = Path(self.env.srcdir, f"{name}.py")
            self.env.note_dependency(path)
            found = HEAD.search(path.read_text(encoding="utf-8"))
            if found is None:
                raise self.error(f"{name}.py does not start with a title and a question")
            lines.append(f"- [{found['title']}]({name}.py): {_one_line(found['question'])}")
        self.options["hidden"] = True
        return [*self.parse_text_to_nodes("\n".join(lines)), *super().run()]


def _one_line(commented: str) -> str:
    return " ".join(commented.replace("\n#", " ").split())


class pictures(nodes.Element):
    """Where the pictures of all vignettes go."""


class Pictures(SphinxDirective):
    """The pictures of all vignettes, each with a link to where it is made."""

    def run(self) -> list[nodes.Node]:
        return [pictures()]


class Gallery(SphinxPostTransform):
    """Collects the pictures of all pages."""

    default_priority = 2
    formats = ("html",)

    def run(self, **_: Any) -> None:
        for place in list(self.document.findall(pictures)):
            place.replace_self(list(self._found()))

    def _found(self) -> Iterator[nodes.Node]:
        for name in self.env.toctree_includes["vignettes"]:
            for figure in self.env.get_doctree(name).findall(nodes.figure):
                if any(map(is_drawn, figure.findall(nodes.image))):
                    title = self.env.titles[name].astext()
                    link = nodes.reference(
                        "", title, internal=True,
                        refuri=self.app.builder.get_relative_uri(self.env.docname, name),
                    )  # fmt: skip
                    yield nodes.paragraph("", "", link, classes=["from"])
                    yield figure.deepcopy()


def is_drawn(image: nodes.image) -> bool:
    """Whether a cell of a vignette drew the picture."""
    return "jupyter_execute" in image["uri"] and image["uri"].endswith(".svg")


class Inline(SphinxPostTransform):
    """Pictures of cells stand in the page, where they take the colours of the page."""

    default_priority = 6  # after myst-nb has chosen among the forms of a value
    formats = ("html",)

    def run(self, **_: Any) -> None:
        for cell in self.document.findall(nodes.container):
            if cell.get("nb_element") != "cell_code":
                continue
            options = cell["cell_metadata"].get("mystnb", {})
            shown = {"image", "figure"} if any(map(is_drawn, cell.findall(nodes.image))) else set()
            if shown - set(options) or ("image" in options and not shown):
                LOGGER.warning("a picture, #| caption: and #| alt: go together", location=cell)
        drawn = [image for image in self.document.findall(nodes.image) if is_drawn(image)]
        for number, image in enumerate(drawn, 1):
            words = " ".join(caption.astext() for caption in image.parent.findall(nodes.caption))
            text = Path(self.env.srcdir, image["uri"].lstrip("/")).read_text(encoding="utf-8")
            element = svg_element(text, f"picture-{number}", words, image.get("alt", ""))
            image.replace_self(nodes.raw("", element, format="html"))


def in_mathml(translator: Any, node: nodes.Element) -> None:
    """A formula as MathML, which browsers show without a script."""
    block = isinstance(node, nodes.math_block)
    try:
        translator.body.append(tex2mathml(node.astext(), as_block=block))
    except MathError as problem:
        LOGGER.warning("this is no formula: %s", problem, location=node)
    raise nodes.SkipNode


def colours(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """The colours of the pictures, on light and on dark pages."""
    context["metatags"] = context.get("metatags", "") + COLOURS


def setup(app: Sphinx) -> dict[str, Any]:
    """For Sphinx."""
    app.add_directive("vignettes", Vignettes)
    app.add_directive("pictures", Pictures)
    app.add_node(pictures)
    app.add_post_transform(Gallery)
    app.add_post_transform(Inline)
    app.add_html_math_renderer("mathml", (in_mathml, None), (in_mathml, None))
    app.connect("html-page-context", colours)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
