"""The candidates of train: a grid that was given, or a method's own."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.errors import InputError
from pycvstat.r.caret.methods import PARAMETERS, Method, Tune


def frame_of(method: Method, given: Any) -> pd.DataFrame:
    """Candidates in rows, none twice: a mapping's values are combined as ``expand.grid`` does.

    Words of a mapping keep its order, as the factors of ``expand.grid``.

    Examples
    --------
    >>> from pycvstat.r.caret.methods import METHODS
    >>> frame_of(METHODS["glmnet"], {"alpha": [0, 1], "lambda": 0.1}).values.tolist()
    [[0.0, 0.1], [1.0, 0.1]]
    """
    if isinstance(given, Mapping):
        values = {name: _listed(one) for name, one in given.items()}
        rows = [row[::-1] for row in product(*reversed(list(values.values())))]
        if not rows:
            raise InputError("tuneGrid has no candidates.", given=repr(given))
        frame = in_order([dict(zip(values, row, strict=True)) for row in rows])
    elif isinstance(given, pd.DataFrame):
        frame = given.reset_index(drop=True)
    else:
        raise InputError(
            "tuneGrid is a mapping of values or a frame of candidates.",
            given=type(given).__name__,
            fix=f"tuneGrid={{{', '.join(f'{name!r}: [...]' for name in method.parameters)}}}",
        )
    if {*frame.columns} != {*method.parameters}:
        raise InputError(
            f"the tuning parameter grid should have columns {', '.join(method.parameters)}.",
            given=", ".join(map(str, frame.columns)) or "no columns",
        )
    if frame.empty or frame.isna().any(axis=None):
        raise InputError(
            "tuneGrid has no candidates, or missing values.", given=f"{len(frame)} rows"
        )
    frame = frame[list(method.parameters)].drop_duplicates(ignore_index=True)
    for name in method.parameters:
        PARAMETERS[name](name, frame[name])
    return frame


def _listed(values: Any) -> list[Any]:
    return [values] if isinstance(values, str) or np.ndim(values) == 0 else list(values)


def in_order(tunes: list[Tune]) -> pd.DataFrame:
    """Candidates in rows, their words as categories in this order.

    Examples
    --------
    >>> in_order([{"psi": "psi.huber"}, {"psi": "psi.hampel"}])["psi"].cat.categories.tolist()
    ['psi.huber', 'psi.hampel']
    """
    frame = pd.DataFrame(tunes)
    for name in frame:
        if isinstance(frame[name].iloc[0], str):
            frame[name] = pd.Categorical(frame[name], list(dict.fromkeys(frame[name])))
    return frame


def candidates(frame: pd.DataFrame) -> list[Tune]:
    """The rows of a frame of candidates as dicts of scalars.

    Examples
    --------
    >>> candidates(pd.DataFrame({"k": [3, 5]}))
    [{'k': 3}, {'k': 5}]
    """
    return [{str(k): v for k, v in row.items()} for row in frame.astype(object).to_dict("records")]
