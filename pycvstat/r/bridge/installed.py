"""What of R is installed here, and the exact command that adds what is missing."""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Literal, cast, get_args

import numpy as np

from pycvstat.errors import InputError, RError, pip_install

Setting = Literal["auto", "none", "required"]

OLDEST_R = (4, 2)
"""The oldest R that comparisons were tried with."""

NEEDS_R_4_5 = (3, 6, 6)
"""The first rpy2-rinterface that calls functions of R's C interface that came with R 4.5."""

NOT_IN_DEBIAN = frozenset({"kknn"})
CRAN = "https://cloud.r-project.org"


def setting() -> Setting:
    """Return what ``PYCVSTAT_R`` says about R.

    Returns
    -------
    {"auto", "none", "required"}
        "auto" when the variable is unset or empty.
    """
    value = os.environ.get("PYCVSTAT_R") or "auto"
    if value not in get_args(Setting):
        problem = "The environment variable PYCVSTAT_R has a value that means nothing."
        fix = "set it to auto (use R where it is found), none or required"
        raise InputError(problem, given=value, fix=fix)
    return cast(Setting, value)


def r_program() -> str | None:
    """Return the path of the R program: of ``R_HOME`` when set, else of the ``PATH``."""
    home = os.environ.get("R_HOME")
    if home and (Path(home) / "bin" / "R").exists():
        return str(Path(home) / "bin" / "R")
    return shutil.which("R")


@cache
def r_version(program: str) -> tuple[int, ...]:
    """Return the version of an R program, e.g. (4, 2, 2); empty when it does not answer."""
    try:
        answer = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = re.search(r"R version (\d+)\.(\d+)\.(\d+)", answer.stdout + answer.stderr)
    return tuple(int(part) for part in found.groups()) if found else ()


