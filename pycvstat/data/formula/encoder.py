"""From a frame to a design matrix, as R's model.matrix builds it."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pycvstat.data.formula.evaluate import column, refuse_undefined
from pycvstat.data.formula.factors import Coding, Levels
from pycvstat.data.formula.model import Formula
from pycvstat.data.formula.variables import Variable, freeze
from pycvstat.data.frame import Frame
from pycvstat.errors import DataError, warn
from pycvstat.types import FloatArray, IntArray

WORDS = frozenset({"text", "factor", "ordered"})
Terms = list[list[tuple[int, bool]]]


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """A design matrix and what its columns are.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        Rows with a missing predictor hold NaN.
    columns : tuple of str
        The names of the columns, as R gives them.
    assign : ndarray of shape (p,)
        The term of each column; 0 is the intercept.
    term_labels, term_orders : tuple
        The terms, numbered from 1 in `assign`.
    intercept : bool
        Whether the first column is the constant.
    offset : ndarray of shape (n,), optional
        The sum of the offset() terms.
    """

    X: FloatArray
    columns: tuple[str, ...]
    assign: IntArray
    term_labels: tuple[str, ...]
    term_orders: tuple[int, ...]
    intercept: bool
    offset: FloatArray | None = None


class FittedEncoder:
    """An encoder whose data-dependent terms are fixed; made by `Encoder.fit`."""

    def __init__(self, encoder: Encoder, variables: Sequence[Variable]) -> None:
        formula = self.formula = encoder.formula
        self._variables, self._kinds = tuple(variables), encoder.kinds
        self._terms, self._widths = encoder.terms, encoder.widths
        names, assign = ["(Intercept)"] * formula.intercept, [0] * formula.intercept
        for number, term in enumerate(self._terms, start=1):
            made = _joined([variables[i].names(full) for i, full in term])
            names += made
            assign += [number] * len(made)
        self.columns, self.assign = tuple(names), np.array(assign, dtype=np.int64)
        self.assign.flags.writeable = False

    def matrix(self, frame: Frame) -> Design:
        """The design matrix of a frame.

        As in R, poly() of the frame that it was fitted on comes from the factorisation itself,
        which other rows, and copies of the same ones, agree with but for rounding.

        Raises
        ------
        DataError
            A level that the full data do not have, or a column of another kind.
        """
        self._check_kinds(frame)
        check_size(self._widths, frame.n, say=False)
        X = np.empty((frame.n, len(self.columns)))
        X[:, : self.formula.intercept] = 1.0
        first = int(self.formula.intercept)
        with np.errstate(all="ignore"):
            for term in self._terms:
                blocks = [self._variables[i].matrix(frame, full) for i, full in term]
                last = first + math.prod([block.shape[1] for block in blocks])
                _multiply(blocks, X[:, first:last])
                first = last
        return Design(
            X,
            self.columns,
            self.assign,
            self.formula.labels,
            self.formula.orders,
            self.formula.intercept,
            _offset(self.formula, frame),
        )

    def _check_kinds(self, frame: Frame) -> None:
        for name, kind in self._kinds.items():
            found = frame[name]
            same = found.kind == kind or WORDS.issuperset({found.kind, kind})
            if same or (kind, found.kind) == ("numeric", "logical") or found.missing().all():
                continue
            raise DataError(
                f"Column {name!r} is {found.kind} here, but {kind} in the data that were fitted.",
                fix=f"convert it to {kind}",
            )


class Encoder:
    """How a formula turns frames of this kind into design matrices.

    Kinds and levels are frozen from `frame`, so that training and new rows get the same columns;
    with "contrasts", levels that do not occur in it are dropped, as lm does.

    Parameters
    ----------
    formula : Formula
        As `parse` gives it.
    frame : Frame
        The full data.
    coding : {"contrasts", "kknn"}
        R's default contrasts (treatment; polynomial for ordered factors), or those of kknn (a
        column for every level; steps of one half for ordered factors).

    Attributes
    ----------
    stateless : bool
        False when a term is computed from the data (poly, scale), and so must be fitted on
        training rows only.

    Examples
    --------
    >>> from pycvstat.data.formula import parse
    >>> from pycvstat.data.frame import read
    >>> frame = read({"y": [1, 2, 3], "g": ["a", "b", "b"], "x": [1.0, 2.0, 4.0]})
    >>> encoder = Encoder(parse("y ~ g + log2(x)", frame.names), frame)
    >>> design = encoder.fit(frame).matrix(frame)
    >>> design.columns, design.assign
    (('(Intercept)', 'gb', 'log2(x)'), array([0, 1, 2]))
    >>> design.X
    array([[1., 0., 0.],
           [1., 1., 1.],
           [1., 1., 2.]])

    As in R: ``model.matrix(formula, data)``.
    """

    def __init__(self, formula: Formula, frame: Frame, coding: Coding = "contrasts") -> None:
        self.formula, self.coding = formula, coding
        self._variables = tuple(freeze(node, frame, coding) for node in formula.expressions)
        for node in formula.offsets:
            refuse_undefined(node, _numeric_offset(node, frame), frame)
        self.terms = _terms(formula, self._variables)
        self.widths = _widths(formula, self._variables, self.terms)
        check_size(self.widths, frame.n, say=True)
        self.kinds = {name: frame[name].kind for name in formula.predictors}
        self.stateless = not any(variable.computed for variable in self._variables)

    def fit(self, frame: Frame) -> FittedEncoder:
        """Fix the data-dependent terms on the rows of `frame`."""
        return FittedEncoder(self, [variable.fit(frame) for variable in self._variables])


def _terms(formula: Formula, variables: Sequence[Variable]) -> Terms:
    """For each term its variables, and whether they get a column for every level.

    Without an intercept the first factor stands in for it.
    """
    stands_in = None
    if not formula.intercept:
        used = ((n, i) for n, term in enumerate(formula.terms) for i in term.variables)
        stands_in = next((at for at in used if isinstance(variables[at[1]], Levels)), None)
    return [
        [
            (i, full or (n, i) == stands_in)
            for i, full in zip(t.variables, t.every_level, strict=True)
        ]
        for n, t in enumerate(formula.terms)
    ]


def _widths(formula: Formula, variables: Sequence[Variable], terms: Terms) -> dict[str, int]:
    """How many columns each term has."""
    widths = [math.prod([len(variables[i].names(full)) for i, full in term]) for term in terms]
    return {"(Intercept)": int(formula.intercept)} | dict(zip(formula.labels, widths, strict=True))


def _joined(names: Sequence[Sequence[str]]) -> list[str]:
    """Names of the columns of an interaction; the first variable's levels vary fastest."""
    made = list(names[0])
    for further in names[1:]:
        made = [f"{a}:{b}" for b in further for a in made]
    return made


