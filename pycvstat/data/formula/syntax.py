"""From the text of a formula to its nodes, and back as R writes them; nothing is executed."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from pycvstat.errors import FormulaError
from pycvstat.rmath.arithmetic import as_character

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
        case Name(name):
            return "." if node.dot else quote(name)
        case Number(value, integer):
            return str(int(value)) if integer else as_character(value)
        case Text(value):
            return f'"{escape(value, chr(34))}"'
        case Constant():
            return node.spelled
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


@lru_cache(maxsize=1024)
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


DEEPEST = 50
CONSTANTS = {"TRUE": True, "FALSE": False, "Inf": math.inf}
UNLESS_COLUMNS = {"T": True, "F": False, "pi": math.pi}
# R's precedence, low to high; unary minus and ^ bind tighter than all of these
OPERATORS = ("|", "&", "< > <= >= == !=", "+ -", "* /", "%in% %% %/%", ":")
PRECEDENCE = {one: rank for rank, some in enumerate(OPERATORS, start=1) for one in some.split()}
COMPARISON = PRECEDENCE["<"]
NOT = PRECEDENCE["&"]  # what binds tighter than it is negated together

TOKENS = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<number>0[xX][0-9a-fA-F]+L? | (?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?L?)
  | (?P<name>(?:[^\W\d]|\.(?![0-9]))[\w.]*)
  | (?P<backtick>`(?:[^`\\]|\\.)+`)
  | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<operator>%in%|\*\*|%%|%/%|<=|>=|==|!=|[-+*/^:~()<>!&|,=])
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text and where it starts."""

    kind: str
    text: str
    start: int


def sides(text: str, names: Collection[str] = ()) -> tuple[Node, Node]:
    """The left and the right side of a formula; T, F and pi are constants unless in `names`.

    Examples
    --------
    >>> sides("y ~ x")
    (Name(name='y', dot=False), Name(name='x', dot=False))
    """
    if not isinstance(text, str):
        raise FormulaError(
            "A formula must be text.", given=type(text).__name__, fix='write it as "y ~ a + b"'
        )
    tokens = _tokens(text)
    tildes = sum(token.text == "~" for token in tokens)
    if tildes != 1:
        problem = "The formula has no ~." if tildes == 0 else "The formula has more than one ~."
        raise FormulaError(problem, given=text, fix='write it as "response ~ terms"')
    return _Parser(text, tokens, names).formula()


def _tokens(text: str) -> list[Token]:
    tokens, place = [], 0
    while place < len(text):
        found = TOKENS.match(text, place)
        if found is None:
            raise _unreadable(text, place)
        if found.lastgroup != "space":
            written = "^" if found.group() == "**" else found.group()  # as R reads it
            tokens.append(Token(str(found.lastgroup), written, place))
        place = found.end()
    return [*tokens, Token("end", "", len(text))]


def _unreadable(text: str, place: int) -> FormulaError:
    if text[place] in "`\"'":
        return FormulaError(
            "A quoted name is empty or not closed.", given=_mark(text, place), fix="close it"
        )
    problem = f"The character {text[place]!r} has no meaning in a formula."
    fix = "put column names with unusual characters in backticks: `body mass`"
    return FormulaError(problem, given=_mark(text, place), fix=fix)


def _mark(text: str, place: int) -> str:
    """A short stretch of the text with a pointer under the place."""
    first = max(0, place - 40)
    shown = re.sub(r"\s", " ", text[first : place + 20])
    return f"{shown}\n         {' ' * (place - first)}^"


