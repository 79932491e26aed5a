"""R's algebra of terms, in cases that can be checked by hand."""

from dataclasses import replace

import pytest

from pycvstat.data.formula import Formula, parse
from pycvstat.data.formula.factors import value
from pycvstat.data.formula.terms import Algebra
from pycvstat.data.frame import read
from pycvstat.errors import FormulaError

NAMES = ["y", "a", "b", "c", "x"]

# formula -> labels, intercept; each as terms(formula) says in R 4.2
CASES = {
    "y ~ a + b %in% a": ("a a:b", True),
    "y ~ b:a + a": ("a b:a", True),
    "y ~ b + a + b:a": ("b a b:a", True),
    "y ~ TRUE": ("", True),
    "y ~ a + FALSE": ("a", False),
    "y ~ a/b": ("a a:b", True),
    "y ~ (a + b)^2": ("a b a:b", True),
    "y ~ (a + b + c)^3 - a:b": ("a b c a:c b:c a:b:c", True),
    "y ~ a*b*c - a:b:c": ("a b c a:b a:c b:c", True),
    "y ~ a^2": ("a", True),
    "y ~ a + 1 - 1": ("a", False),
    "y ~ a - 1 + 1": ("a", True),
    "y ~ -a": ("", True),
    "y ~ a:b:c + a %in% b %in% c + c:a": ("a:c a:b:c", True),
    "y ~ a*b %in% c": ("a b:c a:b:c", True),
    "y ~ a - b:c": ("a", True),
    "y ~ (a + b) - (a + 0)": ("b", True),
    "y ~ a - (0)": ("a", True),
    "y ~ a - (b - 1)": ("a", True),
    "y ~ a + (0 + b)": ("a b", False),
    "y ~ (a*b)^2 %in% c": ("a:c b:c a:b:c", True),
    "y ~ +a": ("a", True),
    "y ~ a - a": ("", True),
    "y ~ .": ("a b c x", True),
    "y ~ . - b": ("a c x", True),
    "y ~ .:a": ("a a:b a:c a:x", True),
    "log(y) ~ .": ("a b c x", True),
    "I(y - a) ~ .": ("b c x", True),
    "y ~ log(x) + log( x )": ("log(x)", True),
    "y ~ a + offset(b)": ("a", True),
    "y ~ a%in%b": ("a:b", True),
}


@pytest.mark.parametrize("text", CASES)
def test_terms(text: str) -> None:
    labels, intercept = CASES[text]
    formula = parse(text, NAMES)
    assert " ".join(formula.labels) == labels
    assert formula.intercept is intercept


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("y ~ I(x+a*2)", "I(x + a * 2)"),
        ("y ~ I(a-(b-c))", "I(a - (b - c))"),
        ("y ~ I(100000*x)", "I(1e+05 * x)"),
        ("y ~ I(123456*x)", "I(123456 * x)"),
        ("y ~ I(0.0001*x)", "I(1e-04 * x)"),
        ("y ~ I(0.001*x)", "I(0.001 * x)"),
        ("y ~ I(12345678901234567890*x)", "I(12345678901234567168 * x)"),
        ("y ~ I(0.1234567890123456789*x)", "I(0.123456789012346 * x)"),
        ("y ~ I(x%%2+x%/%3)", "I(x%%2 + x%/%3)"),
        ('y ~ I(a=="q"|!b&c>=1)', 'I(a == "q" | !b & c >= 1)'),
        ("y ~ log(x ,base= 2)", "log(x, base = 2)"),
        ("y ~ poly(x,2,raw=T)", "poly(x, 2, raw = T)"),
        ("y ~ I(x^2^3)", "I(x^2^3)"),
        ("y ~ I(-2^2*x)", "I(-2^2 * x)"),
        ("y ~ I(x^-1/2)", "I(x^-1/2)"),
        ("y ~ factor(a,levels=c('p','q'))", 'factor(a, levels = c("p", "q"))'),
    ],
)
def test_labels_are_written_as_in_r(text: str, label: str) -> None:
    assert parse(text, NAMES).labels == (label,)


def test_precedence_is_that_of_r() -> None:
    from pycvstat.data.formula.syntax import Binary, Unary, sides

    def right(text: str) -> object:
        return sides(f"y ~ I({text})")[1].arguments[0][1]

    assert isinstance(right("-x^2"), Unary)
    assert right("a - b - c").left == right("a - b")
    assert right("a^b^c").right == right("b^c")
    assert right("a + b:c").operator == "+"
    assert right("-a:b").operator == ":"
    assert right("a*b %in% c").operator == "*"
    assert right("!a == b").operator == "!"
    assert right("a | b & c").operator == "|"
    assert isinstance(right("x^-1/2"), Binary)
    assert right("x^-1/2").operator == "/"


