"""The parts of an R value, which a file, a running R and R code have in common.

rpy2's own pandas converter turns an integer NA into -2147483648 and dates into floats, so it is
not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pycvstat.errors import RError

NA_INTEGER = -(2**31)
NA_REAL = np.array([0x7FF80000000007A2], dtype=np.uint64).view(np.float64)[0]
WIDTH = 96  # of R code

# a data frame whose columns that are matrices or frames are as many columns, as R prints them
_FLAT = """function(frame) do.call(data.frame, c(check.names = FALSE, lapply(frame,
  function(part) if (is.matrix(part)) unclass(part) else part)))"""
# the value comes in a list, because R would evaluate a call or a symbol given by itself
_PRINTED = "function(holder) utils::capture.output(print(holder[[1]]))"
_READ = ("names", "dim", "dimnames", "class", "levels", "tzone", "units", "row.names")


@dataclass(slots=True, eq=False)
class RObject:
    """An R value in its parts, from a file, from a running R, or of a Python value.

    Attributes
    ----------
    kind : str
        "NULL", "logical", "integer", "double", "complex", "character", "list", "raw", or the
        name of something that has no data ("closure", "environment", ...).
    values : object
        An array, or a list of `RObject` or texts (None: NA).
    attributes : dict
        Attribute name to `RObject`.
    s4 : bool
        Whether it is of an S4 class, so that its attributes are slots.
    sexp : object
        The value in the running R that it comes from.
    text : str
        What R prints for a value without data.
    """

    kind: str
    values: Any = None
    attributes: dict[str, RObject] = field(default_factory=dict)
    s4: bool = False
    sexp: Any = field(default=None, repr=False)
    text: str = ""

    @property
    def r_class(self) -> tuple[str, ...]:
        """The class attribute; empty when there is none."""
        return tuple(name or "NA" for name in self.texts("class"))

    def texts(self, name: str) -> list[str | None]:
        """The texts of an attribute; empty when there are none."""
        found = self.attributes.get(name)
        return list(found.values) if found is not None and found.kind == "character" else []


@dataclass(frozen=True, slots=True, eq=False)
class RValue:
    """Something only R can hold (a function, a formula, an environment, an S4 object).

    It can be printed and handed back to R; nothing else.

    Attributes
    ----------
    r_class : tuple of str
        The R class, as ``class(x)`` gives it.
    text : str
        What R prints for it.
    """

    r_class: tuple[str, ...]
    text: str
    sexp: Any = field(repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, eq=False)
class RList:
    """An R list that has a class, or names that a dict cannot hold.

    Elements are found by name (the first of that name) or by 0-based position. Handed back to
    R it is the original list, with all its attributes.

    Attributes
    ----------
    values : tuple
        The elements.
    names : tuple of str
        Their names; "" where R has none.
    r_class : tuple of str
        The R class, as ``class(x)`` gives it; ``("list",)`` for a plain list.

    Examples
    --------
    >>> fit = RList((3.0, None), ("coef", "call"), ("lm",))
    >>> fit["coef"], fit[0], fit.r_class
    (3.0, 3.0, ('lm',))
    """

    values: tuple[object, ...]
    names: tuple[str, ...]
    r_class: tuple[str, ...]
    sexp: Any = field(default=None, repr=False)

    def __getitem__(self, key: str | int) -> object:
        if isinstance(key, int):
            return self.values[key]
        if key not in self.names:
            raise KeyError(f"{key!r}; the names are: {', '.join(self.names) or 'none'}")
        return self.values[self.names.index(key)]

    def __iter__(self) -> Iterator[object]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)


def r_text(value: object) -> str:
    """The text of a value, when R can hold it.

    Examples
    --------
    >>> r_text("a"), r_text(1)
    ('a', '1')
    """
    text = str(value)
    if "\0" in text:
        fix = "take it out: text.replace(chr(0), '')"
        raise RError("R cannot hold a text with a NUL character.", given=f"{text!r:.80}", fix=fix)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise RError(
                "R cannot hold a text with half of a character (a lone surrogate).",
                given=f"{text!r:.80}",
                fix='read it again with the right encoding, or with errors="replace"',
            ) from None
    return text


def from_sexp(value: Any) -> RObject:
    """The parts of a value of the running R; what is not data has none, but is kept."""
    from rpy2 import rinterface as ri

    if isinstance(value, ri.NULLType):
        return RObject("NULL")
    if isinstance(value, ri.ListSexpVector):
        return _list_from_sexp(value)
    not_data = ri.LangSexpVector, ri.ExprSexpVector, ri.PairlistSexpVector
    if not isinstance(value, ri.SexpVector) or isinstance(value, not_data):
        lines = ri.evalr(_PRINTED)(ri.ListSexpVector.from_iterable([value]))
        return RObject("no data", sexp=value, text="\n".join(str(line) for line in lines))
    kind, values = _vector_from_sexp(value)
    s4 = "class" in value.list_attrs() and bool(ri.evalr("isS4")(value)[0])
    return RObject(kind, values, _attributes(value), s4, value)


def _list_from_sexp(value: Any) -> RObject:
    from rpy2 import rinterface as ri

    classes = tuple(value.rclass)
    if "POSIXlt" in classes:
        return from_sexp(ri.evalr("as.POSIXct")(value))
    if "data.frame" in classes and any(
        "dim" in part.list_attrs() or "data.frame" in part.rclass for part in value
    ):
        value = ri.evalr(_FLAT)(value)
    return RObject("list", [from_sexp(part) for part in value], _attributes(value), sexp=value)


def _vector_from_sexp(value: Any) -> tuple[str, Any]:
    from rpy2 import rinterface as ri

    if isinstance(value, ri.StrSexpVector):
        return "character", [None if text is ri.NA_Character else str(text) for text in value]
    if isinstance(value, ri.ComplexSexpVector):
        return "complex", np.array(list(value), dtype=complex)
    if isinstance(value, ri.ByteSexpVector):
        return "raw", np.frombuffer(bytes(value), dtype=np.uint8)
    kinds = {ri.BoolSexpVector: "logical", ri.IntSexpVector: "integer"}
    kind = next((name for of, name in kinds.items() if isinstance(value, of)), "double")
    if not len(value):  # rpy2 cannot view what is empty
        return kind, np.array([], dtype=float if kind == "double" else np.int32)
    return kind, np.array(value.memoryview()).ravel(order="F")  # a matrix column by column


def _attributes(value: Any) -> dict[str, RObject]:
    """Those that make a difference in Python; of the others only their names."""
    return {
        name: from_sexp(value.do_slot(name)) if name in _READ else RObject("not read")
        for name in value.list_attrs()
    }


def to_sexp(item: RObject) -> Any:
    """The value in the running R."""
    from rpy2 import rinterface as ri

    if item.sexp is not None:
        return item.sexp
    values, made = item.values, ri.NULL
    if item.kind == "logical":
        made = ri.BoolSexpVector([ri.NA_Logical if x == NA_INTEGER else bool(x) for x in values])
    elif item.kind == "integer":
        made = ri.IntSexpVector.from_memoryview(values.data)
    elif item.kind == "double":
        made = ri.FloatSexpVector.from_memoryview(values.data)
    elif item.kind == "complex":
        made = ri.ComplexSexpVector.from_iterable(values.tolist())
    elif item.kind == "character":
        made = ri.StrSexpVector([ri.NA_Character if text is None else text for text in values])
    elif item.kind == "raw":
        made = ri.ByteSexpVector(values.tobytes())
    elif item.kind == "list":
        made = ri.ListSexpVector.from_iterable([to_sexp(part) for part in values])
    for name, attribute in item.attributes.items():
        made = ri.baseenv["attr<-"](made, ri.StrSexpVector([name]), to_sexp(attribute))
    return made


def to_code(item: RObject) -> str:
    r"""R code that gives the value back exactly; nothing in it can become another code.

    Examples
    --------
    >>> to_code(RObject("character", ['a"; system("x")', None]))
    'c("a\\"; system(\\"x\\")", NA)'
    """
    if item.sexp is not None:
        raise RError("A value of the running R cannot be written as R code.", given=item.text)
    if item.kind == "NULL":
        return "NULL"
    names, pieces = item.texts("names"), list(map(_PIECES[item.kind], item.values))
    if names:
        pieces = [f"{_name(name)} = {piece}" for name, piece in zip(names, pieces, strict=True)]
    if item.kind == "list":
        code = f"list({', '.join(pieces)})"
        if len(code) > WIDTH or "\n" in code:
            code = "list(\n  " + ",\n  ".join(pieces) + ")"
    elif len(pieces) == 1 and not names:
        code = pieces[0]
    else:
        code = _wrapped(pieces) if pieces else f"{item.kind}(0)"
    attributes = [
        f"row.names = seq_len({len(part.values)})"
        if name == "row.names" and part.kind == "integer"
        else f"{name} = {to_code(part)}"
        for name, part in item.attributes.items()
        if name != "names"
    ]
    between = ",\n  " if item.kind == "list" else ", "
    return f"structure({code}{between}{', '.join(attributes)})" if attributes else code


def rounded(item: RObject) -> str:
    """The value in words, its numbers to 12 digits: what a checksum of data is taken of.

    Examples
    --------
    >>> rounded(RObject("double", [0.1 + 0.2, 2.0]))
    'double(0.3,2)'
    """
    values = item.values if item.sexp is None and item.values is not None else [item.text]
    how: Callable[[Any], str] = {"double": "{:.12g}".format, "list": rounded}.get(item.kind, repr)
    if item.kind == "integer":
        how = str
    more = [f"{name}={rounded(part)}" for name, part in item.attributes.items()]
    return f"{item.kind}({','.join([*map(how, values), *more])})"


def _wrapped(items: Sequence[str]) -> str:
    """``c(...)`` over several lines."""
    lines, line = [], "c("
    for i, item in enumerate(items):
        piece = item + ("" if i == len(items) - 1 else ", ")
        if len(line) + len(piece) > WIDTH:
            lines.append(line.rstrip())
            line = "    "
        line += piece
    return "\n".join([*lines, line + ")"])


def _name(name: str | None) -> str:
    """The name of a part of a list."""
    from pycvstat.data.formula.syntax import is_syntactic

    known = name or ""
    return known if is_syntactic(known) and known.isascii() else _quoted(known)


def _number(value: float) -> str:
    """A number that R reads back exactly."""
    if np.isnan(value):
        return "NA" if np.float64(value).view(np.uint64) & 0xFFFFFFFF == 1954 else "NaN"
    return format(value, ".17g") if np.isfinite(value) else "Inf" if value > 0 else "-Inf"


def _quoted(text: str | None) -> str:
    """A string literal of R in which nothing can end the string."""
    if text is None:
        return "NA"
    escaped = []
    for character in text:
        code = ord(character)
        if character in '"\\':
            escaped.append("\\" + character)
        elif 32 <= code < 127:
            escaped.append(character)
        else:
            escaped.append(f"\\U{{{code:x}}}" if code > 0xFFFF else f"\\u{{{code:x}}}")
    return '"' + "".join(escaped) + '"'


_PIECES: dict[str, Callable[[Any], str]] = {
    "logical": lambda x: "NA" if x == NA_INTEGER else "TRUE" if x else "FALSE",
    "integer": lambda x: "NA" if x == NA_INTEGER else f"{int(x)}L",
    "double": _number,
    "complex": lambda x: f"complex(real = {_number(x.real)}, imaginary = {_number(x.imag)})",
    "character": _quoted,
    "raw": lambda x: f"as.raw({int(x)})",
    "list": to_code,
}
