"""Nothing that comes from data, names or files is ever run, and nothing reaches the network."""

from __future__ import annotations

import ast
import contextlib
import itertools
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings, strategies as st

import pycvstat as pcv
from pycvstat.data.formula import quote
from pycvstat.errors import PycvstatError, PycvstatWarning
from pycvstat.r.kknn import kknn
from tests.forked import python
from tests.r.bridge.rds_bytes import HEAD, NULL, doubles, ints, items, symbol, texts
from tests.report.pages import read_page

PACKAGE = Path(pcv.__file__).parent

# pickles pass between this process and those that it started itself, never through results
PICKLES = {"run", "r/bridge/processes.py", "data/partitions.py"}
NEVER_IMPORTED = {"urllib", "http", "requests", "socket", "ftplib", "smtplib", "marshal", "shelve",
                  "yaml", "dill", "webbrowser", "xmlrpc"}  # fmt: skip
NEVER_CALLED = {"eval", "exec", "compile", "__import__", "system", "popen"}


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def test_the_package_holds_no_call_that_runs_text_and_no_import_that_reaches_out() -> None:
    found = []
    for path in sources():
        place = path.relative_to(PACKAGE)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules: list[str] = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = [node.module or ""]
            heads = {module.split(".")[0] for module in modules}
            if heads & NEVER_IMPORTED or (
                heads & {"pickle", "cloudpickle"}
                and not {place.parts[0], place.as_posix()} & PICKLES
            ):
                found.append(f"{path.name}: import {modules}")
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                on_re = getattr(getattr(node.func, "value", None), "id", "") == "re"
                if name in NEVER_CALLED and not on_re:
                    found.append(f"{path.name}:{node.lineno}: {name}()")
                for keyword in node.keywords:
                    on = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
                    if keyword.arg in ("shell", "allow_pickle") and on:
                        found.append(f"{path.name}:{node.lineno}: {keyword.arg}=True")
    assert found == []


OFFLINE = """
import os, sys, warnings
REACHED = []
WATCHED = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.bind",
           "socket.sendto", "urllib.Request", "ftplib.connect", "http.client.connect")

def watch(event, arguments):
    if event in WATCHED and event != "socket.bind":
        REACHED.append((event, repr(arguments)))
        raise OSError(f"{event}: there is no network")

sys.addaudithook(watch)
import numpy as np
import pycvstat as pcv

warnings.simplefilter("ignore")
cars, waves = pcv.data.mtcars(), pcv.data.waves(60)
cv = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", cars, folds=pcv.KFold(5, random=1))
nested = pcv.nested_cv(pcv.KNN(), "y ~ .", waves, grid={"k": [1, 5]}, outer=3, inner=3,
                       checkpoint="kept", n_jobs=2)
compared = pcv.compare({"a": pcv.OLS(), "b": pcv.KNN()}, "mpg ~ wt", cars, folds=4)
curve = pcv.error_curve(pcv.KNN(), "y ~ .", waves, grid={"k": [1, 5]}, folds=3)
tuned = pcv.tune(pcv.KNN(), "y ~ .", waves, grid={"k": [1, 5]}, folds=3)
for number, result in enumerate((cv, nested, compared, curve, tuned)):
    result.summary()
    result.report(f"report{number}.html")
cv.report("report.md")
cv.report("report.tex")
cv.save("cv.pcv.npz")
pcv.load("cv.pcv.npz").interval()
pcv.audit(pcv.OLS(), "mpg ~ wt", cars, times=5)
cv.to_r("script.R")
cv.cite()
print("reached", REACHED)
"""


