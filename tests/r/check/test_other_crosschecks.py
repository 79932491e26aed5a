"""Cross-checks of fits of nearest neighbours, and of what R cannot check."""

from __future__ import annotations

import pytest

import pycvstat as pcv
from pycvstat.errors import InputError, RError

MTCARS = pcv.data.mtcars()


@pytest.mark.live_r
@pytest.mark.parametrize(
    ("learner", "formula"),
    [
        (pcv.OLS(), "mpg ~ wt * factor(cyl)"),
        (pcv.GLM("binomial"), "am ~ wt"),
        (pcv.KNN(k=5, kernel="rectangular"), "mpg ~ wt + hp"),
    ],
    ids=lambda x: str(x),
)
def test_r_gives_the_same_fit(learner, formula):
    checked = learner.fit(formula, MTCARS).crosscheck()
    assert checked, checked.first_difference


@pytest.mark.live_r
def test_a_coefficient_moved_by_an_ulp_in_a_million_is_located(monkeypatch):
    fitted = pcv.OLS().fit("mpg ~ wt + hp", MTCARS)
    table = fitted.tidy()
    table.loc[1, "std_error"] *= 1 + 1e-9
    monkeypatch.setattr(fitted, "tidy", lambda: table)
    assert fitted.crosscheck().first_difference == "std_error: wt"


@pytest.mark.live_r
def test_one_wrong_neighbour_is_located_also_where_rows_tie(monkeypatch):
    fitted = pcv.KNN(k=4).fit("mpg ~ cyl + gear", MTCARS)  # full of ties
    checked = fitted.crosscheck()
    assert checked or checked.left_out == "weights (kknn is not installed)"
    assert checked.first_difference is None
    assert checked.rows[0].quantity == "neighbour rows"
    found = fitted.neighbours(fitted.task.frame)
    found.rows[5, 1] = (found.rows[5, 1] + 1) % 32
    monkeypatch.setattr(fitted, "neighbours", lambda frame: found)
    assert fitted.crosscheck().first_difference == "neighbour rows: row 6, neighbour 2"


@pytest.mark.live_r
def test_what_has_no_cross_check_says_so():
    from sklearn.linear_model import LinearRegression

    result = pcv.cross_validate(LinearRegression(), "mpg ~ wt", MTCARS, folds=pcv.KFold(4))
    with pytest.raises(RError, match="no R counterpart"):
        result.crosscheck()
    audit = pcv.audit(pcv.OLS(), "mpg ~ wt", MTCARS, folds=pcv.KFold(4, random=1), times=5)
    with pytest.raises(InputError, match="no cross-check"):
        audit.crosscheck()
    by_row = pcv.cross_validate(pcv.KNN(ties="row"), "mpg ~ wt", MTCARS, folds=pcv.KFold(4))
    with pytest.raises(RError, match="kknn"):
        by_row.crosscheck()

    def fourth(y, p):
        return (y - p) ** 4

    own = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=pcv.KFold(4), loss=fourth)
    with pytest.raises(RError, match="loss has no counterpart"):
        own.crosscheck()
    with pytest.raises(RError, match="loss has no counterpart"):
        own.to_r("never.R")
