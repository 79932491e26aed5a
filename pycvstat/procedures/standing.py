"""How sure a choice among candidates is: the edge of the grid, ties, the lead over the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pycvstat.errors.checks import is_number
from pycvstat.learners.base import Learner
from pycvstat.procedures.selection import Choice
from pycvstat.types import FloatArray

FEW = 3  # values of a parameter below which every choice is at an edge


@dataclass(frozen=True, slots=True)
class Standing:
    """How the best of several candidates stands among them.

    Parameters
    ----------
    edge : dict
        Parameters whose chosen value is the smallest or largest of the grid, where the learner
        takes values beyond: the name, and "smallest" or "largest".
    tied : int
        Candidates with exactly the best estimate.
    runner_up : int or None
        The best candidate of the others.
    lead : float
        By how much its estimate is worse.
    noise : float
        The naive standard error of that difference: the standard deviation of the differences of
        fold means over the root of their number; NaN for a single fit.
    close : int
        Candidates whose distance from the best is not larger than its noise, ties left out.
    """

    edge: Mapping[str, str]
    tied: int
    runner_up: int | None
    lead: float
    noise: float
    close: int

    @property
    def within_noise(self) -> bool:
        """Whether the lead over the runner-up is not larger than its noise."""
        return self.lead <= self.noise


def standing(
    choice: Choice,
    means: FloatArray,
    candidates: Sequence[Mapping[str, Any]],
    learner: Learner,
    sign: float = 1.0,
) -> Standing:
    """The standing of a choice.

    Parameters
    ----------
    choice : Choice
    means : (fits, C) float64
        Mean losses by fit and candidate.
    candidates : sequence of mappings
    learner : Learner
        What is tuned; it says how far its parameters go.
    sign : float
        -1 where larger is better.

    Examples
    --------
    >>> from pycvstat.learners.knn import KNN
    >>> means = np.array([[3.0, 2.0, 1.9], [4.0, 3.0, 3.2]])
    >>> found = standing(Choice(1, (1,), 2.5), means, [{"k": 1}, {"k": 5}, {"k": 9}], KNN())
    >>> found.edge, found.runner_up, round(found.lead, 2), round(found.noise, 2), found.close
    ({}, 2, 0.05, 0.15, 1)
    """
    best, fits = choice.tied[0], len(means)
    differences = sign * (means - means[:, [best]])
    leads = differences.mean(axis=0)
    noise = np.full(len(leads), np.nan)
    if fits > 1:
        noise = differences.std(axis=0, ddof=1) / np.sqrt(fits)
    others = [c for c in range(len(leads)) if c not in choice.tied and np.isfinite(leads[c])]
    up = min(others, key=lambda c: leads[c]) if others else None
    lead, spread = (np.nan, np.nan) if up is None else (float(leads[up]), float(noise[up]))
    close = sum(bool(leads[c] <= noise[c]) for c in others)
    edge = edges(candidates, choice.index, learner)
    return Standing(edge, len(choice.tied), up, lead, spread, close)


def edges(candidates: Sequence[Mapping[str, Any]], index: int, learner: Learner) -> dict[str, str]:
    """Which numbers of a candidate are the smallest or largest of the grid.

    Examples
    --------
    >>> from pycvstat.learners.knn import KNN
    >>> grid = [{"k": k} for k in (1, 5, 9)]
    >>> edges(grid, 2, KNN()), edges(grid, 0, KNN())
    ({'k': 'largest'}, {})
    """
    found, limits = {}, learner.with_params(**candidates[index]).base.limits
    for name, value in candidates[index].items():
        tried = {c[name] for c in candidates if is_number(c.get(name))}
        if len(tried) < FEW or not is_number(value):
            continue
        low, high = limits.get(name, (-np.inf, np.inf))
        if value == min(tried) and value > low:
            found[name] = "smallest"
        if value == max(tried) and value < high:
            found[name] = "largest"
    return found
