"""Published numbers of courses and books, and ours beside them: `gallery.compare("islr-5.3.3")`.

May import all rooms below and the modules beside it. New here: a number that somebody
published with its seed, as a function under `published`; never one that nobody published.
"""

from pycvstat.r.gallery import islr as islr, tutorials as tutorials
from pycvstat.r.gallery.published import ENTRIES, Compared, Published, compare, overview

__all__ = ["ENTRIES", "Compared", "Published", "compare", "overview"]
