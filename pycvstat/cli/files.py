"""Data files: CSV, TSV, Parquet and RDS."""

from __future__ import annotations

import codecs
import csv
import difflib
import warnings
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pycvstat.cli.options import unescaped
from pycvstat.data.frame import read_y
from pycvstat.data.frame.columns import Collation
from pycvstat.errors import DataError, InputError, pip_install

READERS = (".csv", ".tsv", ".txt", ".parquet", ".rds")
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


def add_reading(command: Any) -> None:
    """Add the options that say how a data file is read."""
    command.add_argument("--sep", metavar="CHARACTER", help="delimiter of a text file")
    command.add_argument("--decimal", metavar="CHARACTER", default=".",
                         help="decimal sign of a text file (default: a point)")  # fmt: skip
    command.add_argument("--encoding", metavar="NAME", default="utf-8",
                         help="of a text file, such as cp1252 (default: utf-8)")  # fmt: skip
    command.add_argument("--na-string", action="append", metavar="TEXT",
                         help="a word for a missing value, beside NA and the like")  # fmt: skip
    command.add_argument("--factor", action="append", metavar="COLUMN",
                         help="treat as categorical: a response of zeros and ones is numbers, "
                         "under squared error, except for learners that predict classes "
                         "only")  # fmt: skip
    command.add_argument("--ordered", action="append", metavar="COLUMN=LEVELS",
                         help="an ordered factor, its levels from low to high: "
                         "dose=low,medium,high")  # fmt: skip
    command.add_argument("--date", action="append", metavar="COLUMN", help="read as dates")
    command.add_argument("--levels", choices=("ICU", "C"), default="ICU",
                         help="how words are sorted: as R does, or by code point as R does in the "
                         "C locale (default: ICU)")  # fmt: skip


def data_of(chosen: Namespace) -> pd.DataFrame:
    """The data file of a command, with its columns as the options say."""
    sep = None if chosen.sep is None else unescaped(chosen.sep)
    data = read_data(chosen.data, sep, chosen.decimal, chosen.na_string or (), chosen.encoding)
    for word in chosen.factor or []:
        data[word] = categories(_column(data, word, "factor"), chosen.levels)
    for word in chosen.ordered or []:
        name, _, levels = word.rpartition("=")
        data[name] = ordered(_column(data, name, "ordered"), levels.split(","))
    for word in chosen.date or []:
        data[word] = dates(_column(data, word, "date"))
    return data


def _column(data: pd.DataFrame, name: str, option: str) -> pd.Series[Any]:
    if name not in data.columns:
        problem = f"the column for --{option} is not in the data."
        fix = f"use one of {', '.join(map(str, data.columns))}"
        raise InputError(problem, given=name or "no name before =", fix=fix)
    return data[name]


def read_data(
    path: str | Path,
    sep: str | None = None,
    decimal: str = ".",
    missing: Sequence[str] = (),
    encoding: str = "utf-8",
) -> pd.DataFrame:
    """Read a data file; the ending of its name says what it is.

    Parameters
    ----------
    path : path
        .csv, .tsv, .txt, .parquet or .rds
    sep : str, optional
        Delimiter of a text file; comma for .csv, tab for .tsv.
    decimal : str
        Decimal sign of a text file.
    missing : sequence of str
        Words of a text file that mean a missing value, beside an empty field, NA and the like.
    encoding : str
        Of a text file.
    """
    file = Path(path)
    if not file.is_file():
        raise DataError("there is no such data file.", given=str(path), fix=_nearby(file))
    ending = file.suffix.lower()
    if ending == ".parquet":
        return _parquet(file)
    if ending == ".rds":
        return _rds(file)
    if ending in (".csv", ".tsv", ".txt"):
        sep = sep or {".tsv": "\t"}.get(ending, ",")
        return _text(file, sep, decimal, missing, encoding)
    raise DataError(
        "this kind of file is not read.", given=file.name, fix=f"use one of {', '.join(READERS)}"
    )


def categories(column: pd.Series[Any], levels: Collation = "ICU") -> pd.Categorical:
    """A column as classes; words in the order that `levels` says."""
    codes, names = read_y(column).as_factor(levels)
    return pd.Categorical.from_codes(codes, pd.Index(names, dtype=object))


