"""Reports of large results

The page of 100,000 rows with 100 fits, and a comparison of 20 methods with its page; memory beyond
the result. The peer is the table of losses written by pandas.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.line import Line, Work, in_a_new_process

MOST = 3e6  # bytes of a page


def problem(n: int, p: int = 5) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, p))
    return {"X": X, "y": X[:, 0] - X[:, 1] / 2 + rng.normal(size=n)}


def one(n: int) -> Any:
    import pycvstat as pcv

    return pcv.cross_validate(
        pcv.OLS(), **problem(n), folds=pcv.Repeated(pcv.KFold(10), 10, random=1)
    )


def methods(n: int) -> dict[str, Any]:
    import pycvstat as pcv

    return {f"ridge {i}": pcv.Ridge(0.01 * (i + 1)) for i in range(20)}


def written(write: Callable[[Path], Any]) -> float:
    with tempfile.TemporaryDirectory() as place:
        write(Path(place) / "page.html")
        size = sum(file.stat().st_size for file in Path(place).rglob("*") if file.is_file())
    if size > MOST:
        raise AssertionError(f"the page has {size:,} bytes")
    return float(size)


def page(n: int) -> Work:
    result = one(n)
    return lambda: written(result.report)


def compared(n: int) -> Work:
    import pycvstat as pcv

    def work() -> float:
        found = pcv.compare(methods(n), **problem(n), folds=pcv.KFold(10, random=1))
        return written(found.report)

    return work


def table(n: int) -> Work:
    losses = one(n).table.tidy()

    def work() -> float:
        with tempfile.TemporaryDirectory() as place:
            losses.to_csv(Path(place) / "losses.csv")
        return float(len(losses))

    return work


for prepared in (page, compared, table):
    prepared.warm = (200,)  # type: ignore[attr-defined]  # imports and fonts


def lines() -> Iterator[Line]:
    n = 100_000
    peer = in_a_new_process(table, n)
    asked = {"agree": None, "runs": 1, "their_runs": 1}
    yield Line(f"report, n = {n:,}, 100 fits", in_a_new_process(page, n), "its losses as CSV", peer,
               seconds=5, megabytes=100, **asked)  # type: ignore[arg-type]  # fmt: skip
    both = in_a_new_process(compared, 10_000)
    yield Line("compare 20 methods and their report, n = 10,000", both,
               "a million losses as CSV", peer, seconds=5, **asked)  # type: ignore[arg-type]  # fmt: skip
