"""trainControl: how train resamples, what it measures of predictions, and how it chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from pycvstat.data.frame import Column
from pycvstat.errors import InputError, warn
from pycvstat.errors.checks import check_word, is_number
from pycvstat.errors.names import Answering
from pycvstat.folds.forms import row_lists
from pycvstat.losses.metrics import as_metric
from pycvstat.r.caret import folds
from pycvstat.r.values import whole
from pycvstat.rmath.sums import mean, sum_
from pycvstat.types import IntArray

Summary = Callable[..., dict[str, float]]
Resampling = Literal["boot", "boot632", "cv", "repeatedcv", "LOOCV", "LGOCV", "none"]
Selection = Literal["best", "oneSE", "tolerance"]
Returned = Literal["final", "all", "none"]

UNKNOWN = "Not a recognized resampling method."
SMALLER = ("RMSE", "MAE", "logLoss")
"""Measures of which the smallest value is the best."""
TOLERANCE = 1.5  # percent


def defaultSummary(data: pd.DataFrame, lev: Any = None, model: Any = None) -> dict[str, float]:
    """RMSE, Rsquared and MAE of numbers; Accuracy and Kappa of classes.

    Parameters
    ----------
    data : pandas.DataFrame
        Columns obs and pred.
    lev : sequence of str, optional
        The classes.
    model : str, optional

    Notes
    -----
    As in R: ``defaultSummary(data, lev, model)``. Rsquared is the squared correlation, not defined
    where one of both is constant.

    Examples
    --------
    >>> found = defaultSummary(pd.DataFrame({"obs": [1.0, 2.0, 4.0], "pred": [1.0, 3.0, 4.0]}))
    >>> {name: round(value, 6) for name, value in found.items()}
    {'RMSE': 0.57735, 'Rsquared': 0.862245, 'MAE': 0.333333}
    """
    _check_predictions("defaultSummary", data)
    if not isinstance(data["obs"].dtype, pd.CategoricalDtype):
        obs, pred = data["obs"].to_numpy(), data["pred"].to_numpy()
        return {
            "RMSE": float(np.sqrt(mean((pred - obs) ** 2))),
            "Rsquared": as_metric("r2_correlation").value(obs, pred),
            "MAE": float(mean(np.abs(pred - obs))),
        }
    classes, n = len(data["obs"].cat.categories), len(data)
    counts = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(counts, (data["obs"].cat.codes, data["pred"].cat.codes), 1)
    # of equal counts equal numbers: candidates tie as in R
    agreed = counts.trace() / n
    chance = sum_(counts.sum(axis=1) / n * (counts.sum(axis=0) / n))
    kappa = (agreed - chance) / (1 - chance) if chance < 1 else np.nan
    return {"Accuracy": float(agreed), "Kappa": float(kappa)}


def _check_predictions(summary: str, data: Any) -> None:
    if not isinstance(data, pd.DataFrame) or not {"obs", "pred"} <= {*data.columns}:
        problem = f"{summary} needs a data frame with columns obs and pred."
        raise InputError(problem, given=type(data).__name__)


def twoClassSummary(data: pd.DataFrame, lev: Any = None, model: Any = None) -> dict[str, float]:
    """ROC, Sens and Spec of two classes, the first of which is the event.

    Parameters
    ----------
    data : pandas.DataFrame
        Columns obs and pred, and the probability of each class under its name.
    lev : sequence of str
        The classes.
    model : str, optional

    Notes
    -----
    As in R: ``twoClassSummary(data, lev, model)``.

    Examples
    --------
    >>> obs = pd.Categorical(["a", "b", "a", "b"])
    >>> data = pd.DataFrame({"obs": obs, "pred": obs[::-1], "a": [0.9, 0.4, 0.3, 0.2]})
    >>> twoClassSummary(data, ["a", "b"])
    {'ROC': 0.75, 'Sens': 0.0, 'Spec': 0.0}
    """
    _check_predictions("twoClassSummary", data)
    if lev is None or len(lev) != 2:
        raise InputError(
            "the twoClassSummary() function is for two classes.",
            given="numbers" if lev is None else f"{len(lev)} levels",
            fix="use r.caret.defaultSummary",
        )
    if lev[0] not in data:
        raise InputError("class probabilities are needed to score models using the area under "
                         "the ROC curve.", fix="trainControl(..., classProbs=True)")  # fmt: skip
    event = (data["obs"] == lev[0]).to_numpy()
    right = (data["obs"] == data["pred"]).to_numpy()
    with np.errstate(all="ignore"):
        return {
            "ROC": as_metric("auc").value(event, data[lev[0]].to_numpy()),
            "Sens": float(np.float64(right[event].sum()) / event.sum()),
            "Spec": float(np.float64(right[~event].sum()) / (~event).sum()),
        }


def chosen(results: pd.DataFrame, metric: str, rule: str, maximize: bool, resamples: int) -> int:
    """The place of the candidate that a rule chooses among these, the simplest first."""
    values = results[metric].to_numpy() * (1.0 if maximize else -1.0)
    if np.isnan(values).all():
        raise InputError(f"all the {metric} metric values are missing.")
    best = int(np.nanargmax(values))
    if rule == "best":
        return best
    if rule == "oneSE":
        if f"{metric}SD" not in results:
            raise InputError(
                "the rule of one standard error needs resamples, each with a value.",
                fix='selectionFunction="best" with LOOCV',
            )
        bound = values[best] - results[f"{metric}SD"].to_numpy()[best] / np.sqrt(resamples)
        return int(np.argmax(values >= bound))
    loss = np.abs((values - values[best]) / values[best] * 100)
    return int(np.argmax(loss < TOLERANCE))


@dataclass(frozen=True)
class trainControl(metaclass=Answering):
    """How `train` resamples, measures and chooses.

    Parameters
    ----------
    method : {"boot", "boot632", "cv", "repeatedcv", "LOOCV", "LGOCV", "none"}
    number : int, optional
        Of folds (10) or resamples (25).
    repeats : int, optional
        Of "repeatedcv", 1 by default.
    p : float
        Share of training rows of "LGOCV".
    classProbs : bool
        Whether `summaryFunction` gets the class probabilities.
    summaryFunction : callable
        `defaultSummary`, `twoClassSummary`, or ``f(data, lev, model) -> dict`` of numbers, with
        a frame of ``obs``, ``pred`` and, if asked for, the probability of each class.
    selectionFunction : {"best", "oneSE", "tolerance"}
    returnResamp : {"final", "all", "none"}
        Of which candidates ``.resample`` has the numbers.
    savePredictions : {"none", "all", "final"}
        Of which candidates ``.pred`` has the predictions; True is "all", and so is, as in R,
        "none" with LOOCV.
    seeds : sequence, optional
        Seeds for each resample, one for each candidate, and last the one before the final fit,
        instead of those that are drawn.
    index, indexOut : mapping or sequence of rows, optional
        Training rows of each resample, and those tested, counted from 1.

    Notes
    -----
    As in R: ``trainControl(method, number, repeats, p, ...)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.caret.trainControl("cv").number
    10
    """

    method: Resampling = "boot"
    number: Any = None
    repeats: Any = None
    p: float = 0.75
    classProbs: bool = False
    summaryFunction: Summary = defaultSummary
    selectionFunction: Selection = "best"
    returnResamp: Returned = "final"
    savePredictions: Returned | bool = "none"
    seeds: Sequence[Any] | None = None
    index: Any = None
    indexOut: Any = None

    def __post_init__(self) -> None:
        check_word("method", self.method, get_args(Resampling), UNKNOWN)
        check_word("selectionFunction", self.selectionFunction, get_args(Selection))
        if isinstance(self.savePredictions, bool):
            object.__setattr__(self, "savePredictions", "all" if self.savePredictions else "none")
        for name in ("returnResamp", "savePredictions"):
            check_word(name, getattr(self, name), get_args(Returned))
        if not callable(self.summaryFunction):
            raise InputError(
                "summaryFunction is a function of (data, lev, model).",
                given=repr(self.summaryFunction),
                fix="summaryFunction=r.caret.twoClassSummary",
            )
        if not (is_number(self.p) and 0 < self.p < 1):
            raise InputError("p is a share of the rows, between 0 and 1.", given=f"p={self.p!r}")
        if self.repeats is not None and self.method != "repeatedcv":
            problem = "`repeats` has no meaning for this resampling method."
            warn(problem, given=f"method={self.method!r}")
        for name, usual in (("number", 10 if "cv" in self.method else 25), ("repeats", 1)):
            given = getattr(self, name)
            object.__setattr__(self, name, whole(usual if given is None else given, name, 1))

    @property
    def words(self) -> str:
        """How it is printed."""
        return {
            "cv": f"Cross-Validated ({self.number} fold)",
            "repeatedcv": f"Cross-Validated ({self.number} fold, repeated {self.repeats} times)",
            "LOOCV": "Leave-One-Out Cross-Validation",
            "LGOCV": f"Repeated Train/Test Splits Estimated ({self.number} reps, "
            f"{round(100 * self.p, 1):g}%)",
            "none": "None",
        }.get(self.method, f"Bootstrapped ({self.number} reps)")


@dataclass(frozen=True, slots=True, eq=False)
class Resamples:
    """Training and test rows of each resample, counted from 0, by name."""

    names: tuple[str, ...]
    train: tuple[IntArray, ...]
    test: tuple[IntArray, ...]


def resamples(control: trainControl, y: Column) -> Resamples:
    """The rows of each resample, drawn from the session's stream where they are not given."""
    n = len(y)
    if control.method == "none":
        return Resamples((), (), ())
    if control.index is not None:
        names, train = _given(control.index)
    elif control.method in ("cv", "repeatedcv"):
        times = control.repeats if control.method == "repeatedcv" else 1
        parts = [folds.createFolds(y, control.number, True) for _ in range(times)]
        train = [rows - 1 for part in parts for rows in part]
        repeats = _numbered(".Rep", times) if control.method == "repeatedcv" else [""]
        most = max(map(len, parts))
        labels = _numbered("Fold", most)
        names = [
            fold + repeat
            for part, repeat in zip(parts, repeats, strict=True)
            for fold in labels[: len(part)]
        ]
    elif control.method == "LOOCV":
        train = [np.delete(np.arange(n), i) for i in range(n)]
        names = _numbered("Fold", n)
    else:
        if control.method == "LGOCV":
            drawn = folds.createDataPartition(y, control.number, control.p)
        else:
            drawn = folds.createResample(y, control.number)
        train, names = [rows - 1 for rows in drawn], _numbered("Resample", control.number)
    if control.indexOut is not None:
        test = _given(control.indexOut)[1]
    else:
        test = [np.setdiff1d(np.arange(n), rows) for rows in train]
    if len(test) != len(train):
        raise InputError(
            "index and indexOut have different lengths.", given=f"{len(train)} and {len(test)}"
        )
    outside = [
        rows for rows in (*train, *test) if len(rows) and not 0 <= rows.min() <= rows.max() < n
    ]
    if outside:
        raise InputError(
            "index and indexOut hold rows of the data, counted from 1.", given=f"{n} rows"
        )
    return Resamples(tuple(names), tuple(train), tuple(test))


def _given(index: Any) -> tuple[list[str], list[IntArray]]:
    rows = row_lists(index, 1)
    names = list(index) if isinstance(index, Mapping) else _numbered("Resample", len(rows))
    return names, rows


def _numbered(word: str, count: int) -> list[str]:
    width = len(str(count))
    return [f"{word}{i + 1:0{width}d}" for i in range(count)]


def seeds_of(
    control: trainControl, draw: Callable[[int], IntArray], fits: int, loop: int
) -> IntArray:
    """The seed of every resample and candidate (fits, loop), and last that of the final fit."""
    if control.seeds is None:
        return draw(fits * loop + 1)
    given = [np.ravel(one) for one in control.seeds]
    if len(given) != fits + 1 or any(len(one) < loop for one in given[:-1]) or not len(given[-1]):
        raise InputError(
            f"seeds should be a list of length {fits + 1} with {fits} vectors of {loop} integers "
            "and the last element having at least one.",
            given=f"{len(given)} elements",
        )
    return np.concatenate([*(one[:loop] for one in given[:-1]), given[-1][:1]])
