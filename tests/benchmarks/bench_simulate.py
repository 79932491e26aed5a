"""Processor time of simulated coverage: 2,000 data sets of least squares, n = 100, p = 20."""

from __future__ import annotations

import time

from pycvstat.folds import NestedPairs, Repeated
from pycvstat.folds.partitions import KFold
from pycvstat.folds.splitter import Splitter
from pycvstat.simulate import coverage

WORK: dict[str, Splitter] = {
    "corrected_t": Repeated(KFold(10), 10),
    "ncv": NestedPairs(10, repeats=50),
}

if __name__ == "__main__":
    for method, folds in WORK.items():
        start = time.process_time()
        coverage("ols", method, folds=folds, sets=2000, random=1)
        print(f"{method:12} {folds!r:40} {time.process_time() - start:6.1f} s")
