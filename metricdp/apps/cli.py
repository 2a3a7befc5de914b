"""The command line: check, explain, audit.  Every exit path honours the output format."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import click

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
from metricdp.apps.solve import solve
from metricdp.diagnostics import NOWHERE, Diagnostic
from metricdp.diagnostics.result import CheckOptions, CheckReport
from metricdp.report import FORMATS, render


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
    started = time.perf_counter()
    options = CheckOptions(
        set=values, distance=distance, measure=measure, delta=delta, slack=slack,
        paths=output_format in ("text", "json"), timeout=timeout,
    )  # fmt: skip
    try:
        report = _checked(paths, options, strict)
    except Exception as error:
        report = _internal(error)
    return _finish(report, output_format, time.perf_counter() - started)


def _checked(paths: tuple[str, ...], options: CheckOptions, strict: bool) -> CheckReport:
    from metricdp.apps.files import python_files, unchecked

    files, findings = python_files(paths)
    report = CheckReport()
    if files:
        from metricdp.check import check_paths

        report = check_paths(files, options)
    findings += unchecked(paths, report, "error" if strict else "info")
    return CheckReport(report.functions, (*findings, *report.diagnostics), report.sources)


cli.add_command(audit)
cli.add_command(explain)
cli.add_command(solve)
cli.add_command(diff)
cli.add_command(ledger)
cli.add_command(account)


def main(args: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code; never raises, never prints a traceback."""
    arguments = list(sys.argv[1:] if args is None else args)
    try:
        result = cli.main(arguments, prog_name="metricdp", standalone_mode=False)
    except click.ClickException as error:
        return _wrong_usage(error, arguments)
    except (click.Abort, KeyboardInterrupt):
        return _interrupted(arguments)
    except Exception as error:
        return _finish(_internal(error), _wanted(arguments))
    return result if isinstance(result, int) else 0


def _interrupted(arguments: list[str]) -> int:
    """130, as shells have it; where a format was asked for, something in it is printed as well."""
    output_format = _wanted(arguments)
    if output_format == "text":
        click.echo("interrupted", err=True)
    else:
        _finish(_internal(KeyboardInterrupt("interrupted")), output_format)
    return 130


def _finish(report: CheckReport, output_format: str, elapsed: float | None = None) -> int:
    """Prints the report; its exit code."""
    try:
        text = render(report, output_format, elapsed)
    except Exception as error:
        report = _internal(error)
        text = render(report, output_format)
    write(text, colour=output_format == "text")
    return exit_code(report)


def exit_code(report: CheckReport) -> int:
    """0 everything proved; 1 something is not; 2 wrong usage or internal error."""
    errors = [found for found in report.diagnostics if found.severity == "error"]
    worst = int(bool(errors) or any(f.verdict != "proved" for f in report.functions))
    if errors:
        from metricdp.diagnostics.catalogue import lookup

        for found in errors:
            code = lookup(found.code)
            worst = max(worst, code.exit_code if code else 1)
    return worst


def _internal(error: BaseException) -> CheckReport:
    from metricdp.diagnostics import defect

    return CheckReport(diagnostics=(defect(error, NOWHERE),))


def _wrong_usage(error: click.ClickException, arguments: list[str]) -> int:
    """A usage error in the format that was asked for; plain text has click's own usage line."""
    output_format = _wanted(arguments)
    if output_format == "text":
        error.show()
        return 2
    found = Diagnostic("wrong-usage", NOWHERE, error.format_message(), help="metricdp check --help")
    return _finish(CheckReport(diagnostics=(found,)), output_format)


def _wanted(arguments: list[str]) -> str:
    """The output format that a command line asks for, read even if the rest of it is wrong."""
    wanted = "text"
    for position, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if argument == "--":
            break
        if name == "--output-format":
            value = value if equals else "".join(arguments[position + 1 : position + 2])
            wanted = value if value in FORMATS else wanted
    return wanted


if __name__ == "__main__":
    sys.exit(main())
