"""Every declared dependency has its reason, and the wheel brings the R reference."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pycvstat.r.check.cases import RECORDED
from tests import wheel
from tests.wheel import PROJECT, ROOT

ALLOWED = {
    "pyproject.toml", "README.md", "pycvstat", "r_reference", "tests", "vignettes", "Makefile",
    "BENCHMARKS.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE",
}  # fmt: skip


def declared() -> list[str]:
    extras = PROJECT["project"]["optional-dependencies"].values()
    lines = [*PROJECT["project"]["dependencies"], *(line for extra in extras for line in extra)]
    return sorted({re.split(r"[<>=]", line)[0] for line in lines})


@pytest.mark.parametrize("package", declared())
def test_every_dependency_has_a_reason(package: str) -> None:
    rows = re.findall(r"^\|.*$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M)
    assert any(re.search(rf"[|,] {re.escape(package)}[ ,]", row) for row in rows)


def test_dependencies_have_lower_bounds() -> None:
    lines = PROJECT["project"]["dependencies"]
    assert all(">=" in line for line in lines)


def test_the_wheel_brings_the_r_reference() -> None:
    assert wheel.TARGET["sources"] == {"r_reference": "pycvstat/_r_reference"}
    assert (ROOT / "r_reference" / "lecture.R").exists()


def test_the_wheel_carries_what_the_package_reads_and_no_more() -> None:
    packed = wheel.listed()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for file in packed:
            zipped.write(file)
    assert len(archive.getvalue()) < 1_500_000
    code = "".join(p.read_text("utf-8") for p in packed if p.suffix == ".py")
    named = set(re.findall(r'"([\w-]+\.(?:R|json))"', code))
    carried = {p.name for p in packed if "r_reference" in p.parts}
    assert {name for name in named if (ROOT / "r_reference" / name).exists()} <= carried
    assert "lecture.json" in carried
    assert Path(RECORDED).name in carried


def test_every_file_of_the_wheel_is_of_a_kind_that_is_listed() -> None:
    assert wheel.of_no_listed_kind() == []


@pytest.mark.slow
def test_the_wheel_that_pip_builds_carries_what_is_listed(tmp_path: Path) -> None:
    assert wheel.differences(wheel.build(sys.executable, tmp_path)) == set()


def test_the_command_line_is_also_a_module() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "pycvstat", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert told.startswith("usage: pycvstat ")


def test_nothing_else_lies_at_the_top() -> None:
    listing = ROOT / ".git"
    if not listing.exists():
        pytest.skip("not a checkout; run in a clone to check the top level")
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    top = {name.split("/")[0] for name in tracked}
    assert {name for name in top if not name.startswith(".")} <= ALLOWED
