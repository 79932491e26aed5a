"""Pictures of several methods, of intervals, cross-checks, coverage and audits."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pycvstat.errors import PycvstatWarning
from pycvstat.intervals import Interval
from pycvstat.intervals.from_losses import LossResult
from pycvstat.intervals.paired import Adjust, Paired, all_pairs, paired
from pycvstat.losses import LossTable, loss_label
from pycvstat.procedures.audit import Audit
from pycvstat.procedures.compare import Comparison
from pycvstat.r.check.suite import ParitySuite
from pycvstat.r.check.table import Crosscheck
from pycvstat.report.plots import forest, losses
from pycvstat.report.plots.kinds import Kind, kinds_of, unknown
from pycvstat.report.plots.limits import interval_rows
from pycvstat.report.plots.of_risks import loss_kinds, map_kind
from pycvstat.report.plots.style import label
from pycvstat.simulate.interval_coverage import Coverage

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@kinds_of.register
def _(result: Comparison) -> dict[str, Kind]:
    tables = {name: r.table for name, r in result.results.items()}
    return _comparing(tables) | {"map": map_kind(result.plan)}


@kinds_of.register
def _(result: LossResult) -> dict[str, Kind]:
    if len(result.tables) > 1:
        return _comparing(result.tables)
    return loss_kinds(result.table) | {"map": map_kind(result.plan)}


def _comparing(tables: Mapping[str, LossTable]) -> dict[str, Kind]:
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
        names_of = (first, second)
        found = paired(tables[first], tables[second], names=names_of, method=method, level=level)
        by_fold = tables[first].fold_means()[:, 0] - tables[second].fold_means()[:, 0]
        words = f"{loss_label(loss)}: {label(first, 18)} minus {label(second, 18)}"
        return forest.differences(ax, by_fold, found.tidy().iloc[0], words)

    def critical(
        ax: Axes, alpha: float = 0.05, adjust: Adjust = "holm", method: str = "auto"
    ) -> Axes:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PycvstatWarning)
            pairs = all_pairs(tables, method=method, adjust=adjust)
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
    for name in (a, b):
        if name is not None and name not in names:
            raise unknown("method", name, names)
    first = names[0] if a is None else a
    return first, next(n for n in names if n != first) if b is None else b


@kinds_of.register
def _(result: Interval) -> dict[str, Kind]:
    return {"forest": Kind(lambda ax: _single(ax, result, result.method), (4.6, 1.2))}


@kinds_of.register
def _(result: Paired) -> dict[str, Kind]:
    name = f"{result.names[0]} minus {result.names[1]}"

    def draw(ax: Axes) -> Axes:
        from pycvstat.report.plots.style import INK

        _single(ax, result.interval, name)
        ax.axvline(0, color=INK, linewidth=0.8, linestyle=(0, (2, 2)))
        return ax

    return {"forest": Kind(draw, (4.6, 1.2))}


def _single(ax: Axes, found: Interval, name: str) -> Axes:
    words = f"{found.metric}, {100 * found.level:g} % interval for {found.target}"
    return forest.forest(ax, found.tidy(), [name], words)


@kinds_of.register
def _(result: Crosscheck) -> dict[str, Kind]:
    from pycvstat.report.plots.agreement import agreement

    size = (4.6, 0.9 + 0.22 * max(1, len(result.rows)))
    return {"differences": Kind(lambda ax: agreement(ax, result.tidy()), size)}


@kinds_of.register
def _(result: ParitySuite) -> dict[str, Kind]:
    from pycvstat.report.plots.agreement import by_room

    size = (4.6, 0.9 + 0.22 * max(1, len(result.rooms)))
    return {"differences": Kind(lambda ax: by_room(ax, result.tidy()), size)}


@kinds_of.register
def _(result: Coverage) -> dict[str, Kind]:
    size = (4.6, 1.2 + 0.25 * len(result.targets))
    return {"coverage": Kind(lambda ax: forest.coverage(ax, result.tidy()), size)}


@kinds_of.register
def _(result: Audit) -> dict[str, Kind]:
    kind = Kind(lambda ax: losses.skill_of_permutations(ax, result.skill), (4.6, 2.2))
    return {"skill": kind, "map": map_kind(result.plan)}
