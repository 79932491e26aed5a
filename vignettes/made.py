"""A Sphinx extension: pages made from the package, of public names and of numbers beside R's."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from docutils import nodes
from reference import listing, page, path_of, public_names, short
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from pycvstat.r.check import check
from pycvstat.r.check.case import cases_in
from pycvstat.r.gallery.published import markdown


def write_reference(folder: Path) -> None:
    """The source of the page of every public name; those of names that are gone are removed."""
    wanted = {
        folder / f"{path_of(name)}.rst": page(name, value, group)
        for group, entries in public_names().items()
        for name, value in entries
    }
    folder.mkdir(exist_ok=True)
    for path in set(folder.glob("*.rst")) - set(wanted):
        path.unlink()
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")


def write_beside_r(folder: Path) -> None:
    """The pages of our cases beside R, by recorded values, also for Quarto and as CSV."""
    for source in folder.glob("*.py"):
        cases, about = cases_in(source)
        found = check(cases, source.with_suffix(".json"), "recorded", about=about)
        for ending in (".qmd", ".csv"):
            found.report(source.with_suffix(ending))
        with found.report(source.with_suffix(".md")).open("a", encoding="utf-8") as made:
            made.write(
                f"\nThe same [for Quarto]({source.stem}.qmd), and the table [as CSV]"
                f"({source.stem}.csv); the [cases]({source.stem}.py) themselves.\n"
            )


def write_pages(app: Sphinx) -> None:
    """Write what Sphinx is to read."""
    app.env.public_names = {
        group: {short(name, group): f"reference/{path_of(name)}" for name, _ in entries}
        for group, entries in public_names().items()
    }
    write_reference(Path(app.srcdir, "reference"))
    write_beside_r(Path(app.srcdir, "beside_r"))


def not_described(app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any) -> bool:
    """Whether a member of a class has no entry: only methods and properties have one."""
    return skip or not (inspect.isroutine(member) or isinstance(member, property | cached_property))


def beside(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """The other names of its group, for the margin of the page of a public name."""
    for group, names in app.env.public_names.items():
        if page in names.values():
            context |= {"group": group, "names": names}


def saying(text: Callable[[], str]) -> type[SphinxDirective]:
    """A directive that stands for Markdown made by the package."""

    class Said(SphinxDirective):
        def run(self) -> list[nodes.Node]:
            return self.parse_text_to_nodes(text(), allow_section_headings=True)

    return Said


def setup(app: Sphinx) -> dict[str, Any]:
    """For Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-skip-member", not_described)
    app.connect("html-page-context", beside)
    app.add_directive("public-names", saying(listing))
    app.add_directive("published-numbers", saying(markdown))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
