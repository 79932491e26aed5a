"""What an interval is about: a kind of risk, at a training size, of a learner."""

from __future__ import annotations

from dataclasses import dataclass

from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.layouts import folds_per_repeat, layout, train_sizes
from pycvstat.intervals.method import Method, Target


@dataclass(frozen=True, slots=True)
class Estimand:
    """What an interval is about.

    Parameters
    ----------
    kind : {"ER", "R", "PQ", "R and ER"}
        Expected risk, risk of the fitted model, or K-fold test error.
    size : str
        The number of training rows: "90", or "89 to 90".
    of : str
        The learner.
    folds, times : int
        Of a K-fold test error: the number of folds, and of partitions.
    before, after : str
        What a metric or a comparison makes of the risk.

    Examples
    --------
    >>> about = Estimand("ER", "90")
    >>> about.short, about.words(of="OLS")
    ('ER(90)', 'expected risk of OLS trained on 90 rows, averaged over training sets')
    >>> str(Estimand("R", "67"))
    'risk of the model trained on these 67 rows (R(67))'
    """

    kind: Target
    size: str
    of: str = "the learner"
    folds: int = 0
    times: int = 1
    before: str = ""
    after: str = ""

    @property
    def short(self) -> str:
        """The kind with the training size."""
        return " and ".join(f"{kind}({self.size})" for kind in self.kind.split(" and "))

    def words(self, of: str = "", risk: str = "risk") -> str:
        """The same in words, with another name of the learner or of the risk."""
        return self.before + self._risk(of or self.of, risk) + self.after

    def _risk(self, of: str, risk: str) -> str:
        if self.kind == "ER":
            return (
                f"expected {risk} of {of} trained on {self.size} rows, averaged over training sets"
            )
        if self.kind == "R and ER":
            return (
                f"{risk} of the model fitted on all {self.size} rows, and expected risk of {of} "
                f"trained on {self.size} rows"
            )
        if self.kind == "R":
            return f"{risk} of the model trained on these {self.size} rows"
        repeats = "" if self.times == 1 else f", averaged over {self.times} partitions"
        return (
            f"{self.folds}-fold test error: mean {risk} of the {self.folds} models of this "
            f"partition, each trained on {self.size} rows{repeats}"
        )

    def __str__(self) -> str:
        return f"{self.words()} ({self.short})"


def estimand(method: Method, plan: FoldPlan, before: str = "", after: str = "") -> Estimand:
    """What a method's interval is about on a plan.

    Examples
    --------
    >>> from pycvstat.intervals.method import find
    >>> plan = FoldPlan.from_fold_ids([1, 1, 2, 2])
    >>> estimand(find("corrected_t"), plan)
    Estimand(kind='ER', size='2', of='the learner', folds=2, times=1, before='', after='')
    """
    kind = method.target
    if kind in ("R", "PQ"):  # a mean over one fit, or over the fits of a partition
        kind = "R" if layout(plan) == "one split" else "PQ"
    return Estimand(
        kind,
        method.train_size(plan) if method.train_size else train_sizes(plan),
        "the tuned learner" if method.several and kind == "ER" else "the learner",
        folds_per_repeat(plan),
        plan.times,
        before,
        after,
    )
