"""Whatever is written: a formula, or a FormulaError."""

import contextlib
from itertools import product

import numpy as np
from hypothesis import example, given, strategies as st

from pycvstat.data.formula import Encoder, parse, quote, response
from pycvstat.data.formula.syntax import Binary, deparse, sides
from pycvstat.data.frame import read
from pycvstat.errors import DataError, FormulaError
from pycvstat.rmath.arithmetic import as_character

DATA = {
    "y": np.arange(12.0),
    "x": np.linspace(-1, 2, 12),
    "z": np.linspace(1, 2, 12) ** 2,
    "g": list("abcabcabcabc"),
    "l": [True, False] * 6,
    "a b": np.cos(np.arange(12.0)),
}
FRAME = read(DATA)
PIECES = [
    "y", "x", "z", "g", "l", "`a b`", ".", "0", "1", "2", "1e5", "0x1F", "2L", "TRUE", "T", "'a'",
    "+", "-", ":", "*", "/", "^", "%in%", "%%", "(", ")", "~", ",", "=", "==", "<", "&", "|", "!",
    "I(", "log(", "factor(", "poly(", "scale(", "offset(", "cut(", "c(", "ordered(", "sqrt(",
    "foo(", "levels =", "raw =", " ", "\n", "{", "$", "é", "@", "\\", '"', "`",
]  # fmt: skip

soup = st.lists(st.sampled_from(PIECES), min_size=1, max_size=25).map("".join)
atoms = st.sampled_from(
    ["x", "z", "g", "l", "`a b`", "I(x^2)", "log(z)", "poly(x, 2)", "1", "0", "."]
)
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", ":", "*", "/", "%in%"]), inner).map(" ".join),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"({text})^2"),
        inner.map(lambda text: f"-{text}"),
    ),
    max_leaves=8,
)


# as in R: help("Syntax"), from loose to tight; equals are read from the left
ORDER = ("|", "&", "< > <= >= == !=", "+ -", "* /", "%in% %% %/%", ":")
RANK = {operator: rank for rank, some in enumerate(ORDER) for operator in some.split()}


def test_operators_bind_as_in_r() -> None:
    for first, second in product(RANK, RANK):
        if RANK[first] == RANK[second] == RANK["<"]:  # R does not chain them
            continue
        _, tree = sides(f"y ~ x {first} z {second} y")
        assert isinstance(tree, Binary)
        from_the_left = isinstance(tree.left, Binary)
        assert from_the_left == (RANK[first] >= RANK[second]), (first, second)


def used(text: str) -> None:
    formula = parse(text, FRAME.names)
    response(formula, FRAME)
    for coding in ("contrasts", "kknn"):
        design = Encoder(formula, FRAME, coding).fit(FRAME).matrix(FRAME)
        assert design.X.shape == (12, len(design.columns)) == (12, len(design.assign))
        assert set(design.assign.tolist()) <= set(range(len(design.term_labels) + 1))


def refusal(text: str) -> str:
    try:
        used(text)
    except FormulaError as error:
        return str(error)
    return ""


@given(st.one_of(st.text(), soup.map("y ~ ".__add__), soup))
@example("y ~ x^1e400")
@example("y ~ x^0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF")
@example("y ~ I(x*0x" + "F" * 400 + ")")
@example("y ~ \ud800")
@example("y ~ `\ud800`")
@example("y ~ I(10^400*x)")
@example("y ~ I(x %/% 0)")
def test_any_text_is_a_formula_or_refused(text: str) -> None:
    with contextlib.suppress(FormulaError, DataError):
        used(text)


@given(expressions)
def test_any_expression_of_known_columns_is_understood(text: str) -> None:
    said = refusal(f"y ~ 1 + {text} + x")
    assert not said or "is no term that could be multiplied" in said


@given(expressions)
def test_deparsed_expressions_read_the_same(text: str) -> None:
    node = sides(f"y ~ {text}")[1]
    again = sides(f"y ~ {deparse(node)}")[1]
    assert again == node


@given(st.text(min_size=1))
def test_any_name_can_be_used_in_backticks(name: str) -> None:
    assert parse(f"resp ~ {quote(name)}", ["resp", name]).predictors == (name,) or name == "resp"


@given(st.floats(min_value=0, allow_nan=False, allow_infinity=False))
def test_numbers_are_written_with_15_digits(value: float) -> None:
    written = as_character(value)
    assert float(written) == float(f"{value:.15g}") or abs(float(written) / value - 1) < 1e-14
    assert len(written) <= 21


@given(st.permutations(["x", "z", "g", "l"]), st.integers(1, 3))
def test_the_space_of_a_model_does_not_depend_on_the_order_of_terms(
    names: list[str], power: int
) -> None:
    def space(order: list[str]) -> np.ndarray:
        formula = parse(f"y ~ ({' + '.join(order)})^{power}", FRAME.names)
        X = Encoder(formula, FRAME).fit(FRAME).matrix(FRAME).X
        return X @ np.linalg.pinv(X)

    np.testing.assert_allclose(space(names), space(["x", "z", "g", "l"]), atol=1e-8)


def test_names_that_r_reserves_are_quoted() -> None:
    """As in R: ..1 is an argument of the dots, ..a a name as any other."""
    assert [quote(name) for name in ("..1", "..a", "if", "a")] == ["`..1`", "..a", "`if`", "a"]
