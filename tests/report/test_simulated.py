"""Simulations with known risks as summaries, reports and pictures."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import pycvstat as pcv
from pycvstat.simulate import MonteCarlo, TuningQuantities, bias_variance, coverage, sine, theorem_1


def quantities() -> TuningQuantities:
    means = {"oracle": 1.0, "tuned": 1.25, "nested": 1.26, "min_cv": 0.9, "nested_bias": 0.01}
    values = {name: MonteCarlo(mean, 0.02, 500) for name, mean in means.items()}
    return TuningQuantities(**values, n=80, n_train=70)


def test_gaps_are_drawn_to_the_tuned_risk() -> None:
    ax = quantities().plot()
    (line,) = [line for line in ax.lines if len(line.get_xdata()) == 2]
    assert list(line.get_xdata()) == [1.25, 1.25]
    assert [t.get_text() for t in ax.texts] == [
        "1.000 (-0.250)", "1.250", "1.260 (+0.010)", "0.900 (-0.350)"
    ]  # fmt: skip
    name = ax.get_yticklabels()[0].get_text()
    assert " ".join(name.split()) == "E[min risk over the grid] at 70 rows (oracle)"
    plt.close("all")


def test_quantities_in_words() -> None:
    text = quantities().summary()
    assert "80 rows · 500 simulated data sets" in text
    assert "-0.2500" in text
    assert max(map(len, text.splitlines())) <= 80


def test_coverage_is_of_folds_in_words(tmp_path: Path) -> None:
    folds = pcv.Repeated(pcv.KFold(5), 2)
    found = coverage("ols_low", folds=folds, sets=4)
    found.report(tmp_path / "a.md")
    text = (tmp_path / "a.md").read_text("utf-8")
    assert "p = 2, by 5-fold cross-validation repeated twice, for the method" in text
    assert "KFold" not in text
    assert found.folds == repr(folds)


def test_agreement_in_words() -> None:
    result = theorem_1(sine(), pcv.Mean(), 8, replications=30)
    text = result.summary()
    assert f"{result.in_errors:+.1f} Monte Carlo standard errors" in text
    assert result.tidy()["estimate"].iloc[2] == result.difference.mean


def test_parts_add_up_to_the_risk() -> None:
    grid = {"k": [1, 5, 20]}
    result = bias_variance(sine(), pcv.KNN(kernel="rectangular"), 40, grid=grid, replications=20)
    ax = result.plot()
    table = result.tidy()
    top = ax.collections[-1].get_paths()[0].vertices[:, 1].max()
    assert top == pytest.approx(table["risk"].max(), abs=0.02)  # negative bias2 is drawn as 0
    assert list(ax.lines[0].get_ydata()) == table["risk"].tolist()
    plt.close("all")


@pytest.mark.parametrize("ending", ["html", "md"])
def test_reports(tmp_path: Path, ending: str) -> None:
    text = quantities().report(tmp_path / f"q.{ending}").read_text(encoding="utf-8")
    assert "smallest cross-validation estimate" in text
    assert "Monte Carlo" in text or "m.c. error" in text
