"""Mutation testing of the rooms that compute numbers: small changes that tests must notice.

    python tests/faults/mutate.py [MUTANTS PER ROOM] [SEED] [ROOM ...]

Copies the tree, collects the tests that compute and need no R, and runs them once, with functions
that note their calls, to learn which test calls which function. Then one operator or number at a
time is changed in a fork, and the tests that call its function are run, quick ones first, until one
fails: a mutant is noticed if the same tests pass without it. Prints survivors.
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
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from py_compile import PycInvalidationMode
from types import CodeType, FunctionType, ModuleType

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
BUDGET = 40  # seconds, as recorded, of the tests that are tried with a mutant
CONTROL = 300  # quick tests that are tried without a mutant
HANGS = 150  # seconds of a processor after which a mutant hangs: noticed
BROKEN = 99  # the status of a fork that could not do its work
CALLED = "__called__"  # the names of the functions of a module that were called

COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
            ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot,
            ast.IsNot: ast.Is}  # fmt: skip
COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
            ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.MatMult: ast.Mult,
            ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd}  # fmt: skip
Function = tuple[str, str]
"""The file of a function and its name."""
Reach = dict[str, tuple[float, set[Function]]]
"""Of each test its seconds and the functions it calls."""


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


Place = tuple[ast.AST, str, int | None]
"""Where a node can be replaced: parent, field, position in a list."""


def places(node: ast.AST, within: str = "") -> Iterator[tuple[ast.AST, Place, str]]:
    """Every node inside another, where it stands and the name of the function around it."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for at, child in enumerate(value if isinstance(value, list) else [value]):
            typing = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
            if isinstance(child, ast.AST) and not silent(child) and not typing:
                yield child, (node, field, at if isinstance(value, list) else None), within
                yield from places(child, qualified(child, node, within))


def qualified(child: ast.AST, node: ast.AST, within: str) -> str:
    """The name of the function or class that a child is, else of the one around it."""
    if not isinstance(child, ast.FunctionDef | ast.ClassDef):
        return within
    local = ".<locals>." if isinstance(node, ast.FunctionDef) else "."
    return f"{within}{local}{child.name}".strip(".")


