"""How close is equal: the tiers that every comparison with R names, none wider unnoticed."""

from pycvstat.rmath import tolerances
from pycvstat.rmath.tolerances import Tolerance

TIERS = {"EXACT": 0.0, "SAME_BITS": 0.0, "SUMS": 1e-12, "QUANTILES": 1e-10, "LINEAR": 1e-10,
         "ITERATIVE": 1e-6, "NUMERICAL": 1e-5}  # fmt: skip


def test_tiers_are_as_wide_as_their_reasons() -> None:
    made = {n: t.relative for n, t in vars(tolerances).items() if isinstance(t, Tolerance)}
    assert made == TIERS