def test_no_procedure_and_no_report_reaches_the_network(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = python("-c", OFFLINE, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == "reached []\n"
    for report in tmp_path.glob("report*.html"):
        page = read_page(report.read_text(encoding="utf-8"))
        assert not page.all("script")
        assert all(not e.get("src") or e.get("src").startswith("data:") for e in page.all())


ATTACKS = [
    "__import__('os').mkdir('SENTINEL')", "system('mkdir SENTINEL')", "dir.create('SENTINEL')",
    "I(dir.create('SENTINEL'))", "I(__import__('os').mkdir('SENTINEL'))", "eval(parse(text='q()'))",
    "exec('import os')", "(function() dir.create('SENTINEL'))()", "x$`dir.create`('SENTINEL')",
    "{dir.create('SENTINEL')}", "np.ones(3).__class__", "x.__class__.__mro__", "get('x')",
    "do.call('dir.create', list('SENTINEL'))", "`dir.create`('SENTINEL')", "base::dir.create('S')",
    "log(x, base = dir.create('SENTINEL'))", "factor(x, levels = dir.create('SENTINEL'))",
    "poly(x, dir.create('SENTINEL'))", "cut(x, dir.create('SENTINEL'))",
    "x[dir.create('SENTINEL')]",
    "@pd.io.common.get_handle('SENTINEL', 'w')", "lambda: 0", "x := 1", "x <- 1", "x = 1", "'x'",
    "f'{x}'", "\\(x) x", "x; dir.create('SENTINEL')", "x\ndir.create('SENTINEL')", "Q('x')",
    "C(x, dir.create('SENTINEL'))", "bs(dir.create('SENTINEL'))", "x |> dir.create()",
    "log(x)`dir.create('SENTINEL')`",
]  # fmt: skip
JOINS = ["+", "*", ":", "-", "/", "^", "%in%", "~", " "]


class Ran(BaseException):
    """Something was run; no `except Exception` hides it."""


WATCH: dict[str, bool] = {"on": False}
OPENED: list[str] = []
RUNNING = ("exec", "os.system", "os.mkdir", "subprocess.Popen", "os.exec", "os.posix_spawn",
           "os.remove", "os.rename", "socket.connect")  # fmt: skip


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if WATCH["on"] and event in RUNNING:
        raise Ran(f"{event} {arguments!r}")
    here = threading.current_thread() is threading.main_thread()  # others watch memory in /proc
    if WATCH["on"] and event == "open" and here:
        OPENED.append(str(arguments[0]))


sys.addaudithook(_watch)  # for the whole process: hooks cannot be taken away again


def attacked(formula: str, folder: Path) -> None:
    """Give a formula to everything that takes one; only our own errors may come of it."""
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"x": rng.uniform(1, 2, 12), "y": rng.normal(size=12)})
    calls = [
        lambda: pcv.cross_validate(pcv.OLS(), formula, data, folds=pcv.KFold(3, random=1)),
        lambda: pcv.KNN(k=2).fit(formula, data).predict(data),
        lambda: kknn(formula, data, data, k=2),
    ]
    before = sorted(os.listdir(folder))
    for call in calls:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PycvstatWarning)
            try:
                WATCH["on"] = True
                call()
            except PycvstatError:
                pass
            finally:
                WATCH["on"] = False
    assert sorted(os.listdir(folder)) == before


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> object:
    place = tmp_path_factory.mktemp("attacked")
    before = Path.cwd()
    os.chdir(place)
    yield place
    os.chdir(before)


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """Modules are run when they are first imported, so they are imported first."""
    data = {"x": np.arange(1.0, 13.0), "y": np.arange(12.0) % 5}
    for text in ("y ~ x", "y ~ poly(x, 2)", "y ~ scale(x) + cut(x, c(0, 5, 20))"):
        pcv.cross_validate(pcv.OLS(), text, data, folds=pcv.KFold(3, random=1))
        pcv.KNN(k=2).fit(text, data).predict(data)
        kknn(text, data, data, k=2)


def test_the_watch_sees_what_runs(folder: Path) -> None:
    WATCH["on"] = True
    try:
        for run in (lambda: exec("1"), lambda: os.mkdir("SENTINEL"), lambda: os.system("true")):
            with pytest.raises(Ran):
                run()
    finally:
        WATCH["on"] = False


@pytest.mark.parametrize("attack", ATTACKS)
def test_formulas_run_no_code(attack: str, folder: Path) -> None:
    for formula in (f"y ~ {attack}", f"{attack} ~ x", attack, f"y ~ x + {attack} + .",
                    f"y ~ offset({attack})", f"y ~ log({attack})", f"y ~ `{attack}`"):  # fmt: skip
        attacked(formula, folder)


PIECES = [*ATTACKS, "x", "y", ".", "1", "(", ")", "log(", "I(", "poly(", "scale(", ",", "`", "'"]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(JOINS)), min_size=1, max_size=5))
@example([("I(", " "), ("__import__('os').mkdir('SENTINEL')", " "), (")", "+")])
def test_mixtures_of_attacks_run_no_code(parts: list[tuple[str, str]]) -> None:
    text = "".join(itertools.chain.from_iterable(parts))
    attacked(f"y ~ {text}", Path.cwd())


