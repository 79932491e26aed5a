"""What a piece of work is, in words and checksums that can be compared between sessions."""

from __future__ import annotations

from typing import Any

from pycvstat.errors import CheckpointError
from pycvstat.run.description import Description, digest

__all__ = ["describe", "differences", "digest"]


def describe(value: Any) -> Any:
    """A value as JSON: the same for equal values, in every session.

    Arrays become checksums, functions their name and a checksum of their code, objects their
    class and attributes. Code of the user comes with whatever it refers to. Left out are only
    global variables and those of closures that all of this code only adds to: a list, set or
    deque by ``append``, ``appendleft``, ``extend`` or ``add``, a number by ``N += 1``.

    Parameters
    ----------
    value : object

    Returns
    -------
    object
        Made of dicts, lists, text, numbers and None.

    Raises
    ------
    CheckpointError
        When a part may be another one in another session and nothing tells: a generator, an open
        file, a connection.

    Examples
    --------
    >>> describe({"folds": 10, "rule": ("min", None)})
    {'folds': 10, 'rule': ['min', None]}
    """
    try:
        first = Description()
        told, troubles = first.of(value), first.troubles
        if first.changes:  # known only after all code has been met
            second = Description(first.changes)
            told, troubles = second.of(value), second.troubles
    except RecursionError:
        told, troubles = None, ["lists in lists or objects in objects, deeper than Python allows"]
    if troubles:
        raise CheckpointError(
            "A checkpoint cannot tell whether this is the same in another session.",
            given=troubles[0],
            fix="make it inside the function that uses it, pass what it is made from (numbers, "
            "text, a path) instead, or leave checkpoint out",
        )
    return told


def differences(kept: Any, now: Any, where: str = "") -> list[str]:
    """What differs between two descriptions, one line each.

    Parameters
    ----------
    kept, now : object
        Two descriptions.

    Returns
    -------
    list of str

    Examples
    --------
    >>> differences({"data": "ab", "loss": {"name": "squared"}},
    ...             {"data": "ab", "loss": {"name": "absolute"}})
    ["loss.name: 'squared' in the checkpoint, 'absolute' now"]
    """
    if isinstance(kept, dict) and isinstance(now, dict):
        names = [*kept, *(name for name in now if name not in kept)]
        found = (
            differences(kept.get(name, _ABSENT), now.get(name, _ABSENT), f"{where}{name}.")
            for name in names
        )
        return [line for lines in found for line in lines]
    if isinstance(kept, list) and isinstance(now, list) and len(kept) == len(now):
        pairs = zip(kept, now, strict=True)
        lists = [differences(a, b, f"{where.rstrip('.')}[{i}].") for i, (a, b) in enumerate(pairs)]
        return [line for lines in lists for line in lines]
    if kept == now and type(kept) is type(now):
        return []
    return [f"{where.rstrip('.')}: {_short(kept)} in the checkpoint, {_short(now)} now"]


_ABSENT = "absent"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"
