"""What is seen of a result: the base of all views, and the view of a result at hand."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import pandas as pd

from pycvstat.errors import InputError
from pycvstat.errors.checks import nearest
from pycvstat.report.content import Block, Figure, Headline, Inline, Section, Table, section
from pycvstat.report.numbers import capital, table_of
from pycvstat.report.plots.style import fitted, house_style, literal, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pycvstat.folds.plan import FoldPlan

Size = tuple[float, float]
Sections = list[Section | None]
WIDE: Size = (4.6, 2.9)
WIDER: Size = (5.2, 3.4)  # its letters are read on a phone
MOST_ROWS = 40  # of a table in a paper


@dataclass(frozen=True)
class Picture:
    """A picture of a result.

    Parameters
    ----------
    draw : callable
        ``draw(ax, **options)``.
    size : (float, float) or callable
        In inches, when no Axes are given.
    caption : str
        What is drawn.
    alt : callable
        Tells what it shows, for readers who cannot see it.
    data : callable, optional
        The numbers in it as a tidy table, where these are not those of the result.
    folded : bool
        Whether a page shows it after a click.
    """

    draw: Callable[..., Axes]
    size: Size | Callable[[], Size] = WIDE
    caption: str = ""
    alt: Callable[[], str] = lambda: ""
    data: Callable[[], pd.DataFrame] | None = None
    folded: bool = False

    @property
    def inches(self) -> Size:
        """The size."""
        return self.size() if callable(self.size) else self.size


class View:
    """What is seen of a result; a subclass says it for one kind: ``class V(View, of=Kind)``.

    A view draws what the result holds and starts no work of its own. What it computes from it, such
    as an interval, is computed once.

    Parameters
    ----------
    result : any result
    level : float
        Confidence level of the intervals.
    method : str
        Interval method.
    units : mapping
        Units of columns, by name.
    """

    appendix: ClassVar[bool] = True
    """Whether a report ends with the methods and with what gives the same numbers again."""

    def __init__(
        self,
        result: Any,
        level: float = 0.95,
        method: str = "auto",
        units: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.result, self.level, self.method, self.units = result, level, method, units

    def __init_subclass__(cls, *, of: type | None = None, **more: Any) -> None:
        super().__init_subclass__(**more)
        if of is not None:
            VIEWS[of] = cls

    def at(self, method: str | None = None, level: float | None = None) -> Self:
        """The view with intervals of another method or level, where one is given."""
        level = self.level if level is None else level
        method = self.method if method is None else method
        same = (method, level) == (self.method, self.level)
        return self if same else type(self)(self.result, level, method, self.units)

    @cached_property
    def rows(self) -> pd.DataFrame:
        """The result as a table."""
        frame: pd.DataFrame = self.result.tidy()
        return frame

    @property
    def title(self) -> str:
        """The title of a document about the result."""
        raise NotImplementedError

    @property
    def subtitle(self) -> str:
        """Data, loss and the like, in a line."""
        raise NotImplementedError

    @property
    def question(self) -> str:
        """What is asked."""
        return ""

    def top(self) -> list[Block]:
        """The main number, if there is one."""
        return []

    def context(self) -> Sections:
        """What a report says first: the question, the data, the folds."""
        return []

    def findings(self) -> Sections:
        """What a report says then."""
        raise NotImplementedError

    def brief(self) -> Sections:
        """What a summary says below the main number."""
        return self.findings()

    def main_table(self) -> Table:
        """The one table of a paper."""
        headers = {name: name.strip(".").replace("_", " ") for name in map(str, self.rows.columns)}
        return table_of(self.rows.iloc[:MOST_ROWS], headers, self.title)

    def sentence(self) -> str:
        """What was found, in one sentence."""
        told = (f"{capital(b.words)}: {b.value}." for b in self.top() if isinstance(b, Headline))
        return next(told, f"{self.title}: {self.subtitle}.")

    def python(self) -> str:
        """The call that gives the result again, with places for the ``{data}`` and ``{more}``."""
        fix = "use a result of cross_validate, tune, nested_cv, compare or one of the curves"
        given = type(self.result).__name__
        raise InputError("this kind of result has no bundle.", given=given, fix=fix)

    def entries(self) -> list[dict[str, Any]]:
        """Estimates to be put beside those of other results; see `etable`."""
        problem = "this result has no estimate to be put beside others."
        fix = "use results of cross_validate, nested_cv, compare, from_losses, and intervals"
        raise InputError(problem, given=type(self.result).__name__, fix=fix)

    def numbers(self) -> dict[str, Any]:
        """Values by name, for macros."""
        frame = self.result.glance()
        return dict(zip(map(str, frame.columns), frame.to_numpy(dtype=object)[0], strict=True))

    def methods(self) -> list[Inline]:
        """Sentences with citations about how the result was obtained."""
        return []

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The pictures by name, the usual one first."""
        return {}

    @property
    def drawn(self) -> list[Any]:
        """Results of which the findings already tell all."""
        return []

    @property
    def plan(self) -> FoldPlan | None:
        """The folds, where the result has some."""
        return getattr(self.result, "plan", None)

    @property
    def seed(self) -> int | None:
        """The seed that folds were drawn with; None when nothing was drawn or it is not known."""
        return None

    def figure(self, name: str, anchor: str = "") -> Figure:
        """A picture as a part of a document; `anchor` names it there."""
        one = self.pictures[name]
        return Figure(anchor or name, one.draw, one.caption, one.alt(), one.inches, 0, one.folded)

    def picture(self, kind: str | None, options: Mapping[str, Any]) -> Picture:
        """A picture by name, the usual one by default, that knows all these options."""
        name = next(iter(self.pictures)) if kind is None else kind
        if name not in self.pictures:
            raise unknown("picture", name, list(self.pictures))
        known = [p for p in inspect.signature(self.pictures[name].draw).parameters if p != "ax"]
        for option in options:
            if option not in known:
                raise unknown(f"option of the picture {name!r}", option, known)
        return self.pictures[name]


