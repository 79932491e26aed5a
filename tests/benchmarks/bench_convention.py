"""find_convention over 0 to 10,000 seeds and all dialects: least squares, 400 rows, 10 folds.

    python tests/benchmarks/bench_convention.py

Seconds of the wall clock and of the processor, after a small run that compiles. Goal: under 30 s
on two cores.
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd

import pycvstat as pcv

GOAL = 30.0


def main() -> None:
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"x": rng.normal(size=400), "z": rng.normal(size=400)})
    data["y"] = data["x"] + rng.normal(size=400)
    folds = pcv.RFolds("caret", 10, seed=4321)
    number = pcv.cross_validate(pcv.OLS(), "y ~ x + z", data, folds=folds).pooled
    for seeds in (range(20), None):
        wall, processor = time.perf_counter(), time.process_time()
        asked = f"{number:.8f}"
        found = pcv.find_convention(asked, pcv.OLS(), "y ~ x + z", data, k=10, seeds=seeds)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
    met = ((found["dialect"] == "caret") & (found["seed"] == 4321)).any()
    print(
        f"{found.attrs['tried']:,} numbers tried, {'found' if met else 'NOT FOUND'}: "
        f"{wall:.1f} s, of the processor {processor:.1f} s (goal {GOAL:.0f} s)"
    )


if __name__ == "__main__":
    main()
