"""Which pictures a result has, and drawing one of them."""

from __future__ import annotations

import difflib
import inspect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.errors import InputError, IntervalError, PycvstatWarning
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals import METHODS, Interval, legal_methods
from pycvstat.intervals.from_losses import LossResult
from pycvstat.intervals.paired import Paired
from pycvstat.losses import LossTable
from pycvstat.parity.table import Crosscheck
from pycvstat.procedures.audit import Audit
from pycvstat.procedures.compare import Comparison
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.error_curve import ErrorCurve
from pycvstat.procedures.learning_curve import LearningCurve
from pycvstat.procedures.nested import NestedResult
from pycvstat.procedures.tune import TuneResult
from pycvstat.report.plots import curves, folds, forest, losses, predictions
from pycvstat.report.plots.style import house_style, label, literal, new_axes
from pycvstat.report.words import loss_label, parameters
from pycvstat.simulate.interval_coverage import Coverage

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Size = tuple[float, float]
WIDE: Size = (4.6, 2.9)


@dataclass(frozen=True)
class Kind:
    """A picture: how it is drawn, and how large it is when no Axes are given."""

    draw: Callable[..., Axes]
    size: Size = WIDE


def plot(result: Any, kind: str | None = None, *, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw a result.

    Parameters
    ----------
    result : any result
    kind : str, optional
        The name of a picture of this result; the first of `kinds_of` by default.
    ax : matplotlib Axes, optional
        Where to draw; a new pyplot figure by default.
    **options
        Of the picture.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> ax = plot(FoldPlan.from_fold_ids([1, 1, 2, 2]))
    >>> ax.get_xlabel()
    'row of the data'
    """
    kinds = kinds_of(result)
    name = next(iter(kinds)) if kind is None else kind
    if name not in kinds:
        raise _unknown("picture", name, list(kinds), result)
    chosen = kinds[name]
    known = [p for p in inspect.signature(chosen.draw).parameters if p != "ax"]
    for option in options:
        if option not in known:
            raise _unknown(f"option of the picture {name!r}", option, known, result)
    _check_axes(ax)
    with house_style():
        return literal(chosen.draw(new_axes(chosen.size) if ax is None else ax, **options))


def _unknown(what: str, name: Any, known: list[str], result: Any) -> InputError:
    near = difflib.get_close_matches(str(name), known, n=1)
    return InputError(
        f"there is no {what} called {name!r}." if what == "picture" else f"no {what}: {name!r}.",
        given=f"{name!r} for a {type(result).__name__}",
        fix=f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(known) or 'none'}",
    )


def _check_axes(ax: Any) -> None:
    from matplotlib.axes import Axes

    if ax is not None and not isinstance(ax, Axes):
        raise InputError(
            "ax must be matplotlib Axes.",
            given=type(ax).__name__,
            fix="figure, ax = plt.subplots(); result.plot(ax=ax)",
        )


@singledispatch
def kinds_of(result: Any) -> dict[str, Kind]:
    """The pictures of a result by name, the usual one first."""
    raise InputError("this kind of result has no picture.", given=type(result).__name__)


@kinds_of.register
def _(result: FoldPlan) -> dict[str, Kind]:
    return {"map": _map(result)}


def _map(plan: FoldPlan) -> Kind:
    height = 1.1 + 0.16 * min(len(plan), folds.FITS)
    return Kind(lambda ax: folds.fold_map(ax, plan), (4.6, height))


@kinds_of.register
def _(result: CVResult) -> dict[str, Kind]:
    kinds = _loss_kinds(result.table)
    kinds |= _prediction_kinds(result)
    return kinds | {"map": _map(result.plan)}


def _loss_kinds(table: LossTable) -> dict[str, Kind]:
    def fold_errors(ax: Axes, method: str = "auto", level: float = 0.95) -> Axes:
        found = usual_interval(table, method, level)
        return losses.fold_errors(
            ax, _fold_rows(table), float(table.estimate()[0]), found, table.loss
        )

    def distribution(ax: Axes) -> Axes:
        per_row = table.per_row()[:, 0]
        return losses.loss_distribution(
            ax, per_row[~np.isnan(per_row)], float(table.estimate()[0]), table.loss
        )

    several = len(table.plan) > 1 and table.plan.n_test.max() > 1
    kinds = {"folds": Kind(fold_errors)} if several else {}
    kinds["losses"] = Kind(distribution)
    if len(table.plan) > 1 or legal_methods(table):
        kinds["intervals"] = _intervals(table)
    if table.plan.kind == "nested_pairs":
        kinds["inflation"] = Kind(lambda ax: _inflation(ax, table))
    return kinds


def _fold_rows(table: LossTable) -> Any:
    from pycvstat.procedures.quantities import fold_rows

    return fold_rows(table)


def usual_interval(table: Any, method: str = "auto", level: float = 0.95) -> Interval | None:
    """The interval of a table, or None where ``method="auto"`` finds none legal."""
    from pycvstat.intervals import interval

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        try:
            return interval(table, method, level)
        except IntervalError:
            if method != "auto":
                raise
            return None


def _intervals(table: LossTable) -> Kind:
    names = [
        name
        for name in legal_methods(table)
        if METHODS[name].needs != "predictions" and "bounds" not in METHODS[name].options
    ]

    def draw(ax: Axes, methods: Sequence[str] | None = None, level: float = 0.95) -> Axes:
        import pandas as pd

        found = [usual_interval(table, name, level) for name in methods or names]
        rows = pd.concat([f.tidy() for f in found if f is not None], ignore_index=True)
        labels = [f"{m}, {t}" for m, t in zip(rows["method"], rows["target"], strict=True)]
        words = f"{loss_label(table.loss)}, {100 * level:g} % intervals"
        return forest.forest(ax, rows, labels, words)

    return Kind(draw, (5.6, 0.9 + 0.3 * max(1, len(names))))


def _inflation(ax: Axes, table: LossTable) -> Axes:
    found = usual_interval(table, "ncv")
    assert found is not None
    return losses.running_inflation(
        ax, found.details["running_inflation"], found.details["inflation"]
    )


def _prediction_kinds(result: CVResult) -> dict[str, Kind]:
    p, response = result.table.predictions, result.task.response
    if p is None:
        return {}
    if not response.levels:
        return {
            "residuals": Kind(lambda ax: predictions.residuals(ax, result.augment(), response.name))
        }
    if p.prob is None:
        return {}
    return {"calibration": Kind(lambda ax: _calibration(ax, result), (3.6, 3.6))}


def _calibration(ax: Axes, result: CVResult) -> Axes:
    response = result.task.response
    tested, probability = mean_probabilities(result.table)
    return predictions.calibration(ax, probability, response.values[tested], response.levels)


def mean_probabilities(table: LossTable) -> tuple[Any, Any]:
    """Tested rows, and their out-of-fold class probabilities averaged over repetitions."""
    assert table.predictions is not None
    assert table.predictions.prob is not None
    prob, plan = table.predictions.prob[0], table.plan
    total = np.zeros((plan.n, prob.shape[1]))
    np.add.at(total, plan.rows, prob)
    times = np.bincount(plan.rows, minlength=plan.n)
    tested = np.flatnonzero(times)
    return tested, total[tested] / times[tested, None]


@kinds_of.register
def _(result: NestedResult) -> dict[str, Kind]:
    params = parameters(result.candidates)
    inner = result.inner_plans[0] if result.inner_plans else None
    strips = min(len(result.plan), 12) + (0 if inner is None else min(len(inner), 12) + 1.5)
    own = {
        "curves": Kind(
            lambda ax: curves.inner_curves(ax, result.tidy("inner"), params, result.table.loss)
        ),
        "selection": Kind(lambda ax: predictions.selection(ax, result.selection(), params)),
        "diagram": Kind(
            lambda ax: folds.nested_diagram(ax, result.plan, inner, "tune"),
            (4.6, 1.1 + 0.17 * strips),
        ),
        "tuning": Kind(lambda ax: _tuning(ax, result.retuned)),
    }
    return own | kinds_of.dispatch(CVResult)(result)


@kinds_of.register
def _(result: TuneResult) -> dict[str, Kind]:
    return {"curve": Kind(lambda ax: _tuning(ax, result)), "map": _map(result.plan)}


def _tuning(ax: Axes, result: TuneResult) -> Axes:
    return curves.tuning_curve(ax, result.tidy(), parameters(result.candidates), result.means.loss)


@kinds_of.register
def _(result: ErrorCurve) -> dict[str, Kind]:
    params = parameters(result.candidates)
    return {
        "curve": Kind(lambda ax: curves.error_curve(ax, result.tidy(), params, result.loss)),
        "map": _map(result.plan),
    }


@kinds_of.register
def _(result: LearningCurve) -> dict[str, Kind]:
    return {
        "curve": Kind(lambda ax: curves.learning_curve(ax, result.tidy(), result.loss)),
        "map": _map(result.plan),
    }


@kinds_of.register
def _(result: Comparison) -> dict[str, Kind]:
    tables = {name: r.table for name, r in result.results.items()}
    return _comparing(tables, result) | {"map": _map(result.plan)}


@kinds_of.register
def _(result: LossResult) -> dict[str, Kind]:
    if len(result.tables) > 1:
        return _comparing(result.tables, result)
    return _loss_kinds(result.table) | {"map": _map(result.plan)}


def _comparing(tables: dict[str, LossTable], result: Any) -> dict[str, Kind]:
    names = list(tables)
    loss = tables[names[0]].loss

    def all_intervals(ax: Axes, method: str = "auto", level: float = 0.95) -> Axes:
        rows = interval_rows(tables, method, level)
        return forest.forest(ax, rows, names, f"{loss_label(loss)}, {100 * level:g} % intervals")

    def one_pair(
        ax: Axes,
        a: str | None = None,
        b: str | None = None,
        method: str = "auto",
        level: float = 0.95,
    ) -> Axes:
        first, second = _two(names, a, b)
        found = result.paired(first, second, method=method, level=level)
        by_fold = tables[first].fold_means()[:, 0] - tables[second].fold_means()[:, 0]
        words = f"{loss_label(loss)}: {label(first)} minus {label(second)}"
        return forest.differences(ax, by_fold, found.tidy().iloc[0], words)

    def critical(ax: Axes, alpha: float = 0.05, adjust: str = "holm") -> Axes:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PycvstatWarning)
            pairs = result.pairs(adjust=adjust)
            rows = interval_rows(tables).assign(method=names)
        return forest.critical_difference(
            ax,
            rows,
            pairs,
            alpha,
            f"{loss_label(loss)}; bars join methods with adjusted p ≥ {alpha:g}",
        )

    kinds = {"forest": Kind(all_intervals, (5.2, 0.9 + 0.3 * len(names)))}
    if len(names) > 1:
        kinds["paired"] = Kind(one_pair, (4.6, 2.2))
        kinds["critical"] = Kind(critical, (4.6, 1.1 + 0.35 * len(names)))
    return kinds


def _two(names: list[str], a: str | None, b: str | None) -> tuple[str, str]:
    first = names[0] if a is None else a
    return first, next(n for n in names if n != first) if b is None else b


def interval_rows(tables: dict[str, LossTable], method: str = "auto", level: float = 0.95) -> Any:
    """Estimate and interval by method; NaN limits where no interval is legal."""
    import pandas as pd

    rows = []
    for table in tables.values():
        found = usual_interval(table, method, level)
        rows.append(
            {
                "estimate": float(table.estimate()[0]),
                "std_error": np.nan if found is None else found.std_error,
                "conf_low": np.nan if found is None else found.low,
                "conf_high": np.nan if found is None else found.high,
                "method": "none" if found is None else found.method,
            }
        )
    return pd.DataFrame(rows)


@kinds_of.register
def _(result: Interval) -> dict[str, Kind]:
    return {"forest": Kind(lambda ax: _single(ax, result, result.method), (5.6, 1.2))}


@kinds_of.register
def _(result: Paired) -> dict[str, Kind]:
    name = f"{result.names[0]} minus {result.names[1]}"

    def draw(ax: Axes) -> Axes:
        from pycvstat.report.plots.style import INK

        _single(ax, result.interval, name)
        ax.axvline(0, color=INK, linewidth=0.8, linestyle=(0, (2, 2)))
        return ax

    return {"forest": Kind(draw, (5.6, 1.2))}


def _single(ax: Axes, found: Interval, name: str) -> Axes:
    words = f"{found.metric}, {100 * found.level:g} % interval for {found.target}"
    return forest.forest(ax, found.tidy(), [name], words)


@kinds_of.register
def _(result: Crosscheck) -> dict[str, Kind]:
    from pycvstat.report.plots.agreement import agreement

    size = (4.6, 0.9 + 0.22 * max(1, len(result.rows)))
    return {"differences": Kind(lambda ax: agreement(ax, result.tidy()), size)}


@kinds_of.register
def _(result: Coverage) -> dict[str, Kind]:
    size = (4.6, 1.2 + 0.25 * len(result.targets))
    return {"coverage": Kind(lambda ax: forest.coverage(ax, result.tidy()), size)}


@kinds_of.register
def _(result: Audit) -> dict[str, Kind]:
    kind = Kind(lambda ax: losses.skill_of_permutations(ax, result.skill), (4.6, 2.2))
    return {"skill": kind, "map": _map(result.plan)}
