"""Candidates to tune over: grids, lists, random and quasi-random draws."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pycvstat.data.task import Task
from pycvstat.errors import Advice, InputError
from pycvstat.errors.checks import is_whole, shown
from pycvstat.errors.names import EXAMPLES, Answering
from pycvstat.learners.base import Candidates, Learner, Params
from pycvstat.learners.models import FORMULA, MODEL, Model, Models
from pycvstat.rmath.random import as_stream
from pycvstat.types import FloatArray

Drawn = tuple[dict[str, Any], ...]

MOST_CANDIDATES = 100_000
EXAMPLE = Advice("for example {grid}", grid={"k": range(1, 31)})


@dataclass(frozen=True)
class RandomSearch(metaclass=Answering):
    """Candidates drawn independently from distributions.

    Each draw is the distribution's quantile at a uniform number of R's generator, so the
    candidates of a seed can be repeated in R.

    Parameters
    ----------
    space : mapping
        Parameter name to a frozen `scipy.stats` distribution, or to a list of values that are
        drawn with equal chances.
    n : int
        Number of candidates.
    random : int, optional
        R's seed; drawn and kept in the result when None.

    Examples
    --------
    >>> from scipy.stats import randint
    >>> RandomSearch({"k": randint(1, 31)}, n=3, random=1).candidates()
    ({'k': 8}, {'k': 12}, {'k': 18})
    """

    space: Mapping[str, Any]
    n: int
    random: Any = None

    def __post_init__(self) -> None:
        _require_space(self.space)

    def candidates(self) -> Drawn:
        """The candidates, in the order drawn."""
        shape = _count(self.n), len(self.space)
        u = np.asarray(as_stream(self.random).runif(math.prod(shape))).reshape(shape)
        return _quantiles(self.space, u)


@dataclass(frozen=True)
class QuasiRandomSearch(metaclass=Answering):
    """Candidates spread evenly by a scrambled Sobol or Halton sequence.

    Parameters
    ----------
    space : mapping
        As for `RandomSearch`.
    n : int
        Number of candidates.
    sequence : {"halton", "sobol"}
    random : int
        Seed of the scrambling (of SciPy's `qmc`, not of R).

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> len(QuasiRandomSearch({"lam": loguniform(1e-3, 10)}, n=8, random=1).candidates())
    8
    """

    space: Mapping[str, Any]
    n: int
    sequence: Literal["halton", "sobol"] = "halton"
    random: int = 1

    def __post_init__(self) -> None:
        _require_space(self.space)

    def candidates(self) -> Drawn:
        """The candidates, in the order of the sequence."""
        from scipy.stats import qmc

        n = _count(self.n)
        engines = {"halton": qmc.Halton, "sobol": qmc.Sobol}
        if self.sequence not in engines:
            raise InputError("sequence must be 'halton' or 'sobol'.", given=repr(self.sequence))
        engine = engines[self.sequence](d=len(self.space), rng=self.random)
        # a Sobol sequence is drawn in a power of two and cut
        return _quantiles(self.space, np.asarray(engine.random(1 << (n - 1).bit_length()))[:n])


def _require_space(space: Any) -> None:
    if not isinstance(space, Mapping):
        problem = "a search needs a space: the values of each parameter."
        fix = 'write RandomSearch({"k": range(1, 31)}, n=20)'
        raise InputError(problem, given=shown(space), fix=fix)


def _count(n: Any) -> int:
    if not is_whole(n) or n < 1:
        raise InputError("the number of candidates must be a positive whole number.", given=n)
    refuse_too_many(n, f"n = {n}")
    return int(n)


def _quantiles(space: Mapping[str, Any], u: FloatArray) -> Drawn:
    if not space:
        raise InputError("the search space is empty.", given=dict(space))
    columns = {name: _draws(name, d, u[:, j]) for j, (name, d) in enumerate(space.items())}
    return tuple({name: column[i] for name, column in columns.items()} for i in range(u.shape[0]))


def _draws(name: str, distribution: Any, u: FloatArray) -> list[Any]:
    if hasattr(distribution, "ppf"):
        drawn = np.asarray(distribution.ppf(u))
        whole = hasattr(distribution, "pmf")
        return [int(v) if whole else float(v) for v in drawn]
    values = _values(name, distribution)
    return [values[min(int(v * len(values)), len(values) - 1)] for v in u]


def as_candidates(grid: Any, learner: Learner) -> Candidates:
    """The candidates meant by a grid, each with its learner.

    Parameters
    ----------
    grid : mapping, sequence of mappings, RandomSearch or QuasiRandomSearch
        A mapping of lists is a full product, the last parameter varying fastest. None for
        `Models`, each of which is a candidate.
    learner : Learner
        It becomes a `Model` where the grid has formulas.

    Examples
    --------
    >>> from pycvstat.learners.knn import KNN
    >>> as_candidates({"k": [1, 2], "kernel": ["inv", "cos"]}, KNN())[1]
    {'k': 1, 'kernel': 'cos'}
    """
    if grid is None and isinstance(learner, Models) and learner.model is None:
        return Candidates.of(learner, [{MODEL: name} for name in learner.models])
    if grid is None:
        raise InputError("there is no grid to tune over.", fix=EXAMPLES["grid"])
    candidates = _expand(grid)
    if not candidates:
        raise InputError("the grid is empty.", given=repr(grid), fix=EXAMPLE)
    for name in dict.fromkeys(name for candidate in candidates for name in candidate):
        if not isinstance(name, str):
            raise InputError("parameters of a grid are given by name.", given=repr(name))
    if any(FORMULA in candidate for candidate in candidates):
        _refuse_twice(candidates)
        if FORMULA not in learner.params() and not isinstance(learner, Models):
            return Candidates.of(Model(learner), candidates)
    return Candidates.of(learner, candidates)


def _refuse_twice(candidates: Drawn) -> None:
    """One formula twice, with the same other parameters, is one candidate."""
    seen = list[dict[str, Any]]()
    for candidate in candidates:
        text = candidate.get(FORMULA)
        bare = candidate | {FORMULA: "".join(text.split()) if isinstance(text, str) else text}
        if bare in seen:
            raise InputError(
                "the grid has the same formula twice.", given=text, fix="leave one out"
            )
        seen.append(bare)


def own_grid(learner: Learner, task: Task) -> Sequence[Params]:
    """The candidates that the data suggest to a learner, or an error where it has none."""
    found = learner.own_grid(task)
    if not found:
        fix = "give the values of each parameter: grid={...}"
        raise InputError(f"{learner.name} has no path of its own.", given="grid='path'", fix=fix)
    return found


def refuse_too_many(
    count: float, given: str, fix: str = "take wider steps, or RandomSearch(..., n=100)"
) -> None:
    """More candidates than anybody waits for, or than fit into memory."""
    if count > MOST_CANDIDATES:
        raise InputError(
            f"a grid has at most {MOST_CANDIDATES:,} candidates.", given=given, fix=fix
        )


def _expand(grid: Any) -> Drawn:
    if isinstance(grid, RandomSearch | QuasiRandomSearch):
        return grid.candidates()
    if isinstance(grid, Mapping):
        lists = [_values(name, values) for name, values in grid.items()]
        if not lists:
            return ()
        count = math.prod(len(values) for values in lists)
        refuse_too_many(count, f"{count:,} combinations")
        return tuple(dict(zip(grid, chosen, strict=True)) for chosen in itertools.product(*lists))
    if isinstance(grid, Sequence) and all(isinstance(g, Mapping) for g in grid):
        return tuple(dict(g) for g in grid)
    if isinstance(grid, str) and grid == "path":
        problem = "a path of penalties is made from all rows, and is a grid of tune() only."
        fix = 'give the candidates: {"lam": np.geomspace(0.01, 1, 50)}, or tune(...).candidates'
        raise InputError(problem, given="grid='path'", fix=fix)
    problem = "a grid is a mapping of parameter values, a list of mappings, or a search."
    raise InputError(problem, given=type(grid).__name__, fix=EXAMPLE)


def _values(name: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        return [values]
    first = itertools.islice(values, MOST_CANDIDATES + 1)
    found = [v.item() if isinstance(v, np.generic) else v for v in first]
    refuse_too_many(len(found), f"more values of {name!r}")
    if not found:
        raise InputError(f"the grid has no values for {name!r}.", given=repr(values))
    return found
