"""Running R beside the tests: values come back as raw doubles, so no digit is lost."""

import atexit
import os
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

live_r = pytest.mark.live_r  # skipped without R, by tests/conftest.py

SLOW_TO_LOAD = ("caret", "glmnet", "rsample")
# An R that has packages in memory. Each script is run by a fork of it, which knows nothing of the
# scripts before, as `Rscript --vanilla` would run it.
FORKING = """local({
  for (name in commandArgs(TRUE)) suppressMessages(suppressWarnings(loadNamespace(name)))
  asked <- file("stdin", "r")
  while (length(line <- readLines(asked, 1L))) {
    at <- strsplit(line, "\\t", fixed = TRUE)[[1]]  # the script, its folder, what it says, locale
    parallel::mccollect(parallel::mcparallel({
      setwd(at[2]); Sys.setenv(LC_ALL = at[4]); Sys.setlocale("LC_ALL", at[4])
      said <- lapply(paste0(at[3], c(".out", ".err")), file, "w", encoding = "UTF-8")
      sink(said[[1]]); sink(said[[2]], type = "message")
      status <- tryCatch({
        source(at[1], print.eval = TRUE, encoding = "UTF-8")
        0
      }, error = function(e) { message(conditionMessage(e)); 1 })
      sink(type = "message"); sink()
      for (one in said) close(one)
      cat(status, file = paste0(at[3], ".status"))
    }, mc.set.seed = FALSE))
    cat("\\n")
  }
})"""


@cache
def _forking(packages: tuple[str, ...]) -> subprocess.Popen[str]:
    r = subprocess.Popen(
        ["Rscript", "--vanilla", "-e", FORKING, *packages], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
        env=os.environ | {"LC_ALL": "C.UTF-8", "R_ENABLE_JIT": "0"},  # forks would compile the same
    )  # fmt: skip
    atexit.register(r.communicate)  # it ends when nothing more is asked
    return r


def in_r(
    code: str | Path, folder: str | Path = ".", locale: str = "C.UTF-8"
) -> subprocess.CompletedProcess[str]:
    """Run R code or a file of it, as a new R would; what it wrote.

    R sorts words by ICU in every locale but "C" and "POSIX".
    """
    text = code.read_text(encoding="utf-8") if isinstance(code, Path) else code
    slow = re.search(rf"\b({'|'.join(SLOW_TO_LOAD)})\b", text)
    r = _forking(SLOW_TO_LOAD if slow else ())
    with tempfile.TemporaryDirectory() as place:
        script = Path(place, "script.R")
        script.write_text(text, encoding="utf-8")
        said = Path(place, "said")
        r.stdin.write(f"{script}\t{Path(folder).absolute()}\t{said}\t{locale}\n")
        r.stdin.flush()
        assert r.stdout.readline(), "R has ended"
        status, out, err = (
            path.read_text(encoding="utf-8") if path.exists() else ""
            for path in (said.with_suffix(ending) for ending in (".status", ".out", ".err"))
        )
    return subprocess.CompletedProcess(text, int(status or -1), out, err)


def r_values(code: str, locale: str = "C.UTF-8") -> list[np.ndarray]:
    """Run R code that calls ``out(x)`` on numeric vectors; the vectors, as float64."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "values.bin")
        define = (
            f'con <- file("{path.as_posix()}", "wb"); '
            "out <- function(x) { writeBin(as.double(length(x)), con); "
            "writeBin(as.double(x), con) }\n"
        )
        done = in_r(define + code + "\nclose(con)\n", locale=locale)
        assert done.returncode == 0, done.stderr
        flat = np.fromfile(path, dtype="<f8")
    values = []
    while len(flat):
        size = int(flat[0])
        values.append(flat[1 : 1 + size])
        flat = flat[1 + size :]
    return values