def ordered(column: pd.Series[Any], levels: Sequence[str]) -> pd.Categorical:
    """A column as an ordered factor of these levels, the lowest first.

    Examples
    --------
    >>> import pandas as pd
    >>> ordered(pd.Series(["b", None, "a"], name="x"), ["b", "a"]).codes.tolist()
    [0, -1, 1]
    """
    codes, names = read_y(column).as_factor("C")
    if strange := [name for name in names if name not in levels]:
        problem = f"{column.name!r} has values that are none of its levels."
        fix = f"name all, the lowest first: --ordered {column.name}={','.join(names)}"
        raise DataError(problem, given=", ".join(strange[:3]), fix=fix)
    words = [None if code < 0 else names[code] for code in codes]
    return pd.Categorical(words, list(dict.fromkeys(levels)), ordered=True)


def dates(column: pd.Series[Any]) -> pd.Series[Any]:
    """A column of words as dates."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # pandas guesses word by word
            return pd.to_datetime(column)
    except (ValueError, TypeError, UserWarning):
        raise DataError(
            f"{column.name!r} cannot be read as dates.",
            given=", ".join(map(str, column.dropna().unique()[:3])),
            fix="write dates as 2026-01-31",
        ) from None


def _nearby(file: Path) -> str:
    folder = file.parent
    names = [p.name for p in folder.iterdir() if p.is_file()] if folder.is_dir() else []
    near = difflib.get_close_matches(file.name, names, n=1, cutoff=0.75)
    return f"did you mean {folder / near[0]}?" if near else "check the path"


def _text(
    file: Path, sep: str, decimal: str, missing: Sequence[str], encoding: str
) -> pd.DataFrame:
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise InputError(
            "there is no encoding of this name.", given=encoding, fix="--encoding cp1252"
        ) from None
    for option, character in (("--sep", sep), ("--decimal", decimal)):
        if len(character) != 1:
            raise InputError(f"{option} takes one character.", given=repr(character))
    try:
        given: dict[str, Any] = {"engine": "c" if sep.isascii() else "python", "sep": sep}
        given |= {"decimal": decimal, "na_values": list(missing), "encoding": encoding}
        frame: pd.DataFrame = pd.read_csv(file, **given)
    except UnicodeError:
        problem = f"the letters of the file are not written in {encoding}."
        fix = "--encoding cp1252 for files of Windows in western Europe, or the one it has"
        with file.open("rb") as opened:
            if opened.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
                fix = "--encoding utf-16"
        raise DataError(problem, given=file.name, fix=fix) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        raise DataError(
            "the file cannot be read as a table.",
            given=f"{file.name}: {str(error).strip()}",
            fix=_delimiter_hint(file, sep) or "save it as UTF-8 with one header line",
        ) from None
    hint = _delimiter_hint(file, sep)
    if frame.shape[1] == 1 and hint is not None:
        raise DataError("the file has one column only.", given=file.name, fix=hint)
    commas = [str(name) for name in frame.columns if _has_decimal_commas(frame[name])]
    if commas and sep != ",":
        problem = "numbers with decimal commas are read as words."
        raise DataError(problem, given=", ".join(commas), fix="--decimal ','")
    unnamed = frame.columns[0] if len(frame.columns) else ""
    if str(unnamed).startswith("Unnamed: 0"):  # row names that R's write.csv adds
        frame = frame.set_index(unnamed)
        frame.index.name = None
    return frame


def _has_decimal_commas(column: pd.Series[Any]) -> bool:
    known = column.dropna()
    if known.empty or known.dtype.kind in "biufM":
        return False
    words = known.astype(str)
    return bool(words.str.fullmatch(r"[-+]?\d+(,\d+)?").all() and words.str.contains(",").any())


def _delimiter_hint(file: Path, used: str) -> str | None:
    try:
        with file.open(encoding="utf-8", errors="replace", newline="") as opened:
            found = csv.Sniffer().sniff(opened.read(4096), "".join(DELIMITERS)).delimiter
    except csv.Error:
        return None
    if found == used:
        return None
    shown = "\\t" if found == "\t" else found
    return f"its columns seem to be separated by a {DELIMITERS[found]}: --sep '{shown}'"


def _parquet(file: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(file)
    except ImportError:
        problem = "reading Parquet needs a package that is missing."
        raise InputError(problem, given=file.name, fix=pip_install("pyarrow")) from None
    except Exception as error:  # pyarrow has many kinds of errors for a damaged file
        fix = "write it again, or give the data as CSV"
        given = f"{file.name}: {error}"
        raise DataError("the file cannot be read as Parquet.", given=given, fix=fix) from None


def _rds(file: Path) -> pd.DataFrame:
    from pycvstat.r.check.conversion import from_r

    value: Any = from_r(file)
    if not hasattr(value, "columns"):
        fix = 'in R: saveRDS(data, "data.rds")'
        given = f"{file.name}: {type(value).__name__}"
        raise DataError("the file does not hold a data frame.", given=given, fix=fix)
    frame: pd.DataFrame = value
    return frame
