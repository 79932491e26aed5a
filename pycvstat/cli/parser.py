"""Parsing the words of the command ``pycvstat``.

Each subcommand calls the function of its name.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from pycvstat.cli.files import add_reading
from pycvstat.cli.later import load_later
from pycvstat.cli.messages import in_words
from pycvstat.cli.options import FOLDS, LEARNERS
from pycvstat.errors import PycvstatError, PycvstatWarning, interruptible
from pycvstat.errors.advice import speaking
from pycvstat.errors.names import ELSEWHERE
from pycvstat.folds import DIALECTS

REPORTS = ".html, .md, .qmd, .tex, .pdf or .docx"
SHELLS = ("bash", "zsh", "fish")
ROOMS = (
    "random", "folds", "neighbours", "linear", "cross_validation", "nested", "intervals",
    "packages",
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
  pycvstat crosscheck --live --report parity.html
  pycvstat crosscheck mycases.py --report page.md --junit outcome.xml""",
    "report": """examples:
  pycvstat nested data.csv 'y ~ .' --learner knn --grid k=1:30 --save result.npz
  pycvstat report result.npz out.pdf""",
    "find": """examples:
  pycvstat find 9.9371 cars.csv 'mpg ~ wt' --learner ols --folds 10
  pycvstat find 0.9533 iris.csv 'Species ~ .' --learner knn:k=7 --seeds 0:100""",
    "gallery": """examples:
  pycvstat gallery
  pycvstat gallery islr-5.3.3""",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``pycvstat``; those of the process when None.

    Returns
    -------
    int
        The exit status: 0, 1 after an error (printed without a traceback), 2 for wrong words,
        130 when stopped by Ctrl-C.

    Examples
    --------
    >>> main(["--version"])
    Traceback (most recent call last):
    ...
    SystemExit: 0
    """
    parser = make_parser()
    chosen, unknown = parser.parse_known_args(arguments)
    if getattr(chosen, "formula", "") is None:  # argparse looks for it right after the data
        chosen.formula = unknown.pop(0) if unknown and "~" in unknown[0] else None
        if chosen.formula is None and not any("formula=" in word for word in chosen.grid):
            chosen.refuse("the following arguments are required: formula")
    if unknown:
        chosen.refuse(f"unrecognized arguments: {' '.join(unknown)}{_meant(unknown, chosen)}")
    load_later("numpy", "f2py")
    run = getattr(import_module("pycvstat.cli.commands"), chosen.command)
    try:
        words = partial(in_words, chosen=chosen)
        with warnings.catch_warnings(), speaking(words), interruptible():
            warnings.simplefilter("default", PycvstatWarning)
            warnings.showwarning = _show_warning
            run(chosen)
    except PycvstatError as problem:
        print(f"pycvstat: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"pycvstat: stopped{_kept(chosen)}", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; nobody is left to tell
        return 0
    except OSError as problem:
        print(f"pycvstat: {problem.strerror or problem}", file=sys.stderr)
        return 1
    return 0


def _meant(unknown: Sequence[str], chosen: argparse.Namespace) -> str:
    """What the first unknown option of another package is called here."""
    name = unknown[0].partition("=")[0].lstrip("-").replace("-", "_")
    ours = [one for one, theirs in ELSEWHERE.items() if name in theirs.split()]
    here = next((one for one in ours if hasattr(chosen, one)), None)
    return "" if here is None else f" (write --{here})"


def _kept(chosen: argparse.Namespace) -> str:
    if not hasattr(chosen, "checkpoint"):
        return ""
    if chosen.checkpoint is None:
        return "; with --checkpoint FOLDER finished folds are kept"
    return f"; finished folds are kept in {chosen.checkpoint}; the same command goes on"


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"pycvstat: warning: {message}", file=sys.stderr)


def make_parser() -> argparse.ArgumentParser:
    """The parser of the command line.

    Examples
    --------
    >>> make_parser().prog
    'pycvstat'
    """
    parser = argparse.ArgumentParser(
        prog="pycvstat",
        description="Cross-validation as statistics, checked against R.",
        epilog=EXAMPLES["pycvstat"],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    _add_lecture(_add(commands, "lecture", "reproduce the course and print it beside R's numbers"))
    _add_on_data(commands)
    _add_report(_add(commands, "report", "write the report of a saved result"))
    _add_crosscheck(_add(commands, "crosscheck", "compare our quantities, or yours, with R's"))
    _add_published(commands)
    commands.add_parser("doctor", help="say what is installed, missing, and the cure")
    shell = _add(commands, "completion", "print the completion script of a shell")
    shell.add_argument("shell", choices=SHELLS)
    return parser


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(version("pycvstat"))
        parser.exit()


def _add(commands: Any, name: str, words: str, **more: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=words,
        epilog=EXAMPLES[name],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        **more,
    )
    command.set_defaults(refuse=command.error)
    return command


def _add_lecture(command: argparse.ArgumentParser) -> None:
    command.add_argument("--report", type=Path, default=Path("lecture.html"), metavar="FILE",
                         help="where to write the report (default: lecture.html)")  # fmt: skip
    command.add_argument("--write", type=Path, metavar="FILE.R",
                         help="write the course's R code there and stop")  # fmt: skip


def _add_report(command: argparse.ArgumentParser) -> None:
    command.add_argument("result", type=Path, help="a file that --save wrote")
    command.add_argument("output", type=Path, help=REPORTS)
    _of_report(command)


def _of_report(command: Any) -> None:
    command.add_argument("--profile", choices=("full", "paper"), default="full",
                         help="of the report: all, or two pages (default: full)")  # fmt: skip
    command.add_argument("--checklist", choices=("tripod+ai",),
                         help="a checklist that the report ends with")  # fmt: skip
    command.add_argument("--exclude", action="append", metavar="SECTION",
                         help="a section to leave out of the report, by its title")  # fmt: skip


def _add_crosscheck(command: argparse.ArgumentParser) -> None:
    command.add_argument("cases", type=Path, nargs="?", metavar="CASES.py",
                         help="your cases instead of ours; values go to CASES.json")  # fmt: skip
    which = command.add_mutually_exclusive_group()
    for name, words in (
        ("live", "with the R of this machine"), ("recorded", "with values kept"),
        ("both", "with both"), ("record", "with the R of this machine, all values kept anew"),
    ):  # fmt: skip
        which.add_argument(f"--{name}", action="store_const", dest="against", const=name,
                           default="auto", help=words)  # fmt: skip
    command.add_argument("--room", action="append", choices=ROOMS, metavar="ROOM",
                         help=f"only this room, of {', '.join(ROOMS)}")  # fmt: skip
    command.add_argument("--json", action="store_true", help="print JSON instead of a summary")
    command.add_argument("--report", type=Path, metavar="FILE", help=f"{REPORTS}, or .csv")
    command.add_argument("--junit", type=Path, metavar="FILE.xml", help="write JUnit XML")
    command.add_argument("--seconds", type=float, default=600.0, help="the longest that R may take")


def _add_published(commands: Any) -> None:
    command = _add(commands, "find", "find the folds, seed and average that give a printed number")
    command.add_argument("number", help="as printed: its digits count")
    command.add_argument("data", type=Path, help="a .csv, .tsv, .parquet or .rds file")
    command.add_argument("formula", help="R's formula in quotes")
    command.add_argument("--learner", required=True, metavar="NAME[:SETTINGS]")
    command.add_argument("--folds", type=int, default=10, metavar="K", help="(default: 10)")
    command.add_argument("--seeds", metavar="FROM:TO", help="(default: to 10,000, or common ones)")
    command.add_argument("--rows", type=int, default=10, metavar="N",
                         help="how many conventions to print (default: 10)")  # fmt: skip
    add_reading(command)

    shown = _add(commands, "gallery", "compute published numbers of courses and books anew")
    shown.add_argument("name", nargs="?", help="an entry; a table of all of them without it")
    shown.add_argument("--json", action="store_true", help="print JSON instead of tables")


def _add_on_data(commands: Any) -> None:
    cv, tune, nested, compare = (
        _common(_add(commands, name, words, description=f"{words[0].upper()}{words[1:]}."), name)
        for name, words in (
            ("cv", "cross-validate a learner"),
            ("tune", "choose parameters by cross-validation"),
            ("nested", "nested cross-validation: tune inside, test outside"),
            ("compare", "compare learners on identical folds"),
        )
    )
    kinds = ", ".join(LEARNERS)
    for command in (cv, tune, nested):
        command.add_argument("--learner", required=True, metavar="NAME[:SETTINGS]",
                             help=f"one of {kinds}; settings as in "
                             "knn:k=7,kernel=optimal")  # fmt: skip
    compare.add_argument("--learner", action="append", required=True, metavar="NAME[:SETTINGS]",
                         help=f"once per method; one of {kinds}")  # fmt: skip
    for command in (cv, tune, compare):
        command.add_argument(
            "--folds", default="10",
            help=f"10, {', '.join(f'{name}:...' for name in FOLDS)}, or an R package's folds: "
            f"{', '.join(f'{name}:10' for name in DIALECTS)} (default: 10)",
        )  # fmt: skip
    values = "1:30, 1:30:2, 0.1,1,10 or log:0.001:10:20; repeat for a product"
    for command in (tune, nested):
        command.add_argument("--grid", action="append", required=True, metavar="PARAMETER=VALUES",
                             help=values)  # fmt: skip
        command.add_argument("--rule", choices=("min", "one_se", "tolerance"), default="min",
                             help="how the candidate is chosen (default: min)")  # fmt: skip
        command.add_argument("--complexity", metavar="ORDER",
                             help="-k: larger k is simpler; degree: smaller is")  # fmt: skip
    compare.add_argument("--grid", action="append", default=[], metavar="NAME:PARAMETER=VALUES",
                         help=values)  # fmt: skip
    nested.add_argument("--outer", default="10", metavar="FOLDS", help="outer folds (default: 10)")
    for command in (tune, nested):
        command.add_argument("--metric", metavar="NAME",
                             help="choose by this instead of the loss, such as auc")  # fmt: skip
    for command in (cv, nested, compare):
        command.add_argument("--metrics", metavar="NAMES",
                             help="besides the loss, such as accuracy,auc,brier")  # fmt: skip
        command.add_argument("--averaging", choices=("folds", "pooled", "repeats"),
                             help="of the metrics (default: each metric's own)")  # fmt: skip
    for command in (nested, compare):
        command.add_argument("--inner", default="5", metavar="FOLDS",
                             help="inner folds, or dev (default: 5)")  # fmt: skip


def _common(command: argparse.ArgumentParser, name: str) -> argparse.ArgumentParser:
    command.add_argument("data", type=Path, help="a .csv, .tsv, .parquet or .rds file")
    of = "NAME:" if name == "compare" else ""
    grids = f"; none where --grid has formulas: {of}formula='y ~ x,y ~ x + z'"
    more = "" if name == "cv" else grids
    command.add_argument("formula", nargs="?" if more else None,
                         help=f"R's formula in quotes, such as 'y ~ .'{more}")  # fmt: skip
    data = command.add_argument_group("data")
    add_reading(data)
    data.add_argument("--groups", metavar="COLUMN", help="rows that belong together")
    data.add_argument("--weights", metavar="COLUMN",
                      help="weights of rows in the fits")  # fmt: skip
    data.add_argument("--loss-weights", metavar="COLUMN", help="weights of rows in mean losses")
    data.add_argument("--na", choices=("raise", "omit"), default="raise",
                      help="rows with missing values (default: raise)")  # fmt: skip
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
    out.add_argument("--report", type=Path, metavar="FILE", help=REPORTS)
    _of_report(out)
    out.add_argument("--bundle", type=Path, metavar="FILE.zip",
                     help="what others need to compute it again, without the data")  # fmt: skip
    out.add_argument("--crosscheck", action="store_true",
                     help="compute it in R too; the report shows both")  # fmt: skip
    out.add_argument("--save", type=Path, metavar="FILE", help="save the result (.npz)")
    out.add_argument("--to-r", type=Path, metavar="FILE", help="write an R script")
    return command
