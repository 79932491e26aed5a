"""Choosing a candidate from its cross-validated losses: the rule, ties, how sure it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pycvstat.errors import Advice, FitError, InputError
from pycvstat.errors.checks import Brief, check_word, is_number, shown
from pycvstat.learners.base import Learner
from pycvstat.losses import FoldMeans
from pycvstat.types import FloatArray

RuleName = Literal["min", "one_se", "tolerance"]
Complexity = str | Sequence[str] | Callable[[dict[str, Any]], float]
RULES = {
    "min": "the {best} estimate",
    "one_se": "the simplest candidate within one naive standard error of the {best} estimate",
    "tolerance": "the simplest candidate within a share of {share:g} of the {best} estimate",
}


def _check_complexity(given: Any) -> None:
    names = [given] if isinstance(given, str) else given
    listed = isinstance(names, Sequence | np.ndarray) and all(isinstance(n, str) for n in names)
    if not (given is None or callable(given) or (listed and len(names))):
        raise InputError(
            "complexity is the name of a parameter, a list of names, or a function.",
            given=shown(given),
            fix=Advice("for example {complexity}, where a larger k is simpler", complexity="-k"),
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """How a candidate is chosen.

    Parameters
    ----------
    name : {"min", "one_se", "tolerance"}
        "min": the smallest estimate. "one_se": the simplest candidate within one standard error
        of the smallest estimate. "tolerance": the simplest within a share of it.
    complexity : str, list of str or function, optional
        Parameters in order of complexity: ``"degree"`` when larger is more complex, ``"-k"`` when
        larger is simpler; or a function of the parameters. Required unless the rule is "min".
    tolerance : float
        Share above the smallest estimate that is still accepted.

    Examples
    --------
    >>> Rule("one_se", complexity="-k").complexity
    '-k'
    """

    name: RuleName = "min"
    complexity: Complexity | None = None
    tolerance: float = 0.03

    def __post_init__(self) -> None:
        check_word("rule", self.name, RULES, f"there is no rule called {shown(self.name)}.")
        _check_complexity(self.complexity)
        if self.name != "min" and self.complexity is None:
            raise _no_order(self.name, Advice("for example {complexity}", complexity="-k"))
        if not (is_number(self.tolerance) and self.tolerance >= 0):
            raise InputError(
                "tolerance must be a number and must not be negative.", given=shown(self.tolerance)
            )

    def words(self, best: str = "smallest") -> str:
        """The rule in words.

        Examples
        --------
        >>> Rule("min").words("largest")
        'the largest estimate'
        """
        return RULES[self.name].format(share=self.tolerance, best=best)

    @property
    def citation(self) -> tuple[str, ...]:
        """Keys of the works that it goes back to."""
        return ("breiman1984",) if self.name == "one_se" else ()


def read_rule(
    name: RuleName,
    complexity: Complexity | None,
    tolerance: float,
    learner: Learner,
    candidates: Sequence[dict[str, Any]],
) -> Rule:
    """The rule, or an error that names a parameter by which these candidates can be ordered."""
    if name != "min" and name in RULES and complexity is None:
        raise _no_order(name, _advised_order(learner, candidates))
    return Rule(name, complexity, tolerance)


def _no_order(name: str, fix: Advice) -> InputError:
    return InputError(
        f"the rule {name!r} picks the simplest of several candidates, and needs to know which is "
        "simpler.",
        given="no complexity order",
        fix=fix,
    )


def _advised_order(learner: Learner, candidates: Sequence[dict[str, Any]]) -> Advice:
    tuned = [name for name, value in candidates[0].items() if isinstance(value, int | float)]
    known = [name for name in tuned if name in learner.simpler_when_larger]
    if known:
        return Advice("{complexity}: a larger {} is simpler", known[0], complexity=f"-{known[0]}")
    if not tuned:
        return Advice("give complexity as a function of the parameters")
    words = "{complexity} where a smaller {} is simpler, with a minus before it where a larger is"
    return Advice(words, tuned[0], complexity=tuned[0])


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen candidate and those that tie with it.

    Parameters
    ----------
    index : int
        Position of the chosen candidate.
    tied : tuple of int
        All candidates with exactly the smallest estimate.
    limit : float
        Largest estimate the rule accepts.
    """

    index: int
    tied: tuple[int, ...]
    limit: float

    def check(self, candidates: int) -> None:
        """Refuse a choice that is none of so many candidates."""
        wrong = [i for i in (self.index, *self.tied) if not 0 <= i < candidates]
        if wrong:
            raise InputError("there is no such candidate.", given=f"{wrong[0]} of {candidates}")


