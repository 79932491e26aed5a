"""The reference: every public name with its signature and docstring, as Markdown."""

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
    "Procedures": ("procedures", "intervals.from_losses", "report.etable", "verbs"),
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
HEADINGS = (
    "Parameters", "Returns", "Yields", "Raises", "Warns", "Attributes", "See Also", "Notes",
    "References", "Examples",
)  # fmt: skip
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


def reference_markdown() -> str:
    """The whole reference."""
    parts = [
        "# Reference",
        "Every public name; `pcv` is `import pycvstat as pcv`. Every example is run by the tests.",
    ]
    groups = public_names()
    for title, entries in groups.items():
        links = ", ".join(f"[`{_short(name)}`](#{_anchor(name)})" for name, _ in entries)
        parts.append(f"**{title}:** {links}")
    for title, entries in groups.items():
        parts.append(f"## {title}")
        for name, value in entries:
            parts += _entry(name, value)
    return "\n\n".join(parts)


def _short(name: str) -> str:
    return name.rsplit(".", 1)[-1]


def _anchor(name: str) -> str:
    return name.replace(".", "-")


def _entry(name: str, value: Any) -> list[str]:
    found = [f"### `{name}` {{#{_anchor(name)}}}"]
    if not callable(value):
        return [*found, _constant(value)]
    found += [f"```python\n{_signature(name, value)}\n```", *_docstring(value)]
    if inspect.isclass(value):
        for method, function in _methods(value):
            found.append(f"#### `.{method}` {{#{_anchor(name)}-{method}}}")
            if not isinstance(function, property):
                found.append(f"```python\n{_signature(method, function)}\n```")
            found += _docstring(function)
    return found


def _constant(value: Any) -> str:
    if isinstance(value, dict):
        return "A table of: " + ", ".join(f"`{key}`" for key in value) + "."
    text = re.sub(r"typing\.", "", str(value))
    return f"`{text}`"


def _methods(value: Any) -> Iterator[Entry]:
    """Public methods that the class itself defines and describes."""
    for name, member in vars(value).items():
        plain = getattr(member, "__func__", member)
        described = isinstance(plain, types.FunctionType | property) and plain.__doc__
        if described and not name.startswith("_"):
            yield name, plain


def _signature(name: str, value: Any) -> str:
    """The call without types, which the docstring names."""
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except ValueError:
        return _short(name)
    shown, starred = [], False
    for p in parameters:
        if p.name == "self":
            continue
        if p.kind is p.KEYWORD_ONLY and not starred:
            shown.append("*")
        starred = starred or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        shown.append(_argument(p))
    one = f"{_short(name)}({', '.join(shown)})"
    indent = ",\n    "
    return one if len(one) <= 92 else f"{_short(name)}(\n    {indent.join(shown)},\n)"


def _argument(p: inspect.Parameter) -> str:
    stars = "*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else ""
    if p.default is p.empty:
        return f"{stars}{p.name}"
    default = repr(p.default)
    return f"{p.name}={'...' if default.startswith('<') else default}"


def _docstring(value: Any) -> Iterator[str]:
    """The docstring as Markdown: text, lists, examples as code."""
    sections = split_sections(inspect.getdoc(value) or "")
    for heading, text in sections:
        if heading:
            yield f"**{heading}**"
        if heading == "Examples":
            yield f"```python\n{text}\n```"
        elif heading in ("Parameters", "Returns", "Raises", "Warns", "Yields", "Attributes"):
            yield _definitions(text)
        elif text:
            yield _marked(text)


def split_sections(doc: str) -> list[tuple[str, str]]:
    """(heading, text) of a numpydoc docstring; the first heading is empty.

    >>> split_sections("Sum.\\n\\nExamples\\n--------\\n>>> 1")
    [('', 'Sum.'), ('Examples', '>>> 1')]
    """
    pattern = rf"^({'|'.join(HEADINGS)})\n-+\n"
    pieces = re.split(pattern, doc, flags=re.MULTILINE)
    heads = ["", *pieces[1::2]]
    return [(h, t.strip("\n").rstrip()) for h, t in zip(heads, pieces[0::2], strict=True)]


def _definitions(text: str) -> str:
    """ "name : type" with an indented description, as a list."""
    entries: list[list[str]] = []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            entries.append([line])
        elif entries:
            entries[-1].append(line.strip())
    return "\n".join(_definition(head, rest) for head, *rest in entries)


def _definition(head: str, rest: list[str]) -> str:
    name, _, kind = head.partition(" : ")
    shown = f"`{kind}`" if '"' in kind else _marked(kind)
    term = f"- `{name}`" + (f" ({shown})" if kind else "")
    text = _marked(" ".join(rest).strip())
    return f"{term}: {text}" if text else term


def _marked(text: str) -> str:
    """Text of a docstring as Markdown: roles and double backticks become code."""
    text = re.sub(r":[a-z]+:`~?([^`]*)`", r"`\1`", text)
    text = text.replace("``", "`")
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([*_$\\<>^~])", r"\\\1", p) for p in parts)
