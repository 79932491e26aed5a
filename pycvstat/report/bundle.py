"""Everything that somebody needs to compute a result again, in one folder or zip file."""

from __future__ import annotations

import ast
import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from pycvstat.errors import InputError, PycvstatError
from pycvstat.errors.checks import check_path, written
from pycvstat.report.pieces import plain_value
from pycvstat.report.render.formats import check_writable
from pycvstat.report.views.base import view_of

if TYPE_CHECKING:
    from pycvstat.data.task import Task

CLOSE = 1e-9  # relative: sums are rounded otherwise by other processors
WEIGHTS, GROUPS = "(weights)", "(groups)"
README = """# {title}

{sentence}

One command computes this again, in a clean environment made in this folder, and compares:

    python rerun.py{argument}

{data}

- `analysis.py`: the analysis in Python; `analysis.R`: in R, where R can compute it
- `folds.csv`: the test rows of every fit; `columns.json`: names, kinds and levels of the columns
- `expected.json`: the numbers, the fingerprints of data and folds
- `environment.txt`: every package with its version; `pycvstat/`: the package itself
- `report.html`: the report{more}
"""
WITHOUT = (
    "The data are not part of this folder. The file to give is a CSV with the columns {columns}; "
    "its fingerprint is compared before anything is computed."
)


def bundle(
    result: Any, path: str | PathLike[str], data: bool = False, crosscheck: Any = None
) -> Path:
    """Write a bundle; see `Verbs.bundle`."""
    target = check_path(path)
    zipped = target.suffix.lower() == ".zip"
    if zipped:
        check_writable(target, "bundle")
    elif target.exists() and (not target.is_dir() or any(target.iterdir())):
        fix = f"{target.stem}.zip, or a folder that is empty or new"
        given = f"{target}, which is there"
        raise InputError("a bundle goes into a new folder or a zip file.", given=given, fix=fix)
    calls = "\n".join(analysis(result))
    with written(target, "bundle"), tempfile.TemporaryDirectory() as place:
        if not zipped:
            target.mkdir(parents=True, exist_ok=True)
        folder = Path(place, "bundle")
        folder.mkdir()
        _fill(result, folder, calls, data, crosscheck)
        if zipped:
            made = shutil.make_archive(str(Path(place, "made")), "zip", folder)
            shutil.copyfile(made, target)
        else:
            shutil.copytree(folder, target, copy_function=shutil.copy, dirs_exist_ok=True)
    return target


def _fill(result: Any, folder: Path, calls: str, data: bool, crosscheck: Any) -> None:
    view, task = view_of(result), result.task
    rows, columns = table_of_rows(task)

    def write(name: str, text: str) -> None:
        (folder / name).write_text(text, encoding="utf-8")

    templates = files("pycvstat.report").joinpath("templates")
    write("rerun.py", templates.joinpath("rerun.py.txt").read_text("utf-8"))
    write("analysis.py", templates.joinpath("analysis.py.txt").read_text("utf-8")
          .replace("@calls@", calls))  # fmt: skip
    expected = {
        "data": task.fingerprint,
        "folds": result.plan.fingerprint,
        "numbers": values(result),
    }
    write("expected.json", json.dumps(expected, indent=2, ensure_ascii=False) + "\n")
    write("columns.json", json.dumps(columns, indent=2, ensure_ascii=False) + "\n")
    write("environment.txt", "".join(f"{line}\n" for line in sorted(locked(result))))
    result.plan.to_csv(folder / "folds.csv")
    _learners(result, folder)
    more = ""
    if data:
        rows.to_csv(folder / "data.csv", index=False)
        result.save(folder / "result.npz")
        more = "; `data.csv`: the data; `result.npz`: the result, for `pycvstat.load`"
    try:
        result.to_r(folder / "analysis.R", data=data)
    except PycvstatError as error:
        write("analysis.R", f"# {error.problem}\n")
    result.report(folder / "report.html", crosscheck=crosscheck or False)
    if crosscheck is not None:
        write("crosscheck.txt", crosscheck.summary() + "\n")
        more += "; `crosscheck.txt`: Python beside R"
    named = WITHOUT.format(columns=", ".join(map(str, rows.columns)))
    told = "The data are in `data.csv`." if data else named
    write("README.md", README.format(title=view.title, sentence=view.sentence(), data=told,
                                     argument="" if data else " data.csv", more=more))  # fmt: skip
    _package(folder)


