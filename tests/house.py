"""The floors of the package and their picture: ``python -m tests.house`` draws it anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

import pycvstat

PACKAGE = Path(pycvstat.__file__).parent
PICTURE = PACKAGE.parent / "vignettes" / "house.svg"

# from bottom to top; a room imports only rooms above it in this list, a wing as a room of its own
FLOORS: tuple[str, ...] = (
    "types",
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
    "r.session",
    "r.values",
    "r.rsample",
    "r.boot",
    "r.cv",
    "r.class_",
    "r.e1071",
    "r.FNN",
    "r.glmnet",
    "r.kknn",
    "r.caret",
    "r.bridge",
    "r.lecture",
    "r.check",
    "r.pytest_plugin",
    "r",
    "r.gallery",
    "report",
    "cli",
    "__main__",
)
FLOOR = {room: height for height, room in enumerate(FLOORS)}
WITH_WINGS = {"r"}
ROOMS = tuple(room for room in FLOORS if (PACKAGE / room / "__init__.py").is_file())

WIDTH, HEIGHT = 880, 46
STYLE = """
    text { font: 13px sans-serif; fill: #1a1a1a }
    .room { font-weight: bold; font-size: 15px }
    .uses { font-size: 11px; fill: #555 }
    rect { fill: #f4f6f9; stroke: #8899aa }
    @media (prefers-color-scheme: dark) {
      text { fill: #eee } .uses { fill: #aaa } rect { fill: #20262e; stroke: #667788 }
    }
"""


def modules() -> list[Path]:
    """Every module of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def room_of(file: Path) -> str:
    """The room that a file is in."""
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


def described(room: str) -> str:
    """What a room says of itself: the docstring of its `__init__`."""
    text = (PACKAGE / room / "__init__.py").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(text)) or ""


def uses(room: str) -> list[str]:
    """The rooms that a room imports, from the bottom up."""
    files = [file for file in modules() if room_of(file).split(".")[0] == room]
    used = {r.split(".")[0] for f in files for r in imported_rooms(f, only_when_loaded=False)}
    return [other for other in ROOMS if other in used - {room}]


def drawing() -> str:
    """The rooms as floors of a house, each with its first sentence and the rooms it uses."""
    height = HEIGHT * len(ROOMS) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" aria-label="The rooms of pycvstat">',
        f"<style>{STYLE}</style>",
    ]
    for place, room in enumerate(reversed(ROOMS)):
        top = 4 + place * HEIGHT
        sentence = described(room).splitlines()[0]
        below = ", ".join(uses(room)) or "nothing of the package"
        parts += [
            f'<rect x="4" y="{top}" width="{WIDTH - 8}" height="{HEIGHT - 6}" rx="4"/>',
            f'<text class="room" x="16" y="{top + 25}">{escape(room)}</text>',
            f'<text x="130" y="{top + 17}">{escape(sentence)}</text>',
            f'<text class="uses" x="130" y="{top + 33}">uses {escape(below)}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(drawing(), encoding="utf-8")
