"""Triangles have the cross products of their rows, and lose no digits to them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from pycvstat.learners.linear.triangles import TOGETHER, triangle, triangles

ROUNDING = 1e-14
"""Householder QR is backward stable: cross products agree to some units of rounding."""


@given(st.integers(0, 400), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_cross_products_are_those_of_the_rows(n: int, q: int, seed: int) -> None:
    Z = np.random.default_rng(seed).normal(size=(n, q))
    R = triangle(Z)
    assert R.shape == (q, q)
    assert (np.tril(R, -1) == 0).all()
    sizes = np.outer(*[np.sqrt((Z * Z).sum(0))] * 2) if n else np.zeros((q, q))
    assert (np.abs(R.T @ R - Z.T @ Z) <= 20 * ROUNDING * sizes).all()


def test_more_rows_than_are_taken_together_and_labels_of_no_row() -> None:
    rng = np.random.default_rng(1)
    Z, labels = rng.normal(size=(TOGETHER, 3)), rng.integers(0, 4, TOGETHER)
    found = triangles(Z, labels, 5)
    for label, R in enumerate(found):
        rows = Z[labels == label]
        np.testing.assert_allclose(R.T @ R, rows.T @ rows, rtol=0, atol=1e-9)
    assert not found[4].any()


@pytest.mark.parametrize("parts", [1, 7])
def test_the_condition_is_not_squared(parts: int) -> None:
    """Columns that differ by 1e-9: cross products would have lost the difference altogether."""
    rng = np.random.default_rng(2)
    x, d = rng.normal(size=(2, 2000))
    Z = np.column_stack([x, x + 1e-9 * d, x + d])
    R = triangle(np.vstack([triangle(part) for part in np.array_split(Z, parts)]))
    found = np.linalg.solve(R[:2, :2], R[:2, 2])
    np.testing.assert_allclose(found * 1e-9, [-1.0, 1.0], rtol=1e-5)  # condition times rounding
    assert np.linalg.cond((Z.T @ Z)[:2, :2]) > 1e15  # what cross products would have to solve
