"""BibTeX entries of the methods."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from pycvstat.errors import InputError


@cache
def entries() -> dict[str, str]:
    """All BibTeX entries by key.

    Examples
    --------
    >>> "nadeau2003" in entries()
    True
    """
    text = files("pycvstat.intervals").joinpath("citations.bib").read_text(encoding="utf-8")
    blocks = re.findall(r"^@\w+\{\S+,\n.*?^\}$", text, re.DOTALL | re.MULTILINE)
    return {block[block.index("{") + 1 : block.index(",")]: block for block in blocks}


def bibtex(keys: Iterable[str]) -> str:
    """The BibTeX of some keys, one entry after the other.

    Examples
    --------
    >>> print(bibtex(["efron1993"]).splitlines()[0])
    @book{efron1993,
    """
    known = entries()
    missing = [key for key in keys if key not in known]
    if missing:
        raise InputError("there is no BibTeX entry of this key.", given=", ".join(missing))
    return "\n\n".join(known[key] for key in dict.fromkeys(keys))
