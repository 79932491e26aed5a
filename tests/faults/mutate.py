"""Mutation testing of the numeric core: small changes of the code that tests must notice.

    python tests/faults/mutate.py [MUTANTS PER ROOM] [SEED] [ROOM ...]

Copies the tree, changes one operator or number at a time in the copy, and runs the tests of that
room (those that need no R) until the first fails. Prints the survivors and the score.
"""

from __future__ import annotations

import ast
import copy
import io
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

ROOT = Path(__file__).parents[2]
SECONDS = 240  # a mutant that takes longer hangs: noticed

ROOMS = {
    "folds": (["folds/*.py"], ["tests/folds"]),
    "neighbours": (["learners/knn/*.py"], ["tests/learners/knn", "tests/r/kknn"]),
    "compiled": (["learners/knn/compiled/*.py"], ["tests/learners/knn"]),
    "intervals": (["intervals/*.py"], ["tests/intervals"]),
    "losses": (["losses/*.py"], ["tests/losses"]),
    "sums": (["rmath/sums.py"], ["tests/rmath"]),
    "engine": (
        ["procedures/engine.py", "procedures/selection.py", "procedures/tuned.py"],
        ["tests/procedures"],
    ),
}  # fmt: skip

COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
            ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot,
            ast.IsNot: ast.Is}  # fmt: skip
COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
            ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.MatMult: ast.Mult,
            ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd}  # fmt: skip


def mutations(node: ast.AST) -> Iterator[ast.AST]:
    """Changed copies of a node."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED:
        yield changed(node, ops=[COMPARED[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in COMPUTED:
        yield changed(node, op=COMPUTED[type(node.op)]())
    elif isinstance(node, ast.BoolOp):
        yield changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield changed(node, value=not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield changed(node, value=node.value + 1)
        yield changed(node, value=node.value - 1)


def changed(node: ast.AST, **fields: object) -> ast.AST:
    made = copy.copy(node)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def silent(node: ast.AST) -> bool:
    """What no test of numbers can see: annotations, error texts, representations."""
    return isinstance(node, ast.Raise | ast.AnnAssign) or (
        isinstance(node, ast.FunctionDef) and node.name == "__repr__"
    )


def places(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Where a node can be replaced: parent, field, and position in a list."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for at, child in enumerate(value if isinstance(value, list) else [value]):
            typing = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
            if isinstance(child, ast.AST) and not silent(child) and not typing:
                yield node, field, at if isinstance(value, list) else None
                yield from places(child)


def mutants(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, description and source of every mutant of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for parent, field, at in list(places(tree)):
        held = getattr(parent, field)
        node = held if at is None else held[at]
        for new in mutations(node):
            described = f"{ast.unparse(node)}  ->  {ast.unparse(new)}"
            put(parent, field, at, new)
            yield node.lineno, described, ast.unparse(ast.fix_missing_locations(tree))
            put(parent, field, at, node)


def put(parent: ast.AST, field: str, at: int | None, node: ast.AST) -> None:
    if at is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[at] = node


def passes(tree: Path, tests: list[str], file: Path) -> bool:
    """Whether the tests pass in the tree; in a fork, so that libraries are imported once."""
    if file.parent.name == "compiled":  # numba would not see a change in an inlined function
        shutil.rmtree(os.environ["NUMBA_CACHE_DIR"], ignore_errors=True)
    child = os.fork()
    if child == 0:
        os.setsid()
        os.chdir(tree)
        sys.path.insert(0, str(tree))
        import pytest

        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            status = pytest.main(
                ["-x", "-q", "-m", "not live_r and not slow", "-p", "no:cacheprovider",
                 "-p", "no:faulthandler",
                 *[test for test in tests if Path(test).exists()], str(file)]
            )  # fmt: skip
        os._exit(int(status != 0))
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def examine(room: str, count: int, seed: int, tree: Path) -> tuple[int, int]:
    """Try a sample of a room's mutants: how many were tried and noticed."""
    patterns, tests = ROOMS[room]
    files = sorted(f for p in patterns for f in (tree / "pycvstat").glob(p))
    every = [(file, *mutant) for file in files for mutant in mutants(file)]
    sample = random.Random(seed).sample(every, min(count, len(every)))
    started = time.monotonic()
    if not passes(tree, tests, files[0]):
        raise SystemExit(f"{room}: the tests fail without a mutant")
    print(f"{room}: {len(every)} mutants, {len(sample)} tried; tests take "
          f"{time.monotonic() - started:.0f} s", flush=True)  # fmt: skip
    noticed = 0
    for file, line, described, source in sample:
        original = file.read_text(encoding="utf-8")
        file.write_text(source, encoding="utf-8")
        survived = passes(tree, tests, file)
        file.write_text(original, encoding="utf-8")
        noticed += not survived
        if survived:
            print(f"  survived {file.relative_to(tree)}:{line}: {described[:140]}", flush=True)
    return len(sample), noticed


def main(count: int = 20, seed: int = 1, *rooms: str) -> None:
    """Examine rooms and print the score."""
    sys.dont_write_bytecode = True
    tried = noticed = 0
    with tempfile.TemporaryDirectory() as place:
        tree, cache = Path(place, "tree"), Path(place, "cache")
        os.environ |= {"PYTHONDONTWRITEBYTECODE": "1", "PYCVSTAT_R": "none"}
        os.environ["NUMBA_CACHE_DIR"] = str(cache)
        import numba  # noqa: F401  libraries are imported before the forks
        import pandas as pd  # noqa: F401
        import scipy.stats  # noqa: F401
        import sklearn.linear_model  # noqa: F401

        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*", "__pycache__", "vignettes"))
        for room in rooms or ROOMS:
            t, n = examine(room, count, seed, tree)
            print(f"{room}: {n} of {t} noticed", flush=True)
            tried, noticed = tried + t, noticed + n
    print(f"score: {noticed} of {tried} mutants noticed ({100 * noticed / tried:.0f} %)")


if __name__ == "__main__":
    numbers = [int(a) for a in sys.argv[1:3]]
    main(*numbers, *sys.argv[3:])
