"""Hard arithmetic: right, compared with exact rational numbers and with R, or refused."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import FitError, PycvstatError, PycvstatWarning
from tests.rscript import live_r, r_values

LINEAR = 1e-9  # least squares of well conditioned designs, beside exact numbers
ITERATIVE = 1e-6  # glm() stops at a relative change of the deviance of 1e-8


def exact_least_squares(X: Any, y: Any, weights: Any = None) -> list[Fraction]:
    """Coefficients by the normal equations in rational numbers: no rounding at all."""
    rows = [[Fraction(float(v)) for v in row] for row in X]
    values = [Fraction(float(v)) for v in y]
    w = [Fraction(float(v)) for v in (np.ones(len(y)) if weights is None else weights)]
    p = len(rows[0])
    A = [
        [sum(wi * r[i] * r[j] for wi, r in zip(w, rows, strict=True)) for j in range(p)]
        + [sum(wi * r[i] * v for wi, r, v in zip(w, rows, values, strict=True))]
        for i in range(p)
    ]
    for i in range(p):
        pivot = next(r for r in range(i, p) if A[r][i] != 0)
        A[i], A[pivot] = A[pivot], A[i]
        A[i] = [v / A[i][i] for v in A[i]]
        for r in range(p):
            if r != i:
                A[r] = [a - A[r][i] * b for a, b in zip(A[r], A[i], strict=True)]
    return [row[p] for row in A]


def exact_fold_errors(data: pd.DataFrame, plan: pcv.FoldPlan, weights: Any = None) -> list[float]:
    X = np.column_stack([np.ones(len(data)), data.drop(columns="y").to_numpy()])
    y = data["y"].to_numpy()
    errors = []
    for train, test in plan:
        b = exact_least_squares(X[train], y[train], None if weights is None else weights[train])
        for row in test:
            fit = sum(c * Fraction(float(v)) for c, v in zip(b, X[row], strict=True))
            errors.append(float((Fraction(float(y[row])) - fit) ** 2))
    return errors


def cars(n: int = 24, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
    return frame.assign(y=frame["a"] - 2 * frame["b"] + rng.normal(size=n))


PLANS = {
    "folds": pcv.KFold(4, random=1),
    "leave one out": pcv.LeaveOneOut(),
    "holdout": pcv.Holdout(0.3, random=1),
    "pairs": pcv.NestedPairs(3, repeats=2, random=1),
}


every_plan = pytest.mark.parametrize("plan", PLANS)


@every_plan
@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-6])
def test_nearly_collinear_designs(plan: str, gap: float) -> None:
    """Condition 1/gap costs digits in proportion, for R too; the predictions keep the rest."""
    data = cars().assign(c=lambda d: d["a"] + gap * d["b"] ** 2)[["a", "b", "c", "y"]]
    found = pcv.cross_validate(pcv.OLS(), "y ~ .", data, folds=PLANS[plan])
    exact = exact_fold_errors(data, found.plan)
    np.testing.assert_allclose(found.table.losses[:, 0], exact, rtol=1e-13 / gap**2 + 1e-10)


@every_plan
def test_columns_closer_than_the_tolerance_are_left_out_as_in_r(plan: str) -> None:
    data = cars().assign(c=lambda d: d["a"] + 1e-9 * d["b"] ** 2)[["a", "b", "c", "y"]]
    with pytest.warns(PycvstatWarning, match="other columns nearly determine c"):
        found = pcv.cross_validate(pcv.OLS(), "y ~ .", data, folds=PLANS[plan])
    without = pcv.cross_validate(pcv.OLS(), "y ~ a + b", data, folds=found.plan)
    np.testing.assert_allclose(found.table.losses, without.table.losses, rtol=LINEAR)


@every_plan
@pytest.mark.parametrize("shift", [1e6, 1e9, 1e12])
def test_a_shifted_response_loses_only_the_digits_it_does_not_have(plan: str, shift: float) -> None:
    """The exact numbers of the shifted data, to the spacing of numbers there."""
    data = cars().assign(y=lambda d: d["y"] + shift)
    found = pcv.cross_validate(pcv.OLS(), "y ~ .", data, folds=PLANS[plan])
    exact = np.array(exact_fold_errors(data, found.plan))
    spacing = np.spacing(shift)
    np.testing.assert_allclose(
        np.sqrt(found.table.losses[:, 0]), np.sqrt(exact), rtol=1e-9, atol=4 * spacing
    )


@every_plan
@pytest.mark.parametrize("size", [1e6, 1e12, 1e100])
def test_one_extreme_response_spoils_no_fold_that_leaves_it_out(plan: str, size: float) -> None:
    data = cars()
    data.loc[5, "y"] = size
    found = pcv.cross_validate(pcv.OLS(), "y ~ .", data, folds=PLANS[plan])
    exact = np.array(exact_fold_errors(data, found.plan))
    outside = np.concatenate([np.full(len(test), 5 not in train) for train, test in found.plan])
    np.testing.assert_allclose(found.table.losses[outside, 0], exact[outside], rtol=LINEAR)
    np.testing.assert_allclose(found.table.losses[:, 0], exact, rtol=1e-6)


def test_shifted_responses_of_other_learners() -> None:
    """Means of neighbours and penalised fits follow a shift by a power of 2 exactly or nearly."""
    data = cars(40)
    data["y"] = np.round(data["y"] * 2**10) / 2**10
    moved = data.assign(y=data["y"] + 2.0**40)
    for learner, atol in ((pcv.KNN(k=4, kernel="rectangular"), 0.0), (pcv.Mean(), 1e-2),
                          (pcv.Ridge(lam=0.5), 1e-2), (pcv.Lasso(lam=0.1), 1e-2)):  # fmt: skip
        base, again = (
            pcv.cross_validate(learner, "y ~ .", d, folds=pcv.KFold(4, random=1))
            for d in (data, moved)
        )
        np.testing.assert_allclose(again.table.losses, base.table.losses, rtol=0, atol=atol)


def test_fewer_rows_than_columns() -> None:
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.normal(size=(8, 30)), columns=[f"v{j}" for j in range(30)])
    wide = wide.assign(y=rng.normal(size=8))
    many = pytest.warns(PycvstatWarning, match="31 columns to fit to 7 rows")
    with many, pytest.warns(PycvstatWarning, match="do not determine"):
        ols = pcv.cross_validate(pcv.OLS(), "y ~ .", wide, folds=pcv.LeaveOneOut())
    assert np.isfinite(ols.estimate)
    ridge = pcv.cross_validate(pcv.Ridge(lam=1.0), "y ~ .", wide, folds=pcv.LeaveOneOut())
    X, y = wide.drop(columns="y").to_numpy(), wide["y"].to_numpy()
    for row in range(8):
        train = np.arange(8) != row
        centre, spread = X[train].mean(axis=0), X[train].std(axis=0)
        scale = y[train].std()
        Z = mpmath.matrix((X[train] - centre) / spread)
        target = mpmath.matrix((y[train] - y[train].mean()).tolist())
        penalised = Z.T * Z + mpmath.eye(30) * (7 / scale)
        slopes = mpmath.lu_solve(penalised, Z.T * target)
        new = (X[row] - centre) / spread
        fit = y[train].mean() + float(sum(s * v for s, v in zip(slopes, new, strict=True)))
        np.testing.assert_allclose(ridge.table.losses[row, 0], (y[row] - fit) ** 2, rtol=1e-8)


@every_plan
def test_rows_of_weight_zero_play_no_part(plan: str) -> None:
    data = cars()
    weights = np.tile([1.0, 2.0, 0.0], 8)
    found = pcv.cross_validate(pcv.WLS(), "y ~ .", data, folds=PLANS[plan], weights=weights)
    exact = exact_fold_errors(data, found.plan, weights)
    np.testing.assert_allclose(found.table.losses[:, 0], exact, rtol=LINEAR)
    wild = data.copy()
    wild.loc[weights == 0, "a"] = 1e8
    again = pcv.cross_validate(pcv.WLS(), "y ~ .", wild, folds=found.plan, weights=weights)
    tested = weights[found.plan.rows] > 0
    np.testing.assert_allclose(again.table.losses[tested, 0], np.array(exact)[tested], rtol=LINEAR)


def test_weights_that_leave_nothing_are_refused() -> None:
    data = cars()
    for weights in (np.zeros(24), np.r_[np.ones(6), np.zeros(18)] * 0, -np.ones(24)):
        with pytest.raises(PycvstatError):
            pcv.cross_validate(pcv.WLS(), "y ~ .", data, folds=pcv.Blocks(4), weights=weights)


def separated() -> pd.DataFrame:
    x = np.r_[np.linspace(-3, -1, 12), np.linspace(1, 3, 12)]
    z = np.sin(np.arange(24.0) * 7)
    frame = pd.DataFrame({"x": x, "z": z, "y": pd.Categorical(np.where(x > 0, "b", "a"))})
    return frame.sample(frac=1, random_state=1).reset_index(drop=True)


@pytest.mark.parametrize("learner", [pcv.GLM("binomial"), pcv.Logit()], ids=["glm", "logit"])
def test_separated_classes_are_told_and_classified(learner: Any) -> None:
    with pytest.warns(PycvstatWarning, match="0 or 1|separat"):
        found = pcv.cross_validate(
            learner, "y ~ x + z", separated(), folds=pcv.KFold(4, random=1), loss="zero_one"
        )
    assert found.estimate == 0.0


@live_r
def test_separation_gives_what_glm_gives() -> None:
    data = separated()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        found = pcv.cross_validate(
            pcv.GLM("binomial"), "y ~ x + z", data, folds=pcv.Blocks(4), loss="log"
        )
    x, z, y = (
        ", ".join(f"{float(v)!r}" for v in values)
        for values in (data["x"], data["z"], (data["y"] == "b"))
    )
    (r,) = r_values(f"""
      d <- data.frame(x = c({x}), z = c({z}), y = c({y}))
      out(unlist(lapply(1:4, function(f) {{
        test <- ((f - 1) * 6 + 1):(f * 6)
        fit <- suppressWarnings(glm(y ~ x + z, binomial, d[-test, ]))
        p <- predict(fit, d[test, ], type = "response")
        e <- .Machine$double.eps
        -log(pmin(pmax(ifelse(d$y[test] == 1, p, 1 - p), e), 1 - e))
      }})))
    """)
    np.testing.assert_allclose(found.table.losses[:, 0], r, rtol=0, atol=ITERATIVE)


NEARLY = [pcv.OLS(), pcv.GLM(), pcv.RLM(), pcv.QuantReg()]


@pytest.mark.parametrize("learner", NEARLY, ids=repr)
def test_columns_that_are_left_out_though_they_say_something_are_named(learner: Any) -> None:
    """R's lm gives the column NA and says so; the numbers are the same, and so is the warning."""
    data = cars()
    for nearly in (data["a"] + 1e12, data["b"] + 1e-12 * data["a"] ** 2):
        frame = pd.DataFrame({"c": data["b"], "near": nearly, "y": data["y"]})
        for folds in (pcv.KFold(4, random=1), pcv.Holdout(0.3, random=1)):
            with pytest.warns(PycvstatWarning, match="other columns nearly determine near"):
                found = pcv.cross_validate(learner, "y ~ c + near", frame, folds=folds)
            alone = pcv.cross_validate(learner, "y ~ c", frame, folds=folds)
            np.testing.assert_allclose(found.table.losses, alone.table.losses, rtol=1e-6)
    frame = data.assign(copy=data["a"] + 2 * data["b"] - 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pcv.cross_validate(learner, "y ~ .", frame, folds=pcv.KFold(4, random=1))


@pytest.mark.parametrize("size", [1.0, 1e20, 1e40, 1e100])
@pytest.mark.parametrize("folds", [pcv.KFold(4, random=1), pcv.LeaveOneOut()], ids=repr)
@pytest.mark.parametrize("standardize", [True, False])
def test_a_penalty_below_rounding_shares_between_copies(
    size: float, folds: Any, standardize: bool
) -> None:
    """As the penalty goes to 0 ridge splits a coefficient between copies; it never blows up."""
    data = cars().assign(y=lambda d: d["y"] * size)
    twice = data.assign(copy=data["a"])
    for learner in (pcv.Ridge(0.01, standardize), pcv.ElasticNet(0.01, 0.0, standardize)):
        found = pcv.cross_validate(learner, "y ~ .", twice, folds=folds)
        again = pcv.cross_validate(learner, "y ~ .", twice[["copy", "y", "b", "a"]], folds=folds)
        np.testing.assert_allclose(found.table.losses, again.table.losses, rtol=1e-6)
        if size >= 1e40:  # no penalty that counts
            plain = pcv.cross_validate(pcv.OLS(), "y ~ a + b", data, folds=folds)
            np.testing.assert_allclose(found.table.losses, plain.table.losses, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:the training rows do not determine")
@pytest.mark.parametrize("learner", [pcv.RLM(), pcv.QuantReg(), pcv.WLS(), pcv.GLM()], ids=repr)
def test_training_rows_of_which_one_or_none_counts(learner: Any) -> None:
    weights = [0.0] * 23 + [1.0]
    with pytest.raises(FitError, match="no training row has a positive weight"):
        pcv.cross_validate(learner, "y ~ .", cars(), folds=pcv.Blocks(4), weights=weights)


@live_r
def test_weighted_standard_errors_are_those_of_lm() -> None:
    data = cars(9)
    weights = np.tile([0.5, 2.0, 0.0], 3)
    table = pcv.WLS().fit("y ~ a + b", data, weights=weights).tidy()
    a, b, y, w = (
        ", ".join(f"{float(v)!r}" for v in values)
        for values in (data["a"], data["b"], data["y"], weights)
    )
    (r,) = r_values(f"""
      d <- data.frame(a = c({a}), b = c({b}), y = c({y}))
      out(summary(lm(y ~ a + b, d, weights = c({w})))$coefficients[, 2])
    """)
    np.testing.assert_allclose(table["std_error"], r, rtol=LINEAR)


def test_training_rows_without_weight_have_no_mean() -> None:
    data = pd.DataFrame({"x": [0.0, 1.0], "y": [1.0, 2.0]})
    for y in (data["y"], pd.Series(["a", "b"], dtype="category")):
        with pytest.raises(FitError, match=r"no finite sum|no training row has a positive weight"):
            pcv.cross_validate(
                pcv.Mean(), "y ~ x", data.assign(y=y), folds=pcv.Blocks(2), weights=[0.0, 1.0]
            )
