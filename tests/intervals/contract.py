"""What every interval method keeps, ours and a user's own, in one of its intervals."""

from __future__ import annotations

from pycvstat.intervals import Interval, Method
from pycvstat.intervals.method import find
from pycvstat.report.citations import works


def keeps(method: Method, found: Interval) -> None:
    """What the method declares, and what its interval can do."""
    assert find(method.name) is method
    assert set(method.citation) <= set(works())
    assert found.method == method.name
    assert found.cite().startswith("@")
    assert found.low <= found.estimate <= found.high
    row = found.tidy().iloc[0]
    assert (row.estimate, row.conf_low, row.conf_high) == (found.estimate, found.low, found.high)
    assert {"std_error", "level", "method", "target", "metric"} <= set(row.index)
    assert max(map(len, found.summary().splitlines())) <= 80
    assert found.known in " ".join(found.summary().split())
    assert found.estimand.endswith(f"({found.target})")
    assert any(c.isdigit() for c in found.target)
    for alias in method.aliases:
        assert find(alias) is method
    assert "nested cv" not in found.summary().lower()
