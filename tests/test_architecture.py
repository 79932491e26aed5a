"""The shape of the package: imports go downwards only, files stay small, imports stay cheap."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pycvstat
from tests.house import (
    FLOOR,
    PACKAGE,
    PICTURE,
    ROOMS,
    described,
    drawing,
    imported_rooms,
    modules,
    room_of,
)

MAX_LINES = 400
BRIDGE_MAY_USE = {"types", "errors", "data"}


@pytest.mark.parametrize("file", modules(), ids=lambda f: str(f.relative_to(PACKAGE)))
def test_imports_go_downwards_only(file: Path) -> None:
    room = room_of(file)
    if room == "__init__":
        return
    # the verbs delegate to higher rooms, by imports inside their functions
    used = set(imported_rooms(file, only_when_loaded=room == "verbs")) - {room, "verbs"}
    unknown = used - set(FLOOR) - {"__init__"}
    assert not unknown, f"rooms without a floor in this test: {unknown}"
    if room == "verbs":
        assert used <= {"errors"}
        return
    upwards = {other for other in used if FLOOR[other] >= FLOOR[room]}
    assert not upwards, f"{room} must not import {upwards}"
    if room == "r.bridge":
        assert used <= BRIDGE_MAY_USE


@pytest.mark.parametrize("file", modules(), ids=lambda f: str(f.relative_to(PACKAGE)))
def test_files_hold_one_idea(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


def test_kinds_of_arrays_are_named_once() -> None:
    alias = re.compile(r"^\w+ = (npt\.)?NDArray\[np\.(float64|int64|bool_)\]", re.MULTILINE)
    named = [f for f in modules() if alias.search(f.read_text(encoding="utf-8"))]
    assert named == [PACKAGE / "types.py"]


def test_every_public_name_loads_and_is_known_to_type_checkers() -> None:
    source = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    (block,) = (
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    typed = {
        alias.asname or alias.name
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == set(pycvstat.__all__)
    for name in pycvstat.__all__:
        assert getattr(pycvstat, name) is not None


def test_no_public_function_hides_a_module_of_its_name() -> None:
    for name, home in pycvstat._HOME.items():
        if home:
            assert not (PACKAGE / f"{name}.py").exists()
            assert not (PACKAGE / name).exists()


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, pycvstat; print(*sorted(m.partition('.')[0] for m in sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent
    ).stdout.split()
    heavy = {"numba", "statsmodels", "matplotlib", "scipy", "sklearn", "dask", "rpy2", "polars"}
    assert not heavy.intersection(loaded)


@pytest.mark.parametrize("file", modules(), ids=lambda f: str(f.relative_to(PACKAGE)))
def test_no_machine_paths_in_the_package(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"[\"'(\s]/(?:home|root|work|opt|tmp|Users)/", text)


def test_the_top_of_the_package_is_a_list_that_fits_the_head() -> None:
    assert len([p for p in PACKAGE.iterdir() if p.name != "__pycache__"]) <= 19


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_is_in_it_what_it_may_import_and_what_goes_there(room: str) -> None:
    said = described(room)
    assert said.splitlines()[0].endswith((".", "see."))
    assert "May import" in said
    assert "New here:" in said


def test_the_picture_of_the_house_is_what_the_imports_are() -> None:
    drawn = PICTURE.read_text(encoding="utf-8")
    assert drawn == drawing(), "draw it anew: python -m tests.house"
