"""Marks stand under what they mark, whatever characters the source has."""

from __future__ import annotations

import ast

import pytest
from report_samples import UNICODE_SOURCE

from metricdp.diagnostics import Span, source_lines, span_of
from metricdp.report.excerpt import WIDTH, Mark, cells, excerpt, printable


def under(rows: list[str], row: int, sign: str = "^") -> str:
    """What stands above the marks of a row, cut by terminal cells."""
    start, length = cells(rows[row][: rows[row].index(sign)]), rows[row].count(sign)
    found, position = "", 0
    for character in rows[row - 1]:
        size = cells(character)
        if start <= position < start + length:
            found += character
        position += size
    return found


def test_spans_count_characters() -> None:
    source = UNICODE_SOURCE.replace("\treturn y\n", "    return y\n")
    lines = source_lines(source)
    call = next(
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and node.keywords
    )
    span = span_of(call, "f.py", lines)
    assert lines[2][span.column - 1 : span.end_column - 1] == "dp.laplace(größe * größe, scale=1)"
    assert span.column != call.col_offset + 1


def test_carets_stand_under_wide_characters() -> None:
    lines = source_lines(UNICODE_SOURCE)
    column = lines[2].index("größe * größe") + 1
    rows = excerpt(lines, [Mark(Span("f.py", 3, column, 3, column + 13), "^", "")])
    assert rows[2].count("^") == 13
    assert under(rows, 2) == "größe * größe"


def test_carets_stand_under_text_after_a_tab() -> None:
    rows = excerpt(["\treturn y"], [Mark(Span("f.py", 1, 9, 1, 10), "^", "")])
    assert under(rows, 2) == "y"


@pytest.mark.parametrize("column", [1, 5, 60, 120, 190, 195])
def test_long_lines_are_cut_around_the_mark(column: int) -> None:
    line = "".join(chr(ord("a") + index % 26) for index in range(200))
    rows = excerpt([line], [Mark(Span("f.py", 1, column, 1, column + 5), "^", "here")])
    assert max(map(len, rows)) <= WIDTH
    assert under(rows, 2) == line[column - 1 : column + 4]


def test_spans_over_several_lines_are_marked_to_the_end_of_the_first() -> None:
    rows = excerpt(["x = f(", "  1)"], [Mark(Span("f.py", 1, 5, 2, 5), "^", "")])
    assert under(rows, 2) == "f("


def test_gaps_and_second_columns() -> None:
    lines = [f"line {number}" for number in range(1, 12)]
    marks = [
        Mark(Span("f.py", 11, 1, 11, 5), "^", "short\tsecond"),
        Mark(Span("f.py", 1, 1, 1, 5), "-", "a longer text\tfirst"),
        Mark(Span("f.py", 3, 1, 3, 5), "-", ""),
    ]
    assert excerpt(lines, marks) == [
        "   |",
        " 1 | line 1",
        "   | ---- a longer text first",
        " 2 | line 2",
        " 3 | line 3",
        "   | ----",
        "  ...",
        "11 | line 11",
        "   | ^^^^ short         second",
        "   |",
    ]


def test_places_outside_the_file_are_skipped() -> None:
    assert excerpt(["x"], [Mark(Span("f.py", 9, 1, 9, 2), "^", "")]) == []
    rows = excerpt(["x"], [Mark(Span("f.py", 1, 40, 1, 41), "^", "past the end")])
    assert rows[1] == "1 | x"


def test_control_characters_are_shown_not_sent() -> None:
    assert printable("a\x1b[31mb\r\u202ec") == "a�[31mb��c"
    assert printable("größe\u00a0東京\t∞") == "größe\u00a0東京    ∞"


def test_lines_split_where_python_splits() -> None:
    source = "a = 1\r\nb = '\x0c\u2028'\rc = 2\n"
    assert source_lines(source) == ["a = 1", "b = '\x0c\u2028'", "c = 2", ""]
    last = ast.parse(source).body[-1]
    assert span_of(last, "f.py", source_lines(source)) == Span("f.py", 3, 1, 3, 6)


def test_a_node_without_a_place() -> None:
    assert span_of(ast.parse("x = 1"), "f.py", ["x = 1"]) == Span("f.py", 1, 1, 1, 1)
