"""Candidates: the parameters of each, and the learner that it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Params = Mapping[str, Any]


class Candidates(tuple[dict[str, Any], ...]):
    """Parameters of candidates, with the learner that each makes: made, and so checked, once."""

    learner: Any
    learners: tuple[Any, ...]

    @classmethod
    def of(cls, learner: Any, params: Sequence[Params]) -> Candidates:
        """The candidates of a learner; those that were made of it stay as they are."""
        if isinstance(params, Candidates) and params.learner is learner:
            return params
        made = cls(params)  # type: ignore[arg-type]
        made.learner, made.learners = learner, tuple(learner.with_params(**c) for c in made)
        return made
