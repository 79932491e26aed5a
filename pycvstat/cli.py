"""The command ``pycvstat``: argument parsing only; each subcommand calls one function."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pycvstat.errors import PycvstatError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``pycvstat``; those of the process when None.

    Returns
    -------
    int
        The exit status: 0, or 1 after an error, which is printed without a traceback.

    Examples
    --------
    >>> main(["--version"])
    Traceback (most recent call last):
    ...
    SystemExit: 0
    """
    chosen = _parser().parse_args(arguments)
    try:
        chosen.run(chosen)
    except PycvstatError as problem:
        print(f"pycvstat: {problem}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pycvstat", description="Cross-validation as statistics, checked against R."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_doctor(commands)
    _add_lecture(commands)
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
    from pycvstat.rbridge.doctor import doctor

    print(doctor())


def _add_lecture(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "lecture", help="reproduce the course and print it beside R's numbers"
    )
    command.add_argument(
        "--report",
        type=Path,
        default=Path("lecture.html"),
        metavar="FILE",
        help="where to write the report (default: lecture.html)",
    )
    command.set_defaults(run=_lecture)


def _lecture(chosen: argparse.Namespace) -> None:
    from pycvstat.report.course import course_report

    made = course_report(chosen.report)
    print(f"{made.text}\n\nReport: {made.path}")
    if not made.agrees:
        raise PycvstatError("Python and R differ by more than rounding; see the report.")
