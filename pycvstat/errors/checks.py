"""Arguments of several forms that any room may be given, and how objects are typed in one line."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import numpy as np

from pycvstat.errors import FitError, InputError, telling
from pycvstat.types import FloatArray

LESS = (
    "take fewer columns (a factor has one for each level), fewer rows or fewer candidates at once; "
    "workers share the memory: n_jobs=1"
)
"""What to do where the memory does not suffice."""


@contextmanager
def memory_for(what: str) -> Iterator[None]:
    """Say what the memory did not suffice for.

    Examples
    --------
    >>> with memory_for("90 training rows"):
    ...     raise MemoryError("Unable to allocate 2.98 GiB")
    Traceback (most recent call last):
    pycvstat.errors.FitError: The memory does not suffice.
      Given: 90 training rows; MemoryError: Unable to allocate 2.98 GiB
      ...
    """
    try:
        yield
    except MemoryError as error:
        raise short_of_memory(what, error) from error


def short_of_memory(what: str, error: MemoryError) -> FitError:
    """The error where the memory does not suffice."""
    given = f"{what}; {telling(error)}"
    return FitError("The memory does not suffice.", given=given, fix=LESS)


def shown(given: object) -> str:
    """How a wrong argument is shown: text and numbers as typed, anything else by its type.

    Examples
    --------
    >>> shown("mn"), shown(None), shown([1, 2])
    ("'mn'", 'None', 'list')
    """
    plain = given is None or isinstance(given, str | bytes | int | float)
    return repr(given) if plain else type(given).__name__


def as_typed(value: object) -> str:
    """A value as it would be typed; of an object without such a form its class, not its address.

    Examples
    --------
    >>> as_typed("a"), as_typed(object()), as_typed(np.random.default_rng(1))
    ("'a'", 'object()', 'Generator(PCG64)')
    """
    plain = value.item() if isinstance(value, np.generic) else value
    text = repr(plain)
    if " at 0x" not in text:
        return text
    text = re.sub(r"<(?:[\w<>]+\.)*(\w+) object at 0x[0-9a-fA-F]+>", r"\1()", text)
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)


def check_word(
    name: str,
    given: object,
    words: Collection[str],
    problem: str | None = None,
    error: type[InputError] = InputError,
) -> None:
    """Refuse what is not one of the words that an argument may be.

    Parameters
    ----------
    name : str
        The argument, for the message.
    given : object
    words : collection of str
    problem : str, optional
        What is wrong, where ``name must be ...`` does not say it well.
    error : class of InputError

    Examples
    --------
    >>> check_word("keep", "all", ("auto", "all"))
    >>> check_word("keep", "al", ("auto", "all"))
    Traceback (most recent call last):
    pycvstat.errors.InputError: keep must be 'auto' or 'all'.
      Given: 'al'
      Do this: did you mean 'all'?
    """
    if isinstance(given, str) and given in words:
        return
    *most, last = map(repr, words)
    listed = f"{', '.join(most)} or {last}" if most else last
    raise error(
        problem or f"{name} must be {listed}.",
        given=shown(given),
        fix=nearest(given if isinstance(given, str) else "", words),
    )


def check_shape(name: str, array: Any, *shape: int) -> None:
    """Refuse an array of another shape; None is no array.

    Examples
    --------
    >>> check_shape("losses", np.zeros((3, 1)), 3, 1)
    >>> check_shape("losses", np.zeros(3), 3, 1)
    Traceback (most recent call last):
    pycvstat.errors.InputError: losses must have the shape (3, 1).
      Given: (3,)
    """
    if array is not None and getattr(array, "shape", None) != shape and np.shape(array) != shape:
        raise InputError(f"{name} must have the shape {shape}.", given=np.shape(array))


def check_numbers(name: str, array: Any) -> None:
    """Refuse an array that does not hold numbers; None is no array.

    Examples
    --------
    >>> check_numbers("y", np.array([0, 1]))
    >>> check_numbers("y", np.array(["a"]))
    Traceback (most recent call last):
    pycvstat.errors.InputError: y must hold numbers.
      Given: an array of type <U1
    """
    if array is not None and array.dtype.kind not in "biuf":
        raise InputError(f"{name} must hold numbers.", given=f"an array of type {array.dtype}")


def check_level(level: Any, called: str = "level") -> float:
    """The confidence level, which must lie between 0 and 1.

    Examples
    --------
    >>> check_level(0.9)
    0.9
    """
    if not (is_number(level) and 0 < level < 1):
        problem = "the confidence level must lie between 0 and 1."
        raise InputError(problem, given=repr(level), fix=f"{called}=0.95")
    return float(level)


def is_number(given: Any) -> bool:
    """Whether this is one real number, and no truth value.

    Examples
    --------
    >>> is_number(0.5), is_number(np.int64(3)), is_number(True), is_number(None)
    (True, True, False, False)
    """
    real = isinstance(given, (int, float, np.integer, np.floating))
    return real and not isinstance(given, bool)


def is_whole(given: Any) -> bool:
    """Whether this is one whole number, of R's doubles too, and no truth value.

    Examples
    --------
    >>> is_whole(3), is_whole(np.int64(3)), is_whole(3.0), is_whole(2.5), is_whole(True)
    (True, True, True, False, False)
    """
    if type(given) is int:
        return True
    if isinstance(given, (float, np.floating)):
        return float(given).is_integer()
    return isinstance(given, (int, np.integer)) and not isinstance(given, bool)


def check_path(path: Any) -> Path:
    """The path of a file; ``~`` is the home directory.

    Examples
    --------
    >>> check_path("out.html").name
    'out.html'
    """
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str) or not text or "\0" in text or not _can_be_named(text):
        raise InputError(
            "this is not the path of a file.", given=shown(path), fix="write it as text"
        )
    return Path(os.path.expanduser(text))


@contextmanager
def written(target: Path, what: str) -> Iterator[None]:
    """What the disk says while something is written, as an error of ours."""
    try:
        yield
    except OSError as error:
        problem = f"the {what} cannot be written."
        raise InputError(problem, given=f"{target} ({error.strerror or error})") from None


def _can_be_named(text: str) -> bool:
    try:
        return bool(os.fsencode(text))
    except UnicodeEncodeError:
        return False


def real_numbers(values: Any) -> FloatArray | None:
    """The values as an array of real numbers; None where they are something else.

    Examples
    --------
    >>> real_numbers([1, 2.5]), real_numbers(["a"]), real_numbers([1j])
    (array([1. , 2.5]), None, None)
    """
    try:
        return None if np.iscomplexobj(values) else np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def kind_of(values: Any) -> str:
    """What values are that are no real numbers.

    Examples
    --------
    >>> kind_of([1j]), kind_of([[1, 2], [3]]), kind_of("a")
    ('complex numbers', 'list', 'str')
    """
    with suppress(ValueError):  # rows of different lengths
        return "complex numbers" if np.iscomplexobj(values) else type(values).__name__
    return type(values).__name__


def check_control(tol: Any, maxiter: Any) -> None:
    """The end of iterations, a tolerance above 0 and a number of steps, or InputError.

    Examples
    --------
    >>> check_control(1e-8, 25)
    """
    if not (is_whole(maxiter) and maxiter >= 1 and is_number(tol) and tol > 0):
        given = f"maxiter={maxiter!r}, tol={tol!r}"
        raise InputError("maxiter must be a whole number from 1, and tol above 0.", given=given)


LONGEST = 60  # characters of one value


class AsTyped:
    """A dataclass that is shown as it would be typed, without arguments at their default."""

    __slots__ = ()

    def __repr__(self) -> str:
        words = []
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.default is MISSING:
                words.append(brief(value))
            elif hasattr(value, "dtype") or value != field.default:
                words.append(f"{field.name}={brief(value)}")
        return f"{type(self).__name__}({', '.join(words)})"


class Brief:
    """A dataclass that is shown in one line: arrays and tables by their shape."""

    __slots__ = ()

    def __repr__(self) -> str:
        shown = ((f.name, getattr(self, f.name)) for f in fields(self) if f.repr)  # type: ignore[arg-type]
        words = [f"{name}={brief(value)}" for name, value in shown if value is not None]
        return f"{type(self).__name__}({', '.join(words)})"


def nearest(word: object, known: Iterable[str], otherwise: str = "") -> str:
    """What to write instead of a name that is none.

    Examples
    --------
    >>> nearest("squarred", ["squared", "absolute"])
    "did you mean 'squared'?"
    >>> nearest("x", ["squared", "absolute"])
    'use one of squared, absolute'
    """
    names = list(known)
    near = difflib.get_close_matches(str(word), names, n=1)
    return f"did you mean {near[0]!r}?" if near else otherwise or f"use one of {', '.join(names)}"


def brief(value: Any) -> str:
    """A value in a few words: arrays by their shape, other long values by their number.

    Examples
    --------
    >>> import numpy as np
    >>> brief(np.zeros((3, 2))), brief("squared"), brief(object()), brief(tuple(range(99)))
    ('<3 x 2 values>', "'squared'", 'object()', '<99 values>')
    """
    if isinstance(value, np.ndarray) or hasattr(value, "iloc"):
        return f"<{' x '.join(map(str, value.shape))} values>"
    text = as_typed(value)
    if len(text) <= LONGEST:
        return text
    return f"<{len(value)} values>" if hasattr(value, "__len__") else f"<{type(value).__name__}>"
