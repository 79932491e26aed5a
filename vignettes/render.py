"""Make the documentation: python vignettes/render.py [DIRECTORY] [--only NAME ...]

Runs every vignette and writes one self-contained HTML page each, the reference of all public
names, and an index. Needs the extra `docs`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from execute import execute
from reference import reference_markdown

import pycvstat
from pycvstat.r.check import check
from pycvstat.r.check.case_files import cases_in
from pycvstat.report.render.html import style
from pycvstat.report.render.programs import need_pandoc

ORDER = (
    "course",
    "kknn",
    "what_cv_estimates",
    "tuning",
    "nested_cv",
    "intervals",
    "comparing",
    "reporting_a_classifier",
    "choosing",
    "your_model",
    "r_folds",
    "r_lab",
    "which_convention",
    "your_own_parts",
    "beside_r",
    "what_others_compute",
    "scaling_out",
)
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="pycvstat {version}">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}
{more}
</style>
</head>
<body>
<main{kind}>
{body}
</main>
</body>
</html>
"""
BACK = '<nav aria-label="Pages"><ul><li><a href="index.html">All pages</a></li></ul></nav>'


@dataclass(frozen=True)
class Page:
    """A page: file name, title, the question it answers, HTML of its body."""

    name: str
    title: str
    question: str
    body: str

    def write(self, folder: Path) -> Path:
        """Write the page as one file."""
        path = folder / f"{self.name}.html"
        more = (HERE / "vignettes.css").read_text(encoding="utf-8")
        text = PAGE.format(
            version=pycvstat.__version__,
            title=escape(self.title),
            style=style(),
            more=more.strip(),
            kind=f' class="{self.name}"',
            body=self.body,
        )
        path.write_text(text, encoding="utf-8")
        return path


def vignettes() -> list[Path]:
    """The sources of the vignettes, in reading order."""
    return [path for name in ORDER if (path := HERE / f"{name}.py").exists()]


def to_html(markdown: str) -> str:
    """Markdown with formulas as HTML with MathML, by pandoc."""
    command = [need_pandoc(), "--from=markdown+raw_attribute-auto_identifiers+gfm_auto_identifiers",
               "--to=html5", "--mathml", "--wrap=none"]  # fmt: skip
    done = subprocess.run(
        command, input=markdown, capture_output=True, text=True, encoding="utf-8", check=True
    )
    found = re.sub(r'<a href="#cb[^>]*></a>', "", done.stdout)
    wide = r'<div class="scroll" tabindex="0">\g<0></div>'  # tables written in Markdown
    return re.sub(r"(?<!>)<table>.*?</table>", wide, found, flags=re.DOTALL)


def vignette_page(source: Path) -> Page:
    """Run a vignette. Its first line is the title, its first paragraph the question."""
    markdown = execute(source)
    title, question = re.match(r"# (.+)\n\n\*(.+?)\*\n", markdown, re.DOTALL).groups()  # type: ignore[union-attr]
    return Page(source.stem, title, " ".join(question.split()), BACK + to_html(markdown))


def pages_beside_r(folder: Path) -> list[Page]:
    """The pages of our cases beside R, by recorded values, for the web and for Quarto."""
    pages = []
    for source in sorted((HERE / "beside_r").glob("*.py")):
        cases, about = cases_in(source)
        found = check(cases, source.with_suffix(".json"), "recorded", about=about)
        for ending in (".html", ".qmd", ".csv"):
            found.report(folder / f"{source.stem}{ending}")
        pages.append(Page(source.stem, about.partition("\n")[0], found.words, ""))
    return pages


def reference_page() -> Page:
    """All public names."""
    return Page("reference", "Reference", "", BACK + to_html(reference_markdown()))


def gallery_page() -> Page:
    """Published numbers, computed anew."""
    from pycvstat.r.gallery.published import markdown

    question = "Do the numbers of my course or book come out here, to the last digit?"
    head = (
        f"# Gallery\n\n*{question}*\n\nEvery entry says who published the numbers, which R calls "
        "give them, which lines here, and how many digits agree. `pycvstat gallery NAME` computes "
        "one anew."
    )
    body = BACK + to_html(f"{head}\n\n{markdown()}")
    return Page("gallery", "Gallery", question, body)


def index_page(pages: list[Page]) -> Page:
    """The list of all pages with their questions."""
    lines = ["# pycvstat", "", "*Cross-validation as statistics, checked against R.*", "",
             "## Vignettes", ""]  # fmt: skip
    lines += [f"- [{page.title}]({page.name}.html): {page.question}" for page in pages]
    lines += ["", "## Reference", "", "- [All public names](reference.html), with their examples."]
    lines += ["", "Every page was made by running its source, "
              f"with pycvstat {pycvstat.__version__}."]  # fmt: skip
    return Page("index", "pycvstat", "", to_html("\n".join(lines)))


def main(arguments: list[str] | None = None) -> None:
    """Make all pages, or the named ones."""
    parser = argparse.ArgumentParser(description="Run the vignettes and write the documentation.")
    parser.add_argument("folder", nargs="?", type=Path, default=HERE.parent / "out" / "docs")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="a vignette, gallery, reference"
    )
    chosen = parser.parse_args(arguments)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    pages = []
    for source in vignettes():
        if chosen.only and source.stem not in chosen.only:
            continue
        start = time.perf_counter()
        page = vignette_page(source)
        pages.append(page)
        print(f"{page.write(chosen.folder)} ({time.perf_counter() - start:.1f} s)", flush=True)
    if not chosen.only or "gallery" in chosen.only:
        pages.append(gallery_page())
        print(pages[-1].write(chosen.folder))
    if not chosen.only or "reference" in chosen.only:
        print(reference_page().write(chosen.folder))
    if not chosen.only:
        pages += pages_beside_r(chosen.folder)
        print(index_page(pages).write(chosen.folder))


if __name__ == "__main__":
    main()
