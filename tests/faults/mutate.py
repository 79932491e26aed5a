"""Mutation testing of the rooms that compute numbers: small changes that tests must notice.

    python tests/faults/mutate.py [MUTANTS PER ROOM] [SEED] [ROOM ...]

Copies the tree and runs the tests of a room once (those that need no R, and the fingerprints) to
learn which tests call which function. Then one operator or number at a time is changed in the copy,
and the tests that call its function are run, quick ones first, until one fails. Prints survivors.
"""

from __future__ import annotations

import ast
import copy
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
ROOMS = ("rmath", "data", "folds", "losses", "learners", "intervals", "procedures", "simulate")
OPTIONS = ["-q", "-m", "not live_r and not slow", "-p", "no:cacheprovider", "-p", "no:faulthandler",
           "-p", "no:xdist", "-W", "ignore::pytest.PytestAssertRewriteWarning"]  # fmt: skip
BUDGET = 120  # seconds of a processor for tests that pass: no more are tried
HANGS = 900  # seconds after which a mutant hangs: noticed

COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
            ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot,
            ast.IsNot: ast.Is}  # fmt: skip
COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
            ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.MatMult: ast.Mult,
            ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd}  # fmt: skip
Reach = dict[str, tuple[float, set[tuple[str, int]]]]
"""Of each test its seconds and the functions it calls, by file and first line."""


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


def places(node: ast.AST, within: int = 0) -> Iterator[tuple[ast.AST, str, int | None, int]]:
    """Where a node can be replaced: parent, field, position in a list, line of its function."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for at, child in enumerate(value if isinstance(value, list) else [value]):
            typing = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
            if isinstance(child, ast.AST) and not silent(child) and not typing:
                yield node, field, at if isinstance(value, list) else None, within
                yield from places(child, _function(child) or within)


def _function(node: ast.AST) -> int:
    """The line by which Python knows a function; 0 of anything else."""
    if not isinstance(node, ast.FunctionDef):
        return 0
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def mutants(path: Path) -> Iterator[tuple[int, int, str, str]]:
    """Line, line of the function, description and source of every mutant of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for parent, field, at, within in list(places(tree)):
        held = getattr(parent, field)
        node = held if at is None else held[at]
        for new in mutations(node):
            described = f"{ast.unparse(node)}  ->  {ast.unparse(new)}"
            put(parent, field, at, new)
            yield node.lineno, within, described, ast.unparse(ast.fix_missing_locations(tree))
            put(parent, field, at, node)


def put(parent: ast.AST, field: str, at: int | None, node: ast.AST) -> None:
    if at is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[at] = node


class Recorder:
    """A plugin of pytest that notes which functions of a room a test calls, and its seconds."""

    def __init__(self, room: Path, target: Path) -> None:
        self.room, self.target = str(room), target
        self.found: dict[str, Any] = {}

    def pytest_runtest_protocol(self, item: Any) -> None:
        self.called: set[tuple[str, int]] = set()
        self.started = time.monotonic()
        sys.settrace(self._call)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        sys.settrace(None)
        self.found[nodeid] = time.monotonic() - self.started, sorted(self.called)

    def pytest_sessionfinish(self) -> None:
        self.target.write_text(json.dumps(self.found))

    def _call(self, frame: Any, event: str, argument: object) -> None:
        if frame.f_code.co_filename.startswith(self.room):
            self.called.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))


