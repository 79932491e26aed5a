"""The command line as ``python -m pycvstat``, where the command itself is not on the PATH."""

from __future__ import annotations

import sys

from pycvstat.cli import main

if __name__ == "__main__":
    sys.exit(main())
