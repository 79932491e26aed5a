"""R's package boot: `cv_glm`, `boot` with its ordinary resampling, and `boot_ci`.

They draw from the stream of `pycvstat.r.set_seed`, as boot does in an R session.

Left out: of ``boot`` every resampling but the ordinary one, strata, weights, parametric simulation
and parallel work; of ``boot.ci`` transformations (``h``) and influence values of one's own (``L``);
and the rest of the package: ``tsboot``, ``censboot``, ``tilt.boot``, ``empinf``, plots, data.
"""

from pycvstat.r.boot.intervals import BootCI, boot_ci
from pycvstat.r.boot.resampling import Boot, boot
from pycvstat.r.boot.validation import CvGlm, cv_glm

__all__ = ["Boot", "BootCI", "CvGlm", "boot", "boot_ci", "cv_glm"]
