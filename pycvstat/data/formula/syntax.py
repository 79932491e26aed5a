"""The nodes of a formula, and how R writes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

RESERVED = frozenset(
    {"if", "else", "repeat", "while", "function", "for", "next", "break", "in", "..."}
    | {"TRUE", "FALSE", "NULL", "Inf", "NaN", "NA"}
    | {"NA_integer_", "NA_real_", "NA_character_", "NA_complex_"}
)
SPACED = frozenset({"+", "-", "*", "<", ">", "<=", ">=", "==", "!=", "&", "|", "%in%"})


@dataclass(frozen=True, slots=True)
class Number:
    """A number; `integer` when it was written with R's suffix L."""

    value: float
    integer: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """A quoted string."""

    value: str


@dataclass(frozen=True, slots=True)
class Constant:
    """TRUE, FALSE, Inf or pi, as it was spelled (T and F too, when no column has that name)."""

    value: float | bool
    spelled: str


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a column, or `.` for all of them when not in backticks."""

    name: str
    dot: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments; an argument's name is None when it has none."""

    function: str
    arguments: tuple[tuple[str | None, Node], ...]


@dataclass(frozen=True, slots=True)
class Unary:
    """A sign or a negation before an expression."""

    operator: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator between two expressions."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Paren:
    """An expression in parentheses, which R keeps."""

    inner: Node


Node: TypeAlias = Number | Text | Constant | Name | Call | Unary | Binary | Paren


def children(node: Node) -> tuple[Node, ...]:
    """The parts of an expression."""
    if isinstance(node, Call):
        return tuple(argument for _, argument in node.arguments)
    if isinstance(node, Binary):
        return node.left, node.right
    if isinstance(node, Unary):
        return (node.operand,)
    return (node.inner,) if isinstance(node, Paren) else ()


def walk(node: Node) -> Iterator[tuple[Node, int]]:
    """Every part of an expression with its depth, left to right, without recursion."""
    waiting = [(node, 0)]
    while waiting:
        part, depth = waiting.pop()
        yield part, depth
        waiting.extend((child, depth + 1) for child in reversed(children(part)))


def columns_in(node: Node) -> tuple[str, ...]:
    """The names of columns in an expression, each once, left to right."""
    if isinstance(node, Name):
        return (node.name,)
    return tuple(dict.fromkeys(part.name for part, _ in walk(node) if isinstance(part, Name)))


def deparse(node: Node) -> str:
    """How R writes an expression: the labels of terms and columns depend on it."""
    match node:
        case Number(value, integer):
            return str(int(value)) if integer else number(value)
        case Text(value):
            return f'"{escape(value, chr(34))}"'
        case Constant():
            return node.spelled
        case Name(name):
            return "." if node.dot else quote(name)
        case Call(function, arguments):
            return f"{function}({', '.join(_argument(*a) for a in arguments)})"
        case Unary(operator, operand):
            return f"{operator}{deparse(operand)}"
        case Binary(operator, left, right):
            gap = " " if operator in SPACED else ""
            return f"{deparse(left)}{gap}{operator}{gap}{deparse(right)}"
        case Paren(inner):
            return f"({deparse(inner)})"


def _argument(name: str | None, value: Node) -> str:
    return deparse(value) if name is None else f"{quote(name)} = {deparse(value)}"


def number(value: float) -> str:
    """A number with up to 15 digits, fixed unless the scientific form is shorter, as R does."""
    if value in (float("inf"), float("-inf")):
        return "Inf" if value > 0 else "-Inf"
    mantissa, exponent = f"{value:.14e}".split("e")
    digits = mantissa.rstrip("0").rstrip(".")
    scientific = f"{digits}e{int(exponent):+03d}"
    decimals = max(0, len(digits.lstrip("-").replace(".", "")) - 1 - int(exponent))
    fixed = f"{value:.{decimals}f}"
    return fixed if len(fixed) <= len(scientific) else scientific


def is_syntactic(name: str) -> bool:
    """Whether R needs no backticks around a name."""
    if name in RESERVED or not name or (name[:2] == ".." and name[2:].isdecimal()):
        return False
    if not (name[0].isalpha() or name[0] == ".") or (name[0] == "." and name[1:2].isdecimal()):
        return False
    return all(c.isalpha() or c.isdecimal() or c in "._" for c in name)


def quote(name: str) -> str:
    """A column's name as it must be written in a formula.

    Examples
    --------
    >>> quote("age"), quote("body mass")
    ('age', '`body mass`')
    """
    if is_syntactic(name) and name != ".":
        return name
    return f"`{escape(name, '`')}`"


ESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def escape(text: str, mark: str) -> str:
    """Text between marks, with what R escapes escaped."""
    return "".join(f"\\{c}" if c == mark else ESCAPES.get(c, c) for c in text)


def unescape(text: str) -> str:
    """The inverse of `escape`."""
    plain = {written[1]: c for c, written in ESCAPES.items()}
    made, letters = [], iter(text)
    for c in letters:
        following = next(letters, "") if c == "\\" else c
        made.append(plain.get(following, following) if c == "\\" else c)
    return "".join(made)
