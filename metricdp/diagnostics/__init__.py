"""Diagnostics as data: places in source text, messages, and what they point at.

Nothing here prints and nothing here decides: check fills these records, report renders them, and
`catalogue` explains their codes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    import ast

Severity = Literal["error", "warning", "info"]


class Span(msgspec.Struct, frozen=True):
    """A stretch of source text.

    Attributes:
        file: path as the user wrote it; "" when the text is in no file.
        line, column: first character, both counted from 1, columns in characters.
        end_line, end_column: one past the last character, counted the same way.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


class Note(msgspec.Struct, frozen=True):
    """A secondary place and what is true there ("still any real number   d = 1 row")."""

    span: Span
    text: str


class Diagnostic(msgspec.Struct, frozen=True):
    """One finding.

    Attributes:
        code: readable name in the catalogue ("unbounded-sum").
        span: the place that is underlined.
        message: one plain sentence, without a full stop.
        need: the fact that is missing, or "".
        help: the edit that mends it, or "".
        severity: "error" (fails the check), "warning" or "info".
        label: what is true at the underlined place ("d = oo"), or "".
        counterexample: synthetic inputs and what they do, in order of printing; None when there is
            none.  Usual keys: x, x', d_in, moved, claimed; values are JSON-able.
        notes: secondary places, printed in the excerpt around the span.
    """

    code: str
    span: Span
    message: str
    need: str = ""
    help: str = ""
    severity: Severity = "error"
    label: str = ""
    counterexample: Mapping[str, object] | None = None
    notes: tuple[Note, ...] = ()


#: The place of a finding about no file at all (a wrong option).
NOWHERE = Span("", 1, 1, 1, 1)


def at_file(file: str) -> Span:
    """The place of a finding about a whole file."""
    return Span(file, 1, 1, 1, 1)


#: Between the path of a notebook and the number of a cell, where a cell stands for a file.
_CELL = ".ipynb:cell "


def is_notebook(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a notebook, by its name."""
    return os.fspath(path).endswith(".ipynb")


def in_cell(notebook: str, number: int) -> str:
    """What stands for a file where the text is in a cell of a notebook."""
    return f"{notebook}:cell {number}"


def file_and_cell(file: str) -> tuple[str, int]:
    """The file that holds a text, and the number of its cell; 0 where it is no notebook."""
    path, cell, number = file.rpartition(_CELL)
    return (f"{path}.ipynb", int(number)) if cell and number.isdecimal() else (file, 0)


def source_lines(source: str) -> list[str]:
    """Lines of `source`, split where Python's parser splits: not at form feeds or U+2028."""
    return source.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def character_column(line: str, byte_offset: int) -> int:
    """1-based character column of a 0-based UTF-8 byte offset (what `ast` counts)."""
    if line.isascii():
        return byte_offset + 1
    before = line.encode("utf-8", "surrogatepass")[:byte_offset]
    return len(before.decode("utf-8", "replace")) + 1


def span_of(node: ast.AST, file: str, source_lines: Sequence[str]) -> Span:
    """Span of a syntax node; a node without a position gives the start of the file.

    `source_lines` are the lines of the whole file, as split by `metricdp.diagnostics.source_lines`.
    """
    line = getattr(node, "lineno", None)
    if line is None:
        return at_file(file)
    start: int = getattr(node, "col_offset", 0)
    end_line: int = getattr(node, "end_lineno", None) or line
    end: int | None = getattr(node, "end_col_offset", None)
    first = _line(source_lines, line)
    column = character_column(first, start)
    if end is None:
        return Span(file, line, column, line, column)
    return Span(file, line, column, end_line, character_column(_line(source_lines, end_line), end))


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1] if 0 < number <= len(lines) else ""


#: Environment variable that shows where a defect of metricdp is.
_SHOWN = "METRICDP_TRACEBACK"


def defect(error: BaseException, span: Span) -> Diagnostic:
    """An exception that nothing expected, as a finding at the place that was read.

    Args:
        error: the exception; its traceback is printed where METRICDP_TRACEBACK is set.
        span: the function or the file that it cost.
    """
    if os.environ.get(_SHOWN):
        import traceback

        traceback.print_exception(error)
    text = str(error).partition("\n")[0]
    message = f"metricdp failed: {type(error).__name__}{f': {text}' if text else ''}"
    help = f"{_SHOWN}=1 metricdp ...   shows where; a report is welcome"
    return Diagnostic("internal-error", span, message, help=help)
