"""A progress line with the time left."""

from __future__ import annotations

import os
import sys
from typing import Any, Literal

USUAL = {"ncols": 80, "nrows": 24}  # of a terminal that does not know its size


def progress_line(show: bool | Literal["auto"], *, total: int, done: int, label: str) -> Any:
    """A tqdm bar; it prints nothing where nobody watches.

    Parameters
    ----------
    show : bool or "auto"
        "auto" shows it only on a terminal, and only for work of more than a second.
    total : int
        Tasks in all.
    done : int
        Tasks that were done before; they do not count for the time left.
    label : str
    """
    from tqdm import tqdm

    watched = sys.stderr is not None and sys.stderr.isatty()
    size: dict[str, Any] = USUAL if watched and _has_no_size(sys.stderr) else {}
    return tqdm(
        total=total,
        initial=done,
        desc=label,
        unit="task",
        file=sys.stderr,
        disable=not (watched if show == "auto" else show),
        delay=1.0 if show == "auto" else 0.0,
        smoothing=0.0,  # tasks of one kind: the mean is the best guess
        dynamic_ncols=not size,
        **size,
    )


def _has_no_size(stream: Any) -> bool:
    """Whether this is a terminal of size 0, as under ``script`` or in a container."""
    try:
        return os.get_terminal_size(stream.fileno()).columns == 0
    except (OSError, ValueError, AttributeError):  # no terminal of the system
        return False
