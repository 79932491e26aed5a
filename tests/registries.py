"""Registered parts of a test, taken back after it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pycvstat.folds import DIALECTS
from pycvstat.intervals import METHODS, method
from pycvstat.report.render.formats import FORMATS


@contextmanager
def as_before() -> Iterator[None]:
    """Leave every registry as it was found."""
    registries: tuple[dict, ...] = (DIALECTS, METHODS, method._ALIASES, FORMATS)
    kept = [dict(one) for one in registries]
    try:
        yield
    finally:
        for one, before in zip(registries, kept, strict=True):
            one.clear()
            one.update(before)
