"""The reference: which public names there are, by group, and the page of each."""

from __future__ import annotations

import inspect
import pkgutil
import re
import types
from collections.abc import Iterator
from typing import Any

import pycvstat as pcv

RESULTS = (
    "procedures.cross_validate.CVResult",
    "procedures.partitioned.PartitionedResult",
    "procedures.bootstrapped.BootstrapResult",
    "procedures.tune.TuneResult",
    "procedures.nested.NestedResult",
    "procedures.compare.Comparison",
    "procedures.stability.Stability",
    "procedures.multiverse.Multiverse",
    "intervals.confidence_set.ConfidenceSet",
    "procedures.error_curve.ErrorCurve",
    "procedures.learning_curve.LearningCurve",
    "procedures.audit.Audit",
    "intervals.from_losses.LossResult",
    "intervals.paired.Paired",
    "report.etable.SideBySide",
    "verbs.Shown",
    "verbs.Verbs",
    "verbs.EstimateVerbs",
)
GROUPS = {
    "Procedures": (
        "procedures",
        "intervals.from_losses",
        "report.assemble",
        "report.etable",
        "verbs",
    ),
    "Results": (),
    "Folds": ("folds",),
    "Learners": ("learners",),
    "Intervals": ("intervals",),
    "Losses": ("losses",),
    "Simulations with known risks": ("simulate",),
    "The course's functions": ("r.lecture",),
    "Functions of R packages": (
        "r.boot",
        "r.caret",
        "r.class_",
        "r.cv",
        "r.e1071",
        "r.FNN",
        "r.glmnet",
        "r.kknn",
        "r.rsample",
        "r.session",
    ),
    "R": ("r.check", "rmath"),
    "Published numbers": ("r.gallery",),
    "Example data": ("data",),
    "Errors": ("errors",),
}
Entry = tuple[str, Any]


def public_names() -> dict[str, list[Entry]]:
    """Every public name by group: those of the package, then those of its public modules."""
    groups: dict[str, list[Entry]] = {title: [] for title in GROUPS}
    seen: set[int] = set()
    for name, value in _all_names():
        if id(value) not in seen:
            seen.add(id(value))
            groups[_group(value, name)].append((name, value))
    groups["Results"] = [(path, pkgutil.resolve_name(f"pycvstat.{path}")) for path in RESULTS]
    return groups


def _all_names() -> Iterator[Entry]:
    modules = [(n, getattr(pcv, n)) for n in pcv.__all__]
    yield from ((f"pcv.{n}", v) for n, v in modules if not isinstance(v, types.ModuleType))
    modules += [(f"r.{n}", getattr(pcv.r, n)) for n in pcv.r.__all__]
    for n, module in modules:
        if isinstance(module, types.ModuleType):
            yield from ((f"pcv.{n}.{name}", getattr(module, name)) for name in _names_of(module))


def _names_of(module: types.ModuleType) -> list[str]:
    own = [n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__]
    names = [n for n in getattr(module, "__all__", own) if not n.startswith("_")]
    return [n for n in names if not isinstance(getattr(module, n), types.ModuleType)]


def _group(value: Any, name: str) -> str:
    home = getattr(value, "__module__", None) or name
    home = home.removeprefix("pycvstat.").removeprefix("pcv.")
    for title, rooms in GROUPS.items():
        if any(home == room or home.startswith(f"{room}.") for room in rooms):
            return title
    raise LookupError(f"{name} belongs to no group of the reference")


def path_of(name: str) -> str:
    """Where a name is found, as Python would say it: also the name of its page."""
    return f"pycvstat.{name.removeprefix('pcv.')}"


def short(name: str, group: str) -> str:
    """A name as it is listed: results by the class alone."""
    return name.rsplit(".", 1)[-1] if group == "Results" else name.removeprefix("pcv.")


def page(name: str, value: Any, group: str) -> str:
    """The page of a public name, for autodoc."""
    title = f"``{short(name, group)}``"
    return f"{title}\n{'=' * len(title)}\n\n{_body(path_of(name), value)}\n"


def _body(path: str, value: Any) -> str:
    if inspect.isclass(value):
        kind = "exception" if issubclass(value, BaseException) else "class"
        return f".. auto{kind}:: {path}\n   :members:"
    if callable(value) and hasattr(value, "__name__"):
        return f".. autofunction:: {path}"
    return f".. py:data:: {path}\n\n   {_constant(value)}"


def _constant(value: Any) -> str:
    if isinstance(value, dict):
        return "A table of: " + ", ".join(f"``{key}``" for key in value) + "."
    return f"``{re.sub(r'typing[.]', '', str(value))}``"


def listing() -> str:
    """All public names by group, each with the first sentence of its docstring, as Markdown."""
    parts = []
    for group, entries in public_names().items():
        pages = "\n".join(f"reference/{path_of(name)}" for name, _ in entries)
        parts.append(f"## {group}\n\n```{{toctree}}\n:hidden:\n\n{pages}\n```")
        parts += [
            f"- [`{short(name, group)}`](reference/{path_of(name)}.rst){_first(value)}"
            for name, value in entries
        ]
    return "\n".join(parts)


def _first(value: Any) -> str:
    """The first sentence of a docstring."""
    if not callable(value):
        return ""
    said = " ".join(inspect.getdoc(value).partition("\n\n")[0].split())
    return ": " + re.sub(
        r"([*_$<\[])", r"\\\1", re.sub(r":\w+:`~?([^`]*)`", r"\1", said.replace("``", ""))
    )
