"""The commands about numbers that others printed: find and gallery."""

from __future__ import annotations

import argparse
from argparse import Namespace
from pathlib import Path
from typing import Any

from pycvstat.cli.files import add_reading, data_of
from pycvstat.cli.messages import tell
from pycvstat.cli.options import learner_of, values_of

EXAMPLES = {
    "find": """examples:
  pycvstat find 9.9371 cars.csv 'mpg ~ wt' --learner ols --folds 10
  pycvstat find 0.9533 iris.csv 'Species ~ .' --learner knn:k=7 --seeds 0:100""",
    "gallery": """examples:
  pycvstat gallery
  pycvstat gallery islr-5.3.3""",
}


def add_commands(add: Any, commands: Any) -> None:
    """Add the commands to the parser."""
    command: argparse.ArgumentParser = add(
        commands, "find", "find the folds, seed and average that give a printed number"
    )
    command.add_argument("number", help="as printed: its digits count")
    command.add_argument("data", type=Path, help="a .csv, .tsv, .parquet or .rds file")
    command.add_argument("formula", help="R's formula in quotes")
    command.add_argument("--learner", required=True, metavar="NAME[:SETTINGS]")
    command.add_argument("--folds", type=int, default=10, metavar="K", help="(default: 10)")
    command.add_argument("--seeds", metavar="FROM:TO", help="(default: to 10,000, or common ones)")
    command.add_argument("--rows", type=int, default=10, metavar="N",
                         help="how many conventions to print (default: 10)")  # fmt: skip
    add_reading(command)

    shown = add(commands, "gallery", "compute published numbers of courses and books anew")
    shown.add_argument("name", nargs="?", help="an entry; a table of all of them without it")
    shown.add_argument("--json", action="store_true", help="print JSON instead of tables")


def gallery(chosen: Namespace) -> None:
    """Print one entry, or the table of all."""
    from pycvstat.r import gallery as entries

    found = None if chosen.name is None else entries.compare(chosen.name)
    if found is None:
        tell("computing every entry, for half a minute ...")
    table = entries.overview() if found is None else found.tidy()
    if chosen.json:
        print(table.to_json(orient="records", indent=2))
    elif found is None:
        print(table[["name", "numbers", "agree", "what"]].to_string(index=False))
    else:
        print(found)


def find(chosen: Namespace) -> None:
    """Print the conventions that give a number."""
    import pycvstat as pcv

    tell("trying some hundred thousand conventions ...")
    found = pcv.find_convention(
        chosen.number,
        learner_of(chosen.learner),
        chosen.formula,
        data_of(chosen),
        k=chosen.folds,
        seeds=None if chosen.seeds is None else values_of(chosen.seeds),
    )
    tried, expected = found.attrs["tried"], found.attrs["expected"]
    print(f"{len(found)} conventions print as {chosen.number}, of {tried:,} numbers tried")
    print(f"({found.attrs['seeds']}); {expected:.2g} of these numbers would by chance.")
    shown = found.head(chosen.rows)
    if len(shown):
        print(f"\n{shown.drop(columns=['code', 'learner']).to_string(index=False)}")
    for line in shown["code"]:
        print(f"\n{line}")