class Chosen:
    """A plugin of pytest that runs some tests in an order, for a time."""

    def __init__(self, tests: list[str]) -> None:
        self.rank = {test: i for i, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted((i for i in items if i.nodeid in self.rank),
                          key=lambda item: self.rank[item.nodeid])  # fmt: skip

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        if time.process_time() > BUDGET:
            os._exit(0)


def in_a_fork(tree: Path, arguments: list[str], plugin: Callable[[], Any]) -> int:
    """The status of pytest in the tree; in a fork, so that libraries are imported once."""
    child = os.fork()
    if child == 0:
        os.setsid()
        os.chdir(tree)
        sys.path.insert(0, str(tree))
        import pytest

        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            status = pytest.main([*OPTIONS, *arguments], plugins=[plugin()])
        os._exit(int(status))
    started = time.monotonic()
    while "-x" not in arguments or time.monotonic() - started < HANGS:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 1


def reach(tree: Path, *tests: str) -> Reach:
    """Run tests, and see what they call."""
    target = tree.with_name("reach.json")
    if in_a_fork(tree, list(tests), lambda: Recorder(tree / "pycvstat", target)) != 0:
        raise SystemExit(f"{tests}: they fail without a mutant")
    found = json.loads(target.read_text())
    return {test: (s, {(f, line) for f, line in called}) for test, (s, called) in found.items()}


def of_a_mutant(reached: Reach, file: Path, within: int) -> list[str]:
    """The tests that call a function, quick ones first; of constants and compiled code all."""
    hidden = within == 0 or "numba" in file.read_text(encoding="utf-8")
    tests = [t for t, (_, called) in reached.items() if hidden or (str(file), within) in called]
    return sorted(tests, key=lambda test: reached[test][0])


def passes(tree: Path, tests: list[str], file: Path) -> bool:
    """Whether these tests pass."""
    if not tests:
        return True
    if any("numba" in one.read_text("utf-8") for one in file.parent.glob("*.py")):
        # which would not see a change in an inlined function
        shutil.rmtree(os.environ["NUMBA_CACHE_DIR"], ignore_errors=True)
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    return in_a_fork(tree, ["-x", *files], lambda: Chosen(tests)) == 0


def examine(room: str, count: int, seed: int, tree: Path, common: Reach) -> tuple[int, int]:
    """Try a sample of a room's mutants: how many were tried and noticed."""
    files = sorted((tree / "pycvstat" / room).rglob("*.py"))
    every = [(file, *mutant) for file in files for mutant in mutants(file)]
    sample = random.Random(seed).sample(every, min(count, len(every)))
    started = time.monotonic()
    reached = common | reach(tree, f"tests/{room}", f"pycvstat/{room}")
    print(f"{room}: {len(every)} mutants, {len(sample)} tried; {len(reached)} tests, "
          f"{time.monotonic() - started:.0f} s", flush=True)  # fmt: skip
    noticed = 0
    for file, line, within, described, source in sample:
        tests = of_a_mutant(reached, file, within)
        original = file.read_text(encoding="utf-8")
        file.write_text(source, encoding="utf-8")
        survived = passes(tree, tests, file)
        file.write_text(original, encoding="utf-8")
        noticed += not survived
        if survived:
            print(f"  survived {len(tests)} tests: {file.relative_to(tree)}:{line}: "
                  f"{described[:140]}", flush=True)  # fmt: skip
    return len(sample), noticed


def main(count: int = 20, seed: int = 1, *rooms: str) -> None:
    """Examine rooms and print the score."""
    sys.dont_write_bytecode = True
    tried = noticed = 0
    with tempfile.TemporaryDirectory() as place:
        tree, cache = Path(place, "tree"), Path(place, "cache")
        os.environ |= {"PYTHONDONTWRITEBYTECODE": "1", "PYCVSTAT_R": "none"}
        os.environ["NUMBA_CACHE_DIR"] = str(cache)
        import hypothesis  # noqa: F401  libraries are imported before the forks
        import matplotlib.pyplot  # noqa: F401
        import numba  # noqa: F401
        import pandas as pd  # noqa: F401
        import polars  # noqa: F401
        import scipy.stats  # noqa: F401
        import sklearn.linear_model  # noqa: F401
        import statsmodels.formula.api  # noqa: F401

        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*", "__pycache__"))
        common = reach(tree, "tests/fingerprints")
        for room in rooms or ROOMS:
            t, n = examine(room, count, seed, tree, common)
            print(f"{room}: {n} of {t} noticed", flush=True)
            tried, noticed = tried + t, noticed + n
    print(f"score: {noticed} of {tried} mutants noticed ({100 * noticed / tried:.0f} %)")


if __name__ == "__main__":
    numbers = [int(a) for a in sys.argv[1:3]]
    main(*numbers, *sys.argv[3:])
