"""How much work a call does: factorisations, fits, searches, passes over the data, bytes, modules.

Seconds are measured by `make bench`; here nothing is, so that a busy machine changes no verdict.
"""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import tqdm
from scipy import linalg
from scipy.linalg import lapack
from sklearn.dummy import DummyRegressor

import pycvstat as pcv
from pycvstat.data.formula import encoder
from pycvstat.data.formula.variables import Numbers
from pycvstat.errors import PycvstatWarning
from pycvstat.learners.knn.search import Index
from pycvstat.learners.linear.glm_folds import _NormalEquations
from pycvstat.losses import table
from pycvstat.rmath import sums
from pycvstat.run import reproducible

TEN = pcv.KFold(10, random=1)


def counting(monkeypatch: pytest.MonkeyPatch, *functions: tuple[Any, str]) -> Counter[str]:
    """How often each is called from now on."""
    calls: Counter[str] = Counter()

    def counted(owner: Any, name: str) -> None:
        original = getattr(owner, name)

        def call(*given: Any, **more: Any) -> Any:
            calls[name] += 1
            return original(*given, **more)

        monkeypatch.setattr(owner, name, call)

    for owner, name in functions:
        counted(owner, name)
    return calls


def problem(n: int, p: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] + rng.normal(size=n)


FACTORISATIONS = (
    (linalg, "qr"),
    (linalg, "qr_multiply"),
    (lapack, "dgeqrf"),
    (np.linalg, "qr"),
    (np.linalg, "lstsq"),
    (np.linalg, "svd"),
)


@pytest.mark.parametrize(
    "folds", [TEN, pcv.LeaveOneOut(), pcv.Repeated(pcv.KFold(10), 20, random=1)]
)
def test_all_folds_of_least_squares_take_one_factorisation(monkeypatch, folds):
    X, y = problem(60, 5)
    calls = counting(monkeypatch, *FACTORISATIONS)
    pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=folds)
    assert calls == {"dgeqrf": 1}


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
def test_a_wide_fold_takes_one_factorisation_for_its_columns_its_fit_and_what_is_said(monkeypatch):
    X, y = problem(40, 100)
    calls = counting(monkeypatch, *FACTORISATIONS)
    pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=TEN)
    assert calls == {"dgeqrf": 2 * (1 + 10), "qr": 10}  # columns, then fits; what is said


def test_columns_left_out_cost_few_factorisations_more(monkeypatch):
    X, _ = problem(300, 256)
    X[:, [3, 100, 200]] = X[:, [0, 1, 2]]
    calls = counting(monkeypatch, (lapack, "dgeqrf"))
    from pycvstat.learners.linear.least_squares import aliased_columns

    assert np.flatnonzero(aliased_columns(X)).tolist() == [3, 100, 200]
    assert calls["dgeqrf"] < 3 * 2 * np.log2(256)


@pytest.mark.parametrize("folds", [TEN, pcv.LeaveOneOut()])
def test_folds_of_a_logistic_regression_go_through_the_iterations_together(monkeypatch, folds):
    X, y = problem(200, 3)
    calls = counting(monkeypatch, (_NormalEquations, "solve"), *FACTORISATIONS)
    pcv.cross_validate(pcv.Logit(), X=X, y=(y > 0) * 1.0, folds=folds)
    assert calls["solve"] <= 8
    assert calls["dgeqrf"] == 1
    assert not calls["qr"]


def test_neighbours_of_all_folds_and_sizes_are_searched_once(monkeypatch):
    X, y = problem(400, 2)
    calls = counting(monkeypatch, (Index, "find"))
    for folds in (TEN, pcv.Repeated(pcv.KFold(10), 3, random=1)):
        calls.clear()
        pcv.tune(pcv.KNN(), X=X, y=y, grid={"k": range(1, 31)}, folds=folds)
        assert calls["find"] <= 2


def test_sums_of_all_folds_of_neighbours_are_taken_by_loops(monkeypatch):
    X, y = problem(200, 2)
    calls = counting(monkeypatch, (sums, "_sums"), (sums, "compiled"))
    folds = {"outer": pcv.Blocks(8), "inner": pcv.Blocks(5)}
    pcv.nested_cv(pcv.KNN(kernel="rectangular"), X=X, y=y, grid={"k": range(1, 31)}, **folds)
    assert calls["compiled"] > 3 * 8 * 5  # of the terms, of the scaled ones, of the losses
    assert calls["_sums"] <= 2 * (3 if sums.EXTENDED else 500)


