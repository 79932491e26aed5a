"""Pictures: the numbers of tidy(), on the Axes that were given, leaving no trace."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from statsmodels.stats.proportion import proportion_confint

import pycvstat as pcv
from pycvstat.errors import InputError
from pycvstat.losses.of_probabilities import precision_recall_points, roc_points
from pycvstat.report.plots.candidates import candidate_axis
from pycvstat.report.plots.forest import indistinguishable
from pycvstat.report.plots.style import fitted, picture
from pycvstat.report.views.base import view_of
from tests.report.conftest import MAKERS, result


def new_axes() -> Axes:
    figure = Figure()
    FigureCanvasAgg(figure)
    return figure.subplots()


@pytest.fixture
def ax() -> Axes:
    return new_axes()


def line(ax: Axes, label: str) -> Any:
    """The line of this label."""
    (found,) = [x for x in ax.get_lines() if str(x.get_label()).startswith(label)]
    return found


def drawn(ax: Axes, label: str) -> Any:
    return np.asarray(line(ax, label).get_ydata())


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")  # other scripts, not ours
@pytest.mark.parametrize("name", MAKERS)
def test_the_axes_given_are_returned_and_nothing_is_left_behind(name: str) -> None:
    before, figures = dict(mpl.rcParams), plt.get_fignums()
    for kind in view_of(result(name)).pictures:
        ax = new_axes()
        assert result(name).plot(kind, ax=ax) is ax
        ax.figure.draw_without_rendering()
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == figures


@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
def test_pictures_are_files_of_their_format(form: Any) -> None:
    kind = view_of(result("cv")).pictures["folds"]
    data = picture(kind.draw, kind.inches, form)
    assert data.startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[form])
    assert data == picture(kind.draw, kind.inches, form)


def test_without_axes_a_figure_is_made() -> None:
    ax = result("cv").plot()
    assert plt.fignum_exists(ax.figure.number)
    plt.close(ax.figure)


NOTEBOOK = """
import matplotlib
from matplotlib.backends import backend_agg
from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvas
from matplotlib.figure import Figure
from statsmodels.stats.proportion import proportion_confint

shown = []

def new_figure_manager(number, *given, FigureClass=Figure, **more):
    return new_figure_manager_given_figure(number, FigureClass(*given, **more))

def new_figure_manager_given_figure(number, figure):
    shown.append(matplotlib.is_interactive())
    return backend_agg.new_figure_manager_given_figure(number, figure)

