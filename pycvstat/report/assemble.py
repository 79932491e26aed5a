"""The documents of a result: a brief one for the screen, a full one for reports."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from pycvstat.errors import InputError, PycvstatError
from pycvstat.errors.checks import check_path, check_word
from pycvstat.report.citations import bibtex
from pycvstat.report.content import (
    Block,
    Cite,
    Code,
    Document,
    Facts,
    Figure,
    Inline,
    Note,
    References,
    Section,
    Table,
    paragraph,
    section,
)
from pycvstat.report.numbers import listed, table_of
from pycvstat.report.render.formats import (
    check_report_path,
    check_writable,
    write_document,
    write_rows,
)
from pycvstat.report.sentences import SOFTWARE, Parts, seed_words
from pycvstat.report.views.base import MOST_ROWS, Sections, View, view_of
from pycvstat.run.store import versions

if TYPE_CHECKING:
    from pycvstat.r.check.crosscheck import Crosscheck
    from pycvstat.report.checklist import Checklist


def brief(result: Any) -> Document:
    """What `summary()` shows."""
    view = view_of(result)
    return _document(view, view.title, [_top(view), *view.brief()])


Profile = Literal["full", "paper"]


@dataclass(frozen=True)
class Asked:
    """What a report is asked for; see `Shown.report`."""

    title: str | None = None
    level: float = 0.95
    method: str = "auto"
    profile: Profile = "full"
    include: Sequence[Any] = ()
    exclude: Collection[str] = ()
    data: bool = False
    script: bool = False
    units: Mapping[str, str] = field(default_factory=dict)
    crosscheck: Crosscheck | None = None
    checklist: Checklist | None = None

    def __post_init__(self) -> None:
        check_word("profile", self.profile, get_args(Profile))
        if self.checklist is not None:
            from pycvstat.report.checklist import CHECKLISTS

            check_word("checklist", self.checklist, CHECKLISTS)
        for name in ("include", "exclude"):
            if isinstance(given := getattr(self, name), str):
                raise InputError(f"{name} is a list.", given=repr(given), fix=f"{name}=[{given!r}]")

    @property
    def results(self) -> list[Any]:
        """Further results."""
        return [one for one in self.include if not isinstance(one, str)]

    @property
    def more(self) -> list[str]:
        """Sections beyond those of the profile, by name."""
        return [one for one in self.include if isinstance(one, str)]


def full(result: Any, **asked: Any) -> Document:
    """What `report()` writes."""
    wanted = Asked(**asked)
    view = view_of(result, wanted.level, wanted.method, wanted.units)
    sections = everything(view, wanted)
    if wanted.profile == "paper":
        known = {one.anchor for one in sections}
        kept = _named(wanted.more, known)
        sections = [*paper(view, wanted.crosscheck), *(s for s in sections if s.anchor in kept)]
    left_out = _named(wanted.exclude, {one.anchor for one in sections})
    sections = [one for one in sections if one.anchor not in left_out]
    if wanted.checklist is not None:
        from pycvstat.report.checklist import checklist_section

        titles = [one.title for one in sections]
        sections.append(checklist_section(view, wanted.checklist, titles))
    return _document(view, wanted.title or view.title, numbered(once(sections)))


def everything(view: View, asked: Asked) -> list[Section]:
    """All sections of a result, of further results, of a cross-check; data and script if asked."""
    sections = [_top(view), *view.context(), *view.findings()]
    others = (one for one in asked.results if not any(one is shown for shown in view.drawn))
    for number, other in enumerate(others, start=2):
        known = {one.title for one in sections if one is not None}
        one = view_of(other, asked.level, asked.method, asked.units)
        sections += further(one, known, number)
    if asked.crosscheck is not None:
        sections += view_of(asked.crosscheck).findings()
    if view.appendix:
        sections.append(methods_section(view, asked.crosscheck))
        sections.append(reproduce_section(view, asked.crosscheck is not None))
    sections += [data_section(view)] if asked.data else []
    sections += [section("R script", r_script(view))] if asked.script else []
    return [one for one in sections if one is not None]


def paper(view: View, check: Crosscheck | None) -> list[Section]:
    """Question, answer, one table, one figure, methods and references: two pages."""
    found = paragraph(f"{view.question} " if view.question else "", view.sentence())
    name = next(iter(view.pictures), None)
    shown = None if name is None else view.figure(name)
    methods = paragraph(*methods_text(view, check))
    cited = [section("References", References())] if keys_of(methods.parts) else []
    return [section("", found, view.main_table(), shown), section("Methods", methods), *cited]


def _named(names: Collection[str], known: Collection[str]) -> set[str]:
    """Anchors of sections by their titles or anchors."""
    anchors = {Section(name, ()).anchor: name for name in names}
    for anchor, name in anchors.items():
        check_word("section", anchor, sorted(filter(None, known)), f"no section {name!r} here.")
    return set(anchors)


def once(sections: Sequence[Section]) -> list[Section]:
    """Sections in which no note is said twice."""
    said: set[str] = set()
    found = []
    for one in sections:
        blocks = [b for b in one.blocks if not (isinstance(b, Note) and b.text in said)]
        said |= {block.text for block in blocks if isinstance(block, Note)}
        found.append(replace(one, blocks=tuple(blocks)))
    return [one for one in found if one.blocks]


def numbered(sections: Sequence[Section]) -> list[Section]:
    """Sections in which tables and figures that have a caption are counted."""
    counts = {Table: count(1), Figure: count(1)}

    def counted(block: Block) -> Block:
        if isinstance(block, Table | Figure) and block.caption:
            return replace(block, number=next(counts[type(block)]))
        return block

    return [replace(one, blocks=tuple(map(counted, one.blocks))) for one in sections]


def further(view: View, known: Collection[str], number: int) -> Sections:
    """Findings of another result, in names that are not taken."""
    found: Sections = []
    for one in (_top(view, view.title), *view.findings()):
        if one is not None:
            blocks = tuple(
                replace(b, name=f"{b.name}-{number}") if isinstance(b, Figure) else b
                for b in one.blocks
            )
            title = one.title if one.title not in known else f"{one.title} ({number})"
            found.append(Section(title, blocks))
    return found


def _top(view: View, title: str = "") -> Section | None:
    blocks = view.top()
    return section(title, *blocks) if blocks else None


def _document(view: View, title: str, sections: Sequence[Section | None]) -> Document:
    return Document(title, view.subtitle, tuple(one for one in sections if one is not None))


def methods_section(view: View, check: Crosscheck | None) -> Section:
    """The paragraph, the references, and their BibTeX."""
    words = paragraph(*methods_text(view, check))
    return section(
        "Methods, ready to paste",
        words,
        References(),
        Code(bibtex(keys_of(words.parts)), "bibtex", "BibTeX"),
    )


def methods_text(view: View, check: Crosscheck | None = None) -> Parts:
    """How the result was obtained, and by which software."""
    parts = view.methods()
    return [*parts, *software_parts(view, check, keys_of(parts))]


def keys_of(parts: Sequence[Inline]) -> tuple[str, ...]:
    """Keys of the works that are cited, each once."""
    return tuple(dict.fromkeys(k for part in parts if isinstance(part, Cite) for k in part.keys))


def software_parts(view: View, check: Crosscheck | None, cited: Collection[str]) -> Parts:
    """Versions of what ran, the origin of random numbers, and the cross-check."""
    found = versions()
    packages = ["pycvstat", *(name for key, name in SOFTWARE.items() if key in cited)]
    used = [*(f"{name} {found[name]}" for name in packages), f"Python {found['python']}"]
    parts: Parts = [f" Computations used {listed(used)}."]
    if view.plan is not None and view.seed is not None:
        words = " Folds were drawn with R's random numbers "
        parts += [words, Cite(("rcore",)), f", seed {view.seed}."]
    if check is not None:
        parts.append(
            f" The same quantities were computed by {check.r_version or 'R'} and compared within "
            f"the stated tolerances: {check.words}."
        )
    return parts


def reproduce_section(view: View, checked: bool) -> Section:
    """Versions, seed, and hashes of data and folds."""
    plan, task = view.plan, getattr(view.result, "task", None)
    there = [f"{name} {value}" for name, value in versions().items() if value != "absent"]
    rows = [("software", ", ".join(there))]
    if plan is not None:
        rows += [("seed", seed_words(view.seed))] if view.seed is not None else []
        rows += [("folds", plan.recipe), ("fold fingerprint", f"SHA-256 {plan.fingerprint}")]
    if task is not None:
        rows.append(("data hash", f"SHA-256 {task.fingerprint}"))
        rows += [] if checked else [("cross-check with R", "not run for this report")]
    how = (
        "result.to_r('analysis.R') writes it"
        if getattr(view.result, "scripted", False)
        else "none for this kind of result"
    )
    return section("Reproducing these numbers", Facts((*rows, ("R script", how))))


def data_section(view: View) -> Section:
    """Every row of the data, with what the result has for it."""
    frame = view.result.augment()
    headers = {name: name for name in map(str, frame.columns)}
    return section("Rows of the data", table_of(frame, headers, "The data, row by row."))


def r_script(view: View) -> Block:
    """The R script of a result, which reads the data from a file, or why there is none."""
    from pycvstat.r.check.script import script_text

    try:
        return Code(script_text(view.result), "r", "The same result with R")
    except PycvstatError as error:
        return Note(f"No R script: {error.problem}")


def write_report(
    result: Any, path: str | PathLike[str], *, crosscheck: Crosscheck | bool = False, **asked: Any
) -> Path:
    """Write the report of a result; see `Shown.report`.

    Raises
    ------
    InputError
        A path that cannot be written, or a program that is missing: before any work is done.
    """
    if str(path).lower().endswith(".csv"):
        table = check_path(path)
        check_writable(table)
        return write_rows(result.tidy(), table, "table")
    target = check_report_path(path)
    Asked(**asked)
    check = None
    if crosscheck is not False:
        from pycvstat.r.check.crosscheck import Crosscheck

        found = result.crosscheck() if crosscheck is True else crosscheck
        check = found if isinstance(found, Crosscheck) else None
    return write_document(full(result, crosscheck=check, **asked), target)


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


def fit_html(fit: Any) -> str:
    """A fitted model as a piece of HTML: what it is, and its coefficients where it has some."""
    from pycvstat.report.render.html import render_fragment

    blocks: list[Block] = []
    if hasattr(fit, "tidy"):
        frame = fit.tidy()
        headers = {name: name.replace("_", " ") for name in map(str, frame.columns)}
        few = "" if len(frame) <= MOST_ROWS else f"The first {MOST_ROWS} of {len(frame)}."
        blocks.append(table_of(frame.iloc[:MOST_ROWS], headers, few))
    return render_fragment(Document(repr(fit), "", (Section("", tuple(blocks)),)))


def summary_markdown(result: Any) -> str:
    """The result as Markdown, for notebooks and documents."""
    from pycvstat.report.render.markdown import render_markdown

    return render_markdown(brief(result))


def cite(result: Any = None) -> str:
    """BibTeX of this package, and of the works that a result rests on.

    Parameters
    ----------
    result : any result, optional
        Its ``result.cite()`` is the same.

    Returns
    -------
    str

    Examples
    --------
    >>> import pycvstat as pcv
    >>> print(pcv.cite())
    @manual{pycvstat,
      author = {{pycvstat contributors}},
      title  = {pycvstat: Cross-validation as Statistics, Checked Against R},
      year   = {2025},
      note   = {Python package, version 0.1.0}
    }
    """
    works = () if result is None else keys_of(methods_text(view_of(result)))
    return bibtex([*works, "pycvstat"])
