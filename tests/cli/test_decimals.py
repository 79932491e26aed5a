"""Text files whose numbers have decimal commas."""

from __future__ import annotations

from pathlib import Path

import pytest

from pycvstat.cli.files import read_data
from pycvstat.errors import DataError


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
