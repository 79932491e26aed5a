"""Other platforms, by what the code asks of this one: a short long double, other start methods."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import PycvstatWarning
from pycvstat.learners.knn import search
from pycvstat.r.bridge.installed import doctor
from pycvstat.rmath import sums
from tests.forked import python

SUMS = 1e-12  # the same sums, rounded to 53 bits instead of 64
LAST_BITS = 1e-13  # some hundred operations, each of which may be a last bit away


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long double that is a double, as on aarch64 macOS; others there have 113 bits."""
    monkeypatch.setattr(np, "longdouble", np.float64)
    monkeypatch.setattr(sums, "ONES", np.ones(sums.TOGETHER))
    monkeypatch.setattr(sums, "EXTENDED", False)
    monkeypatch.setattr(search, "EXTENDED", False)


def test_sums_agree_to_rounding(short: None) -> None:
    x = np.random.default_rng(1).normal(size=(2000, 3)) + 1e3
    np.testing.assert_allclose(sums.mean(x, axis=0), x.mean(axis=0), rtol=SUMS)
    np.testing.assert_allclose(sums.var(x[:, 0]), x[:, 0].var(ddof=1), rtol=SUMS)
    assert sums.sum_(x[:, 0]) == pytest.approx(x[:, 0].sum(), rel=SUMS)


def test_a_cross_validation_is_the_same_to_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> list[float]:
        data = pcv.data.waves(60)
        learners = pcv.OLS(), pcv.KNN(5), pcv.Ridge(lam=0.1)
        folds = pcv.KFold(5, random=1)
        return [pcv.cross_validate(one, "y ~ .", data, folds=folds).estimate for one in learners]

    here = found()
    with monkeypatch.context() as patch:
        patch.setattr(np, "longdouble", np.float64)
        patch.setattr(sums, "ONES", np.ones(sums.TOGETHER))
        patch.setattr(sums, "EXTENDED", False)
        np.testing.assert_allclose(found(), here, rtol=SUMS)


def test_ties_are_warned_of(short: None) -> None:
    data = {"x": np.arange(30) % 4, "y": np.arange(30.0)}
    with pytest.warns(PycvstatWarning, match="may come in another order than from kknn on x86-64"):
        pcv.cross_validate(pcv.KNN(3), "y ~ x", data, folds=pcv.Blocks(3))


def test_the_doctor_says_it(short: None, without_r: None) -> None:
    assert (
        "Long double with 53 bits: R's sums agree to rounding, kknn's ties may differ" in doctor()
    )


def numbers() -> dict[str, list[float]]:
    """What goes through the C library's functions, and folds, which do not."""
    rng = pcv.RRandom(1)
    data = {"x": rng.rnorm(40), "z": rng.rexp(40), "y": rng.rnorm(40)}
    folds = pcv.KFold(4, random=1)
    found = {"folds": folds.plan(40).fold_ids.tolist(), "draws": data["x"].tolist()}
    for kernel in ("optimal", "gaussian", "biweight"):
        learner = pcv.KNN(5, distance=3, kernel=kernel)
        result = pcv.cross_validate(learner, "y ~ log(z + 1) + exp(x) + I(x^3)", data, folds=folds)
        found[kernel] = result.predictions.tolist()
    return found


@pytest.mark.slow
def test_another_c_library_changes_last_bits_only(tmp_path: Path) -> None:
    """As musl or macOS: ``log``, ``exp`` and ``pow`` whose results end in the next double."""
    program = """
import json, math, numpy, scipy.special, pandas
for name in ("log", "log1p", "exp", "pow"):
    f = getattr(math, name)
    setattr(math, name, lambda *given, f=f: math.nextafter(f(*given), math.inf))
from tests.faults.test_platforms import numbers
print(json.dumps(numbers()))
"""
    elsewhere = json.loads(_run(program, tmp_path, NUMBA_DISABLE_JIT="1"))
    here = numbers()
    assert elsewhere["folds"] == here["folds"]
    for name, values in here.items():
        np.testing.assert_allclose(elsewhere[name], values, rtol=LAST_BITS, err_msg=name)
        assert name == "folds" or elsewhere[name] != values


def _run(program: str, folder: Path, **environment: str) -> str:
    (folder / "program.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=folder, check=True, stdout=subprocess.PIPE,
        env=_environment() | environment,
    )  # fmt: skip
    return done.stdout.decode()


def _environment() -> dict[str, str]:
    path = os.pathsep.join(str(Path(part).resolve()) for part in sys.path)
    return {**os.environ, "PYTHONPATH": path}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_the_start_method_of_processes_changes_nothing(method: str, tmp_path: Path) -> None:
    program = f"""
import multiprocessing
if __name__ == "__main__":
    multiprocessing.set_start_method({method!r})
    import pycvstat as pcv
    data, folds = pcv.data.waves(40), pcv.KFold(4, random=1)
    work = (pcv.Mean(), "y ~ 1", data)
    one, two = (pcv.cross_validate(*work, folds=folds, n_jobs=n) for n in (1, 2))
    assert one.table.losses.tobytes() == two.table.losses.tobytes()
"""
    (tmp_path / "program.py").write_text(program)
    done = python("program.py", cwd=tmp_path, env=_environment())
    assert done.returncode == 0, done.stderr
