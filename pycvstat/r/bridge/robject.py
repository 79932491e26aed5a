"""The parts of an R value, between R or a file of it and Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

NA_INTEGER = -(2**31)


@dataclass(slots=True, eq=False)
class RObject:
    """An R value in its parts, from a file or from a running R.

    Attributes
    ----------
    kind : str
        "NULL", "logical", "integer", "double", "complex", "character", "list", "raw", or the
        name of something that has no data ("closure", "environment", ...).
    values : object
        An array, or a list of `RObject` or texts (None: NA).
    attributes : dict
        Attribute name to `RObject`.
    s4 : bool
        Whether it is of an S4 class, so that its attributes are slots.
    sexp : object
        The value in the running R that it comes from.
    text : str
        What R prints for a value without data.
    """

    kind: str
    values: Any = None
    attributes: dict[str, RObject] = field(default_factory=dict)
    s4: bool = False
    sexp: Any = field(default=None, repr=False)
    text: str = ""

    @property
    def r_class(self) -> tuple[str, ...]:
        """The class attribute; empty when there is none."""
        return tuple(name or "NA" for name in self.texts("class"))

    def texts(self, name: str) -> list[str | None]:
        """The texts of an attribute; empty when there are none."""
        found = self.attributes.get(name)
        return list(found.values) if found is not None and found.kind == "character" else []
