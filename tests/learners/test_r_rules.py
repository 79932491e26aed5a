"""R's rules for generalised linear models that no default fit of statsmodels has."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import FitError, InputError, PycvstatWarning
from pycvstat.learners import irls
from pycvstat.learners.families import FAMILY_NAMES, LINKS
from pycvstat.r.bridge import run
from tests.forked import python

SAME_STEPS = 1e-10
"""The same iterations, by another QR factorisation."""

COUNTS = pd.DataFrame(
    {
        "x": np.arange(24) / 8,
        "y": [0, 3, 1, 0, 7, 2, 0, 1, 9, 0, 4, 2, 12, 1, 0, 6, 15, 3, 2, 22, 0, 9, 31, 5],
        "w": [1.0, 2, 1, 1, 3, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 1, 3, 1, 1, 1],
    }
)
TRIALS = pd.DataFrame(
    {
        "x": [-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0],
        "trials": [12.0, 7.0, 30.0, 1.0, 9.0, 14.0, 3.0],
        "share": [1 / 12, 0.0, 10 / 30, 1.0, 6 / 9, 13 / 14, 1.0],
    }
)


def coefficients(learner: Any, formula: str, data: pd.DataFrame, weights: Any = None) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        return list(learner.fit(formula, data, weights=weights).coefficients.values())


def in_r(code: str, data: pd.DataFrame) -> np.ndarray:
    columns = {name: data[name].to_numpy(dtype=float) for name in data}
    arguments = ", ".join(columns)
    found = run(f"function({arguments}) suppressWarnings({{ {code} }})", **columns)
    return np.asarray(found, dtype=float)


def test_a_negative_binomial_of_estimated_theta() -> None:
    """What MASS::glm.nb gave once: intercept, slope and theta."""
    fitted = pcv.GLM("negative_binomial", alpha="ml").fit("y ~ x", COUNTS)
    found = [*fitted.coefficients.values(), 1 / fitted.results.family.alpha]
    np.testing.assert_allclose(found, [0.310927221656, 0.817748073733, 0.851723476207], rtol=1e-11)
    assert fitted.report.converged


@pytest.mark.live_r
@pytest.mark.parametrize("weights", [None, "w"])
def test_theta_as_in_r(weights: str | None) -> None:
    given = ", weights = w" if weights else ""
    theirs = in_r(
        f"f <- MASS::glm.nb(y ~ x{given}); c(coef(f), f$theta, sqrt(diag(vcov(f))))", COUNTS
    )
    fitted = pcv.GLM("negative_binomial", alpha="ml").fit("y ~ x", COUNTS, weights=weights)
    ours = [*fitted.coefficients.values(), 1 / fitted.results.family.alpha]
    np.testing.assert_allclose([*ours, *fitted.tidy()["std_error"]], theirs, rtol=SAME_STEPS)


def test_theta_is_estimated_in_every_training_set() -> None:
    learner = pcv.GLM("negative_binomial", alpha="ml")
    result = pcv.cross_validate(learner, "y ~ x", COUNTS, folds=pcv.Blocks(4))
    for train, test in result.plan:
        alone = learner.fit("y ~ x", COUNTS.iloc[train]).predict(COUNTS.iloc[test])
        np.testing.assert_allclose(result.predictions[test], alone, rtol=1e-12)
    with pytest.raises(InputError, match="alpha belongs to the family"):
        pcv.GLM("poisson", alpha="ml")


@pytest.mark.live_r
@pytest.mark.parametrize("link", ["logit", "probit", "cloglog", "cauchit"])
@pytest.mark.parametrize("steps", [1, 2, 25])
def test_grouped_binomials_start_at_their_shares(link: str, steps: int) -> None:
    """One step shows where it started: at (w y + 1/2) / (w + 1), of each group's trials."""
    control = f"control = glm.control(maxit = {steps})"
    code = f"coef(glm(share ~ x, binomial({link}), weights = trials, {control}))"
    learner = pcv.GLM("binomial", link, maxiter=steps)
    ours = coefficients(learner, "share ~ x", TRIALS, "trials")
    np.testing.assert_allclose(ours, in_r(code, TRIALS), rtol=SAME_STEPS)


HALVED: dict[str, tuple[list[float], list[float]]] = {
    "once": ([0, 1, 0, 1, 1, 1, 0, 0, 1, 4, 0, 6], [10, 0, 1]),
    "at the boundary": ([0, 0, 1, 0, 0, 3, 2, 0, 2, 3, 0, 3], [15, 1, 1]),
    "not converged": ([0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 7, 5], [25, 0, 0]),
}
"""Counts, and of R's Poisson fit with the identity link: iterations, boundary, converged."""


def halved(y: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"x": np.linspace(0.1, 3, 12), "y": np.array(y, dtype=float)})


