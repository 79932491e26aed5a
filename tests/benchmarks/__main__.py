"""Run the benchmarks: all of them, with BENCHMARKS.md written, or those named, printed only.

python -m tests.benchmarks [name ...]
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from dataclasses import asdict
from pathlib import Path

from tests.benchmarks.line import ONE_THREAD, ROOT, Cost, Measured, measured
from tests.benchmarks.table import write

HERE = Path(__file__).parent


def names() -> list[str]:
    """Of all benchmarks."""
    return sorted(file.stem.removeprefix("bench_") for file in HERE.glob("bench_*.py"))


def run(name: str) -> list[Measured]:
    """The lines and curves of one file, printed as they come."""
    module = importlib.import_module(f"tests.benchmarks.bench_{name}")
    rows = []
    for part in ("lines", "curves"):
        for line in getattr(module, part, tuple)():
            rows.append(measured(line))
            print(f"  {f'n = {rows[-1].n:,}: ' if rows[-1].n else ''}{rows[-1]}", flush=True)
    return rows


def run_apart(name: str) -> list[Measured]:
    """The same in a process of its own with one thread; a benchmark that fails says so."""
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "rows.json")
        command = [sys.executable, "-m", "tests.benchmarks", name, "--keep", str(kept)]
        subprocess.run(command, cwd=ROOT, env=os.environ | ONE_THREAD, check=True)
        rows = json.loads(kept.read_text(encoding="utf-8"))
    costs = ("ours", "theirs")
    return [Measured(**{**row, **{who: Cost(**row[who]) for who in costs}}) for row in rows]


def main(asked: list[str]) -> None:
    """All or some."""
    keep = asked.pop() if "--keep" in asked else None
    if keep is None:
        rows = {}
        for name in asked or names():
            print(f"== {name}", flush=True)
            rows[name] = run_apart(name)
        if not asked:
            write(rows)
        return
    warnings.simplefilter("ignore")
    found = [row for name in asked if name != "--keep" for row in run(name)]
    Path(keep).write_text(json.dumps([asdict(row) for row in found]), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
