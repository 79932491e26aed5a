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
from pycvstat.data.response import Response, many_levels, misread, response_of, with_classes
from pycvstat.errors import Advice, DataError, InputError, InPython, warn
from pycvstat.errors.checks import check_shape, check_word
from pycvstat.types import FloatArray, IntArray

Coding = Literal["contrasts", "kknn"]
NA = Literal["raise", "omit", "pass"]


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
    weights : (n,) float64, optional
    groups : (n,) array, optional
    origin : Frame, optional
        The full data, from which levels are frozen, where these are some of its rows.
    omitted : int
        Rows of the data as given that were left out for missing values.
    offered : tuple of str
        The names of all columns of the data as given.
    sorted_by : {"", "ICU", "C"}
        How words were sorted that became a factor's levels; empty where there were none.
    grouped_by : str
        The column that `groups` is; empty where it is none.
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
    sorted_by: Literal["", "ICU", "C"] = ""
    grouped_by: str = ""

    def __post_init__(self) -> None:
        for name, part in (
            ("rows", self.rows), ("response", self.response.values), ("weights", self.weights),
            ("groups", self.groups),
        ):  # fmt: skip
            check_shape(name, part, self.frame.n)

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
        groups: Any = None,
        na: NA = "raise",
        beside: Collection[str] = (),
        levels: Collation = "ICU",
        classes: bool = False,
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
        weights, groups : str or sequence, optional
            A column of `data`, by name or as ``data["g"]``, or one value per row. A column of the
            data is then no predictor unless the formula names it: ``.`` leaves it out. In R,
            ``lm(y ~ ., data, weights = w)`` counts it among the predictors.
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
        text, frame = _formula_and_frame(formula, data, X, y)
        given = {"weights": weights, "groups": groups}
        extra = {name: frames.in_rows_of(labels, of, name) for name, of in given.items()}
        columns = {k: _extra(k, v, frame) for k, v in extra.items() if v is not None}
        own = [c for c in columns.values() if frame.columns.get(c.name) is c]
        further = [name for name in frame.names if name in beside]
        parsed = formulas.parse(text, frame.names, [*(c.name for c in own), *further])
        used = frame.select(dict.fromkeys((*parsed.variables, *further)))
        taken_away = [frame[n].rename(f"{n} (only taken away)") for n in parsed.removed]
        may_miss = parsed.predictors if na == "pass" else ()
        sure = [used[name] for name in used.names if name not in {*may_miss} - {*further}]
        keep = _complete_rows(used.n, [*sure, *taken_away, *columns.values()], na)
        _tell_doubts(parsed, used, by_arrays=X is not None)
        used = used if len(keep) == used.n else used.take(keep)
        used, sorted_by = _sorted_words(used, parsed, levels)
        used, of_classes = with_classes(used, parsed, levels, classes)
        response = response_of(formulas.response(parsed, used), parsed.text)
        return cls(
            frame=used,
            formula=parsed,
            response=response,
            rows=keep,
            weights=_weights(columns["weights"], keep) if "weights" in columns else None,
            groups=_codes(columns["groups"])[keep] if "groups" in columns else None,
            omitted=frame.n - len(keep),
            offered=frame.names,
            sorted_by=sorted_by or of_classes,
            grouped_by=columns["groups"].name if columns.get("groups") in own else "",
        )

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
            return X[train], X[new]
        rows = self.frame.take(train)
        fitted = encoder.fit(rows)
        return fitted.matrix(rows).X, fitted.matrix(self.frame.take(new)).X

    def take(self, rows: IntArray) -> Task:
        """The task on some of its rows; factor levels stay as they are."""
        return Task(
            frame=self.frame.take(rows),
            formula=self.formula,
            response=replace(self.response, values=self.response.values[rows]),
            rows=self.rows[rows],
            weights=None if self.weights is None else self.weights[rows],
            groups=None if self.groups is None else self.groups[rows],
            origin=self.frame if self.origin is None else self.origin,
            grouped_by=self.grouped_by,
        )

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the data, the formula, the weights and the groups."""
        import hashlib

        digest = hashlib.sha256(self.frame.fingerprint.encode())
        digest.update(self.formula.text.encode())
        for part in (self.weights, self.groups):
            digest.update(b"-" if part is None else np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()


def _formula_and_frame(formula: str | None, data: Any, X: Any, y: Any) -> tuple[str, frames.Frame]:
    by_formula, by_arrays = formula is not None or data is not None, X is not None or y is not None
    if by_formula and by_arrays:
        raise InputError(
            "give either a formula and data, or X= and y=, not both.",
            fix='cross_validate(learner, "y ~ .", data, ...) or cross_validate(learner, X=X, y=y)',
        )
    if by_arrays:
        if X is None or y is None:
            raise InputError("X= and y= belong together.", given="only one of them")
        return _frame_of_arrays(X, y)
    if formula is None or data is None:
        raise InputError(
            "data are missing.",
            given="only a formula" if formula is not None else "no formula",
            fix='give a formula and data, such as ("y ~ .", data), or X= and y=',
        )
    if not isinstance(formula, str):
        raise InputError(
            "the formula must be text.",
            given=type(formula).__name__,
            fix='write "y ~ .", and give arrays by keyword: X=, y=',
        )
    return formula, frames.read(data)


def _frame_of_arrays(X: Any, y: Any) -> tuple[str, frames.Frame]:
    predictors, response = frames.read(X), frames.read_y(y)
    if len(response.values) != predictors.n:
        raise DataError(
            "X and y must have the same number of rows.",
            given=f"{predictors.n} rows in X, {len(response.values)} values in y",
        )
    name = response.name
    while name in predictors.names:
        name += "_"
    return f"{formulas.quote(name)} ~ .", predictors.with_column(response.rename(name))


def _extra(what: str, given: Any, frame: frames.Frame) -> frames.Column:
    if isinstance(given, str):
        if given not in frame.names:
            raise DataError(
                f"the column for {what} is not in the data.",
                given=given,
                fix=f"use one of {', '.join(frame.names[:12])}",
            )
        return frame[given]
    column = frames.read_y(given, what)
    if len(column.values) != frame.n:
        raise DataError(
            f"{what} must have one value per row.",
            given=f"{len(column.values)} values for {frame.n} rows",
        )
    own = frame.columns.get(column.name)
    if isinstance(own, frames.Column) and np.array_equal(own.labels(), column.labels()):
        return own
    return column.rename(what)


def _complete_rows(n: int, columns: Sequence[frames.Column], na: NA) -> IntArray:
    missing = [(c.name, m) for c in columns if (m := c.missing()).any()]
    if n == 0:
        raise DataError("the data have no rows.", given="0 rows")
    if not missing:
        return np.arange(n)
    for name, mask in missing:
        if mask.all():
            raise DataError(f"the column {name!r} is NA in every row.", fix="drop the column")
    bad = np.logical_or.reduce([mask for _, mask in missing])
    if na != "omit":
        counts = ", ".join(dict.fromkeys(f"{name}: {int(mask.sum())}" for name, mask in missing))
        raise DataError(
            f"{int(bad.sum())} of {n} rows have missing values.",
            given=counts,
            fix=Advice(
                "{na} leaves these rows out (as R's lm does)"
                + (
                    "; {} hands missing predictors to learners that take them: estimators such "
                    "as HistGradientBoostingRegressor, pipelines that impute, FromFunctions"
                    if na == "raise"
                    else ""
                ),
                InPython("na='pass'"),
                na="omit",
            ),
        )
    keep = np.flatnonzero(~bad)
    if keep.size == 0:
        raise DataError("no row is complete.", given=f"{n} rows, each with a missing value")
    return keep


def _tell_doubts(formula: formulas.Formula, used: frames.Frame, by_arrays: bool) -> None:
    """Say which factors look as if they were none, and refuse to compute with spoiled numbers."""
    for node in formula.expressions:
        columns = [used[name] for name in columns_in(node)]
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
    used: frames.Frame, formula: formulas.Formula, levels: Collation
) -> tuple[frames.Frame, Literal["", "ICU", "C"]]:
    """Words sort themselves by ICU; where they shall not, they become factors now."""
    words = [used[name] for name in formula.variables if used[name].of_words]
    words = [column for column in words if formula.response != Name(column.name)]
    if levels == "C":
        for column in words:
            used = used.with_column(frames.Column(column.name, "factor", *column.as_factor("C")))
    return used, levels if words else ""


def _weights(column: frames.Column, keep: IntArray) -> FloatArray:
    if column.kind != "numeric":
        raise DataError("weights must be numbers.", given=f"a {column.kind} column")
    values = np.asarray(column.values, dtype=np.float64)[keep]
    if not np.isfinite(values).all() or (values < 0).any() or not (values > 0).any():
        raise DataError(
            "weights must be finite, not negative, and not all zero.",
            given=f"from {values.min():g} to {values.max():g}",
        )
    return values


def _codes(column: frames.Column) -> NDArray[Any]:
    if column.kind in ("factor", "ordered"):
        levels: NDArray[Any] = np.asarray(column.levels, dtype=object)
        return np.asarray(levels[column.values])
    return np.asarray(column.values)
