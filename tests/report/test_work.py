"""What reports of many rows may take: bytes are counted, not seconds."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import pycvstat as pcv

A_TEST = 130
"""Bytes for each held-out prediction: a dozen columns of doubles, and a quarter more."""
PICTURES = 25e6
"""Bytes for fonts, pictures as pixels and the page itself, whatever the rows."""


def test_a_report_builds_no_table_of_the_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = np.random.default_rng(1).normal(size=(30_000, 3))
    folds = pcv.Repeated(pcv.KFold(5), 10, random=1)
    few, result = (
        pcv.cross_validate(pcv.OLS(), X=X[:n, 1:], y=X[:n, 0], folds=folds) for n in (50, len(X))
    )
    monkeypatch.setattr(type(result), "augment", lambda _: pytest.fail("rows as a table"))
    few.report(tmp_path / "warm.html")  # imports
    tracemalloc.start()
    page = result.report(tmp_path / "page.html")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < A_TEST * len(result.plan.rows) + PICTURES
    assert page.stat().st_size < 3e6
