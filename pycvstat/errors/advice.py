"""Advice that names arguments and objects, which the command line spells in another way."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any


class Advice:
    """What to do, with places for arguments and for objects.

    As text it is Python; the command line says it in options and words of its own.

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

    def __str__(self) -> str:
        return self.said(
            repr, lambda name, value: f"{name}={'...' if value is ... else repr(value)}"
        )

    def said(self, thing: Callable[[Any], str], argument: Callable[[str, Any], str]) -> str:
        """The text with its places filled, objects and arguments as these functions say."""
        objects = (one if isinstance(one, str) else thing(one) for one in self.things)
        named = {name: argument(name, value) for name, value in self.arguments.items()}
        return self.text.format(*objects, **named)


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


def pip_install(*requirements: str) -> str:
    """The command that installs packages beside this one, however this one was installed.

    Examples
    --------
    >>> pip_install("rpy2>=3.6.6").endswith(" 'rpy2>=3.6.6'")
    True
    """
    python, wanted = shlex.quote(sys.executable), " ".join(map(shlex.quote, requirements))
    if find_spec("pip") is not None:
        return f"{python} -m pip install {wanted}"
    if shutil.which("uv"):
        return f"uv pip install --python {python} {wanted}"
    return f"{python} -m ensurepip && {python} -m pip install {wanted}"