def _multiply(blocks: Sequence[FloatArray], into: FloatArray) -> None:
    """The products of all pairs of columns, in the order of `_joined`."""
    made, *others = blocks
    if not others:
        into[:] = made
        return
    for block in others[:-1]:
        pairs = block[:, :, None] * made[:, None, :]
        made = pairs.reshape(len(made), block.shape[1] * made.shape[1])
    last = others[-1]
    np.multiply(last[:, :, None], made[:, None, :], out=into.reshape(*last.shape, made.shape[1]))


def _numeric_offset(node: Any, frame: Frame) -> Any:
    made = column(node, frame)
    if made.kind not in ("numeric", "logical"):
        raise DataError("An offset must be numeric.", given=f"{made.name} is {made.kind}")
    return made


def _offset(formula: Formula, frame: Frame) -> FloatArray | None:
    if not formula.offsets:
        return None
    total: FloatArray = np.sum(
        [_numeric_offset(node, frame).values for node in formula.offsets], axis=0
    )
    return total


GB = 1e9
LARGE = GB  # of a matrix that is worth a word
COPIES = 3  # that live at once: the matrix, its training rows, their factorisation
CONTAINER = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
UNKNOWN = 16 * GB  # where a system does not say what it has


def check_size(widths: Mapping[str, int], n: int, *, say: bool) -> None:
    """Refuse a matrix that with its copies takes half of the memory; say when it is large.

    Parameters
    ----------
    widths : mapping of str to int
        How many columns each term has.
    n : int
        The number of rows.
    say : bool
        Whether to warn of a large one.
    """
    columns = sum(widths.values())
    size = 8.0 * n * columns
    if size <= LARGE:
        return
    widest = max(widths, key=widths.__getitem__)
    problem = (
        f"The design matrix has {columns:,} columns for {n:,} rows: {size / GB:,.1f} GB, and "
        f"about {COPIES} times that while it is fitted."
    )
    given = f"{widths[widest]:,} of the columns belong to {widest}"
    fix = f"leave out {widest}, as in y ~ . - {widest}, or join levels"
    if COPIES * size > memory() / 2:
        raise DataError(problem, given=f"{given}; {memory() / GB:,.1f} GB of memory", fix=fix)
    if say:
        warn(problem, given=given, fix=fix)


def memory() -> float:
    """The memory in bytes that this process may take, of the machine or of what limits it."""
    try:
        limits = [float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")]
    except (AttributeError, ValueError, OSError):
        limits = [UNKNOWN]
    if sys.platform != "win32":
        import resource

        address_space = resource.getrlimit(resource.RLIMIT_AS)[0]
        limits += [] if address_space == resource.RLIM_INFINITY else [float(address_space)]
    for file in CONTAINER:
        with suppress(OSError, ValueError):  # "max" where there is no limit
            limits.append(float(int(Path(file).read_text())))
    return min(limits)
