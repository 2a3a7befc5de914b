"""`metricdp check` once its options are read: files, report, output, exit code."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec

from metricdp.apps.files import python_files, unchecked
from metricdp.apps.output import write
from metricdp.diagnostics import NOWHERE, defect
from metricdp.diagnostics.result import CheckOptions, CheckReport
from metricdp.report import FORMATS, render


def plain(arguments: Sequence[str]) -> tuple[list[str], str] | None:
    """Paths and format of `check PATH... [--output-format FORMAT]`; None: options to be read."""
    command, *paths = arguments or ("",)
    output_format = "text"
    if "--output-format" in paths[:-1]:
        at = paths.index("--output-format")
        output_format = paths[at + 1]
        del paths[at : at + 2]
    if command != "check" or not paths or output_format not in FORMATS:
        return None
    return (
        None
        if any(path.startswith("-") and path != "-" for path in paths)
        else (paths, output_format)
    )


def check(
    paths: Sequence[str],
    output_format: str,
    options: CheckOptions | None = None,
    strict: bool = False,
) -> int:
    """Checks, prints the report, and gives the exit code.

    Args:
        options: what was asked about numbers; nothing by default.
        strict: whether a path with nothing to check is an error.
    """
    started = time.perf_counter()
    shown = output_format in ("text", "json")
    options = msgspec.structs.replace(options or CheckOptions(), paths=shown)
    try:
        report = _checked(paths, options, strict)
    except Exception as error:
        report = internal(error)
    return finish(report, output_format, time.perf_counter() - started)


def _checked(paths: Sequence[str], options: CheckOptions, strict: bool) -> CheckReport:
    files, findings = python_files(paths)
    report = CheckReport()
    if files:
        from metricdp.check import check_paths

        report = check_paths(files, options, processes=True)
    findings += unchecked(paths, report, "error" if strict else "info")
    return CheckReport(report.functions, (*findings, *report.diagnostics), report.sources)


def finish(report: CheckReport, output_format: str, elapsed: float | None = None) -> int:
    """Prints the report; its exit code."""
    try:
        text = render(report, output_format, elapsed)
    except Exception as error:
        report = internal(error)
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


def internal(error: BaseException) -> CheckReport:
    """The report of a defect of metricdp."""
    return CheckReport(diagnostics=(defect(error, NOWHERE),))


def wanted(arguments: Sequence[str]) -> str:
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
