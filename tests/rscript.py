"""Running R beside the tests: values come back as raw doubles, so no digit is lost."""

import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

live_r = pytest.mark.live_r  # skipped without R, by tests/conftest.py


def r_values(code: str, locale: str = "C.UTF-8") -> list[np.ndarray]:
    """Run R code that calls ``out(x)`` on numeric vectors; the vectors, as float64.

    R sorts words by ICU in every locale but "C" and "POSIX".
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "values.bin")
        define = (
            f'con <- file("{path.as_posix()}", "wb"); '
            "out <- function(x) { writeBin(as.double(length(x)), con); "
            "writeBin(as.double(x), con) }\n"
        )
        done = subprocess.run(
            ["Rscript", "--vanilla", "-"], input=define + code + "\nclose(con)\n",
            capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": locale},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        flat = np.fromfile(path, dtype="<f8")
    values = []
    while len(flat):
        size = int(flat[0])
        values.append(flat[1 : 1 + size])
        flat = flat[1 + size :]
    return values
