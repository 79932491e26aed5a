"""BENCHMARKS.md: one table, and a picture of cost against the number of rows."""

from __future__ import annotations

import importlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.benchmarks.line import ROOT, Measured

TABLE = ROOT / "BENCHMARKS.md"
PICTURE = ROOT / "vignettes" / "benchmarks.svg"
CURVES = ROOT / "vignettes" / "recorded" / "sizes.json"
PACKAGES = (
    "numpy", "scipy", "pandas", "statsmodels", "numba", "scikit-learn", "dask", "distributed",
)  # fmt: skip
HEAD = """# Benchmarks

Written by `make bench`: every line is the same work done here and by a peer, in turns, in one run.
Seconds are medians, of the processor except where the line says clock; the ratio, how many times as
long the peer takes or the share of its time that ours takes, is the median over the turns, with
its range. Numerical libraries have one thread.
"""


def write(rows: Mapping[str, Sequence[Measured]]) -> None:
    """The table and the picture."""
    TABLE.write_text(text(rows), encoding="utf-8")
    curves = [row for some in rows.values() for row in some if row.n]
    keep(curves)
    draw(curves)


def keep(curves: Sequence[Measured]) -> None:
    """Processor seconds of the curves, which a vignette shows."""
    works: dict[str, list[dict[str, float]]] = {}
    for row in curves:
        found = {"n": row.n, "ours": row.ours.processor, "peer": row.theirs.processor}
        works.setdefault(f"{row.work} ({row.peer})", []).append(found)
    provenance = {
        "script": "python -m tests.benchmarks",
        "date": date.today().isoformat(),
        "machine": machine(),
        "versions": versions(),
    }
    CURVES.write_text(json.dumps({"provenance": provenance, "works": works}, indent=1) + "\n")


def text(rows: Mapping[str, Sequence[Measured]]) -> str:
    """The file."""
    parts = [HEAD, f"{date.today().isoformat()}; {machine()}; {versions()}.\n"]
    parts.append(
        "| work | ours, s | MB | peer | s | times as fast | wanted | |\n"
        "|---|---:|---:|---|---:|---:|---|---|"
    )
    for name, some in rows.items():
        title = (importlib.import_module(f"tests.benchmarks.bench_{name}").__doc__ or "").split(
            "\n"
        )
        parts += [f"| **{title[0]}** | | | | | | | |", *map(cells, (r for r in some if not r.n))]
    if any(row.n for some in rows.values() for row in some):
        parts.append(
            "\n![Seconds against the number of rows, one panel for each work and peer: ours solid, "
            f"the peer dashed]({PICTURE.relative_to(ROOT)})"
        )
    return "\n".join(parts) + "\n"


def cells(row: Measured) -> str:
    """One row of the table."""
    clock = row.clock == "wall"
    ours, theirs = getattr(row.ours, row.clock), getattr(row.theirs, row.clock)
    megabytes = "" if row.ours.megabytes is None else f"{row.ours.megabytes:.0f}"
    met = "" if not row.wanted else "yes" if row.met else "**no**"
    return (
        f"| {row.work} | {ours:.3g}{' (clock)' if clock else ''} | {megabytes} | {row.peer} "
        f"| {theirs:.3g} | {row.against} | {row.wanted} | {met} |"
    )


def machine() -> str:
    """Processor, cores, system, and how busy it is."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    model = next((x.partition(":")[2].strip() for x in lines if x.startswith("model name")), "")
    load = os.getloadavg()[0]
    return (
        f"{model or platform.machine()}, {os.cpu_count()} cores, {platform.system()}, "
        f"load {load:.1f} at the end"
    )


def versions() -> str:
    """Of Python and what is compared."""
    found = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


def draw(rows: Sequence[Measured]) -> None:
    """One panel for each work and peer."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    panels: dict[tuple[str, str], list[Measured]] = {}
    for row in rows:
        panels.setdefault((row.work, row.peer), []).append(row)
    if not panels:
        return
    mpl.rcParams.update({"svg.hashsalt": "benchmarks", "svg.fonttype": "none", "font.size": 8})
    wide = 3
    high = -(-len(panels) // wide)
    figure, axes = plt.subplots(
        high, wide, figsize=(2.9 * wide, 2.4 * high), layout="constrained", squeeze=False
    )
    for axis in axes.ravel()[len(panels) :]:
        axis.axis("off")
    for axis, ((work, peer), some) in zip(axes.ravel(), panels.items(), strict=False):
        n = [row.n for row in some]
        axis.plot(n, [row.ours.processor for row in some], "o-", ms=3, label="ours")
        axis.plot(n, [row.theirs.processor for row in some], "s--", ms=3, label=peer)
        axis.set(xscale="log", yscale="log", title=work, xlabel="rows", ylabel="seconds")
        axis.set_xticks(n, [f"{one:,}" for one in n], rotation=30)
        axis.xaxis.minorticks_off()
        axis.legend(frameon=False)
    figure.savefig(PICTURE, metadata={"Date": None})
    plt.close(figure)
