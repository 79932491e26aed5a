"""The engine: cross-validate a prepared learner over a fold plan and keep every loss."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pycvstat import rmath
from pycvstat.errors import Advice, FitError, LossError, PycvstatError, noted, warn
from pycvstat.errors.checks import as_typed, check_word, short_of_memory
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Prepared
from pycvstat.losses import FoldMeans, Loss, LossTable, Predictions, loss_label
from pycvstat.losses.table import Table, fold_weights
from pycvstat.procedures.notes import AGAIN, refuse_state, tell_not_converged, tell_notes, where
from pycvstat.rmath.sums import TOGETHER, mean_of
from pycvstat.run import Execution, run_tasks
from pycvstat.run.reproducible import one_thread
from pycvstat.types import BoolArray, FloatArray, IntArray

Keep = Literal["all", "fold_means"]
OnError = Literal["raise", "warn"]
GIVEN = ("means", "values", "prob")  # what a fit may give


@dataclass(frozen=True, slots=True)
class Failure:
    """A fit that failed: where, for which parameters, why, and all that its error said."""

    fit: int
    where: str
    params: Mapping[str, Any]
    reason: str
    details: str = ""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one run of the engine gives.

    Parameters
    ----------
    kept : LossTable or FoldMeans
    details : tuple
        What the learner reported, fit by fit.
    failures : tuple of Failure
    inner_plans : tuple of FoldPlan
        What was drawn for each fit of a tuned learner.
    inner_plan : FoldPlan, optional
        What was drawn for tuning it on all rows.
    seed : int, optional
        The seed of the draws; None when nothing was drawn.
    """

    kept: Table
    details: tuple[Any, ...]
    failures: tuple[Failure, ...]
    inner_plans: tuple[FoldPlan, ...] = ()
    inner_plan: FoldPlan | None = None
    seed: int | None = None

    @property
    def table(self) -> LossTable | None:
        """Every loss; None when only fold means were kept."""
        return self.kept if isinstance(self.kept, LossTable) else None

    @cached_property
    def means(self) -> FoldMeans:
        """The fold means."""
        return self.kept.means() if isinstance(self.kept, LossTable) else self.kept


@dataclass(frozen=True, eq=False)
class Work:
    """Everything a fit needs; sent to each worker once."""

    prepared: Prepared
    plan: FoldPlan
    contexts: Sequence[Any]
    y: NDArray[Any]
    loss: Loss
    keep: Keep
    on_error: OnError
    base: IntArray | None = None  # rows of the task that the plan's rows point into
    fold_word: str = "fold"
    weighted: bool = False
    levels: tuple[str, ...] = ()
    loss_weights: FloatArray | None = None  # of the rows of the task

    @property
    def candidates(self) -> tuple[dict[str, Any], ...]:
        """Parameters of every candidate."""
        return tuple(dict(c) for c in self.prepared.candidates)

    def rows(self, i: int) -> tuple[IntArray, IntArray]:
        """Training and test rows of fit `i`, as rows of the task."""
        train, test = self.plan.pair(i)
        return (train, test) if self.base is None else (self.base[train], self.base[test])


