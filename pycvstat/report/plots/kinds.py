"""Which pictures a result has, and drawing one of them."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from pycvstat.errors import InputError
from pycvstat.report.plots.style import house_style, literal, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Size = tuple[float, float]
WIDE: Size = (4.6, 2.9)


@dataclass(frozen=True)
class Kind:
    """A picture: how it is drawn, and how large it is when no Axes are given."""

    draw: Callable[..., Axes]
    size: Size = WIDE


def plot(result: Any, kind: str | None = None, *, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw a result.

    Parameters
    ----------
    result : any result
    kind : str, optional
        The name of a picture of this result; the first of `kinds_of` by default.
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
    kinds = kinds_of(result)
    name = next(iter(kinds)) if kind is None else kind
    if name not in kinds:
        raise unknown("picture", name, list(kinds))
    chosen = kinds[name]
    known = [p for p in inspect.signature(chosen.draw).parameters if p != "ax"]
    for option in options:
        if option not in known:
            raise unknown(f"option of the picture {name!r}", option, known)
    _check_axes(ax)
    axes = new_axes(chosen.size) if ax is None else ax
    with house_style():
        return literal(chosen.draw(axes, **options))


def unknown(what: str, name: Any, known: list[str]) -> InputError:
    near = difflib.get_close_matches(str(name), known, n=1)
    return InputError(
        f"there is no {what} called {name!r}.",
        given=repr(name),
        fix=f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(known) or 'none'}",
    )


def _check_axes(ax: Any) -> None:
    from matplotlib.axes import Axes

    if ax is not None and not isinstance(ax, Axes):
        raise InputError(
            "ax must be matplotlib Axes.",
            given=type(ax).__name__,
            fix="figure, ax = plt.subplots(); result.plot(ax=ax)",
        )


@singledispatch
def kinds_of(result: Any) -> dict[str, Kind]:
    """The pictures of a result by name, the usual one first."""
    raise InputError("this kind of result has no picture.", given=type(result).__name__)
