"""The parts of a report; each takes a result and gives sections of its content."""