@pytest.mark.parametrize("folds", [3, 9])
def test_what_is_kept_is_sealed_once(monkeypatch, folds):
    X, y = problem(60, 2)
    calls = counting(monkeypatch, (table, "checksum"))
    inner = {"grid": {"k": [1, 3]}, "inner": pcv.Blocks(2)}
    assert pcv.nested_cv(pcv.KNN(), X=X, y=y, outer=pcv.Blocks(folds), **inner).estimate > 0
    assert calls["checksum"] == 2  # the table, and the folds inside
    assert pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=pcv.Blocks(folds)).pooled > 0
    assert calls["checksum"] == 4


@pytest.mark.parametrize("learner", [DummyRegressor(), pcv.OLS()])
def test_threads_are_limited_once(monkeypatch, learner):
    X, y = problem(60, 4)
    calls = counting(monkeypatch, (reproducible._OneThread, "_limit"))
    pcv.cross_validate(learner, X=X, y=y, folds=TEN)
    assert calls["_limit"] == 1


def test_a_design_names_its_columns_once(monkeypatch):
    X, y = problem(60, 4)
    calls = counting(monkeypatch, (encoder, "_terms"), (encoder, "_widths"), (Numbers, "names"))
    pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=TEN)
    assert calls == {"_terms": 1, "_widths": 1, "names": 2 * 4}  # their number, then they


def test_an_estimator_is_asked_for_its_parameters_by_its_own_library_only(monkeypatch):
    X, y = problem(100, 2)
    calls = counting(monkeypatch, (DummyRegressor, "get_params"))
    DummyRegressor().fit(X, y)
    of_a_fit = calls["get_params"]
    for folds in (10, 20):
        calls.clear()
        pcv.cross_validate(DummyRegressor(), X=X, y=y, folds=pcv.Blocks(folds))
        assert calls["get_params"] == 1 + of_a_fit  # asked and checked once


def test_what_a_run_sets_up_is_set_up_once(monkeypatch):
    X, y = problem(100, 2)
    set_up = (joblib, "parallel_config"), (np.random, "get_state"), (np.random, "set_state")
    calls = counting(monkeypatch, *set_up, (np.random, "seed"), (tqdm.tqdm, "__init__"))
    pcv.cross_validate(DummyRegressor(), X=X, y=y, folds=TEN)
    assert calls == {"parallel_config": 1, "get_state": 1, "set_state": 1, "seed": 10}


@pytest.mark.parametrize("folds", [2, 50])
def test_an_estimator_of_scikit_learn_is_fitted_once_for_each_fold(monkeypatch, folds):
    X, y = problem(100, 2)
    calls = counting(monkeypatch, (DummyRegressor, "fit"), (DummyRegressor, "predict"))
    pcv.cross_validate(DummyRegressor(), X=X, y=y, folds=pcv.Blocks(folds))
    assert calls == {"fit": folds, "predict": folds}


def test_least_squares_holds_few_copies_of_the_data():
    X, y = problem(50_000, 10)
    pcv.cross_validate(pcv.OLS(), X=X[:100], y=y[:100], folds=TEN)
    tracemalloc.start()
    pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=TEN)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * X.nbytes


def test_dates_as_text_are_told_before_the_design_is_made(monkeypatch):
    day = pd.date_range("2015-01-01", periods=120).astype(str).to_numpy()
    data = pd.DataFrame({"day": np.tile(day, 4), "y": np.arange(480.0)})
    from pycvstat.data.formula import FittedEncoder

    def refuse(*given: Any) -> Any:
        raise AssertionError("the work has begun")

    monkeypatch.setattr(FittedEncoder, "matrix", refuse)
    with (
        pytest.warns(PycvstatWarning, match="'day' holds dates as words, so that it has 120"),
        pytest.raises(AssertionError, match="the work has begun"),
    ):
        pcv.cross_validate(pcv.OLS(), "y ~ day", data, folds=TEN)


def test_a_command_on_a_small_file_loads_no_more_than_it_needs(tmp_path: Path) -> None:
    file = tmp_path / "cars.csv"
    file.write_text("y,x\n" + "".join(f"{i % 7 + i / 10},{i}\n" for i in range(32)))
    code = (
        "import sys; from pycvstat.cli import main; "
        f"main(['cv', {str(file)!r}, 'y ~ x', '--learner', 'ols', '--folds', '10']); "
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    unneeded = {"scipy.interpolate", "scipy.optimize", "matplotlib", "statsmodels", "numba"}
    unneeded |= {"sklearn", "jinja2", "dask", "rpy2", "numpy.f2py.crackfortran"}
    unneeded |= {"pycvstat.learners.knn", "pycvstat.learners.glm", "pycvstat.learners.penalised"}
    assert not unneeded & loaded
