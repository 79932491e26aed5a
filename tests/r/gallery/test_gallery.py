"""Published numbers: ours agree with them, and R gives ours where R is there."""

from __future__ import annotations

import inspect
from functools import cache

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.cli import main
from pycvstat.errors import InputError
from pycvstat.r import gallery
from pycvstat.r.gallery.published import ENTRIES, Published, digits, markdown
from tests.rscript import r_values

NOT_MET = {"labs-folds": 3}
"""Numbers whose digits differ, of entries that say why."""
SAME = 1e-8  # fits by other steps; glmnet's digits at its own threshold

READ = """
suppressMessages(library(caret))
folder <- "{folder}/"
take <- function(name) read.csv(gzfile(paste0(folder, name, ".csv.gz")), stringsAsFactors = TRUE)
Auto <- take("auto"); Hitters <- take("hitters")
Portfolio <- take("portfolio"); Smarket <- take("smarket")
"""


@cache
def ours(entry):
    """What an entry gives, computed once."""
    return RUN(entry)


RUN = Published.run


@pytest.mark.parametrize("name", ENTRIES)
def test_every_digit_agrees_or_it_is_said_why(name):
    found = ours(ENTRIES[name])
    table = found.tidy()
    assert (table["agree"] < table["of"]).sum() == NOT_MET.get(name, 0)
    assert found.agrees == (name not in NOT_MET)
    assert bool(found.entry.why) == (name in NOT_MET)


def test_there_are_thirty_numbers_of_six_sources():
    assert sum(len(entry.numbers) for entry in ENTRIES.values()) >= 30
    assert len({entry.source.partition(",")[0] for entry in ENTRIES.values()}) >= 6
    assert all(entry.url.startswith("https://") for entry in ENTRIES.values())


@pytest.mark.live_r
def test_r_gives_our_numbers_by_the_calls_that_are_shown():
    folder = inspect.getfile(pcv.data).replace("__init__.py", "examples")
    calls = [f'RNGversion("4.0.0"); out(local({{\n{one.r}\n}}))' for one in ENTRIES.values()]
    values = r_values(READ.format(folder=folder) + "\n".join(calls))
    for entry, expected in zip(ENTRIES.values(), values, strict=True):
        np.testing.assert_allclose(ours(entry).values, expected, rtol=SAME, err_msg=entry.name)


def test_the_session_goes_on_as_if_nothing_had_been_drawn():
    pcv.r.set_seed(5)
    gallery.compare("uc-alpha")
    drawn = pcv.r.sample(100, 3)
    pcv.r.set_seed(5)
    np.testing.assert_array_equal(drawn, pcv.r.sample(100, 3))


def test_what_is_printed_has_both_columns_and_both_pieces_of_code(capsys):
    assert main(["gallery", "islr-5.3.3"]) == 0
    shown = capsys.readouterr().out
    for part in ("19.26909", "20.95520", "cv.glm(Auto, fit, K = 10)", "r.boot.cv_glm", "2021"):
        assert part in shown
    assert main(["gallery", "islr-5.3.33"]) == 1
    assert "did you mean 'islr-5.3.3'" in capsys.readouterr().err


@pytest.mark.slow
def test_the_page_and_the_table_have_every_entry(capsys, monkeypatch):
    monkeypatch.setattr(Published, "run", ours)
    assert main(["gallery"]) == 0
    shown, page = capsys.readouterr().out, markdown()
    for entry in ENTRIES.values():
        assert entry.name in shown
        assert f"### {entry.name}\n" in page
        assert entry.url in page


def test_digits_are_counted_from_the_left():
    assert digits("24.27207", 24.20766) == (2, 7)
    assert digits("-0.5", 0.5) == (0, 1)
    assert digits("0.0007959475", 0.00079594752) == (7, 7)


def test_an_unknown_entry_is_answered():
    with pytest.raises(InputError, match="no such entry"):
        gallery.compare("esl-7")
