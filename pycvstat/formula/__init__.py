"""Formulas in R's meaning: a closed list of operators and functions, nothing executed."""

from pycvstat.formula.encoder import Design, Encoder, FittedEncoder
from pycvstat.formula.factors import Coding
from pycvstat.formula.model import Formula, Term, parse, response
from pycvstat.formula.syntax import quote

__all__ = [
    "Coding",
    "Design",
    "Encoder",
    "FittedEncoder",
    "Formula",
    "Term",
    "parse",
    "quote",
    "response",
]
