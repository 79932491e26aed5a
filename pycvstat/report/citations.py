"""Works that results rest on: BibTeX, citations in the text, and a list of references."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pycvstat.errors import InputError

PLACES = ("journal", "booktitle", "publisher", "institution", "organization")
"""Fields that say where a work appeared."""


@dataclass(frozen=True, slots=True)
class Work:
    """A work of the bibliography.

    Parameters
    ----------
    key, bibtex : str
    fields : dict
        Lower-case BibTeX fields as plain text.
    """

    key: str
    bibtex: str
    fields: dict[str, str]

    @property
    def families(self) -> list[str]:
        """Family names of the authors."""
        return [name.split(",")[0] for name in self.fields["author"].split(" and ")]

    @property
    def label(self) -> str:
        """Authors in short: "Nadeau and Bengio", "Bayle et al."."""
        names = self.families
        if len(names) > 2:
            return f"{names[0]} et al."
        return " and ".join(names)

    @property
    def year(self) -> str:
        """The year of publication."""
        return self.fields["year"]

    def reference(self) -> str:
        """The work as one line of a list of references."""
        f = self.fields
        *most, last = (_initialled(name) for name in f["author"].split(" and "))
        authors = f"{', '.join(most)} and {last}" if most else last
        number = f.get("number", "")
        where = [
            next((f[name] for name in PLACES if name in f), ""),
            f"{f['volume']}({number})" if number and "volume" in f else f.get("volume", number),
            f.get("pages", "").replace("--", "–"),
            f.get("note", ""),
            f"doi:{f['doi']}" if "doi" in f else "",
        ]
        end = "" if f["title"].endswith("?") else "."
        return f"{authors} ({self.year}). {f['title']}{end} {', '.join(filter(None, where))}."


@cache
def works() -> dict[str, Work]:
    """All works by key.

    Examples
    --------
    >>> works()["nadeau2003"].label
    'Nadeau and Bengio'
    """
    text = files("pycvstat.report").joinpath("citations.bib").read_text(encoding="utf-8")
    entries = re.split(r"\n\n(?=@)", text.strip())
    return {key: Work(key, entry, _fields(entry)) for entry in entries for key in [_key(entry)]}


def work(key: str) -> Work:
    """The work of a key.

    Examples
    --------
    >>> work("stone1974").year
    '1974'
    """
    if key not in works():
        raise InputError("there is no work of this key in the bibliography.", given=repr(key))
    return works()[key]


def in_text(keys: Iterable[str]) -> str:
    """Works as they are cited in a text.

    Examples
    --------
    >>> in_text(["nadeau2003", "bouckaert2004"])
    '(Nadeau and Bengio, 2003; Bouckaert and Frank, 2004)'
    """
    return f"({'; '.join(f'{w.label}, {w.year}' for w in map(work, keys))})"


def bibtex(keys: Iterable[str]) -> str:
    """The BibTeX of some keys, one entry after the other."""
    return "\n\n".join(work(key).bibtex for key in dict.fromkeys(keys))


def _key(text: str) -> str:
    return text[text.index("{") + 1 : text.index(",")]


def _fields(text: str) -> dict[str, str]:
    pairs = re.findall(r"^\s*(\w+)\s*=\s*\{(.*)\},?$", text, re.MULTILINE)
    return {name.lower(): _plain(value) for name, value in pairs}


_ACCENTS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303"}


def _plain(value: str) -> str:
    """A BibTeX value without TeX."""
    from unicodedata import normalize

    value = value.replace(r"{\i}", "ı").replace(r"\&", "&").replace("``", "“").replace("''", "”")
    accented = re.sub(
        r"\{\\([\"'`^~])\{?(\w)\}?\}", lambda m: m.group(2) + _ACCENTS[m.group(1)], value
    )
    return normalize("NFC", re.sub(r"[{}]", "", accented))


def _initialled(name: str) -> str:
    family, _, given = name.partition(", ")
    letters = " ".join("-".join(f"{p[0]}." for p in part.split("-")) for part in given.split())
    return f"{family}, {letters}" if letters else family
