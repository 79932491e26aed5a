"""What an interval method declares, and the registry of methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pycvstat.errors import InputError, IntervalError
from pycvstat.errors.checks import Brief, nearest, shown
from pycvstat.folds.fits import Scheme
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.splitter import Splitter
from pycvstat.intervals.limits import Limits
from pycvstat.rmath.tolerances import SUMS, Tolerance

Target = Literal["ER", "R", "PQ", "R and ER"]


@dataclass(frozen=True, slots=True)
class InR:
    """The same interval in R.

    Parameters
    ----------
    code : str
        R code of ``c(estimate, std_error, low, high)``, by the functions of `intervals.R`. It reads
        the losses as ``x`` (a matrix of several candidates), ``level``, and by name what it needs:
        the ``fit``, ``row`` and ``group`` of every loss, ``n``, ``n_train`` and ``n_test``, the
        ends ``lo`` and ``hi`` of the losses, and the method's options.
    freedom : str
        R code of the degrees of freedom of the t test.
    test : str
        R code of the statistic and the p value of another test; "none" where there is no test.
    tolerance : Tolerance

    Examples
    --------
    >>> find("holdout_z").r.code
    'pcv_ci_holdout_z(x, level)'
    """

    code: str
    freedom: str = "Inf"
    test: str = ""
    tolerance: Tolerance = SUMS


@dataclass(frozen=True, repr=False, slots=True)
class Method(Brief):
    """An interval method: its formula, what it is about and where it is legal.

    Parameters
    ----------
    name, title : str
        The name to ask for it, and the name to print.
    target : {"ER", "R", "PQ", "R and ER"}
        Expected risk, risk of the fitted model, or K-fold test error.
    formula : callable
        ``formula(table, level, **options) -> Limits``. It never fits anything.
    layouts : tuple of str
        The layouts of the plan that it is legal for.
    citation : tuple of str
        Keys of the bibliography: the method, and the package where one computes it.
    folds : Splitter
        The usual ``folds=``, which make it legal.
    known : callable
        ``known(plan) -> str``: how liberal or wide it is known to be there, beside what
        the simulations in `coverage` have of it.
    needs : {"fold means", "pointwise", "0-1", "predictions"}
        What it reads: fold means (any metric), one loss per observation, losses of 0 and 1 only,
        or predicted scores of two classes.
    unbounded : bool
        Whether it is for losses from 0 without an upper end only.
    rank : int, optional
        Its place among the legal methods of which "auto" takes the first; without one it has to be
        asked for.
    because : str
        Why "auto" takes it.
    for_groups : bool
        Whether "auto" takes it only where rows come in groups.
    for_pairs : bool
        Whether "auto" takes it only for differences of two methods.
    illegal : mapping
        Why it is not legal for a layout, where there is more to say than that.
    several : bool
        Whether it reads all candidates of a tuning, instead of one.
    grouped : bool
        Whether rows may come in groups.
    options : tuple of str
        Names of further arguments of the formula.
    aliases : tuple of str
    train_size : callable, optional
        ``train_size(plan) -> str`` where the estimand is not at the plan's training sizes.
    metrics : {"delta", "own", "none"}
        How metrics of all predictions are handled: by pseudo-losses, by the formula itself (it
        takes ``metric=``), or not at all.
    centre : {"mean", "own"}
        Whether its estimate is the mean of what it reads, or one of its own.
    r : InR, optional
        The same in R, for cross-checks.

    Examples
    --------
    >>> method = find("ncv")
    >>> method.layouts, method.folds
    (('nested pairs',), NestedPairs(repeats=200))
    """

    name: str
    title: str
    target: Target
    formula: Callable[..., Limits]
    layouts: tuple[Scheme, ...]
    citation: tuple[str, ...]
    folds: Splitter
    known: Callable[[FoldPlan], str] = lambda plan: ""
    needs: Literal["fold means", "pointwise", "0-1", "predictions"] = "pointwise"
    unbounded: bool = False
    rank: int | None = None
    because: str = "it is made for this plan"
    for_groups: bool = False
    for_pairs: bool = False
    illegal: Mapping[Scheme, str] = field(default_factory=dict)
    several: bool = False
    grouped: bool = False
    options: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    train_size: Callable[[FoldPlan], str] | None = None
    metrics: Literal["delta", "own", "none"] = "delta"
    centre: Literal["mean", "own"] = "mean"
    r: InR | None = None

    @property
    def advice(self) -> str:
        """The argument that makes it legal, as it is typed."""
        return f"folds={self.folds}" + (", groups=..." if self.for_groups else "")


METHODS: dict[str, Method] = {}
_ALIASES: dict[str, str] = {}


def register(method: Method) -> Method:
    """Add a method to the registry; its name and aliases must be new.

    Examples
    --------
    >>> from pycvstat.intervals import METHODS
    >>> METHODS["corrected_t"].target
    'ER'
    """
    for name in (method.name, *method.aliases):
        if name in METHODS or name in _ALIASES:
            raise InputError("an interval method of this name exists.", given=name)
    METHODS[method.name] = method
    _ALIASES.update(dict.fromkeys(method.aliases, method.name))
    return method


def find(name: str) -> Method:
    """The method of a name or alias; spelling with blanks, hyphens or capitals is accepted.

    Examples
    --------
    >>> find("Clopper-Pearson").name
    'clopper_pearson'
    """
    if not isinstance(name, str):
        raise InputError("method must be a name.", given=shown(name), fix="use method='auto'")
    key = name.strip().lower().replace("-", "_").replace(" ", "_")
    key = _ALIASES.get(key, key)
    if key in METHODS:
        return METHODS[key]
    raise IntervalError(
        f"there is no interval method {name!r}.",
        given=name,
        fix=nearest(key, [*METHODS, *_ALIASES], f"use 'auto' or one of {', '.join(METHODS)}"),
    )