@dataclass(frozen=True, repr=False, slots=True, eq=False)
class Tuning(Brief):
    """What tuning found inside one fit.

    Parameters
    ----------
    choice : Choice
    means : (inner folds, C) float64
        Mean loss by inner fold and candidate.
    """

    choice: Choice
    means: FloatArray

    def __post_init__(self) -> None:
        self.choice.check(self.means.shape[1])


def choose(table: FoldMeans, rule: Rule = Rule()) -> Choice:
    """Choose a candidate; ties go to the simplest if an order is given, else to the first.

    Where larger is better "smallest" reads "largest", and `limit` is the smallest that is accepted.
    Candidates with a failed fold have no estimate and are never chosen.
    """
    estimate = table.estimate()
    if np.isnan(estimate).all():
        problem = "every candidate failed in some fold, so none can be chosen."
        fix = "look at the failures, or widen the grid"
        raise FitError(problem, given=f"{len(estimate)} candidates", fix=fix)
    sign = 1.0 if table.better == "smaller" else -1.0
    estimate = sign * estimate
    smallest = float(np.nanmin(estimate))
    limit = smallest + _allowance(table, estimate, rule)
    accepted = np.flatnonzero(estimate <= limit)
    tied = np.flatnonzero(estimate == smallest)
    if rule.complexity is None:
        return Choice(int(tied[0]), tuple(tied.tolist()), sign * limit)
    keys = complexity_keys(table.candidates, rule.complexity)
    index = min(accepted.tolist(), key=lambda c: (keys[c], estimate[c], c))
    return Choice(int(index), tuple(tied.tolist()), sign * limit)


def _allowance(table: FoldMeans, estimate: FloatArray, rule: Rule) -> float:
    if rule.name == "min":
        return 0.0
    best = int(np.nanargmin(estimate))
    if rule.name == "tolerance":
        return rule.tolerance * abs(float(estimate[best]))
    error = float(table.std_error()[best])
    if np.isnan(error):
        raise InputError(
            "one fold gives no standard error, so the one-standard-error rule cannot be used.",
            given=table.plan.recipe,
            fix=Advice("use {rule}, or several folds", rule="tolerance"),
        )
    return error


def complexity_keys(
    candidates: Sequence[dict[str, Any]], complexity: Complexity
) -> list[tuple[float, ...]]:
    """Sort keys of the candidates, simplest first.

    Examples
    --------
    >>> complexity_keys([{"k": 1}, {"k": 9}], "-k")
    [(-1.0,), (-9.0,)]
    """
    if callable(complexity):
        return [(_measured(complexity, c),) for c in candidates]
    names = [complexity] if isinstance(complexity, str) else list(complexity)
    return [tuple(_signed(c, name) for name in names) for c in candidates]


def _measured(complexity: Callable[[dict[str, Any]], float], candidate: dict[str, Any]) -> float:
    """What a user's function says of a candidate."""
    try:
        found = float(complexity(candidate))
    except Exception as error:  # whatever a user's function can raise
        raise InputError(
            "complexity must give one number for the parameters of a candidate.",
            given=f"{type(error).__name__}: {error}, for {candidate}",
            fix='for example complexity=lambda params: -params["k"]',
        ) from error
    if np.isnan(found):
        raise InputError("complexity must give numbers.", given=f"NaN for {candidate}")
    return found


def _signed(candidate: dict[str, Any], name: str) -> float:
    bare = name.removeprefix("-")
    if bare not in candidate:
        problem = f"the complexity order names {bare!r}, which is not tuned."
        raise InputError(problem, given=name, fix=f"use one of {', '.join(candidate)}")
    value = candidate[bare]
    if not isinstance(value, int | float):
        raise InputError(
            f"{bare!r} has no numeric order.", given=value, fix="give complexity as a function"
        )
    return -float(value) if name.startswith("-") else float(value)


def needs_one_split(given: str, argument: str) -> InputError:
    """The error for keeping the fit on the training part of several splits."""
    from pycvstat.folds import Holdout

    return InputError(
        "refit='train' keeps the fit on the training part of one split.",
        given=given,
        fix=Advice(f"{{{argument}}}, or {{refit}}", **{argument: Holdout(0.2)}, refit="all"),
    )


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
    found = {}
    for name, value in candidates[index].items():
        tried = {c[name] for c in candidates if is_number(c.get(name))}
        if len(tried) < FEW or not is_number(value) or min(tried) < value < max(tried):
            continue
        of = learner.with_params(**candidates[index]).base
        low, high = of.limits.get(name, (-np.inf, np.inf))
        if value == min(tried) and value > low:
            found[name] = "smallest"
        if value == max(tried) and value < high:
            found[name] = "largest"
    return found
