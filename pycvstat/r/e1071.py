"""R's package e1071: `tune`, which resamples a model over a grid.

Folds are those of e1071: the rows are shuffled once, and cut into stretches of equal length. The
draws are from the stream of `pycvstat.r.set_seed`.

Left out: the package's own models (`svm`, `naiveBayes`, ...) and `tune`'s wrappers for them: a
learner is given instead, which may be scikit-learn's; `nrepeat`, `random`, the aggregating
functions of `tune.control`, `validation.x` and the plots (`tidy` gives what they draw).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.checks import check_word, is_number
from pycvstat.errors.names import Answering, answering
from pycvstat.folds import FoldPlan, RFolds
from pycvstat.learners import as_learner
from pycvstat.learners.base import Fitted
from pycvstat.losses.functions import as_loss
from pycvstat.procedures.engine import run
from pycvstat.procedures.grid import as_candidates
from pycvstat.r.session import stream
from pycvstat.r.values import whole
from pycvstat.rmath.printing import DIGITS, format_numbers
from pycvstat.rmath.sums import mean, sd

Sampling = Literal["cross", "fix", "bootstrap"]


@dataclass(frozen=True)
class tune_control(metaclass=Answering):
    """How `tune` resamples.

    Parameters
    ----------
    sampling : {"cross", "fix", "bootstrap"}
    cross : int
        Folds.
    fix : float
        Share of the training rows of one split.
    nboot : int
        Resamples.
    boot_size : float
        Their size as a share of the rows.

    Notes
    -----
    As in R: ``tune.control(sampling = sampling, cross = cross, ...)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.e1071.tune_control(cross=5).words(32)
    '5-fold cross validation'
    """

    sampling: Sampling = "cross"
    cross: int = 10
    fix: float = 2 / 3
    nboot: int = 10
    boot_size: float = 9 / 10

    def __post_init__(self) -> None:
        check_word("sampling", self.sampling, get_args(Sampling))
        for name, share in (("fix", self.fix), ("boot_size", self.boot_size)):
            if not (is_number(share) and 0 < share <= 1):
                raise InputError(f"{name} is a share of the rows.", given=f"{name}={share!r}")
        whole(self.cross, "cross", 2)
        whole(self.nboot, "nboot", 1)

    def words(self, n: int) -> str:
        """How the sampling of n rows is printed."""
        if self.sampling == "cross":
            return "leave-one-out" if self.cross == n else f"{self.cross}-fold cross validation"
        return {"fix": "fixed training/validation set"}.get(self.sampling, "bootstrapping")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tune:
    """What tune returns.

    Parameters
    ----------
    method : str
    sampling : str
    performances : pandas.DataFrame
        Candidates with the mean of their errors over the folds, and the standard deviation.
    best_parameters : dict
    best_performance : float
    best_model : fitted model
    train_ind : tuple of arrays
        Training rows of each fold, counted from 1, in the order of the data.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.e1071.tune(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars())
    <BLANKLINE>
    Error estimation of ‘OLS’ using 10-fold cross validation: 10.16605
    <BLANKLINE>
    """

    method: str
    sampling: str
    performances: pd.DataFrame
    best_parameters: dict[str, Any]
    best_performance: float
    best_model: Fitted
    train_ind: tuple[Any, ...]

    def __repr__(self) -> str:
        error = f"{self.best_performance:.{DIGITS}g}"
        if not self.best_parameters:
            return f"\nError estimation of ‘{self.method}’ using {self.sampling}: {error}\n"
        words = {
            name: value if isinstance(value, str) else format_numbers([value])[0]
            for name, value in self.best_parameters.items()
        }
        widths = {name: max(len(name), len(word)) for name, word in words.items()}
        head = "".join(f" {name:>{widths[name]}}" for name in words)
        line = "".join(f" {word:>{widths[name]}}" for name, word in words.items())
        return (
            f"\nParameter tuning of ‘{self.method}’:\n\n- sampling method: {self.sampling} \n\n"
            f"- best parameters:\n{head}\n{line}\n\n- best performance: {error} \n"
        )

    def predict(self, newdata: Any) -> Any:
        """Predict new rows with the best model."""
        return self.best_model.predict(newdata)

    def tidy(self) -> pd.DataFrame:
        """One row per candidate: `performances`."""
        return self.performances


@answering
def tune(
    METHOD: Any,
    train_x: str,
    data: Any,
    ranges: Any = None,
    tunecontrol: tune_control | None = None,
) -> Tune:
    """Resample a learner over a grid of its parameters.

    Parameters
    ----------
    METHOD : learner
    train_x : str
        A formula.
    data : frame
    ranges : mapping, optional
        The values of each parameter, combined as ``expand.grid`` does. Names that the learner lacks
        are refused, where R hands them on and ``svm`` ignores them.
    tunecontrol : tune_control, optional
        Ten folds by default.

    Returns
    -------
    Tune

    Notes
    -----
    As in R: ``tune(METHOD, formula, data = data, ranges = ranges)``. Errors are mean squares, or
    shares of wrong classes; of equal ones the first candidate is the best.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> found = r.e1071.tune(pcv.KNN(kernel="rectangular"), "mpg ~ wt", pcv.data.mtcars(),
    ...                      ranges={"k": [1, 5, 9]})
    >>> found.best_parameters, found.performances["error"].round(3).tolist()
    ({'k': 5}, [18.698, 7.737, 12.331])
    """
    control = tune_control() if tunecontrol is None else tunecontrol
    if not isinstance(control, tune_control):
        raise InputError("tunecontrol is what tune_control() returns.", given=repr(control))
    learner = as_learner(METHOD)
    task = Task.build(train_x, data, beside=learner.beside, classes=learner.for_classes)
    plan = _plan(control, task.n)
    candidates: Any = ({},)
    if ranges is not None:  # expand.grid varies the first fastest
        if not isinstance(ranges, dict):
            raise InputError("ranges has values under names of parameters.", given=repr(ranges))
        candidates = as_candidates(dict(reversed(ranges.items())), learner)
    prepared = learner.prepare(task, candidates)
    loss = as_loss(None if task.response.kind != "ordinal" else "zero_one", task.response.kind)
    each = run(prepared, plan, task.response.values, loss, random=stream()).means.means
    found = pd.DataFrame([{name: one[name] for name in ranges or ()} for one in candidates])
    found["error"] = [mean(column) for column in each.T]
    found["dispersion"] = [sd(column) if len(column) > 1 else np.nan for column in each.T]
    best = int(np.argmin(found["error"]))
    chosen = {name: candidates[best][name] for name in ranges or ()}
    return Tune(
        learner.name,
        control.words(task.n),
        found,
        chosen,
        float(found["error"][best]),
        learner.with_params(**chosen).fit_task(task),
        tuple(plan.train_rows(i) + 1 for i in range(len(plan))),
    )


def _plan(control: tune_control, n: int) -> FoldPlan:
    """The folds; the rows are shuffled first, whether that is used or not."""
    if control.sampling == "cross":
        if control.cross > n:
            raise InputError(
                "cross must not exceed sampling size!", given=f"{control.cross} of {n}"
            )
        return RFolds("cut", control.cross).plan(n, random=stream())
    shuffled = stream().permutation(n)
    train = [shuffled[: int(n * control.fix)]]
    if control.sampling == "bootstrap":
        size = int(n * control.boot_size)
        train = [stream().sample(n, size, True) - 1 for _ in range(control.nboot)]
    rest = [(np.sort(rows), np.setdiff1d(np.arange(n), rows)) for rows in train]
    return FoldPlan.from_splits(rest, n, kind="bootstrap", recipe=control.words(n))
