"""The commands on data: what they print, write and refuse; Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
from pathlib import Path

import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat import cli
from pycvstat.cli import commands
from pycvstat.cli.options import values_of
from tests.forked import Script

HERE = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with data files, which commands run in."""
    cars = pcv.data.mtcars()
    cars.to_csv(tmp_path / "cars.csv")
    cars.reset_index(drop=True).to_csv(tmp_path / "plain.csv", index=False)
    cars.to_csv(tmp_path / "cars.tsv", sep="\t")
    cars.to_csv(tmp_path / "semicolons.csv", sep=";")
    cars.reset_index(drop=True).to_parquet(tmp_path / "cars.parquet")
    cars.assign(wt=cars["wt"].where(cars["wt"] > 2)).to_csv(tmp_path / "holes.csv")
    iris = pcv.data.iris().assign(who=[row // 5 for row in range(150)])
    iris.to_csv(tmp_path / "iris.csv", index=False)
    (tmp_path / "latin.csv").write_bytes("y,größe\n1,2\n".encode("latin-1"))
    (tmp_path / "bad.parquet").write_bytes(b"abc")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def estimate(capsys: pytest.CaptureFixture[str]) -> float:
    shown = json.loads(capsys.readouterr().out)
    return float(shown["glance"]["estimate"])


@pytest.mark.parametrize("file", ["cars.csv", "cars.tsv", "cars.parquet"])
def test_every_kind_of_file_gives_the_same(
    place: Path, capsys: pytest.CaptureFixture[str], file: str
) -> None:
    words = ["cv", file, "mpg ~ wt", "--learner", "ols", "--seed", "1", "--json"]
    assert cli.main(words) == 0
    same = pcv.cross_validate(
        pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.KFold(10, random=1)
    )
    assert estimate(capsys) == same.estimate


def test_a_stray_word_among_numbers_is_said_and_read_as_missing(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cars = pcv.data.mtcars().astype({"wt": str})
    cars.iloc[16, cars.columns.get_loc("wt")] = "k.A."
    cars.to_csv("stray.csv")
    words = ["cv", "stray.csv", "mpg ~ wt", "--learner", "ridge:lam=1", "--seed", "1", "--json"]
    assert cli.main(words) == 0
    said = capsys.readouterr().err
    assert "'k.A.' in row 17 (counted from 1); 31 of 32 values are numbers" in said
    assert "read them as missing: --na-string k.A." in said
    assert cli.main([*words, "--na-string", "k.A.", "--na", "omit"]) == 0
    rest = pcv.data.mtcars().drop(index="Chrysler Imperial")
    folds = pcv.KFold(10, random=1)
    assert (
        estimate(capsys) == pcv.cross_validate(pcv.Ridge(1), "mpg ~ wt", rest, folds=folds).estimate
    )


@pytest.mark.parametrize(("levels", "first"), [("ICU", "a"), ("C", "B")])
def test_words_are_sorted_as_asked(
    place: Path, capsys: pytest.CaptureFixture[str], levels: str, first: str
) -> None:
    frame = pd.DataFrame({"y": ["a", "B"] * 20, "x": range(40)})
    frame.to_csv("words.csv", index=False)
    words = ["cv", "words.csv", "y ~ x", "--learner", "knn", "--levels", levels, "--save", "r.npz"]
    assert cli.main(words) == 0
    assert pcv.load("r.npz").task.response.levels[0] == first
    frame.assign(y=range(40), x=frame["y"]).to_csv("words.csv", index=False)
    assert cli.main([*words[:2], "y ~ x", "--learner", "ols", "--levels", levels]) == 0
    order = "by code point" if levels == "C" else "as R does (ICU)"
    assert f"words sorted {order}" in capsys.readouterr().out


@pytest.mark.live_r
def test_rds_files(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", 'saveRDS(mtcars, "cars.rds")'], cwd=place, check=False
    )
    assert done.returncode == 0
    assert cli.main(["cv", "cars.rds", "mpg ~ wt", "--learner", "ols", "--seed", "1"]) == 0
    assert "10.711" in capsys.readouterr().out


def test_a_response_of_words_is_classes(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["cv", "iris.csv", "Species ~ . - who", "--learner", "knn", "--seed", "1"]
    assert cli.main([*words, "--folds", "grouped:10", "--groups", "who"]) == 0
    text = capsys.readouterr().out
    assert "0-1 loss" in text
    assert "who-grouped 10-fold" in text


def test_tune_nested_and_compare(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ["cars.csv", "mpg ~ wt + hp", "--learner", "knn", "--seed", "1"]
    assert cli.main(["tune", *common, "--grid", "k=1:9", "--rule", "one_se",
                     "--complexity=-k"]) == 0  # fmt: skip
    assert "within one naive standard error" in " ".join(capsys.readouterr().out.split())
    assert cli.main(["nested", *common, "--grid", "k=1:9", "--outer", "4", "--inner", "dev"]) == 0
    assert "trained on 24 rows" in capsys.readouterr().out
    assert cli.main(["compare", *common, "--learner", "ols", "--grid", "knn:k=1:9"]) == 0
    assert "knn − ols" in capsys.readouterr().out


GRID = ["--grid", "formula=mpg ~ wt,mpg ~ hp", "--learner", "ols", "--seed", "1"]


@pytest.mark.parametrize("command", ["tune", "nested"])
def test_a_grid_of_formulas_needs_no_other(
    place: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert cli.main([command, "cars.csv", *GRID]) == 0
    alone = capsys.readouterr().out
    assert "mpg ~ wt; mpg ~ hp" in alone
    assert cli.main([command, "cars.csv", *GRID, "mpg ~ wt + hp"]) == 0
    estimate = alone.splitlines()[3]
    assert capsys.readouterr().out.splitlines()[3] == estimate


def test_without_a_formula_one_is_asked_for(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["tune", "cars.csv", "--grid", "k=1:3", "--learner", "knn"])
    assert "required: formula" in capsys.readouterr().err


def test_a_number_to_find_is_said_in_words(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["find", "abc", "cars.csv", "mpg ~ wt", "--learner", "ols"]) == 1
    told = capsys.readouterr().err
    assert 'give its digits, "19.30"' in told
    assert "find_convention" not in told


def test_results_are_saved_and_reported(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["cv", "cars.csv", "mpg ~ wt", "--learner", "ols", "--save", "r.npz", "--to-r", "r.R"]
    assert cli.main([*words, "--report", "r.html"]) == 0
    assert "report: r.html" in capsys.readouterr().err
    assert cli.main(["report", "r.npz", "again.md"]) == 0
    assert (place / "again.md").read_text().startswith("# OLS")
    assert "# 32 rows; folds: KFold(10)" in (place / "r.R").read_text()


@pytest.mark.live_r
def test_the_crosscheck_is_printed_and_in_the_report(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["cv", "cars.csv", "mpg ~ wt", "--learner", "ols", "--crosscheck"]
    assert cli.main([*words, "--report", "c.html"]) == 0
    assert "Python and R agree" in capsys.readouterr().out
    assert "Cross-check with R" in (place / "c.html").read_text(encoding="utf-8")


def test_a_missing_r_is_named_before_the_work(
    without_r: None, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["cv", "nothing.csv", "mpg ~ wt", "--learner", "ols", "--crosscheck"]
    assert cli.main(words) == 1
    assert "R is switched off" in capsys.readouterr().err


LEARNER = ["--learner", "ols"]
GROUPED = ["iris.csv", "Species ~ . - who", "--learner", "knn", "--groups", "who"]
NESTED = ["nested", "--grid", "k=1:5"]
CARS = ["cars.csv", "mpg ~ wt + hp", "--learner", "ridge", "--grid", "lam=1,2"]
TUNE = ["tune", "cars.csv", "mpg ~ wt", "--learner", "knn", "--grid"]
BAD = {
    "a missing file": (["cv", "nothing.csv", "y ~ x", *LEARNER], "there is no such data file"),
    "a misspelt file": (["cv", "car.csv", "mpg ~ wt", *LEARNER], "did you mean cars.csv"),
    "a wrong delimiter": (["cv", "semicolons.csv", "mpg ~ wt", *LEARNER], "--sep ';'"),
    "an unknown learner": (["cv", "cars.csv", "mpg ~ wt", "--learner", "olss"], "mean 'ols'"),
    "an unknown setting": (
        ["cv", "cars.csv", "mpg ~ wt", "--learner", "knn:kernal=inv"],
        "mean 'kernel'",
    ),
    "an unknown parameter": (
        ["tune", "cars.csv", "mpg ~ wt", "--learner", "knn", "--grid", "kk=1:3"],
        "mean 'k'",
    ),
    "an unknown column": (["cv", "cars.csv", "mpg ~ wtt", *LEARNER], "did you mean 'wt'"),
    "folds of no whole number": (
        ["cv", "cars.csv", "mpg ~ wt", *LEARNER, "--folds", "5.0"],
        "a number of folds is whole",
    ),
    "a model of statsmodels": (
        ["cv", "cars.csv", "mpg ~ wt", "--learner", "smf.ols"],
        "or give smf.ols to cross_validate (in Python)",
    ),
    "a random effect": (
        ["cv", "cars.csv", "mpg ~ wt + (1|cyl)", *LEARNER],
        "pcv.Statsmodels(smf.mixedlm, groups='cyl') (in Python) with the other terms",
    ),
    "dates that are none": (
        ["cv", "cars.csv", "mpg ~ wt", *LEARNER, "--date", "model"],
        "'model' cannot be read as dates",
    ),
    "dates in no column": (
        ["cv", "cars.csv", "mpg ~ wt", *LEARNER, "--date", "day"],
        "the column for --date is not in the data",
    ),
    "unknown folds": (["cv", "cars.csv", "mpg ~ wt", *LEARNER, "--folds", "kfld:5"], "'kfold'"),
    "missing values": (["cv", "holes.csv", "mpg ~ wt", *LEARNER], "--na omit leaves these rows"),
    "groups not given": (
        ["cv", "cars.csv", "mpg ~ wt", *LEARNER, "--folds", "grouped:4"],
        "--groups COLUMN",
    ),
    "too few folds": (
        ["cv", "cars.csv", "mpg ~ wt", *LEARNER, "--folds", "1"],
        "use 5 or 10 folds",
    ),
    "too many folds": (["cv", "cars.csv", "mpg ~ wt", *LEARNER, "--folds", "99"], "--folds loo"),
    "a metric": (
        ["cv", "cars.csv", "mpg ~ wt", *LEARNER, "--loss", "rmse"],
        "--loss squared, and metric='rmse' (in Python)",
    ),
    "classes for least squares": (
        ["cv", "iris.csv", "Species ~ Sepal.Length", *LEARNER],
        "--learner mnlogit",
    ),
    "groups in nested folds": (
        [*NESTED, *GROUPED, "--outer", "kfold:8"],
        "use --outer grouped:8, which keeps",
    ),
    "groups in inner folds": (
        [*NESTED, *GROUPED, "--outer", "grouped:5", "--inner", "blocks:7"],
        "use --inner grouped:7, which keeps",
    ),
    "groups in repeated folds": (
        ["cv", *GROUPED, "--folds", "repeated:2x4"],
        "use --folds grouped:2, which keeps",
    ),
    "more folds than groups": (
        ["cv", *GROUPED, "--folds", "kfold:40"],
        "use --folds grouped:30, which keeps",
    ),
    "no order of ridges": (
        ["tune", *CARS, "--rule", "one_se"],
        "--complexity=-lam: a larger lam is simpler",
    ),
    "no order in nested folds": (
        ["nested", *CARS, "--rule", "one_se"],
        "--complexity=-lam: a larger lam is simpler",
    ),
    "no jobs": (["cv", "cars.csv", "mpg ~ wt", *LEARNER, "--jobs", "0"], "use --jobs 1 or more"),
    "no weights": (["cv", "cars.csv", "mpg ~ wt", "--learner", "wls"], "give --weights COLUMN"),
    "an unknown family": (["cv", "cars.csv", "mpg ~ wt", "--learner", "glm:poison"], "'poisson'"),
    "two decimal signs": (["cv", "cars.csv", "mpg ~ wt", *LEARNER, "--decimal", ".,"], "--decimal"),
    "a setting without value": (["cv", "cars.csv", "mpg ~ wt", "--learner", "knn:k"], ": knn:k=7"),
    "another encoding": (["cv", "latin.csv", "y ~ .", *LEARNER], "--encoding cp1252"),
    "a damaged file": (["cv", "bad.parquet", "y ~ .", *LEARNER], "write it again"),
    "a grid of nobody": (
        ["compare", "cars.csv", "mpg ~ wt", *LEARNER, "--grid", "knn:k=1:3"],
        "a learner that is not compared",
    ),
    "a grid in steps of 0": ([*TUNE, "k=1:5:0"], "steps of 0"),
    "a grid of a billion": ([*TUNE, "k=1:1e9"], "at most 100,000 candidates"),
    "a grid beyond memory": ([*TUNE, "k=1:100000000000"], "at most 100,000 candidates"),
    "a grid without end": ([*TUNE, "k=1:inf"], "not a range of values"),
    "logarithms beyond memory": ([*TUNE, "distance=log:1:2:1e10"], "at most 100,000 candidates"),
    "no logarithms": ([*TUNE, "distance=log:1:2:-3"], "at least one value"),
    "a product of grids": (
        [*TUNE, "k=1:1000", "--grid", "distance=1:1000"],
        "at most 100,000 candidates",
    ),
    "two grids of one parameter": ([*TUNE, "k=1:3", "--grid", "k=5:9"], "'k' are given twice"),
    "an escape without code": (["cv", "cars.csv", "mpg ~ wt", *LEARNER, "--sep", "\\x"], "--sep"),
    "a backslash": (["cv", "cars.csv", "mpg ~ wt", *LEARNER, "--sep", "\\"], "one column only"),
    "a learner twice": (
        ["compare", "cars.csv", "mpg ~ wt", *LEARNER, *LEARNER],
        "the same learner is compared twice",
    ),
    "not a saved result": (["report", "cars.csv", "out.html"], "not written by pycvstat"),
}


@pytest.mark.parametrize(
    ("words", "folds"),
    [
        (["cv", *GROUPED], "Grouped(10, random=1)"),
        (["cv", *GROUPED, "--folds", "4"], "Grouped(4, random=1)"),
        ([*NESTED, *GROUPED], "Grouped(10, random=1)"),
        ([*NESTED, *GROUPED, "--inner", "3"], "inner folds  who-grouped 3-fold cross-validation"),
        (["compare", *GROUPED, "--grid", "knn:k=1:3"], "Grouped(10, random=1)"),
    ],
)
def test_a_number_of_folds_keeps_groups_together(
    place: Path, capsys: pytest.CaptureFixture[str], words: list[str], folds: str
) -> None:
    assert cli.main([*words, "--seed", "1"]) == 0
    assert " ".join(folds.split()) in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", BAD)
def test_bad_input(place: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    words, message = BAD[name]
    assert cli.main(words) == 1
    shown = capsys.readouterr()
    assert message in shown.err
    assert "Traceback" not in shown.err
    assert shown.out == ""


@pytest.mark.parametrize(
    ("option", "path"),
    [
        ("--report", "nowhere/out.html"),
        ("--report", "out.xls"),
        ("--save", "nowhere/out.npz"),
        ("--save", "out.html"),
        ("--to-r", "nowhere/out.R"),
    ],
)
def test_paths_are_refused_before_the_work(
    place: Path, monkeypatch: pytest.MonkeyPatch, option: str, path: str
) -> None:
    def read(*_: object) -> pd.DataFrame:
        raise AssertionError("the data were read")

    monkeypatch.setattr(commands, "data_of", read)
    assert cli.main(["cv", "cars.csv", "mpg ~ wt", *LEARNER, option, path]) == 1


def test_learners_of_one_kind_are_told_apart(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", "cars.csv", "mpg ~ wt", "--learner", "knn:k=9", "--learner", "knn"]
    assert cli.main([*words, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [row["method"] for row in shown["tidy"]] == ["knn:k=9", "knn"]


@pytest.mark.parametrize(
    ("text", "values"),
    [("5:1:-1", [5, 4, 3, 2, 1]), ("1:9:4", [1, 5, 9]), ("1:10:4", [1, 5, 9]), ("7:7", [7])],
)
def test_ranges_of_a_grid(text: str, values: list[int]) -> None:
    assert values_of(text) == values


@pytest.mark.parametrize("word", ["k.A.", "-", "-99"])
def test_words_for_missing_values(
    place: Path, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    cars = pcv.data.mtcars().reset_index(drop=True)
    gaps = cars.assign(wt=cars["wt"].where(cars.index != 7))
    gaps.to_csv(place / "gaps.csv", index=False, na_rep=word)
    words = ["cv", "gaps.csv", "mpg ~ wt", *LEARNER, "--seed", "1", f"--na-string={word}"]
    assert cli.main([*words, "--json"]) == 1
    assert "--na omit leaves these rows out" in capsys.readouterr().err
    assert cli.main([*words, "--json", "--na", "omit"]) == 0
    same = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", gaps, folds=pcv.KFold(10, random=1), na="omit")
    assert estimate(capsys) == same.estimate


def test_dates_are_read_as_the_warning_says(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    days = pd.date_range("2020-01-01", periods=32).strftime("%Y-%m-%d")
    pcv.data.mtcars().assign(day=days).to_csv(place / "days.csv", index=False)
    words = ["cv", "days.csv", "mpg ~ wt + day", *LEARNER, "--json"]
    cli.main([*words, "--seed", "1"])
    assert "make them dates: --date day" in capsys.readouterr().err
    assert cli.main([*words, "--seed", "1", "--date", "day"]) == 0
    dated = pcv.data.mtcars().assign(day=pd.to_datetime(days))
    same = pcv.cross_validate(pcv.OLS(), "mpg ~ wt + day", dated, folds=pcv.KFold(10, random=1))
    assert estimate(capsys) == same.estimate


@pytest.mark.parametrize(
    ("words", "here"), [("--cv 5", "--folds"), ("--sample-weight w", "--weights")]
)
def test_an_option_of_another_package_is_answered(
    capsys: pytest.CaptureFixture[str], words: str, here: str
) -> None:
    with pytest.raises(SystemExit):
        cli.main(["cv", "cars.csv", "mpg ~ wt", *LEARNER, *words.split()])
    assert f"unrecognized arguments: {words} (write {here})" in capsys.readouterr().err


def test_wrong_words_are_answered_with_the_usage_of_their_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["compare", "cars.csv", *LEARNER]
    for more in ([], ["mpg ~ wt", "--folds", "5", "stray"]):
        with pytest.raises(SystemExit, match="2"):
            cli.main([*words, *more])
        assert capsys.readouterr().err.startswith("usage: pycvstat compare ")


def test_row_names_are_noticed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["cv", "cars.csv", "mpg ~ .", "--learner", "knn"]) == 0
    assert "'mpg ~ . - model' leaves it out" in capsys.readouterr().err


def test_numbers_that_are_not_finite_are_null_in_json(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["cv", "cars.csv", "mpg ~ wt", *LEARNER, "--folds", "holdout:0.25", "--seed", "1"]
    assert cli.main([*words, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["tidy"][1]["std_error"] is None


@pytest.mark.parametrize(
    "command",
    ["", "lecture", "cv", "tune", "nested", "compare", "report", "crosscheck", "completion"],
)
def test_help_has_examples_on_80_columns(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        cli.main([*command.split(), "--help"])
    shown = capsys.readouterr().out
    assert "examples:\n  " in shown
    assert max(map(len, shown.splitlines())) <= 80


def read_terminal(place: int) -> str:
    """What was written there since; nothing where the writer has ended."""
    try:
        return os.read(place, 4096).decode(errors="replace")
    except OSError:  # so Linux says it
        return ""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another thing there")
@pytest.mark.parametrize("checkpoint", [True, False])
def test_stopped_by_ctrl_c(place: Path, checkpoint: bool) -> None:
    pcv.data.waves(3000, random=1).to_csv(place / "waves.csv", index=False)
    words = ["nested", "waves.csv", "y ~ .", "--learner", "knn", "--grid", "k=1:100",
             "--outer", "repeated:10x9", "--seed", "1"]  # fmt: skip
    words += ["--checkpoint", "kept"] if checkpoint else []
    ours, theirs = pytest.importorskip("pty").openpty()
    program = "import sys; from pycvstat.cli import main; sys.exit(main())"
    environment = os.environ | {"PYTHONPATH": str(HERE)}
    with Path("out").open("wb") as out:
        started = Script(["-c", program, *words], place, environment, out, theirs)
    os.close(theirs)
    err = ""
    # tasks that are done; in the first ones Python still imports, and ignores Ctrl-C in a callback
    while not re.search(r"([4-9]|[1-9]\d)/90 ", err):
        assert select.select([ours], [], [], 120)[0], err
        err += read_terminal(ours)
    started.send_signal(signal.SIGINT)
    while said := read_terminal(ours):
        err += said
    assert started.wait(timeout=60) == 130, err
    assert Path("out").read_text() == ""
    assert "Traceback" not in err
    kept = "kept in kept; the same command goes on" if checkpoint else "with --checkpoint FOLDER"
    assert kept in err


def test_a_paper_and_a_bundle(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["cv", "cars.csv", "mpg ~ wt", "--learner", "ols", "--seed", "1", "--profile", "paper"]
    assert cli.main([*words, "--report", "a.html", "--bundle", "b.zip"]) == 0
    page = (place / "a.html").read_text("utf-8")
    assert "References</h2>" in page
    assert "Reproducing these numbers" not in page
    assert (place / "b.zip").is_file()
    assert cli.main([*words, "--report", "a.html", "--exclude", "Nonsense"]) == 1
    assert "no section 'Nonsense' here" in capsys.readouterr().err
