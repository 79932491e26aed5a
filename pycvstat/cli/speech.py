"""Advice in the words of the command line: ``--na omit`` instead of ``na='omit'``."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from pycvstat.cli.spelling import LEARNERS
from pycvstat.errors import PycvstatError, PycvstatWarning

SETTINGS = {"kernel": "knn", "scale": "knn", "ties": "knn", "k": "knn",
            "tau": "quantreg", "family": "glm"}  # fmt: skip
Match = re.Match[str]


def spoken(error: PycvstatError | PycvstatWarning) -> str:
    """The message of an error or warning, with what to do in words of the command line.

    Examples
    --------
    >>> print(spoken(PycvstatError("NA in wt.", fix="na='omit' leaves these rows out")))
    NA in wt.
      Do this: --na omit leaves these rows out
    """
    fix = None if error.fix is None else in_words(error.fix)
    return str(PycvstatError(error.problem, given=error.given, fix=fix))


def tell(text: str) -> None:
    """A line for whoever waits at a terminal."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)


def in_words(text: str) -> str:
    """Arguments, folds and learners of Python as options and words of the command line.

    Examples
    --------
    >>> in_words("use folds=Repeated(KFold(10), 5), or loss='absolute'")
    'use --folds repeated:10x5, or --loss absolute'
    >>> in_words("use GLM('binomial') for two classes, MNLogit for more")
    'use --learner glm:binomial for two classes, --learner mnlogit for more'
    """
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    return text


def _folds(found: Match) -> str:
    """A splitter as a word for --folds."""
    return f"--{found[1] or 'folds'} {_FOLDS[found[2]](found[3] or '')}"


def _numbers(arguments: str) -> list[str]:
    plain = re.sub(r"(random|as_in_r)=\w+", "", arguments)
    return re.findall(r"\d[\d.]*", plain) or ["10"]


_FOLDS: dict[str, Callable[[str], str]] = {
    "KFold": lambda given: _numbers(given)[0],
    "Blocks": lambda given: f"blocks:{_numbers(given)[0]}",
    "Stratified": lambda given: f"stratified:{_numbers(given)[0]}",
    "Grouped": lambda given: f"grouped:{_numbers(given)[0]}",
    "Repeated": lambda given: f"repeated:{'x'.join(_numbers(given)[:2])}",
    "LeaveOneOut": lambda given: "loo",
    "Holdout": lambda given: "holdout:" + (re.findall(r"0?\.\d+", given) or ["0.25"])[0],
    "Subsampling": lambda given: f"subsampling:{':'.join(_numbers(given)[:2])}",
}


def _learner(found: Match) -> str:
    word = {of: name for name, of in LEARNERS.items()}[found[1]]
    settings = (found[2] or "").replace("'", "").replace('"', "").replace(" ", "")
    return f"--learner {word}" + (f":{settings}" if settings else "")


def _setting(found: Match) -> str:
    name, value = found[1], found[2].strip("'\"")
    return f"--learner {SETTINGS[name]}:{name}={value}"


def _option(found: Match) -> str:
    name = {"n_jobs": "jobs"}.get(found[1], found[1].replace("_", "-"))
    value = found[2].strip("'\"")
    return f"--{name}={value}" if value.startswith("-") else f"--{name} {value}"


def _reading(found: Match) -> str:
    """Options of pandas.read_csv as those of the command line."""
    words = re.findall(r"'([^']*)'", found[1].partition("decimal")[0])
    comma = ["--decimal ,"] if "decimal" in found[1] else []
    return " ".join([*(f"--na-string '{word}'" for word in words), *comma])


_VALUE = r"""('[^']*'|"[^"]*"|-?[\w.]+(?:\([^)]*\))?)"""
_CALL = r"(?:\(((?:[^()]|\([^()]*\))*)\))"
RULES: tuple[tuple[str, str | Callable[[Match], str]], ...] = (
    (r"(?:write factor\(.+?\) in the formula, or )?make it categorical: "
     r"data\[(['\"])(.+?)\1\]\.astype\('category'\)", r"--factor \2"),
    (r"pd\.read_csv\(file, (.+?)\)", _reading),
    (r"make them dates: .+", "leave the column out of the formula"),
    (r"make y categorical", "--factor COLUMN for the response"),
    (r"make the column numeric", "give it as numbers"),
    (r"weights= \(a column by name, or one value per row\)", "--weights COLUMN"),
    (r"pass groups=,", "--groups COLUMN,"),
    (r", and result\.(interval\(.+?\))", r"; in Python, result.\1"),
    (r"\bK=(\d+)", r"--folds \1"),
    (rf"(?:\b(folds|outer|inner)=|\b)({'|'.join(_FOLDS)}){_CALL}", _folds),
    (rf"\b({'|'.join(LEARNERS.values())})\b{_CALL}?", _learner),
    (rf"\b(na|loss|on_error|n_jobs|rule|complexity|checkpoint|outer|inner)={_VALUE}", _option),
    (r"\b(groups|weights)=(?:\.\.\.|'[^']*'|\"[^\"]*\")", r"--\1 COLUMN"),
    (r"\b(groups|weights)=", r"--\1"),
    (rf"(?<![:\w])({'|'.join(SETTINGS)})={_VALUE}", _setting),
    (r"grid=\{.*?\}", "--grid k=1:30"),
)  # fmt: skip
