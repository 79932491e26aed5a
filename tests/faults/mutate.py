"""Mutation testing of the rooms that compute numbers: small changes that tests must notice.

    python tests/faults/mutate.py [MUTANTS PER ROOM] [SEED] [ROOM ...]

Copies the tree, collects the tests that compute and need no R, and runs them once to learn which
test calls which function. Then one operator or number at a time is changed in a fork, and the tests
that call its function are run, quick ones first, until one fails. Prints survivors.
"""

from __future__ import annotations

import ast
import compileall
import copy
import gc
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from py_compile import PycInvalidationMode
from types import CodeType, FrameType, FunctionType

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("rmath", "data", "folds", "losses", "learners", "intervals", "procedures", "simulate")
OPTIONS = ["-q", "-s", "-m", "not live_r and not slow", "-p", "no:cacheprovider",
           "-p", "no:faulthandler", "-p", "no:xdist", "--hypothesis-seed=1",
           "-W", "ignore::pytest.PytestAssertRewriteWarning"]  # fmt: skip
SUITE = (
    "tests/fingerprints",
    *(f"{above}/{room}" for room in ROOMS for above in ("tests", "pycvstat")),
    *(f"tests/differential/test_{part}.py" for part in ("numbers", "ways_in")),
    *(f"tests/faults/test_{part}.py" for part in ("leaks", "numerics")),
    *(f"tests/vignettes/test_recorded_{part}.py" for part in ("metrics", "quantities")),
)
BUDGET = 12  # seconds, as recorded, of the tests that are tried with a mutant
CONTROL = 300  # quick tests that are tried without a mutant
HANGS = 60  # seconds of a processor after which a mutant hangs: noticed
BROKEN = 99  # the status of a fork that could not do its work

COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
            ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot,
            ast.IsNot: ast.Is}  # fmt: skip
COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
            ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.MatMult: ast.Mult,
            ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd}  # fmt: skip
Reach = dict[str, tuple[float, set[tuple[str, str]]]]
"""Of each test its seconds and the functions it calls, by file and name."""


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


def places(node: ast.AST, within: str = "") -> Iterator[tuple[ast.AST, str, int | None, str]]:
    """Where a node can be replaced: parent, field, position in a list, name of its function."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for at, child in enumerate(value if isinstance(value, list) else [value]):
            typing = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
            if isinstance(child, ast.AST) and not silent(child) and not typing:
                yield node, field, at if isinstance(value, list) else None, within
                local = ".<locals>." if isinstance(node, ast.FunctionDef) else "."
                named = isinstance(child, ast.FunctionDef | ast.ClassDef)
                yield from places(
                    child, f"{within}{local}{child.name}".strip(".") if named else within
                )


def mutants(path: Path) -> Iterator[tuple[str, str]]:
    """Name of the function and source of every mutant of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for parent, field, at, within in list(places(tree)):
        held = getattr(parent, field)
        node = held if at is None else held[at]
        for new in mutations(node):
            put(parent, field, at, new)
            yield within, ast.unparse(ast.fix_missing_locations(tree))
            put(parent, field, at, node)


def put(parent: ast.AST, field: str, at: int | None, node: ast.AST) -> None:
    if at is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[at] = node


