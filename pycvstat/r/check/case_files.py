"""A user's file of cases, and the outcome as build servers read it."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from os import PathLike
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from pycvstat.errors import InputError, telling
from pycvstat.r.check.case import Case
from pycvstat.r.check.crosscheck import Crosscheck


def cases_in(path: str | PathLike[str]) -> tuple[list[Case], str]:
    """The cases that a Python file defines, alone or in lists, and its docstring.

    The file is run, as ``python file.py`` runs it, with its directory on the path.

    Parameters
    ----------
    path : path

    Returns
    -------
    list of Case, str

    Raises
    ------
    InputError
        When it cannot be run or defines no case.
    """
    file = Path(path)
    if not file.is_file() or file.suffix.lower() != ".py":
        raise InputError(
            "there is no such file of cases.", given=str(path), fix="a .py file with cases = [...]"
        )
    spec = spec_from_file_location(f"cases_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.path.insert(0, str(file.absolute().parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a user's file raises whatever it does
        raise InputError("the file of cases stopped.", given=telling(error)) from error
    finally:
        sys.path.pop(0)
    found = {id(case): case for value in vars(module).values() for case in _cases(value)}
    if not found:
        raise InputError(
            "the file defines no case.", given=str(path), fix="cases = [pcv.Case(...), ...]"
        )
    return list(found.values()), (module.__doc__ or "").strip()


def _cases(value: Any) -> list[Case]:
    if isinstance(value, Case):
        return [value]
    return (
        [one for one in value if isinstance(one, Case)] if isinstance(value, list | tuple) else []
    )


def junit(check: Crosscheck, name: str = "crosscheck") -> str:
    """The outcome as JUnit XML: what differs is a failure, what was not compared an error.

    Examples
    --------
    >>> from pycvstat.r.check.call import compare_values
    >>> from pycvstat.rmath.tolerances import EXACT
    >>> text = junit(Crosscheck((compare_values("a < b", 1, 2, EXACT),)))
    >>> 'failures="1"' in text, "a &lt; b" in text
    (True, True)
    """
    words = [row.verdict for row in check.rows]
    counts = {"tests": len(words), "failures": words.count("differs")}
    counts["errors"] = words.count("not compared")
    head = {"name": name} | {k: str(n) for k, n in counts.items()}
    suite = ElementTree.Element("testsuite", head)
    for row in check.rows:
        case = ElementTree.SubElement(suite, "testcase", classname=name, name=row.quantity)
        if row.place:
            told = f"{row.place}: {row.python!r} in Python, {row.r!r} in R"
            ElementTree.SubElement(case, "failure", message=_xml(told))
        elif row.why_not:
            ElementTree.SubElement(case, "error", message=_xml(row.why_not))
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return "".join(c if c.isprintable() else "?" for c in text)
