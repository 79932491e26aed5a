"""Folds and what they predict: rows that train and test, errors, residuals, probabilities.

Of probabilities single folds stand behind, all predictions together in front.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pycvstat.intervals.independent import proportion
from pycvstat.losses.metrics import METRICS
from pycvstat.losses.of_probabilities import precision_recall_points, roc_points
from pycvstat.report.numbers import count, sizes
from pycvstat.report.plots.style import (
    AMBER,
    BAND,
    BLUE,
    FAINT,
    INK,
    LIMIT,
    PALE,
    REFERENCE,
    label,
    labelled,
    legend_above,
    series,
    whole_numbers,
)
from pycvstat.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pycvstat.folds.plan import FoldPlan
    from pycvstat.intervals import Interval


def fold_errors(
    ax: Axes,
    table: pd.DataFrame,
    estimate: float,
    interval: Interval | None,
    quantity: str,
    one: str = "fold",
) -> Axes:
    """Mean loss of every fit, which is `one`, their mean, and the interval around the estimate."""
    several = table["repeat"].nunique() > 1
    repeated = several and bool(table.duplicated("repeat").any())
    x = table["repeat" if several else "fold"].to_numpy(dtype=np.float64)
    if interval is not None:
        words = f"{100 * interval.level:g} % interval"
        ax.axhspan(interval.low, interval.high, **BAND, alpha=0.6, label=words)
    ax.axhline(estimate, color=INK, linewidth=0.9, zorder=1, label="mean of fold means")
    colour, size = (FAINT, 3) if repeated else (BLUE, 4)
    ax.plot(x, table["estimate"], "o", color=colour, markersize=size, zorder=2, label=one)
    if repeated:
        means = table.groupby("repeat")["estimate"].mean()
        ax.plot(means.index, means, "s", color=BLUE, zorder=3, label="mean of a repetition")
    whole_numbers(ax.xaxis)
    across = "repetition" if repeated else one
    return labelled(ax, across, f"{quantity}, mean over the {one}")


def loss_distribution(ax: Axes, losses: Any, estimate: float, quantity: str) -> Axes:
    """Histogram of the mean loss of each row."""
    bins = "auto" if len(losses) < 5000 else 60
    ax.hist(losses, bins, color=PALE, edgecolor=FAINT, linewidth=0.6)
    ax.axvline(estimate, color=INK, linewidth=0.9, label="mean of fold means")
    return labelled(ax, f"{quantity} of a row", "rows")


def running_inflation(ax: Axes, values: Any, final: float) -> Axes:
    """The inflation of an NCV interval after each repetition: has it settled?"""
    x = np.arange(1, len(values) + 1)
    ax.plot(x, values, **series(0, len(values)), label="after each repetition")
    ax.axhline(final, color=INK, linewidth=0.9, label=f"used: {final:.3g}")
    ax.axhline(1, **LIMIT, label="1: no inflation")
    whole_numbers(ax.xaxis)
    return labelled(ax, "repetitions", "inflation of the standard error")


def skill_of_permutations(ax: Axes, skill: Any) -> Axes:
    """Skill of a learner on permuted responses, which should scatter around or below 0."""
    values = np.sort(np.asarray(skill, dtype=np.float64))
    ax.plot(values, np.arange(1, values.size + 1), "o", color=BLUE, label="a permutation")
    ax.axvline(0, **REFERENCE, label="no skill")
    ax.axvline(values.mean(), color=FAINT, linewidth=0.9, label="mean")
    return labelled(ax, "skill on permuted responses", "permutation, in order")


def residuals(ax: Axes, x: FloatArray, y: FloatArray, response: str, unit: str = "") -> Axes:
    """Residuals y against out-of-fold predictions x, with means of equally large groups."""
    many = len(x) > 500
    size, alpha = (2, 0.35) if many else (3.5, 0.7)
    look: dict[str, Any] = {"markersize": size, "alpha": alpha, "markeredgewidth": 0}
    ax.plot(x, y, "o", color=BLUE, rasterized=len(x) > 5000, label="row", **look)
    ax.axhline(0, color=INK, linewidth=0.8)
    middle, mean = group_means(x, y)
    if middle.size > 2:
        ax.plot(middle, mean, **series(1), label="mean of a group")
    return labelled(
        ax, f"out-of-fold prediction of {label(response)}{unit}", f"observed minus predicted{unit}"
    )


def group_means(x: FloatArray, y: FloatArray, groups: int = 8) -> tuple[FloatArray, FloatArray]:
    """Means of x and y in groups of equal size by order of x (at least 10 rows in each).

    Examples
    --------
    >>> x = np.arange(40.0)
    >>> group_means(x, -x)[0]
    array([ 4.5, 14.5, 24.5, 34.5])
    """
    count = max(1, min(groups, len(x) // 10))
    parts = np.array_split(np.argsort(x, kind="stable"), count)
    return np.array([x[p].mean() for p in parts]), np.array([y[p].mean() for p in parts])


GROUPS = 10
BAR = 0.15  # height of the largest bar of the histogram of probabilities
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Scored:
    """A class, which rows are of it, and their out-of-fold probabilities.

    Parameters
    ----------
    name : str
    event : (N,) bool
    score : (N,) float64
    fit : (N,) int64
        Which fit predicted the row.
    times : int
        How often every row was predicted.
    """

    name: str
    event: BoolArray
    score: FloatArray
    fit: IntArray
    times: int = 1

    def folds(self) -> Iterator[tuple[BoolArray, FloatArray]]:
        """Events and scores of every fit that tested both kinds of rows."""
        for one in np.unique(self.fit):
            among = self.fit == one
            if 0 < self.event[among].sum() < among.sum():
                yield self.event[among], self.score[among]

    def value(self, metric: str) -> float:
        """A metric of all predictions together."""
        return METRICS[metric].value(self.event.astype(np.int64), self.score)


def roc(ax: Axes, classes: Sequence[Scored]) -> Axes:
    """Sensitivity against 1 - specificity over all thresholds."""
    ax.plot([0, 1], [0, 1], **REFERENCE, label="no better than chance")
    _curves(ax, classes, roc_points, "auc", "AUC")
    return _square(ax, "1 - specificity", "sensitivity")


def precision_recall(ax: Axes, classes: Sequence[Scored]) -> Axes:
    """Precision against sensitivity over all thresholds; by chance it is the share of events."""
    if len(classes) == 1:
        ax.axhline(classes[0].event.mean(), **REFERENCE, label="share of events")
    _curves(ax, classes, precision_recall_points, "average_precision", "average precision")
    return _square(ax, "sensitivity (recall)", "precision (positive predictive value)")


def _curves(
    ax: Axes,
    classes: Sequence[Scored],
    points: Callable[..., tuple[FloatArray, FloatArray]],
    metric: str,
    words: str,
) -> None:
    look: dict[str, Any] = {"drawstyle": "steps-post"} if metric != "auc" else {}
    for i, one in enumerate(classes):
        _behind(ax, [points(*part) for part in one.folds()], i if len(classes) > 1 else None, look)
    for i, one in enumerate(classes):
        drawn = series(i) | {"marker": None, "linewidth": 1.8}
        area = f"{label(one.name, 16)}, pooled: {words} {one.value(metric):.3f}"
        ax.plot(*points(one.event, one.score), **drawn, **look, label=area)


def _behind(ax: Axes, lines: Sequence[Any], number: int | None, look: dict[str, Any]) -> None:
    """The folds, in the colour of their class where there are several."""
    colour = FAINT if number is None else series(number)["color"]
    for j, (x, y) in enumerate(lines):
        name = "each fold" if j == 0 and not number else ""
        drawn: dict[str, Any] = {"color": colour, "linewidth": 0.7, "zorder": 1, "label": name}
        ax.plot(x, y, alpha=0.5 if number is None else 0.25, **drawn, **look)


def calibration(ax: Axes, classes: Sequence[Scored]) -> Axes:
    """Share observed against probability in groups of equal size, with Wilson's limits.

    The bars at the bottom are the histogram of all probabilities.
    """
    ax.plot([0, 1], [0, 1], **REFERENCE, label="calibrated")
    for i, one in enumerate(classes):
        if len(classes) == 1:
            _histogram(ax, one.score)
        lines = [group_means(p, y.astype(np.float64)) for y, p in one.folds()]
        joined = [line for line in lines if line[0].size > 1]
        _behind(ax, joined, i if len(classes) > 1 else None, {})
        x, share = group_means(one.score, one.event.astype(np.float64), GROUPS)
        if len(classes) == 1:
            n = one.score.size / one.times / x.size  # rows of a group
            found = [proportion(s * n, round(n), LEVEL, "wilson") for s in share]
            low, high = [f.low for f in found], [f.high for f in found]
            words = f"{100 * LEVEL:g} % limits of a group"
            ax.fill_between(x, low, high, color=PALE, alpha=0.6, linewidth=0, label=words)
        ax.plot(x, share, **series(i), label=label(one.name, 16))
    return _square(ax, "out-of-fold probability, mean of a group", "share observed in the group")


def _histogram(ax: Axes, score: FloatArray) -> None:
    heights, edges = np.histogram(score, bins=20, range=(0, 1))
    ax.bar(
        edges[:-1], BAR * heights / max(heights.max(), 1), np.diff(edges), align="edge",
        color=PALE, edgecolor="white", linewidth=0.4, zorder=0, label="how often predicted",
    )  # fmt: skip


def _square(ax: Axes, x: str, y: str) -> Axes:
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    return labelled(ax, x, y)


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
