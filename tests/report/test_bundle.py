"""A bundle computes its result again, by itself, and says what differs."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.linear_model import Lasso
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pycvstat as pcv
from pycvstat.errors import InputError
from tests.forked import python
from tests.report.conftest import result


def again(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The analysis of a bundle, which finds nothing but its own files and the packages here."""
    return python(str(folder / "analysis.py"), *words, cwd=folder.parent, env={})


def weighted() -> Any:
    data = pcv.data.mtcars().assign(kind=lambda d: d["cyl"].astype(str))
    data["gear"] = pd.Categorical(data["gear"], [5, 4, 3], ordered=True)
    return pcv.cross_validate(pcv.WLS(), "mpg ~ hp + kind + gear", data, weights="wt",
                              groups="carb", folds=pcv.Grouped(3, random=1))  # fmt: skip


def pipeline() -> Any:
    learner = make_pipeline(StandardScaler(), Lasso(alpha=0.1))
    return pcv.cross_validate(learner, "mpg ~ wt + hp", pcv.data.mtcars(), folds=pcv.Blocks(4))


def nested() -> Any:
    return pcv.nested_cv(pcv.Lasso(), "mpg ~ wt + hp", pcv.data.mtcars(), grid={"lam": [0.1, 1.0]},
                         outer=pcv.KFold(4, random=2), inner=pcv.KFold(3))  # fmt: skip


def tuned() -> Any:
    return pcv.tune(pcv.Ridge(), "mpg ~ wt + hp", pcv.data.mtcars(), grid={"lam": [0.1, 1.0, 9.0]},
                    folds=pcv.KFold(5, random=1), rule="one_se", complexity="-lam")  # fmt: skip


def compared() -> Any:
    learners = {"ols": pcv.OLS(), "mean": pcv.Mean()}
    return pcv.compare(learners, "mpg ~ wt", pcv.data.mtcars(), folds=pcv.KFold(8, random=1))


# in a bundle nothing is compiled yet: the lasso is, which takes less long than neighbours
MADE = {"nested": nested, "tune": tuned, "compare": compared,
        "weighted": weighted, "pipeline": pipeline}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_a_bundle_with_data_computes_the_same(tmp_path: Path, name: str) -> None:
    found = MADE[name]()
    folder = found.bundle(tmp_path / "b", data=True)
    done = again(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "numbers are the same again" in done.stdout
    assert pcv.load(folder / "result.npz").plan.fingerprint == found.plan.fingerprint


def test_a_seed_that_nobody_gave_is_in_the_bundle(tmp_path: Path) -> None:
    found = pcv.cross_validate(pcv.Mean(), "mpg ~ wt", pcv.data.mtcars(), folds=5)
    folder = found.bundle(tmp_path / "b", data=True)
    done = again(folder)
    assert "numbers are the same again" in done.stdout, done.stdout + done.stderr
    assert f"KFold(5, random={found.plan.seed})" in (folder / "analysis.py").read_text("utf-8")


def test_without_data_there_is_no_row_of_them(tmp_path: Path) -> None:
    cars = pcv.data.mtcars()
    folder = result("cv").bundle(tmp_path / "b")
    assert not {"data.csv", "result.npz", "analysis.csv"} & {p.name for p in folder.iterdir()}
    texts = [p.read_text("utf-8") for p in folder.glob("*.*") if p.suffix != ".npz" and p.is_file()]
    for value in cars["wt"][cars["wt"].map(lambda v: v not in (cars["wt"].min(), 3.44, 3.57))]:
        assert not [text for text in texts if f" {value!r}," in text]
    assert "Name the file: python rerun.py data.csv" in again(folder).stderr
    cars.to_csv(tmp_path / "own.csv", index=False)
    assert again(folder, str(tmp_path / "own.csv")).returncode == 0
    cars.assign(hp=cars["hp"] ** 2).to_csv(tmp_path / "other.csv", index=False)
    other = again(folder, str(tmp_path / "other.csv"))
    assert other.returncode == 1
    assert "other data: fingerprint" in other.stdout
    assert "estimate: " in other.stdout


def test_a_zip_holds_the_same(tmp_path: Path) -> None:
    made = result("cv").bundle(tmp_path / "b.zip", crosscheck=result("crosscheck"))
    with zipfile.ZipFile(made) as archive:
        names = set(archive.namelist())
        text = archive.read("expected.json").decode("utf-8")
        lock = archive.read("environment.txt").decode("utf-8")
    for name in ("README.md", "rerun.py", "analysis.py", "analysis.R", "folds.csv", "report.html",
                 "columns.json", "crosscheck.txt", "pycvstat/__init__.py"):  # fmt: skip
        assert name in names
    expected = json.loads(text)
    assert expected["numbers"]["estimate"] == result("cv").estimate
    assert expected["data"] == result("cv").task.fingerprint
    assert "numpy==" in lock
    assert "pytest" not in lock


@pytest.mark.slow
def test_one_command_computes_it_in_a_clean_environment(tmp_path: Path) -> None:
    folder = result("cv").bundle(tmp_path / "b", data=True)
    done = subprocess.run(
        [sys.executable, str(folder / "rerun.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "numbers are the same again" in done.stdout
    assert (folder / "environment" / "pyvenv.cfg").is_file()


def test_a_bundle_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="a new folder or a zip file"):
        result("cv").bundle(tmp_path)
    with pytest.raises(InputError, match="directory of the bundle does not exist"):
        result("cv").bundle(tmp_path / "no" / "b.zip")
    with pytest.raises(InputError, match="no bundle"):
        result("interval").bundle(tmp_path / "b.zip")
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]
