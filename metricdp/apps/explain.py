"""`metricdp explain`: a diagnostic by its code, or the derivation at a line of a program."""

from __future__ import annotations

import os

import click

from metricdp.apps.output import write


@click.command()
@click.argument("what", metavar="CODE|FILE:LINE")
def explain(what: str) -> int:
    """Explain a diagnostic, or what is derived at a line.

    CODE is a name (unbounded-sum) or an id (DP101).  FILE:LINE shows the steps at this line, and
    for every number the lines that it comes from.
    """
    file, colon, number = what.rpartition(":")
    if colon and number.isdigit() and int(number) > 0:
        return _line(file, int(number))
    from metricdp.diagnostics.catalogue import lookup, suggestions

    found = lookup(what)
    if found is None:
        near = suggestions(what)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise click.UsageError(f"no diagnostic is called {what!r}{hint}")
    write(found.explanation + "\n")
    return 0


def _line(file: str, line: int) -> int:
    if not os.path.isfile(file):
        raise click.UsageError(f"no such file: {file}")
    from metricdp.answers.explain import explanation
    from metricdp.answers.programs import programs

    found = programs([file])
    for problem in found.diagnostics:
        raise click.UsageError(f"{file}:{problem.span.line}: {problem.message}")
    lines = explanation(found.outcomes, file, line)
    if lines is None:
        raise click.UsageError(f"line {line} of {file} is in no checked function")
    write("\n".join(lines) + "\n")
    return 0