class Examination:
    """A plugin of pytest: collects the tests once, and runs some of them in a fork per mutant."""

    def __init__(self, tree: Path, work: Callable[[Examination], object]) -> None:
        self.tree, self.work = tree, work
        self.called: set[tuple[str, str]] = set()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.functions: dict[str, list[FunctionType]] = {}
        for one in gc.get_objects():
            if isinstance(one, FunctionType):
                self.functions.setdefault(one.__code__.co_filename, []).append(one)
        gc.freeze()
        self.work(self)
        return True

    def record(self, target: Path) -> Reach:
        """What each test that passes calls in the package."""

        def all_of_them() -> bool:
            found = {}
            for test, following in pairwise([*self.items, None]):
                self.called.clear()
                started = time.process_time()
                sys.settrace(self._call)
                passed = self.passes([test], following)
                sys.settrace(None)
                if passed:
                    within = [one for one in self.called if one[0].startswith(f"{self.tree}/pycv")]
                    found[test] = time.process_time() - started, within
            target.write_text(json.dumps(found))
            return True

        in_a_fork(all_of_them)
        found = json.loads(target.read_text())
        return {test: (s, {(f, n) for f, n in called}) for test, (s, called) in found.items()}

    def _call(self, frame: FrameType, *_: object) -> None:
        self.called.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    def passes(self, tests: list[str], then: str | None = None) -> bool:
        """Whether these tests pass, in this process."""
        from _pytest.runner import runtestprotocol

        for test, following in pairwise([*tests, then]):
            following_item = None if following is None else self.items[following]
            try:
                reports = runtestprotocol(self.items[test], log=False, nextitem=following_item)
            except BaseException:  # whatever a mutant raises
                return False
            if not all(report.passed for report in reports):
                return False
        return True

    def survives(self, file: Path, source: str, tests: list[str], seen: bool) -> bool:
        """Whether these tests pass with another source of a file; `seen` to call what changed."""
        original = file.read_text(encoding="utf-8")
        old, new = (compile(text, str(file), "exec") for text in (original, source))
        functions = self.functions.get(str(file), [])
        known = {one.__code__ for one in functions}
        if seen and not compiled(file) and only_within(known, old, new):

            def changed_here() -> bool:
                put_into(functions, old, new)
                return self.passes(tests)

            return in_a_fork(changed_here, HANGS)
        file.write_text(source, encoding="utf-8")
        try:
            bits = [test for test in tests if "fingerprints" in test]  # one file to collect
            rest = [test for test in tests if "fingerprints" not in test]
            return all(
                in_a_fork(partial(pass_anew, some, compiled(file)), HANGS)
                for some in (bits, rest)
                if some
            )
        finally:
            file.write_text(original, encoding="utf-8")


def inner(code: CodeType) -> list[CodeType]:
    return [one for one in code.co_consts if isinstance(one, CodeType)]


def only_within(known: set[CodeType], old: CodeType, new: CodeType) -> bool:
    """Whether two sources differ in bodies of functions that are there, not in what imports run."""
    if old in known:
        return True
    own = [one.replace(co_consts=tuple(c for c in one.co_consts if not isinstance(c, CodeType)))
           for one in (old, new)]  # fmt: skip
    pairs = zip(inner(old), inner(new), strict=True)
    return own[0] == own[1] and all(only_within(known, a, b) for a, b in pairs)


def put_into(functions: list[FunctionType], old: CodeType, new: CodeType) -> None:
    """Give functions that are there the code of another source."""
    instead, left = {}, [(old, new)]
    while left:
        a, b = left.pop()
        instead[a] = b
        left += zip(inner(a), inner(b), strict=True)
    for one in functions:
        one.__code__ = instead.get(one.__code__, one.__code__)


def pass_anew(tests: list[str], own_cache: bool = False) -> bool:
    """Whether tests pass once everything is imported anew."""
    if own_cache:  # compiled code does not see a change of a function that it calls
        import numba

        numba.config.CACHE_DIR = tempfile.mkdtemp(dir=Path(numba.config.CACHE_DIR).parent)
    for name in [*sys.modules]:
        if name.partition(".")[0] in ("pycvstat", "tests"):
            del sys.modules[name]
    passed: list[bool] = []
    plugin = Examination(Path(), lambda anew: passed.append(anew.passes(tests)))
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    pytest.main([*OPTIONS, *files], plugins=[plugin])
    return passed == [True]


def in_a_fork(work: Callable[[], bool], seconds: int = 0) -> bool:
    """Whether work ends well in a fork, within some seconds of the processor."""
    child = os.fork()
    if child == 0:
        os.setsid()
        if seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            signal.alarm(10 * seconds)  # what waits for ever
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        status = BROKEN
        try:
            status = int(not work())
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # workers that it left
    if os.waitstatus_to_exitcode(status) == BROKEN:
        raise SystemExit("the examination itself failed")
    return status == 0


