"""R's means, variances and running sums in compiled loops, with the 80-bit numbers of x86.

numba knows no long double; its compiler does, under the name x86_fp80. Only where
`pycvstat.rmath.sums.EXTENDED`. The bits are those of `pycvstat.rmath.sums`, which takes these loops
once they are loaded; each addition waits for the one before, so three columns go together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, models, register_model

from pycvstat.rmath.loops import largest, put


class _X86(ir.types.Type):  # type: ignore[misc]
    """The compiler's type."""

    def _to_string(self) -> str:
        return "x86_fp80"


class _Extended(types.Type):
    """The same to numba."""


LONG, DOUBLE = _Extended("x86_fp80"), types.float64
X86 = _X86()
model: Any = models.PrimitiveModel
register_model(_Extended)(lambda manager, kind: model(manager, kind, X86))


def _operation(name: str, result: Any, *given: Any) -> Any:
    """An instruction of the compiler as a function for compiled code."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        to = () if len(values) == 2 else (context.get_value_type(result),)
        return getattr(builder, name)(*values, *to)

    found = result(*given), generate
    return intrinsic((lambda _, a: found) if len(given) == 1 else lambda _, a, b: found)


wide, narrow = _operation("fpext", LONG, DOUBLE), _operation("fptrunc", DOUBLE, LONG)
plus, minus, times, over = (
    _operation(name, LONG, LONG, LONG) for name in ("fadd", "fsub", "fmul", "fdiv")
)
MATRIX = types.Array(DOUBLE, 2, "A", readonly=True)
loop: Any = njit(DOUBLE[::1](MATRIX), cache=True, error_model="numpy")
inlined: Any = njit(cache=True, error_model="numpy", forceinline=True)


@inlined
def _added(x, c, a, b, d, squares):  # type: ignore[no-untyped-def]
    """Sums of three columns' deviations from a, b and d, or of their squares."""
    n, last = x.shape[0], x.shape[1] - 1
    second, third = min(c + 1, last), min(c + 2, last)
    r = s = t = wide(0.0)
    for i in range(n):
        u, v, w = minus(wide(x[i, c]), a), minus(wide(x[i, second]), b), minus(wide(x[i, third]), d)
        if squares:
            u, v, w = times(u, u), times(v, v), times(w, w)
        r, s, t = plus(r, u), plus(s, v), plus(t, w)
    return r, s, t


@inlined
def _finite(x):  # type: ignore[no-untyped-def]
    """A sum that is not finite is left to the second pass."""
    return x if np.isfinite(narrow(x)) else wide(0.0)


@loop
def means(x):  # type: ignore[no-untyped-def]
    """`pycvstat.rmath.mean` of every column (n, C), n > 0."""
    n, count = wide(float(x.shape[0])), x.shape[1]
    found = np.empty(count + 2)
    for c in range(0, count, 3):
        zero = wide(0.0)
        r, s, t = _added(x, c, zero, zero, zero, False)
        a, b, d = _finite(over(r, n)), _finite(over(s, n)), _finite(over(t, n))
        r, s, t = _added(x, c, a, b, d, False)
        found[c], found[c + 1] = narrow(plus(a, over(r, n))), narrow(plus(b, over(s, n)))
        found[c + 2] = narrow(plus(d, over(t, n)))
    return found[:count]


@loop
def variances(x):  # type: ignore[no-untyped-def]
    """`pycvstat.rmath.var` of every column (n, C), n > 1."""
    n, count = wide(x.shape[0] - 1.0), x.shape[1]
    found, centre = np.empty(count + 2), np.zeros(count + 2)
    put(centre, means(x))
    for c in range(0, count, 3):
        a, b, d = wide(centre[c]), wide(centre[c + 1]), wide(centre[c + 2])
        r, s, t = _added(x, c, a, b, d, True)
        found[c], found[c + 1] = narrow(over(r, n)), narrow(over(s, n))
        found[c + 2] = narrow(over(t, n))
    return found[:count]


INTEGERS = types.Array(types.int64, 2, "A", readonly=True), types.int64[::1]


@njit(DOUBLE[:, ::1](types.Array(DOUBLE, 1, "A", readonly=True), *INTEGERS), cache=True)
def running_means(y, rows, ks):  # type: ignore[no-untyped-def]
    """Mean of `y` over the first k of `rows` (m, at least max(ks)), for every k: (s, m)."""
    found, sums = np.empty((ks.size, rows.shape[0])), np.empty(largest(ks))
    for j in range(rows.shape[0]):
        total = wide(0.0)
        for k in range(sums.size):
            total = plus(total, wide(y[rows[j, k]]))
            sums[k] = narrow(total)
        for place in range(ks.size):
            found[place, j] = sums[ks[place] - 1] / ks[place]
    return found


LOADED = True  # until here the sums of other threads are those of NumPy