class TableView(View):
    """A view of a table, or of facts, and one picture."""

    heading: ClassVar[str]
    kind: ClassVar[str]
    """The name of the picture."""
    anchor: ClassVar[str] = ""
    """Its name in a document, where that is another."""
    caption: ClassVar[str]

    @property
    def size(self) -> Size:
        """Of the picture, in inches."""
        return WIDE

    def blocks(self) -> list[Block]:
        """The table."""
        raise NotImplementedError

    def draw(self, ax: Axes) -> Axes:
        """The picture."""
        raise NotImplementedError

    def tell(self) -> str:
        """What the picture shows."""
        raise NotImplementedError

    def findings(self) -> Sections:
        """Table and picture."""
        return [section(self.heading, *self.blocks(), self.figure(self.kind, self.anchor))]

    def brief(self) -> Sections:
        """The table."""
        return [section(self.heading, *self.blocks())]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The picture."""
        return {self.kind: Picture(self.draw, self.size, self.caption, self.tell)}


VIEWS: dict[type, Callable[..., View]] = {}


def view_of(
    result: Any,
    level: float = 0.95,
    method: str = "auto",
    units: Mapping[str, str] = MappingProxyType({}),
) -> View:
    """The view of a result.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> view_of(FoldPlan.from_fold_ids([1, 1, 2, 2])).title
    '2-fold cross-validation'
    """
    for kind in type(result).__mro__:
        file = vars(kind).get("view")
        if kind not in VIEWS and isinstance(file, str):
            import_module(f"pycvstat.report.views.{file}")
        if kind in VIEWS:
            return VIEWS[kind](result, level, method, units)
    fix = "use the result of cross_validate, tune, nested_cv, compare, error_curve, ..."
    given = type(result).__name__
    raise InputError("this kind of result has no report and no pictures.", given=given, fix=fix)


def plot(result: Any, kind: str | None = None, *, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw a result.

    Parameters
    ----------
    result : any result
    kind : str, optional
        The name of a picture of this result; the first one by default.
    ax : matplotlib Axes, optional
        Where to draw; a new pyplot figure by default.
    **options
        Of the picture.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> ax = plot(FoldPlan.from_fold_ids([1, 1, 2, 2]))
    >>> ax.get_xlabel()
    'row of the data'
    """
    from matplotlib.axes import Axes

    chosen = view_of(result).picture(kind, options)
    if not isinstance(ax, Axes | None):
        raise InputError(
            "ax must be matplotlib Axes.",
            given=type(ax).__name__,
            fix="figure, ax = plt.subplots(); result.plot(ax=ax)",
        )
    axes = new_axes(chosen.inches) if ax is None else ax
    with house_style():
        return fitted(literal(chosen.draw(axes, **options)))


def unknown(what: str, name: Any, known: list[str]) -> InputError:
    """The error for a name that is none, with the nearest one."""
    fix = nearest(name, known or ["none"])
    return InputError(f"there is no {what} called {name!r}.", given=repr(name), fix=fix)
