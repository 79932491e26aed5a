"""The shape of the package: imports go downwards only, files stay small, imports stay cheap."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import pycvstat

PACKAGE = Path(pycvstat.__file__).parent

# from bottom to top; a room imports only rooms above it in this list, a wing as a room of its own
FLOORS: tuple[str, ...] = (
    "errors",
    "rmath",
    "data",
    "folds",
    "losses",
    "run",
    "learners",
    "intervals",
    "procedures",
    "simulate",
    "r.kknn",
    "r.lecture",
    "r.bridge",
    "r.check",
    "r",
    "report",
    "cli",
    "__main__",
)
FLOOR = {room: height for height, room in enumerate(FLOORS)}
WITH_WINGS = {"r"}
MAX_LINES = 400
BRIDGE_MAY_USE = {"errors", "data"}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room_of(file: Path) -> str:
    return room_named(file.relative_to(PACKAGE).with_suffix("").parts)


def room_named(parts: Sequence[str]) -> str:
    """The room of a module: its first part, with the wing where the room has wings."""
    wing = parts[0] in WITH_WINGS and len(parts) > 1 and parts[1] != "__init__"
    return ".".join(parts[: 1 + wing])


def imported_rooms(file: Path, *, only_when_loaded: bool) -> Iterator[str]:
    """Rooms that a module imports, all of them or those it needs to be loaded."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    deferred = _deferred(tree) if only_when_loaded else set()
    for node in ast.walk(tree):
        if node in deferred:
            continue
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "pycvstat":
            names = [f"pycvstat.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        yield from (room_named(n.split(".")[1:]) for n in names if n.startswith("pycvstat."))


def _deferred(tree: ast.AST) -> set[ast.AST]:
    """What runs in functions only, or for type checkers only."""
    parts = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    ]
    return {node for part in parts for node in ast.walk(part)}


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
    assert len([p for p in PACKAGE.iterdir() if p.name != "__pycache__"]) <= 18