def run(
    prepared: Prepared,
    plan: FoldPlan,
    y: NDArray[Any],
    loss: Loss,
    *,
    random: Any = None,
    keep: Keep = "all",
    on_error: OnError = "raise",
    execution: Execution | None = None,
    identity: Mapping[str, Any] | None = None,
    weighted: bool = False,
    levels: tuple[str, ...] = (),
    loss_weights: FloatArray | None = None,
    label: str = "cross-validation",
    check_state: bool = True,
) -> Outcome:
    """Fit and predict every fit of the plan; all random draws come first.

    Parameters
    ----------
    prepared : Prepared
    plan : FoldPlan
    y : (n,) array
        Response values, or class codes.
    loss : Loss
    random : Stream, optional
        Where learners that draw (inner folds) continue drawing.
    keep : {"all", "fold_means"}
    on_error : {"raise", "warn"}
    execution : Execution, optional
    identity : mapping, optional
        Says what the work is, for checkpoints.
    weighted : bool
        Whether weights enter the fits.
    levels : tuple of str
        The names of the classes.
    loss_weights : (n,) float64, optional
    check_state : bool
        Whether to repeat the first fit of a learner that might keep something from fit to fit.
    """
    check_word("on_error", on_error, get_args(OnError))
    execution = execution or Execution()
    contexts = prepared.begin(plan, random)
    told = {"weighted": weighted, "levels": levels, "loss_weights": loss_weights}
    work = Work(prepared, plan, contexts, y, loss, keep, on_error, **told)  # type: ignore[arg-type]
    closed = _closed_form(work)
    if closed is not None and execution.checkpoint is None:
        return closed
    # a closed form leaves nothing to keep, but a checkpoint of other work is refused all the same
    again = check_state and closed is None and prepared.suspect is not None
    results = run_tasks(
        _fit_and_notes,
        work,
        [] if closed is not None else [*range(len(plan)), *[AGAIN] * again],
        execution=execution if closed is None else Execution(checkpoint=execution.checkpoint),
        identity={} if execution.checkpoint is None else {**identity_of(work), **(identity or {})},
        label=label,
        again=again,
    )
    if again:
        first, last = ([fit.get(name) for name in GIVEN] for fit in (results[0], results.pop()))
        refuse_state(prepared.suspect, first, last, _place(work, 0), prepared.repeated)
    return _assemble(work, results) if closed is None else closed


def _fit_and_notes(work: Work, i: int) -> dict[str, Any]:
    if i == AGAIN:
        with warnings.catch_warnings(record=True), noted():  # what it has to say was said
            return fit_one(work, 0, work.prepared.repeated)
    with noted() as said:
        found = fit_one(work, i)
    return found | {"notes": list(dict.fromkeys(said))}


def fit_one(work: Work, i: int, which: Sequence[int] | None = None) -> dict[str, Any]:
    """Fit `i` of the plan: the losses (or their means) of every candidate, or of some."""
    with np.errstate(all="ignore"):  # what is not finite in the end is refused
        try:
            return _evaluate(work, i, which)
        except PycvstatError as error:
            if work.on_error == "raise" or isinstance(error, LossError):
                located = _located(error, work, i)
                raise located from located.__cause__
        return _one_by_one(work, i, which)


def _evaluate(work: Work, i: int, which: Sequence[int] | None) -> dict[str, Any]:
    try:
        return _fitted(work, i, which)
    except MemoryError as error:
        raise short_of_memory("a fit and its predictions", error) from error


def _fitted(work: Work, i: int, which: Sequence[int] | None) -> dict[str, Any]:
    train, test = work.rows(i)
    context, failures = work.contexts[i], list[dict[str, Any]]()
    if work.keep == "fold_means" and len(test) > TOGETHER:  # then `mean_of` sums piece by piece
        details: list[Any] = []

        def pieces() -> Iterator[FloatArray]:
            for part, p in work.prepared.predict_chunks(train, test, which, context):
                details.append(p.detail)
                yield _weighed(work, losses_of(work, p, test[part]).T, test[part], test)
                del p  # before the next one is made

        means = mean_of(pieces(), len(test))
        return {"means": means, "detail": details[-1], "failures": failures}
    p = work.prepared.predict(train, test, which, context)
    losses = losses_of(work, p, test)
    told = {"detail": p.detail, "failures": failures}
    if work.keep == "fold_means":
        return told | {"means": rmath.mean(_weighed(work, losses.T, test, test), axis=0)}
    return told | {"losses": losses, "values": p.values, "prob": p.prob}