matplotlib.interactive(True)
matplotlib.rcParams["figure.dpi"] = 72
"""
"""What the backend of notebooks does: it makes settings when the first figure loads it, and from
then on shows figures that are made while pyplot is interactive."""
CELLS = """
import pycvstat as pcv
plan = pcv.KFold(5, random=1).plan(40)
plan.plot()
plan.plot()
import matplotlib.pyplot as plt
import notebook
plt.figure()
print(notebook.shown, plt.rcParams["figure.dpi"])
"""


def test_every_cell_of_a_notebook_shows_its_picture(tmp_path: Path) -> None:
    (tmp_path / "notebook.py").write_text(NOTEBOOK)
    path = os.pathsep.join([str(tmp_path), str(Path(pcv.__file__).parents[1])])
    there = os.environ | {"MPLBACKEND": "module://notebook", "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", CELLS], env=there, capture_output=True, text=True, check=False
    )
    assert done.stdout.split("\n")[0] == "[True, True, True] 72.0", done.stderr


def test_the_nearest_picture_is_suggested() -> None:
    with pytest.raises(InputError, match="did you mean 'residuals'"):
        result("cv").plot("residual")
    with pytest.raises(InputError, match="use one of"):
        result("cv").plot("zzz")


def test_the_nearest_option_is_suggested() -> None:
    with pytest.raises(InputError, match="did you mean 'level'"):
        result("cv").plot("folds", levle=0.9)


def test_axes_must_be_axes() -> None:
    with pytest.raises(InputError, match="ax must be matplotlib Axes"):
        result("cv").plot(ax=Figure())


def test_what_has_no_picture_says_so() -> None:
    with pytest.raises(InputError, match="no picture"):
        view_of(3)


def test_error_curve(ax: Axes) -> None:
    found = result("error curve")
    found.plot(ax=ax)
    table = found.tidy()
    np.testing.assert_array_equal(drawn(ax, "test error"), table["test"])
    np.testing.assert_array_equal(drawn(ax, "train error"), table["train"])
    np.testing.assert_array_equal(drawn(ax, "gap"), table["gap"])
    np.testing.assert_array_equal(line(ax, "test error").get_xdata(), table["k"])
    assert line(ax, "smallest test error").get_xdata()[0] == found.best["k"]


def test_the_training_rows_of_one_test_set_are_not_listed(ax: Axes) -> None:
    found = pcv.from_losses(np.arange(12.0), n_train=10**12)
    for kind in view_of(found).pictures:
        found.plot(kind, ax=new_axes())
    found.plot("map", ax=ax)
    assert "the first 200 of 1000000000012" in ax.get_xlabel()


@pytest.mark.filterwarnings("error")
def test_errors_that_are_all_0_are_drawn(ax: Axes) -> None:
    data = pd.DataFrame({"x": np.arange(12.0), "y": 1.0})
    found = pcv.error_curve(pcv.KNN(), "y ~ x", data, grid={"k": [1, 2, 3]}, folds=pcv.Blocks(3))
    found.plot(ax=ax)
    assert not drawn(ax, "test error").any()
    low, high = ax.get_ylim()
    assert low < high


def test_regions_of_over_and_underfitting(ax: Axes) -> None:
    found = result("error curve")
    found.plot(ax=ax)
    table = found.tidy()
    best = table["test"].idxmin()
    limit = table["test"][best] + table["std_error"][best]
    worse = table["k"][table["test"] > limit]
    words = {text.get_text(): text for text in ax.texts}
    spans = [patch.get_extents().transformed(ax.transData.inverted()) for patch in ax.patches]
    small, large = worse[worse < table["k"][best]], worse[worse > table["k"][best]]
    regions = {"overfitting": small, "underfitting": large}
    assert set(words) == {name for name, part in regions.items() if len(part)}
    wanted = [(part.min(), part.max()) for part in regions.values() if len(part)]
    assert [(round(s.x0), round(s.x1)) for s in spans] == wanted


@pytest.mark.parametrize("name", ["tune", "tune one_se"])
def test_tuning_curve(ax: Axes, name: str) -> None:
    found = result(name)
    found.plot(ax=ax)
    table = found.tidy()
    np.testing.assert_array_equal(drawn(ax, "estimate"), table["estimate"])
    best = table["estimate"].idxmin()
    limit = table["estimate"][best] + table["std_error"][best]
    assert drawn(ax, "smallest")[0] == limit
    assert line(ax, "chosen").get_xdata()[0] == found.best["k"]
    assert drawn(ax, "chosen")[0] == found.estimate
    (band,) = ax.collections
    corners = band.get_paths()[0].vertices
    assert corners[:, 1].max() == pytest.approx((table["estimate"] + table["std_error"]).max())


def test_several_parameters_make_lines(ax: Axes) -> None:
    found = result("tune dev set")
    found.plot(ax=ax)
    table = found.tidy()
    for kernel in ("rectangular", "optimal"):
        rows = table[table["kernel"] == kernel]
        np.testing.assert_array_equal(drawn(ax, f"kernel = {kernel}"), rows["estimate"])


def test_learning_curve(ax: Axes) -> None:
    found = result("learning curve")
    found.plot(ax=ax)
    np.testing.assert_array_equal(drawn(ax, "test error"), found.tidy()["test"])
    np.testing.assert_array_equal(line(ax, "train error").get_xdata(), found.tidy()["n_train"])


def test_inner_curves(ax: Axes) -> None:
    found = result("nested")
    found.plot("curves", ax=ax)
    np.testing.assert_allclose(drawn(ax, "their mean"), found.inner_curves.mean(axis=0), rtol=1e-12)
    assert sorted(line(ax, "chosen").get_xdata()) == sorted(found.chosen["k"])


def test_selection(ax: Axes) -> None:
    found = result("nested")
    found.plot("selection", ax=ax)
    heights = [patch.get_height() for patch in ax.patches]
    assert heights == found.tidy("selection")["times"].tolist()


@pytest.mark.parametrize("name", ["cv", "plan", "holdout", "nested pairs"])
def test_fold_map(ax: Axes, name: str) -> None:
    found = result(name)
    plan = getattr(found, "plan", found)
    found.plot("map", ax=ax)
    train, test = ax.collections
    for part, rows_of in ((train, plan.train_rows), (test, plan.test_rows)):
        seen: dict[int, set[int]] = {}
        for path in part.get_paths():
            (x0, y0), (x1, y1) = path.vertices.min(axis=0), path.vertices.max(axis=0)
            rows = range(round(x0 - 0.5), round(x1 - 0.5))
            seen.setdefault(round((y0 + y1) / 2), set()).update(rows)
        for i in range(min(len(plan), 30)):
            assert seen[i] == set(rows_of(i).tolist())


def test_nested_diagram_validates_inside_the_training_rows(ax: Axes) -> None:
    found = result("nested")
    found.plot("diagram", ax=ax)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["train", "validate", "test"]
    validate = ax.collections[1]
    rows = {
        row
        for path in validate.get_paths()
        for row in range(
            round(path.vertices[:, 0].min() - 0.5), round(path.vertices[:, 0].max() - 0.5)
        )
    }
    assert rows == set(found.plan.train_rows(0).tolist())


def segments(ax: Axes) -> Any:
    (lines,) = [c for c in ax.collections if hasattr(c, "get_segments")]
    return np.array([[s[0, 0], s[1, 0]] for s in lines.get_segments()])


def test_forest(ax: Axes) -> None:
    found = result("compare")
    found.plot("forest", ax=ax)
    table = found.tidy()
    np.testing.assert_array_equal(segments(ax), table[["conf_low", "conf_high"]])
    (points,) = ax.get_lines()
    np.testing.assert_array_equal(points.get_xdata(), table["estimate"])
    assert [label.get_text() for label in ax.get_yticklabels()] == table["method"].tolist()


def test_paired_differences(ax: Axes) -> None:
    found = result("compare")
    found.plot("paired", a="ols", b="knn", ax=ax)
    pair = found.paired("ols", "knn")
    np.testing.assert_array_equal(segments(ax), [[pair.low, pair.high]])
    assert line(ax, "estimate").get_xdata()[0] == pair.estimate
    folds = found["ols"].fold_errors - found["knn"].fold_errors
    np.testing.assert_array_equal(line(ax, "difference").get_xdata(), folds)


def test_fold_errors(ax: Axes) -> None:
    found = result("cv")
    found.plot("folds", ax=ax)
    np.testing.assert_array_equal(drawn(ax, "fold"), found.fold_errors)
    assert drawn(ax, "mean of fold means")[0] == found.estimate


def test_residuals(ax: Axes) -> None:
    found = result("cv")
    found.plot("residuals", ax=ax)
    data = found.augment()
    np.testing.assert_array_equal(drawn(ax, "row"), data[".residual"])
    np.testing.assert_array_equal(line(ax, "row").get_xdata(), data[".prediction"])


def test_calibration_is_right_for_the_groups(ax: Axes) -> None:
    found = result("classes")
    found.plot("calibration", ax=ax)
    x, y = line(ax, "b").get_xdata(), drawn(ax, "b")
    prob = np.empty(found.task.n)
    prob[found.plan.rows] = found.table.predictions.prob[0, :, 1]
    order = np.array_split(np.argsort(prob, kind="stable"), 10)
    np.testing.assert_allclose(x, [prob[part].mean() for part in order], rtol=1e-12)
    observed = found.task.response.values
    np.testing.assert_allclose(y, [observed[part].mean() for part in order], rtol=1e-12)


@pytest.mark.parametrize("kind", ["roc", "precision_recall", "calibration"])
def test_folds_are_behind_and_all_predictions_in_front(ax: Axes, kind: str) -> None:
    found = result("classes")
    found.plot(kind, ax=ax)
    y, fit = (
        found.task.response.values[found.plan.rows],
        np.repeat(np.arange(len(found.plan)), found.plan.n_test),
    )
    score = found.table.predictions.prob[0, :, 1]
    behind = [one for one in ax.lines if one.get_linewidth() == 0.7]
    both = [k for k in range(len(found.plan)) if 0 < y[fit == k].mean() < 1]
    if kind != "calibration":
        points = {"roc": roc_points, "precision_recall": precision_recall_points}[kind]
        assert len(behind) == len(both)
        np.testing.assert_array_equal(behind[0].get_xdata(), points(y[fit == both[0]],
                                      score[fit == both[0]])[0])  # fmt: skip
        pooled = next(one for one in ax.lines if "pooled" in str(one.get_label()))
        np.testing.assert_array_equal(pooled.get_ydata(), points(y, score)[1])
        area = "auc" if kind == "roc" else "average_precision"
        assert f"{found.metric(area, 'pooled').estimate:.3f}" in pooled.get_label()
        return
    heights = [bar.get_height() for bar in ax.patches]
    counts = np.histogram(score, 20, (0, 1))[0]
    np.testing.assert_allclose(heights, 0.15 * counts / counts.max(), rtol=1e-12)
    (band,) = ax.collections
    share, limits = drawn(ax, "b"), band.get_paths()[0].vertices[:, 1]
    assert limits.min() <= share.min()
    assert limits.max() >= share.max()
    group = np.argsort(score, kind="stable")[: score.size // 10]
    low, high = proportion_confint(y[group].sum(), group.size, method="wilson")
    assert {round(low, 9), round(high, 9)} <= {*np.round(limits, 9)}


def test_numbers_0_and_1_have_the_curves_of_classes(ax: Axes) -> None:
    data = {"x": np.arange(40.0), "y": (np.arange(40) % 3 > 0) * 1.0}
    pcv.cross_validate(pcv.GLM("binomial"), "y ~ x", data, folds=4).plot("roc", ax=ax)
    assert ax.get_xlabel() == "1 - specificity"
    with pytest.raises(InputError, match="no picture called 'roc'"):
        pcv.cross_validate(pcv.OLS(), "x ~ y", data, folds=4).plot("roc")


def test_inflation(ax: Axes) -> None:
    found = result("nested pairs")
    found.plot("inflation", ax=ax)
    with pytest.warns(UserWarning, match="has not settled"):
        interval = found.interval("ncv")
    np.testing.assert_array_equal(
        drawn(ax, "after each repetition"), interval.details["running_inflation"]
    )


def test_coverage(ax: Axes) -> None:
    found = result("coverage")
    found.plot(ax=ax)
    table = found.tidy()
    np.testing.assert_array_equal(line(ax, "coverage").get_xdata(), table["coverage"])
    ends = segments(ax)
    low = np.maximum(table["coverage"] - 2 * table["coverage_error"], 0)
    np.testing.assert_array_equal(ends[:, 0], low)
    assert line(ax, "nominal").get_xdata()[0] == 0.95


def test_critical_difference_groups() -> None:
    pairs = pd.DataFrame(
        [("a", "b", 0.5), ("a", "c", 0.01), ("b", "c", 0.4), ("a", "d", 0.001), ("b", "d", 0.01),
         ("c", "d", 0.03)],
        columns=["a", "b", "p_adjusted"],
    )  # fmt: skip
    assert indistinguishable(["a", "b", "c", "d"], pairs, 0.05) == [(0, 1), (1, 2)]
    assert indistinguishable(["a", "b", "c", "d"], pairs, 0.005) == [(0, 2), (1, 3)]


def test_equal_methods_are_not_told_apart() -> None:
    pairs = pd.DataFrame([("a", "b", np.nan)], columns=["a", "b", "p_adjusted"])
    assert indistinguishable(["a", "b"], pairs, 0.05) == [(0, 1)]


def test_logarithmic_axes_are_found() -> None:
    table = pd.DataFrame({"lam": [0.001, 0.01, 0.1, 1.0, 10.0], "k": [1, 8, 15, 22, 29]})
    assert candidate_axis(table, ["lam"]).log
    assert not candidate_axis(table, ["k"]).log


def test_many_lines_become_points() -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"lam": rng.random(20), "alpha": rng.random(20)})
    axis = candidate_axis(table, ["lam", "alpha"])
    assert not axis.joined
    assert axis.title == "lam, with alpha varying"


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
def test_dollar_signs_start_no_formula(ax: Axes) -> None:
    found = result("hostile comparison")
    found.plot("forest", ax=ax)
    ax.figure.canvas.draw()
    assert any("$x$" in label.get_text() for label in ax.get_yticklabels())
    assert not any(
        label.get_parse_math() for label in ax.get_yticklabels() if "$" in label.get_text()
    )


@pytest.mark.parametrize("letters", [40, 90])
def test_long_labels_stay_inside_the_picture(letters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("loss " * letters)[:letters]
    checked = []

    def draw(ax: Axes) -> Axes:
        ax.set_ylabel(words)
        return ax

    def check(figure: Figure, *_: Any, **__: Any) -> None:
        figure.draw_without_rendering()
        (ax,) = figure.axes
        label = ax.yaxis.label
        assert label.get_text().split() == words.split()
        assert (letters == 40) == ("\n" not in label.get_text())
        box = label.get_window_extent()
        assert 0 <= box.y0 < box.y1 <= figure.bbox.height
        ticks = [tick.get_window_extent().x0 for tick in ax.get_yticklabels()]
        assert 0 <= box.x0 < box.x1 <= min(ticks)
        checked.append(figure.get_layout_engine())

    monkeypatch.setattr(Figure, "savefig", check)  # afterwards it would be laid out anew
    picture(draw, (4, 3), "svg")
    figure = Figure(figsize=(4, 3), layout="constrained")
    fitted(draw(figure.subplots()))
    check(figure)
    assert checked == [None, figure.get_layout_engine()]


def test_ticks_of_a_logarithmic_axis_are_numbers() -> None:
    view = view_of(result("stability"))
    (kind,) = view.pictures.values()
    data = picture(kind.draw, kind.inches, "svg").decode()
    assert "mathdefault" not in data
    assert ">1</text>" in data
