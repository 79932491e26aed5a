"""The paper that the README shows is what its lines write."""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "vignettes"))

from record_paper import PAPER, WORDS, compared, words


def test_the_words_of_the_paper_are_those_recorded() -> None:
    assert words(compared()) == WORDS.read_text(encoding="utf-8")


def test_the_paper_has_at_most_two_pages() -> None:
    data = PAPER.read_bytes()
    assert len(data) < 150_000
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", data)) <= 2
