"""The recorded coverage of intervals of metrics: what is printed, and a part of it again."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parents[2] / "vignettes"
sys.path.insert(0, str(HERE))

import record_metrics  # noqa: E402
from record_metrics import CLASSES, NUMBERS, SCENARIOS, TARGET  # noqa: E402

from pycvstat.losses.metrics import METRICS  # noqa: E402

RUNS = json.loads(TARGET.read_text(encoding="utf-8"))["scenarios"]
# of 12 metrics: a false alarm in fewer than 1 of 1000 seeds, were they independent
FAR = 4.0


def by_metric(name: str) -> dict[str, dict[str, float]]:
    return {row["metric"]: row for row in RUNS[name]["rows"]}


def test_every_scenario_is_recorded_with_its_seed():
    assert list(RUNS) == list(SCENARIOS)
    for name, one in SCENARIOS.items():
        assert RUNS[name]["seed"] == one.seed
        assert list(by_metric(name)) == [*NUMBERS, *CLASSES]
        assert all(row["sets"] >= 0.97 * one.sets for row in RUNS[name]["rows"])


@pytest.mark.parametrize("metric", [*NUMBERS, *CLASSES])
def test_what_is_printed_is_what_was_recorded(metric):
    *once, ten = [round(100 * by_metric(name)[metric]["coverage"]) for name in SCENARIOS]
    assert METRICS[metric].covered == (min(once), max(once), ten)
    assert min(*once, ten) >= 90


@pytest.mark.slow
def test_a_part_again(monkeypatch):
    monkeypatch.setattr(record_metrics, "MODELS", 200)
    name = "15-NN, n = 200"
    for row in record_metrics.coverage(SCENARIOS[name], 40, seed=2026):
        before = by_metric(name)[row["metric"]]
        share = (40 * row["coverage"] + before["sets"] * before["coverage"]) / (40 + before["sets"])
        error = np.sqrt(share * (1 - share) * (1 / 40 + 1 / before["sets"]))
        assert abs(row["coverage"] - before["coverage"]) <= FAR * error
        assert row["width"] == pytest.approx(before["width"], rel=0.2)
        assert row["truth"] == pytest.approx(before["truth"], rel=0.02)
