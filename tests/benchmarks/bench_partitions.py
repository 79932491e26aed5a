"""Partitions of a dask frame

Ten million rows x 20 that are made partition by partition, on a cluster of two processes of 2 GB
each. The peer has the same folds, sums X'X and X'y by fold with dask, and solves the normal
equations; it neither looks for missing values nor for levels, so it reads the data once. Memory
is the peak of this process.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from tests.benchmarks.line import Line, Work, in_a_new_process

ROWS, EACH, P, K = 10_000_000, 100_000, 20, 10
NAMES = [f"x{j + 1}" for j in range(P)]


def partition(i: int) -> pd.DataFrame:
    rng = np.random.default_rng(i)
    data = pd.DataFrame(rng.normal(size=(EACH, P)), columns=NAMES)
    return data.assign(y=data.to_numpy() @ np.arange(P) + rng.normal(size=EACH))


def frame(n: int) -> Any:
    import dask.dataframe as dd

    return dd.from_map(partition, range(n // EACH), meta=partition(0).iloc[:0])


def client() -> Any:
    from distributed import Client, LocalCluster

    on = LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit="2GB", dashboard_address="127.0.0.1:0"
    )
    return Client(on)


def sums(data: pd.DataFrame, labels: Any) -> tuple[Any, Any]:
    Z = np.column_stack([np.ones(len(data)), data.to_numpy()])
    return np.stack([Z[labels == k].T @ Z[labels == k] for k in range(K)]), np.bincount(labels)


def summed(n: int) -> Work:
    import pycvstat as pcv

    on = client()

    def work() -> float:
        ours = pcv.cross_validate(
            pcv.OLS(), f"y ~ {' + '.join(NAMES)}", frame(n), folds=folds(n), client=on
        )
        on.cluster.close()
        return ours.estimate

    return work


def folds(n: int) -> Any:
    import pycvstat as pcv

    return pcv.KFold(K, random=1).plan(n)


def by_hand(n: int) -> Work:
    on = client()

    def work() -> float:
        import dask

        labels = np.split((folds(n).fold_ids - 1).astype(np.int8), n // EACH)
        parts = frame(n).to_delayed()
        todo = [dask.delayed(sums)(a, b) for a, b in zip(parts, labels, strict=True)]
        G, counts = (sum(one) for one in zip(*dask.compute(*todo), strict=True))
        errors = []
        for k in range(K):
            A = G.sum(axis=0) - G[k]
            b = np.append(np.linalg.solve(A[:-1, :-1], A[:-1, -1]), -1.0)
            errors.append(b @ G[k] @ b / counts[k])
        on.cluster.close()
        return float(np.mean(errors))

    return work


def lines() -> Iterator[Line]:
    ours, theirs = in_a_new_process(summed, ROWS), in_a_new_process(by_hand, ROWS)
    yield Line(f"OLS, {K} folds, {ROWS:,} rows x {P} in partitions", ours,
               "cross products by hand, one pass", theirs, megabytes=2000, runs=1, their_runs=1,
               clock="wall")  # fmt: skip
