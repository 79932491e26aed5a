"""The command line: words, files, running a procedure, writing results; no numbers."""

from pycvstat.cli.parser import main

__all__ = ["main"]
