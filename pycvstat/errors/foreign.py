"""What the errors of other packages say."""

from __future__ import annotations

import re

NAMED = re.compile(r"^\s*(\w+\.)*\w*(Error|Exception)\b.*: ")


def telling(error: BaseException) -> str:
    """The line that says what went wrong: the last that names an error, else the first.

    A first line that ends in a colon is joined by what it announces.

    Examples
    --------
    >>> telling(ValueError("All 5 fits failed.\\n...\\nTypeError: x is text\\n"))
    'TypeError: x is text'
    >>> telling(KeyError())
    'KeyError: no message'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    named = [line for line in lines if NAMED.match(line)]
    if named:
        return named[-1]
    first = " ".join(lines[:2] if lines and lines[0].endswith(":") else lines[:1]) or "no message"
    return f"{type(error).__name__}: {first}"