def _package(folder: Path) -> None:
    """The package as it runs here, and its version for whoever asks."""
    import pycvstat
    from pycvstat.r.bridge.reference import path as reference

    ours = Path(pycvstat.__file__).parent
    unused = shutil.ignore_patterns("__pycache__", "*.pyc", "_r_reference")
    shutil.copytree(ours, folder / "pycvstat", ignore=unused, copy_function=shutil.copy)
    (folder / "pycvstat" / "_r_reference").mkdir()
    for file in reference().glob("*.R"):
        shutil.copy(file, folder / "pycvstat" / "_r_reference")
    about = folder / f"pycvstat-{pycvstat.__version__}.dist-info"
    about.mkdir()
    text = f"Metadata-Version: 2.1\nName: pycvstat\nVersion: {pycvstat.__version__}\n"
    (about / "METADATA").write_text(text, encoding="utf-8")


def analysis(result: Any) -> Iterator[str]:
    """The lines of Python that compute a result again."""
    for name, learner in learners_of(result).items():
        yield f"{name} = {source(learner) or f'''load_record(here / '{name}.npz').record'''}"
    plan = result.plan
    splitter = plan.splitter
    if plan.seed is not None and getattr(splitter, "random", plan.seed) is None:
        splitter = replace(splitter, random=plan.seed)
    drawn = "" if splitter is None or splitter.column else source(splitter)
    read = 'pcv.FoldPlan.from_csv(here / "folds.csv")'
    yield f"folds = {drawn or read}"
    call = view_of(result).python()
    more = "weights=weights, groups=groups"
    yield f"result = {call.format(data=f'{result.task.formula.text!r}, rows', more=more)}"
    yield ""


def learners_of(result: Any) -> dict[str, Any]:
    """The learners of a result by names of Python."""
    several = getattr(result, "results", None)
    if several is not None:
        return {f"learner_{i}": one.learner for i, one in enumerate(several.values(), start=1)}
    if not hasattr(result, "learner") or not hasattr(result, "plan"):
        fix = "use a result of cross_validate, tune, nested_cv, compare or one of the curves"
        raise InputError("this kind of result has no bundle.", given=type(result).__name__, fix=fix)
    return {"learner": result.learner}


def source(thing: Any) -> str:
    """The code of something of ours that its repr gives back; empty where it does not.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> source(pcv.KNN(k=5)), source(pcv.Repeated(pcv.KFold(5), 2, random=1))
    ('KNN(k=5)', 'Repeated(KFold(5), 2, random=1)')
    >>> source(len)
    ''
    """
    import pycvstat

    text = repr(thing)
    known = {name: getattr(pycvstat, name) for name in re.findall(r"\b[A-Z]\w*\b", text)
             if name in pycvstat.__all__} | {"range": range}  # fmt: skip
    try:
        again = _made(ast.parse(text, mode="eval").body, known)
    except Exception:  # whatever a repr that is no code can raise
        return ""
    return text if type(again) is type(thing) and repr(again) == text else ""


