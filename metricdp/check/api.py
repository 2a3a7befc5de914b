"""Entry points: check files, a source text, or one declared function."""

from __future__ import annotations

from fractions import Fraction

from metricdp.check.declared import Declaration, declarations
from metricdp.check.program import Module, Project
from metricdp.check.verify import Outcome, verify
from metricdp.diagnostics import Diagnostic
from metricdp.diagnostics.result import CheckOptions, CheckReport, FunctionReport
from metricdp.primitives import load


def check_paths(paths: list[str], options: CheckOptions | None = None) -> CheckReport:
    """Check every decorated function of these files; nothing of them is imported or run."""
    project = Project()
    results = [_module(project.load(path), options or CheckOptions()) for path in paths]
    return _merged(results, project)


def check_source(source: str, file: str = "<source>", options: CheckOptions | None = None) -> CheckReport:
    """Check one source text."""
    project = Project()
    return _merged([_module(project.parse(file, source), options or CheckOptions())], project)


def outcomes(module: Module) -> list[Outcome]:
    """Outcomes of every declared function of a module."""
    load()
    return [verify(declared) for declared in declarations(module)]


def _merged(
    results: list[tuple[list[FunctionReport], list[Diagnostic]]], project: Project
) -> CheckReport:
    functions = tuple(f for result in results for f in result[0])
    diagnostics = tuple(d for result in results for d in result[1])
    return CheckReport(functions, diagnostics, dict(project.sources))


def _module(
    module: Module | Diagnostic, options: CheckOptions
) -> tuple[list[FunctionReport], list[Diagnostic]]:
    if isinstance(module, Diagnostic):
        return [], [module]
    load()
    found = declarations(module)
    diagnostics: list[Diagnostic] = []
    functions = []
    values = {name: Fraction(text) for name, text in options.set.items()}
    distances = {name: Fraction(text) for name, text in options.distance.items()}
    for declared in found:
        if declared.kind == "black_box":
            continue
        outcome = verify(declared, options.measure)
        diagnostics += [d for d in outcome.diagnostics if d not in diagnostics]
        if outcome.guarantee is not None:
            functions.append(outcome.guarantee.report(values, distances, outcome.verdict))
        else:
            functions.append(_rejected(declared))
    return functions, diagnostics


def _rejected(declared: Declaration) -> FunctionReport:
    from metricdp.check.declared import parameters
    from metricdp.check.findings import Stop
    from metricdp.diagnostics.result import InputReport

    try:
        inputs = tuple(
            InputReport(p.name, p.space is not None, str(p.space or ""), p.space.unit if p.space else "")
            for p in parameters(declared)
        )
    except (Stop, AttributeError):
        inputs = ()
    return FunctionReport(
        declared.module.path, declared.name, declared.node.lineno, declared.kind, "rejected", inputs
    )


__all__ = ["check_paths", "check_source", "outcomes"]
