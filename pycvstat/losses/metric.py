"""What a metric is: a record with its function, its names elsewhere and what its interval needs.

Three ways lead from a function of (y, prediction) to an interval. A smooth function of means has
pseudo-losses g(m) + g'(m)(x - m), whose mean and variance are those of the delta method. A metric
with an influence curve has them too. Any other has its values by fold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import IntervalError, LossError, PycvstatError
from pycvstat.errors.checks import check_word, shown
from pycvstat.losses.predictions import Needs
from pycvstat.losses.table import FoldMeans, LossTable, Table
from pycvstat.types import FloatArray

Averaging = Literal["folds", "pooled", "repeats"]
Better = Literal["larger", "smaller", "nearer 0", "nearer 1", ""]


@dataclass(frozen=True, slots=True)
class Smooth:
    """A metric as a smooth function of means, of which the delta method makes an interval.

    Parameters
    ----------
    columns : callable
        ``columns(y, prediction, classes) -> (m, J)``: what the means are of.
    value, gradient : callable
        Of the J means.
    words : str
        What it makes of a risk, to be said before it.
    loss : str
        The loss whose mean is the only one, where there is such a loss: then the table of losses
        is enough.
    """

    columns: Callable[[Any, Any, int], FloatArray]
    value: Callable[[FloatArray], float]
    gradient: Callable[[FloatArray], FloatArray]
    words: str = ""
    loss: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Metric:
    """A function of (y, prediction) that measures the predictions of a fold, and what it needs.

    Parameters
    ----------
    function : callable
        ``function(y, prediction) -> float``; NaN where it is not defined.
    needs : {"numbers", "classes", "probabilities", "scores"}, optional
        Which prediction of classes it takes. "classes" are codes 0, 1, ... in the order of the
        levels, as y; "probabilities" those of the second of two classes, or of all of several,
        shape (m, L); "scores" those of the second of exactly two. Without it the function is for
        numbers only.
    name : str
        The function's own by default.
    range : (float, float)
        Smallest and largest possible value.
    smooth : Smooth, optional
        What its interval is made of, where the delta method makes it.
    better : {"larger", "smaller", "nearer 0", "nearer 1", ""}
        Which way is better.
    averaging : {"folds", "pooled", "repeats"}
        The default: the mean of its values by fold, its value of all held-out predictions
        together, or the mean over repetitions of the latter.
    elsewhere : mapping of str to str
        Its names in other packages, those of one package separated by blanks.
    influence : callable, optional
        ``influence(y, prediction) -> (m,)``: its influence curve around its value.
    citation : tuple of str
        Keys of the bibliography: where that curve is from.
    counts : bool
        Whether the function takes the number of classes as a third argument.
    words : str
        What sentences call it, where its name does not say it well.
    usual : bool
        Whether reports show it unasked.
    covered : (int, int, int), optional
        Percent of nominal 95 % intervals that covered in simulations: the fewest and the most on
        one partition into 10 folds, and on ten; see ``vignettes/record_metrics.py``.
    shares : bool
        Whether the response may be shares of events, as of grouped binomials.
    of_levels : callable, optional
        ``of_levels(levels) -> Metric``: the metric for classes of these names, where it depends on
        them.

    Examples
    --------
    >>> Metric(np.corrcoef), Metric(np.corrcoef, "scores", "r")
    (Metric('corrcoef'), Metric('r', needs='scores'))
    """

    function: Callable[..., float]
    needs: Needs | None = None
    name: str = ""
    range: tuple[float, float] = (-np.inf, np.inf)
    smooth: Smooth | None = None
    better: Better = ""
    averaging: Averaging = "folds"
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    influence: Callable[[Any, Any], FloatArray] | None = None
    counts: bool = False
    words: str = ""
    usual: bool = False
    covered: tuple[int, int, int] | None = None
    citation: tuple[str, ...] = ()
    shares: bool = False
    of_levels: Callable[[tuple[str, ...]], Metric] | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise LossError(
                "a metric is a function of (y, prediction).", given=shown(self.function)
            )
        if self.needs is not None:
            check_word("needs", self.needs, get_args(Needs))
        check_word("averaging", self.averaging, get_args(Averaging))
        named = self.name or getattr(self.function, "__name__", "metric")
        object.__setattr__(self, "name", named)

    def __repr__(self) -> str:
        needs = "" if self.needs is None else f", needs={self.needs!r}"
        return f"Metric({self.name!r}{needs})"

    def rows(self, table: LossTable, candidate: int = 0) -> tuple[NDArray[Any], FloatArray]:
        """Response and prediction of every tested row, in the form that the metric needs."""
        if table.predictions is None or table.y is None:
            raise LossError(
                f"{self.name} needs predictions, and this table has losses only.",
                fix="use cross_validate(), or give y= and predictions= to from_losses()",
            )
        y = table.y[table.plan.rows]
        given = table.predictions.given_to(self.name, self.needs, y, candidate, self.shares)
        if self.needs == "probabilities":
            _check_probabilities(self.name, given)
        return y, given

    def value(self, y: NDArray[Any], prediction: FloatArray, classes: int = 0) -> float:
        """The metric of these rows, NaN where it is not defined or a prediction is missing."""
        if np.isnan(prediction).any():  # of a fit that failed
            return float(np.nan)
        more = (classes,) if self.counts else ()
        with np.errstate(all="ignore"):
            try:
                return float(self.function(y, prediction, *more))
            except PycvstatError:
                raise
            except Exception as error:  # a user's function may raise anything
                problem = f"the metric {self.name} must return one number."
                raise LossError(problem, given=f"{type(error).__name__}: {error}") from error

    @property
    def label(self) -> str:
        """What sentences and pictures call it."""
        return self.words or self.name

    @property
    def perfect(self) -> float:
        """The value of perfect predictions; NaN where no way is better."""
        ends = {"smaller": self.range[0], "larger": self.range[1]}
        near = {"nearer 0": 0.0, "nearer 1": 1.0}
        return float((ends | near).get(self.better, np.nan))

    @property
    def linear(self) -> bool:
        """Whether it has pseudo-losses."""
        return self.smooth is not None or self.influence is not None

    def parts(self, table: Table) -> FloatArray:
        """What a smooth metric's means are of, one row per loss, or per fold, of the table."""
        assert self.smooth is not None
        if isinstance(table, FoldMeans) and self.name in table.parts:
            return table.parts[self.name]
        alike = self.smooth.loss and table.loss == self.smooth.loss
        if isinstance(table, FoldMeans):
            if not alike or table.sizes is not None:  # weights of losses are not of metrics
                raise no_pointwise(self.name, table)
            return table.means[:, :1]
        if alike:
            return table.losses[:, :1]
        if table.predictions is None and self.smooth.loss:
            raise LossError(
                f"{self.name} is a function of the {loss_label(self.smooth.loss)}, and this table "
                "has other losses and no predictions.",
                given=f"losses of the kind {table.loss!r}",
                fix=f"cross_validate(..., loss={self.smooth.loss!r})",
            )
        return self.smooth.columns(*self.rows(table), count_classes(table))

    def of_fits(self, table: FoldMeans, fits: Any) -> float:
        """The metric of all test rows of some fits, from the means that were kept."""
        if self.smooth is None or len(table.candidates) > 1:
            raise no_pointwise(self.name, table)
        size = table.plan.n_test[fits]
        with np.errstate(all="ignore"):
            return float(self.smooth.value(size @ self.parts(table)[fits] / size.sum()))


