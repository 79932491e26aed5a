"""``pycvstat crosscheck``: the parity suite as a user command."""

from __future__ import annotations

from argparse import Namespace

from pycvstat.cli.as_json import as_json
from pycvstat.cli.speech import tell
from pycvstat.errors import PycvstatError


def crosscheck(chosen: Namespace) -> None:
    """Run the parity cases, print a table, write a report, fail on any difference."""
    from pycvstat.r.check.suite import ROOMS, run_suite
    from pycvstat.report.render.formats import check_report_path

    if chosen.report is not None:
        check_report_path(chosen.report)
    rooms = tuple(chosen.room) if chosen.room else tuple(ROOMS)
    tell("comparing several hundred quantities with R, for up to a minute or two ...")
    suite = run_suite(chosen.against, rooms)
    if chosen.json:
        print(as_json(glance=suite.glance(), by_room=suite.by_room()))
    else:
        print(suite.summary())
    if chosen.report is not None:
        print(f"report: {suite.report(chosen.report)}")
    if suite.problems:
        raise PycvstatError("rooms that could not be checked: " + "; ".join(
            f"{name}: {problem}" for name, problem in suite.problems.items()
        ))  # fmt: skip
    if not suite:
        raise PycvstatError(f"Python and R differ, first in {suite.first_difference}.")
