"""How objects are shown in one line: as they would be typed, or with what they hold by its size."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from pycvstat.errors.checks import as_typed

LONGEST = 60  # characters of one value


class AsTyped:
    """A dataclass that is shown as it would be typed, without arguments at their default."""

    __slots__ = ()

    def __repr__(self) -> str:
        words = []
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.default is MISSING:
                words.append(brief(value))
            elif hasattr(value, "dtype") or value != field.default:
                words.append(f"{field.name}={brief(value)}")
        return f"{type(self).__name__}({', '.join(words)})"


class Brief:
    """A dataclass that is shown in one line: arrays and tables by their shape."""

    __slots__ = ()

    def __repr__(self) -> str:
        shown = ((f.name, getattr(self, f.name)) for f in fields(self) if f.repr)  # type: ignore[arg-type]
        words = [f"{name}={brief(value)}" for name, value in shown if value is not None]
        return f"{type(self).__name__}({', '.join(words)})"


def brief(value: Any) -> str:
    """A value in a few words: arrays by their shape, other long values by their number.

    Examples
    --------
    >>> import numpy as np
    >>> brief(np.zeros((3, 2))), brief("squared"), brief(object()), brief(tuple(range(99)))
    ('<3 x 2 values>', "'squared'", 'object()', '<99 values>')
    """
    if isinstance(value, np.ndarray) or hasattr(value, "iloc"):
        return f"<{' x '.join(map(str, value.shape))} values>"
    text = as_typed(value)
    if len(text) <= LONGEST:
        return text
    return f"<{len(value)} values>" if hasattr(value, "__len__") else f"<{type(value).__name__}>"
