r"""LaTeX that compiles by itself with pdfLaTeX, XeLaTeX or LuaLaTeX.

Every text is escaped character by character: what comes from the data can start no command.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import singledispatch
from importlib.resources import files

from pycvstat.report.citations import work
from pycvstat.report.content import (
    Block,
    Cite,
    Code,
    Document,
    Facts,
    Figure,
    Headline,
    Inline,
    Note,
    Paragraph,
    References,
    Section,
    Table,
    Verbatim,
)
from pycvstat.report.render.text import natural_widths

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
    preamble = (
        files("pycvstat.report").joinpath("templates/preamble.tex").read_text(encoding="utf-8")
    )
    body = [
        rf"\title{{{tex(document.title)}}}",
        rf"\author{{{tex(document.subtitle)}}}",
        r"\date{}",
        r"\begin{document}",
        r"\maketitle",
    ]
    for section in document.sections:
        body += _section(section, document, source)
    text = "\n\n".join([*body, r"\end{document}", ""])
    return preamble.replace("%unicode%", declarations(text)) + text


def _section(section: Section, document: Document, source: Callable[[Figure], str]) -> list[str]:
    title = [rf"\section*{{{tex(section.title)}}}"] if section.title else []
    return title + [block_text(block, document, source) for block in section.blocks]


def block_text(block: Block, document: Document, source: Callable[[Figure], str]) -> str:
    """A block as LaTeX."""
    if isinstance(block, Figure):
        return "\n".join(
            [
                r"\begin{minipage}{\linewidth}\centering",
                rf"\includegraphics[width={block.size[0]}in]{{{source(block)}}}",
                rf"\captionof{{figure}}{{{tex(block.caption)}}}",
                r"\end{minipage}",
            ]
        )
    if isinstance(block, References):
        return _bibliography(document)
    return _text(block)


def _bibliography(document: Document) -> str:
    items = [
        rf"\bibitem[{{{tex(one.label)}}}({one.year})]{{{key}}} {tex(one.reference())}"
        for key in document.cited()
        for one in [work(key)]
    ]
    if not items:
        return ""
    return "\n".join([r"\begin{thebibliography}{99}", *items, r"\end{thebibliography}"])


@singledispatch
def _text(block: Block) -> str:
    raise TypeError(type(block).__name__)


@_text.register
def _(block: Paragraph) -> str:
    return "".join(_inline(part) for part in block.parts)


@_text.register
def _(block: Note) -> str:
    return rf"\begin{{quote}}\textit{{Note.}} {tex(block.text)}\end{{quote}}"


@_text.register
def _(block: Headline) -> str:
    return rf"\begin{{quote}}\textbf{{{tex(block.value)}}}\\ {tex(block.words)}\end{{quote}}"


@_text.register
def _(block: Facts) -> str:
    rows = [rf"{breakable(label)} & {breakable(value) or '--'} \\" for label, value in block.rows]
    return "\n".join(
        [
            r"\begin{longtable}{@{}p{0.22\linewidth}>{\raggedright\arraybackslash}p{0.74\linewidth}@{}}",
            *rows,
            r"\end{longtable}",
        ]
    )


@_text.register
def _(block: Table) -> str:
    head = " & ".join(rf"\textbf{{{tex(name)}}}" for name in block.columns) + r" \\"
    rows = [_row(row, number in block.strong) for number, row in enumerate(block.rows)]
    caption = rf"\caption*{{{tex(block.caption)}}}\\" if block.caption else ""
    size, columns = _layout(block)
    return "\n".join(
        [
            rf"{{\{size}\begin{{longtable}}{{@{{}}{columns}@{{}}}}",
            caption,
            r"\toprule",
            head,
            r"\midrule\endhead",
            r"\bottomrule\endlastfoot",
            *rows,
            r"\end{longtable}}",
        ]
    )


SIZES = (("small", 96), ("footnotesize", 106), ("scriptsize", 128))  # letters in a line


def _layout(block: Table) -> tuple[str, str]:
    """Size of the letters, and the columns: words are broken where a line is too short for them."""
    widths = [width + 2 for width in natural_widths(block)]
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


def _row(row: tuple[str, ...], strong: bool) -> str:
    cells = [rf"\textbf{{{breakable(c)}}}" if strong and c else breakable(c) for c in row]
    return " & ".join(cells) + r" \\"


@_text.register
def _(block: Code) -> str:
    lines = [
        rf"\noindent\ttfamily {typed(line)}\par" if line else r"\smallskip"
        for line in block.text.split("\n")
    ]
    start = r"{\scriptsize\raggedright\setlength{\parskip}{0pt}"
    return "\n".join([rf"\subsection*{{{tex(block.title)}}}", start, *lines, "}"])


def _inline(part: Inline) -> str:
    if isinstance(part, Cite):
        return rf"\citep{{{','.join(part.keys)}}}"
    return rf"\texttt{{{breakable(part.text)}}}" if isinstance(part, Verbatim) else tex(part)


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
    return tex_join(re.sub(r"(\S{16})(?=\S)", "\\1\u200b", text))


def tex_join(text: str) -> str:
    """Escaped text with optional breaks where there are zero-width blanks."""
    return r"\allowbreak{}".join(tex(piece) for piece in text.split("\u200b"))


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
