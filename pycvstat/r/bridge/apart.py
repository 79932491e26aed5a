"""Code of others in the session of R, which is left as it was."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pycvstat.r.bridge.session import run, time_limit

_BEFORE = """{
  home <- parent.env(environment())
  home$.pcv_before <- list(options = options(), kind = RNGkind(), folder = getwd(),
    seed = get0(".Random.seed", globalenv(), inherits = FALSE), attached = search(),
    names = ls(globalenv(), all.names = TRUE))
  NULL
}"""
_AFTER = """{
  old <- .pcv_before
  for (name in setdiff(search(), old$attached)) try(detach(name, character.only = TRUE), TRUE)
  new <- setdiff(names(options()), names(old$options))
  options(c(old$options, setNames(vector("list", length(new)), new)))
  suppressWarnings(do.call(RNGkind, as.list(old$kind)))
  rm(list = setdiff(ls(globalenv(), all.names = TRUE), old$names), envir = globalenv())
  if (!is.null(old$seed)) assign(".Random.seed", old$seed, envir = globalenv())
  setwd(old$folder)
  NULL
}"""


@contextlib.contextmanager
def as_it_was() -> Iterator[None]:
    """Take back what code does to the session of R, and do not show what it prints.

    Options, random numbers, attached packages, variables and the working directory are those of
    before.

    Examples
    --------
    >>> with as_it_was():
    ...     run("{ options(digits = 3); x <<- 1; print(pi) }")
    3.141592653589793
    >>> run("getOption('digits')")
    7
    """
    run(_BEFORE)
    from rpy2.rinterface_lib import callbacks

    before = callbacks.consolewrite_print
    callbacks.consolewrite_print = lambda text: None
    try:
        yield
    finally:
        callbacks.consolewrite_print = before
        with time_limit(None):
            run(_AFTER)
