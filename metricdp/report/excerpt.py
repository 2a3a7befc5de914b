"""Source lines with marks under them, in the manner of compilers."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

import msgspec

from metricdp.diagnostics import Span

WIDTH = 100
_TAB = "    "


class Mark(msgspec.Struct, frozen=True):
    """A span, the character that underlines it, and the text beside it.

    A tab in `text` starts a second column, aligned over the whole excerpt.
    """

    span: Span
    sign: str
    text: str


def cells(text: str) -> int:
    """How many terminal cells `text` takes: East Asian wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return len(text) + sum(_cell(character) - 1 for character in text if character > "\x7f")


def _cell(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def printable(text: str) -> str:
    """`text` on one line, with control characters (which could steer a terminal) made visible."""
    text = text.replace("\t", _TAB)
    if text.isprintable():
        return text
    return "".join(
        character
        if character.isprintable() or unicodedata.category(character) == "Zs"
        else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def excerpt(lines: Sequence[str], marks: Iterable[Mark]) -> list[str]:
    """The marked lines of a file, each followed by its marks; long gaps become "...".

    The first mark is the one that has to stay visible in lines wider than the terminal.
    """
    by_line: dict[int, list[Mark]] = {}
    for mark in marks:
        if 0 < mark.span.line <= len(lines):
            by_line.setdefault(mark.span.line, []).append(mark)
    if not by_line:
        return []
    gutter = len(str(max(by_line)))
    rows: list[tuple[str, str | None]] = []
    last = 0
    for number in sorted(by_line):
        if last and number == last + 2:
            between, _ = _fitted(lines[last], 1, 1, WIDTH - gutter - 4)
            rows.append((_numbered(gutter, last + 1, between), None))
        elif last and number > last + 2:
            rows.append((" " * gutter + "...", None))
        rows.extend(_marked(lines[number - 1], number, gutter, by_line[number]))
        last = number
    stop = max((cells(left) for left, right in rows if right is not None), default=0)
    body = [
        left if right is None else f"{left}{' ' * (stop - cells(left))} {right}"
        for left, right in rows
    ]
    bar = f"{' ' * gutter} |"
    return [bar, *(row.rstrip() for row in body), bar]


def _numbered(gutter: int, number: int | str, text: str) -> str:
    return f"{number:>{gutter}} | {text}"


def _marked(
    line: str, number: int, gutter: int, marks: Sequence[Mark]
) -> list[tuple[str, str | None]]:
    """The line, and one row for each mark: text, and the part behind a tab if there is one."""
    first, width = marks[0].span, WIDTH - gutter - 4
    shown, dropped = _fitted(line, first.column, _end(first, line), width)
    rows: list[tuple[str, str | None]] = [(_numbered(gutter, number, shown), None)]
    for mark in marks:
        start, end = mark.span.column, _end(mark.span, line)
        before = cells(printable(line[: start - 1])) - dropped
        if before < 0:
            continue
        length = max(1, cells(printable(line[start - 1 : end - 1])))
        length = max(1, min(length, cells(shown) - before))
        text, tab, right = mark.text.partition("\t")
        text, under = printable(text), " " * before + mark.sign * length
        if text and cells(under) + 1 + cells(text) > width:
            rows.append((_numbered(gutter, "", under), None))
            under = " " * max(0, min(before, width - cells(text)))
            rows.append((_numbered(gutter, "", under + text), printable(right) if tab else None))
        else:
            under = f"{under} {text}".rstrip()
            rows.append((_numbered(gutter, "", under), printable(right) if tab else None))
    return rows


def _end(span: Span, line: str) -> int:
    """End column within the first line of a span."""
    if span.end_line > span.line:
        return len(line.rstrip()) + 1
    return max(span.end_column, span.column)


def _fitted(line: str, start: int, end: int, width: int) -> tuple[str, int]:
    """`line` cut to `width` cells around the columns start..end, and the cells cut on the left."""
    shown = printable(line.rstrip())
    if cells(shown) <= width:
        return shown, 0
    left = cells(printable(line[: start - 1]))
    right = cells(printable(line[: end - 1]))
    dropped = 0 if right <= width - 3 else max(0, min(left - 8, right - width + 3))
    kept, position = "", 0
    for character in shown:
        size = _cell(character)
        if position >= dropped and position - dropped + size <= width - 3:
            kept += character
        elif position < dropped < position + size:
            kept += " "  # half of a wide character
        position += size
    if dropped:
        kept = "..." + kept[3:]
    return kept + "...", dropped
