"""The draw of few of very many, which R makes by another algorithm: distinct ones as they come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pycvstat.rmath.random import RRandom


@pytest.mark.parametrize("kind", ["Rejection", "Rounding"])
@pytest.mark.parametrize(("n", "hashed"), [(20, True), (21, True), (40, True), (10, False)])
def test_up_to_half_of_very_many_are_drawn_until_they_are_distinct(
    kind: Any, n: int, hashed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for count in (2, n // 3 + 1, n // 2, n // 2 + 1, n):
        dealt = RRandom(3, kind).sample(n, count)
        drawn = RRandom(3, kind).sample(n, 40 * n, replace=True)
        _, first = np.unique(drawn, return_index=True)
        places = np.sort(first)[:count]
        monkeypatch.setattr("pycvstat.rmath.random.generator._HASHED_ABOVE", 10)
        rng = RRandom(3, kind)
        found, after = rng.sample(n, count), rng.runif(1)
        monkeypatch.undo()
        if hashed and count <= n / 2:
            consumed = RRandom(3, kind)
            assert found.tolist() == drawn[places].tolist()
            consumed.sample(n, places[-1] + 1, replace=True)
            assert after == consumed.runif(1)
        else:
            assert found.tolist() == dealt.tolist()
