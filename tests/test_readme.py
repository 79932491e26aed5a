"""The README's examples give what they show: Python, command line, R through reticulate."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import pycvstat as pcv
from tests.forked import python

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


def commands() -> list[tuple[str, str]]:
    """Each command of the console blocks, and what it prints."""
    lines = "".join(blocks("console")).replace("\\\n>", "")
    pieces = re.split(r"^\$ (.*)\n", lines, flags=re.MULTILINE)[1:]
    return list(zip(pieces[::2], pieces[1::2], strict=True))


def same(expected: str, printed: str) -> bool:
    """Equal, where a line of three dots stands for any lines."""
    pattern = re.escape(expected.strip()).replace(re.escape("..."), "(?s:.*)")
    return re.fullmatch(pattern, printed.strip()) is not None


def test_python() -> None:
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    outcome = doctest.testfile(
        str(README), module_relative=False, optionflags=options, encoding="utf-8"
    )
    assert outcome.attempted >= 15
    assert outcome.failed == 0


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a file of the user's own."""
    place = tmp_path_factory.mktemp("readme")
    cars = pcv.data.mtcars().rename(columns={"mpg": "y"})
    cars[["y", "wt", "hp"]].to_csv(place / "mydata.csv", index=False)
    return place


def run(command: str, place: Path) -> subprocess.CompletedProcess[str]:
    words = shlex.split(command)
    cli = "from pycvstat.cli import main; raise SystemExit(main())"
    start = ["-c", cli] if words[0] == "pycvstat" else []
    environment = os.environ | {"COLUMNS": "80", "PYTHONPATH": str(README.parent)}
    return python(*start, *words[1:], cwd=place, env=environment)


def test_command_line(place: Path) -> None:
    assert len(commands()) == 5
    for command, expected in commands():
        done = run(command, place)
        assert done.returncode == 0, done.stderr
        assert same(expected, done.stdout + done.stderr), f"{command} printed:\n{done.stdout}"
    assert "<svg" in (place / "nested.html").read_text(encoding="utf-8")


def own_code(words: str, place: Path, more: str = "") -> subprocess.CompletedProcess[str]:
    """Run a block that is not a session of Python, and has these words."""
    (code,) = [block for block in blocks("python") if ">>>" not in block and words in block]
    environment = os.environ | {"PYTHONPATH": str(README.parent)}
    done = python("-c", code + more, cwd=place, env=environment)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.live_r
def test_a_case_of_ones_own(place: Path) -> None:
    done = own_code("pcv.check(", place, "\nprint(bool(checked), checked.report('page.md'))")
    assert done.stdout == "True page.md\n"
    assert (place / "values.json").exists()


def test_own_data_in_python(place: Path) -> None:
    done = own_code("mydata.csv", place)
    assert "OLS: 10-fold cross-validation repeated 10 times" in done.stdout
    assert "<svg" in (place / "report.html").read_text(encoding="utf-8")


def test_dots_stand_for_lines() -> None:
    assert same("a\n...\nd", "a\nb\nc\nd\n")
    assert not same("a\n...\nd", "a\nb\nc\n")
    assert not same("a 1.5", "a 1x5")


def test_names_in_the_table_exist() -> None:

    table = re.search(r"^\| in R you write.*?\n\n", TEXT, re.DOTALL | re.MULTILINE)
    assert table is not None
    rows = [line.rsplit("|", 2)[1] for line in table.group(0).splitlines()[2:] if line]
    assert len(rows) >= 10
    data = pcv.data.waves(60).rename(columns={"x1": "x"})
    names = {"pcv": pcv, "data": data, "y": data["y"], "train": data[:40], "test": data[40:]}
    names["result"] = pcv.cross_validate(pcv.OLS(), "y ~ x", data, folds=pcv.Blocks(10))
    for row in rows:
        for call in re.findall(r"`((?:pcv|result)\..*?)`", row):
            assert eval(call, names) is not None, call


@pytest.mark.live_r
@pytest.mark.slow
def test_from_r(tmp_path: Path) -> None:
    """The reticulate snippet, where R has reticulate."""
    from pycvstat.r.bridge import installed

    (code,) = blocks("r")
    shown = "".join(re.findall(r"^#> ?(.*\n)", code, re.MULTILINE))
    script = tmp_path / "snippet.R"
    script.write_text(code, encoding="utf-8")
    where = "suppressWarnings(requireNamespace('reticulate', quietly = TRUE))"
    there = subprocess.run(
        ["Rscript", "-e", f"cat({where})"], capture_output=True, text=True, check=True
    )
    if there.stdout != "TRUE":
        if installed.setting() == "required":
            pytest.fail("reticulate is not installed: apt-get install r-cran-reticulate")
        pytest.skip("R has no reticulate: apt-get install r-cran-reticulate")
    done = subprocess.run(
        ["Rscript", str(script)],
        env=os.environ | {"PYTHON_OF_PYCVSTAT": sys.executable, "PYTHONPATH": str(README.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == shown.split()
