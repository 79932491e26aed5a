"""What is said when R, rpy2 or an R package is missing or does not fit."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pycvstat import errors
from pycvstat.errors import InputError, RError
from pycvstat.folds import DIALECTS
from pycvstat.r.bridge import available, installed, rscript, run, setting
from pycvstat.r.bridge.installed import R_PACKAGES, doctor

ROOT = Path(__file__).parents[3]
OF_R = {"base", "parallel", "splines", "stats", "tools", "utils"}


@pytest.fixture
def fake_r(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put an R that only knows its version on the PATH."""
    program = tmp_path / "R"
    program.write_text("#!/bin/sh\necho 'R version 4.2.2 (2022-10-31)'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("R_HOME", raising=False)
    monkeypatch.setenv("PYCVSTAT_R", "auto")
    return program


def test_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYCVSTAT_R", raising=False)
    assert setting() == "auto"
    monkeypatch.setenv("PYCVSTAT_R", "required")
    assert setting() == "required"
    monkeypatch.setenv("PYCVSTAT_R", "yes")
    with pytest.raises(InputError, match="PYCVSTAT_R"):
        setting()


def test_switched_off_is_as_absent(without_r: None) -> None:
    assert not available()
    for ask in (lambda: run("1"), lambda: rscript("1")):
        with pytest.raises(RError, match="switched off by PYCVSTAT_R=none"):
            ask()


def test_no_r_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("R_HOME", raising=False)
    monkeypatch.setenv("PYCVSTAT_R", "auto")
    assert not available()
    problem = installed.missing()
    assert problem is not None
    assert problem.problem == "R is not on the PATH."
    with pytest.raises(RError, match="not on the PATH"):
        rscript("1")
    monkeypatch.setenv("PYCVSTAT_R", "required")
    with pytest.raises(RError, match="not on the PATH"):
        available()


@pytest.mark.parametrize(
    ("versions", "problem"),
    [
        ({}, "rpy2 is not installed."),
        ({"rpy2": "3.6.9", "rpy2-rinterface": "3.6.7"}, "This rpy2 needs R 4.5 or later."),
    ],
)
def test_rpy2_that_does_not_fit(
    fake_r: Path, monkeypatch: pytest.MonkeyPatch, versions: dict[str, str], problem: str
) -> None:
    monkeypatch.setattr(installed, "python_version_of", versions.get)
    found = installed.missing()
    assert found is not None
    assert found.problem == problem
    assert found.fix == (
        f"RPY2_CFFI_MODE=ABI {sys.executable} -m pip install 'rpy2>=3.6.6' 'rpy2-rinterface<3.6.6'"
    )


def test_rpy2_that_fits(fake_r: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"rpy2": "3.6.6", "rpy2-rinterface": "3.6.5"}
    monkeypatch.setattr(installed, "python_version_of", versions.get)
    assert installed.missing() is None


def test_newer_r_takes_the_newest_rpy2() -> None:
    assert installed.install_rpy2((4, 5, 1)).endswith("pip install rpy2")


def test_an_r_that_does_not_answer(fake_r: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = fake_r.with_name("broken") / "R"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(broken.parent))
    problem = installed.missing()
    assert problem is not None
    assert problem.problem == "The R program does not answer."


def test_commands_for_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "apt-get"
    tool.write_text("")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("R_HOME", raising=False)
    assert installed.install_r_packages(["MASS", "FNN"]).endswith(
        "apt-get install -y r-cran-mass r-cran-fnn"
    )
    assert installed.install_r_packages(["kknn"]) == (
        'Rscript -e \'install.packages(c("kknn"), repos = "https://cloud.r-project.org")\''
    )


def test_an_r_of_its_own_gets_its_packages_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("apt-get", "R"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("R_HOME", raising=False)
    assert installed.install_r_packages(["MASS"]).startswith(f"{tmp_path}/Rscript -e")
    assert installed.install_r().endswith("apt-get install -y r-base-core")


def test_a_managed_python_is_told_to_take_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "EXTERNALLY-MANAGED").write_text("")
    monkeypatch.setattr(errors.sysconfig, "get_path", lambda _: str(tmp_path))
    assert "--break" not in errors.pip_install("dask")  # in a virtual environment
    monkeypatch.setattr(errors.sys, "prefix", errors.sys.base_prefix)
    assert errors.pip_install("dask").endswith("install --break-system-packages dask")


def test_the_set_up_installs_what_the_doctor_lists() -> None:
    listed = (ROOT / ".ci" / "r-packages.txt").read_text(encoding="utf-8").split()
    assert set(listed) == set(R_PACKAGES) - installed.NOT_IN_DEBIAN


def test_r_packages_that_are_called_are_set_up() -> None:
    """By tests, by what is recorded and by dialects of folds; those of no Debian package skip."""
    sources = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "r_reference").glob("*.R")]
    calls = re.compile(r"(?<![\w.:/'-])([A-Za-z][A-Za-z0-9.]*)::[A-Za-z_]")
    called = {name for file in sources for name in calls.findall(file.read_text(encoding="utf-8"))}
    called |= {name for one in DIALECTS.values() for name in one.in_r.packages}
    assert {"carData", "pls"} <= called
    assert called - OF_R - {"ignore", "cv", "mlr3", "origami"} <= set(R_PACKAGES)


@pytest.mark.live_r
def test_doctor_names_everything() -> None:
    text = doctor()
    for part in ("Python 3.", "Long double", "numpy", "rpy2-rinterface", "  R ", "kknn", "dplyr"):
        assert part in text


@pytest.mark.parametrize("name", ["dask", "numba"])
def test_what_the_doctor_prescribes_can_be_installed(
    without_r: None, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The distribution itself, since this package is in no index: pip understands the command."""
    known = installed.python_version_of
    monkeypatch.setattr(installed, "python_version_of", lambda n: None if n == name else known(n))
    (line,) = [line for line in doctor().splitlines() if line.startswith(f"  {name} ")]
    _, _, command = line.partition("missing: ")
    words = shlex.split(command)
    assert words[:4] == [sys.executable, "-m", "pip", "install"]
    assert words[4].startswith(f"{name}>=")
    dry = subprocess.run(
        [*words, "--dry-run", "--no-index", "--no-deps"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert dry.returncode == 0, dry.stderr


@pytest.mark.parametrize(
    ("pip", "uv", "start"),
    [(True, True, f"{sys.executable} -m pip install"),
     (False, True, f"uv pip install --python {sys.executable}"),
     (False, False, f"{sys.executable} -m ensurepip &&")],
)  # fmt: skip
def test_packages_are_installed_by_what_is_there(
    monkeypatch: pytest.MonkeyPatch, pip: bool, uv: bool, start: str
) -> None:
    monkeypatch.setattr(errors, "find_spec", lambda name: pip or None)
    monkeypatch.setattr(errors.shutil, "which", lambda name: "/bin/uv" if uv else None)
    assert errors.pip_install("dask").startswith(start)


def test_doctor_without_r(without_r: None) -> None:
    assert "switched off by PYCVSTAT_R=none" in doctor()


def test_r_is_never_started_by_importing(tmp_path: Path) -> None:
    code = "import sys, pycvstat.r.bridge; sys.exit('rpy2' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=environment)
