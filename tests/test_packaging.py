"""Every declared dependency has its reason, and the wheel brings the R reference."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from pycvstat.r.check.cases import RECORDED

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
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
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["sources"] == {"r_reference": "pycvstat/_r_reference"}
    assert (ROOT / "r_reference" / "lecture.R").exists()


def in_the_wheel() -> list[Path]:
    """Files of the wheel, by the patterns of pyproject.toml, which are anchored at the root."""
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    files = [p for top in wheel["only-include"] for p in (ROOT / top).rglob("*") if p.is_file()]
    left_out = {p for pattern in wheel["exclude"] for p in ROOT.glob(pattern.removeprefix("/"))}
    return [p for p in files if p not in left_out and "__pycache__" not in p.parts]


def test_the_wheel_carries_what_the_package_reads_and_no_more() -> None:
    packed = in_the_wheel()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file in packed:
            wheel.write(file)
    assert len(archive.getvalue()) < 1_500_000
    code = "".join(p.read_text("utf-8") for p in packed if p.suffix == ".py")
    named = set(re.findall(r'"([\w-]+\.(?:R|json))"', code))
    carried = {p.name for p in packed if "r_reference" in p.parts}
    assert {name for name in named if (ROOT / "r_reference" / name).exists()} <= carried
    assert "lecture.json" in carried
    assert Path(RECORDED).name in carried


IN_THE_WHEEL = {
    "pycvstat": {".py", ".typed"},
    "pycvstat/data/examples": {".csv", ".gz", ".txt"},
    "pycvstat/intervals": {".json"},
    "pycvstat/report": {".bib", ".csv"},
    "pycvstat/report/templates": {".txt", ".jinja", ".tex", ".css"},
    "r_reference": {".R"},
    "r_reference/recorded": {".json", ""},  # SHA256SUMS
}


def test_every_file_of_the_wheel_is_of_a_kind_that_is_listed() -> None:
    unlisted = []
    for file in in_the_wheel():
        folder = file.relative_to(ROOT).parent
        of_code = file.suffix == ".py" and folder.parts[0] == "pycvstat"
        if not of_code and file.suffix not in IN_THE_WHEEL.get(folder.as_posix(), set()):
            unlisted.append(file.relative_to(ROOT).as_posix())
    assert unlisted == []


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
