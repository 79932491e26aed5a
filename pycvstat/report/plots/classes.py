"""Out-of-fold probabilities: ROC, precision and recall, calibration; folds behind, pooled in front.

Each takes one or more `Scored` classes: of two classes the event, of several each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.intervals.proportions import proportion
from pycvstat.losses.metrics import METRICS
from pycvstat.losses.thresholds import precision_recall_points, roc_points
from pycvstat.report.plots.predictions import group_means
from pycvstat.report.plots.style import FAINT, PALE, REFERENCE, label, labelled, series
from pycvstat.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