def _weighed(work: Work, losses: FloatArray, rows: IntArray, fold: IntArray) -> FloatArray:
    """Losses (m, C) of some rows of a fold, of which the mean over the fold is the weighted one."""
    if work.loss_weights is None:
        return losses
    shares = work.loss_weights[rows] / work.loss_weights[fold].mean()
    return np.asarray(losses * shares[:, None])


def losses_of(work: Work, p: Predictions, rows: IntArray) -> FloatArray:
    """Losses of predictions for rows of the task; refused when they are not finite."""
    if p.values.shape[1:] != (len(rows),):
        given = f"shape {p.values.shape} for {len(rows)} rows"
        raise FitError("the learner returned predictions of the wrong shape.", given=given)
    if not np.isfinite(p.values).all():
        bad = int((~np.isfinite(p.values)).sum())
        given = f"{bad} of {p.values.size} predictions"
        raise FitError("the learner returned predictions that are not finite.", given=given)
    losses = work.loss.pointwise(work.y[rows], p)
    _within_range(work, ~np.isfinite(losses))
    return losses


def _within_range(work: Work, beyond: BoolArray) -> None:
    """Refuse losses, or their sums, that became infinite."""
    if beyond.any():
        raise LossError(
            f"the {loss_label(work.loss.name)} leaves the range of numbers.",
            given=f"{int(beyond.sum())} of {beyond.size} are infinite",
            fix=Advice("change the unit of the response, or use {loss}", loss="absolute"),
        )


def _one_by_one(work: Work, i: int, which: Sequence[int] | None) -> dict[str, Any]:
    """The candidates of a failed fit one at a time, NaN for those that fail."""
    lost = np.full((1, int(work.plan.n_test[i])), np.nan)
    nothing: dict[str, Any] = {"means": np.array([np.nan]), "detail": None}
    if work.keep == "all":
        nothing = {"losses": lost, "values": lost, "prob": None, "detail": None}
    parts: list[dict[str, Any]] = []
    failures: list[dict[str, Any]] = []
    for c in range(len(work.prepared.candidates)) if which is None else which:
        try:
            parts.append(_evaluate(work, i, [c]))
        except PycvstatError as error:
            cause = error.__cause__
            details = "" if cause is None else f"{type(cause).__name__}: {cause}"
            failures.append({"candidate": c, "reason": error.line, "details": details})
            parts.append(nothing)
    joined: dict[str, Any] = {"failures": failures, "detail": parts[-1]["detail"]}
    for name in nothing.keys() - joined.keys():
        arrays = [part[name] for part in parts]
        known = [array for array in arrays if array is not None]
        empty = np.full_like(known[0], np.nan) if known else None
        filled: list[Any] = [empty if array is None else array for array in arrays]
        joined[name] = np.concatenate(filled) if known else None
    return joined


def _place(work: Work, i: int) -> str:
    return f"{where(work.plan, i, work.fold_word)}, {int(work.plan.n_train[i])} training rows"


def _located(error: PycvstatError, work: Work, i: int) -> PycvstatError:
    """The same error, naming the fold and the first candidate that fails there."""
    place = _place(work, i)
    candidates = work.prepared.candidates
    for c in range(len(candidates) if len(candidates) > 1 else 0):
        try:
            _evaluate(work, i, [c])
        except PycvstatError as single:
            error, place = single, f"{place}, {describe(candidates[c])}"
            break
    else:
        place = f"{place}, {describe(candidates[0])}" if candidates[0] else place
    return error.at(place)


def describe(params: Mapping[str, Any]) -> str:
    """Parameters in words, `k=5, kernel='optimal'`."""
    return ", ".join(f"{name}={as_typed(value)}" for name, value in params.items())


