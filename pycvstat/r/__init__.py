"""R beside us: the bridge to a running R, the checks against it, R packages' functions.

`bridge` starts R and passes values both ways, `check` puts the same quantity computed by R beside
ours, and each R package (`boot`, `caret`, `class_`, `cv`, `e1071`, `FNN`, `glmnet`, `kknn`,
`rsample`; the course is `lecture`) has a module with its functions under their R names. They draw
from one stream, as in an R session: `set_seed`, `sample` and the others of `session`.
`gallery` has numbers that courses and books published.
May import the rooms below, `bridge` only `errors` and `data`. New here: the functions of an R
package, or a quantity to compare. The modules are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the same names as in _HOME, for type checkers and editors
    from pycvstat.r import (
        FNN as FNN,
        boot as boot,
        caret as caret,
        check as check,
        class_ as class_,
        cv as cv,
        e1071 as e1071,
        gallery as gallery,
        glmnet as glmnet,
        kknn as kknn,
        lecture as lecture,
        rsample as rsample,
    )
    from pycvstat.r.session import (
        RNGkind as RNGkind,
        RNGversion as RNGversion,
        rexp as rexp,
        rnorm as rnorm,
        runif as runif,
        sample as sample,
        sample_int as sample_int,
        set_seed as set_seed,
        stream as stream,
    )

_NAMES = {
    "": "FNN boot caret check class_ cv e1071 gallery glmnet kknn lecture rsample",
    "session": "RNGkind RNGversion rexp rnorm runif sample sample_int set_seed stream",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}
"""Public name -> module of `pycvstat.r` that defines it; "" where the name is itself a module."""

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'pycvstat.r' has no attribute {name!r}")
    if not _HOME[name]:
        return import_module(f"pycvstat.r.{name}")
    return getattr(import_module(f"pycvstat.r.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
