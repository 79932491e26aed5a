"""cv.glmnet: cross-validation over a path of penalties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from pycvstat.errors import FitError, InputError, warn
from pycvstat.errors.checks import check_word, is_whole, real_numbers
from pycvstat.errors.names import answering
from pycvstat.learners.linear.glmnet_path import EVERYTHING, Path
from pycvstat.r.glmnet.asked import Arguments, Data, asked, call
from pycvstat.r.glmnet.families import FAMILIES, auc
from pycvstat.r.glmnet.fit import Glmnet, Type, linear, paths, zapped
from pycvstat.r.session import stream
from pycvstat.rmath.printing import table
from pycvstat.types import FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

Measure = Literal["default", "mse", "deviance", "mae", "class", "auc"]

_DIGITS = 4  # of R's print of a cross-validation


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CvGlmnet:
    """What cv.glmnet returns.

    Parameters
    ----------
    call : str
    name : str
        Of the measure.
    cvm, cvsd : (L,) float64
        Mean error over the folds, weighted by their sizes, and its standard error.
    foldid : (n,) int64
        Fold of each row, from 1.
    fit_preval : (n, L) float64
        Linear predictors of each row without its fold; of several classes (n, K, L).
    glmnet_fit : Glmnet
        The fit of all rows.

    Attributes
    ----------
    lambda_, nzero : (L,) arrays
        Penalties, and how many slopes of the fit of all rows are not zero.
    cvup, cvlo : (L,) float64
        One standard error above and below.
    lambda_min, lambda_1se : float
        The largest penalty with the least error (or largest AUC), and with one within a standard
        error of it.
    index : (2,) int64
        Their places, counted from 1.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> cars = pcv.data.mtcars()
    >>> rows = [1 + i % 4 for i in range(32)]
    >>> found = pcv.r.glmnet.cv_glmnet(cars[["wt", "hp"]], cars["mpg"], foldid=rows)
    >>> bool(found.lambda_1se > found.lambda_min)
    True
    """

    call: str
    name: str
    cvm: FloatArray
    cvsd: FloatArray
    foldid: IntArray
    fit_preval: FloatArray
    glmnet_fit: Glmnet

    @property
    def lambda_(self) -> FloatArray:
        return self.glmnet_fit.lambda_

    @property
    def nzero(self) -> IntArray:
        fit = self.glmnet_fit
        if fit.several and fit.settings.grouped:  # R counts the intercept, too
            return fit.df + fit.path.a0.any(axis=1)
        if not fit.several:
            return fit.df
        each: FloatArray = np.median(np.count_nonzero(fit.path.beta, axis=2), axis=1)
        return np.asarray(np.ceil(each), dtype=np.int64)

    @property
    def cvup(self) -> FloatArray:
        return self.cvm + self.cvsd

    @property
    def cvlo(self) -> FloatArray:
        return self.cvm - self.cvsd

    @property
    def index(self) -> IntArray:
        errors = -self.cvm if self.name == AUC else self.cvm
        least = int(np.argmin(errors))
        within = int(np.argmax(errors <= errors[least] + self.cvsd[least]))
        return np.array([least + 1, within + 1])

    @property
    def lambda_min(self) -> float:
        return float(self.lambda_[self.index[0] - 1])

    @property
    def lambda_1se(self) -> float:
        return float(self.lambda_[self.index[1] - 1])

    def __repr__(self) -> str:
        at = self.index - 1
        columns: dict[str, FloatArray | IntArray] = {
            "Lambda": self.lambda_[at],
            "Index": self.index,
            "Measure": self.cvm[at],
            "SE": self.cvsd[at],
            "Nonzero": self.nzero[at],
        }
        shown = {name: zapped(values, _DIGITS) for name, values in columns.items()}
        rows = table(shown, ["min", "1se"], _DIGITS)
        return f"\nCall:  {self.call} \n\nMeasure: {self.name} \n\n{rows}"

    def coef(self, s: Any = "lambda.1se", exact: bool = False) -> Any:
        """Coefficients of the fit of all rows, the intercept first.

        As in R: ``coef(cv, s)``; `s` is "lambda.1se", "lambda.min" or penalties.
        """
        return self.glmnet_fit.coef(self._penalty(s), exact)

    def predict(
        self, newx: Any = None, s: Any = "lambda.1se", type: Type = "link", exact: bool = False
    ) -> Any:
        """Predictions of the fit of all rows. As in R: ``predict(cv, newx, s)``."""
        return self.glmnet_fit.predict(newx, self._penalty(s), type, exact)

    def _penalty(self, s: Any) -> Any:
        if not isinstance(s, str):
            return s
        check_word("s", s, ("lambda.1se", "lambda.min"))
        return self.lambda_min if s == "lambda.min" else self.lambda_1se

    def tidy(self) -> pd.DataFrame:
        """One row per penalty: its error, standard error and limits, and slopes not zero."""
        import pandas as pd

        return pd.DataFrame(
            {
                "lambda": self.lambda_,
                "estimate": self.cvm,
                "std_error": self.cvsd,
                "conf_low": self.cvlo,
                "conf_high": self.cvup,
                "nzero": self.nzero,
            }
        )


@answering
def cv_glmnet(
    x: Any,
    y: Any,
    weights: Any = None,
    lambda_: Any = None,
    type_measure: Measure = "default",
    nfolds: int = 10,
    foldid: Any = None,
    grouped: bool = True,
    **arguments: Unpack[Arguments],
) -> CvGlmnet:
    """Cross-validate the elastic net over its path, each fold on a path of its own.

    As in R: ``cv.glmnet(x, y, weights, lambda = lambda_, type.measure, nfolds, foldid, ...)``.
    Folds are drawn from the session's stream (`pycvstat.r.set_seed`), as R draws them. Every fold
    has its own path, with its own penalties unless `lambda_` is given, and is interpolated to the
    penalties of the fit of all rows.

    Parameters
    ----------
    x, y, weights, lambda_
        See `glmnet`; of `lambda_` two or more.
    type_measure : {"default", "mse", "deviance", "mae", "class", "auc"}
        By default mean squared error of a gaussian response, else the deviance; "class" is the
        share of wrong classes, "auc" the area under the ROC curve of each fold, for two classes.
        With fewer than 10 rows a fold the deviance takes its place, as in R.
    nfolds : int, default 10
        At least 3.
    foldid : (n,) array, optional
        Fold of each row, 1 to K, instead of drawing.
    grouped : bool, default True
        Standard errors from the errors of folds; else from those of rows, as is always done
        below 3 rows a fold.
    **arguments
        See `glmnet`.

    Returns
    -------
    CvGlmnet

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> cars = pcv.data.mtcars()
    >>> r.set_seed(1)
    >>> found = r.glmnet.cv_glmnet(cars[["wt", "hp", "qsec", "drat"]], cars["mpg"], nfolds=5)
    >>> print(found)  # doctest: +NORMALIZE_WHITESPACE
    <BLANKLINE>
    Call:  cv.glmnet(x = x, y = y, nfolds = 5)
    <BLANKLINE>
    Measure: Mean-Squared Error
    <BLANKLINE>
        Lambda Index Measure    SE Nonzero
    min 0.1807    37   7.121 1.401       4
    1se 0.8788    20   8.300 2.614       3
    >>> found.coef(s="lambda.min").round(4).tolist()
    [22.383, -3.5463, -0.0201, 0.3857, 1.4393]
    """
    data, settings = asked(x, y, weights, lambda_, arguments)
    if settings.lambda_ is not None and len(settings.lambda_) < 2:
        raise InputError(
            "cv.glmnet needs more than one value of lambda.",
            given=f"lambda_={lambda_!r}",
            fix="give several penalties, or none for glmnet's own",
        )
    family = FAMILIES[data.family]
    areas = ("auc",) if family.ranks else ()
    check_word("type_measure", type_measure, ("default", *family.measures, *areas))
    ids = _folds(foldid, nfolds, len(data.y))
    measure = type_measure
    if measure == "auc" and len(data.y) / ids.max() < 10:
        warn("too few (< 10) rows per fold for type_measure='auc': the deviance is used.")
        measure = "deviance"
    folds = [np.flatnonzero(ids == k) for k in range(1, ids.max() + 1)]
    whole, *left_out = paths(data, settings, [EVERYTHING, *folds])
    preval = _left_out_predictions(data, folds, left_out, whole.lambda_)
    if measure == "auc":
        name, losses, grouped = AUC, _areas(data, family.mean(preval), folds), True
    else:
        usual = next(iter(family.measures))
        name, of_rows = family.measures[usual if measure == "default" else measure]
        losses = of_rows(data.y[:, None], family.mean(preval))
    cvm, cvsd = _errors(losses, data.weights, folds, grouped)
    beside = {
        "weights": weights, "lambda_": lambda_, "foldid": foldid,
        "type_measure": None if type_measure == "default" else type_measure,
        "nfolds": None if nfolds == 10 else nfolds, "grouped": None if grouped else False,
    }  # fmt: skip
    given = {word: value for word, value in beside.items() if value is not None} | arguments
    fit = Glmnet(call("glmnet", **arguments), data, settings, whole)
    return CvGlmnet(call("cv.glmnet", **given), name, cvm, cvsd, ids, preval, fit)


def _folds(foldid: Any, nfolds: Any, n: int) -> IntArray:
    """Labels 1..K, given or drawn."""
    if foldid is None:
        if not is_whole(nfolds) or not 3 <= nfolds <= n:
            raise InputError(
                f"nfolds must be from 3 to the number of rows, {n}; 10 are recommended.",
                given=f"nfolds={nfolds!r}",
            )
        return np.asarray(stream().sample(np.arange(n) % int(nfolds) + 1), dtype=np.int64)
    found = real_numbers(foldid)
    if found is None or found.shape != (n,):
        raise InputError(
            "foldid must have one number for each row.",
            given=f"{np.size(foldid)} for {n} rows" if found is not None else repr(foldid),
        )
    labels = np.unique(found)
    if not np.array_equal(labels, np.arange(1, len(labels) + 1)) or len(labels) < 3:
        raise InputError(
            "foldid must number at least 3 folds from 1 up, none of them empty.",
            given=f"the numbers {', '.join(f'{label:g}' for label in labels[:10])}",
        )
    return found.astype(np.int64)


def _left_out_predictions(
    data: Data, folds: Sequence[IntArray], left_out: Sequence[Path], lambda_: FloatArray
) -> FloatArray:
    """Predictions (n, L) of each row by the path without its fold."""
    out = np.empty((len(data.y), *left_out[0].a0.shape[1:], len(lambda_)))
    for rows, path in zip(folds, left_out, strict=True):
        out[rows] = linear(data.X[rows], *path.at(lambda_))
    return out


AUC = "AUC"


def _areas(data: Data, mean: FloatArray, folds: Sequence[IntArray]) -> FloatArray:
    """The area under the curve of its fold for every row (n, L)."""
    out = np.empty(mean.shape)
    for rows in folds:
        if len(np.unique(data.y[rows])) < 2:
            raise FitError(
                "a fold has rows of one class only, and no AUC.", fix="fewer folds, or foldid"
            )
        out[rows] = auc(data.y[rows], mean[rows], data.weights[rows])
    return out


def _errors(
    losses: FloatArray, weights: FloatArray, folds: Sequence[IntArray], grouped: bool
) -> tuple[FloatArray, FloatArray]:
    """Means (L,) and their standard errors from losses (n, L)."""
    if grouped and len(weights) / len(folds) < 3:
        warn("grouped=False is enforced in cv.glmnet: there are fewer than 3 rows in a fold.")
        grouped = False
    if grouped:
        losses = np.stack([np.average(losses[rows], 0, weights[rows]) for rows in folds])
        weights = np.array([weights[rows].sum() for rows in folds])
    cvm = np.average(losses, 0, weights)
    spread = np.average((losses - cvm) ** 2, 0, weights)
    return cvm, np.sqrt(spread / (len(losses) - 1))
