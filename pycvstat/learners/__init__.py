"""Learners: recipes for fitting, all with the protocol of `pycvstat.learners.base`.

May import the rooms below. New here: a frozen dataclass with its parameters as fields and what is
known about it on the class; its numbers in pure functions on arrays, in `linear` or `knn`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pycvstat.learners.base import Learner
from pycvstat.learners.statsmodels.models import class_of, is_built

__all__ = ["Learner", "as_learner"]


def as_learner(given: Any) -> Learner:
    """A learner as it is; a statsmodels model, or any object with fit and predict, wrapped.

    A list or a dict of learners is one of them, to be chosen.

    Examples
    --------
    >>> from pycvstat.learners.ols import Mean
    >>> as_learner(Mean()).name
    'Mean'
    """
    if isinstance(given, Learner):
        return given
    if isinstance(given, list | tuple | Mapping):
        from pycvstat.learners.models import Models

        return Models(given)
    if class_of(given) is not None or is_built(given):
        from pycvstat.learners.statsmodels.learner import Statsmodels

        return Statsmodels(given)
    from pycvstat.learners.external.learner import External

    return External(given)
