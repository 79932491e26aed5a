"""A checksum of numbers that were computed, which copies with other numbers carry on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

TOGETHER = 4096  # rows that are copied at once


def checksum(arrays: Sequence[Any]) -> str:
    """SHA-256 of arrays, whatever their layout in memory.

    Examples
    --------
    >>> x = np.array([[1.0], [2.0]])
    >>> checksum([x]) == checksum([np.asfortranarray(x)])
    True
    >>> checksum([x]) == checksum([x * (1 + 1e-15)])
    False
    """
    digest = hashlib.sha256()
    for array in arrays:
        known = np.empty(0) if array is None else np.atleast_1d(array)
        digest.update(f"{known.shape}{known.dtype.kind}".encode())
        for start in range(0, len(known), TOGETHER):
            piece = known[start : start + TOGETHER]
            plain = piece.dtype.kind in "biuf"
            digest.update(piece.tobytes() if plain else repr(piece.tolist()).encode())
    return digest.hexdigest()


def of_folds(plan: Any) -> list[Any]:
    """The rows of a fold plan, and what it says of itself."""
    said = plan.n, plan.recipe, plan.seed, repr(plan.splitter), plan.stratified, plan.left_out
    arrays = plan.rows, plan.offsets, plan.repeat, plan.fold, *(plan.train or ())
    return [*arrays, np.array([str(one) for one in said], object)]


class Sealed:
    """Numbers with a seal: `dataclasses.replace` keeps it, so other numbers no longer fit it.

    What makes other numbers on purpose says ``seal=""``. Saved results keep it.
    """

    stored: ClassVar[str]
    """What they are called where a cross-check looks at them."""

    def _numbers(self) -> Sequence[Any]:
        """The numbers; of a table with its folds and their seed."""
        held, p, plan = vars(self), vars(self).get("predictions"), vars(self)["plan"]
        predicted = () if p is None else (p.values, p.prob)
        said = [
            str(held.get(name)) for name in ("loss", "range", "candidates", "weighted", "levels")
        ]
        folds = [*of_folds(plan), np.array(said, object)]
        names = "losses", "means", "y", "weights", "sizes"
        parts = held.get("parts", {}).values()
        return [*folds, *map(held.get, names), *predicted, *parts]

    def __post_init__(self, seal: str) -> None:
        object.__setattr__(self, "seal", seal or checksum(self._numbers()))

    @property
    def intact(self) -> bool:
        """Whether the numbers are those that were computed."""
        known: str = vars(self)["seal"]
        return known == checksum(self._numbers())

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return sum(np.size(array) for array in self._numbers() if array is not None)