def _closed_form(work: Work) -> Outcome | None:
    """All fits at once where the learner has a closed form for the plan."""
    if type(work.prepared).predict_plan is Prepared.predict_plan:
        return None
    try:
        with one_thread(), np.errstate(all="ignore"), noted() as said:
            p = work.prepared.predict_plan(work.plan)
            if p is None:
                return None
            losses = losses_of(work, p, work.plan.rows)
    except (PycvstatError, MemoryError):
        return None  # fit by fit the error names its fold
    for text in dict(reversed(said)).values():  # the first about each
        warn(text)
    table = _table(work, losses, p)
    _within_range(work, np.isinf(table.total()))
    told = p.detail or ()
    tell_notes(work.plan, [[(t, t) for one in fit or () for t in one.notes] for fit in told])
    tell_not_converged(work.plan, told)
    kept = table if work.keep == "all" else table.means()
    return Outcome(kept, told or (None,) * len(work.plan), ())


def _assemble(work: Work, results: Sequence[Mapping[str, Any]]) -> Outcome:
    failures = _failures(work, results)
    details = tuple(r["detail"] for r in results)
    tell_notes(work.plan, [r["notes"] for r in results])
    tell_not_converged(work.plan, details)
    if work.keep == "fold_means":
        stacked = np.stack([r["means"] for r in results])
        sizes = None if (w := work.loss_weights) is None else fold_weights(work.plan, w)
        of = stacked, work.loss.name, work.candidates, work.loss.range, work.weighted
        kept: Table = FoldMeans(work.plan, *of, sizes=sizes)
    else:
        kept = _table(work, np.concatenate([r["losses"] for r in results], axis=1), joined(results))
    _within_range(work, np.isinf(kept.total()))  # NaN stands for a failed fit
    return Outcome(kept, details, failures, *_inner_plans(work))


def joined(fits: Sequence[Mapping[str, Any]]) -> Predictions:
    """The predictions of fits one after another; those of failed ones are NaN."""
    values = np.concatenate([fit["values"] for fit in fits], axis=1)
    given = [fit["prob"] for fit in fits if fit["prob"] is not None]
    without = (fit["values"] for fit in fits if fit["prob"] is None)
    if not given or not all(np.isnan(values).all() for values in without):  # not of failed ones
        return Predictions(values)
    filled = [
        np.full((*fit["values"].shape, given[0].shape[2]), np.nan)
        if fit["prob"] is None
        else fit["prob"]
        for fit in fits
    ]
    return Predictions(values, np.concatenate(filled, axis=1))


def _inner_plans(work: Work) -> tuple[tuple[FoldPlan, ...], FoldPlan | None]:
    """Inner plans of the fits, and the one for all rows."""
    *plans, last = (c if isinstance(c, FoldPlan) else None for c in work.contexts)
    return tuple(c for c in plans if c is not None), last


def _table(work: Work, losses: FloatArray, p: Predictions) -> LossTable:
    loss, range_ = work.loss.name, work.loss.range
    of = losses.T, loss, range_, work.candidates, p, work.y, work.weighted, work.levels
    maker = work.prepared.maker()
    return LossTable(work.plan, *of, weights=work.loss_weights, maker=maker)


def _failures(work: Work, results: Sequence[Mapping[str, Any]]) -> tuple[Failure, ...]:
    candidates = work.prepared.candidates
    found = tuple(
        Failure(i, where(work.plan, i), candidates[f["candidate"]], f["reason"], f["details"])
        for i, result in enumerate(results)
        for f in result["failures"]
    )
    if found:
        first = found[0]
        warn(
            f"{len(found)} fits failed and count as NaN.",
            given=f"first in {', '.join(filter(None, [first.where, describe(first.params)]))}: "
            f"{first.reason}",
        )
    return found


def identity_of(work: Work) -> dict[str, Any]:
    """What the work is besides data and learner, for checkpoints."""
    inner = [plan.fingerprint for plan in _inner_plans(work)[0]]
    return {
        "folds": work.plan.fingerprint,
        "inner_folds": inner,
        "loss": work.loss,
        "candidates": work.prepared.candidates,
        "keep": work.keep,
        "on_error": work.on_error,
    }
