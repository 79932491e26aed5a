"""A script in a fork is what it is in a new Python."""

import os
import subprocess
import sys

import pytest

from tests.forked import python, worker

SCRIPTS = [
    "import sys; print(sys.argv, sys.path[0], __name__); print('ü', file=sys.stderr)",
    "import os; print(os.getcwd(), os.environ['A'], 'HOME' in os.environ)",
    "import tempfile; print(tempfile.gettempdir())",
    "raise SystemExit('ended')",
    "raise SystemExit(3)",
    "import atexit; atexit.register(print, 'last'); print('first')",
    "import threading; threading.Timer(0.01, print, ['later']).start()",
    "import os; os.kill(os.getpid(), 9)",
    "raise KeyboardInterrupt",
    "1 / 0",
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_it_says_and_ends_as_in_a_new_python(script, tmp_path):
    given = {"PYTHONUTF8": "1", "A": "ü", "TMPDIR": str(tmp_path)}
    forked = python("-c", script, "word", cwd=tmp_path, env=given)
    new = subprocess.run([sys.executable, "-c", script, "word"], cwd=tmp_path, env=given,
                         capture_output=True, encoding="utf-8")  # fmt: skip
    assert (forked.returncode, forked.stdout) == (new.returncode, new.stdout)
    assert forked.stderr.splitlines()[-1:] == new.stderr.splitlines()[-1:]


def test_a_file_and_a_module_are_run_as_such(tmp_path):
    (tmp_path / "one.py").write_text("import sys; print(__name__, __file__, sys.path[0])")
    file = str(tmp_path / "one.py")
    assert python(file).stdout == f"__main__ {file} {tmp_path}\n"
    assert python("-m", "one", cwd=tmp_path).stdout == f"__main__ {file} {tmp_path}\n"


def test_no_two_draw_the_same():
    draw = "import random, numpy; print(random.random(), numpy.random.rand())"
    first, second = (python("-c", draw).stdout.split() for _ in range(2))
    assert not {*first} & {*second}


@pytest.mark.skipif(sys.platform != "linux", reason="adopts")
def test_a_worker_is_a_child_with_the_streams_it_was_given():
    read, write = os.pipe()
    code = (
        "import os, sys; os.write(int(sys.argv[1]), "
        "f'{os.getppid()} {os.getcwd()} {os.environ[\"A\"]}'.encode()); os._exit(7)"
    )
    pid = worker([sys.executable, "-c", code, str(write)], [write], {"A": "ü"})
    os.close(write)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    with open(read, encoding="utf-8") as said:
        assert said.read() == f"{os.getpid()} {os.getcwd()} ü"
