"""The order of words in R: by ICU in nearly every locale, by code point in the C locale."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Literal

Collation = Literal["ICU", "C"]

# what ICU tells apart first: marks, signs of currency, digits, letters
_MARKS = (
    "\t\n\v\f\r _-‐‒–—―,;:!¡?¿.·'‘’‚‹›\"“”„«»()[]{}§¶@*/\\&#%‰†‡•′`´^¯¨¸°©®←→↑↓∂∆∏∑+±÷×<=>¬|¦~"
    "−⁄√∞∫≈≤≥♀♂¤¢$£¥€"
)
_LETTERS = (
    "abcdeəfƒghiıjklmnŋopqĸrstŧuvwxyzʒþ"
    "αβγδεζηθικλμνξοπρστυφχψω"
    "аәбвгғдђҙеєжҗзѕиійјкқҡлљмнңњоөпрсҫтћуүұфхҳһцчҷџшщъыьэюя"
)
_PLACE = {char: i for i, char in enumerate(f"{_MARKS}0123456789{_LETTERS}")}
# then: the second form of a letter, instead of its first; after a letter its accents
_FORM, _LONG, _DOT = "\ue000", "\ue001", "\ue002"
_ACCENTS = (
    f"{_FORM}{_LONG}\u0313\u0314\u0301\u0300\u0306\u0302\u030c\u030a\u0342\u0308\u030b\u0303"
    "\u0307\u0338\u0327\u0328\u0304\u0335\u0309\u030f\u0311\u031b\u0323\u0324\u0325\u0326\u032d"
    f"\u032e\u0330\u0331\u0345{_DOT}"
)
_ACCENT = {mark: 1 + i for i, mark in enumerate(_ACCENTS)}
_LETTER = {"æ": f"a{_FORM}e", "œ": f"o{_FORM}e", "ß": f"s{_FORM}s", "ð": f"d{_FORM}"}
_LETTER |= {"ſ": f"s{_LONG}", "ŀ": f"l{_DOT}", "đ": "d\u0335", "ħ": "h\u0335", "ł": "l\u0335"}
_LETTER |= {"ø": "o\u0338", "ς": "σ", "й": "й", "ґ": f"г{_FORM}"}
# last: small letters, their variants, capitals, raised letters and the like
_SMALL, _VARIANT, _CAPITAL, _RAISED = range(4)
_CASE = {"": _SMALL, "<compat>": _VARIANT, "<noBreak>": _VARIANT}


def word_order(words: Sequence[str], collation: Collation) -> list[int]:
    """The places of words in R's order: letters first, then accents, then lower before upper case.

    Parameters
    ----------
    words : sequence of str
    collation : {"ICU", "C"}
        "ICU" is its root order: that of R in a UTF-8 session in English, German, French, Italian,
        Portuguese, Dutch or Russian, on Linux and macOS. R in Danish, Swedish, Spanish, Polish
        and other languages with an alphabet of their own differs, and so does R on Windows.
        "C" is the order of code points.

    Notes
    -----
    As in R: ``order(words) - 1``. Equal for ASCII, the Latin alphabets of Europe and Vietnam (but
    for ŉ), Greek, Cyrillic (Slavic and Turkic), and the marks and signs of Western keyboards.
    Other marks follow these, other letters follow Cyrillic, both by code point, which is not
    always ICU's order.

    Examples
    --------
    >>> words = ["b", "C", "B", "é", "10", "_x", "a", "z", "ø", "p"]
    >>> [words[i] for i in word_order(words, "ICU")]
    ['_x', '10', 'a', 'b', 'B', 'C', 'é', 'ø', 'p', 'z']
    >>> [words[i] for i in word_order(words, "C")]
    ['10', 'B', 'C', '_x', 'a', 'b', 'p', 'z', 'é', 'ø']
    """
    keys = [_key(word) for word in words] if collation == "ICU" else words
    return sorted(range(len(words)), key=keys.__getitem__)


def _key(text: str) -> tuple[list[float], list[int], list[int], str]:
    places: list[float] = []
    accents: list[int] = []
    cases: list[int] = []
    for char, case in _characters(text):
        accent = _ACCENT.get(char, ord(char) if unicodedata.combining(char) else 0)
        if char in (_FORM, _LONG):
            accents[-1] = accent
        elif accent or char in _PLACE or unicodedata.category(char) not in ("Cc", "Cf"):
            accents.append(accent)
            cases.append(_SMALL if accent else case)
            places += [] if accent else [_place(char)]
    return places, accents, cases, text


def _characters(text: str) -> Iterator[tuple[str, int]]:
    """Small letters and accents, apart, with the case of the letter they come from."""
    whole = unicodedata.normalize("NFC", text).replace("l·", "ŀ").replace("L·", "Ŀ")
    for char in whole:
        small = char.lower()
        if char not in _PLACE and small not in _LETTER:
            small = unicodedata.normalize("NFKD", char).lower()
        for part in small:
            for one in _LETTER.get(part, part):
                yield one, _case(char)


def _case(char: str) -> int:
    tag = unicodedata.decomposition(char).partition(" ")[0]
    variant = _CASE.get(tag, _RAISED) if tag.startswith("<") else _SMALL
    return max(variant, _CAPITAL * (char != char.lower()), _RAISED * (char == "ς"))


def _place(char: str) -> float:
    if char in _PLACE:
        return _PLACE[char]
    mark = unicodedata.category(char)[0] in "PSZ"
    return _PLACE["0"] - 1 + ord(char) / 0x110000 if mark else len(_PLACE) + ord(char)
