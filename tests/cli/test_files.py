"""How text files are read: decimal commas, encodings, ordered factors, words for nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.cli import main
from pycvstat.cli.files import read_data
from pycvstat.errors import DataError, InputError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    path.write_text("weight;age;group\n71,5;34;a\n82;45;b\n-1,25;;a\n", encoding="utf-8")
    return path


def test_decimal_commas_are_noticed(file: Path) -> None:
    with pytest.raises(DataError, match=r"decimal commas(.|\n)*weight(.|\n)*--decimal ','"):
        read_data(file, ";")


def test_decimal_commas_are_read(file: Path) -> None:
    frame = read_data(file, ";", ",")
    assert frame["weight"].tolist() == [71.5, 82.0, -1.25]
    assert frame["group"].tolist() == ["a", "b", "a"]


def test_words_and_thousands_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text('code,price\n"a,b","1,234"\n"c,d","2,000"\n', encoding="utf-8")
    assert read_data(path)["price"].tolist() == ["1,234", "2,000"]


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"größe": rng.normal(size=40), "x": rng.normal(size=40).round(3)})
    data["dose"] = rng.choice(["low", "medium", "high"], 40)
    path = tmp_path / "survey.csv"
    data.to_csv(path, index=False, encoding="cp1252")
    return path


def test_an_encoding_is_asked_for_and_read(survey: Path) -> None:
    with pytest.raises(DataError, match=r"not written in utf-8(.|\n)*--encoding cp1252"):
        read_data(survey)
    assert "größe" in read_data(survey, encoding="cp1252").columns
    with pytest.raises(InputError, match=r"no encoding(.|\n)*cp9999"):
        read_data(survey, encoding="cp9999")


def test_the_mark_of_utf_16_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("y,x\n1,2\n2,3\n", encoding="utf-16")
    with pytest.raises(DataError, match="--encoding utf-16"):
        read_data(path)
    assert read_data(path, encoding="utf-16").shape == (2, 2)


def test_ordered_factors_have_their_levels_in_order(
    survey: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["cv", str(survey), "größe ~ dose", "--learner", "ols", "--encoding", "cp1252",
             "--seed", "1"]  # fmt: skip
    kept = survey.with_suffix(".npz")
    assert main([*words, "--ordered", "dose=low,medium,high", "--save", str(kept)]) == 0
    frame = read_data(survey, encoding="cp1252")
    levels = ["low", "medium", "high"]
    frame["dose"] = pd.Categorical(frame["dose"], levels, ordered=True)
    ours = pcv.cross_validate(pcv.OLS(), "größe ~ dose", frame, folds=pcv.KFold(10, random=1))
    assert pcv.load(kept).estimate == ours.estimate
    assert pcv.load(kept).task.frame["dose"].kind == "ordered"
    capsys.readouterr()
    assert main([*words, "--ordered", "dose=low,high"]) == 1
    assert "medium" in capsys.readouterr().err


def test_a_word_among_numbers_is_named_with_its_row(
    survey: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = read_data(survey, encoding="cp1252").astype(object)
    frame.loc[5, "x"] = "-"
    frame.to_csv(survey, index=False)
    words = ["cv", str(survey), "größe ~ x", "--learner", "ols"]
    main(words)
    said = capsys.readouterr().err
    assert "'-' in row 6 (counted from 1); 39 of 40 values are numbers" in said
    assert "--na-string=-" in said
    assert main([*words, "--na-string=-", "--na", "omit"]) == 0
    assert "39 rows (1 left out)" in capsys.readouterr().out


def test_rolling_splits_checklist_and_bundle(
    survey: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, zipped = survey.with_suffix(".html"), survey.with_suffix(".zip")
    words = ["cv", str(survey), "größe ~ x", "--learner", "ols", "--encoding", "cp1252"]
    asked = ["--profile", "paper", "--checklist", "tripod+ai", "--report", str(page)]
    folds = ["--folds", "time:20,horizon=5,step=5"]
    assert main([*words, *folds, *asked, "--bundle", str(zipped)]) == 0
    assert "4 rolling splits in order of time" in capsys.readouterr().out
    assert "[NEEDS INPUT]" in page.read_text("utf-8")
    assert zipped.stat().st_size > 0
    assert main([*words, "--folds", "time:20,hor=5"]) == 1
    assert "'horizon'" in capsys.readouterr().err


def test_files_are_written_although_the_reader_has_gone(survey: Path) -> None:
    page = survey.with_suffix(".html")
    words = [sys.executable, "-m", "pycvstat", "cv", survey.name, "größe ~ x", "--learner", "ols",
             "--encoding", "cp1252", "--report", page.name]  # fmt: skip
    with subprocess.Popen(words, cwd=survey.parent, stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        started.stdout.close()
    assert started.returncode == 0
    assert page.exists()
