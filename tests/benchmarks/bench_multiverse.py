"""50 seeds times 3 kinds of folds of least squares at n = 1,000, in seconds of one processor.

    python tests/benchmarks/bench_multiverse.py [repetitions]

The bound is 2 s; the median after one run that is not counted.
"""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import pycvstat as pcv

BOUND = 2.0
FOLDS = [pcv.KFold(5), pcv.KFold(10), pcv.Repeated(pcv.KFold(10), 5)]


def seconds() -> float:
    rng = np.random.default_rng(1)
    data = pd.DataFrame(rng.normal(size=(1000, 10)), columns=[f"x{i}" for i in range(10)])
    data["y"] = data["x0"] + rng.normal(size=1000)
    start = time.process_time()
    found = pcv.multiverse(pcv.OLS(), "y ~ .", data, folds=FOLDS, seeds=range(50))
    assert len(found.universes) == 150
    return time.process_time() - start


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with threadpool_limits(1):
        spent = statistics.median([seconds() for _ in range(times + 1)][1:])
    print(f"150 splits of least squares, n = 1,000: {spent:.2f} s (bound {BOUND:g} s)")
    assert spent < BOUND


if __name__ == "__main__":
    main()
