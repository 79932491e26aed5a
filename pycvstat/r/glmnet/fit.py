"""glmnet: the elastic net along a path of penalties."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from pycvstat.errors import FitError, InputError, warn
from pycvstat.errors.checks import check_word, real_numbers
from pycvstat.errors.names import answering
from pycvstat.learners.linear.glmnet_path import EVERYTHING, Path, Settings
from pycvstat.r.glmnet.asked import Arguments, Data, asked, call, predictors
from pycvstat.r.glmnet.families import FAMILIES, most_probable
from pycvstat.r.values import in_order_of
from pycvstat.rmath.printing import rounded, table
from pycvstat.types import FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

Type = Literal["link", "response", "class", "coefficients", "nonzero"]

_DIGITS = 5  # of R's print of such a table


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Glmnet:
    """What glmnet returns.

    Parameters
    ----------
    call : str
    data : Data
    settings : Settings
    path : Path

    Attributes
    ----------
    lambda_ : (L,) float64
        Penalties, from the largest down.
    a0 : (L,) float64
        Of several classes (K, L).
    beta : (p, L) float64
        Of several classes one such array for each, by class.
    df : (L,) int64
        How many predictors have a coefficient that is not zero.
    dev_ratio : (L,) float64
        Share of the deviance that is explained.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> cars = pcv.data.mtcars()
    >>> fit = pcv.r.glmnet.glmnet(cars[["wt", "hp"]], cars["mpg"], lambda_=[1.0, 0.1])
    >>> fit.df.tolist(), fit.predict(cars[["hp", "wt"]], s=0.1).round(2)[:3].tolist()
    ([2, 2], [23.5, 22.53, 25.17])
    """

    call: str
    data: Data
    settings: Settings
    path: Path

    @property
    def lambda_(self) -> FloatArray:
        return self.path.lambda_

    @property
    def a0(self) -> FloatArray:
        return self.path.a0.T

    @property
    def beta(self) -> FloatArray | dict[Any, FloatArray]:
        if not self.several:
            return self.path.beta.T
        each = self.path.beta.transpose(1, 2, 0)
        return dict(zip(self.data.classes, each, strict=True))

    @property
    def several(self) -> bool:
        """Whether every class has coefficients of its own: a multinomial response."""
        return self.path.beta.ndim == 3

    @property
    def df(self) -> IntArray:
        used = self.path.beta != 0.0
        return np.asarray(np.count_nonzero(used.any(axis=1) if self.several else used, axis=-1))

    @property
    def dev_ratio(self) -> FloatArray:
        return self.path.dev_ratio

    @property
    def nulldev(self) -> float:
        return self.path.nulldev

    @property
    def npasses(self) -> int:
        return self.path.npasses

    @property
    def nobs(self) -> int:
        return len(self.data.y)

    def __repr__(self) -> str:
        columns = {
            "Df": self.df,
            "%Dev": zapped(rounded(100.0 * self.dev_ratio, 2), _DIGITS),
            "Lambda": zapped(_significant(self.lambda_, 4), _DIGITS),
        }
        rows = [str(i + 1) for i in range(len(self.lambda_))]
        return f"\nCall:  {self.call} \n\n{table(columns, rows, _DIGITS)}"

    def coef(self, s: Any = None, exact: bool = False) -> Any:
        """Coefficients, the intercept first.

        As in R: ``coef(fit, s, exact)``.

        Parameters
        ----------
        s : float or sequence of float, optional
            Penalties; those of the path by default.
        exact : bool, default False
            Fit anew at `s`, beside the penalties of the path, instead of interpolating between
            them. Such a fit begins at the largest penalty of the path, where the last bit decides
            whether a predictor enters at once; with a lasso of glmnet's own path the third digit
            may differ from R's for that reason alone, as R's does when that penalty grows by
            1e-12. A smaller `thresh` cures both.

        Returns
        -------
        pandas.Series or DataFrame, or a dict of them by class
            A series for one `s`, else a column for each.
        """
        a0, beta = self._at(s, exact)
        if not self.several:
            return self._named(a0, beta, s)
        each = zip(self.data.classes, a0.T, beta.swapaxes(0, 1), strict=True)
        return {one: self._named(intercepts, slopes, s) for one, intercepts, slopes in each}

    def _named(self, a0: FloatArray, beta: FloatArray, s: Any) -> pd.Series | pd.DataFrame:
        import pandas as pd

        values = np.column_stack([a0, beta]).T
        names = ["(Intercept)", *self.data.names]
        if s is not None and np.ndim(s) == 0:
            return pd.Series(values[:, 0], index=names, name="s1")
        first = 0 if s is None else 1
        columns = [f"s{i + first}" for i in range(values.shape[1])]
        return pd.DataFrame(values, index=names, columns=columns)

    def predict(
        self, newx: Any = None, s: Any = None, type: Type = "link", exact: bool = False
    ) -> Any:
        """Predictions of new rows, or what else `type` says.

        As in R: ``predict(fit, newx, s, type, exact)``.

        Parameters
        ----------
        newx : array or frame, shape (m, p)
        s, exact
            See `coef`.
        type : {"link", "response", "class", "coefficients", "nonzero"}
            "link" is the linear predictor, "response" a mean, of a binomial response the
            probability of its second class; "class" the more probable one.
            "nonzero" gives, for each penalty, the numbers of the predictors, counted from 1; of
            grouped ones from 2, after the intercept.
            Of several classes "link" and "response" have an axis of classes after that of rows,
            and "nonzero" is a dict by class.

        Returns
        -------
        array, shape (m,) for one `s`, else (m, S)
        """
        classes = ("class",) if self.data.classes else ()
        check_word("type", type, ("link", "response", *classes, "coefficients", "nonzero"))
        if type == "coefficients":
            return self.coef(s, exact)
        a0, beta = self._at(s, exact)
        one = s is not None and np.ndim(s) == 0
        if type == "nonzero":
            each = [beta] if not self.several else beta.swapaxes(0, 1)
            if grouped := self.settings.grouped and self.several:  # R counts the intercept, too
                each = [np.column_stack([a0.any(axis=1), beta.any(axis=1)])]
            used = [[np.flatnonzero(slopes) + 1 for slopes in part] for part in each]
            found = [part[0] for part in used] if one else used
            if not self.several or grouped:
                return found[0]
            return dict(zip(self.data.classes, found, strict=True))
        if newx is None:
            raise InputError("you need to supply a value for newx.", fix="fit.predict(newx, s=s)")
        new, _ = predictors(in_order_of(newx, self.data.names, "newx"), "newx")
        if new.shape[1] != beta.shape[-1]:
            raise InputError(
                f"the number of variables in newx must be {beta.shape[-1]}.",
                given=f"{new.shape[1]} columns",
            )
        values: Any = linear(new, a0, beta)
        if type == "response":
            values = FAMILIES[self.data.family].mean(values)
        elif type == "class":
            codes = most_probable(values) if self.several else (values > 0.0).astype(np.int64)
            values = np.array(self.data.classes)[codes]
        return values[..., 0] if one else values

    def _at(self, s: Any, exact: bool) -> tuple[FloatArray, FloatArray]:
        if s is None:
            return self.path.a0, self.path.beta
        found = real_numbers(s)
        if found is None or not np.isfinite(found).all() or (found < 0.0).any():
            raise InputError("s takes penalties: numbers, not negative.", given=f"s={s!r}")
        wanted = np.ravel(found)
        path = self.path
        if exact:
            path = self._with(np.unique(np.concatenate([wanted, path.lambda_]))[::-1].copy())
        return path.at(wanted)

    def _with(self, lambda_: FloatArray) -> Path:
        return paths(self.data, replace(self.settings, lambda_=lambda_), [EVERYTHING])[0]

    def tidy(self) -> pd.DataFrame:
        """One row per coefficient that is not zero, at each penalty (and of each class)."""
        import pandas as pd

        values = np.concatenate([self.path.a0[..., None], self.path.beta], axis=-1)
        step, *of, term = np.nonzero(values)
        names = np.array(["(Intercept)", *self.data.names], dtype=object)
        values = values[(step, *of, term)]
        classes = {"class": np.array(self.data.classes, dtype=object)[of[0]]} if of else {}
        return pd.DataFrame(
            classes
            | {
                "term": names[term],
                "step": step + 1,
                "estimate": values,
                "lambda": self.lambda_[step],
                "dev_ratio": self.dev_ratio[step],
            }
        )


def paths(data: Data, settings: Settings, left_out: Any) -> list[Path]:
    """Paths without some rows each; those that ended before their time are told."""
    fit = FAMILIES[data.family].paths
    found = fit(data.X, data.y, data.weights, left_out, settings)
    for path in found:
        if path.end == 0:
            continue
        at = len(path.lambda_) + 1
        why = (
            f"it has not converged at lambda number {at} within maxit={settings.maxit} sweeps"
            if path.end == 1
            else f"more than pmax={settings.pmax} predictors enter at lambda number {at}"
        )
        raise_it = "maxit" if path.end == 1 else "pmax"
        if at == 1:
            raise FitError(f"glmnet has no solution: {why}.", fix=f"raise {raise_it}")
        warn(f"glmnet's path ends early: {why}. Solutions for larger lambdas are returned.")
    return found


def linear(X: FloatArray, a0: FloatArray, beta: FloatArray) -> FloatArray:
    """Linear predictors (m, L) at L penalties; of several classes (m, K, L).

    Examples
    --------
    >>> linear(np.ones((1, 2)), np.zeros((1, 3)), np.ones((1, 3, 2))).shape
    (1, 3, 1)
    """
    from pycvstat.learners.linear.glmnet_descent import added

    if beta.ndim == 2:
        used = (beta != 0.0).any(axis=0)
        return added(X[:, used], a0, np.ascontiguousarray(beta[:, used].T))
    each = [linear(X, a0[:, k], beta[:, k]) for k in range(beta.shape[1])]
    return np.stack(each, axis=1)


def zapped(values: FloatArray | IntArray, digits: int) -> FloatArray:
    """As in R: ``zapsmall(values, digits)`` before R 4.4."""
    largest = float(np.abs(values).max(initial=0.0))
    decimals = digits - np.log10(largest) if largest > 0.0 else digits
    return rounded(np.asarray(values, dtype=np.float64), max(0, int(np.floor(decimals + 0.5))))


def _significant(values: FloatArray, digits: int) -> FloatArray:
    return np.array([float(f"{x:.{digits - 1}e}") for x in values])


@answering
def glmnet(
    x: Any, y: Any, weights: Any = None, lambda_: Any = None, **arguments: Unpack[Arguments]
) -> Glmnet:
    """Fit the elastic net along a path of penalties, by glmnet's steps.

    As in R: ``glmnet(x, y, weights = weights, lambda = lambda_, ...)``, to about ten digits at
    any `thresh`. Ungrouped coefficients of three classes that separate agree to six; where a path
    takes tens of thousands of sweeps to fewer, three at worst (their deviance to eight), and where
    unpenalised predictors separate classes it may not converge.

    Parameters
    ----------
    x : array or frame of numbers, shape (n, p)
    y : array, shape (n,)
    weights : array, shape (n,), optional
    lambda_ : float or sequence, optional
        Penalties instead of glmnet's own.
    **arguments
        family : "gaussian", "binomial" (two classes), "multinomial" or "poisson" (counts).
        alpha : share of the first penalty, 1 (the lasso) by default, 0 for ridge.
        nlambda : how many penalties, 100.
        lambda_min_ratio : last over first penalty, 0.01 with fewer rows than predictors, else
        0.0001.
        standardize, intercept : True.
        thresh : largest change of the standardised fit, squared, that counts as converged, 1e-7.
        dfmax, pmax : coefficients in the model, and predictors that may ever enter, at most.
        penalty_factor : what each coefficient's penalty is multiplied by.
        maxit : sweeps at most, 100000.
        type_multinomial : "grouped" has one penalty for the slopes of a predictor for all classes;
        "ungrouped" by default.

    Returns
    -------
    Glmnet

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> cars = pcv.data.mtcars()
    >>> fit = r.glmnet.glmnet(cars[["wt", "hp", "qsec"]], cars["mpg"], nlambda=5)
    >>> print(fit)  # doctest: +NORMALIZE_WHITESPACE
    <BLANKLINE>
    Call:  glmnet(x = x, y = y, nlambda = 5)
    <BLANKLINE>
      Df  %Dev Lambda
    1  0  0.00 5.1470
    2  3 82.10 0.5147
    3  3 83.46 0.0515
    4  3 83.48 0.0051
    5  3 83.48 0.0005
    >>> fit.coef(s=1.0).round(4)
    (Intercept)    31.8984
    wt             -3.2850
    hp             -0.0214
    qsec            0.1064
    Name: s1, dtype: float64
    """
    data, settings = asked(x, y, weights, lambda_, arguments)
    beside = {"weights": weights, "lambda_": lambda_}
    given = {name: value for name, value in beside.items() if value is not None}
    words = call("glmnet", **given, **arguments)
    return Glmnet(words, data, settings, paths(data, settings, [EVERYTHING])[0])
