"""A task: the data as learners see it, made from a formula and a frame, or from X and y."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pycvstat.data import formula as formulas, frame as frames
from pycvstat.data.formula.factors import MAKERS
from pycvstat.data.formula.syntax import Call, Name, columns_in
from pycvstat.data.formula.variables import freeze
from pycvstat.data.frame.columns import Collation
from pycvstat.data.response import (
    NA,
    Response,
    codes_of,
    complete_rows,
    extra_column,
    formula_and_frame,
    many_levels,
    misread,
    of_all,
    refuse_other_responses,
    response_of,
    tell_rows_lost,
    weights_of,
    with_classes,
)
from pycvstat.errors import DataError, InputError, warn
from pycvstat.errors.checks import check_shape, check_word
from pycvstat.types import FloatArray, IntArray

Coding = Literal["contrasts", "kknn"]


@dataclass(frozen=True, repr=False, eq=False)
class Task:
    """The rows that learners are fitted on and predict.

    Make one with `Task.build`.

    Parameters
    ----------
    frame : Frame
        The variables of the formula, on the rows that are used.
    formula : Formula
    response : Response
    rows : (n,) int64
        Position of each row in the data as given (they differ when rows with NA are omitted).
    weights, loss_weights : (n,) float64, optional
        Of the rows in the fits, and of their losses.
    groups : (n,) array, optional
    origin : Frame, optional
        The full data, from which levels are frozen, where these are some of its rows.
    omitted : int
        Rows of the data as given that were left out for missing values.
    offered : tuple of str
        The names of all columns of the data as given.
    given : Frame, optional
        The variables of the formula, those that it only takes away too, on all rows and as they
        were given, where they are read otherwise here.
    sorted_by : {"", "ICU", "C"}
        How words were sorted that became a factor's levels; empty where there were none.
    grouped_by : str
        The column that `groups` is; empty where it is none.
    own : tuple of Formula
        The formulas that are fitted, where learners have their own.
    """

    frame: frames.Frame
    formula: formulas.Formula
    response: Response
    rows: IntArray
    weights: FloatArray | None = None
    groups: NDArray[Any] | None = None
    origin: frames.Frame | None = None
    omitted: int = 0
    offered: tuple[str, ...] = ()
    given: frames.Frame | None = None
    sorted_by: Literal["", "ICU", "C"] = ""
    grouped_by: str = ""
    own: tuple[formulas.Formula, ...] = ()
    loss_weights: FloatArray | None = None

    def __post_init__(self) -> None:
        for name, part in (
            ("rows", self.rows), ("response", self.response.values), ("weights", self.weights),
            ("groups", self.groups), ("loss_weights", self.loss_weights),
        ):  # fmt: skip
            check_shape(name, part, self.frame.n)

    @classmethod
    def from_fields(cls, **parts: Any) -> Task:
        """What a file holds, if its parts belong together."""
        made = cls(**parts)
        again, held = response_of(formulas.response(made.formula, made.frame), ""), made.response
        if again.name != held.name or not np.array_equal(again.values, held.values):
            raise ValueError("the response is not that of the data")
        for name in made.frame.names:
            column = made.frame[name]
            given = (made.given or made.frame)[name]
            numbers = column.kind == given.kind == "numeric"
            rows = slice(None) if made.given is None else made.rows
            if {column.name, given.name} != {name} or (
                numbers and not np.array_equal(column.values, given.values[rows], equal_nan=True)
            ):
                raise ValueError(f"the column {name!r} is not as it was read")
        return made

    def __repr__(self) -> str:
        return f"<Task {self.formula.text}: {self.n} rows>"

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def __len__(self) -> int:
        return self.n

    @classmethod
    def build(
        cls,
        formula: str | None = None,
        data: Any = None,
        *,
        X: Any = None,
        y: Any = None,
        weights: Any = None,
        loss_weights: Any = None,
        groups: Any = None,
        na: NA = "raise",
        beside: Collection[str] = (),
        levels: Collation = "ICU",
        classes: bool = False,
        own: Collection[str] = (),
    ) -> Task:
        """Read data given as formula and frame, or as X and y.

        Parameters
        ----------
        formula : str, optional
            R's formula, such as ``"y ~ ."``.
        data : frame, optional
            pandas, polars, or a dict of columns.
        X, y : optional
            Predictors (2-D array or frame) and response, instead of formula and data.
        weights, loss_weights, groups : str or sequence, optional
            A column of `data`, by name or as ``data["g"]``, or one value per row. A column of the
            data is then no predictor unless the formula names it: ``.`` leaves it out. In R,
            ``lm(y ~ ., data, weights = w)`` counts it among the predictors.
            Weights of the losses weigh their means, True those of the fits.
        na : {"raise", "omit", "pass"}
            What to do with rows that have a missing value in a variable that is used; "pass"
            hands missing predictors to learners that take them.
        beside : collection of str, optional
            Names by which a learner means columns of `data` besides those of the formula; ``.``
            leaves them out too.
        levels : {"ICU", "C"}
            How words are sorted that become a factor's levels: as R does in its usual UTF-8
            sessions, or by code point, as R does in the C locale. Categories keep their order.
        classes : bool
            Whether a learner is for classes only: a response of 0 and 1 is two classes then, as a
            response of words is for every learner.
        own : collection of str
            The formulas that are fitted, where learners have their own, of the same response. A
            row that misses a value in a column of one of them is left out for all. Without
            `formula` that of the task names all columns that they use.

        Examples
        --------
        >>> task = Task.build("y ~ x", {"x": [1.0, 2.0, 3.0], "y": [1.0, 4.0, 9.0]})
        >>> task.n, task.response.kind, task.design().columns
        (3, 'continuous', ('(Intercept)', 'x'))
        """
        check_word("na", na, get_args(NA))
        check_word("levels", levels, get_args(Collation))
        labels = frames.row_labels(data if X is None else X)
        y = frames.in_rows_of(labels, y, "y")
        text, frame = formula_and_frame(formula, data, X, y, own)
        if loss_weights is True:
            loss_weights = _same_weights(weights)
        given = {"weights": weights, "loss_weights": loss_weights, "groups": groups}
        extra = {name: frames.in_rows_of(labels, of, name) for name, of in given.items()}
        columns = {k: extra_column(k, v, frame) for k, v in extra.items() if v is not None}
        taken = [c for c in columns.values() if frame.columns.get(c.name) is c]
        further = [name for name in frame.names if name in beside]
        apart = [*(c.name for c in taken), *further]
        read = [formulas.parse(one, frame.names, apart) for one in own]
        parsed = formulas.parse(of_all(read) if text is None else text, frame.names, apart)
        each = [parsed, *read]
        refuse_other_responses(each)
        used = frame.select(dict.fromkeys((*(n for f in each for n in f.variables), *further)))
        removed = dict.fromkeys(name for f in each for name in f.removed)
        taken_away = [frame[n].rename(f"{n} (only taken away)") for n in removed]
        may_miss = {n for f in each for n in f.predictors} if na == "pass" else set()
        sure = [used[name] for name in used.names if name not in may_miss - {*further}]
        beyond = [*taken_away, *columns.values()]
        keep = complete_rows(used.n, [*sure, *beyond], na)
        others = [*(used[name] for name in further), *beyond]
        tell_rows_lost(read, used, len(keep), complete_rows(used.n, others, "omit"))
        _tell_doubts(each, used, by_arrays=X is not None)
        whole = dict.fromkeys((*used.names, *removed))
        as_read = used = used if len(keep) == used.n else used.take(keep)
        used, sorted_by = _sorted_words(used, each, levels)
        used, of_classes = with_classes(used, parsed, levels, classes)
        response = response_of(formulas.response(parsed, used), parsed.text)
        return cls(
            frame=used,
            formula=parsed,
            response=response,
            rows=keep,
            weights=_of(columns, "weights", keep),
            loss_weights=_of(columns, "loss_weights", keep),
            groups=codes_of(columns["groups"])[keep] if "groups" in columns else None,
            omitted=frame.n - len(keep),
            offered=frame.names,
            given=None
            if used is as_read and len(whole) == len(used.names) and len(keep) == frame.n
            else frame.select(whole),
            sorted_by=sorted_by or of_classes,
            grouped_by=columns["groups"].name if columns.get("groups") in taken else "",
            own=tuple(read),
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """The formulas that are fitted, as they were written."""
        return tuple(one.text for one in self.own) or (self.formula.text,)

    @property
    def weights_used(self) -> str:
        """What weights did: they enter the fits, and the risk only where that was asked for.

        Examples
        --------
        >>> Task.build("y ~ x", {"x": [1.0, 2.0], "y": [1.0, 4.0]}).weights_used
        'none'
        """
        if self.loss_weights is None:
            return "none" if self.weights is None else "in the fits, not in the losses"
        return "in the losses" if self.weights is None else "in the fits and in the losses"

    def under(self, text: str) -> Task:
        """The same rows under another formula of the same response, whose columns they have.

        Examples
        --------
        >>> task = Task.build("y ~ x", {"x": [1.0, 2.0, 3.0], "y": [1.0, 4.0, 9.0]})
        >>> task.under("y ~ x + I(x^2)").design().columns
        ('(Intercept)', 'x', 'I(x^2)')
        """
        parsed = formulas.parse(text, self.formula.names, self.formula.beside)
        refuse_other_responses([self.formula, parsed])
        absent = [name for name in parsed.variables if name not in self.frame.names]
        if absent:
            raise InputError(
                f"the rows were read without the column {absent[0]!r}.",
                given=f"{text}, on rows read for {self.formula.text}",
                fix="give the learner with its formula to the procedure that reads the data",
            )
        used = {*parsed.variables, *parsed.beside}
        names = [name for name in self.frame.names if name in used]
        origin = None if self.origin is None else self.origin.select(names)
        return replace(self, frame=self.frame.select(names), origin=origin, formula=parsed, own=())

    @cached_property
    def incomplete(self) -> int:
        """How many rows have a missing predictor; none, unless ``na="pass"`` kept them."""
        return int((~self.frame.complete(self.formula.predictors)).sum())

    @cached_property
    def _encoders(self) -> dict[str, formulas.Encoder]:
        return {}

    @cached_property
    def _designs(self) -> dict[str, formulas.Design]:
        return {}

    def encoder(self, coding: Coding = "contrasts") -> formulas.Encoder:
        """The encoder of the predictors, levels frozen from all rows."""
        if coding not in self._encoders:
            source = self.frame if self.origin is None else self.origin
            self._encoders[coding] = formulas.Encoder(self.formula, source, coding)
        return self._encoders[coding]

    def design(self, coding: Coding = "contrasts") -> formulas.Design:
        """The design matrix of all rows (terms computed from data: from all rows)."""
        if coding not in self._designs:
            encoder = self.encoder(coding)
            self._designs[coding] = encoder.fit(self.frame).matrix(self.frame)
        return self._designs[coding]

    def matrices(
        self, coding: Coding, train: IntArray, new: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Design matrices of training and new rows; data-dependent terms see `train` only."""
        encoder = self.encoder(coding)
        if encoder.stateless:
            X = self.design(coding).X
            return X.take(train, axis=0), X.take(new, axis=0)
        rows = self.frame.take(train)
        fitted = encoder.fit(rows)
        return fitted.matrix(rows).X, fitted.matrix(self.frame.take(new)).X

    def take(self, rows: IntArray) -> Task:
        """The task on some of its rows; factor levels stay as they are."""
        taken = Task(
            frame=self.frame.take(rows),
            formula=self.formula,
            response=replace(self.response, values=self.response.values[rows]),
            rows=self.rows[rows],
            weights=None if self.weights is None else self.weights[rows],
            groups=None if self.groups is None else self.groups[rows],
            origin=self.frame if self.origin is None else self.origin,
            grouped_by=self.grouped_by,
            loss_weights=None if self.loss_weights is None else self.loss_weights[rows],
        )
        vars(taken)["_encoders"] = self._encoders  # frozen from the same rows
        return taken

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the data, the formula, the weights and the groups."""
        import hashlib

        digest = hashlib.sha256(self.frame.fingerprint.encode())
        digest.update(self.formula.text.encode())
        for part in (self.weights, self.groups):
            if part is not None and part.dtype == object:  # words, of which it holds places
                digest.update("\0".join(part).encode())
            else:
                digest.update(b"-" if part is None else part.tobytes())
        if self.loss_weights is not None:
            digest.update(b"losses" + self.loss_weights.tobytes())
        return digest.hexdigest()


def _of(columns: dict[str, frames.Column], name: str, keep: IntArray) -> FloatArray | None:
    """The weights of a name, where they are given."""
    return weights_of(columns[name], keep) if name in columns else None


def _same_weights(weights: Any) -> Any:
    """The weights of the fits, for the losses too."""
    if weights is None:
        raise InputError(
            "loss_weights=True weighs losses as the fits, and these have no weights.",
            fix="weights=..., or loss_weights= a column or one number per row",
        )
    return weights


def _tell_doubts(read: Sequence[formulas.Formula], used: frames.Frame, by_arrays: bool) -> None:
    """Say which factors look as if they were none, and refuse to compute with spoiled numbers."""
    for node, formula in {node: one for one in reversed(read) for node in one.expressions}.items():
        columns = [used[name] for name in columns_in(node)]
        if isinstance(node, Name) and columns[0].kind == "numeric":
            continue
        spoiled = next((found for column in columns if (found := misread(column))), None)
        if isinstance(node, Name) or (isinstance(node, Call) and node.function in MAKERS):
            doubt = spoiled or many_levels(columns[0], None if by_arrays else formula)
            if doubt is not None:
                warn(doubt.problem, given=doubt.given, fix=doubt.advice)
        elif spoiled is not None:
            try:
                freeze(node, used, "contrasts")
            except DataError:
                raise DataError(spoiled.problem, given=spoiled.given, fix=spoiled.advice) from None


def _sorted_words(
    used: frames.Frame, read: Sequence[formulas.Formula], levels: Collation
) -> tuple[frames.Frame, Literal["", "ICU", "C"]]:
    """Words sort themselves by ICU; where they shall not, they become factors now."""
    names = dict.fromkeys(name for one in read for name in one.variables)
    words = [used[name] for name in names if used[name].of_words]
    words = [column for column in words if read[0].response != Name(column.name)]
    if levels == "C":
        for column in words:
            used = used.with_column(frames.Column(column.name, "factor", *column.as_factor("C")))
    return used, levels if words else ""
