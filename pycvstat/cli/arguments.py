"""Arguments of the commands on data."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pycvstat.cli.spelling import FOLDS, LEARNERS
from pycvstat.folds import DIALECTS

Subparsers = Any
ROOMS = (
    "random", "folds", "neighbours", "linear", "cross_validation", "nested", "intervals",
)  # fmt: skip
EXAMPLES = {
    "pycvstat": """examples:
  pycvstat cv cars.csv 'mpg ~ wt + hp' --learner ols --folds 10 --seed 1
  pycvstat nested data.csv 'y ~ .' --learner knn --grid k=1:30 --report out.html
  pycvstat COMMAND --help

exit status: 0 when done, 1 after an error, 2 for wrong words, 130 after Ctrl-C""",
    "lecture": """examples:
  pycvstat lecture
  pycvstat lecture --write lecture.R""",
    "completion": """examples:
  eval "$(pycvstat completion bash)"
  pycvstat completion fish > ~/.config/fish/completions/pycvstat.fish""",
    "cv": """examples:
  pycvstat cv cars.csv 'mpg ~ wt + hp' --learner ols --folds 10 --seed 1
  pycvstat cv cars.csv 'mpg ~ wt + hp' --learner knn:k=7 \\
      --folds repeated:10x5 --report cv.html""",
    "tune": """examples:
  pycvstat tune cars.csv 'mpg ~ wt + hp' --learner knn --grid k=1:15 --seed 1
  pycvstat tune cars.csv 'mpg ~ wt + hp' --learner ridge \\
      --grid lam=log:0.001:10:20 --rule one_se --complexity=-lam""",
    "nested": """examples:
  pycvstat nested data.csv 'y ~ .' --learner knn --grid k=1:30 --outer 8 \\
      --inner 5 --seed 1 --report out.html
  pycvstat nested labels.csv 'y ~ .' --learner knn --grid k=1:30 \\
      --outer repeated:10x5 --seed 1 --jobs 2 --checkpoint kept""",
    "compare": """examples:
  pycvstat compare cars.csv 'mpg ~ wt + hp' --learner knn --learner ols \\
      --grid knn:k=1:15 --folds 10 --inner 5 --seed 1""",
    "crosscheck": """examples:
  pycvstat crosscheck
  pycvstat crosscheck --recorded --room folds --room random
  pycvstat crosscheck --live --report parity.html""",
    "report": """examples:
  pycvstat nested data.csv 'y ~ .' --learner knn --grid k=1:30 --save result.npz
  pycvstat report result.npz out.pdf""",
}


def add_commands(commands: Subparsers) -> None:
    """Add cv, tune, nested, compare and report to the command line."""
    cv = _add(commands, "cv", "cross-validate a learner")
    _learner(cv)
    _folds(cv)
    tune = _add(commands, "tune", "choose parameters by cross-validation")
    _learner(tune)
    _folds(tune)
    _grid(tune, required=True)
    _rule(tune)
    nested = _add(commands, "nested", "nested cross-validation: tune inside, test outside")
    _learner(nested)
    _grid(nested, required=True)
    _rule(nested)
    nested.add_argument("--outer", default="10", metavar="FOLDS", help="outer folds (default: 10)")
    _inner(nested)
    compare = _add(commands, "compare", "compare learners on identical folds")
    compare.add_argument(
        "--learner", action="append", required=True, metavar="NAME[:SETTINGS]",
        help=f"once per method; one of {', '.join(LEARNERS)}",
    )  # fmt: skip
    _folds(compare)
    _grid(compare, required=False, form="NAME:PARAMETER=VALUES")
    _inner(compare)
    _add_report(commands)
    _add_crosscheck(commands)


def _add_crosscheck(commands: Subparsers) -> None:
    command = commands.add_parser(
        "crosscheck",
        help="compare several hundred quantities with R's",
        epilog=EXAMPLES["crosscheck"],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    which = command.add_mutually_exclusive_group()
    for name, words in (("live", "with the R of this machine"), ("recorded", "with values kept")):
        which.add_argument(f"--{name}", action="store_const", dest="against", const=name,
                           default="auto", help=words)  # fmt: skip
    command.add_argument(
        "--room",
        action="append",
        choices=ROOMS,
        metavar="ROOM",
        help=f"only this room, of {', '.join(ROOMS)}",
    )
    command.add_argument("--json", action="store_true", help="print JSON instead of a summary")
    command.add_argument(
        "--report", type=Path, metavar="FILE", help=".html, .md, .tex, .pdf, .docx"
    )
    command.set_defaults(run=_crosscheck)


def _crosscheck(chosen: argparse.Namespace) -> None:
    from pycvstat.cli.crosscheck import crosscheck

    crosscheck(chosen)


def _add(commands: Subparsers, name: str, words: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=words,
        description=words[0].upper() + words[1:] + ".",
        epilog=EXAMPLES[name],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("data", type=Path, help="a .csv, .tsv, .parquet or .rds file")
    command.add_argument("formula", help="R's formula in quotes, such as 'y ~ .'")
    _common(command)
    command.set_defaults(run=_runner(name))
    return command


def _runner(name: str) -> Any:
    def call(chosen: argparse.Namespace) -> None:
        from pycvstat.cli import run

        getattr(run, name)(chosen)

    return call


def _common(command: argparse.ArgumentParser) -> None:
    data = command.add_argument_group("data")
    data.add_argument("--sep", metavar="CHARACTER", help="delimiter of a text file")
    data.add_argument("--decimal", metavar="CHARACTER", default=".",
                      help="decimal sign of a text file (default: a point)")  # fmt: skip
    data.add_argument("--factor", action="append", metavar="COLUMN", help="treat as categorical")
    data.add_argument("--groups", metavar="COLUMN", help="rows that belong together")
    data.add_argument(
        "--weights", metavar="COLUMN", help="weights of rows in the fits; losses are not weighted"
    )
    data.add_argument("--na", choices=("raise", "omit"), default="raise",
                      help="rows with missing values (default: raise)")  # fmt: skip
    data.add_argument("--na-string", action="append", metavar="TEXT",
                      help="a word for a missing value, beside NA and the like")  # fmt: skip
    data.add_argument("--levels", choices=("ICU", "C"), default="ICU",
                      help="how words are sorted: as R does, or by code point as R does in the "
                      "C locale (default: ICU)")  # fmt: skip
    work = command.add_argument_group("work")
    work.add_argument("--loss", help="squared, absolute, zero_one, log, brier, ...")
    work.add_argument("--seed", type=int, metavar="N", help="as in R's set.seed(N)")
    work.add_argument("--on-error", choices=("raise", "warn"), default="raise",
                      help="what a failed fit does (default: raise)")  # fmt: skip
    work.add_argument("--jobs", type=int, metavar="N", help="processes (default: 1)")
    work.add_argument("--checkpoint", type=Path, metavar="FOLDER",
                      help="keep finished folds; a stopped run continues")  # fmt: skip
    out = command.add_argument_group("output")
    out.add_argument("--json", action="store_true", help="print JSON instead of a summary")
    out.add_argument("--report", type=Path, metavar="FILE", help=".html, .md, .tex, .pdf or .docx")
    out.add_argument("--crosscheck", action="store_true",
                     help="compute it in R too; the report shows both")  # fmt: skip
    out.add_argument("--save", type=Path, metavar="FILE", help="save the result (.npz)")
    out.add_argument("--to-r", type=Path, metavar="FILE", help="write an R script")


def _learner(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--learner", required=True, metavar="NAME[:SETTINGS]",
        help=f"one of {', '.join(LEARNERS)}; settings as in knn:k=7,kernel=optimal",
    )  # fmt: skip


def _folds(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--folds", default="10",
        help=f"10, {', '.join(f'{name}:...' for name in FOLDS)}, or an R package's folds: "
        f"{', '.join(f'{name}:10' for name in DIALECTS)} (default: 10)",
    )  # fmt: skip


def _inner(command: argparse.ArgumentParser) -> None:
    command.add_argument("--inner", default="5", metavar="FOLDS",
                         help="inner folds, or dev (default: 5)")  # fmt: skip


def _grid(
    command: argparse.ArgumentParser, *, required: bool, form: str = "PARAMETER=VALUES"
) -> None:
    command.add_argument(
        "--grid", action="append", required=required, default=None if required else [],
        metavar=form, help="1:30, 1:30:2, 0.1,1,10 or log:0.001:10:20; repeat for a product",
    )  # fmt: skip


def _rule(command: argparse.ArgumentParser) -> None:
    command.add_argument("--rule", choices=("min", "one_se", "tolerance"), default="min",
                         help="how the candidate is chosen (default: min)")  # fmt: skip
    command.add_argument("--complexity", metavar="ORDER",
                         help="-k: larger k is simpler; degree: smaller is")  # fmt: skip


def _add_report(commands: Subparsers) -> None:
    command = commands.add_parser(
        "report", help="write the report of a saved result", epilog=EXAMPLES["report"],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("result", type=Path, help="a file that --save wrote")
    command.add_argument("output", type=Path, help=".html, .md, .tex, .pdf or .docx")
    command.set_defaults(run=_runner("report"))
