"""The Python side of the parity cases: one file per room, beside ``r_reference/cases/*.R``."""
