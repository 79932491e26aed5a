"""Some 470 calls of functions, and the exact bits of what each returned once.

A rebuilding that means to change no number changes none of these::

    python -m tests.fingerprints.calls              # which calls return other bits now
    python -m tests.fingerprints.calls --record     # the same, and records the new ones
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg  # whose BLAS is loaded with it
from threadpoolctl import threadpool_info, threadpool_limits

from tests.fingerprints import (
    of_data_asked,
    of_data_edges,
    of_data_parts,
    of_data_rows,
    of_defaults,
    of_families_edges,
    of_folds,
    of_folds_edges,
    of_intervals,
    of_intervals_asked,
    of_intervals_corners,
    of_intervals_edges,
    of_intervals_forms,
    of_learners,
    of_learners_asked,
    of_learners_edges,
    of_left_out,
    of_losses,
    of_losses_edges,
    of_others,
    of_procedures,
    of_procedures_asked,
    of_procedures_corners,
    of_procedures_edges,
    of_procedures_tables,
    of_records,
    of_rmath,
    of_rmath_edges,
    of_rmath_work,
    of_scenarios,
    of_simulate_edges,
    of_statsmodels,
)
from tests.fingerprints.bits import digest, leading

RECORDED = Path(__file__).parent / "recorded.json"
CALLS: dict[str, Callable[[], Any]] = {
    **of_folds.CALLS,
    **of_data_edges.CALLS,
    **of_data_asked.CALLS,
    **of_data_rows.CALLS,
    **of_data_parts.CALLS,
    **of_defaults.CALLS,
    **of_folds_edges.CALLS,
    **of_learners.CALLS,
    **of_learners_edges.CALLS,
    **of_learners_asked.CALLS,
    **of_left_out.CALLS,
    **of_statsmodels.CALLS,
    **of_families_edges.CALLS,
    **of_losses.CALLS,
    **of_losses_edges.CALLS,
    **of_procedures.CALLS,
    **of_procedures_edges.CALLS,
    **of_procedures_asked.CALLS,
    **of_procedures_tables.CALLS,
    **of_procedures_corners.CALLS,
    **of_intervals.CALLS,
    **of_intervals_edges.CALLS,
    **of_intervals_asked.CALLS,
    **of_intervals_corners.CALLS,
    **of_intervals_forms.CALLS,
    **of_others.CALLS,
    **of_records.CALLS,
    **of_rmath.CALLS,
    **of_rmath_edges.CALLS,
    **of_rmath_work.CALLS,
    **of_scenarios.CALLS,
    **of_simulate_edges.CALLS,
}


def fingerprint(name: str) -> dict[str, Any]:
    """The hash of what a call returns, and its first numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = CALLS[name]()
    return {"bits": digest(value), "first": leading(value)}


@cache
def arithmetic() -> dict[str, str]:
    """What decides the last bits beside our code: who adds, multiplies and takes logarithms."""
    blas = {
        f"{p['internal_api']} {p['version']} {p.get('architecture')}"
        for p in threadpool_info()
        if p["user_api"] == "blas"
    }
    features = np.show_config(mode="dicts")["SIMD Extensions"]  # type: ignore[index]
    return {
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "blas": ", ".join(sorted(blas)),
        "simd": " ".join(features.get("found", [])),
    }


@cache
def recorded() -> dict[str, Any]:
    """The recorded fingerprints and the arithmetic that they were made with."""
    return dict(json.loads(RECORDED.read_text(encoding="utf-8")))


def main(arguments: list[str]) -> None:
    """Print the calls that changed; with ``--record`` keep what they return now."""
    threadpool_limits(1)  # as in test processes
    old = recorded()["calls"] if RECORDED.exists() else {}
    new = {name: fingerprint(name) for name in CALLS}
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name), new.get(name)
        if before != after:
            shown = [found and found["first"] for found in (before, after)]
            print(f"{name}: {shown[0]} -> {shown[1]}")
    if "--record" in arguments:
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(new[name])}" for name in CALLS)
        kept = f'{{"arithmetic": {json.dumps(arithmetic())},\n"calls": {{\n{lines}\n}}}}\n'
        RECORDED.write_text(kept, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
