"""No number changes unless it is meant to: recorded calls return the same bits."""

from __future__ import annotations

import pytest

from tests.fingerprints.calls import CALLS, arithmetic, fingerprint, recorded

OTHER_ARITHMETIC = 1e-6  # another processor adds in another order; iterations end elsewhere


def test_every_call_is_recorded() -> None:
    assert recorded()["calls"].keys() == CALLS.keys()
    assert len(CALLS) >= 200


@pytest.mark.parametrize("name", CALLS)
def test_same_bits(name: str) -> None:
    before, now = recorded()["calls"][name], fingerprint(name)
    if recorded()["arithmetic"] == arithmetic():
        assert now == before
    else:
        expected = pytest.approx(before["first"], rel=OTHER_ARITHMETIC, abs=1e-9, nan_ok=True)
        assert now["first"] == expected
