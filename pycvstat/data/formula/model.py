"""A formula: its response, its terms, and the columns that it reads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pycvstat.data.formula import factors
from pycvstat.data.formula.evaluate import ARGUMENTS, OPERATORS, arguments, refuse_undefined
from pycvstat.data.formula.syntax import Binary, Call, Name, Node, columns_in, deparse, sides, walk
from pycvstat.data.formula.terms import (
    DEEPEST,
    Algebra,
    members,
    needs_all_levels,
    shortened,
    union,
)
from pycvstat.data.formula.variables import COMPUTED
from pycvstat.data.frame import Column, Frame
from pycvstat.data.frame.frames import nearest
from pycvstat.errors import FormulaError


@dataclass(frozen=True, slots=True)
class Term:
    """A term: the variables that it multiplies.

    Attributes
    ----------
    label : str
        As R writes it, such as "a:b".
    variables : tuple of int
        Positions in ``Formula.expressions``.
    every_level : tuple of bool
        For each variable, whether a factor gets a column for every level (R's code 2) instead of
        contrasts (code 1).
    """

    label: str
    variables: tuple[int, ...]
    every_level: tuple[bool, ...]

    @property
    def order(self) -> int:
        """How many variables it multiplies."""
        return len(self.variables)


@dataclass(frozen=True, repr=False, slots=True)
class Formula:
    """What a formula says, in R's meaning; made by `parse`.

    Its text and the names of the columns make all the rest: a file cannot give a formula other
    terms than its text has.

    Attributes
    ----------
    text : str
        As it was written.
    names : tuple of str
        The columns of the data.
    response : expression
        The left side.
    terms : tuple of Term
        Main effects first, then interactions by order.
    intercept : bool
        Whether the model has a constant.
    expressions : tuple of expressions
        The variables of the right side, such as ``x`` or ``log(x)``.
    offsets : tuple of expressions
        What stands inside offset().
    removed : tuple of str
        Columns that the formula only takes away, as ``. - x`` does. As in R, rows that miss a
        value in them are incomplete.
    predictors : tuple of str
        The columns that the right side reads.
    beside : tuple of str
        Columns that ``.`` does not stand for, such as groups and weights.
    """

    text: str
    names: tuple[str, ...]
    response: Node = field(init=False)
    terms: tuple[Term, ...] = field(init=False)
    intercept: bool = field(init=False)
    expressions: tuple[Node, ...] = field(init=False)
    offsets: tuple[Node, ...] = field(init=False)
    removed: tuple[str, ...] = field(init=False)
    predictors: tuple[str, ...] = field(init=False)
    beside: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, part in _read(self.text, self.names, self.beside).items():
            object.__setattr__(self, name, part)
        nodes = (*self.expressions, *self.offsets)
        read = dict.fromkeys(name for node in nodes for name in columns_in(node))
        object.__setattr__(self, "predictors", tuple(read))
        _check_right_side(self)

    def __repr__(self) -> str:
        return f"<Formula {self.text}>"

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the terms. As in R: ``labels(terms(formula))``."""
        return tuple(term.label for term in self.terms)

    @property
    def orders(self) -> tuple[int, ...]:
        """The orders of the terms."""
        return tuple(term.order for term in self.terms)

    @property
    def variables(self) -> tuple[str, ...]:
        """The columns that the model uses, the response's first."""
        return tuple(dict.fromkeys((*columns_in(self.response), *self.predictors)))

    def written(self, labels: Sequence[str]) -> str:
        """The formula in R with these terms only.

        Examples
        --------
        >>> parse("y ~ .", ["y", "a b", "c"]).written(["`a b`"])
        'y ~ `a b`'
        """
        right = [*labels, *(f"offset({deparse(node)})" for node in self.offsets)]
        if not self.intercept:
            right.append("0")
        return f"{deparse(self.response)} ~ {' + '.join(right) or '1'}"


def parse(text: str, names: Sequence[str], beside: Collection[str] = ()) -> Formula:
    """Read a formula in R's meaning. Nothing in it is executed.

    Operators: ``+ - : * / ^ %in%``, parentheses, ``0`` and ``1``, and ``.`` for all columns but
    the response's. Arithmetic and comparisons inside ``I()`` and the other functions. Functions:
    abs, acos, as.factor, asin, atan, bs, c, C, ceiling, cos, cosh, cut, exp, expm1, factor, floor,
    I, log, log10, log1p, log2, ns, offset, ordered, poly, scale, sign, sin, sinh, sqrt, tan, tanh.
    C means factor, as in patsy.

    Parameters
    ----------
    text : str
        Such as ``"y ~ a + log(b)"``; names with unusual characters in backticks.
    names : sequence of str
        The columns of the data.
    beside : collection of str
        Columns that ``.`` does not stand for, such as groups and weights.

    Returns
    -------
    Formula

    Raises
    ------
    FormulaError
        With the place, and what to write instead.

    Examples
    --------
    >>> formula = parse("y ~ b:a + a * c", ["y", "a", "b", "c"])
    >>> formula.labels, formula.orders, formula.intercept
    (('a', 'c', 'b:a', 'a:c'), (1, 1, 2, 2), True)

    As in R: ``terms(formula)``; what its functions give has R's bits, where R calls the same C
    library and, for poly(), a BLAS that adds in order. Two things differ: poly(), scale(), bs() and
    ns() are computed from the rows that are fitted, not also from rows that are dropped for
    missing values elsewhere; and a response that is one column, or a function of one, may not
    stand on the right again (R drops it with a warning, or lets it leak).
    """
    make = _parsed if isinstance(text, str) else Formula  # which refuses it
    return make(text, tuple(names), tuple(beside))


_parsed = lru_cache(maxsize=32)(Formula)  # a formula is read again for every split of a study


def _read(text: str, names: Sequence[str], beside: Collection[str]) -> dict[str, Any]:
    """What the text says, by the names of the attributes of `Formula`."""
    left, right = sides(text, names)
    _check_response(left, names, text)
    apart = {*columns_in(left), *beside}
    algebra = Algebra(text, [name for name in names if name not in apart])
    bits = sorted(algebra.expand(right), key=int.bit_count)  # main effects first
    nodes = list(algebra.variables)
    offsets = [i for i, node in enumerate(nodes) if _is_offset(node)]
    kept = _without_offsets(bits, offsets, text)
    used = members(union(kept))
    removed = [node for i, node in enumerate(nodes) if i not in {*used, *offsets}]
    for node in removed:
        _check_expression(node, names, text)
    return {
        "response": left,
        "terms": _terms(kept, nodes, {old: new for new, old in enumerate(used)}),
        "intercept": algebra.intercept,
        "expressions": tuple(nodes[i] for i in used),
        "offsets": tuple(arguments(nodes[i])["x"] for i in offsets),  # type: ignore[arg-type]
        "removed": _without(removed, [left, *(n for n in nodes if n not in removed)]),
    }


def _without(nodes: Sequence[Node], others: Sequence[Node]) -> tuple[str, ...]:
    """The columns that only the first of these read."""
    elsewhere = {name for node in others for name in columns_in(node)}
    read = dict.fromkeys(name for node in nodes for name in columns_in(node))
    return tuple(name for name in read if name not in elsewhere)


def response(formula: Formula, frame: Frame) -> Column:
    """The response: numbers, logicals, a factor, or words as they are.

    Examples
    --------
    >>> from pycvstat.data.frame import read
    >>> frame = read({"y": [1.0, 10.0], "x": [1, 2]})
    >>> response(parse("log10(y) ~ x", frame.names), frame).values
    array([0., 1.])
    """
    made = factors.value(formula.response, frame)
    refuse_undefined(formula.response, made, frame)
    return made


def _terms(bits: Sequence[int], nodes: Sequence[Node], place: dict[int, int]) -> tuple[Term, ...]:
    labels = [deparse(node) for node in nodes]
    return tuple(
        Term(
            ":".join(labels[i] for i in members(bit)),
            tuple(place[i] for i in members(bit)),
            tuple(needs_all_levels(bit, i, bits[:rank]) for i in members(bit)),
        )
        for rank, bit in enumerate(bits)
    )


def _is_offset(node: Node) -> bool:
    return isinstance(node, Call) and node.function == "offset"


def _without_offsets(bits: Sequence[int], offsets: Sequence[int], text: str) -> list[int]:
    """An offset is added with coefficient 1; it is no term and interacts with nothing."""
    all_offsets = sum(1 << i for i in offsets)
    if any(bit & all_offsets and bit.bit_count() > 1 for bit in bits):
        raise FormulaError("An offset cannot be part of an interaction.", given=shortened(text))
    if any(1 << i not in bits for i in offsets):
        problem = "An offset is taken away, and R keeps it nevertheless."
        raise FormulaError(problem, given=shortened(text), fix="leave it out of the formula")
    return [bit for bit in bits if not bit & all_offsets]


def _check_response(left: Node, names: Collection[str], text: str) -> None:
    _check_expression(left, names, text)
    computed = [n for n, _ in walk(left) if isinstance(n, Call) and n.function in COMPUTED]
    if computed or _is_offset(left):
        problem = "The response must not be computed from other rows."
        fix = "use the column itself, or a function of each value such as log(y)"
        raise FormulaError(problem, given=deparse(left), fix=fix)


def _check_right_side(formula: Formula) -> None:
    known = dict.fromkeys(formula.names)
    for node in (*formula.expressions, *formula.offsets):
        _check_expression(node, known, formula.text)
    source = columns_in(formula.response)
    if len(source) == 1 and source[0] in formula.predictors:
        problem = f"The response {source[0]!r} is also on the right side."
        fix = "remove it there: it would predict itself"
        raise FormulaError(problem, given=shortened(formula.text), fix=fix)
    if not formula.terms and not formula.intercept:
        problem = "The right side has neither terms nor an intercept."
        fix = 'write "y ~ 1" for the mean alone'
        raise FormulaError(problem, given=shortened(formula.text), fix=fix)


def _check_expression(node: Node, names: Collection[str], text: str) -> None:
    """Known columns, allowed functions, and something computed from a column."""
    if isinstance(node, Name):
        return _check_name(node, names, text)
    if any(depth > DEEPEST for _, depth in walk(node)):
        raise FormulaError("An expression is nested too deeply.", given=shortened(text))
    for part, depth in walk(node):
        if isinstance(part, Name):
            _check_name(part, names, text)
        elif isinstance(part, Call):
            _check_call(part, depth)
        elif isinstance(part, Binary) and part.operator not in OPERATORS:
            raise FormulaError(
                f"{part.operator} has no meaning in arithmetic.", given=deparse(part)
            )
    if not columns_in(node):
        raise FormulaError(f"{deparse(node)!r} reads no column.", given=shortened(text))


def _check_name(part: Name, names: Collection[str], text: str) -> None:
    if part.dot:
        problem = "The dot stands for all columns and cannot be used in arithmetic or as response."
        raise FormulaError(problem, given=shortened(text))
    if part.name not in names:
        shown = ", ".join(repr(name) for name in list(names)[:12])
        more = ", ..." if len(names) > 12 else ""
        raise FormulaError(
            f"The data have no column {part.name!r}.",
            given=shortened(text),
            fix=nearest(part.name, names) or f"use one of {shown}{more}",
        )


def _check_call(call: Call, depth: int) -> None:
    if call.function == "c":
        if depth == 0 or columns_in(call):
            raise FormulaError("c() holds constants only, as an argument.", given=deparse(call))
        return
    bound = arguments(call)
    if call.function in {*factors.MAKERS, *COMPUTED, "offset"} and depth > 0:
        problem = f"{call.function}() must stand by itself, not inside another expression."
        raise FormulaError(problem, given=deparse(call), fix="make the column beforehand")
    known = ARGUMENTS[call.function]
    for name in known[1:]:
        if name in bound and columns_in(bound[name]):
            problem = f"The argument {name} of {call.function}() must be a constant, not a column."
            raise FormulaError(problem, given=deparse(call))
