"""`metricdp explain`: a diagnostic by its code, or the derivation at a line of a program."""

from __future__ import annotations

import os

import click

from metricdp.apps.output import write, write_json
from metricdp.diagnostics import file_and_cell, is_notebook


@click.command()
@click.argument("what", metavar="CODE|FILE:LINE")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text")
def explain(what: str, output_format: str) -> int:
    """Explain a diagnostic, or what is derived at a line.

    CODE is a name (unbounded-sum) or an id (DP101).  FILE:LINE shows the steps at this line, and
    for every number the lines that it comes from; in a notebook, "FILE.ipynb:cell 3:LINE".
    """
    file, colon, number = what.rpartition(":")
    if colon and number.isdecimal() and int(number) > 0:
        return _line(file, int(number), output_format)
    from metricdp.diagnostics.catalogue import lookup, suggestions

    found = lookup(what)
    if found is None:
        near = suggestions(what)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise click.UsageError(f"no diagnostic is called {what!r}{hint}")
    if output_format == "text":
        write(found.explanation + "\n")
        return 0
    from msgspec.structs import asdict

    write_json({"schema": 1, "code": asdict(found)})
    return 0


def _line(file: str, line: int, output_format: str) -> int:
    path, cell = file_and_cell(file)
    if not os.path.isfile(path):
        raise click.UsageError(f"no such file: {path}")
    from metricdp.answers.explain import explained, explanation_json, explanation_lines
    from metricdp.answers.programs import programs

    read = programs([path])
    for problem in read.diagnostics:
        raise click.UsageError(f"{problem.span.file}:{problem.span.line}: {problem.message}")
    found = explained(read.outcomes, file, line)
    if is_notebook(path) and not cell:
        raise click.UsageError(f"which cell? {path}:cell 1:{line}")
    if not found:
        raise click.UsageError(f"line {line} of {file} is in no checked function")
    if output_format == "json":
        write_json(explanation_json(found, file, line))
    else:
        write("\n".join(explanation_lines(found, file, line)) + "\n")
    return 0
