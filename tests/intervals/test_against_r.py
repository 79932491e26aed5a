"""Every formula against the one in r_reference/intervals.R, recorded and live."""

import numpy as np
import pytest

from pycvstat.intervals import METHODS
from pycvstat.intervals.coverage import kurtosis
from pycvstat.intervals.hoeffding import excess_risk_bound
from pycvstat.intervals.paired import adjusted
from tests.intervals.shared_losses import LOSSES, cases, r_results
from tests.rscript import live_r, r_values

FORMULA = 1e-12  # the same formula in other sums of at most a few hundred terms
CASES = cases()


def compare(found, result):
    theirs = [np.nan if value == "NA" else float(value) for value in result]
    ours = [found.estimate, found.std_error, found.low, found.high]
    np.testing.assert_allclose(ours, theirs, rtol=FORMULA, atol=FORMULA)


@pytest.mark.parametrize("number", range(len(CASES)), ids=[c[0][7:] for c in CASES])
def test_recorded(recorded, number):
    compare(CASES[number][2], recorded("intervals.json")["results"][number])


@live_r
def test_live():
    results = r_results(CASES)["results"]
    assert len(results) == len(CASES)
    for case, result in zip(CASES, results, strict=True):
        compare(case[2], result)


def test_every_method_has_a_case():
    assert {case[2].method for case in CASES} == set(METHODS)


def test_the_cases_are_not_degenerate():
    ncv = next(c[2] for c in CASES if c[0] == "pcv_ci_ncv")
    assert 1.02 < ncv.details["inflation"] < 2.2  # between its limits 1 and sqrt(5)
    assert abs(ncv.details["bias"]) > 0.01


@live_r
def test_the_rest_of_the_reference():
    p = [0.01, 0.04, 0.03, 0.005, 0.9]
    code = f"""
    source("r_reference/intervals.R")
    out(pcv_holm(c({", ".join(map(str, p))})))
    out(pcv_kurtosis(c({", ".join(map(repr, map(float, LOSSES)))})))
    out(pcv_excess_risk_bound(200, 0.05, 30, 0, 2))
    out(pcv_five_by_two_f_test(rbind(c(.2, .1), c(.1, .3), c(0, .2), c(.1, .1), c(.2, 0))))
    """
    holm, tails, excess, _ = r_values(code)
    np.testing.assert_allclose(adjusted(p), holm, rtol=FORMULA)
    assert kurtosis(LOSSES) == pytest.approx(tails[0], rel=FORMULA)
    assert excess_risk_bound(200, 0.05, 30, (0, 2)) == pytest.approx(excess[0], rel=FORMULA)


@live_r
def test_statsmodels_agrees_with_base_r():
    """prop.test and binom.test, which are not in the reference."""
    from pycvstat.intervals.independent import proportion

    code = """
    for (e in c(0, 1, 18, 39, 40)) {
      out(suppressWarnings(prop.test(e, 40, correct = FALSE)$conf.int))
      out(binom.test(e, 40)$conf.int)
    }
    """
    theirs = iter(r_values(code))
    for errors in (0, 1, 18, 39, 40):
        for method in ("wilson", "beta"):
            ours = proportion(errors, 40, 0.95, method)
            np.testing.assert_allclose(
                [ours.low, ours.high], next(theirs), rtol=FORMULA, atol=FORMULA
            )
