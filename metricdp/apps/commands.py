"""The commands and their options."""

from __future__ import annotations

import click

from metricdp.apps import checking
from metricdp.apps.account import account
from metricdp.apps.audit import audit
from metricdp.apps.diff import diff
from metricdp.apps.explain import explain
from metricdp.apps.ledger import ledger
from metricdp.apps.options import (
    assignments,
    distances,
    measure_name,
    not_negative,
    probability,
)
from metricdp.apps.output import write
from metricdp.apps.schema import schema
from metricdp.apps.solve import solve
from metricdp.apps.sql import sql
from metricdp.diagnostics import NOWHERE, Diagnostic
from metricdp.diagnostics.result import CheckOptions, CheckReport
from metricdp.report import FORMATS


def _version(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked:
        from importlib import metadata  # slow to import

        try:
            version = metadata.version("metricdp")
        except metadata.PackageNotFoundError:
            version = "(not installed)"
        write(f"metricdp {version}\n")
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
    help="Show the version and exit.",
)  # fmt: skip
def cli() -> None:
    """Differential privacy you can check before you run."""


@cli.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--output-format", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "--set", "values", multiple=True, metavar="NAME=VALUE", callback=assignments,
    help="Public parameter, for the guarantee in numbers.",
)  # fmt: skip
@click.option(
    "--distance", "distance", multiple=True, metavar="PARAM=K", callback=distances,
    help="Show what distance K of a private parameter costs.",
)  # fmt: skip
@click.option(
    "--measure", metavar="M", callback=measure_name,
    help="pure, approx, zcdp, renyi[:ALPHA], tcdp[:OMEGA], gdp or profile[:EPSILON].",
)  # fmt: skip
@click.option("--slack", metavar="S", help="Advanced composition, for this delta.")
@click.option("--delta", metavar="D", callback=probability, help="Convert to (epsilon, D).")
@click.option(
    "--timeout", type=float, metavar="SECONDS", callback=not_negative,
    help="Time that each function gets; 0: no limit.  [default: 60]",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="Fail where a path has nothing to check.")
def check(
    paths: tuple[str, ...],
    output_format: str,
    values: dict[str, str],
    distance: dict[str, str],
    measure: str | None,
    delta: str | None,
    slack: str | None,
    timeout: float | None,
    strict: bool,
) -> int:
    """Check the programs in files and directories, without running them.

    Exit code: 0 everything proved; 1 something rejected, refuted or unparsable, or (--strict) a
    path with nothing to check; 2 wrong usage or internal error.
    """
    options = CheckOptions(
        set=values, distance=distance, measure=measure, delta=delta, slack=slack, timeout=timeout
    )
    return checking.check(paths, output_format, options, strict)


cli.add_command(audit)
cli.add_command(explain)
cli.add_command(solve)
cli.add_command(diff)
cli.add_command(ledger)
cli.add_command(account)
cli.add_command(schema)
cli.add_command(sql)


def run(arguments: list[str]) -> int:
    """Runs a command line; its exit code.

    Raises:
        KeyboardInterrupt: it was interrupted, or its input ended.
    """
    try:
        result = cli.main(arguments, prog_name="metricdp", standalone_mode=False)
    except click.ClickException as error:
        return _wrong_usage(error, arguments)
    except click.Abort:
        raise KeyboardInterrupt from None
    return result if isinstance(result, int) else 0


def _wrong_usage(error: click.ClickException, arguments: list[str]) -> int:
    """A usage error in the format that was asked for; plain text has click's own usage line."""
    output_format = checking.wanted(arguments)
    if output_format == "text":
        error.show()
        return 2
    found = Diagnostic("wrong-usage", NOWHERE, error.format_message(), help="metricdp check --help")
    return checking.finish(CheckReport(diagnostics=(found,)), output_format)
