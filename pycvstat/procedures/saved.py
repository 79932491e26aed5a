"""Results from files: what `result.save` wrote, read without running anything in it."""

from __future__ import annotations

from os import PathLike
from typing import Any

from pycvstat.errors import CheckpointError
from pycvstat.verbs import Verbs


def load(path: str | PathLike[str]) -> Any:
    """Read a saved result.

    Parameters
    ----------
    path : path
        A file that ``result.save`` wrote. Checksums are verified; no code in it is run.

    Returns
    -------
    The result, equal to the saved one to the last bit.

    Examples
    --------
    >>> import tempfile
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     again = pcv.load(result.save(f"{place}/result.npz"))
    >>> again.estimate == result.estimate
    True
    """
    from pycvstat.run.store import load as read

    record = read(path).record
    if not isinstance(record, Verbs):
        raise CheckpointError("this file does not hold a result.", given=str(path))
    return record
