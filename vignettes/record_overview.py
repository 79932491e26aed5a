"""Draw the picture of the README: python vignettes/record_overview.py"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

import pycvstat as pcv
from pycvstat.report.plots.style import house_style

TARGET = Path(__file__).parent / "overview.png"


def draw() -> Figure:
    """Folds, inner tuning curves and fold errors of one nested cross-validation."""
    result = pcv.nested_cv(
        pcv.KNN(kernel="rectangular"), "y ~ .", pcv.data.waves(200, random=3),
        grid={"k": range(1, 31)}, outer=pcv.KFold(8, random=1), inner=pcv.KFold(5),
    )  # fmt: skip
    with house_style():
        figure, axes = plt.subplots(1, 3, figsize=(11, 3.5), width_ratios=(1.25, 1, 1))
        for ax, kind, title in zip(
            axes,
            ("diagram", "curves", "folds"),
            ("folds: 8 outer, 5 inner", "tuning in each outer fold", "losses, with an interval"),
            strict=True,
        ):
            result.plot(kind, ax=ax)
            ax.set_title(title, pad=46)
    return figure


if __name__ == "__main__":
    with house_style():
        draw().savefig(TARGET, dpi=130, facecolor="white")
