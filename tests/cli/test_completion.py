"""Completion: the shell itself is asked."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from pycvstat.cli.completion import completion_script
from pycvstat.cli.parser import SHELLS, make_parser


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pycvstat ne", "nested"),
        ("pycvstat cv cars.csv 'y ~ x' --lea", "--learner"),
        ("pycvstat cv cars.csv 'y ~ x' --learner qu", "quantreg"),
        ("pycvstat nested cars.csv 'y ~ x' --outer rep", "repeated"),
        ("pycvstat tune cars.csv 'y ~ x' --rule on", "one_se"),
        ("pycvstat completion fi", "fish"),
    ],
)
def test_bash(line: str, expected: str) -> None:
    words = line.replace("'y ~ x'", "formula").split()
    script = (
        f"{completion_script(make_parser(), 'bash')}\n"
        f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}\n"
        "_pycvstat; echo ${COMPREPLY[@]}"
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [expected]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_knows_every_command(shell: str) -> None:
    script = completion_script(make_parser(), shell)
    for name in ("lecture", "cv", "tune", "nested", "compare", "report", "crosscheck", "doctor"):
        assert name in script
    program = shutil.which(shell)
    if program is not None:
        subprocess.run([program, "-n"], input=script, text=True, check=True)
