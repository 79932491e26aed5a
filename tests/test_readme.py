"""The README's examples give what they show."""

from __future__ import annotations

import doctest
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_examples() -> None:
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    outcome = doctest.testfile(
        str(README), module_relative=False, optionflags=options, encoding="utf-8"
    )
    assert outcome.attempted >= 10
    assert outcome.failed == 0