class _Parser:
    """Recursive descent over the tokens; precedence climbing for the operators."""

    def __init__(self, text: str, tokens: list[Token], names: Collection[str]) -> None:
        self.text, self.tokens, self.place, self.depth = text, tokens, 0, 0
        self.constants = CONSTANTS | {k: v for k, v in UNLESS_COLUMNS.items() if k not in names}

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def formula(self) -> tuple[Node, Node]:
        if self._is("~"):
            raise self._fault("The formula has no response.", "name it left of the ~")
        left = self.expression()
        self._expect("~")
        if self.next.kind == "end":
            raise self._fault("The right side of the formula is empty.", 'write "y ~ ." for all')
        right = self.expression()
        if self.next.kind != "end":
            raise self._unexpected()
        return left, right

    def expression(self, lowest: int = 0) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._fault("The formula is nested too deeply.", "simplify it")
        node = self.negation() if self._is("!") else self.sign()
        while (binding := self._binding()) > lowest:
            operator = self._advance().text
            node = Binary(operator, node, self.expression(binding))
            if binding == COMPARISON and self._binding() == COMPARISON:
                raise self._fault("Comparisons cannot be chained.", "join two of them by &")
        self.depth -= 1
        return node

    def negation(self) -> Node:
        self._advance()
        return Unary("!", self.expression(NOT))

    def sign(self) -> Node:
        signs = []
        while self._is("-") or self._is("+"):
            signs.append(self._advance().text)
        if len(signs) > DEEPEST:
            raise self._fault("The formula is nested too deeply.", "simplify it")
        node = self.power()
        for sign in reversed(signs):
            node = Unary(sign, node)
        return node

    def power(self) -> Node:
        base = self.primary()
        if not self._is("^"):
            return base
        self._advance()
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._fault("The formula is nested too deeply.", "simplify it")
        exponent = self.sign()  # right-associative: a^b^c is a^(b^c)
        self.depth -= 1
        return Binary("^", base, exponent)

    def primary(self) -> Node:
        token = self.next
        if self._is("("):
            self._advance()
            inner = self.expression()
            self._expect(")")
            return Paren(inner)
        if token.kind in ("end", "operator"):
            raise self._unexpected()
        self._advance()
        if token.kind == "number":
            return self._number(token.text)
        if token.kind == "string":
            return Text(unescape(token.text[1:-1]))
        if token.kind == "backtick":
            return Name(unescape(token.text[1:-1]))
        if self._is("("):
            return self.call(token.text)
        if token.text in self.constants:
            return Constant(self.constants[token.text], token.text)
        return Name(token.text, dot=token.text == ".")

    def call(self, function: str) -> Call:
        self._expect("(")
        arguments: list[tuple[str | None, Node]] = []
        while not self._is(")"):
            if arguments:
                self._expect(",")
            arguments.append(self.argument())
        self._advance()
        return Call(function, tuple(arguments))

    def argument(self) -> tuple[str | None, Node]:
        if self.next.kind == "name" and self.tokens[self.place + 1].text == "=":
            name = self._advance().text
            self._advance()
            return name, self.expression()
        return None, self.expression()

    def _number(self, text: str) -> Number:
        digits = text.removesuffix("L")
        try:
            value = float(int(digits, 16)) if digits[:2].lower() == "0x" else float(digits)
        except OverflowError:
            value = math.inf
        return Number(value, integer=text.endswith("L") and value.is_integer())

    def _binding(self) -> int:
        return PRECEDENCE.get(self.next.text, 0)

    def _is(self, text: str) -> bool:
        return self.next.text == text

    def _advance(self) -> Token:
        token = self.next
        self.place += 1
        return token

    def _expect(self, text: str) -> None:
        if not self._is(text):
            raise self._unexpected()
        self._advance()

    def _unexpected(self) -> FormulaError:
        if self.next.kind == "end":
            return self._fault("The formula ends too early.", "complete it")
        fix = "join terms by +, and put names with spaces in backticks: `body mass`"
        fix = "check the formula" if self.next.kind == "operator" else fix
        return self._fault(f"{self.next.text!r} is not expected here.", fix)

    def _fault(self, problem: str, fix: str) -> FormulaError:
        return FormulaError(problem, given=_mark(self.text, self.next.start), fix=fix)
