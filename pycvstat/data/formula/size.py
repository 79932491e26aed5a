"""How large a design matrix will be, known before it is made."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pycvstat.errors import DataError, warn

LARGE = 1e9  # bytes of a matrix that are worth a word
COPIES = 3  # that live at once: the matrix, its training rows, their factorisation
UNKNOWN = 16e9  # bytes, where a system does not say what it has


def check_size(widths: Mapping[str, int], n: int, *, say: bool) -> None:
    """Refuse a matrix that with its copies takes half of the memory; say when it is large.

    Parameters
    ----------
    widths : mapping of str to int
        How many columns each term has.
    n : int
        The number of rows.
    say : bool
        Whether to warn of a large one.
    """
    columns = sum(widths.values())
    size = 8.0 * n * columns
    if size <= LARGE:
        return
    widest = max(widths, key=widths.__getitem__)
    problem = (
        f"The design matrix has {columns:,} columns for {n:,} rows: {size / 1e9:,.1f} GB, and "
        f"about {COPIES} times that while it is fitted."
    )
    given = f"{widths[widest]:,} of the columns belong to {widest}"
    fix = f"leave out {widest}, as in y ~ . - {widest}, or join levels"
    if COPIES * size > memory() / 2:
        raise DataError(problem, given=f"{given}; {memory() / 1e9:,.1f} GB of memory", fix=fix)
    if say:
        warn(problem, given=given, fix=fix)


def memory() -> float:
    """The memory of this machine in bytes."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return UNKNOWN
