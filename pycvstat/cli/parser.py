"""Parsing the words of the command ``pycvstat``; each subcommand calls one function."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from pycvstat.cli.arguments import EXAMPLES, add_commands
from pycvstat.cli.speech import spoken, tell
from pycvstat.errors import PycvstatError, PycvstatWarning


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
    chosen = make_parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", PycvstatWarning)
            warnings.showwarning = partial(_show_warning, chosen)
            chosen.run(chosen)
    except PycvstatError as problem:
        print(f"pycvstat: {spoken(problem, chosen)}", file=sys.stderr)
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


def _kept(chosen: argparse.Namespace) -> str:
    if not hasattr(chosen, "checkpoint"):
        return ""
    if chosen.checkpoint is None:
        return "; with --checkpoint FOLDER finished folds are kept"
    return f"; finished folds are kept in {chosen.checkpoint}; the same command goes on"


def _show_warning(
    chosen: argparse.Namespace, message: Warning | str, *_: object, **__: object
) -> None:
    words = spoken(message, chosen) if isinstance(message, PycvstatWarning) else message
    print(f"pycvstat: warning: {words}", file=sys.stderr)


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
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_lecture(commands)
    add_commands(commands)
    _add_doctor(commands)
    _add_completion(commands)
    return parser


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(version("pycvstat"))
        parser.exit()


def _add_doctor(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser("doctor", help="say what is installed, missing, and the cure")
    command.set_defaults(run=_doctor)


def _doctor(_: argparse.Namespace) -> None:
    from pycvstat.r.bridge.installed import doctor
    from pycvstat.report.render.programs import describe

    print(f"{doctor()}\n\n{describe()}")


def _add_lecture(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "lecture",
        help="reproduce the course and print it beside R's numbers",
        epilog=EXAMPLES["lecture"],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "--report",
        type=Path,
        default=Path("lecture.html"),
        metavar="FILE",
        help="where to write the report (default: lecture.html)",
    )
    command.add_argument(
        "--write", type=Path, metavar="FILE.R", help="write the course's R code there and stop"
    )
    command.set_defaults(run=_lecture)


def _lecture(chosen: argparse.Namespace) -> None:
    if chosen.write is not None:
        from pycvstat.cli.handout import write_lecture

        print(write_lecture(chosen.write))
        return
    from pycvstat.report.course import course_report

    tell("computing the course in Python and, where it is installed, in R ...")
    made = course_report(chosen.report)
    print(f"{made.text}\n\nReport: {made.path}")
    if not made.agrees:
        raise PycvstatError("Python and R differ by more than rounding; see the report.")


def _add_completion(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "completion",
        help="print the completion script of a shell",
        epilog=EXAMPLES["completion"],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("shell", choices=("bash", "zsh", "fish"))
    command.set_defaults(run=_completion)


def _completion(chosen: argparse.Namespace) -> None:
    from pycvstat.cli.completion import completion

    print(completion(make_parser(), chosen.shell))
