"""The command line: words, files, running a procedure, writing results; no numbers.

May import every room. New here: a command, or a word for something that Python can say already.
"""

from pycvstat.cli.parser import main

__all__ = ["main"]
