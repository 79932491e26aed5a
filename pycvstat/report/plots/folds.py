"""Which rows train, validate and test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.report.numbers import count, sizes
from pycvstat.report.plots.style import AMBER, BLUE, INK, PALE, legend_above
from pycvstat.types import IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pycvstat.folds.plan import FoldPlan

ROWS, FITS = 200, 30  # of the data and of the plan that are drawn


@dataclass(frozen=True, eq=False)
class Strip:
    """One horizontal strip of the picture: rows by the part they play in a fit."""

    y: float
    train: IntArray
    validate: IntArray
    test: IntArray


_NONE = np.empty(0, dtype=np.int64)


def fold_map(ax: Axes, plan: FoldPlan) -> Axes:
    """One strip per fit: the rows it trains on and the rows it is tested on."""
    fits = range(min(len(plan), FITS))
    strips = [Strip(i, _training(plan, i), _NONE, plan.test_rows(i)) for i in fits]
    _draw(ax, strips, plan.n)
    _number(ax, strips, [fit_name(plan, i) for i in fits])
    ax.set_ylabel("fold" if plan.times == 1 else "repeat.fold")
    more = len(plan) - len(fits)
    if more:
        ax.set_xlabel(f"{ax.get_xlabel()}; the first {len(fits)} of {len(plan)} fits")
    return ax


def _training(plan: FoldPlan, i: int) -> IntArray:
    """Training rows of a fit among those that are drawn: a plan can have billions."""
    if plan.train is not None:
        return plan.train[i]
    return np.setdiff1d(np.arange(min(plan.n, ROWS)), plan.test_rows(i))


def nested_diagram(ax: Axes, outer: FoldPlan, inner: FoldPlan | None, rule: str) -> Axes:
    """The outer fits, and below them the inner fits on the training rows of the first one."""
    fits = range(min(len(outer), 12))
    pairs = [outer.pair(i) for i in fits]
    strips = [Strip(i, train, _NONE, test) for i, (train, test) in enumerate(pairs)]
    names = [fit_name(outer, i) for i in fits]
    if inner is not None:
        base, top = pairs[0][0], len(fits) + 2.0
        inside = range(min(len(inner), 12))
        validated = [inner.pair(j) for j in inside]
        strips += [
            Strip(top + j, base[train], base[test], _NONE)
            for j, (train, test) in enumerate(validated)
        ]
        names += [fit_name(inner, j) for j in inside]
        words = f"inside outer fit 1: {rule}, then retrain on all its rows"
        _say(ax, len(fits) + 0.5, words, ha="left", fontsize=8, style="italic", color=INK)
    _draw(ax, strips, outer.n)
    _number(ax, strips, names)
    beside: dict[str, Any] = {"xytext": (-30, 0), "textcoords": "offset points", "ha": "center"}
    beside |= {"rotation": 90, "annotation_clip": False}
    _say(ax, (len(fits) - 1) / 2, "outer fits", **beside)
    if inner is not None:
        _say(ax, (strips[len(fits)].y + strips[-1].y) / 2, "inner fits", **beside)
    return ax


def _say(ax: Axes, y: float, words: str, **how: Any) -> None:
    """Words at the left end of a height."""
    ax.annotate(words, (0, y), xycoords=ax.get_yaxis_transform(), va="center", **how)


def fit_name(plan: FoldPlan, i: int) -> str:
    """The number of a fit's fold from 1, after that of its repetition where there are several."""
    fold = str(int(plan.fold[i]) + 1)
    return fold if plan.times == 1 else f"{int(plan.repeat[i]) + 1}.{fold}"


def _draw(ax: Axes, strips: Sequence[Strip], n: int) -> None:
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch

    shown = min(n, ROWS)
    handles = []
    for name, colour in (("train", PALE), ("validate", AMBER), ("test", BLUE)):
        bars = [
            [(a + 0.5, s.y - 0.4), (b + 0.5, s.y - 0.4), (b + 0.5, s.y + 0.4), (a + 0.5, s.y + 0.4)]
            for s in strips
            for a, b in runs(getattr(s, name), shown)
        ]
        if bars:
            ax.add_collection(PolyCollection(bars, facecolors=colour, edgecolors="none"))
            handles.append(Patch(color=colour, label=name))
    ax.set_xlim(0.5, shown + 0.5)
    ax.set_ylim(max(s.y for s in strips) + 0.6, -0.6)
    ax.set_xlabel("row of the data" + (f" (the first {shown} of {n})" if shown < n else ""))
    ax.spines["left"].set_visible(False)
    legend_above(ax, handles)


def runs(rows: IntArray, limit: int) -> list[tuple[int, int]]:
    """Runs of neighbouring rows below a limit, as (first, one past the last).

    Examples
    --------
    >>> runs(np.array([0, 1, 2, 5, 9]), 9)
    [(0, 3), (5, 6)]
    """
    rows = rows[rows < limit]
    if rows.size == 0:
        return []
    pieces = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
    return [(int(piece[0]), int(piece[-1]) + 1) for piece in pieces]


def _number(ax: Axes, strips: Sequence[Strip], names: Sequence[str]) -> None:
    ax.set_yticks([strip.y for strip in strips], names)
    ax.tick_params(axis="y", length=0)


def tell_folds(plan: FoldPlan) -> str:
    """The fold map in words."""
    return (
        f"Map of {count(len(plan), 'fit')} over {count(plan.n, 'row')}: each fit trains on "
        f"{sizes(plan.n_train)} rows and is tested on {sizes(plan.n_test)}."
    )
