"""The course's R code, live: repaired as marked, equal to Python, with the stand-in checked."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pycvstat import cli
from pycvstat.data import mtcars, waves
from pycvstat.errors import RError
from pycvstat.r import lecture
from pycvstat.r.bridge import reference, require, run
from pycvstat.r.lecture.course import live_course, source_course
from pycvstat.rmath.random import RRandom

pytestmark = pytest.mark.live_r

SUMS = 1e-13  # relative: the same sums in the same order
# the stand-in in an environment of its own, whatever stands behind train.kknn elsewhere
STANDIN = "standin <- new.env(); sys.source(file, standin);"


@pytest.fixture(scope="module")
def provider() -> str:
    return source_course()


def standin(code: str, **values: object) -> Any:
    return run(STANDIN + code, file=str(reference.path("kknn_standin.R")), **values)


def frames(seed: int) -> dict[str, pd.DataFrame]:
    record = reference.recorded(f"kknn-1.4.1-seed{seed}.json")["data"]
    return {
        name: pd.DataFrame({k: np.array(c["values"], dtype=float) for k, c in record[name].items()})
        for name in ("smooth", "tied", "dup", "constant", "mtcars")
    }


def test_a_whole_run_on_tied_data(provider: str) -> None:
    data = frames(42)["tied"].iloc[:64]
    settings = {"num_folds": 5, "ks": [1, 2, 5, 9], "num_folds_test": 3, "num_folds_val": 4}
    in_r: Any = run("lecture_run", data=data, y_name="y", seed=9, **settings)
    python = lecture.lecture_run(data, seed=9, **settings)
    np.testing.assert_allclose(python.cv_curve, in_r["cv_curve"], rtol=SUMS)
    assert python.optimal_k == list(np.atleast_1d(in_r["optimal_k"]))
    assert [list(np.atleast_1d(k)) for k in in_r["nested_k"]] == python.nested_k
    np.testing.assert_allclose(python.nested_errors, in_r["nested_errors"], rtol=SUMS)
    assert python.test_error == pytest.approx(in_r["test_error"], rel=SUMS)


@pytest.mark.slow
def test_the_demonstration_live(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(
        "pycvstat.report.views.parity.live_course", lambda data: asked.append(live_course(data))
        or asked[0],
    )  # fmt: skip
    data = waves(200, random=2021)
    assert cli.main(["lecture", "--report", str(tmp_path / "l.html")]) == 0
    printed = capsys.readouterr().out
    assert "R (live)" in printed
    assert "R (recorded)" in printed
    (live,) = asked
    assert live is not None
    assert live.label.endswith("live")
    assert ("stand-in" in live.label) != ("kknn 1" in live.label)
    python = lecture.lecture_run(data)
    np.testing.assert_allclose(python.cv_curve, live.run.cv_curve, rtol=SUMS)
    assert python.nested_k == live.run.nested_k


@pytest.mark.slow
def test_r_beside_compiled_loops_says_nothing() -> None:
    """R brings an OpenMP of its own, and numba may set its threads."""
    code = """if True:
        import pycvstat as pcv
        from pycvstat.r.bridge import run
        data = pcv.data.waves(60)
        run("1")
        pcv.r.lecture.knn_test_error(data, 4, 3, "y", [1, 3])
        knn = pcv.KNN(kernel="rectangular")
        for _ in range(2):
            pcv.tune(knn, "y ~ .", data, grid={"k": [1, 3]}, folds=pcv.Blocks(3))
    """
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("function", ["train_validation_by_fold", "train_test_by_fold"])
def test_splits(provider: str, function: str) -> None:
    data = waves(23)
    for fold in range(1, 6):
        in_r: Any = run(f"{function}(data, fold, 5)", data=data, fold=fold)
        for ours, theirs in zip(
            getattr(lecture, function)(data, fold, 5), in_r.values(), strict=True
        ):
            np.testing.assert_array_equal(ours.to_numpy(), theirs.to_numpy())


def test_overlapping_folds(provider: str) -> None:
    data = pd.DataFrame({"x": np.arange(50.0), "y": 0.0})
    with pytest.raises(RError, match="folds would overlap"):
        run("train_validation_by_fold(data, 1, 49)", data=data)
    for fold in (1, 26, 49):
        in_r: Any = run(
            "train_validation_by_fold(data, fold, 49, as_in_r = TRUE)", data=data, fold=fold
        )
        ours = lecture.train_validation_by_fold(data, fold, 49, as_in_r=True)
        np.testing.assert_array_equal(ours.validation.to_numpy(), in_r["validation"].to_numpy())


def test_the_leak_as_printed(provider: str) -> None:
    data, leaking = waves(60, random=3), waves(60, random=3).iloc[:45]
    arguments = {"fold": 2, "num_folds_test": 4, "num_folds_val": 3, "y_name": "y", "ks": [1, 4, 8]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        in_r = run("knn_test_error_by_fold", data=data, tuning_data=leaking, **arguments)
        ours = lecture.knn_test_error_by_fold(data, **arguments, tuning_data=leaking)
    assert ours == pytest.approx(in_r, rel=SUMS)
    with pytest.warns(UserWarning, match="R warned: k is tuned on tuning_data"):
        run("knn_test_error_by_fold", data=data, tuning_data=leaking, **arguments)


def test_nested_estimate(provider: str) -> None:
    data = mtcars().rename(columns={"mpg": "y"}).reset_index(drop=True)
    in_r = run("knn_test_error(data, 4, 3, 'y', 1:6)", data=data)
    assert lecture.knn_test_error(data, 4, 3, "y", range(1, 7)) == pytest.approx(in_r, rel=SUMS)


def rectangular_cases() -> list[Any]:
    """Recorded predictions of what the stand-in covers."""
    covered = {"kind": "kknn", "distance": 2, "kernel": "rectangular", "scale": True}
    return [
        pytest.param(seed, case, id=f"{seed}-{case['data']}-{case['k']}")
        for seed in (1, 42, 2021)
        for case in reference.recorded(f"kknn-1.4.1-seed{seed}.json")["cases"]
        if covered.items() <= case.items()
        and case["data"] in {"smooth", "tied", "dup", "constant"}
        and case["k"] < case["n_train"]
    ]


@pytest.mark.parametrize(("seed", "case"), rectangular_cases())
def test_stand_in_predicts_as_recorded(seed: int, case: dict[str, Any]) -> None:
    data, n = frames(seed)[case["data"]], case["n_train"]
    predicted = standin(
        "m <- standin$train.kknn(formula, train, ks = k); predict(m, new)",
        formula=case["formula"],
        k=case["k"],
        train=data.iloc[:n],
        new=data.iloc[n:],
    )
    np.testing.assert_array_equal(predicted, np.array(case["fitted"], dtype=float))


@pytest.mark.parametrize("seed", [1, 42, 2021])
@pytest.mark.parametrize("name", ["smooth", "tied", "dup"])
def test_stand_in_chooses_among_several_k_as_recorded(seed: int, name: str) -> None:
    (case,) = (
        case
        for case in reference.recorded(f"kknn-1.4.1-seed{seed}.json")["cases"]
        if case["kind"] == "train.kknn" and case["data"] == name
    )
    place = list(np.atleast_1d(case["kernel"])).index("rectangular")
    errors = [float(np.atleast_1d(row)[place]) for row in case["mean_squ"].values()]
    chosen = standin(
        "standin$train.kknn('y ~ .', data, ks = ks)$k", data=frames(seed)[name], ks=case["ks"]
    )
    assert chosen == case["ks"][int(np.argmin(errors))]


def test_stand_in_against_fnn() -> None:
    require("FNN")
    data = waves(120, random=8)
    ours, theirs = (
        standin(code, train=data.iloc[:90], new=data.iloc[90:])
        for code in (
            "predict(standin$train.kknn(y ~ ., train, ks = 6), new)",
            "s <- sapply(train[1:3], sd);"
            "FNN::knn.reg(scale(train[1:3], FALSE, s), scale(new[1:3], FALSE, s), train$y, 6)$pred",
        )
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    rows, index = (
        standin(code, train=data.iloc[:90], new=data.iloc[90:])
        for code in (
            "standin$standin_neighbours(as.matrix(train[1:3]), as.matrix(new[1:3]), 6)",
            "s <- sapply(train[1:3], sd);"
            "FNN::get.knnx(scale(train[1:3], FALSE, s), scale(new[1:3], FALSE, s), 6)$nn.index",
        )
    )
    np.testing.assert_array_equal(rows, index)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("standin$train.kknn(y ~ ., d, ks = 10)", "k must be from 1 to 9"),
        ("standin$train.kknn(y ~ ., d, ks = 0)", "k must be from 1 to 9"),
        ("standin$train.kknn(y ~ ., d, kernel = 'optimal')", "rectangular"),
        ("standin$train.kknn(y ~ ., d, distance = 1)", "distance = 2"),
        ("standin$train.kknn(y ~ ., transform(d, x = letters[1:10]))", "numeric columns"),
        ("standin$train.kknn(y ~ ., transform(d, y = letters[1:10]))", "numeric response"),
        ("standin$train.kknn(y ~ ., transform(d, x = NA_real_))", "missing values"),
    ],
)
def test_stand_in_refuses_what_it_does_not_know(code: str, message: str) -> None:
    with pytest.raises(RError, match=message):
        standin(code, d=pd.DataFrame({"x": np.arange(10.0), "y": np.arange(10.0) ** 2}))


def test_stand_in_announces_itself(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="pycvstat.R"):
        standin("1")
    assert "stand-in for train.kknn is used instead" in caplog.text


@pytest.mark.live_kknn
@pytest.mark.parametrize("seed", range(5))
def test_stand_in_against_kknn_on_ties(seed: int) -> None:
    rng = RRandom(seed)
    columns = {name: rng.sample(4, 60, replace=True).astype(float) for name in ("a", "b", "c")}
    data = pd.DataFrame({**columns, "y": rng.rnorm(60)})
    code = "predict({}train.kknn(y ~ ., train, ks = k, kernel = 'rectangular'), new)"
    for k in (1, 2, 7, 30):
        values = {"train": data.iloc[:45], "new": data.iloc[45:], "k": k}
        ours, theirs = (
            standin(code.format("standin$"), **values),
            run(code.format("kknn::"), **values),
        )
        np.testing.assert_array_equal(ours, theirs)