def test_columns_named_like_code_are_columns(folder: Path) -> None:
    rng = np.random.default_rng(0)
    names = [attack for attack in ATTACKS if "`" not in attack and "\\" not in attack]
    data = pd.DataFrame({name: rng.normal(size=40) for name in names[:12]})
    data["y"] = rng.normal(size=40)
    plain = data.set_axis([f"c{j}" for j in range(12)] + ["y"], axis=1)
    folds = pcv.KFold(4, random=1)
    formula = "y ~ " + " + ".join(quote(name) for name in names[:12])
    found = pcv.cross_validate(pcv.OLS(), formula, data, folds=folds)
    assert found.estimate == pcv.cross_validate(pcv.OLS(), "y ~ .", plain, folds=folds).estimate
    assert not list(folder.glob("SENTINEL*"))


@pytest.mark.live_r
def test_r_runs_no_name_level_or_formula(folder: Path) -> None:
    """Names and levels that are R code, in R itself: the cross-check and the script."""
    rng = np.random.default_rng(2)
    code = ["dir.create('SENTINEL')", "`); dir.create('SENTINEL'); c(`", "'); quit('no'); ('",
            '"); system("mkdir SENTINEL"); ("', "x # \n dir.create('SENTINEL')"]  # fmt: skip
    data = pd.DataFrame({name: rng.normal(size=60) for name in code[:3]})
    data["level"] = pd.Categorical(np.array(code)[rng.integers(0, 5, 60)], code)
    data["y"] = rng.normal(size=60)
    found = pcv.cross_validate(pcv.OLS(), "y ~ .", data, folds=pcv.KFold(3, random=1))
    assert found.crosscheck()
    script = found.to_r(folder / "it's $(mkdir SENTINEL) `mkdir SENTINEL` \"; mkdir SENTINEL.R")
    done = subprocess.run(
        ["Rscript", "--vanilla", str(script)], capture_output=True, text=True, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert f"{found.estimate:.6g}"[:6] in done.stdout
    assert not list(folder.glob("**/SENTINEL*"))


def test_a_file_of_r_runs_nothing_and_opens_no_other(tmp_path: Path) -> None:
    """Time zones are looked up by name, and a name may be a path."""
    zones = ["/etc/passwd", "../passwd", "dateutil//etc/passwd", "tzlocal()", "Europe/../../passwd",
             "posixrules/../../../../etc/passwd", "SENTINEL", "C:\\passwd"]  # fmt: skip
    call = ints(6) + symbol("system") + ints(2) + texts("mkdir SENTINEL") + NULL
    closure = ints(3 | 0x400, 253) + NULL + call
    promise = ints(5) + call + call + NULL
    times = [
        doubles(0.0, tzone=texts(zone), **{"class": texts("POSIXct")})
        for zone in (*zones, *ATTACKS)
    ]
    file = tmp_path / "x.rds"
    for zone in ("Asia/Tokyo", "PST"):  # modules are run when they are first imported
        file.write_bytes(HEAD + doubles(0.0, tzone=texts(zone), **{"class": texts("POSIXct")}))
        with contextlib.nullcontext() if "/" in zone else pytest.warns(PycvstatWarning):
            pcv.from_r(file)
    for body in (closure, promise, call, items(closure, call), *times):
        file.write_bytes(HEAD + body)
        OPENED.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PycvstatWarning)
            try:
                WATCH["on"] = True
                pcv.from_r(file)
            except PycvstatError:
                pass
            finally:
                WATCH["on"] = False
        assert str(file) in OPENED
        others = {path for path in OPENED if path != str(file) and "zoneinfo" not in path}
        assert not others
        assert not [path for path in OPENED if "passwd" in path or ".." in path]
    assert os.listdir(tmp_path) == ["x.rds"]


FILE = "<img src=x onerror=alert(1)> & $(mkdir SENTINEL) {{7*7}} \\input{x}.csv"


def test_a_file_name_is_text_in_every_report(tmp_path: Path) -> None:
    """Templates, shells and pages meet a data file and a column that try to be code."""
    column = "{{ 7 * 7 }}{% for %}<b>"
    pcv.data.mtcars()[["mpg", "wt"]].rename(columns={"wt": column}).to_csv(
        tmp_path / FILE, index=False
    )
    texts = {}
    for ending in ("html", "md", "tex"):
        done = python(
            "-c", "from pycvstat.cli import main; main()", "cv", FILE,
            f"mpg ~ `{column}`", "--learner", "ols", "--seed", "1", "--report", f"out.{ending}",
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        texts[ending] = (tmp_path / f"out.{ending}").read_text(encoding="utf-8")
    page = read_page(texts["html"])
    assert column in page.text()
    assert not page.all("img")
    assert not [b for b in page.all("b") if "7" in b.text()]
    assert "49" not in texts["html"].split(column.split("<")[0])[0][-200:]
    assert "\\input" not in texts["tex"]
    assert "<img" not in texts["md"]
    assert not list(tmp_path.glob("SENTINEL*"))
