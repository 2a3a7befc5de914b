"""`metricdp diff`: how the guarantee of each function changed."""

from __future__ import annotations

import os

import click

from metricdp.apps.output import write, write_json

_MEASURES = ("pure", "approx", "zcdp", "approx_zcdp")


@click.command()
@click.argument("old")
@click.argument("new")
@click.option("--measure", type=click.Choice(_MEASURES), help="Compare costs in this measure.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text")
def diff(old: str, new: str, measure: str | None, output_format: str) -> int:
    """How the guarantee of each function changed between two files or two directories.

    Different units, measures or deltas are not compared.  Exit code: 0 every guarantee is the same
    or better; 1 something got worse, is gone, or could not be compared; 2 wrong usage or internal
    error.
    """
    for path in (old, new):
        if not os.path.exists(path):
            raise click.UsageError(f"no such file or directory: {path}")
    if os.path.isdir(old) != os.path.isdir(new):
        raise click.UsageError("compare two files, or two directories")
    from metricdp.answers.diff import difference_json, difference_lines, differences
    from metricdp.answers.programs import programs
    from metricdp.apps.files import python_files

    sides = []
    for path in (old, new):
        files, wrong = python_files([path])
        found = programs(files, measure)
        for problem in (*wrong, *found.diagnostics):
            raise click.UsageError(f"{problem.span.file}:{problem.span.line}: {problem.message}")
        sides.append(found.outcomes)
    roots = (old, new) if os.path.isdir(old) else ("", "")
    result = differences(sides[0], sides[1], roots)
    if output_format == "json":
        write_json(difference_json(result))
    else:
        write("\n".join(difference_lines(result)) + "\n")
    return 0 if all(entry.ok for entry in result) else 1
