r"""LaTeX that compiles by itself with pdfLaTeX, XeLaTeX or LuaLaTeX.

Every text is escaped character by character: what comes from the data can start no command.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from importlib.resources import files

from pycvstat.report.citations import work
from pycvstat.report.content import (
    Code,
    Document,
    Facts,
    Figure,
    Headline,
    Note,
    References,
    Renderer,
    Table,
)

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"{'}",
    "`": r"\textasciigrave{}",
    "-": r"{-}",
    "−": r"\ensuremath{-}",
    "±": r"\ensuremath{\pm}",
    "×": r"\ensuremath{\times}",
    "·": r"\textperiodcentered{}",
    "≥": r"\ensuremath{\geq}",
    "≤": r"\ensuremath{\leq}",
    "²": r"\ensuremath{^2}",
    "…": r"\dots{}",
    "–": r"\textendash{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
}


def render_latex(document: Document, source: Callable[[Figure], str]) -> str:
    """The document as LaTeX; `source` gives the file of a figure."""
    latex = LatexRenderer(document, source)
    parts = [
        rf"\title{{{tex(document.title)}}}",
        rf"\author{{{tex(document.subtitle)}}}",
        r"\date{}",
        r"\begin{document}",
        r"\maketitle",
        *(part for section in document.sections for part in latex.section(section)),
        r"\end{document}",
        "",
    ]
    text = "\n\n".join(parts)
    preamble = files("pycvstat.report").joinpath("templates/preamble.tex").read_text("utf-8")
    return preamble.replace("%unicode%", declarations(text)) + text


class LatexRenderer(Renderer):
    """Blocks as LaTeX."""

    def heading(self, title: str) -> str:
        return rf"\section*{{{tex(title)}}}"

    def note(self, block: Note) -> str:
        return rf"\begin{{quote}}\textit{{Note.}} {tex(block.text)}\end{{quote}}"

    def headline(self, block: Headline) -> str:
        return rf"\begin{{quote}}\textbf{{{tex(block.value)}}}\\ {tex(block.words)}\end{{quote}}"

    def facts(self, block: Facts) -> str:
        columns = r"p{0.22\linewidth}>{\raggedright\arraybackslash}p{0.74\linewidth}"
        rows = [_row([breakable(label), breakable(value) or "--"]) for label, value in block.rows]
        start, end = rf"\begin{{longtable}}{{@{{}}{columns}@{{}}}}", r"\end{longtable}"
        return "\n".join([start, *rows, end])

    def table(self, block: Table) -> str:
        size, columns = _layout(block)
        rows = [
            _row(map(breakable, row), strong=number in block.strong)
            for number, row in enumerate(block.rows)
        ]
        return "\n".join(
            [
                rf"{{\{size}\begin{{longtable}}{{@{{}}{columns}@{{}}}}",
                rf"\caption{{{tex(block.caption)}}}\\" if block.caption else "",
                r"\toprule",
                _row(map(tex, block.columns), strong=True),
                r"\midrule\endhead",
                r"\bottomrule\endlastfoot",
                *rows,
                r"\end{longtable}}",
                rf"{{\footnotesize {tex(block.notes)}\par}}" if block.notes else "",
            ]
        )

    def figure(self, block: Figure) -> str:
        assert self.source is not None
        return "\n".join(
            [
                r"\begin{minipage}{\linewidth}\centering",
                rf"\includegraphics[width={block.size[0]}in]{{{self.source(block)}}}",
                rf"\captionof{{figure}}{{{tex(block.caption)}}}",
                r"\end{minipage}",
            ]
        )

    def code(self, block: Code) -> str:
        lines = [
            rf"\noindent\ttfamily {typed(line)}\par" if line else r"\smallskip"
            for line in block.text.split("\n")
        ]
        start = r"{\scriptsize\raggedright\setlength{\parskip}{0pt}"
        return "\n".join([rf"\subsection*{{{tex(block.title)}}}", start, *lines, "}"])

    def references(self, block: References) -> str:
        items = [
            rf"\bibitem[{{{tex(one.label)}}}({one.year})]{{{one.key}}} {tex(one.reference())}"
            for one in map(work, self.document.cited())
        ]
        if not items:
            return ""
        return "\n".join([r"\begin{thebibliography}{99}", *items, r"\end{thebibliography}"])

    def plain(self, text: str) -> str:
        return tex(text)

    def verbatim(self, text: str) -> str:
        return rf"\texttt{{{breakable(text)}}}"

    def cite(self, keys: tuple[str, ...]) -> str:
        return rf"\citep{{{','.join(keys)}}}"


def _row(cells: Iterable[str], strong: bool = False) -> str:
    shown = [rf"\textbf{{{cell}}}" if strong and cell else cell for cell in cells]
    return " & ".join(shown) + r" \\"


SIZES = (("small", 96), ("footnotesize", 106), ("scriptsize", 128))  # letters in a line


def _layout(block: Table) -> tuple[str, str]:
    """Size of the letters, and the columns: words are broken where a line is too short for them."""
    widths = [width + 2 for width in block.widths]
    for size, letters in SIZES:
        if sum(widths) <= letters:
            return size, block.align
    size, letters = SIZES[-1]
    words = sum(w for w, a in zip(widths, block.align, strict=True) if a == "l")
    share = max(0.3, 1 - (sum(widths) - words) / letters)
    column = r">{\raggedright\arraybackslash}p{%.2f\linewidth}"
    return size, "".join(
        column % (share * w / words - 0.02) if a == "l" else a
        for w, a in zip(widths, block.align, strict=True)
    )


def tex(text: str) -> str:
    r"""Text in which no character means anything to TeX.

    Examples
    --------
    >>> tex("a_b & 50 % \\input{x}")
    'a\\_b \\& 50 \\% \\textbackslash{}input\\{x\\}'
    """
    return "".join(_SPECIAL.get(character, character) for character in text)


def breakable(text: str) -> str:
    """Escaped text that may break after any run of 16 characters without a blank."""
    pieces = re.sub(r"(\S{16})(?=\S)", "\\1\u200b", text).split("\u200b")
    return r"\allowbreak{}".join(map(tex, pieces))


def typed(line: str) -> str:
    """A line of code; leading blanks and several blanks in a row are kept."""
    pieces = re.split(r"(^ +| {2,})", line)
    return "".join("~" * len(p) if p.isspace() and p != " " else breakable(p) for p in pieces)


def declarations(text: str) -> str:
    """What pdfLaTeX needs to know about characters that its fonts do not have.

    Characters of other scripts are shown as their code point there; XeLaTeX and LuaLaTeX show
    them when the font has them.
    """
    others = sorted({c for c in text if ord(c) > 0x17F})
    return "\n".join(
        rf"\DeclareUnicodeCharacter{{{ord(c):04X}}}{{{_substitute(c)}}}" for c in others
    )


def _substitute(character: str) -> str:
    name = unicodedata.name(character, "")
    greek = re.fullmatch(r"GREEK SMALL LETTER (\w+)", name)
    if greek and greek.group(1) in _GREEK.split():
        return rf"\ensuremath{{\{greek.group(1).lower()}}}"
    return rf"\texttt{{[U+{ord(character):04X}]}}"


_GREEK = (
    "ALPHA BETA GAMMA DELTA EPSILON ZETA ETA THETA IOTA KAPPA MU NU XI PI RHO SIGMA TAU PHI CHI "
    "PSI OMEGA"
)
