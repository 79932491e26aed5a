"""A case: what Python and R compute from the same data, how close both must be; files of them."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import module_from_spec, spec_from_file_location
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from pycvstat.errors import InputError, PycvstatError, RError, telling
from pycvstat.errors.checks import is_number
from pycvstat.r.bridge.to_r import as_parts
from pycvstat.r.check.call import Call, Row, call_of
from pycvstat.r.check.values import read, side_by_side
from pycvstat.rmath.tolerances import EXACT, Tolerance

if TYPE_CHECKING:
    from pycvstat.r.check.crosscheck import Crosscheck


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Something that Python and R compute from the same data.

    Parameters
    ----------
    name : str
    python : callable or value
        What Python computes: numbers, words, logicals, arrays, categories, data frames, and lists
        and dicts of these. A callable is called with `data`, by name.
    r : str or path
        R code of the same value, or a file of it (ending in ``.R``).
    data : mapping, optional
        What both use, by name.
    rtol : float
        How far the two may be apart, relative to the larger of both; or a `Tolerance`.
    because : str
        Why they may be apart: every tolerance has its reason.
    packages : sequence of str
        R packages that the code needs; their versions are noted.
    files : sequence of str
        Files of this package's R functions that the code needs.
    group : str
        A heading under which it is counted.

    Notes
    -----
    Columns of data frames and parts of lists are compared by name, everything else in its order;
    a factor by its levels too. NaN agrees with NaN and with R's NA, which numbers of Python do
    not tell apart. Without `r`, `python` gives a result of this package, whose R call is known.

    Examples
    --------
    >>> case = Case("trimmed mean", lambda x: sum(sorted(x)[1:-1]) / 3, "mean(x, trim = 0.2)",
    ...             {"x": [1.0, 2.0, 4.0, 5.0, 90.0]}, rtol=1e-12, because="sums")
    >>> [row.verdict for row in case.pose().beside(11 / 3)]
    ['agrees']
    """

    name: str
    python: Any = field(default=None, metadata={"spare": True})  # a file keeps no function
    r: str | Path = ""
    data: Mapping[str, Any] | None = None
    rtol: float | Tolerance = EXACT
    because: str = ""
    packages: Sequence[str] = ()
    files: Sequence[str] = ()
    group: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError("a case has a name.", given=repr(self.name))
        given: Any = {} if self.data is None else self.data
        object.__setattr__(self, "data", given)
        if not isinstance(given, Mapping) or not all(isinstance(n, str) for n in given):
            problem = f"the data of the case {self.name!r} must have names."
            fix = 'data={"x": x}: the R code uses them by these names'
            raise InputError(problem, given=type(given).__name__, fix=fix)
        if isinstance(self.packages, str):
            object.__setattr__(self, "packages", (self.packages,))
        _check_tolerance(self)

    @property
    def tolerance(self) -> Tolerance:
        """How close the two must be, and why."""
        if isinstance(self.rtol, Tolerance):
            return self.rtol
        return Tolerance(float(self.rtol), self.because or EXACT.reason)

    @property
    def code(self) -> str:
        """The R code."""
        file = Path(self.r)
        if not isinstance(self.r, Path) and not (str(self.r).endswith(".R") and file.is_file()):
            return str(self.r)
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError("the R code cannot be read.", given=f"{file}: {error}") from None

    @property
    def source(self) -> str:
        """The Python code, where it can be found."""
        if not callable(self.python):
            return repr(self.python)
        try:
            return textwrap.dedent(inspect.getsource(self.python)).strip()
        except (OSError, TypeError):
            return str(getattr(self.python, "__name__", self.python))

    def pose(self) -> Call:
        """The call of R, with what Python computes.

        Raises
        ------
        PycvstatError
            When Python fails, or R cannot hold the data: before R starts.
        """
        data: Mapping[str, Any] = self.data or {}
        for name, value in data.items():
            try:
                as_parts(value)
            except RError as error:
                raise error.at(f"{name!r} in the data of {self.name!r}") from None
        ours = self.python
        if callable(ours):
            try:
                ours = _called(ours, data)
            except PycvstatError:
                raise
            except Exception as error:  # the user's function raises whatever it does
                raise InputError("Python stopped.", given=telling(error)) from error
        if not self.r:
            return ours if isinstance(ours, Call) else call_of(ours)
        return Whole(
            self.code,
            data,
            (),
            files=tuple(self.files),
            packages=tuple(self.packages),
            ours=read(ours),
            tolerance=self.tolerance,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Whole(Call):
    """A call of R all of whose value is compared.

    Parameters
    ----------
    ours : object
        The value of Python.
    tolerance : Tolerance
    """

    ours: Any = None
    tolerance: Tolerance = EXACT

    def bare(self) -> Whole:
        """Without Python's value, which no other process needs."""
        return replace(self, ours=None)

    def kept(self, r: Any) -> Any:
        """All of it."""
        return r

    def read(self, kept: Any) -> Any:
        """All of it."""
        return kept

    def beside(self, r: Any) -> list[Row]:
        """Both values, vector by vector."""
        return side_by_side("", self.ours, r, self.tolerance)


def _check_tolerance(case: Case) -> None:
    rtol = case.rtol
    if isinstance(rtol, Tolerance):
        return
    if not (is_number(rtol) and 0 <= rtol < 1):
        raise InputError(
            f"rtol of the case {case.name!r} must be a number from 0 to below 1.",
            given=repr(rtol),
            fix='rtol=1e-12, because="sums in another order"',
        )
    if rtol and not case.because.strip():
        fix = 'because="an iterative fit", or rtol=0 for the same digits'
        given = f"rtol={rtol:g}"
        raise InputError(f"a tolerance needs a reason: case {case.name!r}.", given=given, fix=fix)


def _called(function: Callable[..., Any], data: Mapping[str, Any]) -> Any:
    """The function of the data: by name, or in their order where it calls them otherwise."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return function(*data.values())
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return function(**data)
    wanted = {p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL}
    by_place = any(p.kind is p.POSITIONAL_ONLY for p in parameters)
    if by_place or (not wanted <= set(data) and len(wanted) == len(data)):
        return function(*data.values())
    known = {p.name for p in parameters}
    return function(**{name: value for name, value in data.items() if name in known})


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
    >>> from pycvstat.r.check.crosscheck import Crosscheck
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
