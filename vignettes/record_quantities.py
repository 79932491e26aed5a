"""Record the simulations of the vignettes on risks: python vignettes/record_quantities.py

Runs that are already in the file are kept; delete the file to record everything anew. Every run
has its seed. `repeat` makes a run again with fewer replications or another seed: the
vignettes and the tests hold it against what is recorded.
"""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import pycvstat as pcv
from pycvstat.r.lecture import knn_test_error
from pycvstat.simulate import (
    MonteCarlo,
    bumps,
    cv_against_risk,
    plane,
    theorem_1,
    tuning_quantities,
    two_classes,
)

TARGET = Path(__file__).parent / "recorded" / "quantities.json"
KNN = pcv.KNN(kernel="rectangular")


@dataclass(frozen=True)
class Run:
    """One simulation: what it computes from (replications, seed), and how it is recorded."""

    values: Callable[[int, int], dict[str, MonteCarlo]]
    replications: int
    seed: int

    def repeat(self, replications: int, seed: int | None = None) -> dict[str, MonteCarlo]:
        """The run with other replications."""
        return self.values(replications, self.seed if seed is None else seed)


def against_risk(simulation: Callable[..., Any], *given: Any) -> Callable[..., Any]:
    """A cross-validation estimate beside the risk it estimates."""

    def values(replications: int, seed: int) -> dict[str, MonteCarlo]:
        found = simulation(*given, replications=replications, random=seed)
        return {"estimate": found.estimate, "truth": found.truth, "difference": found.difference}

    return values


def tuning(law: Any, n: int, largest: int) -> Callable[..., Any]:
    """Oracle, tuned risk, nested CV and the smallest CV error, over k = 1, ..., largest."""

    def values(replications: int, seed: int) -> dict[str, MonteCarlo]:
        found = tuning_quantities(
            law, KNN, {"k": range(1, largest + 1)}, n, outer=pcv.Blocks(8), inner=pcv.Blocks(5),
            replications=replications, random=seed,
        )  # fmt: skip
        names = ("oracle", "tuned", "nested", "min_cv", "nested_bias")
        return {name: getattr(found, name) for name in names}

    return values


def leak(replications: int, seed: int) -> dict[str, MonteCarlo]:
    """The course's nested estimate as intended, as printed, and their difference.

    As printed every outer fold tunes on the rows before the last quarter.
    """
    import warnings

    rows = []
    for s in range(replications):
        data = pcv.data.waves(60, random=seed + s)
        given: dict[str, Any] = {
            "num_folds_test": 8, "num_folds_val": 5, "y_name": "y", "ks": range(1, 21),
        }  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pcv.errors.PycvstatWarning)
            intended = knn_test_error(data, **given)
            printed = knn_test_error(data, **given, tuning_data=data.iloc[:45])
        rows.append((intended, printed, printed - intended))
    values = np.array(rows).T
    names = ("intended", "printed", "difference")
    return {name: MonteCarlo.of(v) for name, v in zip(names, values, strict=True)}


KNN5 = pcv.KNN(k=5, kernel="rectangular")
RUNS = {
    "leak: waves, n = 60": Run(leak, 1000, 1),
    "tuning: no signal, n = 40": Run(tuning(two_classes(slope=0.0), 40, 20), 2000, 106),
    "tuning: bumps, n = 80": Run(tuning(bumps(), 80, 30), 3000, 104),
    "theorem 1: OLS, 20 rows": Run(against_risk(theorem_1, plane(), pcv.OLS(), 20), 3000, 102),
    "5-fold on 50 rows: 5-NN": Run(
        against_risk(cv_against_risk, bumps(), KNN5, 50, pcv.Blocks(5)), 2000, 103
    ),
    "theorem 1: 5-NN, 40 rows": Run(against_risk(theorem_1, bumps(), KNN5, 40), 1500, 101),
}


def recorded(name: str) -> dict[str, MonteCarlo]:
    """The recorded values of a run."""
    values = json.loads(TARGET.read_text())["runs"][name]["values"]
    return {key: MonteCarlo(**value) for key, value in values.items()}


def main() -> None:
    meta = {
        "made_by": "python vignettes/record_quantities.py",
        "pycvstat": pcv.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    start = time.perf_counter()
    runs = json.loads(TARGET.read_text())["runs"] if TARGET.exists() else {}
    for name, run in RUNS.items():
        if name in runs:
            continue
        found = run.repeat(run.replications)
        runs[name] = {"seed": run.seed, "values": {k: asdict(v) for k, v in found.items()}}
        TARGET.write_text(json.dumps({"meta": meta, "runs": runs}, indent=1) + "\n")
        print(f"{name} ({time.perf_counter() - start:.0f} s)", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
