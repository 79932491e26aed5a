"""A saved result in which somebody changed a text: our error, or nothing runs that the text says.

Every text of every kind of saved result is replaced in turn, names of columns, levels, methods,
classes and keys included, by text that R, TeX, a page or a shell would run where it is not held to
be text. The checksums are made anew, as anyone can make them.
"""

from __future__ import annotations

import contextlib
import copy
import os
import re
import subprocess
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text

import pycvstat as pcv
from pycvstat.errors import PycvstatError, PycvstatWarning
from pycvstat.r.bridge import run
from pycvstat.report.assemble import full
from pycvstat.report.content import Document
from pycvstat.report.render import formats
from pycvstat.report.render.html import render_page
from pycvstat.run.records import decode
from tests.faults.tampering import NO_PICTURE, Place, changed, leaves, made, record, write
from tests.report.conftest import MAKERS
from tests.report.pages import read_page

FORMULA = "pycvstat.data.formula.model:Formula"
TOUCHED = "pycvstat-was-here"  # a file that only code out of a text would make
HOSTILE = (
    f'I({{system("touch {TOUCHED}"); wt}})',
    f'x`"\'\n; system("touch {TOUCHED}"); #<script>x</script><img src=x onerror=x>'
    f"\\input{{|touch {TOUCHED}}}\\write18{{touch {TOUCHED}}}$\\alpha $(touch {TOUCHED})",
)
KINDS = [kind for kind in MAKERS if "hostile" not in kind]


@cache
def saved(kind: str) -> tuple[Any, list[Any]]:
    return record(made(kind))


@cache
def places() -> dict[str, list[Place]]:
    """One place for each text that a class has within another, by the kind that has it first."""
    found: dict[str, list[Place]] = {kind: [] for kind in KINDS}
    seen: set[str] = set()
    for kind in KINDS:
        for place, name, value in leaves(saved(kind)[0]):
            if not isinstance(value, str):
                continue
            short = "/".join(name.split("/")[-2:])
            if short not in seen:
                seen.add(short)
                found[kind].append(place)
    return found


@pytest.fixture
def variants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The results of a kind that can still be loaded after a text was changed."""
    monkeypatch.chdir(tmp_path)

    def of(kind: str, hostile: Sequence[str]) -> Iterator[Any]:
        tree, arrays = saved(kind)
        for place in places()[kind]:
            for text in hostile:
                write(Path("changed.npz"), changed(tree, place, text), arrays)
                try:
                    yield pcv.load("changed.npz")
                except PycvstatError:
                    continue

    yield of
    assert not [file for file in os.listdir(tmp_path) if TOUCHED in file]


@pytest.mark.parametrize("kind", KINDS)
def test_reports_hold_it_as_text(kind: str, variants: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Figure, "savefig", _no_picture)  # drawn for the page, but not written
    monkeypatch.setattr(formats, "picture", lambda *_: NO_PICTURE)
    monkeypatch.setattr(ConstrainedLayoutEngine, "execute", _measured)
    reports = []
    for one in variants(kind, HOSTILE[1:]):
        with contextlib.suppress(PycvstatError), warnings.catch_warnings():
            warnings.simplefilter("ignore", PycvstatWarning)
            one.summary()
            document = full(one)
            page(document)
            latex(document)
            reports.append(written(document, "report.md"))
    if formats.find_pandoc() is not None:
        command = [str(formats.find_pandoc()), "--from=gfm", "--to=html"]
        shown = subprocess.run(command, input="\n\n".join(reports), capture_output=True, text=True)
        assert not read_page(shown.stdout).all("script")


def _no_picture(figure: Figure, file: Any, **_: Any) -> None:
    if not isinstance(file, str | Path):
        file.write(NO_PICTURE)


def _measured(layout: ConstrainedLayoutEngine, figure: Figure) -> None:
    """Every text that may be a formula is set as it will be, but no place is found for it."""
    for text in figure.findobj(Text):
        if "$" in text.get_text():
            text.get_window_extent()


def page(document: Document) -> None:
    read = read_page(render_page(document))
    assert not read.all("script")
    assert not [image for image in read.all("img") if image.get("src") == "x"]


def written(document: Document, name: str) -> str:
    return formats.write_document(document, formats.check_report_path(name)).read_text("utf-8")


def latex(document: Document) -> None:
    text = re.sub(
        r"\\begin\{(lstlisting|verbatim|Verbatim)\}.*?\\end\{\1\}",
        "",
        written(document, "report.tex"),
        flags=re.DOTALL,
    )
    assert "\\write18" not in text
    assert "\\input{|" not in text


@pytest.mark.live_r
@pytest.mark.parametrize("kind", KINDS)
def test_r_runs_nothing_of_it(kind: str, variants: Any, tmp_path: Path) -> None:
    """The cross-check does not, and no script has it among what it calls."""
    for i, one in enumerate(variants(kind, HOSTILE)):
        for use in (lambda one=one: one.crosscheck(), lambda one=one, i=i: one.to_r(f"{i}.R")):
            with contextlib.suppress(PycvstatError), warnings.catch_warnings():
                warnings.simplefilter("ignore", PycvstatWarning)
                use()
    called = """function(files) any(vapply(files, function(file)
        "system" %in% all.names(parse(file, keep.source = FALSE)), NA))"""
    assert not run(called, files=sorted(map(str, tmp_path.glob("*.R"))))


def lists(tree: Any) -> Iterator[list[Any]]:
    if isinstance(tree, list):
        yield tree
        for part in tree:
            yield from lists(part)


def test_a_file_cannot_bring_terms_of_its_own_to_a_formula() -> None:
    tree, arrays = copy.deepcopy(saved("cv"))
    formula = next(part for part in lists(tree) if part[1:2] == [FORMULA])
    assert "terms" not in [name for name, _ in formula[2]]
    formula[2].append(["terms", ["tuple", []]])
    with pytest.raises(TypeError, match="terms"):
        decode(tree, arrays)


@pytest.mark.parametrize("kind", KINDS)
def test_an_array_of_numbers_that_became_text_is_refused(kind: str, tmp_path: Path) -> None:
    tree, arrays = saved(kind)
    numbers = [i for i, array in enumerate(arrays) if array.dtype.kind in "biuf"]
    changes = [[*arrays[:i], arrays[i].astype(str), *arrays[i + 1 :]] for i in numbers]
    decoded = []
    for i, others in zip(numbers, changes, strict=True):
        with contextlib.suppress(Exception):  # of which `load` makes an error of ours
            decode(tree, others)
            decoded.append((i, arrays[i].shape))
    assert decoded == []
    for others in changes[-1:]:
        write(tmp_path / "changed.npz", tree, others)
        with pytest.raises(PycvstatError):
            pcv.load(tmp_path / "changed.npz")
