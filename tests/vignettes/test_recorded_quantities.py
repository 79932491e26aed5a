"""A small part of the recorded simulations, again and with another seed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2] / "vignettes"
sys.path.insert(0, str(HERE))

from record_quantities import RUNS, TARGET, recorded  # noqa: E402

# six runs of up to five means each: a false alarm in fewer than 1 of 500 seeds
FAR = 4.0


def test_every_run_is_recorded_with_its_seed() -> None:
    runs = json.loads(TARGET.read_text(encoding="utf-8"))["runs"]
    assert list(runs) == list(RUNS)
    for name, run in RUNS.items():
        assert runs[name]["seed"] == run.seed
        assert {v["replications"] for v in runs[name]["values"].values()} == {run.replications}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(RUNS))
def test_a_part_again(name: str) -> None:
    again, before = RUNS[name].repeat(40, seed=2026), recorded(name)
    for key, value in again.items():
        error = (value.std_error**2 + before[key].std_error ** 2) ** 0.5
        assert abs(value.mean - before[key].mean) <= FAR * error, key


def test_estimators_agree_with_what_they_estimate() -> None:
    for name in RUNS:
        values = recorded(name)
        gap = values["nested_bias" if name.startswith("tuning") else "difference"]
        if name.startswith("leak"):
            assert gap.mean < -3 * gap.std_error
        else:
            assert abs(gap.mean) < 3 * gap.std_error, name


def test_the_order_of_the_four_quantities() -> None:
    for name in (n for n in RUNS if n.startswith("tuning")):
        values = {key: value.mean for key, value in recorded(name).items()}
        assert values["min_cv"] < values["tuned"]
        assert values["oracle"] <= values["tuned"] + 1e-12
