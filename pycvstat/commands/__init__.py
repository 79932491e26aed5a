"""What the command line does: reading files and words, running a procedure, writing results."""
