"""What every result can do: words, reports, pieces of them, pictures, a look at R's numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from pycvstat.errors import InputError
from pycvstat.errors.names import answering

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from matplotlib.axes import Axes

    from pycvstat.r.check.crosscheck import Crosscheck
    from pycvstat.report.assemble import Profile
    from pycvstat.report.checklist import Checklist
    from pycvstat.report.pieces import Form, Width


class Checked:
    """What R can compute as well."""

    __slots__ = ()

    counterpart: ClassVar[str] = ""
    """What computes this class in R: a function in a file of `pycvstat.r.check`."""

    @answering
    def crosscheck(
        self, *, seconds: float = 600.0, separate: bool = False, y: Any = None
    ) -> Crosscheck:
        """Compute the same quantities in R and put them side by side.

        Parameters
        ----------
        seconds : float
            The longest that one call of R may take.
        separate : bool
            Run R in a process of its own: slower to start, but then a crash of R is an error like
            any other, and the time limit, for all of R's work together, holds whatever R does.
        y : sequence, optional
            The response, for fold plans that were drawn by it.

        Returns
        -------
        Crosscheck
            True when every quantity agrees.
        """
        from pycvstat.r.check.crosscheck import crosscheck

        return crosscheck(self, seconds=seconds, separate=separate, y=y)


class FitShown(Checked):
    """What a fitted model can show in a notebook."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from pycvstat.report.assemble import fit_html

        return fit_html(self)


