"""`metricdp solve`: the public parameter that meets a budget."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from metricdp.apps.options import amount, assignments, distances, probability
from metricdp.apps.output import write, write_json, write_no_answer

if TYPE_CHECKING:
    from metricdp.check.verdicts.verify import Outcome


@click.command()
@click.argument("target", metavar="FILE::FUNCTION")
@click.option("--for", "for_", required=True, metavar="PARAM", help="The parameter to find.")
@click.option("--epsilon", metavar="E", callback=amount, help="Budget in epsilon.")
@click.option("--delta", metavar="D", callback=probability, help="With --epsilon: at this delta.")
@click.option("--rho", metavar="R", callback=amount, help="Budget in rho.")
@click.option(
    "--set", "values", multiple=True, metavar="NAME=VALUE", callback=assignments,
    help="Another public parameter.",
)  # fmt: skip
@click.option(
    "--distance", "distance", multiple=True, metavar="PARAM=K", callback=distances,
    help="Meet the budget at distance K of a private parameter.",
)  # fmt: skip
@click.option("--output-format", type=click.Choice(("text", "json")), default="text")
def solve(
    target: str,
    for_: str,
    epsilon: str | None,
    delta: str | None,
    rho: str | None,
    values: dict[str, str],
    distance: dict[str, str],
    output_format: str,
) -> int:
    """Find the public parameter that meets a budget.

    The value is rounded to the safe side, and its cost is checked.  Exit code: 0 found; 1 there is
    no such value, or the function is not proved; 2 wrong usage or internal error.
    """
    if (epsilon is None) == (rho is None):
        raise click.UsageError("give either --epsilon or --rho")
    if rho is not None and delta is not None:
        raise click.UsageError("--delta belongs to --epsilon")
    outcome = _outcome(target)
    from metricdp import answers
    from metricdp.answers.errors import UnknownParameter
    from metricdp.answers.solution import solution_json, solution_lines
    from metricdp.errors import MetricdpError

    try:
        found = answers.solve(
            outcome, for_, epsilon=epsilon, delta=delta, rho=rho, set=values, distance=distance
        )
    except UnknownParameter as error:
        raise click.UsageError(f"{error.fact}; {error.remedy}") from error
    except MetricdpError as error:
        return write_no_answer(error, getattr(error, "kind", "not-proved"), output_format)
    if output_format == "json":
        write_json(solution_json(found))
    else:
        write("\n".join(solution_lines(found)) + "\n")
    return 0


def _outcome(target: str) -> Outcome:
    """The checked function that FILE::FUNCTION names; FILE alone, if it has one measurement."""
    file, _, name = target.partition("::")
    if not os.path.isfile(file):
        raise click.UsageError(f"no such file: {file}")
    from metricdp.answers.programs import programs

    found = programs([file])
    if found.diagnostics:
        first = found.diagnostics[0]
        raise click.UsageError(f"{file}:{first.span.line}: {first.message}")
    names = [o.declared.name for o in found.outcomes]
    chosen = [o for o in found.outcomes if o.declared.name == name or not name]
    if len(chosen) != 1:
        known = ", ".join(names) or "none"
        raise click.UsageError(f"{target} names {len(chosen)} checked functions; there: {known}")
    return chosen[0]