def mean_metric(
    name: str,
    pointwise: Callable[[Any, Any], FloatArray],
    needs: Needs = "numbers",
    *,
    loss: str = "",
    **more: Any,
) -> Metric:
    """The record of a metric that is the mean of one number per row; `loss` if these are one.

    Examples
    --------
    >>> mean_metric("mae", lambda y, p: abs(y - p)).value(np.array([1.0]), np.array([3.0]))
    2.0
    """
    smooth = Smooth(
        lambda y, p, classes: pointwise(y, p)[:, None],
        lambda m: float(m[0]),
        lambda m: np.ones(1),
        loss=loss,
    )
    given = {"range": (0.0, np.inf), "better": "smaller", "averaging": "pooled"} | more
    return Metric(lambda y, p: float(pointwise(y, p).mean()), needs, name, smooth=smooth, **given)


def count_classes(table: LossTable) -> int:
    """The number of classes of a table; 0 for numbers.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> plan = FoldPlan.from_fold_ids([1, 2])
    >>> count_classes(LossTable(plan, np.zeros((2, 1)), y=np.array([0, 2])))
    3
    """
    if table.y is None or not np.issubdtype(table.y.dtype, np.integer):
        return 0
    held = table.predictions
    if held is not None and held.prob is not None:
        return int(held.prob.shape[2])
    codes = [table.y] if held is None else [table.y, held.values]
    return max(int(np.nanmax(some, initial=1)) + 1 for some in codes)


def _check_probabilities(name: str, given: FloatArray) -> None:
    if ((given < 0) | (given > 1)).any():
        raise LossError(
            f"{name} needs predicted probabilities, from 0 to 1.",
            given=f"predictions from {np.nanmin(given):g} to {np.nanmax(given):g}",
            fix="a learner of probabilities, such as Logit(), or metric='auc', which needs scores",
        )


def loss_label(name: str) -> str:
    """A loss by its name, beside an axis or in a sentence; `Metric.label` is that of a metric.

    Examples
    --------
    >>> loss_label("zero_one"), loss_label("squared"), loss_label("user loss")
    ('0-1 loss', 'squared loss', 'user loss')
    """
    return "0-1 loss" if name == "zero_one" else name if name.endswith("loss") else f"{name} loss"


def no_pointwise(name: str, table: FoldMeans) -> IntervalError:
    """The error for a metric that cannot be had from fold means."""
    return IntervalError(
        f"{name} needs the losses and predictions of every row; only fold means were kept.",
        given=f"fold means of the {loss_label(table.loss)}",
        fix="all rows in memory (keep='all'), or corrected_t(scores, n_train, n_test) on scores of "
        "your own",
    )
