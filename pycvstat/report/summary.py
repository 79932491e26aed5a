"""Results in words and numbers: for the terminal, for notebooks."""

from __future__ import annotations

from typing import Any

from pycvstat.report.assemble import brief


def summary(result: Any) -> str:
    """The result as plain text of at most 80 columns.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> print(summary(FoldPlan.from_fold_ids([1, 1, 2, 2])).splitlines()[0])
    2-fold cross-validation
    """
    from pycvstat.report.render.text import render_text

    return render_text(brief(result))


def summary_html(result: Any) -> str:
    """The result as a piece of HTML, for notebooks."""
    from pycvstat.report.render.html import render_fragment

    return render_fragment(brief(result))


def summary_markdown(result: Any) -> str:
    """The result as Markdown, for notebooks and documents."""
    from pycvstat.report.render.markdown import render_markdown

    return render_markdown(brief(result))
