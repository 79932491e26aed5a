"""What results are about, in words: learners, risks, folds; in full with the works cited."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.data.formula import quote
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.problems import split_groups
from pycvstat.intervals import Interval
from pycvstat.intervals.result import Estimand
from pycvstat.learners.parts import Composed
from pycvstat.losses import LOSSES, loss_label
from pycvstat.losses.metrics import METRICS
from pycvstat.report.content import Cite, Inline, Verbatim
from pycvstat.report.numbers import (
    aligned,
    capital,
    count,
    listed,
    number,
    setting,
    settings,
    sizes,
)

if TYPE_CHECKING:
    from pycvstat.data.response import Response
    from pycvstat.data.task import Task

Parts = list[Inline]
SOFTWARE = {"seabold2010": "statsmodels", "pedregosa2011": "scikit-learn"}
"""Packages by the works that are cited for them."""
ORDERS = {"ICU": "words sorted as R does (ICU)", "C": "words sorted by code point"}
"""What is said of levels that are sorted words."""
NAIVE = (
    "Naive standard error: standard deviation of the fold means over the square root of the "
    "number of fits. It ignores that training sets overlap, so it is a guide for choosing, not an "
    "interval."
)


def loss_words(name: str) -> str:
    """A loss in words.

    Examples
    --------
    >>> loss_words("squared"), loss_words("huber(1.345)")
    ('squared error', 'huber(1.345) loss')
    """
    if name in METRICS:
        return METRICS[name].label
    known = LOSSES.get(name)
    return known.words if known and known.words else loss_label(name)


def numbers_words(response: Response) -> str:
    """What zeros and ones are that are not classes; nothing of other responses."""
    if not response.zeros_and_ones:
        return ""
    return (
        f"the zeros and ones of {response.name} are numbers, so squared error is the Brier score "
        f"where predictions are probabilities; factor({quote(response.name)}) makes them classes"
    )


def kept_words(plan: FoldPlan, by: str = "") -> str:
    """What goes before the name of a plan: whether it keeps classes in proportion, groups whole.

    Examples
    --------
    >>> plan = FoldPlan.from_fold_ids([1, 1, 2, 2], groups=np.array([7, 7, 8, 8]))
    >>> kept_words(plan), kept_words(plan, "patient")
    ('grouped ', 'patient-grouped ')
    """
    grouped = plan.groups is not None and not split_groups(plan)
    named = f"{by}-grouped " if by.isalpha() else "grouped "
    return ("stratified " if plan.stratified else "") + (named if grouped else "")


def plan_words(plan: FoldPlan, by: str = "") -> str:
    """A fold plan as a statistician says it; `by` is what its groups are called.

    Examples
    --------
    >>> plan_words(FoldPlan.from_fold_ids([1, 1, 2, 2]))
    '2-fold cross-validation'
    """
    folds, fits, how = f"{plan.folds_per_repeat}-fold", len(plan), kept_words(plan, by)
    words = {
        "K-fold": f"{how}{folds} cross-validation",
        "leave-one-out": f"{how}leave-one-out cross-validation",
        "repeated K-fold": f"{how}{folds} cross-validation repeated {often(plan.times)}",
        "one split": f"one {how}split into training and test rows",
        "subsampling": f"{count(fits, f'random {how}split')} into training and test rows",
        "5x2": f"{how}2-fold cross-validation repeated 5 times",
        "time series": f"{count(fits, 'rolling split')} in order of time",
        "bootstrap": f"{count(fits, f'{how}resample')} with replacement, tested on the other rows",
        "nested pairs": "cross-validation with folds excluded in pairs, "
        + count(plan.times, "repetition"),
    }
    return words.get(plan.scheme, "subsampling of all rows and of paired halves")


def often(times: int) -> str:
    """How often.

    Examples
    --------
    >>> often(1), often(2), often(10)
    ('once', 'twice', '10 times')
    """
    return {1: "once", 2: "twice"}.get(times, f"{times} times")


def groups_words(task: Task) -> str:
    """How many groups the rows come in: "892 patients", "892 groups by site_id"; or nothing.

    Examples
    --------
    >>> from pycvstat.data.task import Task
    >>> data = {"y": [1.0, 2.0, 3.0], "x": [1, 2, 4], "patient": ["a", "a", "b"]}
    >>> groups_words(Task.build("y ~ x", data, groups="patient"))
    '2 patients'
    """
    if task.groups is None:
        return ""
    number_of, by = len(np.unique(task.groups)), task.grouped_by
    if by.isalpha():
        return f"{number_of} {by if number_of == 1 or by.endswith('s') else by + 's'}"
    return count(number_of, "group") + (f" by {by}" if by else "")


def plan_told(plan: FoldPlan, task: Task) -> str:
    """A fold plan with the groups that it keeps whole and what it keeps in proportion.

    Examples
    --------
    >>> from pycvstat.data.task import Task
    >>> from pycvstat.folds import Grouped
    >>> data = {"y": [1.0, 2.0, 3.0], "x": [1, 2, 4], "patient": ["a", "a", "b"]}
    >>> task = Task.build("y ~ x", data, groups="patient")
    >>> plan_told(Grouped(2, random=1).plan(3, groups=task.groups), task)
    'patient-grouped 2-fold cross-validation (2 patients)'
    """
    response, kept = task.response, list[str]()
    if isinstance(plan.stratified, str):
        kept.append(f"by {plan.stratified}")
    elif plan.stratified:
        each = [f"{name} {np.sum(response.values == i)}" for i, name in enumerate(response.levels)]
        kept.append(f"by {response.name}" + (f": {listed(each, 4)}" if each else ""))
    if plan.groups is not None and not split_groups(plan):
        kept.append(groups_words(task))
    return plan_words(plan, task.grouped_by) + (f" ({'; '.join(kept)})" if kept else "")


def learner_words(learner: Any) -> str:
    """A learner with its parameters that are not the usual ones, as they would be typed."""
    changed = changed_params(learner.base) | own_formula(learner)
    words = f"{learner.base.name} ({settings(changed)})" if changed else str(learner.base.name)
    return words + tuning_words(learner)


def learner_in_full(learner: Any, tuned: Collection[str] = ()) -> str:
    """A learner with all simple parameters but the tuned ones, as it would be typed.

    Examples
    --------
    >>> from pycvstat.learners.knn import KNN
    >>> learner_in_full(KNN(k=5))
    "KNN(k=5, kernel='optimal', distance=2, scale=True, ykernel=0, ties='kknn')"
    """
    tuned = {*tuned, *parameters(learner.candidates)}
    params = learner.base.params() | own_formula(learner)
    shown = {n: v for n, v in params.items() if n not in tuned}
    simple = {n: v for n, v in shown.items() if isinstance(v, str | int | float)}
    arguments = ", ".join(f"{n}={v!r}" for n, v in simple.items())
    given = "" if isinstance(learner.base, Composed) else f"({arguments})"
    return f"{learner.base.name}{given}{tuning_words(learner)}"


def own_formula(learner: Any) -> dict[str, str]:
    """The formula that a learner has of its own, by the name of that parameter."""
    own = [text for text in learner.formulas if text is not None]
    return {"formula": own[0]} if len(own) == 1 and not learner.candidates else {}


def tuning_words(learner: Any) -> str:
    """What a learner tunes over, to follow its name; nothing where it does not tune."""
    return f", tuned over {candidates_words(learner.candidates)}" if learner.candidates else ""


def changed_params(learner: Any) -> dict[str, Any]:
    """Simple parameters whose value is not the default of the class.

    Examples
    --------
    >>> from sklearn.linear_model import Lasso
    >>> from pycvstat.learners.external.learner import External
    >>> changed_params(External(Lasso(alpha=0.1)))
    {'alpha': 0.1}
    """
    params, usual = learner.params().items(), learner.usual
    return {n: v for n, v in params if isinstance(v, str | int | float) and v != usual.get(n)}


def parameters(candidates: Any) -> list[str]:
    """Names of the parameters of a grid.

    Examples
    --------
    >>> parameters([{"k": 1}, {"k": 2, "kernel": "optimal"}])
    ['k', 'kernel']
    """
    return list(dict.fromkeys(name for c in candidates for name in c))


def candidates_words(candidates: Any) -> str:
    """A grid in words: how many candidates and the range of each parameter.

    Examples
    --------
    >>> candidates_words([{"k": 1}, {"k": 2}, {"k": 9}])
    '3 candidates (k from 1 to 9)'
    """
    parts = []
    for name in parameters(candidates):
        values = list(dict.fromkeys(c.get(name) for c in candidates))
        if len(values) == 1:
            parts.append(f"{name} = {setting(values[0])}")
        elif all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
            parts.append(f"{name} from {min(values):.6g} to {max(values):.6g}")
        elif len(values) <= 4:
            parts.append(f"{name} in {', '.join(map(setting, values))}")
        else:
            parts.append(f"{len(values)} values of {name}")
    number_of = count(len(candidates), "candidate")
    return f"{number_of} ({'; '.join(parts)})" if parts else number_of


def training_rows(plan: FoldPlan) -> str:
    """Rows that fits train on, for a headline: sizes that differ by one row are the smaller.

    Examples
    --------
    >>> training_rows(FoldPlan.from_fold_ids([1, 1, 2, 2, 2]))
    '2'
    """
    low, high = int(plan.n_train.min()), int(plan.n_train.max())
    return str(low) if high - low < 2 else f"{low} to {high}"


def about_words(about: Estimand, plan: FoldPlan, of: str, risk: str = "risk") -> str:
    """What an interval is about, for a headline: in words, without its symbol."""
    size = training_rows(plan) if about.size == sizes(plan.n_train) else about.size
    return replace(about, size=size).words(of, risk)


def risk_words(plan: FoldPlan, loss: str, of: str) -> str:
    """The quantity that a mean over such folds estimates, with the training size."""
    size, words = training_rows(plan), loss_words(loss)
    if plan.scheme == "one split":
        return f"risk ({words}) of {of} as trained on these {size} rows"
    return Estimand("ER", size, of).words(risk=f"risk ({words})")


def unit_of(loss: str, unit: str) -> str:
    """The unit of a loss, where its response has one: the unit, or its square.

    Examples
    --------
    >>> unit_of("squared", "cm"), unit_of("squared", "miles per gallon"), unit_of("log", "cm")
    ('cm²', '(miles per gallon)²', '')
    """
    if loss == "squared" and unit:
        return f"{unit}²" if unit.isalpha() else f"({unit})²"
    return unit if loss == "absolute" else ""


def moved(found: Interval, estimate: float | None) -> bool:
    """Whether the interval has another centre than the estimate beside which it stands."""
    return estimate is not None and number(estimate) != number(found.estimate)


def interval_words(found: Interval) -> str:
    """The limits: "95 % interval 6.77 to 21.28".

    Examples
    --------
    >>> from pycvstat.intervals import corrected_t
    >>> interval_words(corrected_t([0.2, 0.3, 0.1, 0.25, 0.15], 80, 20))
    '95 % interval 0.05276 to 0.34724'
    """
    return _limits(found, *aligned([found.low, found.high]))


def _limits(found: Interval, low: str, high: str) -> str:
    level = f"{100 * found.level:g} %"
    if low:
        return f"{level} interval {low} to {high}"
    return "no interval" if found.without else f"empty {level} interval"


def distribution_words(found: Interval) -> str:
    """The reference distribution of an interval; empty where there is none."""
    if math.isnan(found.df):
        return ""
    if math.isinf(found.df):
        return "normal distribution"
    return f"t distribution with {found.df:g} degrees of freedom"


def folds_words(plan: FoldPlan) -> str:
    """Fits and sizes: "10 fits, each trained on 28 to 29 rows and tested on 3 to 4"."""
    fits = count(len(plan), "fit") + (", each" if len(plan) > 1 else ",")
    return f"{fits} trained on {sizes(plan.n_train)} rows and tested on {sizes(plan.n_test)}"


def seed_words(seed: int) -> str:
    """A seed in words."""
    return f"{seed}, as in R's set.seed({seed})"


def value_words(value: float, found: Interval, unit: str = "") -> str:
    """An estimate with its interval: "14.03 cm (95 % interval 6.77 to 21.28)"."""
    middle, low, high = aligned([value, found.low, found.high])
    return f"{middle}{unit} ({_limits(found, low, high)})"


def cited(keys: tuple[str, ...]) -> Parts:
    """The works behind what was said, where there are any."""
    return [" ", Cite(keys)] if keys else []


def learner_parts(learner: Any, tuned: Collection[str] = ()) -> Parts:
    """A learner with its parameters, without the tuned ones, and the works it goes back to."""
    if learner.candidates:
        of = learner_parts(learner.base, parameters(learner.candidates))
        return [*of, f" tuned over {candidates_words(learner.candidates)}"]
    if learner.base is not learner:
        own = {} if "formula" in tuned else own_formula(learner)
        by: Parts = [" fitted by ", Verbatim(own["formula"])] if own else []
        return [*learner_parts(learner.base, tuned), *by]
    params = learner.params()
    told = {name: params[name] for name in learner.always_told} | changed_params(learner)
    told = {name: value for name, value in told.items() if name not in tuned}
    words = (learner.title or learner.name) + (f" with {settings(told)}" if told else "")
    return [words, *cited(learner.citation)]


def plan_parts(plan: FoldPlan, task: Task | None = None) -> Parts:
    """A fold plan with what it keeps together, and the work it goes back to."""
    crossed = plan.scheme in ("K-fold", "leave-one-out", "repeated K-fold")
    words = plan_words(plan) if task is None else plan_told(plan, task)
    return [words, *cited(("stone1974",) if crossed else ())]


def data_parts(task: Task) -> Parts:
    """The data at the end of a sentence."""
    missing = f"; {count(task.omitted, 'row')} with missing values left out"
    used, on = task.weights_used, f", on {count(task.n, 'row')} ("
    weights = "" if used == "none" else f" Weights were {used}."
    words = numbers_words(task.response)
    numbers = f" {capital(words)}." if words else ""
    end = f"{missing if task.omitted else ''}).{weights}{numbers}"
    return [on, Verbatim(formulas_words(task)), end]


def formulas_words(task: Task) -> str:
    """The formula of the data, or those that learners have of their own.

    Examples
    --------
    >>> from pycvstat.data.task import Task
    >>> data = {"y": [1.0, 2.0], "x": [1, 2], "z": [2, 1]}
    >>> formulas_words(Task.build(None, data, own=["y ~ x", "y ~ x + z"]))
    'y ~ x; y ~ x + z'
    """
    few, n = "; ".join(task.texts[:4]), len(task.texts)
    return few if n <= 4 else f"{few}; ... ({n} formulas)"


def interval_parts(found: Interval | None, estimate: float | None = None) -> Parts:
    """The interval, its centre where it is another, its method and what it is about."""
    if found is None:
        return []
    centre = f" around {number(found.estimate)}" if moved(found, estimate) else ""
    article = "an" if found.title[0].lower() in "aeiou" else "a"
    kind = f"{article} {found.title.removesuffix(' interval')} interval "
    about = f"; it is about the {found.estimand}. {found.all_rows or ''}".rstrip()
    return [f" The {interval_words(found)}{centre} is {kind}", Cite(found.citation), about]