def prepared(place: Path) -> Path:
    """A copy of the tree, whose files are written as mutants are: what reads them fails before."""
    tree = place / "tree"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*", "__pycache__"))
    for file in (tree / "pycvstat").rglob("*.py"):
        file.write_text(ast.unparse(ast.parse(file.read_text("utf-8"))), encoding="utf-8")
    compileall.compile_dir(tree, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    return tree


def of_a_mutant(reached: Reach, file: Path, within: str) -> list[str]:
    """The tests that call a function, quick ones first.

    Where none is seen to, as in constants and in what numba compiles, those of its file come
    first, then those of its folder.
    """

    def distance(test: str) -> int:
        files = {called for called, _ in reached[test][1]}
        return (
            ((str(file), within) not in reached[test][1])
            + (str(file) not in files)
            + (str(file.parent) not in {called.rpartition("/")[0] for called in files})
        )

    far = {test: distance(test) for test in reached}
    if 0 in far.values() and not compiled(file):
        far = {test: 0 for test in far if far[test] == 0}
    chosen: list[str] = []
    seconds = 0.0
    for test in sorted(far, key=lambda test: (far[test], reached[test][0])):
        seconds += reached[test][0]
        if chosen and seconds > BUDGET:
            break
        chosen.append(test)
    return chosen


def compiled(file: Path) -> bool:
    """Whether numba compiles what stands in a file, of which no call is seen."""
    return file.parent.name == "compiled" or "numba" in file.read_text("utf-8")


def examine(room: str, count: int, seed: int, tests: Examination, reached: Reach) -> int:
    """Try a sample of a room's mutants: how many were noticed."""
    package = tests.tree / "pycvstat"
    every = [(file, *one) for file in sorted((package / room).rglob("*.py"))
             for one in mutants(file)]  # fmt: skip
    sample = random.Random(seed).sample(every, count)
    noticed = 0
    for file, within, source in sample:
        chosen = of_a_mutant(reached, file, within)
        seen = (str(file), within) in reached[chosen[0]][1]  # not only while modules are imported
        survived = tests.survives(file, source, chosen, seen)
        noticed += not survived
        if survived:
            lines = [text.splitlines() for text in (file.read_text("utf-8"), source)]
            was, now = next((a.strip(), b.strip()) for a, b in zip(*lines, strict=True) if a != b)
            print(f"  survived {len(chosen)} tests: {file.relative_to(package)}, {within}:\n"
                  f"    - {was[:200]}\n    + {now[:200]}", flush=True)  # fmt: skip
    print(f"{room}: {noticed} of {count} noticed, from {len(every)}", flush=True)
    return noticed


def main(count: int = 20, seed: int = 1, *rooms: str) -> None:
    """Examine rooms and print the score."""
    chosen = rooms or ROOMS

    def work(tests: Examination) -> None:
        started = time.monotonic()
        reached = tests.record(tests.tree.with_name("reach.json"))
        print(f"{len(reached)} of {len(tests.items)} tests pass and were recorded, "
              f"{time.monotonic() - started:.0f} s", flush=True)  # fmt: skip
        quick = sorted(reached, key=lambda test: reached[test][0])[:CONTROL]
        for pass_them in (tests.passes, pass_anew):
            if not in_a_fork(partial(pass_them, quick)):
                raise SystemExit("quick tests fail without a mutant")
        noticed = sum(examine(room, count, seed, tests, reached) for room in chosen)
        tried = count * len(chosen)
        print(f"score: {noticed} of {tried} mutants noticed ({100 * noticed / tried:.0f} %)")

    with tempfile.TemporaryDirectory() as place:
        os.environ |= {"PYCVSTAT_R": "none", "PYCVSTAT_CASES": "200",
                       "NUMBA_CACHE_DIR": str(Path(place, "cache"))}  # fmt: skip
        tree = prepared(Path(place))
        os.chdir(tree)
        sys.path.insert(0, str(tree))
        pytest.main([*OPTIONS, *SUITE], plugins=[Examination(tree, work)])


if __name__ == "__main__":
    numbers = [int(a) for a in sys.argv[1:3]]
    main(*numbers, *sys.argv[3:])
