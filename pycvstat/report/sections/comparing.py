"""Several methods on identical folds."""

from __future__ import annotations

from typing import Any

import numpy as np

from pycvstat.errors import IntervalError
from pycvstat.losses import LossTable
from pycvstat.report.content import Block, Figure, Note, Section, Table, section
from pycvstat.report.numbers import aligned, count, p_value
from pycvstat.report.plots import kinds_of
from pycvstat.report.sections.estimates import heard
from pycvstat.report.sections.tables import interval_headers, table_of

FEW = 8  # methods up to which folds are listed side by side
ROWS = 40


def methods_table(frame: Any, level: float) -> Table:
    """One row per method: both averages and the interval."""
    headers = {"method": "method", "name": "method", "learner": "learner"}
    if "learner" in frame and (frame["learner"] == frame["method"]).all():
        headers.pop("learner")
    if "name" in frame:
        headers.pop("method")
    headers |= interval_headers(level) | {"pooled": "pooled"}
    best = [int(np.nanargmin(frame["estimate"]))] if frame["estimate"].notna().any() else []
    return table_of(
        frame,
        headers,
        "Mean of fold means with its interval; pooled: mean over observations.",
        best,
    )


def pairs_blocks(result: Any, level: float) -> list[Block]:
    """Differences of all pairs with p values, adjusted for their number; or why there are none."""
    with heard() as notes:
        try:
            frame = result.pairs(level=level)
        except IntervalError as error:
            return [Note(f"No paired comparison: {error.problem}")]
    rows = frame.assign(pair=[f"{a} − {b}" for a, b in zip(frame["a"], frame["b"], strict=True)])
    headers = {"pair": "difference"} | interval_headers(level)
    headers |= {"p_value": "p", "p_adjusted": "Holm p"}
    method = ", ".join(name for name in dict.fromkeys(frame["method"]) if name != "none")
    table = table_of(
        rows, headers, f"Paired differences on identical folds ({method}); intervals not adjusted."
    )
    return [table, *notes]


def comparison_section(result: Any, frame: Any, level: float) -> Section:
    """Table, forest plot, pairs and what cannot be told apart."""
    kinds = kinds_of(result)
    blocks: list[Block] = [methods_table(frame, level)]
    names = frame["name" if "name" in frame else "method"].tolist()
    blocks.append(
        Figure(
            "forest",
            kinds["forest"].draw,
            f"Estimates with {100 * level:g} % intervals.",
            _tell(names, frame),
            kinds["forest"].size,
        )
    )
    if len(names) > 1:
        pairs = pairs_blocks(result, level)
        blocks += pairs
        if isinstance(pairs[0], Table):
            blocks += [_critical_figure(names, frame, kinds), _pair_figure(result, names, kinds)]
    return section("Comparison", blocks)


def _critical_figure(names: list[str], frame: Any, kinds: Any) -> Figure:
    return Figure(
        "critical",
        kinds["critical"].draw,
        "Methods in order of their estimate. A bar joins methods of which no pair has a "
        "Holm-adjusted p value below 0.05: a group that these data do not tell apart, which is not "
        "evidence that they are equal.",
        f"Methods in order of their estimate: {_order(names, frame)}.",
        kinds["critical"].size,
    )


def _tell(names: list[str], frame: Any) -> str:
    values = aligned([*frame["estimate"], *frame["conf_low"], *frame["conf_high"]])
    size = len(names)
    parts = [
        f"{name} {values[i]}"
        + (f" ({values[size + i]} to {values[2 * size + i]})" if values[size + i] else "")
        for i, name in enumerate(names)
    ]
    return f"Estimates and intervals: {'; '.join(parts)}."


def _order(names: list[str], frame: Any) -> str:
    order = np.argsort(frame["estimate"].to_numpy(), kind="stable")
    return ", ".join(names[i] for i in order)


def _pair_figure(result: Any, names: list[str], kinds: Any) -> Figure:
    """The two best methods fold by fold."""
    estimate = result.estimate
    a, b = sorted(names, key=lambda name: (np.nan_to_num(estimate[name], nan=np.inf), name))[:2]
    with heard():
        pair = result.paired(a, b)
    low, high, middle = aligned([pair.low, pair.high, pair.estimate])
    p = p_value(pair.p_value)
    alt = f"Difference {a} minus {b}: {middle}, interval {low} to {high}" + (
        f", p {p}." if p else "."
    )
    return Figure(
        "paired",
        lambda ax: kinds["paired"].draw(ax, a=a, b=b),
        f"The two methods with the smallest estimates fold by fold: {a} minus {b}.",
        alt,
        kinds["paired"].size,
    )


def folds_side_by_side(tables: dict[str, LossTable]) -> Section | None:
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