@pytest.mark.parametrize("case", HALVED)
def test_steps_that_leave_the_valid_region_are_halved(case: str) -> None:
    y, known = HALVED[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        report = pcv.GLM("poisson", "identity").fit("y ~ x", halved(y)).report
    boundary = any("boundary" in note for note in report.notes)
    assert [report.iterations, boundary, report.converged] == known


@pytest.mark.live_r
@pytest.mark.parametrize("case", HALVED)
def test_halved_steps_end_where_r_s_do(case: str) -> None:
    y, known = HALVED[case]
    code = "f <- glm(y ~ x, poisson(identity)); c(f$iter, f$boundary, f$converged, coef(f))"
    theirs = in_r(code, halved(y))
    assert theirs[:3].tolist() == known
    ours = coefficients(pcv.GLM("poisson", "identity"), "y ~ x", halved(y))
    np.testing.assert_allclose(ours, theirs[3:], rtol=1e-8)


@pytest.mark.live_r
@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-8, 1e-13])
def test_the_tolerance_is_r_s_epsilon(tol: float) -> None:
    """Also as the tolerance of the rank: min(1e-7, epsilon / 1000)."""
    data = COUNTS.assign(z=COUNTS.x * (1 + 1e-9 * np.arange(24) ** 2), positive=COUNTS.y + 0.5)
    code = f"coef(glm(positive ~ x + z, Gamma(log), control = list(epsilon = {tol!r})))"
    learner = pcv.GLM("gamma", "log", tol=tol)
    ours = coefficients(learner, "positive ~ x + z", data)
    np.testing.assert_allclose(ours, in_r(code, data), rtol=1e-5)  # two nearly equal columns
    with pytest.raises(InputError, match="maxiter must be a whole number"):
        pcv.Logit(maxiter=0)


WHO_RAN = """
import sys, warnings
import statsmodels.api
import pycvstat as pcv
warnings.simplefilter("ignore")
def note(frame, event, argument):
    if event == "call":
        called.add((frame.f_code.co_filename.rsplit("/", 1)[-1], frame.f_code.co_name))
for learner, formula in FITS:
    called = set()
    sys.setprofile(note)
    eval(learner).fit(formula, pcv.data.mtcars())
    sys.setprofile(None)
    print(*sorted(f"{file}:{name}" for file, name in called))
"""
STEPS = {
    ("pcv.Logit()", "am ~ wt"): "generalized_linear_model.py:_fit_irls",
    ("pcv.GLM('gamma')", "mpg ~ wt"): "generalized_linear_model.py:_fit_irls",
    ("pcv.GLM('negative_binomial', alpha='ml')", "hp ~ wt"):
        "generalized_linear_model.py:_fit_irls",
    ("pcv.MNLogit()", "factor(gear) ~ wt"): "discrete_model.py:loglikeobs",
}  # fmt: skip


def test_the_steps_are_those_of_statsmodels() -> None:
    code = WHO_RAN.replace("FITS", repr([*STEPS]))
    done = python("-c", code)
    assert done.returncode == 0, done.stderr
    for line, (fit, step) in zip(done.stdout.splitlines(), STEPS.items(), strict=True):
        assert step in line.split(), fit


@pytest.mark.parametrize("link", [*LINKS, "power(0.5)"])
@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_every_family_with_every_link_has_a_summary(family: str, link: str) -> None:
    """Whether or not statsmodels expects that link; its table is ours."""
    if (family, link) == ("binomial", "inverse_squared"):
        return  # whether its steps stay valid is a matter of rounding
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, 60)
    mean = 0.5 + 0.2 * x
    share = rng.binomial(20, mean) / 20
    data = pd.DataFrame({"x": x, "y": share if family == "binomial" else rng.gamma(9, mean / 9)})
    fitted = pcv.GLM(family, link).fit("y ~ x", data)
    assert "Generalized Linear Model" in str(fitted.summary())
    np.testing.assert_array_equal(fitted.results.bse, fitted.tidy()["std_error"])


@pytest.mark.parametrize("family", ["binomial", "poisson", "gaussian"])
def test_columns_below_the_range_of_division_are_no_foreign_error(family: str) -> None:
    tiny = 5e-324
    data = {"a": [0.0, -tiny], "b": [tiny, -2 * tiny], "c": [-tiny, tiny], "y": [0.0, 1.0]}
    with pytest.raises(FitError, match="broke down"):
        pcv.GLM(family).fit("y ~ .", data)


def test_a_power_reaches_r_with_all_its_digits() -> None:
    learner = pcv.GLM("gamma", "power(0.123456789)")
    task = learner.fit("mpg ~ wt", pcv.data.mtcars()).task
    assert learner.in_r(task).params["power"] == 0.123456789


def test_which_columns_have_coefficients_is_decided_once_where_it_is_clear(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    decided: list[int] = []
    decide = irls._basis

    def counted(problem: irls.Problem, weights: Any) -> Any:
        decided.append(len(decided))
        return decide(problem, weights)

    monkeypatch.setattr(irls, "_basis", counted)
    pcv.GLM("poisson").fit("y ~ x", COUNTS)
    assert len(decided) == 1
    pcv.GLM("poisson").fit("y ~ x + I(2 * x)", COUNTS)  # R looks at it in every iteration
    assert len(decided) == 3


@pytest.mark.parametrize("limit", [1, 2])
def test_counts_that_do_not_vary_have_no_theta(limit: int) -> None:
    """Infinite before the first step, and no number after it."""
    ones = np.ones(4)
    with np.errstate(all="ignore"), pytest.raises(FitError, match="has no estimate"):
        irls.maximum_likelihood_theta(ones, ones, ones, limit)


def test_means_of_0_and_1_to_ten_roundings_are_told() -> None:
    def told(name: str, means: list[float]) -> int:
        family = irls.Family(name, *[None] * (len(irls.Family.__dataclass_fields__) - 1))
        fit = SimpleNamespace(converged=True, at_boundary=False, mean=np.array(means))
        return len(irls.notes(fit, family))

    for units, noted in ((9.5, 1), (10.5, 0)):
        small = units * np.finfo(np.float64).eps
        assert told("poisson", [small, 9.0]) == noted
        assert told("binomial", [small, 0.5]) == told("binomial", [0.5, 1.0 - small]) == noted
        assert told("gamma", [small, 1.0 - small]) == 0
