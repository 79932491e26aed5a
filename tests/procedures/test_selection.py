"""Choosing a candidate: rules, ties, complexity, failures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pycvstat.errors import FitError, InputError
from pycvstat.folds import FoldPlan
from pycvstat.learners.knn import KNN
from pycvstat.losses import FoldMeans
from pycvstat.procedures.selection import Rule, choose, read_rule

PLAN = FoldPlan.from_fold_ids([1, 1, 2, 2, 3, 3])


def means(*columns: list[float]) -> FoldMeans:
    candidates = tuple({"k": k} for k in range(1, len(columns) + 1))
    return FoldMeans(PLAN, np.array(columns).T, "squared", candidates)


def test_the_smallest_estimate_wins_and_ties_are_reported():
    choice = choose(means([3, 3, 3], [1, 2, 3], [3, 2, 1], [4, 4, 4]))
    assert choice.index == 1
    assert choice.tied == (1, 2)


def test_ties_go_to_the_simplest_when_an_order_is_given():
    assert choose(means([1, 2, 3], [3, 2, 1]), Rule("min", complexity="-k")).index == 1
    assert choose(means([1, 2, 3], [3, 2, 1]), Rule("min", complexity="k")).index == 0


def test_the_simplest_of_larger_estimates_is_no_choice_without_a_rule():
    table = means([1.0, 1.0, 1.0], [1.5, 1.5, 1.5])
    assert choose(table, Rule("min", complexity="-k")).index == 0
    assert choose(table, Rule("min", complexity="-k")).limit == 1.0


def test_one_standard_error_takes_the_simplest_within_reach():
    table = means([1.0, 2.0, 3.0], [2.2, 2.5, 2.6], [9, 9, 9])
    error = np.std([1, 2, 3], ddof=1) / np.sqrt(3)
    choice = choose(table, Rule("one_se", complexity="-k"))
    assert choice.index == 1
    assert choice.limit == pytest.approx(2.0 + error, rel=1e-15)
    assert choose(table, Rule("one_se", complexity="k")).index == 0


def test_tolerance_is_a_share_of_the_smallest():
    table = means([1.0, 1.0, 1.0], [1.05, 1.05, 1.05])
    assert choose(table, Rule("tolerance", "-k", tolerance=0.04)).index == 0
    assert choose(table, Rule("tolerance", "-k", tolerance=0.06)).index == 1


def test_complexity_can_be_a_function():
    table = means([1.0, 1.0, 1.0], [1.0, 1.0, 1.0])
    assert choose(table, Rule("min", complexity=lambda c: -c["k"])).index == 1


def test_a_candidate_with_a_failed_fold_is_never_chosen():
    assert choose(means([0.0, np.nan, 0.0], [5, 5, 5])).index == 1
    with pytest.raises(FitError, match="every candidate failed"):
        choose(means([np.nan] * 3))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Rule("best"), "no rule called 'best'"),
        (lambda: Rule("one_se"), "which is simpler"),
        (lambda: Rule("tolerance", "-k", tolerance=-1), "must not be negative"),
        (lambda: Rule("tolerance", "-k", tolerance="a"), "must not be negative"),
        (lambda: Rule(np.zeros(2)), "no rule called ndarray"),
        (lambda: Rule(pd.NA), "no rule called"),
        (lambda: Rule("min", 1), "complexity is the name of a parameter"),
        (lambda: Rule("min", ["k", None]), "complexity is the name of a parameter"),
        (lambda: Rule("min", []), "complexity is the name of a parameter"),
        (lambda: Rule("min", b"k"), "complexity is the name of a parameter"),
        (lambda: choose(means([1, 1, 1]), Rule("min", lambda: 1)), "must give one number"),
        (lambda: choose(means([1, 1, 1]), Rule("min", lambda c: c)), "must give one number"),
        (lambda: choose(means([1, 1, 1]), Rule("min", lambda c: np.nan)), "must give numbers"),
        (lambda: choose(means([1, 1, 1]), Rule("min", complexity="-kernel")), "not tuned"),
    ],
)
def test_what_rules_refuse(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_one_fold_has_no_standard_error():
    plan = FoldPlan(
        n=3, rows=np.array([0]), offsets=np.array([0, 1]), repeat=np.array([0]),
        fold=np.array([0]), kind="holdout", recipe="by hand",
    )  # fmt: skip
    table = FoldMeans(plan, np.array([[1.0, 2.0]]), "squared", ({"k": 1}, {"k": 2}))
    with pytest.raises(InputError, match="no standard error"):
        choose(table, Rule("one_se", "-k"))


def test_the_advice_names_a_parameter_by_which_candidates_can_be_ordered():
    with pytest.raises(InputError) as caught:
        read_rule("one_se", None, 0.03, KNN(), [{"distance": 1, "scale": True, "kernel": "inv"}])
    assert caught.value.fix == (
        "complexity='distance' where a smaller distance is simpler, with a minus before it where "
        "a larger is"
    )
