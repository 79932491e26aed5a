"""Every declared dependency has its reason, and the wheel brings the R reference."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ALLOWED = {
    "pyproject.toml", "README.md", "pycvstat", "r_reference", "tests", "vignettes", "Makefile",
    "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE",
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