def mutants(path: Path) -> Iterator[tuple[str, str]]:
    """Name of the function and source of every mutant of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node, place, within in list(places(tree)):
        for new in mutations(node):
            put(place, new)
            yield within, ast.unparse(ast.fix_missing_locations(tree))
            put(place, node)


def noting(source: str) -> str:
    """A source whose functions note that they are called."""
    tree = ast.parse(source)
    for node, (parent, *_), within in list(places(tree)):
        if isinstance(node, ast.FunctionDef):
            start = int(ast.get_docstring(node) is not None)
            note = f"{CALLED}.add({qualified(node, parent, within)!r})"
            node.body[start:start] = ast.parse(note).body
    future = [isinstance(one, ast.ImportFrom) and one.module == "__future__" for one in tree.body]
    tree.body[sum(future) + 1 : sum(future) + 1] = ast.parse(f"{CALLED} = set()").body
    return ast.unparse(ast.fix_missing_locations(tree))


def names_used(package: Path) -> dict[Function, set[str]]:
    """The names that each function uses."""
    found: dict[Function, set[str]] = {}
    for file in package.rglob("*.py"):
        for node, _, within in places(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Name | ast.Attribute):
                name = node.id if isinstance(node, ast.Name) else node.attr
                found.setdefault((str(file), within), set()).add(name)
    return found


def put(place: Place, node: ast.AST) -> None:
    parent, field, at = place
    if at is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[at] = node


class Examination:
    """A plugin of pytest: collects the tests once, and runs some of them in a fork per mutant."""

    def __init__(self, tree: Path, work: Callable[[Examination], object]) -> None:
        self.tree, self.work = tree, work
        self.failed = tree.with_name("failed")
        self.reports: list[pytest.TestReport] = []
        self.unsound: set[str] = set()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.functions: dict[str, list[FunctionType]] = {}
        gc.unfreeze()  # what is frozen is not listed
        for one in gc.get_objects():
            if isinstance(one, FunctionType):
                self.functions.setdefault(one.__code__.co_filename, []).append(one)
        gc.freeze()
        self.work(self)
        return True

    def record(self, target: Path) -> None:
        """What each test that passes calls in the package, whose functions note their calls."""
        found = {}
        for test, following in pairwise([*self.items, None]):
            for module in imported():
                vars(module)[CALLED].clear()
            started = time.process_time()
            if self.passes([test], following):
                seconds = time.process_time() - started
                called = [(str(module.__file__), one) for module in imported()
                          for one in vars(module)[CALLED]]  # fmt: skip
                used = getattr(getattr(self.items[test], "function", None), "__code__", None)
                found[test] = seconds, called, used.co_names if used else ()
        target.write_text(json.dumps(found))

    def passes(self, tests: list[str], then: str | None = None) -> bool:
        """Whether these tests pass, in this process."""
        following = [*(self.items[test] for test in tests[1:]), then and self.items[then]]
        for test, after in zip(tests, following, strict=True):
            self.failed.write_text(test)
            self.reports.clear()
            try:
                item = self.items[test]
                item.ihook.pytest_runtest_protocol(item=item, nextitem=after)
            except BaseException:  # whatever a mutant raises
                return False
            if not all(report.passed for report in self.reports):
                return False
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.reports.append(report)

    def notices(
        self, file: Path, source: str, tests: list[str], seen: bool, reads: list[str]
    ) -> bool:
        """Whether a test fails with another source of a file, and passes without it.

        What fails without a mutant, as on a machine that is busy, is not asked again. Where what an
        import runs is other, such as a default, tests are asked that read functions, too.
        """
        original = file.read_text("utf-8")
        old, new = (compile(text, str(file), "exec") for text in (original, source))
        functions = self.functions.get(str(file), [])
        known = {one.__code__ for one in functions}
        here = seen and not compiled(file) and only_within(known, old, new)
        tests = tests if here else [*reads, *tests]

        def pass_with(text: str, some: list[str]) -> bool:
            self.failed.write_text("")
            if here:
                return in_a_fork(lambda: self.passes_changed(functions, old, text, some), HANGS)
            file.write_text(text, encoding="utf-8")
            try:
                return in_a_fork(partial(pass_anew, some, compiled(file)), HANGS)
            finally:
                file.write_text(original, encoding="utf-8")

        bits = [test for test in tests if "fingerprints" in test]  # one file to collect
        for part in (tests,) if here else (bits, [test for test in tests if test not in bits]):
            while some := [test for test in part if test not in self.unsound]:
                if pass_with(source, some):
                    break
                failed = self.failed.read_text()
                if pass_with(original, some[: some.index(failed) + 1 if failed else 1]):
                    return True
                self.unsound.add(self.failed.read_text() or some[0])
        return False

    def passes_changed(
        self, functions: list[FunctionType], old: CodeType, source: str, tests: list[str]
    ) -> bool:
        """Whether these tests pass with functions from another source, in this process."""
        put_into(functions, old, compile(source, old.co_filename, "exec"))
        return self.passes(tests)


def imported() -> list[ModuleType]:
    """The modules of the package whose functions note their calls."""
    return [one for name, one in sys.modules.items()
            if name.partition(".")[0] == "pycvstat" and CALLED in vars(one)]  # fmt: skip


def recorded(tree: Path) -> Reach:
    """What each test that passes calls in the package: see `Examination.record`.

    What numba compiles notes nothing: it is called by what uses its name.
    """
    package, target = tree / "pycvstat", tree.with_name("reach.json")
    plain = {file: file.read_text("utf-8") for file in package.rglob("*.py") if not compiled(file)}
    for file, source in plain.items():
        file.write_text(noting(source), encoding="utf-8")
    in_a_fork(lambda: bool(session(Examination(tree, lambda tests: tests.record(target)))))
    for file, source in plain.items():
        file.write_text(source, encoding="utf-8")
    used = names_used(package)
    loops = {one[1]: one for one in used if compiled(Path(one[0]))}

    @cache
    def called_by(names: frozenset[str]) -> set[Function]:
        found: set[Function] = set()
        left = {loops[name] for name in names if name in loops}
        while left:
            found |= left
            left = {loops[n] for one in left for n in used[one] if n in loops} - found
        return found

    reached: Reach = {}
    for test, (seconds, called, names) in json.loads(target.read_text()).items():
        functions = {(file, name) for file, name in called}
        by = [names, *(used.get(one, ()) for one in functions)]
        reached[test] = seconds, functions.union(*(called_by(frozenset(some)) for some in by))
    return reached


def session(plugin: Examination) -> int:
    return pytest.main([*OPTIONS, *SUITE], plugins=[plugin])


def inner(code: CodeType) -> list[CodeType]:
    return [one for one in code.co_consts if isinstance(one, CodeType)]


def only_within(known: set[CodeType], old: CodeType, new: CodeType) -> bool:
    """Whether two sources differ in bodies of functions that are there, not in what imports run."""
    if old in known:
        return True
    own = [one.replace(co_consts=tuple(c for c in one.co_consts if not isinstance(c, CodeType)),
                       co_linetable=b"") for one in (old, new)]  # fmt: skip
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
    plugin = Examination(Path.cwd(), lambda anew: passed.append(anew.passes(tests)))
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
    """The tests that call a function, while there is time: those of its room for a quarter of it,
    then fingerprints, then all others, quick ones first.

    Where none is seen to, as in constants, those of its file come first, then those of its folder.
    """
    within_package = file.relative_to(Path.cwd() / "pycvstat").parent
    own = tuple(f"tests/{room}/" for room in (within_package, *within_package.parents[:-1]))

    def distance(test: str) -> int:
        files = {called for called, _ in reached[test][1]}
        return (
            ((str(file), within) not in reached[test][1])
            + (str(file) not in files)
            + (str(file.parent) not in {called.rpartition("/")[0] for called in files})
        )

    far = {test: distance(test) for test in reached}
    if 0 in far.values():
        far = {test: 0 for test in far if far[test] == 0}
    nearest = min(far.values())
    directed = [test for test in far if far[test] == nearest and test.startswith(own)]
    in_turn = (
        (sorted(directed, key=lambda t: reached[t][0]), BUDGET / 4),
        (sorted(far, key=lambda t: (far[t], "fingerprints" not in t, reached[t][0])), BUDGET),
    )
    chosen: set[str] = set()
    seconds = 0.0
    for some, most in in_turn:
        for test in some:
            if test not in chosen:
                seconds += reached[test][0]
                if chosen and seconds > most:
                    break
                chosen.add(test)
    return sorted(chosen, key=lambda test: reached[test][0])


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
    reads = [test for test in reached if f"defaults: {room}]" in test]
    for file, within, source in sample:
        chosen = of_a_mutant(reached, file, within)
        seen = (str(file), within) in reached[chosen[0]][1]  # not only while modules are imported
        if tests.notices(file, source, chosen, seen, reads):
            noticed += 1
        else:
            lines = [text.splitlines() for text in (file.read_text("utf-8"), source)]
            was, now = next((a.strip(), b.strip()) for a, b in zip(*lines, strict=True) if a != b)
            print(f"  survived {len(chosen)} tests: {file.relative_to(package)}, {within}:\n"
                  f"    - {was[:200]}\n    + {now[:200]}", flush=True)  # fmt: skip
    print(f"{room}: {noticed} of {count} noticed, from {len(every)}", flush=True)
    if tests.unsound:
        print(f"  fail without a mutant: {', '.join(sorted(tests.unsound))}", flush=True)
    return noticed


def main(count: int = 20, seed: int = 1, *rooms: str) -> None:
    """Examine rooms and print the score."""
    chosen = rooms or ROOMS

    def work(tests: Examination) -> None:
        print(f"{len(reached)} of {len(tests.items)} tests pass and were recorded", flush=True)
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
        reached = recorded(tree)
        session(Examination(tree, work))


if __name__ == "__main__":
    numbers = [int(a) for a in sys.argv[1:3]]
    main(*numbers, *sys.argv[3:])