def _made(node: ast.AST, known: dict[str, Any]) -> Any:
    """What a text of constants, lists and calls of public names makes; nothing else is run."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        named = {str(word.arg): _made(word.value, known) for word in node.keywords}
        return known[node.func.id](*(_made(part, known) for part in node.args), **named)
    if isinstance(node, ast.Dict):
        keys, values = [key for key in node.keys if key is not None], node.values
        return {_made(k, known): _made(v, known) for k, v in zip(keys, values, strict=True)}
    if isinstance(node, ast.List | ast.Tuple):
        parts = [_made(part, known) for part in node.elts]
        return parts if isinstance(node, ast.List) else tuple(parts)
    return ast.literal_eval(node)


def _learners(result: Any, folder: Path) -> None:
    """Learners that no short code makes, as files without pickle."""
    from pycvstat.run.store import save

    for name, learner in learners_of(result).items():
        if not source(learner):
            save(folder / f"{name}.npz", "learner", learner)


def table_of_rows(task: Task) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """The rows that were used, with weights and groups, and what is needed to read them back."""
    frame = pd.DataFrame({name: task.frame[name].to_pandas() for name in task.frame.names})
    columns = []
    for name in frame.columns:
        kind = frame[name].dtype
        about: dict[str, Any] = {"name": name, "dtype": str(kind)}
        if isinstance(kind, pd.CategoricalDtype):
            about |= {"levels": [str(v) for v in kind.categories], "ordered": bool(kind.ordered)}
        columns.append(about)
    for name, values in ((WEIGHTS, task.weights), (GROUPS, task.groups)):
        if values is not None:
            frame[name] = values
            columns.append({"name": name, "dtype": str(frame[name].dtype)})
    return frame, columns


def read_rows(file: Path, columns: list[dict[str, Any]]) -> tuple[pd.DataFrame, Any, Any]:
    """Rows, weights and groups of a CSV, as they were."""
    words = ("category", "object", "str", "string")
    kinds = {c["name"]: str if c["dtype"] in words or c["dtype"].startswith("datetime")
             else c["dtype"] for c in columns}  # fmt: skip
    read: dict[str, Any] = {"dtype": kinds, "usecols": list(kinds), "keep_default_na": False}
    numbers = {name: ["", "NaN", "nan", "NA"] for name, kind in kinds.items() if kind is not str}
    rows = pd.read_csv(file, float_precision="round_trip", na_values=numbers, **read)[list(kinds)]
    for one in columns:
        name = one["name"]
        if "levels" in one:
            rows[name] = pd.Categorical(rows[name], one["levels"], ordered=one["ordered"])
        elif one["dtype"].startswith("datetime"):
            rows[name] = pd.to_datetime(rows[name])
    beside = [rows.pop(name).to_numpy() if name in kinds else None for name in (WEIGHTS, GROUPS)]
    return rows, beside[0], beside[1]


def values(result: Any) -> dict[str, Any]:
    """The numbers of a result, without words."""
    found = {name: plain_value(value) for name, value in view_of(result).numbers().items()}
    return {name: value for name, value in found.items() if isinstance(value, int | float)}


def compared(result: Any, expected: Mapping[str, Any]) -> list[str]:
    """What differs from what was expected, one line each."""
    found = []
    for what, now in (("data", result.task.fingerprint), ("folds", result.plan.fingerprint)):
        if now != expected[what]:
            found.append(f"other {what}: fingerprint {now[:12]}, not {expected[what][:12]}")
    numbers = values(result)
    for name, value in expected["numbers"].items():
        new = numbers.get(name)
        close = isinstance(value, float) and isinstance(new, float)
        same = abs(new - value) <= CLOSE * abs(value) if close else new == value
        found += [] if same else [f"{name}: {new}, not {value}"]
    return found


def locked(result: Any) -> set[str]:
    """This package's requirements and those of the learners, with their versions here."""
    roots = {type(getattr(one.base, "estimator", one.base)).__module__.partition(".")[0]
             for one in learners_of(result).values()} - {"pycvstat"}  # fmt: skip
    known = packages_distributions() if roots else {}
    todo = ["pycvstat", *(name for root in roots for name in known.get(root, []))]
    found: dict[str, str] = {}
    while todo:
        name = todo.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found:
            continue
        try:
            one = distribution(name)
        except PackageNotFoundError:
            continue  # of another system
        found[key] = one.version
        wanted = [text for text in one.requires or [] if "extra ==" not in text]
        todo += [re.match(r"[\w.-]+", text)[0] for text in wanted]  # type: ignore[index]
    found.pop("pycvstat")
    return {f"{name}=={number}" for name, number in found.items()}
