"""What to do, in the words of Python or of the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self


class Advice:
    """What to do, with places for arguments and for objects.

    As text it is Python; the command line is `speaking` in options and words of its own.

    Parameters
    ----------
    text : str
        A place for an argument bears its name, other places are empty.
    *things : learner, splitter, AsClasses, Reading or str
        For the empty places, in their order; text is shown as it is.
    **arguments : object
        Their values; ``...`` where the user has to fill one in.

    Examples
    --------
    >>> print(Advice("{na} leaves these rows out, {}", "as in R", na="omit"))
    na='omit' leaves these rows out, as in R
    """

    def __init__(self, text: str, *things: Any, **arguments: Any) -> None:
        self.text, self.things, self.arguments = text, things, arguments
        self.folds = "folds"  # the argument whose folds are spoken of

    def __str__(self) -> str:
        return _tongue.say(self)

    def of(self, argument: str) -> Self:
        """The same advice, where these folds are given as another argument.

        Examples
        --------
        >>> print(Advice("use {folds}", folds=5).of("inner"))
        use inner=5
        """
        named = {argument if name == "folds" else name: one for name, one in self.arguments.items()}
        found = type(self)(self.text.replace("{folds}", f"{{{argument}}}"), *self.things, **named)
        found.folds = argument
        return found

    def said(self, thing: Callable[[Any], str], argument: Callable[[str, Any], str]) -> str:
        """The text with its places filled, objects and arguments as these functions say."""
        objects = (one if isinstance(one, str) else thing(one) for one in self.things)
        named = {name: argument(name, value) for name, value in self.arguments.items()}
        return self.text.format(*objects, **named)


def in_python(advice: Advice) -> str:
    """Advice as it is typed in Python."""

    def argument(name: str, value: Any) -> str:
        return f"{name}={'...' if value is ... else repr(value)}"

    return advice.said(repr, argument)


@dataclass
class _Tongue:
    say: Callable[[Advice], str] = in_python


_tongue = _Tongue()


@contextmanager
def speaking(say: Callable[[Advice], str]) -> Iterator[None]:
    """Advice in other words than Python's, inside the block.

    Examples
    --------
    >>> with speaking(lambda advice: "as you like"):
    ...     print(Advice("use {folds}", folds=5))
    as you like
    """
    before, _tongue.say = _tongue.say, say
    try:
        yield
    finally:
        _tongue.say = before


@dataclass(frozen=True)
class AsClasses:
    """A column of the data, made categorical.

    Examples
    --------
    >>> AsClasses("y")
    data['y'].astype('category')
    """

    name: str

    def __repr__(self) -> str:
        return f"data[{self.name!r}].astype('category')"


@dataclass(frozen=True)
class InPython:
    """What only Python can say, as it is typed.

    Examples
    --------
    >>> InPython("na='pass'")
    na='pass'
    """

    code: str

    def __repr__(self) -> str:
        return self.code


class Reading:
    """A text file, read with other options of pandas.

    Examples
    --------
    >>> Reading(na_values=["k.A."])
    pd.read_csv(file, na_values=['k.A.'])
    """

    def __init__(self, **options: Any) -> None:
        self.options = options

    def __repr__(self) -> str:
        return f"pd.read_csv(file, {', '.join(f'{n}={v!r}' for n, v in self.options.items())})"
