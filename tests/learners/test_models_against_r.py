"""Regression learners against R: recorded, and the recording against a live R."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pycvstat.errors import FitError, PycvstatWarning
from pycvstat.learners.design import DesignLearner, FittedDesign
from pycvstat.learners.glm import GLM
from pycvstat.learners.multinomial import MNLogit
from pycvstat.learners.ols import OLS, WLS
from pycvstat.learners.penalised import ElasticNet, Lasso, Ridge
from pycvstat.learners.quantile import QuantReg
from pycvstat.learners.robust import RLM
from pycvstat.r import bridge
from pycvstat.r.bridge import reference

DIRECT = 1e-10
"""The same linear algebra, or the same iterations step for step, in another order."""

SEPARATED = 1e-5
"""Separated classes: in the last steps almost all rows have weight 1e-16, which costs digits."""

OPTIMUM = 1e-7
"""An optimum that R approaches by another iteration."""

GLMNET = 1e-9
"""glmnet with thresh = 1e-24 stops by the size of its steps; ours by the optimality conditions."""

RECORDED = reference.recorded("models.json")


def frame_of(recorded: dict[str, list[Any]]) -> pd.DataFrame:
    numbers = {name: v for name, v in recorded.items() if name not in ("f", "cls", "three")}
    made = pd.DataFrame({name: [float(x) for x in v] for name, v in numbers.items()})
    return made.assign(
        f=recorded["f"],
        cls=pd.Categorical(recorded["cls"]),
        three=pd.Categorical(recorded["three"]),
    )


DATA, NEW = frame_of(RECORDED["data"]), frame_of(RECORDED["new"])


def learner_of(case: dict[str, Any]) -> DesignLearner:
    match case["kind"]:
        case "lm":
            return WLS() if case["weighted"] else OLS()
        case "glm":
            return GLM(case["family"], case["link"])
        case "rlm":
            return RLM(case["psi"], tol=float(case["acc"]), maxiter=case["maxit"])
        case "rq":
            return QuantReg(float(case["tau"]))
        case "multinom":
            return MNLogit()
    lam, standardize = float(case["lambda"]), case["standardize"]
    if case["alpha"] in (0, 1):
        return (Lasso if case["alpha"] else Ridge)(lam, standardize=standardize)
    return ElasticNet(lam, case["alpha"], standardize)


def cases(*kinds: str) -> Any:
    chosen = [case for case in RECORDED["cases"] if case["kind"] in kinds]
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=name_of)


def name_of(case: dict[str, Any]) -> str:
    keys = [k for k in case if k in ("family", "link", "psi", "acc", "tau", "alpha", "lambda")]
    rest = " ".join(str(case[key]) for key in keys)
    weighted = " weighted" if case["weighted"] else ""
    return f"{case['kind']} {case['formula']} {rest} {case.get('standardize', '')}{weighted}"


def fitted(case: dict[str, Any]) -> FittedDesign:
    """The case fitted here; R was told to keep quiet, and so are we."""
    data = DATA[DATA.w > 0] if case["kind"] == "rlm" and case["weighted"] else DATA
    weights = "w" if case["weighted"] else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        return learner_of(case).fit(case["formula"], data, weights=weights)


def predicted(case: dict[str, Any]) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        model = fitted(case)
        if case["kind"] == "multinom":
            return model.predict_proba(NEW)
        return model.predict_proba(NEW)[:, 1] if model.response.levels else model.predict(NEW)


def close(ours: Any, theirs: list[str], tolerance: float) -> None:
    expected = np.array([np.nan if text == "NA" else float(text) for text in theirs])
    np.testing.assert_allclose(
        np.asarray(ours, dtype=float).ravel(), expected, rtol=tolerance, atol=tolerance
    )


@cases("lm", "rlm", "rq")
def test_linear_models(case: dict[str, Any]) -> None:
    close(predicted(case), case["predicted"], DIRECT)
    close(fitted(case).tidy().estimate, case["coefficients"], DIRECT)


@cases("lm")
def test_inference_of_least_squares(case: dict[str, Any]) -> None:
    table = fitted(case).tidy()
    close(table.std_error, case["std_errors"], DIRECT)
    close(table.p_value, case["p_values"], DIRECT)
    close(table.conf_low, case["low"], DIRECT)
    close(table.conf_high, case["high"], DIRECT)


@cases("rlm")
def test_inference_of_robust_regression(case: dict[str, Any]) -> None:
    model = fitted(case)
    assert model.report.iterations == case["iterations"]
    close(model.tidy().std_error, case["std_errors"], DIRECT)


@cases("glm")
def test_generalised_linear_models(case: dict[str, Any]) -> None:
    if case["fails"]:
        with pytest.raises(FitError):
            fitted(case)
        return
    model = fitted(case)
    assert model.report.iterations == case["iterations"]
    assert model.report.converged == case["converged"]
    tolerance = SEPARATED if case["formula"].startswith("apart") else DIRECT
    close(predicted(case), case["predicted"], tolerance)
    table = model.tidy()
    close(table.estimate, case["coefficients"], tolerance)
    close(table.std_error, case["std_errors"], tolerance)
    close(table.p_value, case["p_values"], tolerance)


def test_most_recorded_models_can_be_fitted() -> None:
    fails = [case["fails"] for case in RECORDED["cases"] if case["kind"] == "glm"]
    assert fails.count(False) > 100


@cases("glmnet")
def test_penalised_models(case: dict[str, Any]) -> None:
    close(predicted(case), case["predicted"], GLMNET)


@cases("multinom")
def test_multinomial_models(case: dict[str, Any]) -> None:
    close(predicted(case), case["predicted"], OPTIMUM)
    table = fitted(case).tidy()
    close(table.estimate, case["coefficients"], OPTIMUM)
    close(table.std_error, case["std_errors"], OPTIMUM)


@pytest.mark.live_r
def test_the_recording_is_what_r_says_now(tmp_path: Path) -> None:
    bridge.require(["MASS", "quantreg", "glmnet", "nnet", "jsonlite"])
    written = tmp_path / "models.json"
    bridge.rscript(reference.path("models.R"), str(written))
    live = json.loads(written.read_text(encoding="utf-8"))
    assert live["data"] == RECORDED["data"]
    assert live["new"] == RECORDED["new"]
    assert [name_of(case) for case in live["cases"]] == [name_of(c) for c in RECORDED["cases"]]
    for now, then in zip(live["cases"], RECORDED["cases"], strict=True):
        if "predicted" in then:  # other linear algebra libraries, other last digits
            close([float(x) for x in now["predicted"]], then["predicted"], 1e-8)
