"""From nothing

New processes, each with its interpreter; modules are compiled, as those of an installed package.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.line import Line, Work

COMPILED = {name: of for name, of in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
SKLEARN = """
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
data = pd.read_csv({file!r})
cross_val_score(LinearRegression(), data[["wt", "hp"]], data["mpg"], cv=10)
"""


def run(*words: str) -> Work:
    def work() -> None:
        command = [sys.executable, *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=COMPILED)

    return work


def lines() -> Iterator[Line]:
    more = {"agree": None, "runs": 9, "their_runs": 9}
    yield Line("import pycvstat, with the interpreter", run("-c", "import pycvstat"),
               "the interpreter", run("-c", ""), beyond=0.019, **more)  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "cars.csv"))
        rows = (f"{10 + i % 7},{2 + i % 5},{100 + 7 * i % 90}\n" for i in range(32))
        Path(file).write_text("mpg,wt,hp\n" + "".join(rows), encoding="utf-8")
        cv = ("-m", "pycvstat", "cv", file, "mpg ~ wt + hp", "--learner", "ols", "--folds", "10")
        yield Line("pycvstat cv, 32 rows", run(*cv), "scikit-learn, a script",
                   run("-c", SKLEARN.format(file=file)), seconds=0.53, **more)  # fmt: skip
