"""What results of procedures can do: R scripts, files, intervals, differences, metrics."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from pycvstat.errors import CheckpointError
from pycvstat.errors.names import answering
from pycvstat.verbs.shown import Shown, Tabled

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from pycvstat.intervals.confidence_set import ConfidenceSet
    from pycvstat.intervals.paired import Adjust, Paired
    from pycvstat.intervals.result import Interval
    from pycvstat.r.check.crosscheck import Crosscheck
    from pycvstat.r.check.script import Style


class Verbs(Shown):
    """What every result can do.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4))
    >>> print(result.summary().splitlines()[0])
    OLS: 4-fold cross-validation
    >>> "nadeau2003" in result.cite()
    True
    """

    __slots__ = ()

    scripted: ClassVar[bool] = False
    """Whether an R script can compute it again."""
    more_tables: ClassVar[tuple[str, ...]] = ()
    """Tables that `tidy` gives by name, besides its own."""

    @answering
    def to_r(self, path: str | PathLike[str], *, data: bool = True, style: Style = "full") -> Path:
        """Write an R script that reproduces the result, or the result as a plain list of R.

        Parameters
        ----------
        path : path
            Ending in .R: a script, and beside it the CSV that it reads; no row of the data stands
            in the script. Ending in .rds: a file for ``readRDS``; see `as_r`.
        data : bool
            Whether the CSV is written too.
        style : {"full", "course"}
            "full" has every fold and function; "course" is up to twenty lines as a course would
            write them, which draw the folds and loop over them, for a cross-validation or a tuning
            over a grid.

        Returns
        -------
        pathlib.Path
        """
        from pycvstat.r.check.script import write_script

        return write_script(self, path, data, style)

    @answering
    def bundle(
        self, path: str | PathLike[str], *, data: bool = False, crosscheck: Crosscheck | None = None
    ) -> Path:
        """Write what others need to compute the result again, with one command that does it.

        Parameters
        ----------
        path : path
            A new folder, or a file ending in .zip.
        data : bool
            Put the data and the saved result in; without it only their fingerprint, and the
            command asks for the file.
        crosscheck : Crosscheck, optional
            Of this result, to put in.

        Returns
        -------
        pathlib.Path
        """
        from pycvstat.report.bundle import bundle

        return bundle(self, path, data, crosscheck)

    @answering
    def save(self, path: str | PathLike[str]) -> Path:
        """Save the result as one file without pickle; `pycvstat.load` reads it.

        Models of statsmodels and estimators of scikit-learn are kept by class and arguments.
        Functions and classes of your own are code, which a file does not hold.

        Parameters
        ----------
        path : path
            Ending in .npz.

        Returns
        -------
        pathlib.Path
        """
        from pycvstat.errors.checks import check_path
        from pycvstat.run.store import save

        target = check_path(path)
        save(target, type(self).__name__, self)
        return target

    def __str__(self) -> str:
        return self.summary()


def load(path: str | PathLike[str]) -> Any:
    """Read a saved result.

    Parameters
    ----------
    path : path
        A file that ``result.save`` wrote. Checksums are verified; no code in it is run.

    Returns
    -------
    The result, equal to the saved one to the last bit.

    Examples
    --------
    >>> import tempfile
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     again = pcv.load(result.save(f"{place}/result.npz"))
    >>> again.estimate == result.estimate
    True
    """
    from pycvstat.run.store import load as read

    record = read(path).record
    if not isinstance(record, Verbs):
        raise CheckpointError("this file does not hold a result.", given=str(path))
    return record


class EstimateVerbs(Verbs, Tabled):
    """Verbs of results that hold the losses of one learner.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4))
    >>> result.interval().method
    'log_t'
    """

    __slots__ = ()

    subject: ClassVar[str] = ""
    """What the interval says it is about, instead of the learner."""

    @answering
    def interval(self: Any, method: str = "auto", level: float = 0.95, **options: Any) -> Interval:
        """A confidence interval read off the table of losses; nothing is refitted.

        Parameters
        ----------
        method : str
            "auto" chooses by the plan and the loss, and says why; see `pycvstat.intervals`.
        level : float
            Confidence level.
        **options
            ``metric="rmse"``, "mcc", "auc", another name or a function of (y, prediction) instead
            of the mean loss, of classes as ``losses.Metric(f, needs="probabilities")``, with
            ``averaging="folds"``, "pooled" or "repeats"; options of the method.

        Returns
        -------
        Interval
        """
        from pycvstat.intervals import interval

        table = self.means if self.table is None else self.table  # a tuning that kept fold means
        result: Interval = interval(table, method=method, level=level, **options)
        if not self.subject:
            return result
        return replace(result, about=replace(result.about, of=self.subject))


class CompareVerbs(Verbs, Tabled):
    """Verbs of results that hold the losses of several methods, in `tables`.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> both = {"ols": pcv.OLS(), "mean": pcv.Mean()}
    >>> result = pcv.compare(both, "mpg ~ wt", pcv.data.mtcars(), folds=pcv.KFold(10, random=1))
    >>> result.paired("ols", "mean", metric="rmse").p_value < 0.05
    True
    """

    __slots__ = ()

    def _named(self: Any, name: Any) -> Any:
        """The losses of a method."""
        from pycvstat.errors.checks import check_word, shown

        check_word("method", name, self.tables, f"there is no method called {shown(name)}.")
        return self.tables[name]

    @answering
    def paired(
        self,
        a: str,
        b: str,
        *,
        method: str = "auto",
        level: float = 0.95,
        metric: Any = None,
        **options: Any,
    ) -> Paired:
        """Difference of two methods (a minus b) on identical folds: interval and p value.

        Parameters
        ----------
        a, b : str
        method, level, metric, **options
            As of an interval; see `pycvstat.intervals`.
        """
        from pycvstat.intervals.paired import paired

        asked = {"method": method, "level": level, "metric": metric} | options
        return paired(self._named(a), self._named(b), names=(a, b), **asked)

    @answering
    def confidence_set(
        self: Any, level: float = 0.95, *, draws: int = 1000, random: Any = 1
    ) -> ConfidenceSet:
        """The methods that are not shown to be worse than another, as of a tuning."""
        from pycvstat.intervals.confidence_set import of_methods

        return of_methods(self.tables, level, draws=draws, random=random)

    @answering
    def metrics(self: Any, names: Any, averaging: Any = None, level: float = 0.95) -> pd.DataFrame:
        """Several metrics of every method; "interval" is the method of the limits.

        A metric that some methods do not have is NaN there, and its notes say why.
        """
        from pycvstat.intervals.metric_rows import rows_of_methods

        return rows_of_methods(self.tables, names, averaging, level)

    @answering
    def pairs(
        self: Any,
        *,
        method: str = "auto",
        level: float = 0.95,
        adjust: Adjust = "holm",
        metric: Any = None,
        averaging: Any = None,
    ) -> pd.DataFrame:
        """All pairs with p values adjusted for their number; see `paired`."""
        from pycvstat.intervals.paired import all_pairs

        asked = {"metric": metric, "averaging": averaging}
        return all_pairs(self.tables, method=method, level=level, adjust=adjust, **asked)
