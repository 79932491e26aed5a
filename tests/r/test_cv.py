"""R's package cv: its published values, values computed by cv 2.0.4 in R 4.2.2, and plain loops."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat import r
from pycvstat.errors import InputError
from tests.rscript import live_r

MTCARS = pcv.data.mtcars()
CLOSE = 1e-9  # cv updates coefficients by Woodbury's identity, from crossproducts
AUTO = os.environ.get("PYCVSTAT_AUTO", "")  # a file with mpg and horsepower of ISLR's 392 cars


def fit(right: str, learner: Any = None, left: str = "mpg", **given: Any) -> Any:
    return (learner or pcv.OLS()).fit(f"{left} ~ {right}", MTCARS, **given)


LM = fit("poly(wt, 2) + hp")
WLS = fit("wt + hp", pcv.WLS(), weights="cyl")
GLM = fit("wt", pcv.GLM("binomial"), "am")
MODELS = r.cv.models(a=fit("wt"), b=fit("poly(wt, 2)"), c=fit("poly(wt, 2) + hp + qsec"))
FULL, NULL = fit("."), fit("1")


def numbers(found: r.cv.Cv) -> list[float]:
    return [v for v in (found.crit, found.adj_crit, found.full_crit) if v is not None]


COMPUTED: dict[str, tuple[Any, list[float]]] = {
    "lm": (lambda: r.cv.cv(LM, MTCARS, k=5, seed=1),
           [6.40374205919279, 6.1878540351059, 4.50915578748158]),
    "rmse": (lambda: r.cv.cv(LM, MTCARS, criterion=r.cv.rmse, k=5, seed=1),
             [2.5305616094442, 2.1234772867826]),
    "medAbsErr": (lambda: r.cv.cv(LM, MTCARS, criterion=r.cv.medAbsErr, k=5, seed=1),
                  [1.70587540297201, 1.25168924039003]),
    "naive": (lambda: r.cv.cv(LM, MTCARS, k=5, seed=1, method="naive"),
              [6.40374205919279, 6.1878540351059, 4.50915578748158]),
    "weights": (lambda: r.cv.cv(WLS, k=4, seed=2),
                [8.79187506500217, 8.39765052380775, 6.24564941503619]),
    "weights, loo": (lambda: r.cv.cv(WLS, k="loo"), [7.83098113377333]),
    "glm": (lambda: r.cv.cv(GLM, criterion=r.cv.BayesRule, k=5, seed=3),
            [0.125, 0.119140625, 0.09375]),
    "glm, loo": (lambda: r.cv.cv(GLM, criterion=r.cv.BayesRule, k="n"),
                 [0.09375, 0.09375, 0.09375]),
    "meta": (lambda: r.cv.cv(MODELS, MTCARS, k=5, seed=4, meta=True),
             [5.76623960620195, 7.50997840203434, 6.03433881013817]),
    "a model": (lambda: r.cv.cv(MODELS, MTCARS, k=5, seed=4)["b"],
                [8.13151907379346, 7.92217089021453, 6.3670452743223]),
    "meta, again": (
        lambda: r.cv.cv(r.cv.selectModelList, MTCARS, k=4, k_meta=3, seed=5, reps=2,
                        working_model=MODELS)[0],
        [6.53011631780285, 7.99391547007022, 6.90704144683943]),
    "backward": (lambda: r.cv.cv(r.cv.selectStepAIC, working_model=FULL, k=5, seed=6),
                 [13.2985644391488, 12.4154003487303, 5.29018529805162]),
    "both, bic": (
        lambda: r.cv.cv(r.cv.selectStepAIC, working_model=FULL, k=5, seed=6, direction="both",
                        AIC=False),
        [13.616994141048, 12.4118994040839, 5.29018529805162]),
    "forward": (
        lambda: r.cv.cv(r.cv.selectStepAIC, MTCARS, working_model=NULL, k=5, seed=6,
                        direction="forward", scope="mpg ~ wt + hp + qsec + am"),
        [8.88906231710253, 8.09035315451369, 5.00207688096311]),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPUTED)
@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
def test_values_of_cv_in_r(name: str) -> None:
    call, expected = COMPUTED[name]
    np.testing.assert_allclose(numbers(call()), expected, rtol=CLOSE)


def test_replications_and_intervals_are_those_of_cv_in_r() -> None:
    """The seeds that follow from the first; the last replication first; limits."""
    found = r.cv.cv(LM, k=5, seed=1, reps=3, confint=True)
    assert [one.seed for one in found] == [14234, 178502, 1]
    expected = [(3.52000972103411, 10.3048115153706), (2.83389754542822, 8.09828640995028),
                (3.45236632619672, 8.92334174401508)]  # fmt: skip
    np.testing.assert_allclose([one.confint for one in found], expected, rtol=CLOSE)
    crits = [7.24312292441095, 5.59929840200763, 6.40374205919279]
    assert found.crit == pytest.approx(np.mean(crits))
    assert found.sd == pytest.approx(np.std(crits, ddof=1))
    twice = r.cv.cv(MODELS, k=4, seed=5, meta=True, reps=2)
    assert [one.seed for one in twice] == [178502, 5]
    last = r.cv.cv(r.cv.selectModelList, k=4, k_meta=3, seed=5, reps=2, working_model=MODELS)
    assert [one.selected[:4] for one in last] == [("c", "c", "c", "a"), ("c", "c", "b", "c")]


def test_cv_is_cross_validation_over_its_folds() -> None:
    """The second way: cross_validate over the folds of that seed."""
    folds = pcv.RFolds("cv", 5, seed=1)
    other = pcv.cross_validate(
        pcv.OLS(), "mpg ~ poly(wt, 2) + hp", MTCARS, folds=folds, bias_adjusted=True
    )
    found = r.cv.cv(LM, k=5, seed=1)
    assert (found.crit, found.adj_crit) == pytest.approx((other.pooled, other.adjusted), rel=CLOSE)
    np.testing.assert_allclose(found.by_fold, other.fold_errors, rtol=CLOSE)


def test_meta_is_tuning_inside_every_fold() -> None:
    """A loop of tune over formulas, with inner folds of seed 0 as R's set.seed(FALSE) draws them.

    Inner folds have 6 rows each, so both averages are one.
    """
    formulas = [one.task.formula.text for one in MODELS.values()]
    inner, losses, chosen = pcv.RFolds("cv", 4, seed=0), np.empty(32), []
    for train, test in pcv.RFolds("cv", 4, seed=5).plan(32):
        tuned = pcv.tune(
            pcv.OLS(), data=MTCARS.iloc[train], grid={"formula": formulas}, folds=inner
        )
        losses[test] = (MTCARS["mpg"] - tuned.predict(MTCARS)).iloc[test] ** 2
        chosen.append(list(MODELS)[formulas.index(tuned.best["formula"])])
    found = r.cv.cv(MODELS, k=4, seed=5, meta=True)
    assert found.crit == pytest.approx(losses.mean(), rel=CLOSE)
    assert found.selected[:4] == tuple(chosen)


def test_a_session_goes_on_as_in_r() -> None:
    """Without a seed one is drawn by sample(1e6, 1), set, and the stream goes on from there."""
    r.set_seed(123)
    found = r.cv.cv(LM, k=5)
    assert found.seed == 969167
    drawn = r.runif(1)
    r.set_seed(969167)
    r.sample(32)
    np.testing.assert_array_equal(drawn, r.runif(1))


def test_it_prints_as_r_prints() -> None:
    assert r.cv.cv(LM, k=5, seed=1).summary().splitlines() == [
        "5-Fold Cross Validation", "method: Woodbury", "criterion: mse",
        "cross-validation criterion = 6.403742",
        "bias-adjusted cross-validation criterion = 6.187854",
        "full-sample criterion = 4.509156",
    ]  # fmt: skip
    text = repr(r.cv.cv(MODELS, k=5, seed=4))
    assert text.startswith("Model a:\ncross-validation criterion (mse) = 12.02745")
    assert r.cv.cv(LM, k="loo").summary(5).splitlines()[:2] == [
        "n-Fold Cross Validation", "method: hatvalues"]  # fmt: skip
    assert r.cv.cv(LM, k=5, seed=1, reps=2).tidy().shape == (2, 8)


MROZ = "list(d = transform(carData::Mroz, lfp = as.integer(lfp) - 1L))"


@live_r
def test_the_published_selection_for_women_of_mroz() -> None:
    """The vignette "Cross-validating model selection", by BIC, with limits; data of carData."""
    from pycvstat.r import bridge

    data = pd.DataFrame(bridge.run(MROZ)["d"])
    full = pcv.GLM("binomial").fit("lfp ~ .", data)
    given = {"criterion": r.cv.BayesRule, "seed": 6681, "AIC": False}
    found = r.cv.cv(r.cv.selectStepAIC, data, working_model=full, **given)
    assert found.summary(5).splitlines()[2:] == [
        "cross-validation criterion = 0.33068",
        "bias-adjusted cross-validation criterion = 0.33452",
        "95% CI for bias-adjusted CV criterion = (0.3009, 0.36815)",
        "full-sample criterion = 0.31873",
    ]
    assert found.selected[-1] == "k5 + age + wc + lwg + inc"
    chosen = pcv.GLM("binomial").fit(f"lfp ~ {found.selected[-1]}", data)
    alone = r.cv.cv(chosen, criterion=r.cv.BayesRule, seed=345266)
    assert alone.summary(5).splitlines()[1:] == [
        "method: exact", "criterion: BayesRule",
        "cross-validation criterion = 0.33068",
        "bias-adjusted cross-validation criterion = 0.33332",
        "95% CI for bias-adjusted CV criterion = (0.2997, 0.36695)",
        "full-sample criterion = 0.31873",
    ]  # fmt: skip


@pytest.mark.skipif(not Path(AUTO).is_file(), reason="PYCVSTAT_AUTO names no file")
def test_the_published_polynomials_for_auto() -> None:
    """The vignettes of cv: ten polynomials on the folds of seed 2120, and meta cross-validation."""
    data = pd.read_csv(AUTO, na_values="?")[["mpg", "horsepower"]].dropna().astype(float)
    fits = [pcv.OLS().fit(f"mpg ~ poly(horsepower, {d})", data) for d in range(1, 11)]
    several = r.cv.cv(r.cv.models(*fits), seed=2120)
    crits = [24.246, 19.346, 19.396, 19.444, 19.014, 18.954, 18.898, 19.126, 19.342, 20.012]
    adjusted = [24.230, 19.327, 19.373, 19.414, 18.983, 18.916, 18.854, 19.068, 19.269, 19.882]
    assert [round(one.crit, 3) for one in several.values()] == crits
    assert [round(one.adj_crit, 3) for one in several.values()] == adjusted
    meta = r.cv.cv(r.cv.models(*fits), seed=2120, meta=True)
    assert [float(f"{x:.5g}") for x in numbers(meta)] == [19.105, 19.68, 18.746]
    assert meta.selected[-1] == "model.7"
    assert round(r.cv.cv(fits[1], k="loo").crit, 3) == 19.248


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: r.cv.cv("lm"), "needs a fitted model"),
        (lambda: r.cv.cv(LM, k=1), "between 2 and n"),
        (lambda: r.cv.cv(LM, k=33), "between 2 and n"),
        (lambda: r.cv.cv(LM, k="loo", reps=2), "reps should not be > 1"),
        (lambda: r.cv.cv(LM, reps=0), "reps must be"),
        (lambda: r.cv.cv(LM, method="hatvalues"), "leave-one-out"),
        (lambda: r.cv.cv(GLM, method="Woodbury"), "approximate"),
        (lambda: r.cv.cv(LM, criterion=r.cv.BayesRule), "0 and 1"),
        (lambda: r.cv.cv(LM, criterion="mse"), "cost is a function|criterion is a function"),
        (lambda: r.cv.models(LM), "fewer than 2"),
        (lambda: r.cv.models(LM, GLM), "same response"),
        (lambda: r.cv.models(LM, pcv.OLS().fit("mpg ~ wt", MTCARS[:20])), "differing numbers"),
        (lambda: r.cv.cv(r.cv.selectModelList, working_model=LM), "works on models"),
        (lambda: r.cv.cv(r.cv.selectStepAIC, working_model=MODELS), "works on one model"),
        (lambda: r.cv.cv(r.cv.selectStepAIC, working_model=FULL, direction="forward"),
         "starts from the intercept"),
        (lambda: r.cv.cv(LM, MTCARS[:20]), "not the rows"),
        (lambda: r.cv.selectStepAIC(LM), "is called by cv"),
        (lambda: r.cv.selectModelList([LM]), "is called by cv"),
        (lambda: r.cv.rmse([1.0, 2.0], [1.0]), "as many numbers"),
        (lambda: r.cv.mse([1.0, 2.0], ["a", "b"]), "as many numbers"),
        (lambda: r.cv.medAbsErr("mpg", [1.0]), "as many numbers"),
        (lambda: r.cv.BayesRule([0.0, 1.0], [[0.0], [1.0]]), "as many numbers"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_answered(call: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()