class Shown(Checked):
    """What can be shown: in words, as a report, as a picture, beside R's numbers.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> print(pcv.KFold(5, random=1).plan(10).summary().splitlines()[0])
    5-fold cross-validation
    """

    __slots__ = ()

    view: ClassVar[str] = ""
    """The file in `pycvstat.report.views` that holds the view of this class."""

    @answering
    def summary(self) -> str:
        """The result in words and numbers, at most 80 columns wide.

        Returns
        -------
        str
        """
        from pycvstat.report.assemble import summary

        return summary(self)

    @answering
    def report(
        self,
        path: str | PathLike[str],
        *,
        profile: Profile = "full",
        title: str | None = None,
        level: float = 0.95,
        method: str = "auto",
        crosscheck: Crosscheck | bool = False,
        include: Sequence[Any] = (),
        exclude: Sequence[str] = (),
        data: bool = False,
        script: bool = False,
        units: Mapping[str, str] | None = None,
        checklist: Checklist | None = None,
    ) -> Path:
        """Write a report; the ending of `path` decides: html, md, tex, qmd, pdf or docx.

        No row of the data is shown unless `data` asks for it.

        Parameters
        ----------
        path : path
            ``.html`` is one self-contained page; ``.md``, ``.tex`` and ``.qmd`` (Quarto) have their
            figures and BibTeX beside them in the directory ``<name>_files``; ``.pdf`` needs
            Chromium, ``.docx`` pandoc.
        profile : {"full", "paper"}
            All there is to say, or two pages: question and answer, one table, one figure, the
            methods paragraph, references.
        title : str, optional
            Instead of the one made from the result.
        level, method : float, str
            Confidence level and method of the intervals.
        crosscheck : Crosscheck or bool
            A cross-check to show; True runs one in R.
        include : sequence of results or str
            Further results whose sections are added, such as an error curve, or ``retuned`` of
            nested cross-validation: nothing is computed for a report that was not asked for. For
            the paper, titles of sections of the full report to add.
        exclude : sequence of str
            Titles of sections to leave out.
        data, script : bool
            Add the rows of the data; the R script, which reads them from a file.
        units : mapping
            Units of columns, such as ``{"mpg": "miles per gallon"}``.
        checklist : {"tripod+ai"}, optional
            A reporting checklist to end with: items that the result answers, with the section
            that shows more; ``[NEEDS INPUT]`` where only its authors know.

        Returns
        -------
        pathlib.Path
            The file. A path that cannot be written is refused before any work is done.
        """
        from pycvstat.report.assemble import write_report

        return write_report(
            self,
            path,
            crosscheck=crosscheck,
            profile=profile,
            title=title,
            level=level,
            method=method,
            include=include,
            exclude=exclude,
            data=data,
            script=script,
            units=units or {},
            checklist=checklist,
        )

    @answering
    def sentence(self, **asked: Any) -> str:
        """What was found in one sentence: the estimate with its interval, and what it is about.

        Parameters
        ----------
        **asked
            ``level``, ``method`` and ``units``, as of a report.

        Returns
        -------
        str
        """
        from pycvstat.report.pieces import sentence

        return sentence(self, **asked)

    @answering
    def to_table(
        self, form: Form = "html", path: str | PathLike[str] | None = None, **asked: Any
    ) -> Any:
        """The table of a paper: text, for Word its bytes, or a table of great_tables.

        Parameters
        ----------
        form : {"html", "tex", "md", "docx", "gt"}
            LaTeX needs booktabs and array; Word is written by pandoc; "gt" needs great_tables.
        path : path, optional
            The file to write; it is returned then.
        **asked
            ``level``, ``method`` and ``units``, as of a report.

        Returns
        -------
        str, bytes, great_tables.GT or pathlib.Path
        """
        from pycvstat.report.pieces import to_table

        return to_table(self, form, path, **asked)

    @answering
    def figure(
        self,
        path: str | PathLike[str],
        kind: str | None = None,
        *,
        width: Width = "single",
        **options: Any,
    ) -> Path:
        """Write a picture at the width of a journal's column, with its fonts embedded.

        Parameters
        ----------
        path : path
            Ending in .pdf, .svg or .png (600 dpi); in .csv for the numbers in it.
        kind : str, optional
            The name of the picture, as of `plot`.
        width : {"single", "double"}
            85 mm or 175 mm.
        **options
            Of the picture; ``level``, ``method`` and ``units``, as of a report.

        Returns
        -------
        pathlib.Path
        """
        from pycvstat.report.pieces import figure

        return figure(self, path, kind, width, **options)

    @answering
    def numbers(self, path: str | PathLike[str], *, prefix: str = "pcv", **asked: Any) -> Path:
        r"""Write the numbers of the result, so that a paper can quote them without copying.

        Parameters
        ----------
        path : path
            ``.tex``: macros such as ``\pcvEstimate`` and ``\pcvConfLow``. ``.json``: the values.
        prefix : str
            Of the macros, for papers with several results.
        **asked
            ``level``, ``method`` and ``units``, as of a report.

        Returns
        -------
        pathlib.Path
        """
        from pycvstat.report.pieces import numbers

        return numbers(self, path, prefix, **asked)

    @answering
    def plot(self, kind: str | None = None, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the result with matplotlib.

        Parameters
        ----------
        kind : str, optional
            The name of the picture, such as "curve", "folds", "forest", "map"; an unknown name
            is answered with those there are.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **options
            Of the picture.

        Returns
        -------
        matplotlib Axes
        """
        from pycvstat.report.views.base import plot

        return plot(self, kind, ax=ax, **options)

    @answering
    def cite(self) -> str:
        """BibTeX of the works that this result rests on.

        Returns
        -------
        str
        """
        from pycvstat.report.assemble import cite

        return cite(self)

    def augment(self) -> pd.DataFrame:
        """The data, or the losses, with what the result has for each row.

        Returns
        -------
        DataFrame
        """
        raise InputError(
            "this result holds no rows of data.", given=type(self).__name__, fix="tidy()"
        )

    def _repr_html_(self) -> str:
        from pycvstat.report.assemble import summary_html

        return summary_html(self)

    def _repr_markdown_(self) -> str:
        from pycvstat.report.assemble import summary_markdown

        return summary_markdown(self)


class Tabled:
    """What maketables asks a result for; estimates of risks stand in place of coefficients.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4))
    >>> result.__maketables_coef_table__.columns.tolist()
    ['b', 'se', 't', 'p', 'ci95l', 'ci95u']
    >>> result.__maketables_stat__("N")
    32
    """

    __slots__ = ()

    def _entries(self) -> list[dict[str, Any]]:
        from pycvstat.report.views.base import view_of

        return view_of(self).entries()

    @property
    def __maketables_coef_table__(self) -> pd.DataFrame:
        """One row per estimate: b, se, t, p (of differences only) and its limits."""
        import pandas as pd

        names = {"estimate": "b", "std_error": "se", "statistic": "t", "p_value": "p"}
        names |= {"conf_low": "ci95l", "conf_high": "ci95u"}
        frame = pd.DataFrame(self._entries(), columns=["name", *names]).rename(columns=names)
        indexed: pd.DataFrame = frame.rename(columns={"name": "Coefficient"})
        return indexed.set_index("Coefficient").astype(float)

    def __maketables_stat__(self, key: str) -> Any:
        """A statistic: "N", "folds", "loss", "interval"; None for others."""
        first = self._entries()[0]
        known = {"N": "n", "folds": "folds", "loss": "loss", "interval": "method"}
        return first[known[key]] if key in known else None

    @property
    def __maketables_depvar__(self) -> str:
        """What is estimated."""
        return str(self._entries()[0]["loss"])

    @property
    def __maketables_default_stat_keys__(self) -> list[str]:
        """What stands below the estimates."""
        return ["N", "folds", "interval"]

    @property
    def __maketables_stat_labels__(self) -> dict[str, str]:
        """How it is called there."""
        return {"N": "rows", "folds": "folds", "interval": "interval"}
