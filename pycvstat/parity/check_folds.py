"""Cross-check of a fold plan: R cuts the same folds from the same seed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from pycvstat.errors import RError
from pycvstat.folds.plan import FoldPlan
from pycvstat.parity.table import EXACT, Crosscheck, compare_values

NUMBER = r"(-?[\d.]+)"
RECIPES: dict[str, tuple[str, Sequence[str], tuple[str, ...]]] = {
    # recipe: R function, names of what the recipe says, packages
    rf"Blocks\({NUMBER}(?:, as_in_r=True)?\)": ("pcv_folds_blocks", ("k",), ()),
    rf"KFold\({NUMBER}(?:, random={NUMBER})?\)": ("pcv_folds_kfold", ("k", "seed"), ()),
    rf"Repeated\(KFold\({NUMBER}\), {NUMBER}(?:, random={NUMBER})?\)": (
        "pcv_folds_kfold", ("k", "times", "seed"), (),
    ),
    r"LeaveOneOut\(\)": ("pcv_folds_loo", (), ()),
    rf"Holdout\((?:test=)?{NUMBER}(?:, random={NUMBER})?\)": (
        "pcv_folds_holdout", ("share", "seed"), (),
    ),
    rf"Subsampling\({NUMBER}, (?:train=)?{NUMBER}(?:, random={NUMBER})?\)": (
        "pcv_folds_subsampling", ("times", "train", "seed"), (),
    ),
    rf"RFolds\('rsample', {NUMBER}, seed={NUMBER}(?:, repeats={NUMBER})?\)": (
        "pcv_folds_rsample", ("k", "seed", "times"), ("rsample",),
    ),
    rf"RFolds\('(?:glmnet|mlr3|origami)', {NUMBER}, seed={NUMBER}\)": (
        "pcv_folds_glmnet", ("k", "seed"), (),
    ),
}  # fmt: skip


def check_plan(plan: FoldPlan) -> Crosscheck:
    """Let R cut the folds of the plan's recipe and compare them row by row."""
    from pycvstat.parity.crosscheck import fit_labels
    from pycvstat.rbridge import require, run, source
    from pycvstat.rbridge.reference import path

    function, arguments, packages = _counterpart(plan)
    if packages:
        require(list(packages))
    source(path("folds.R"))
    names = ", ".join(f"{name} = {name}" for name in arguments)
    folds: Any = run(f"{function}(n{', ' if names else ''}{names})", n=plan.n, **arguments)
    parts = [np.atleast_1d(np.asarray(part)) for part in folds]
    sizes = compare_values(
        "test rows by fold", plan.n_test, [len(part) for part in parts], EXACT, fit_labels(plan)
    )
    if not sizes.agrees:
        return Crosscheck((sizes,), str(run("R.version.string")))
    labels = [f"{fit}, test row {i + 1}" for fit, m in zip(fit_labels(plan), plan.n_test,
              strict=True) for i in range(m)]  # fmt: skip
    rows = compare_values("test rows", plan.rows + 1, np.concatenate(parts), EXACT, labels)
    return Crosscheck((sizes, rows), str(run("R.version.string")))


def _counterpart(plan: FoldPlan) -> tuple[str, dict[str, Any], tuple[str, ...]]:
    for pattern, (function, names, packages) in RECIPES.items():
        found = re.fullmatch(pattern, plan.recipe)
        if found is None:
            continue
        said = {n: float(v) for n, v in zip(names, found.groups(), strict=True) if v is not None}
        if "seed" in names and "seed" not in said:
            if plan.seed is None:
                raise RError(
                    "the seed of these folds is not known, so R cannot draw them again.",
                    given=plan.recipe,
                    fix="give the splitter a seed: random=1",
                )
            said["seed"] = float(plan.seed)
        return function, said, packages
    raise RError(
        "these folds have no counterpart that R could draw.",
        given=plan.recipe,
        fix="plan.check() looks for rows tested twice or never; plan.to_r() hands the rows to R",
    )
