"""The order of words in R: by ICU in nearly every locale, by code point in the C locale."""

from __future__ import annotations

import unicodedata

# Punctuation and symbols of ASCII in the order of ICU's root collation, all before digits.
_MARKS = "\t\n\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_PLACE = {mark: i for i, mark in enumerate(_MARKS + "0123456789abcdefghijklmnopqrstuvwxyz")}


def icu_key(text: str) -> tuple[list[int], list[int], list[bool]]:
    """A sort key for ICU's root order: letters first, then accents, then lower before upper case.

    Other alphabets follow the Latin one by code point. As in R: ``sort(text)`` unless the locale
    is "C" or "POSIX".

    Examples
    --------
    >>> sorted(["b", "C", "B", "é", "10", "_x", "a"], key=icu_key)
    ['_x', '10', 'a', 'b', 'B', 'C', 'é']
    """
    letters: list[int] = []
    accents: list[int] = []
    capitals: list[bool] = []
    for char in unicodedata.normalize("NFD", text):
        if unicodedata.combining(char):
            accents[-1:] = [ord(char)]
            continue
        lower = char.lower()[:1]
        letters.append(_PLACE.get(lower, len(_PLACE) + ord(lower)))
        accents.append(0)
        capitals.append(lower != char)
    return letters, accents, capitals
