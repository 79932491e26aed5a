"""What this installation can do: versions, R, and the exact command for whatever is missing."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator
from importlib import metadata

import numpy as np

from pycvstat.errors import RError, pip_install
from pycvstat.r.bridge import installed
from pycvstat.r.bridge.session import collation, start

R_PACKAGES = {
    "kknn": "the course's neighbours (else recorded, or a stand-in)",
    "boot": "the folds of cv.glm",
    "caret": "the folds of createFolds",
    "class": "nearest neighbours of another author",
    "digest": "checksums of recorded values",
    "dplyr": "the course's functions",
    "FNN": "neighbour distances of another author",
    "glmnet": "ridge, lasso and elastic net",
    "jsonlite": "recording values",
    "MASS": "robust regression",
    "Matrix": "glmnet needs it",
    "nnet": "multinomial logit",
    "purrr": "the course's functions",
    "quantreg": "quantile regression",
    "reticulate": "calling pycvstat from R",
    "rsample": "the folds of vfold_cv",
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
    yield f"pycvstat {installed.python_version_of('pycvstat') or '(not installed)'}"
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
        version = installed.python_version_of(name)
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
    yield f"R (PYCVSTAT_R={installed.setting()})"
    program = installed.r_program()
    if program is not None:
        version = installed.r_version(program)
        yield f"  R {'.'.join(map(str, version)) or 'does not answer'}  {program}"
    rpy2 = [f"{name} {installed.python_version_of(name)}" for name in ("rpy2", "rpy2-rinterface")]
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
    if program is None or installed.setting() == "none":
        return
    yield "R packages"
    versions = installed.r_packages(list(R_PACKAGES))
    for name, purpose in R_PACKAGES.items():
        yield f"  {name:<10} {versions.get(name) or 'missing':<10} {purpose}"
    absent = [name for name, version in versions.items() if version is None]
    for group in (
        [name for name in absent if name not in installed.NOT_IN_DEBIAN],
        [name for name in absent if name in installed.NOT_IN_DEBIAN],
    ):
        if group:
            yield f"  To get {', '.join(group)}: {installed.install_r_packages(group)}"
