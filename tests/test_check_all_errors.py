"""All mistakes at once: no cascades, none lost, and no way from poison to a proof.

Statements of every proved program of `tests/programs` are broken in turn, by a name that means
nothing: exactly that line may be reported, whatever the later lines do with the value.  `make test`
breaks two of each program, the first and the last; `make thorough` all of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from depth import depth
from mdtest import Program, outcomes, programs, title
from one_function import unnamed, without

from metricdp.check import check_source
from metricdp.check.language.recovery import Recovering
from metricdp.check.values.objects import Value
from metricdp.check.verdicts import all_errors, verify
from metricdp.diagnostics import Diagnostic, Span
from metricdp.diagnostics.result import CheckReport
from metricdp.primitives import load

FOLDER = Path(__file__).parent / "programs"
#: Programs in one file; pages about findings outside of functions say nothing here.
PAGES = {
    title(page): [p for p in programs(page) if not p.beside]
    for page in sorted(FOLDER.rglob("*.md"))
}
PROGRAMS = [program for found in PAGES.values() for program in found]
BROKEN = "no_such_name_"
T = TypeVar("T")
#: A loop of no rounds, whose body is not read; a counter that no longer counts; a test whose other
#: half is broken, so that it no longer shows that a position is there; a loop that appends to what
#: has no value, of which one round is read for all, so that no item of a list is known.
EXPECTED = {
    "items_by_position::items-by-position-strides-and-copies-1",
    "loops::concrete-counts-1",
    "language_loops::while-with-a-counter-1",
    "words_of_texts::loops-over-a-slice-1",
}


def _errors(report: CheckReport) -> list[Diagnostic]:
    return [d for d in report.diagnostics if d.severity == "error"]


def _statements(
    tree: ast.Module, lines: set[int]
) -> Iterator[tuple[ast.FunctionDef, ast.expr]]:  # fmt: skip
    """The decorated functions that start on these lines, and the value of every simple statement
    of theirs."""
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.lineno in lines:
            pending: list[ast.stmt] = list(function.body)
            while pending:
                node = pending.pop()
                if isinstance(node, ast.If | ast.For | ast.While):
                    pending += [*node.body, *node.orelse]
                # Without a call for its effect, the rest would be another program.
                value = None if isinstance(node, ast.Expr) else getattr(node, "value", None)
                if isinstance(value, ast.expr) and not isinstance(value, ast.Constant):
                    yield function, value


def _broken(source: str, value: ast.expr) -> str:
    lines = source.splitlines(keepends=True)
    assert value.end_lineno is not None
    first, last = lines[value.lineno - 1].encode(), lines[value.end_lineno - 1].encode()
    middle = first[: value.col_offset].decode() + BROKEN + last[value.end_col_offset :].decode()
    gap = ["\n"] * (value.end_lineno - value.lineno)
    return "".join([*lines[: value.lineno - 1], middle, *gap, *lines[value.end_lineno :]])


#: Functions whose calls run in another order, or not at all, and why that is the same.
OTHERWISE = {
    ("columns_of_numbers::arithmetic-on-columns-1", 71): "a root of a column is taken row by row, "
    "behind the rows that a mask leaves; neither has an effect",
    ("columns_of_numbers::matrices-as-numpy-writes-them-1", 9): "norms of rows, in the same way",
    ("seventh_survey::how-many-persons-1", 19): "`len(set(...))` of persons is `count_ids`",
}


@pytest.mark.parametrize("page", [name for name, found in PAGES.items() if found])
def test_what_is_reported_is_in_order_and_once_and_a_broken_statement_alone(
    page: str, tmp_path: Path
) -> None:
    load()
    whole = True
    for program in PAGES[page]:
        found = outcomes(program, tmp_path)
        assert not [
            (program.name, each)
            for each in found
            if each.wrong and (program.name, each.line) not in OTHERWISE
        ]
        proved = {each.line for each in found if each.proved}
        if proved and "# error" not in program.source.text:  # true of it, by test_programs
            _is_reported_alone(program, proved, whole)
            # A mistake that goes on into the next function, planted, is seen in 5 of 7 first files.
            whole = depth(False, True)


def _is_reported_alone(program: Program, proved: set[int], whole: bool) -> None:
    source = program.source.text
    tree = ast.parse(source)
    others_of = unnamed(tree)
    for function, value in _chosen([*_statements(tree, proved)]):
        # The first mistake stands in the whole file, the others beside what they may be seen by.
        others = [] if whole else [other for other in others_of if other is not function]
        whole = False
        after = check_source(without(_broken(source, value), others), "program.py")
        found = {(d.code, d.span.line) for d in _errors(after)}
        alone = found == {("unknown-name", value.lineno)}
        assert alone or program.name in EXPECTED, (program.name, value.lineno, found)


def _chosen(statements: list[T]) -> list[T]:
    """All of them in depth; else the first and the last.

    Of ten defects in what goes on after a mistake, those that one between shows the last shows too.
    """
    last = len(statements) - 1
    return depth([statements[k] for k in sorted({0, last}) if last >= 0], statements)


def test_statements_are_broken_at_all() -> None:
    report = check_source(PROGRAMS[0].source.text)
    lines = {f.line for f in report.functions}
    values = list(_statements(ast.parse(PROGRAMS[0].source.text), lines))
    assert values and BROKEN in _broken(PROGRAMS[0].source.text, values[0][1])


PROVABLE = "import metricdp as dp\n\n\n@dp.transformation\ndef f(x: dp.Real):\n    return x\n"


@pytest.mark.parametrize("found", ["nothing", "a value"])
def test_the_first_reading_decides(found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the second one finds nothing, or takes poison for a value and goes on to the end."""
    if found == "nothing":
        monkeypatch.setattr(all_errors, "_read", lambda declared, reading: None)
    else:
        monkeypatch.setattr(Recovering, "run", lambda self, *a: Value("public"))
    report = check_source(PROVABLE.replace("return x", "return oops"))
    assert [f.verdict for f in report.functions] == ["rejected"]
    assert [d.code for d in _errors(report)] == ["unknown-name"]
    assert all(i.stability is None for f in report.functions for i in f.inputs)


def test_an_error_beside_a_proof_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    error = Diagnostic("unknown-name", Span("program.py", 1, 1, 1, 2), "planted")
    assert not _errors(check_source(PROVABLE))
    monkeypatch.setattr(verify, "_endless_warnings", lambda *a: [error])
    report = check_source(PROVABLE)
    assert [f.verdict for f in report.functions] == ["rejected"]
    assert [d.code for d in _errors(report)] == ["unknown-name", "internal-error"]


def test_many_mistakes_are_capped() -> None:
    body = "".join(f"    a{i} = missing{i}\n" for i in range(30))
    source = f"import metricdp as dp\n\n\n@dp.measurement\ndef f(x: dp.Real):\n{body}    return 1\n"
    found = _errors(check_source(source))
    assert [d.span.line for d in found] == [*range(6, 26)]
    assert found[-1].notes[-1].text == "10 more mistakes in this function"
