r"""LaTeX that compiles with pdfLaTeX, XeLaTeX or LuaLaTeX; BibTeX makes its references.

Every text is escaped character by character: what comes from the data can start no command.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from importlib.resources import files

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
    '"': r"\symbol{34}",
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
    **{
        sign: rf"\text{name}{{}}"
        for sign, name in (
            ("\\", "backslash"), ("^", "asciicircum"), ("~", "asciitilde"), ("`", "asciigrave"),
            ("<", "less"), (">", "greater"), ("|", "bar"), ("·", "periodcentered"),
            ("–", "endash"), ("—", "emdash"), ("•", "bullet"), ("€", "euro"), ("°", "degree"),
            ("“", "quotedblleft"), ("”", "quotedblright"), ("‘", "quoteleft"), ("’", "quoteright"),
            ("©", "copyright"), ("®", "registered"), ("™", "trademark"), ("½", "onehalf"),
            ("¡", "exclamdown"), ("¿", "questiondown"), ("‰", "perthousand"),
        )
    },
    **{
        sign: rf"\{name}{{}}"
        for sign, name in (
            ("…", "dots"), ("ß", "ss"), ("§", "S"), ("£", "pounds"), ("«", "guillemotleft"),
            ("»", "guillemotright"), ("ı", "i"), ("Ł", "L"), ("ł", "l"), ("Œ", "OE"), ("œ", "oe"),
            ("Đ", "DJ"), ("đ", "dj"),
        )
    },
    **{
        sign: rf"\ensuremath{{{name}}}"
        for sign, name in (
            ("−", "-"), ("²", "^2"), ("¹", "^1"), ("³", "^3"), ("±", r"\pm"), ("×", r"\times"),
            ("≥", r"\geq"), ("≤", r"\leq"), ("µ", r"\mu"), ("÷", r"\div"), ("≠", r"\neq"),
            ("≈", r"\approx"), ("∞", r"\infty"), ("→", r"\rightarrow"), ("←", r"\leftarrow"),
            ("∈", r"\in"), ("∑", r"\sum"), ("∏", r"\prod"), ("∂", r"\partial"), ("∼", r"\sim"),
            ("√", r"\surd"), ("∫", r"\int"), ("≡", r"\equiv"), ("†", r"\dagger"),
            ("′", r"\prime"),
        )
    },
}  # fmt: skip


def render_latex(
    document: Document, source: Callable[[Figure], str], bibliography: str = ""
) -> str:
    """The document as LaTeX; `source` gives the file of a figure, `bibliography` that of BibTeX."""
    latex = LatexRenderer(document, source, bibliography)
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
    return preamble + text


class LatexRenderer(Renderer):
    """Blocks as LaTeX."""

    def __init__(
        self, document: Document, source: Callable[[Figure], str] | None, bibliography: str = ""
    ) -> None:
        super().__init__(document, source)
        self.bibliography = bibliography

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
        if not self.bibliography:
            return ""
        file = self.bibliography.removesuffix(".bib")
        return f"\\bibliographystyle{{plainnat}}\n\\bibliography{{{file}}}"

    def plain(self, text: str) -> str:
        return tex(text)

    def verbatim(self, text: str) -> str:
        return rf"\texttt{{{breakable(text)}}}"

    def cite(self, keys: tuple[str, ...]) -> str:
        return rf"\citep{{{','.join(keys)}}}"


def _row(cells: Iterable[str], strong: bool = False) -> str:
    shown = [rf"\textbf{{{cell}}}" if strong and cell else cell for cell in cells]
    return " & ".join(shown) + r" \\"


def floating(table: Table) -> str:
    """A table with its caption above and its notes below, to paste: it needs booktabs and array."""
    size, columns = _layout(table)
    notes = rf"\par\smallskip{{\footnotesize\raggedright {tex(table.notes)}\par}}"
    rows = [_row(map(breakable, row), number in table.strong) for number, row in
            enumerate(table.rows)]  # fmt: skip
    lines = [
        r"% \usepackage{booktabs,array}",
        r"\begin{table}[tbp]",
        rf"\centering\{size}",
        rf"\caption{{{tex(table.caption)}}}" if table.caption else "",
        rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"\toprule",
        _row(map(tex, table.columns), strong=True),
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        notes if table.notes else "",
        r"\end{table}",
        "",
    ]
    text = "\n".join(filter(None, lines)) + "\n"
    known = r"\providecommand{\symbolof}[1]{\texttt{[U+#1]}}" if r"\symbolof" in text else ""
    return f"{known}\n{text}" if known else text


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
    return re.sub("(?<=[-'])(?=[-'])", "{}", "".join(map(_symbol, text)))


def breakable(text: str) -> str:
    """Escaped text that may break after any run of 16 characters without a blank."""
    pieces = re.sub(r"(\S{16})(?=\S)", "\\1\u200b", text).split("\u200b")
    return r"\allowbreak{}".join(map(tex, pieces))


def typed(line: str) -> str:
    """A line of code; leading blanks and several blanks in a row are kept."""
    pieces = re.split(r"(^ +| {2,})", line)
    return "".join("~" * len(p) if p.isspace() and p != " " else breakable(p) for p in pieces)


_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega"
)
_CAPITALS = "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
_LATIN = "ÆæØøÐðÞþ"  # without an accent, in the same place in all fonts of TeX


def _symbol(character: str) -> str:
    """A character as every TeX shows it; where its fonts lack it, its code point."""
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character.isascii() or character in _LATIN:
        return character
    name = unicodedata.name(character, "").replace("LAMDA", "LAMBDA")
    greek = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", name)
    if greek is not None:
        letter = greek[2].lower() if greek[1] == "SMALL" else greek[2].capitalize()
        if letter in f"{_GREEK} {_CAPITALS}".split():
            return rf"\ensuremath{{\{letter}}}"
    letter, accents = (parts := unicodedata.normalize("NFD", character))[:1], parts[1:]
    if len(accents) == 1 and letter.isascii() and accents in _ACCENTS:
        return character if ord(character) < 0xFF else rf"\{_ACCENTS[accents]}{{{letter}}}"
    return rf"\symbolof{{{ord(character):04X}}}"


_ACCENTS = dict(zip(map(chr, (
    0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x30A, 0x30B, 0x30C, 0x327, 0x328,
)), "`'^~=u.\"rHvck", strict=True))  # fmt: skip
