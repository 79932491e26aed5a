"""How sure a choice is: the edge of the grid, ties, the lead within the noise of the split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import pycvstat as pcv
from pycvstat.procedures.selection import Choice, edges, standing

MTCARS = pcv.data.mtcars()
FOLDS = pcv.KFold(5, random=1)


def test_a_choice_at_the_edge_is_said_and_where_no_grid_goes_further_it_is_not() -> None:
    wide = pcv.tune(pcv.Ridge(), "mpg ~ .", MTCARS, grid={"lam": [1e-4, 1e-3, 1e-2]}, folds=FOLDS)
    assert wide.standing.edge == {"lam": "largest"}
    assert "lam = 0.01 is the largest of the grid: larger" in " ".join(wide.summary().split())
    zero = [{"lam": lam} for lam in (0.0, 1.0, 9.0)]
    assert edges(zero, 0, pcv.Ridge()) == {}
    assert edges([{"alpha": a} for a in (0.0, 0.5, 1.0)], 2, pcv.ElasticNet()) == {}
    assert edges([{"k": 1}, {"k": 2}, {"k": 3}], 0, pcv.KNN()) == {}
    assert edges([{"k": 2}, {"k": 4}, {"k": 6}], 0, pcv.KNN()) == {"k": "smallest"}
    assert edges([{"k": 2}, {"k": 4}], 0, pcv.KNN()) == {}  # of two values each is an edge
    assert edges([{"kernel": "inv"}, {"kernel": "cos"}], 0, pcv.KNN()) == {}
    mixed = [{"model": "ols"}, *({"model": "knn", "k": k} for k in (1, 3, 5))]
    models = pcv.Models({"ols": pcv.OLS(), "knn": pcv.KNN()})
    assert edges(mixed, 3, models) == {"k": "largest"}
    assert edges(mixed, 1, models) == {}
    assert edges(mixed, 0, models) == {}


def test_nested_says_the_share_of_outer_fits() -> None:
    nested = pcv.nested_cv(
        pcv.Ridge(), "mpg ~ .", MTCARS, grid={"lam": [1e-4, 1e-3, 1e-2]}, outer=FOLDS, inner=4
    )
    at_edge = sum(one.edge == {"lam": "largest"} for one in nested.standings)
    assert at_edge == nested.chosen["lam"].count(0.01) > 0
    text = " ".join(nested.summary().split())
    assert f"In {at_edge} of 5 outer fits ({at_edge / 5:.0%}) the chosen lam is the largest" in text
    noisy = sum(one.within_noise for one in nested.standings)
    assert (f"In {noisy} of 5 outer fits the lead of the best candidate" in text) == (noisy > 0)


def test_ties_and_noise_are_said() -> None:
    grid = [{"k": 5}, {"k": 5, "distance": 2}, {"k": 6}]
    found = pcv.tune(pcv.KNN(), "mpg ~ .", MTCARS, grid=grid, folds=FOLDS)
    text = " ".join(found.summary().split())
    assert found.standing.tied == 2
    assert "2 candidates tie exactly; the first of them stands at the head" in text
    assert found.standing.runner_up == 2
    difference = found.means.means[:, 2] - found.means.means[:, 0]
    assert found.standing.lead == pytest.approx(difference.mean())
    assert found.standing.noise == pytest.approx(difference.std(ddof=1) / np.sqrt(5))
    assert ("within the noise of the split" in text) == found.standing.within_noise


def test_where_larger_is_better_the_lead_is_that_of_the_largest() -> None:
    grid = {"formula": ["am ~ hp", "am ~ qsec", "am ~ mpg"]}
    given = {"data": MTCARS, "grid": grid, "folds": FOLDS, "metric": "auc"}
    found = pcv.tune(pcv.Logit(), **given)
    values = found.means.estimate()
    up = found.standing.runner_up
    assert up is not None
    assert found.standing.lead == pytest.approx(values.max() - values[up])
    assert values[up] == np.sort(values)[-2]
    nested = pcv.nested_cv(pcv.Logit(), data=MTCARS, grid=grid, outer=3, inner=3, metric="auc")
    assert all(one.lead >= 0 for one in nested.standings if one.runner_up is not None)


def test_one_fit_has_no_noise_and_failed_candidates_are_no_runners_up() -> None:
    means = np.array([[3.0, np.nan, 4.0]])
    found = standing(Choice(0, (0,), 3.0), means, [{"k": k} for k in (1, 2, 3)], pcv.KNN())
    assert (found.runner_up, found.lead, found.within_noise) == (2, 1.0, False)
    alone = standing(Choice(0, (0,), 3.0), means[:, :1], [{"k": 1}], pcv.KNN())
    assert (alone.runner_up, alone.close, alone.within_noise) == (None, 0, False)


@given(st.integers(2, 8), st.integers(2, 6), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_the_lead_is_never_negative_and_units_change_nothing(k: int, fits: int, seed: int) -> None:
    means = np.random.default_rng(seed).normal(size=(fits, k))
    best = int(means.mean(axis=0).argmin())
    choice, candidates = Choice(best, (best,), 0.0), [{"k": i + 1} for i in range(k)]
    one: Any = standing(choice, means, candidates, pcv.KNN())
    other: Any = standing(choice, 8.0 * means, candidates, pcv.KNN())
    assert one.lead >= 0
    assert (one.runner_up, one.close, one.within_noise) == (
        other.runner_up, other.close, other.within_noise)  # fmt: skip
    assert one.within_noise == (one.close > 0) or one.close > 0
