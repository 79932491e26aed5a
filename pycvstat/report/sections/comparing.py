"""Several methods on identical folds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.errors import IntervalError, heard
from pycvstat.intervals.paired import all_pairs, paired
from pycvstat.losses import LossTable
from pycvstat.report.content import Block, Figure, Note, Section, Table, section
from pycvstat.report.numbers import aligned, count, p_value
from pycvstat.report.plots import kinds_of
from pycvstat.report.plots.limits import interval_rows
from pycvstat.report.sections.tables import interval_headers, table_of
from pycvstat.report.wanted import Wanted
from pycvstat.report.words import value_words

if TYPE_CHECKING:
    import pandas as pd

Tables = Mapping[str, LossTable]
FEW = 8  # methods up to which folds are listed side by side
ROWS = 40


def methods_frame(tables: Tables, wanted: Wanted) -> pd.DataFrame:
    """One row per method: name, both averages, interval."""
    frame: pd.DataFrame = interval_rows(tables, wanted.method, wanted.level)
    pooled = [float(table.pooled()[0]) for table in tables.values()]
    return frame.assign(name=list(tables), pooled=pooled)


def methods_table(tables: Tables, wanted: Wanted) -> Table:
    """One row per method: both averages and the interval."""
    frame = methods_frame(tables, wanted)
    headers = {"name": "method"} | interval_headers(wanted.level) | {"pooled": "pooled"}
    best = [int(np.nanargmin(frame["estimate"]))] if frame["estimate"].notna().any() else []
    words = "Mean of fold means with its interval; pooled: mean over observations."
    return table_of(frame, headers, words, best)


def pairs_blocks(tables: Tables, wanted: Wanted) -> list[Block]:
    """Differences of all pairs with p values, adjusted for their number; or why there are none."""
    if len(tables) < 2:
        return []
    with heard() as said:
        try:
            frame = all_pairs(tables, method=wanted.method, level=wanted.level)
        except IntervalError as error:
            return [Note(f"No paired comparison: {error.problem}")]
    rows = frame.assign(pair=[f"{a} − {b}" for a, b in zip(frame["a"], frame["b"], strict=True)])
    headers = {"pair": "difference"} | interval_headers(wanted.level)
    headers |= {"p_value": "p", "p_adjusted": "Holm p"}
    method = ", ".join(name for name in dict.fromkeys(frame["method"]) if name != "none")
    table = table_of(
        rows, headers, f"Paired differences on identical folds ({method}); intervals not adjusted."
    )
    return [table, *map(Note, said)]


def comparison_section(result: Any, tables: Tables, wanted: Wanted) -> Section:
    """Table, forest plot, pairs and what cannot be told apart."""
    kinds = kinds_of(result)
    frame = methods_frame(tables, wanted)
    forest = Figure(
        "forest",
        partial(kinds["forest"].draw, method=wanted.method, level=wanted.level),
        f"Estimates with {100 * wanted.level:g} % intervals.",
        _tell(frame),
        kinds["forest"].size,
    )
    pairs = pairs_blocks(tables, wanted)
    blocks: list[Block | None] = [methods_table(tables, wanted), forest, *pairs]
    if pairs and isinstance(pairs[0], Table):
        blocks += [_critical_figure(frame, kinds, wanted), _pair_figure(tables, kinds, wanted)]
    return section("Comparison", blocks)


def _critical_figure(frame: pd.DataFrame, kinds: Any, wanted: Wanted) -> Figure:
    ordered = frame.sort_values("estimate", kind="stable")["name"]
    return Figure(
        "critical",
        partial(kinds["critical"].draw, method=wanted.method),
        "Methods in order of their estimate. A bar joins methods of which no pair has a "
        "Holm-adjusted p value below 0.05: a group that these data do not tell apart, which is not "
        "evidence that they are equal.",
        f"Methods in order of their estimate: {', '.join(ordered)}.",
        kinds["critical"].size,
    )


def _tell(frame: pd.DataFrame) -> str:
    size = len(frame)
    values = aligned([*frame["estimate"], *frame["conf_low"], *frame["conf_high"]])
    parts = [
        f"{name} {values[i]}"
        + (f" ({values[size + i]} to {values[2 * size + i]})" if values[size + i] else "")
        for i, name in enumerate(frame["name"])
    ]
    return f"Estimates and intervals: {'; '.join(parts)}."


def _pair_figure(tables: Tables, kinds: Any, wanted: Wanted) -> Figure | None:
    """The best method and the next one whose losses differ, fold by fold."""
    means = {name: table.fold_means()[:, 0] for name, table in tables.items()}
    a, *others = sorted(means, key=lambda name: float(means[name].mean()))
    b = next((name for name in others if not np.array_equal(means[name], means[a])), None)
    if b is None:
        return None
    with heard():
        pair = paired(tables[a], tables[b], method=wanted.method, level=wanted.level)
    p = p_value(pair.p_value)
    words = f"Difference {a} minus {b}: {value_words(pair.estimate, pair.interval)}"
    return Figure(
        "paired",
        partial(kinds["paired"].draw, a=a, b=b, method=wanted.method, level=wanted.level),
        f"The two methods with the smallest estimates fold by fold: {a} minus {b}.",
        f"{words}, p {p}." if p else f"{words}.",
        kinds["paired"].size,
    )


def folds_side_by_side(tables: Tables) -> Section | None:
    """Errors of every method in every fold."""
    plan = next(iter(tables.values())).plan
    if len(plan) < 2 or len(plan) > ROWS or len(tables) > FEW:
        return None
    means = [table.fold_means()[:, 0] for table in tables.values()]
    flat = aligned(np.concatenate(means).tolist())
    size = len(plan)
    names = [
        str(f + 1) if plan.times == 1 else f"{r + 1}.{f + 1}"
        for r, f in zip(plan.repeat, plan.fold, strict=True)
    ]
    rows = tuple((names[i], *(flat[m * size + i] for m in range(len(means)))) for i in range(size))
    title = "fold" if plan.times == 1 else "repeat.fold"
    table = Table(
        (title, *tables), rows, "r" * (1 + len(tables)), "Mean loss of every method in every fold."
    )
    return section("Errors of the folds", [table])


def many_note(count_of_methods: int) -> Note:
    """What choosing the best of several estimates does."""
    return Note(
        f"The smallest of {count(count_of_methods, 'estimate')} is chosen after seeing them all, "
        "so as an estimate of the risk of the chosen method it tends to be too small."
    )
