"""What the wheel carries: a list by folder, and whether a wheel that was built keeps to it."""

from __future__ import annotations

import subprocess
import tomllib
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TARGET = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
KINDS = {
    "pycvstat": {".py", ".typed"},
    "pycvstat/data/examples": {".csv", ".gz", ".txt"},
    "pycvstat/intervals": {".json"},
    "pycvstat/report": {".bib", ".csv"},
    "pycvstat/report/templates": {".txt", ".jinja", ".tex", ".css"},
    "r_reference": {".R"},
    "r_reference/recorded": {".json", ""},  # SHA256SUMS
}
ABOUT = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}


def listed() -> list[Path]:
    """Files that are to be in it, by the patterns of pyproject.toml, anchored at the root."""
    files = [p for top in TARGET["only-include"] for p in (ROOT / top).rglob("*") if p.is_file()]
    left_out = {p for pattern in TARGET["exclude"] for p in ROOT.glob(pattern.removeprefix("/"))}
    return [p for p in files if p not in left_out and "__pycache__" not in p.parts]


def of_no_listed_kind() -> list[str]:
    """Files that are in it although their folder has no files of their kind."""
    found = []
    for file in listed():
        folder = file.relative_to(ROOT).parent
        of_code = file.suffix == ".py" and folder.parts[0] == "pycvstat"
        if not of_code and file.suffix not in KINDS.get(folder.as_posix(), set()):
            found.append(file.relative_to(ROOT).as_posix())
    return found


def build(python: str, folder: Path) -> Path:
    """The wheel that pip builds."""
    call = [python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder)]
    subprocess.run([*call, str(ROOT)], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def differences(wheel: Path) -> set[str]:
    """Names that are in a wheel and not listed, or listed and not in it."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    about = f"{'-'.join(wheel.name.split('-')[:2])}.dist-info"
    expected = {f"{about}/{name}" for name in ABOUT}
    for file in listed():
        name = file.relative_to(ROOT).as_posix()
        for old, new in TARGET["sources"].items():
            name = name.replace(f"{old}/", f"{new}/", 1) if name.startswith(f"{old}/") else name
        expected.add(name)
    return names ^ expected
