"""Formulas in R's meaning: a closed list of operators and functions, nothing executed."""

from pycvstat.data.formula.encoder import Design, Encoder, FittedEncoder
from pycvstat.data.formula.factors import Coding
from pycvstat.data.formula.model import Formula, Term, parse, response
from pycvstat.data.formula.syntax import quote

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
