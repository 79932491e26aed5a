"""R's random numbers, bit for bit, and the streams that splitters draw from."""

from pycvstat.rmath.random.generator import RRandom
from pycvstat.rmath.random.stream import Random, Stream, as_stream

__all__ = ["RRandom", "Random", "Stream", "as_stream"]
