"""What an interval is about is data; its words are made of it."""

from __future__ import annotations

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.intervals.result import Estimand
from pycvstat.losses import Metric


def test_words_of_every_kind() -> None:
    """With the learner and the loss by name, and what a comparison makes of them."""
    two = Estimand("R and ER", "90", before="half the ")
    assert two.short == "R(90) and ER(90)"
    assert two.words("OLS", "risk (squared error)") == (
        "half the risk (squared error) of the model fitted on all 90 rows, and expected risk of "
        "OLS trained on 90 rows"
    )
    assert str(Estimand("PQ", "4", folds=5, times=2)) == (
        "5-fold test error: mean risk of the 5 models of this partition, each trained on 4 rows, "
        "averaged over 2 partitions (PQ(4))"
    )


@pytest.mark.parametrize("name", ["{}", "{median}", "{0}", "risk of the learner"])
def test_names_of_metrics_are_only_names(name: str) -> None:
    cars = pcv.data.mtcars()
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", cars, folds=pcv.KFold(4, random=1))
    of = Metric(lambda y, p: float(np.median(np.abs(y - p))), "numbers", name)
    found = result.interval(metric=of)
    assert found.about.risk == name
    assert found.about.after == "; mean of its values by test fold"
    assert found.estimand.endswith(f"{found.about.after} ({found.target})")
    assert (
        f"expected {name} of OLS trained on 24 rows, averaged over training sets{found.about.after}"
        in (found.about.words("OLS"))
    )
