"""A program that does nested cross-validation with a checkpoint, to be killed.

    python tests/faults/long_work.py HOW

HOW is "1", "2" (local worker processes), "cluster" or the address of a scheduler; the checkpoint
is ``kept`` in the current directory and the result ``result.npz``. The learner is slow and draws
from NumPy's generator without a seed, so only work that is repeated exactly gives the same bits.
Every fit on the full training set of an outer fold, the last fit of its task, is noted in the file
``fits``.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

import pycvstat as pcv

ROWS, OUTER, INNER = 240, 12, 3
LAST_FIT = ROWS - ROWS // OUTER
TASKS = OUTER + 1  # the first is repeated after the others, which finds learners with a memory


class NoisyStumps:
    """An average of random stumps: pure draws from the global generator.

    It has no base class of scikit-learn, which every process would load first.
    """

    fingerprint = "it writes a file, of which a checkpoint knows nothing"

    def __init__(self, stumps: int = 5, pause: float = 0.003) -> None:
        self.stumps, self.pause = stumps, pause

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"stumps": self.stumps, "pause": self.pause}

    def set_params(self, **params: Any) -> NoisyStumps:
        vars(self).update(params)
        return self

    def fit(self, X: Any, y: Any) -> NoisyStumps:
        time.sleep(self.pause)
        columns = np.random.randint(X.shape[1], size=self.stumps)
        cuts = [np.random.choice(X[:, j]) for j in columns]
        sides = [(X[:, j] <= cut, X[:, j] > cut) for j, cut in zip(columns, cuts, strict=True)]
        means = [(y[low].mean(), y[high].mean() if high.any() else 0.0) for low, high in sides]
        self.parts_ = list(zip(columns, cuts, means, strict=True))
        if len(y) == LAST_FIT:
            with Path("fits").open("a") as file:
                file.write("fitted\n")
        return self

    def predict(self, X: Any) -> Any:
        return np.mean([np.where(X[:, j] <= cut, *means) for j, cut, means in self.parts_], axis=0)


def work(how: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(ROWS, 6))
    y = X[:, 0] + np.abs(X[:, 1]) + rng.normal(size=ROWS)
    with ExitStack() as stack:
        workers = {"n_jobs": int(how)} if how.isdigit() else {"client": _client(stack, how)}
        found = pcv.nested_cv(
            NoisyStumps(),
            X=X,
            y=y,
            grid={"stumps": [1, 2, 4, 8, 16]},
            outer=pcv.KFold(OUTER, random=1),
            inner=pcv.KFold(INNER, random=2),
            checkpoint="kept",
            **workers,
        )
    np.savez(
        "result.npz",
        estimate=found.estimate,
        losses=found.table.losses,
        chosen=np.array([c["stumps"] for c in found.chosen]),
    )


def _client(stack: ExitStack, how: str) -> Any:
    from distributed import Client, LocalCluster

    if how != "cluster":
        client = stack.enter_context(Client(how, timeout=60))
        client.wait_for_workers(1, timeout=60)
        return client
    cluster = LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
    )
    return stack.enter_context(Client(stack.enter_context(cluster)))


if __name__ == "__main__":
    work(*sys.argv[1:])
