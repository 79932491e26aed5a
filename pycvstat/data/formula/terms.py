"""R's algebra of terms: a term is the set of variables that it multiplies, held as bits.

Chambers & Hastie (1992), Statistical Models in S, chapter 2, is the definition that R follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from pycvstat.data.formula.syntax import (
    Binary,
    Call,
    Constant,
    Name,
    Node,
    Number,
    Paren,
    Text,
    Unary,
    deparse,
    walk,
)
from pycvstat.errors import Advice, FormulaError, InPython

MOST_TERMS = 20_000
DEEPEST = 200
ADDITIVE = frozenset({"+", "-"})
Terms = dict[int, None]  # an ordered set of bit patterns


@dataclass(slots=True)
class Algebra:
    """Expands one right-hand side; collects its variables in the order in which they appear.

    Parameters
    ----------
    text : str
        The formula, for messages.
    dot : sequence of str
        The columns that `.` stands for.
    """

    text: str
    dot: Sequence[str]
    variables: dict[Node, int] = field(default_factory=dict)
    intercept: bool = True
    adding: bool = True  # False while the right side of a minus is read

    def expand(self, node: Node) -> Terms:
        """The terms of an expression. Long sums are unrolled rather than recursed into."""
        chain: list[Binary] = []
        while isinstance(node, Binary) and node.operator in self._operators():
            chain.append(node)
            node = node.left
        terms = self._leaf(node)
        for step in reversed(chain):
            if not terms and step.operator not in ADDITIVE:
                raise self._without_terms(step)
            terms = self._operators()[step.operator](terms, step.right)
            self._check_number(len(terms))
        return terms

    def _check_number(self, terms: int, most: int = MOST_TERMS) -> None:
        if terms > most:
            raise self._fault("The formula expands to too many terms.", "use fewer variables")

    def _leaf(self, node: Node) -> Terms:
        match node:
            case Paren(inner):
                return self.expand(inner)
            case Unary("+", operand):
                return self.expand(operand)
            case Unary("-", operand):
                return self._minus({}, operand)
            case Number() | Constant():
                return self._constant(node)
            case Name(dot=True):
                return {self._bit(Name(name)): None for name in self.dot}
            case Name() | Call():
                return {self._bit(node): None}
            case Text():
                raise self._fault("A string is not a term.", "write a column's name without quotes")
            case Binary("|", effects, groups):
                slopes = "" if deparse(effects) == "1" else f', exog_re="~ {deparse(effects)}"'
                group = groups.name if isinstance(groups, Name) else "..."
                raise self._fault(
                    f"({deparse(node)}) is a random effect, and formulas have fixed ones.",
                    Advice(
                        "{} with the other terms",
                        InPython(f"pcv.Statsmodels(smf.mixedlm, groups={group!r}{slopes})"),
                    ),
                )
            case _:
                raise self._fault(
                    f"{deparse(node)!r} is not a term.",
                    f"to compute with columns write I({deparse(node)})",
                )

    def _constant(self, node: Number | Constant) -> Terms:
        if node.value not in (0, 1):
            raise self._fault(
                f"The number {deparse(node)} is not a term.",
                "0 and 1 switch the intercept; to compute with columns use I(...)",
            )
        self.intercept = bool(node.value) == self.adding
        return {}

    def _bit(self, node: Node) -> int:
        if any(depth > DEEPEST for _, depth in walk(node)):
            raise self._fault("An expression is nested too deeply.", "make the column beforehand")
        return 1 << self.variables.setdefault(node, len(self.variables))

    def _operators(self) -> dict[str, Callable[[Terms, Node], Terms]]:
        return {
            "+": self._plus,
            "-": self._minus,
            ":": self._interact,
            "*": self._cross,
            "/": self._nest,
            "%in%": self._within,
            "^": self._power,
        }

    def _plus(self, left: Terms, right: Node) -> Terms:
        left.update(self.expand(right))
        return left

    def _minus(self, left: Terms, right: Node) -> Terms:
        self.adding = not self.adding
        removed = self.expand(right)
        self.adding = not self.adding
        return {term: None for term in left if term not in removed}

    def _interact(self, left: Terms, right: Node) -> Terms:
        return self._products(left, self._operand(right))

    def _cross(self, left: Terms, right: Node) -> Terms:
        others = self._operand(right)
        return left | others | self._products(left, others)

    def _nest(self, left: Terms, right: Node) -> Terms:
        within = union(left)
        return left | {within | term: None for term in self._operand(right)}

    def _within(self, left: Terms, right: Node) -> Terms:
        outer = union(self._operand(right))
        return {term | outer: None for term in left}

    def _operand(self, node: Node) -> Terms:
        """The terms of what stands behind ``* / :`` or ``%in%``."""
        terms = self.expand(node)
        if not terms:
            raise self._without_terms(node)
        return terms

    def _power(self, left: Terms, right: Node) -> Terms:
        given = right.value if isinstance(right, Number) else 0.0
        times = int(min(given, MOST_TERMS))
        if times < 1:
            raise self._fault(
                f"The power {deparse(right)} is not a positive whole number.",
                "in a formula ^ gives interactions; for powers of a column write I(x^2)",
            )
        terms = left
        for _ in range(times - 1):
            following = self._products(left, terms)
            if list(following) == list(terms):
                break
            terms = following
        return terms

    def _products(self, left: Terms, right: Terms) -> Terms:
        self._check_number(len(left) * len(right), 200 * MOST_TERMS)
        made = {a | b: None for a in left for b in right}
        self._check_number(len(made))
        return made

    def _without_terms(self, node: Node) -> FormulaError:
        where = node.left if isinstance(node, Binary) and node.operator not in ADDITIVE else node
        return self._fault(
            f"{deparse(where)!r} is no term that could be multiplied.",
            "write the columns alone (R drops x in 1 * x and in x:1 without a word); "
            "+ 0 or - 1 leaves out the intercept, I(2 * x) computes",
        )

    def _fault(self, problem: str, fix: str | Advice) -> FormulaError:
        return FormulaError(problem, given=shortened(self.text), fix=fix)


def shortened(text: str) -> str:
    """A formula for a message."""
    return text if len(text) <= 200 else f"{text[:197]}..."


def union(terms: Iterable[int]) -> int:
    """The variables of all terms together."""
    everything = 0
    for term in terms:
        everything |= term
    return everything


def members(term: int) -> tuple[int, ...]:
    """The numbers of the variables in a term.

    Examples
    --------
    >>> members(0b1010)
    (1, 3)
    """
    found = []
    while term:
        lowest = term & -term
        found.append(lowest.bit_length() - 1)
        term ^= lowest
    return tuple(found)


def needs_all_levels(term: int, variable: int, earlier: Sequence[int]) -> bool:
    """Whether a factor keeps a column for every level in a term (as in R's ``factors``).

    Contrasts suffice when the rest of the term lies within the constant or an earlier term.
    """
    rest = term & ~(1 << variable)
    return rest != 0 and not any(rest & ~other == 0 for other in earlier)
