"""Entry points: check files, a source text, or one declared function."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.check.source.declared import Declaration, declarations
from metricdp.check.source.program import Module, Project
from metricdp.check.values.findings import Stop
from metricdp.check.verdicts.processes import shared
from metricdp.check.verdicts.rejections import exhausted
from metricdp.check.verdicts.trace import with_paths
from metricdp.check.verdicts.verify import Outcome, verify
from metricdp.diagnostics import NOWHERE, Diagnostic, at_file, defect, is_notebook
from metricdp.diagnostics.result import CheckOptions, CheckReport, FunctionReport
from metricdp.effort import Exhausted, within
from metricdp.errors import ParameterError
from metricdp.measures.readings import MEASURES


def check_paths(
    paths: list[str], options: CheckOptions | None = None, processes: bool = False
) -> CheckReport:
    """Check every decorated function of these files; nothing of them is imported or run.

    Args:
        processes: whether a file of many functions may be shared out over several processes.
    """
    project, asked = Project(), options or CheckOptions()
    with _uncollected():
        results = [
            _module(module, asked, processes) for path in paths for module in read(project, path)
        ]
    return _usage(_merged(results, project), asked)


def read(project: Project, path: str) -> list[Module | Diagnostic]:
    """A file is one module; of a notebook, each cell is one."""
    if not is_notebook(path):
        return [project.load(path)]
    from metricdp.check.source.notebooks import notebook  # few checks read one

    return notebook(project, path)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the garbage collector: a check makes no cycles but the syntax and the reports that
    live until all is printed, and what else it made is gone with its function."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def check_source(
    source: str, file: str = "<source>", options: CheckOptions | None = None
) -> CheckReport:
    """Check one source text."""
    project = Project()
    found = _merged([_module(project.parse(file, source), options or CheckOptions())], project)
    return _usage(found, options or CheckOptions())


def outcomes(module: Module) -> list[Outcome]:
    """Outcomes of every declared function of a module."""
    return [verify(declared) for declared in declarations(module)]


def _merged(
    results: list[tuple[list[FunctionReport], list[Diagnostic]]], project: Project
) -> CheckReport:
    functions = tuple(f for result in results for f in result[0])
    diagnostics = tuple(d for result in results for d in result[1])
    return CheckReport(functions, diagnostics, dict(project.sources))


def _usage(report: CheckReport, options: CheckOptions) -> CheckReport:
    """Names in --set and --distance that no function of the checked files has."""
    if not options.set and not options.distance:
        return report
    public = {i.name for f in report.functions for i in f.inputs if not i.private}
    private = {i.name for f in report.functions for i in f.inputs if i.private}
    sizes = {
        word for f in report.functions if any(i.private for i in f.inputs) for word in _words(f)
    }
    wrong = [("--set", name, "public") for name in options.set if name not in public | sizes]
    wrong += [("--distance", name, "private") for name in options.distance if name not in private]
    # A function that was rejected early does not list its parameters.
    if not wrong or any(f.verdict == "rejected" and not f.inputs for f in report.functions):
        return report
    found = tuple(
        Diagnostic(
            "wrong-usage", NOWHERE, f"{option}: no function here has a {kind} parameter `{name}`",
            f"a {kind} parameter", "",
        )
        for option, name, kind in wrong
    )  # fmt: skip
    return msgspec.structs.replace(report, diagnostics=(*report.diagnostics, *found))


def _words(function: FunctionReport) -> set[str]:
    """Names in the bounds of a function: sizes such as len_x, or those that `Size` names."""
    texts = [t for i in function.inputs for t in (i.stability or "", *(i.privacy or {}).values())]
    texts += [
        *function.requires,
        *(f"len_{i.name} different_{i.name} rows_{i.name} cols_{i.name}" for i in function.inputs),
    ]
    return {word for text in texts for word in re.findall(r"[A-Za-z_]\w*", text)}


def _module(
    module: Module | Diagnostic, options: CheckOptions, processes: bool = False
) -> tuple[list[FunctionReport], list[Diagnostic]]:
    if isinstance(module, Diagnostic):
        return [], [module]
    try:
        found = [each for each in declarations(module) if each.kind != "black_box"]
    except Exception as error:
        return [], [defect(error, at_file(module.path))]
    reports: dict[int, tuple[FunctionReport, list[Diagnostic]]] = {}

    def checked(part: range) -> tuple[dict[int, Any], dict[str, str]]:
        return {n: _function(found[n], options) for n in part}, module.project.sources

    for known, sources in (
        shared(checked, len(found)) if processes else [checked(range(len(found)))]
    ):
        reports |= known
        module.project.sources.update(sources)
    diagnostics: list[Diagnostic] = []
    for n in range(len(found)):
        diagnostics += [d for d in reports[n][1] if d not in diagnostics]
    return [reports[n][0] for n in range(len(found))], diagnostics


def _function(
    declared: Declaration, options: CheckOptions
) -> tuple[FunctionReport, list[Diagnostic]]:
    """One declared function and what is wrong with it."""
    values = {name: Fraction(text) for name, text in options.set.items()}
    distances = {name: Fraction(text) for name, text in options.distance.items()}
    delta = Fraction(options.delta) if options.delta else None
    # (epsilon, delta) at a delta is a conversion of rho, where the program has one.
    measure = None if options.measure == "approx" and delta else options.measure
    other = measure if measure not in (None, *MEASURES) else None
    measure = measure if other is None else None
    span = declared.module.span(declared.node)
    with within(options.timeout):
        outcome = verify(declared, measure, options.slack)
        made = None
        if outcome.guarantee is not None:
            try:
                made = outcome.guarantee.report(values, distances, outcome.verdict, delta, other)
                made = with_paths(made, outcome) if options.paths else made
            except Stop as unknown:
                outcome.diagnostics.append(unknown.diagnostic)
            except ParameterError as excluded:
                made = None
                if not isinstance(excluded.diagnostic, Diagnostic):
                    outcome.diagnostics.append(defect(excluded, span))
                else:
                    # The formulas stand, no number does.
                    outcome.diagnostics.append(excluded.diagnostic)
                    made = outcome.guarantee.report(verdict="rejected")
            except (Exhausted, RecursionError) as spent:
                outcome.diagnostics.append(exhausted(declared, spent, None))
                made = None
            except Exception as error:
                outcome.diagnostics.append(defect(error, span))
                made = None
    return made if made is not None else _rejected(declared), outcome.diagnostics


def _rejected(declared: Declaration) -> FunctionReport:
    from metricdp.check.source.declared import parameters
    from metricdp.diagnostics.result import InputReport

    try:
        inputs = tuple(
            InputReport(
                p.name, p.space is not None, str(p.space or ""), p.space.unit if p.space else ""
            )
            for p in parameters(declared)
        )
    except Exception:  # told by a diagnostic already
        inputs = ()
    return FunctionReport(
        declared.module.path, declared.name, declared.node.lineno, declared.kind, "rejected", inputs
    )


__all__ = ["check_paths", "check_source", "outcomes"]