def test_variables_are_those_that_are_read() -> None:
    formula = parse("log(y) ~ a*log(b) + offset(c) + x - x", NAMES)
    assert formula.variables == ("y", "a", "b", "c")
    assert formula.predictors == ("a", "b", "c")
    assert formula.orders == (1, 1, 2)


def test_columns_that_are_only_taken_away_are_known() -> None:
    assert parse("y ~ . - a - log(b) + x - x", NAMES).removed == ("a", "x")
    assert parse("y ~ . - a", NAMES).predictors == ("b", "c", "x")


def test_the_dot_leaves_out_what_stands_beside_the_predictors() -> None:
    assert parse("y ~ .", NAMES, ["a"]).labels == ("b", "c", "x")
    assert parse("y ~ . + a", NAMES, ["a"]).labels == ("b", "c", "x", "a")


def test_constants_yield_to_columns_of_that_name() -> None:
    assert parse("y ~ T", ["y", "T"]).labels == ("T",)
    assert parse("y ~ pi + F", ["y", "pi", "F"]).labels == ("pi", "F")


def test_long_sums_are_read() -> None:
    names = [f"x{i}" for i in range(3000)]
    assert parse("y ~ " + " + ".join(names), ["y", *names]).labels == tuple(names)


@pytest.mark.parametrize(
    "name",
    ["body mass", "a:b", "1x", "if", "TRUE", "a`b", "a\\b", "é x", "~", "x+y", ".", " ", "a\nb"],
)
def test_any_name_can_be_quoted(name: str) -> None:
    from pycvstat.data.formula import quote

    assert parse(f"y ~ {quote(name)}", ["y", name]).predictors == (name,)
    assert parse("y ~ .", ["y", name]).labels == (quote(name),) if name != "." else True


@pytest.mark.parametrize(
    ("arguments", "labels"),
    [
        ("", [None, "(0,1]", "(1,2]", "(1,2]", None]),
        (", right = FALSE", ["[0,1)", "[1,2)", "[1,2)", None, None]),
        (", include.lowest = TRUE", ["[0,1]", "[0,1]", "(1,2]", "(1,2]", None]),
        (", right = FALSE, include.lowest = TRUE", ["[0,1)", "[1,2]", "[1,2]", "[1,2]", None]),
    ],
)
def test_cut_at_the_breaks(arguments: str, labels: list[str | None]) -> None:
    frame = read({"x": [0.0, 1.0, 1.5, 2.0, 2.5], "y": [0.0] * 5})
    formula = parse(f"cut(x, c(0, 1, 2){arguments}) ~ y", frame.names)
    assert value(formula.response, frame).labels().tolist() == labels


def test_nothing_of_a_formula_can_be_given_but_its_text_and_the_columns() -> None:
    """What reaches R is written from the terms, so a file must not be able to change them."""
    formula = parse("y ~ a + log(b)", ["y", "a", "b"])
    assert formula == Formula(formula.text, formula.names)
    hostile = replace(formula.terms[0], label='I({system("touch x"); a})')
    for name in ("response", "terms", "intercept", "expressions", "offsets"):
        with pytest.raises((TypeError, ValueError)):
            replace(formula, **{name: (hostile,)})
    with pytest.raises(FormulaError, match="no column 'c'"):
        replace(formula, text="y ~ c")


def test_two_stars_are_a_power() -> None:
    """As R reads them, and users of statsmodels write them."""
    formula = parse("y ~ (a + b)**2 + I(a**2)", ["y", "a", "b"])
    assert formula.labels == ("a", "b", "I(a^2)", "a:b")


def test_a_formula_has_at_most_20_000_terms() -> None:
    """And a product at most 4,000,000, before what is twice in it is left out."""
    algebra = Algebra("y ~ x", ["x"])
    algebra._check_number(20_000)
    for terms, most in ((20_001, ()), (4_000_001, (4_000_000,))):
        with pytest.raises(FormulaError, match="too many terms"):
            algebra._check_number(terms, *most)
    one, many = dict.fromkeys([1]), dict.fromkeys(range(1, 20_001))
    assert len(algebra._products(one, many)) < 20_001
    with pytest.raises(FormulaError, match="too many terms"):
        algebra._products(dict.fromkeys(range(201)), many)
