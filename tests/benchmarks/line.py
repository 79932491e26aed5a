"""One line of the table: the same work done by us and by a peer, in turns, in one process.

A benchmark is a file ``bench_*.py`` with a function ``lines()`` that yields `Line`s, and where cost
grows with the rows a function ``curves()`` that yields lines with `n`. ``python -m tests.benchmarks
knn`` runs ``bench_knn.py`` and prints; without a name all of them run, each in a process of its
own, and BENCHMARKS.md is written.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

Work = Callable[[], Any]
ROOT = Path(__file__).parents[2]
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


@dataclass(frozen=True)
class Cost:
    """Of one run: seconds, peak megabytes beyond what was held before, and what it computed."""

    wall: float
    processor: float
    megabytes: float | None = None
    value: Any = None


@dataclass(frozen=True)
class Line:
    """Ours and a peer's way to the same end, and what is wanted.

    A work that measures itself, in a process of its own or in R, returns its `Cost`.
    """

    work: str
    ours: Work
    peer: str
    theirs: Work
    times: float | None = None  # as fast as the peer, at least
    share: float | None = None  # of the peer's time, at most
    seconds: float | None = None  # of ours, at most
    beyond: float | None = None  # seconds more than the peer, at most
    megabytes: float | None = None  # of ours, at most
    agree: float | None = 1e-9  # what both return, in shares of the largest; None: not comparable
    runs: int = 5
    their_runs: int = 5
    clock: Literal["processor", "wall"] = "processor"  # by which it is judged
    n: int = 0  # rows, of a curve


@dataclass(frozen=True)
class Measured:
    """A row of the table: medians of seconds, and how many times as long the peer takes.

    That ratio is the median over the turns, beside its range, all by the same clock; a peer that
    runs once is set against all turns of ours.
    """

    work: str
    peer: str
    ours: Cost
    theirs: Cost
    ratio: float
    low: float
    high: float
    as_share: bool
    wanted: str
    met: bool
    clock: str
    n: int = 0

    @property
    def against(self) -> str:
        """The ratio in the words of what is wanted."""
        if self.as_share:
            return f"{1 / self.ratio:.0%} of its time ({1 / self.high:.0%} to {1 / self.low:.0%})"
        return f"{self.ratio:.3g} ({self.low:.3g} to {self.high:.3g})"

    def __str__(self) -> str:
        memory = "" if self.ours.megabytes is None else f", {self.ours.megabytes:.0f} MB"
        return (
            f"{self.work}, {self.peer}: {getattr(self.ours, self.clock):.4g} s{memory}, peer "
            f"{getattr(self.theirs, self.clock):.4g} s ({self.clock}): {self.against}"
            + (f"; wanted {self.wanted}: {'met' if self.met else 'NOT MET'}" if self.wanted else "")
        )


def cost(work: Work) -> Cost:
    """Of one run; children that have ended are counted."""
    wall, used = time.perf_counter(), _processor()
    value = work()
    if isinstance(value, Cost):
        return value
    return Cost(time.perf_counter() - wall, _processor() - used, None, value)


def _processor() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def measured(line: Line) -> Measured:
    """Run both in turns, after one run that is not counted where there are several."""
    first = cost(line.ours).value if line.runs > 1 else None
    ours: list[Cost] = []
    theirs: list[Cost] = []
    for turn in range(max(line.runs, line.their_runs)):
        if turn < line.their_runs:
            theirs.append(cost(line.theirs))
        if turn < line.runs:
            ours.append(cost(line.ours))
    if line.agree is not None:
        value = ours[0].value if first is None else first
        told = np.asarray(theirs[0].value)
        near = line.agree * np.abs(told).max()
        np.testing.assert_allclose(value, told, rtol=0, atol=near, err_msg=line.work)
    mine, told = ([getattr(one, line.clock) for one in of] for of in (ours, theirs))
    turns = max(len(mine), len(told))
    each = [told[i % len(told)] / mine[i % len(mine)] for i in range(turns)]
    us, them, ratio = _median(ours), _median(theirs), statistics.median(each)
    wanted, met = judged(line, us, them, ratio)
    of = line.share is not None
    return Measured(
        line.work, line.peer, us, them, ratio, min(each), max(each), of, wanted, met, line.clock,
        line.n,
    )  # fmt: skip


def judged(line: Line, ours: Cost, theirs: Cost, ratio: float) -> tuple[str, bool]:
    """What is wanted in words, and whether it is so."""
    mine, their = getattr(ours, line.clock), getattr(theirs, line.clock)
    rules = [
        (line.times, "{:g} times as fast", lambda b: ratio >= b),
        (line.share, "{:.0%} of its time", lambda b: 1 / ratio <= b),
        (line.seconds, "{:g} s", lambda b: mine <= b),
        (line.beyond, "{:g} s more", lambda b: mine - their <= b),
        (line.megabytes, "{:g} MB", lambda b: ours.megabytes <= b),
    ]
    asked = [(words.format(bound), holds(bound)) for bound, words, holds in rules if bound]
    return ", ".join(words for words, _ in asked), all(held for _, held in asked)


def _median(costs: list[Cost]) -> Cost:
    sizes = [one.megabytes for one in costs if one.megabytes is not None]
    return Cost(
        statistics.median(one.wall for one in costs),
        statistics.median(one.processor for one in costs),
        statistics.median(sizes) if sizes else None,
    )


def in_a_new_process(function: Callable[..., Work], *given: Any) -> Work:
    """A work that prepares and runs in a process of its own, which reports its memory as well.

    `function`, at the top of its module, takes numbers and words and returns the work. The process
    does it once for nothing where `function` has the attribute `warm`, given those arguments.
    """
    name = Path(sys.modules[function.__module__].__file__ or "").stem
    asked = json.dumps([f"tests.benchmarks.{name}", function.__name__, given])

    def work() -> Cost:
        command = [sys.executable, "-m", "tests.benchmarks.line", asked]
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | ONE_THREAD, stdout=subprocess.PIPE, check=True
        )
        return Cost(**json.loads(done.stdout.splitlines()[-1]))

    return work


def _child(asked: str) -> None:
    module, name, given = json.loads(asked)
    function = getattr(importlib.import_module(module), name)
    if hasattr(function, "warm"):
        function(*function.warm)()
    work = function(*given)
    before = _kilobytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted anew
    found = cost(work)
    peak = (_kilobytes("VmHWM") - before) / 1024
    value = found.value if isinstance(found.value, float) else None
    print(json.dumps(asdict(Cost(found.wall, found.processor, peak, value))))


def _kilobytes(entry: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(entry):
            return int(line.split()[1])
    raise LookupError(entry)


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    _child(sys.argv[1])
