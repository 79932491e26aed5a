"""Writing: the path is checked before any work, missing programs are named."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pycvstat.errors import InputError, PycvstatError
from pycvstat.intervals import METHODS
from pycvstat.report.assemble import write_report
from pycvstat.report.numbers import MINUS
from pycvstat.report.render import formats
from pycvstat.report.render.formats import ReportFormat, check_report_path
from tests.report.conftest import MAKERS, result


class Untouched:
    """A result that must not be looked at."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(f"the result was used: {name}")


def refused(path: Path | str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        write_report(Untouched(), path, crosscheck=True)


def test_unknown_endings_are_refused_first(tmp_path: Path) -> None:
    refused(tmp_path / "out.txt", r"ends in \.html, \.md, \.qmd, \.tex, \.pdf or \.docx")
    refused(tmp_path / "out", "out.html")


@pytest.mark.parametrize("path", [None, 3, "", "a\0.html", "\ud800.html", b"out.html", ["a.html"]])
def test_what_is_no_path_is_refused_first(path: Any) -> None:
    refused(path, "not the path of a file")
    for write_to in (result("cv").save, result("cv").to_r):
        with pytest.raises(InputError, match="not the path of a file"):
            write_to(path)


def test_a_missing_directory_is_refused_first(tmp_path: Path) -> None:
    refused(tmp_path / "nowhere" / "out.html", "directory of the report does not exist")


def test_a_directory_is_refused_first(tmp_path: Path) -> None:
    (tmp_path / "out.html").mkdir()
    refused(tmp_path / "out.html", "is a directory")


def test_a_file_in_the_place_of_the_figures_is_refused_first(tmp_path: Path) -> None:
    (tmp_path / "out_files").write_text("mine")
    refused(tmp_path / "out.tex", "figures belong in a directory")


@pytest.mark.skipif(os.name == "nt", reason="permissions work otherwise there")
def test_a_place_without_permission_is_refused_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*args: Any, **more: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(formats.tempfile, "TemporaryFile", denied)
    refused(tmp_path / "out.html", "cannot be written there")


def test_a_full_disk_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: Any, **more: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(formats.FORMATS, ".html", ReportFormat(".html", full))
    with pytest.raises(InputError, match="No space left on device"):
        result("plan").report(tmp_path / "out.html")


def test_checking_leaves_nothing_behind(tmp_path: Path) -> None:
    check_report_path(tmp_path / "out.html")
    assert list(tmp_path.iterdir()) == []


def test_checking_keeps_an_old_report(tmp_path: Path) -> None:
    (tmp_path / "out.html").write_text("old")
    check_report_path(tmp_path / "out.html")
    assert (tmp_path / "out.html").read_text() == "old"


def test_a_missing_browser_is_named_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYCVSTAT_BROWSER", "none")
    refused(tmp_path / "out.pdf", r"Chromium, and none was found(.|\n)*or write \.html or \.tex")


def test_a_browser_of_your_own_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    own = tmp_path / "mybrowser"
    own.write_text("#!/bin/sh\nexit 3\n")
    own.chmod(0o755)
    monkeypatch.setenv("PYCVSTAT_BROWSER", str(own))
    assert formats.find_browser() == str(own)
    with pytest.raises(PycvstatError, match="Chromium failed"):
        result("plan").report(tmp_path / "out.pdf")
    assert not (tmp_path / "out.pdf").exists()


def test_a_missing_pandoc_is_named_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "find_pandoc", lambda: None)
    refused(tmp_path / "out.docx", r"pip install pypandoc_binary")


@pytest.fixture
def without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write figures without drawing them; they are drawn in other tests."""
    monkeypatch.setattr(formats, "picture", lambda draw, size, form: form.encode())


@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize("ending", [".md", ".tex"])
@pytest.mark.parametrize("name", MAKERS)
def test_every_result_is_written(tmp_path: Path, name: str, ending: str) -> None:
    target = result(name).report(tmp_path / f"out{ending}")
    assert target == tmp_path / f"out{ending}"
    text = target.read_text(encoding="utf-8")
    figures = [path.name for path in (tmp_path / "out_files").iterdir()]
    assert figures
    assert all(f"out_files/{name.removesuffix('.bib')}" in text for name in figures)


def test_endings_in_capitals(tmp_path: Path) -> None:
    assert result("plan").report(tmp_path / "OUT.HTML").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("name", ["nested", "hostile"])
def test_word(need: Callable[..., None], tmp_path: Path, name: str) -> None:
    need("pandoc", formats.find_pandoc(), "PYCVSTAT_PANDOC")
    target = result(name).report(tmp_path / "out.docx")
    with zipfile.ZipFile(target) as archive:
        text = archive.read("word/document.xml").decode("utf-8")
        pictures = [n for n in archive.namelist() if n.startswith("word/media/")]
    assert "mean over observations" in text
    assert len(pictures) >= 3
    assert text.count("descr=") >= len(pictures)
    if name == "hostile":
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


@pytest.mark.parametrize("ending", [".html", ".md", ".tex"])
def test_title_and_level(tmp_path: Path, ending: str) -> None:
    target = result("cv").report(tmp_path / f"out{ending}", title="Fuel", level=0.9)
    text = target.read_text(encoding="utf-8")
    assert "Fuel" in text
    assert "90 % interval" in text.replace("\\%", "%")
    assert "95 % interval" not in text.replace("\\%", "%").replace("of nominal 95 % intervals", "")


def test_a_method_by_name(tmp_path: Path) -> None:
    text = result("cv").report(tmp_path / "out.html", method="all_pairs").read_text()
    assert "PQ(28 to 29)" in text
    assert "Bayle et al., 2020" in text


def test_what_has_no_report_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no report"):
        write_report(3, tmp_path / "out.html")


def test_a_comparison_uses_the_method_and_level_asked_for(tmp_path: Path) -> None:
    found = result("compare")
    target = found.report(tmp_path / "out.html", method="all_pairs", level=0.9)
    text = target.read_text(encoding="utf-8")
    pair = found.paired("ols", "mean", method="all_pairs", level=0.9)
    assert f"{pair.low:.3f}".replace("-", MINUS) in text
    assert "90 % interval" in text
    assert "95 %" not in text
    assert METHODS["all_pairs"].title in text
