"""train: seeds, resamples, candidates, choice, prints and the stream after it, against caret."""

from tests.r.caret import made
from tests.rscript import live_r, r_values

SEEDS = range(20)
RTOL = 1e-10  # of direct linear algebra; the iterations of glm, multinom and rlm are R's own


@live_r
def test_calls_made_at_random():
    values = r_values(made.HELPERS + "".join(map(made.in_r, SEEDS)))
    differ = {seed: said for seed in SEEDS if (said := made.compare(seed, values, RTOL))}
    assert not differ, "\n".join(f"{seed}: {'; '.join(said)}" for seed, said in differ.items())
    assert not values
