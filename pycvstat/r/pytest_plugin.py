"""A plugin of pytest: the fixture ``r`` compares a value with what R code gives.

    def test_trimmed_mean(r):
        x = [1.0, 2.0, 4.0, 5.0, 90.0]
        r.agrees(trimmed(x), "mean(x, trim = 0.2)", data={"x": x}, rtol=1e-12, because="sums")

Values of R are kept beside the test, in ``test_file.r.json``. ``--r=live`` asks the R of this
machine, ``--r=recorded`` the values kept, ``--r=record`` R for all values anew; by default R where
it is, else the values kept, of which a missing one is a failure.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pycvstat.r.check.crosscheck import Crosscheck


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--r``."""
    parser.getgroup("pycvstat").addoption(
        "--r",
        choices=("auto", "live", "recorded", "record"),
        default="auto",
        help="values of R: of live R, as recorded, recorded anew, or live where R is (auto)",
    )


class BesideR:
    """Compares values of a test with R; the fixture ``r``.

    Parameters
    ----------
    recorded : pathlib.Path
        The file of values of R.
    test : str
        The name of the test.
    against : str
        What ``--r`` says.
    """

    def __init__(self, recorded: Path, test: str, against: Any) -> None:
        self.recorded, self.test, self.against, self.asked = recorded, test, against, 0

    def agrees(
        self,
        value: Any,
        code: str | Path,
        *,
        data: Any = None,
        rtol: float = 0.0,
        because: str = "",
        packages: tuple[str, ...] = (),
        seconds: float = 60.0,
    ) -> Crosscheck:
        """Fail unless the R code gives this value.

        Parameters
        ----------
        value : object
        code : str or path
            R code, or a file of it.
        data : mapping, optional
            What the code uses, by name.
        rtol, because, packages
            As of `pycvstat.Case`.
        seconds : float
            The longest that R may take.

        Returns
        -------
        Crosscheck
        """
        __tracebackhide__ = True
        from pycvstat.r.check import Case, check

        self.asked += 1
        name = self.test if self.asked == 1 else f"{self.test} ({self.asked})"
        given: dict[str, Any] = {"rtol": rtol, "because": because, "packages": packages}
        case = Case(name, lambda: value, code, data or {}, **given)
        found = check(case, self.recorded, self.against, seconds=seconds)
        if not found:
            pytest.fail(told(found), pytrace=False)
        return found


def told(found: Crosscheck) -> str:
    """Every row that does not agree, in words."""
    lines = [f"Python and R: {found.verdict} ({found.r_version})"]
    for row in found.rows:
        if row.why_not:
            lines.append(f"  {row.quantity}: not compared: {row.why_not}")
        elif row.place:
            apart = f"; {row.relative:.2g} apart, {row.tolerance.relative:g} allowed"
            known = "" if row.relative != row.relative else apart
            lines.append(f"  {row.quantity}: {row.place}: {row.python!r}, in R {row.r!r}{known}")
    return "\n".join(lines)


@pytest.fixture
def r(request: pytest.FixtureRequest) -> BesideR:
    """Compare values with R: ``r.agrees(value, "R code", data={...})``."""
    _, _, test = request.node.nodeid.partition("::")
    kept = request.node.path.with_suffix(".r.json")
    return BesideR(kept, test, request.config.getoption("--r"))