def python_version_of(package: str) -> str | None:
    """Return the installed version of a Python package, None when it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def install_r() -> str:
    """Return the command that installs R on this system."""
    found = system_install({"apt-get": "r-base-core", "dnf": "R-core", "brew": "r"})
    return found or "install R from https://cran.r-project.org and put it on the PATH"


def system_install(names: Mapping[str, str]) -> str | None:
    """The command of the first of these tools that is there, with the names of its packages."""
    for tool, packages in names.items():
        if shutil.which(tool):
            before, yes = ("", "") if tool == "brew" else (_sudo(), "-y ")
            return f"{before}{tool} install {yes}{packages}"
    return None


def install_rpy2(version: tuple[int, ...]) -> str:
    """Return the command that installs the rpy2 that fits an R version."""
    wanted = ("rpy2>=3.6.6", "rpy2-rinterface<3.6.6") if version < (4, 5) else ("rpy2",)
    return f"RPY2_CFFI_MODE=ABI {pip_install(*wanted)}"


def install_r_packages(packages: Iterable[str]) -> str:
    """Return the command that installs R packages for the R that is found here."""
    names, program = list(packages), r_program() or "/usr/bin/R"
    of_system = program.startswith(("/usr/bin/", "/usr/lib/"))
    debian = {"apt-get": " ".join(f"r-cran-{name.lower()}" for name in names)}
    if of_system and not NOT_IN_DEBIAN.intersection(names) and (found := system_install(debian)):
        return found
    listed = ", ".join(f'"{name}"' for name in names)
    rscript = "Rscript" if of_system else shlex.quote(str(Path(program).with_name("Rscript")))
    return f"{rscript} -e 'install.packages(c({listed}), repos = \"{CRAN}\")'"


def _sudo() -> str:
    return "" if hasattr(os, "geteuid") and os.geteuid() == 0 else "sudo "


def no_r() -> RError | None:
    """Return why no R program can be run from here, None when one can."""
    if setting() == "none":
        return RError("R is switched off by PYCVSTAT_R=none.", fix="unset PYCVSTAT_R to use R")
    return RError("R is not on the PATH.", fix=install_r()) if r_program() is None else None


def missing() -> RError | None:
    """Return why R cannot be used from here, None when nothing speaks against it.

    It looks at what is installed without starting R.
    """
    problem, program = no_r(), str(r_program())
    if problem is not None:
        return problem
    version = r_version(program)
    if not version:
        return RError("The R program does not answer.", given=program, fix=install_r())
    if version < OLDEST_R:
        wanted, found = (".".join(map(str, v)) for v in (OLDEST_R, version))
        return RError(f"R {wanted} or later is needed.", given=f"R {found}", fix=install_r())
    return _rpy2_problem(version)


def _rpy2_problem(version: tuple[int, ...]) -> RError | None:
    written = ".".join(map(str, version))
    interface = python_version_of("rpy2-rinterface")
    if python_version_of("rpy2") is None or interface is None:
        return RError("rpy2 is not installed.", given=f"R {written}", fix=install_rpy2(version))
    parts = tuple(int(part) for part in re.findall(r"\d+", interface)[:3])
    if version < (4, 5) and parts >= NEEDS_R_4_5:
        given = f"R {written}, rpy2-rinterface {interface}"
        return RError("This rpy2 needs R 4.5 or later.", given=given, fix=install_rpy2(version))
    return None


def r_packages(names: Sequence[str]) -> dict[str, str | None]:
    """Look up the installed versions of R packages, in a separate R.

    Parameters
    ----------
    names : sequence of str
        R packages.

    Returns
    -------
    dict
        Name to version; None for a package that is not installed.
    """
    from pycvstat.r.bridge.processes import rscript

    listed = ", ".join(f'"{name}"' for name in names)
    code = f"""for (p in c({listed})) {{
        v <- tryCatch(as.character(packageVersion(p)), error = function(e) "")
        cat(p, "=", v, "\\n", sep = "")
    }}"""
    lines = (line.partition("=") for line in rscript(code).output.splitlines())
    return {name: version or None for name, _, version in lines}


_found: set[str] = set()


def has(package: str) -> bool:
    """Whether the running R has a package."""
    from pycvstat.r.bridge.session import run

    if package not in _found and run("nzchar(system.file(package = name))", name=package):
        _found.add(package)
    return package in _found


@cache
def running() -> str:
    """What the running R calls itself: "R version 4.2.2 ..."."""
    from pycvstat.r.bridge.session import run

    return str(run("R.version.string"))


def require(packages: str | Sequence[str]) -> None:
    """Stop with the command that installs them when R packages are missing.

    Parameters
    ----------
    packages : str or sequence of str
        R packages.

    Raises
    ------
    RError
        When R itself or one of the packages is missing.
    """
    absent = [name for name in ([packages] if isinstance(packages, str) else packages)
              if not has(name)]  # fmt: skip
    if absent:
        problem = "R lacks packages that this needs."
        raise RError(problem, given=", ".join(absent), fix=install_r_packages(absent))


R_PACKAGES = {
    "kknn": "the course's neighbours (else recorded, or a stand-in)",
    "boot": "the folds of cv.glm",
    "carData": "data of published selections",
    "caret": "the folds of createFolds",
    "class": "nearest neighbours of another author",
    "digest": "checksums of recorded values",
    "dplyr": "the course's functions",
    "e1071": "the folds of tune",
    "FNN": "neighbour distances of another author",
    "glmnet": "ridge, lasso and elastic net",
    "jsonlite": "recording values",
    "MASS": "robust regression",
    "Matrix": "glmnet needs it",
    "Metrics": "metrics of another author",
    "ModelMetrics": "metrics of another author",
    "nnet": "multinomial logit",
    "pls": "the folds of cvsegments",
    "pROC": "areas under curves of another author",
    "purrr": "the course's functions",
    "quantreg": "quantile regression",
    "reticulate": "calling pycvstat from R",
    "rms": "the optimism of validate",
    "rsample": "the folds of vfold_cv",
    "sandwich": "variances by groups of rows",
    "testthat": "tests of the R code",
    "tidyr": "the course's functions",
}
"""R packages that results are compared with, and what for."""

_WITHOUT_R = "All of pycvstat works without R. Comparisons with R then use recorded values."


def doctor() -> str:
    """Describe this installation and say what is missing and how to get it.

    Returns
    -------
    str
        Lines of text.

    Examples
    --------
    >>> print(doctor().splitlines()[0])
    pycvstat 0.1.0
    """
    return "\n".join([*_python(), "", *_packages(), "", *_r()])


def _python() -> Iterator[str]:
    yield f"pycvstat {python_version_of('pycvstat') or '(not installed)'}"
    yield f"Python {platform.python_version()}  {sys.executable}"
    yield f"Platform {platform.platform()}, {platform.machine()}"
    mantissa = np.finfo(np.longdouble).nmant + 1  # the first bit is not stored
    exact = mantissa == 64
    yield f"Long double with {mantissa} bits: " + (
        "R's sums and kknn's ties are reproduced exactly"
        if exact
        else "R's sums agree to rounding, kknn's ties may differ"
    )


def _packages() -> Iterator[str]:
    yield "Python packages"
    for name, wanted in _requirements():
        version = python_version_of(name)
        yield f"  {name:<16} {version or f'missing: {pip_install(wanted)}'}"


def _requirements() -> list[tuple[str, str]]:
    """Distributions that pycvstat declares, and as what it does; rpy2 is R's part."""
    try:
        declared = metadata.requires("pycvstat") or []
    except metadata.PackageNotFoundError:
        return []
    found = []
    for line in declared:
        extra = re.search(r"extra == ['\"](\w+)['\"]", line)
        if extra is None or extra[1] == "dask":
            wanted = line.partition(";")[0].strip()
            found.append((re.split(r"[^\w-]", wanted)[0], wanted))
    return found


def _r() -> Iterator[str]:
    from pycvstat.r.bridge.session import collation, start

    yield f"R (PYCVSTAT_R={setting()})"
    program = r_program()
    if program is not None:
        version = r_version(program)
        yield f"  R {'.'.join(map(str, version)) or 'does not answer'}  {program}"
    rpy2 = [f"{name} {python_version_of(name)}" for name in ("rpy2", "rpy2-rinterface")]
    yield "  " + ", ".join(rpy2).replace("None", "not installed")
    try:
        start()
        yield "  R runs inside Python: comparisons are live"
        yield "  It sorts words " + (
            "by ICU, as pycvstat does"
            if collation() == "ICU"
            else "by code point (its locale is C): levels='C' makes their levels so"
        )
    except RError as problem:
        yield from (f"  {line}" for line in str(problem).splitlines())
    yield f"  {_WITHOUT_R}"
    if program is None or setting() == "none":
        return
    yield "R packages"
    versions = r_packages(list(R_PACKAGES))
    for name, purpose in R_PACKAGES.items():
        yield f"  {name:<10} {versions.get(name) or 'missing':<10} {purpose}"
    absent = {name for name, version in versions.items() if version is None}
    for group in (sorted(absent - NOT_IN_DEBIAN, key=str.lower), sorted(absent & NOT_IN_DEBIAN)):
        if group:
            yield f"  To get {', '.join(group)}: {install_r_packages(group)}"
