"""The example of a record, run: a checked function, one call with its result, and its guarantee.

A record says `example = "x: dp.Real = -3; dp.abs(x)"`: its private arguments with their spaces and
data, and one expression.  What stands in the documents is what this printed.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from fractions import Fraction
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from metricdp.record import Record
from metricdp.report.proof import guarantee_lines
from metricdp.run.release import Release
from metricdp.values import NumberMatrix, Numbers

_HEAD = (
    "from datetime import date, timedelta\nfrom typing import Annotated\n\nimport metricdp as dp\n"
)
#: Digits of a number that has more of them.
_DIGITS = 6


#: What a person types, with what it prints; and what was proved of it, in words.
Shown = tuple[str, str]


def shown(records: Iterable[Record]) -> dict[str, Shown]:
    """Name of a record -> its example."""
    with TemporaryDirectory() as folder:
        return {each.name: _shown(each, Path(folder)) for each in records if each.example}


def _shown(record: Record, folder: Path) -> Shown:
    *given, last = ast.parse(record.example).body
    names = _HEAD + "\n"
    if not given:  # of data that no checked function takes
        called = _source(record, last)
        scope: dict[str, Any] = {}
        exec(names, scope)
        return f">>> {called}\n{text_of(eval(called, scope))}", ""
    source = "\n".join(_function(record, given, last))
    file = folder / f"example_{record.name}.py"
    file.write_text(f"{names}\n{source}\n", encoding="utf-8")
    spec = spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = sys.modules[file.stem] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        texts = [
            ast.unparse(each.value)
            for each in given
            if isinstance(each, ast.AnnAssign) and each.value
        ]
        data = [eval(text, vars(module)) for text in texts]
        front = import_module("metricdp")
        with front.handling(front.Seeded(1)):
            result = module.example(*data)
        proved = guarantee_lines(module.example.guarantee.report())
    finally:
        del sys.modules[file.stem]
    comment = "  # noise of one seed" if record.kind == "mechanism" else ""
    lines = [
        *_typed(source),
        f">>> example({', '.join(texts)}){comment}",
        text_of(result),
    ]
    return "\n".join(lines), "\n".join(proved)


def _source(record: Record, node: ast.AST) -> str:
    return ast.get_source_segment(record.example, node) or ""


def _function(record: Record, given: list[ast.stmt], last: ast.stmt) -> list[str]:
    kind = "measurement" if record.kind == "mechanism" else "transformation"
    parameters = [
        f"{_source(record, each.target)}: {_source(record, each.annotation)}"
        for each in given
        if isinstance(each, ast.AnnAssign)
    ]
    head = f"def example({', '.join(parameters)}):"
    if len(head) > 88:
        head = "\n".join(["def example(", *(f"    {each}," for each in parameters), "):"])
    return [f"@dp.{kind}", *head.split("\n"), f"    return {_source(record, last)}"]


def _typed(source: str) -> list[str]:
    first, *rest = source.split("\n")
    return [f">>> {first}", *(f"... {line}" for line in rest)]


def text_of(value: Any) -> str:
    """A result as plain Python writes it; a release as its value and its cost."""
    if isinstance(value, Release):
        return str(value).partition("   test only")[0]
    return repr(_plain(value))


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(f"{float(value):.{_DIGITS}g}")
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, list | Numbers | NumberMatrix):
        return list(map(_plain, value))
    return value
