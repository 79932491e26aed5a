"""The package in environments of its own: at its lower bounds, at the newest versions, and bare.

    python -m tests.environments lowest|newest|bare [PYTHON] [FOLDER]

makes a virtual environment in FOLDER (by default a temporary one), installs the wheel that pip
builds there, once it carries what is listed, and tries it: every main command of the command line
on a file, results that are saved and loaded, and, except in a bare one, tests of every room. A bare
one has no extras at all.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests import wheel
from tests.wheel import PROJECT, ROOT

NEEDED = ("pytest", "pytest-xdist", "hypothesis", "scikit-learn", "polars", "pyarrow", "mpmath")
ROOMS = ["tests/rmath", "tests/data/frame/test_frame.py", "tests/folds/test_splitters.py",
         "tests/losses/test_table.py", "tests/learners/linear/test_least_squares.py",
         "tests/learners/test_contract.py", "tests/procedures/test_cross_validate.py",
         "tests/run/test_store.py", "tests/differential"]  # fmt: skip
COMMANDS = """
import pycvstat as pcv
cars = pcv.data.mtcars()
cars.to_csv("cars.csv", index=False)
result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", cars, folds=pcv.KFold(5, random=1))
assert pcv.load(result.save("result.npz")).estimate == result.estimate
nested = pcv.nested_cv(pcv.KNN(), "mpg ~ wt", cars, grid={"k": [1, 3]}, outer=3, inner=2, n_jobs=2)
print(result.summary(), nested.interval(), sep="\\n")
"""
LINES = [
    ["cv", "cars.csv", "mpg ~ wt", "--learner", "ols", "--seed", "1", "--report", "cv.html"],
    ["tune", "cars.csv", "mpg ~ wt", "--learner", "knn", "--grid", "k=1,3", "--seed", "1"],
    ["compare", "cars.csv", "mpg ~ wt", "--learner", "ols", "--learner", "knn", "--seed", "1"],
    ["nested", "cars.csv", "mpg ~ wt", "--learner", "knn", "--grid", "k=1,3", "--seed", "1"],
    ["report", "result.npz", "report.md"],
    ["doctor"],
]


def declared(*extras: str) -> list[str]:
    """Requirements of the project and of extras, as they are written."""
    lines = list(PROJECT["project"]["dependencies"])
    for extra in extras:
        lines += PROJECT["project"]["optional-dependencies"][extra]
    return lines


def lowest(line: str) -> str:
    """A requirement at its lower bound."""
    return re.sub(r">=([\w.]+).*", r"==\1", line)


def make(kind: str, python: str, folder: Path) -> Path:
    """The environment; its Python."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    inside = folder / "bin" / "python"
    made = wheel.build(str(inside), folder.parent)
    if found := wheel.differences(made):
        raise SystemExit(f"The wheel and the list in tests/wheel.py differ: {sorted(found)}")
    wanted = [str(made)]
    if kind != "bare":
        of_tests = [one for one in declared("dev") if re.split("[><=]", one)[0] in NEEDED]
        lines = [*declared("dask"), *of_tests]
        wanted += [lowest(one) for one in lines] if kind == "lowest" else lines
    subprocess.run([str(inside), "-m", "pip", "install", "--quiet", *wanted], check=True)
    return inside


def attempt(kind: str, inside: Path, place: Path) -> None:
    """Use the package where it was installed; no file of the project is beside it."""
    outside = {**os.environ, "PYCVSTAT_R": "none", "MPLBACKEND": "Agg"}
    outside.pop("PYTHONPATH", None)
    subprocess.run([str(inside), "-W", "error", "-c", "import pycvstat"], check=True, env=outside)
    calls = [["-c", COMMANDS], *(["-m", "pycvstat", *line] for line in LINES)]
    for call in calls:
        subprocess.run([str(inside), *call], cwd=place, check=True, env=outside)
    if kind != "bare":
        few = {**outside, "PYCVSTAT_CASES": "200"}
        tests = [*OPTIONS, *ROOMS]
        subprocess.run([str(inside), "-m", "pytest", *tests], cwd=ROOT, check=True, env=few)


OPTIONS = ["-q", "-x", "-m", "not slow and not live_r", "-p", "no:cacheprovider"]


def main(kind: str, python: str = sys.executable, folder: str = "") -> None:
    """Make it, try it, and say so."""
    with tempfile.TemporaryDirectory() as place:
        inside = make(kind, python, Path(folder or place, "venv"))
        Path(place, "work").mkdir()
        attempt(kind, inside, Path(place, "work"))
    print(f"{kind}: everything that was tried works")


if __name__ == "__main__":
    main(*sys.argv[1:])
